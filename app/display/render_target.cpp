#include "app/display/render_target.h"

#include <glad/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <utility>

#include "app/gl/gl_object.h"

namespace app {

void RenderTarget::set_background(const std::array<float, 3>& colour) {
  background_ = colour;
  repaint_.forget();
}

void RenderTarget::draw_changes_only(bool on) {
  changes_only_ = on && keeps_pixels();
  repaint_.forget();
}

void RenderTarget::start_drawing() {
  glViewport(0, 0, width(), height());
  filled_ = {};
  if (!changes_only_) clear({0, 0, width(), height()}, background_);
}

void RenderTarget::clear(const PixelRect& part, const std::array<float, 3>& colour) const {
  glEnable(GL_SCISSOR_TEST);
  // OpenGL's first row is the lowest.
  glScissor(part.left, height() - part.bottom, part.right - part.left, part.bottom - part.top);
  glClearColor(colour[0], colour[1], colour[2], 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
}

void RenderTarget::fill(const Area& area, const std::array<float, 3>& colour) {
  const auto pixel = [](double edge) { return static_cast<int>(std::lround(edge)); };
  filled_ = {pixel(area.x), pixel(area.y), pixel(area.x + area.width), pixel(area.y + area.height)};
  if (!filled_.empty()) clear(filled_, colour);
}

void RenderTarget::draw_interface() {
  ImGui::Render();
  auto& data = *ImGui::GetDrawData();
  if (changes_only_)
    for (const auto& rect : repaint_.keep_damaged(data, filled_) | std::views::drop(1)) clear(rect, background_);
  ImGui_ImplOpenGL3_RenderDrawData(&data);
}

void RenderTarget::renew_fonts() {
  if (!ImGui::GetIO().Fonts->IsBuilt()) {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  }
  repaint_.forget();
}

std::vector<std::uint8_t> RenderTarget::read_framebuffer() const {
  const auto row = static_cast<std::size_t>(width()) * 4;
  const auto rows = static_cast<std::size_t>(height());
  std::vector<std::uint8_t> pixels(row * rows);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
  glReadPixels(0, 0, width(), height(), GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  for (std::size_t y = 0; y < rows / 2; ++y)  // OpenGL's first row is the lowest
    std::swap_ranges(pixels.begin() + static_cast<std::ptrdiff_t>(y * row),
                     pixels.begin() + static_cast<std::ptrdiff_t>((y + 1) * row),
                     pixels.begin() + static_cast<std::ptrdiff_t>((rows - 1 - y) * row));
  return pixels;
}

RenderTargetError too_old(const std::string& found) {
  return {RenderTargetError::Kind::opengl_too_old,
          "OpenGL 3.3 is needed, this display offers " + found +
              ": try LIBGL_ALWAYS_SOFTWARE=1 for software OpenGL, or --viewer highgui, which needs none"};
}

gl::GlInfo start_context(GLADloadfunc get_proc_address) {
  const int version = gladLoadGL(get_proc_address);
  if (version == 0) throw RenderTargetError(RenderTargetError::Kind::failed, "OpenGL's functions could not be loaded");
  gl::GlInfo info = gl::describe_context();
  if (version < GLAD_MAKE_VERSION(3, 3)) throw too_old(info.version + " (" + info.renderer + ")");
  gl::keep_error_messages();
  return info;
}

ImGuiSession::ImGuiSession() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  if (!ImGui_ImplOpenGL3_Init("#version 330 core")) {
    ImGui::DestroyContext();
    throw RenderTargetError(RenderTargetError::Kind::failed,
                            "Dear ImGui could not load libGL.so.1: install the package libgl1");
  }
}

ImGuiSession::~ImGuiSession() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
}

// Texels of glyphs lie on pixels of the screen, so that interpolating between them only blurs, and costs a software
// renderer a third of what it draws. Set in every frame: the backend makes a new texture when the fonts change.
void ImGuiSession::begin_frame() {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::GetIO().Fonts->ClearTexData();  // it is in the texture; at a large scale of text the copy has tens of MiB
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(reinterpret_cast<std::intptr_t>(ImGui::GetIO().Fonts->TexID)));
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

namespace {

// The scissor rectangle that ImGui's OpenGL backend makes of a command, which cuts fractions off.
PixelRect scissor(const ImDrawCmd& command, int height) {
  const auto& clip = command.ClipRect;
  const int bottom = height - static_cast<int>(static_cast<float>(height) - clip.w);
  return {static_cast<int>(clip.x), bottom - static_cast<int>(clip.w - clip.y),
          static_cast<int>(clip.x) + static_cast<int>(clip.z - clip.x), bottom};
}

// All pixels that a triangle touches.
PixelRect around(const ImVec2& a, const ImVec2& b, const ImVec2& c) {
  const auto down = [](float edge) { return static_cast<int>(std::floor(edge)); };
  const auto up = [](float edge) { return static_cast<int>(std::ceil(edge)); };
  return {down(std::min({a.x, b.x, c.x})), down(std::min({a.y, b.y, c.y})), up(std::max({a.x, b.x, c.x})),
          up(std::max({a.y, b.y, c.y}))};
}

// What `rects` do not have of `added`, as rectangles that do not overlap.
void add(std::vector<PixelRect>& rects, const PixelRect& added) {
  std::vector<PixelRect> pieces{added};
  for (const auto& rect : rects) {
    std::vector<PixelRect> left;
    for (const auto& piece : pieces)
      for (const auto& rest : without(piece, rect)) left.push_back(rest);
    pieces = std::move(left);
  }
  rects.insert(rects.end(), pieces.begin(), pieces.end());
}

// The triangles of a list, once for each rectangle that they reach.
void clip_to(const std::vector<PixelRect>& rects, ImDrawList& list, int height) {
  ImVector<ImDrawCmd> commands;
  ImVector<ImDrawIdx> indices;
  for (const auto& command : list.CmdBuffer)
    for (const auto& rect : rects) {
      const auto clip = intersection(scissor(command, height), rect);
      if (clip.empty()) continue;
      const auto first = indices.Size;
      const auto* index = list.IdxBuffer.Data + command.IdxOffset;
      const auto* vertices = list.VtxBuffer.Data + command.VtxOffset;
      for (const auto* end = index + command.ElemCount; index != end; index += 3) {
        if (intersection(around(vertices[index[0]].pos, vertices[index[1]].pos, vertices[index[2]].pos), clip).empty())
          continue;
        for (int i = 0; i < 3; ++i) indices.push_back(index[i]);
      }
      if (indices.Size == first) continue;
      commands.push_back(command);
      auto& added = commands.back();
      added.IdxOffset = static_cast<unsigned>(first);
      added.ElemCount = static_cast<unsigned>(indices.Size - first);
      added.ClipRect = ImVec4(static_cast<float>(clip.left), static_cast<float>(clip.top), static_cast<float>(clip.right),
                              static_cast<float>(clip.bottom));
    }
  list.CmdBuffer.swap(commands);
  list.IdxBuffer.swap(indices);
}

}  // namespace

PixelRect intersection(const PixelRect& a, const PixelRect& b) {
  const PixelRect both{std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
                       std::min(a.bottom, b.bottom)};
  return both.empty() ? PixelRect{} : both;
}

PixelRect enclosing(const PixelRect& a, const PixelRect& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right), std::max(a.bottom, b.bottom)};
}

std::vector<PixelRect> without(const PixelRect& whole, const PixelRect& part) {
  const auto hole = intersection(whole, part);
  if (hole.empty()) return {whole};
  std::vector<PixelRect> left;
  for (const PixelRect& side : {PixelRect{whole.left, whole.top, whole.right, hole.top},
                                {whole.left, hole.bottom, whole.right, whole.bottom},
                                {whole.left, hole.top, hole.left, hole.bottom},
                                {hole.right, hole.top, whole.right, hole.bottom}})
    if (!side.empty()) left.push_back(side);
  return left;
}

PixelRect Repaint::Triangle::bounds() const {
  return intersection(around(vertices[0].pos, vertices[1].pos, vertices[2].pos), clip);
}

bool Repaint::same(const Triangle& a, const Triangle& b) {
  return a.clip == b.clip && a.texture == b.texture &&
         std::memcmp(a.vertices.data(), b.vertices.data(), sizeof a.vertices) == 0;
}

Repaint::Frame Repaint::describe(const ImDrawData& data) {
  Frame frame;
  frame.all = {0, 0, static_cast<int>(data.DisplaySize.x), static_cast<int>(data.DisplaySize.y)};
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const auto& drawn = *data.CmdLists[i];
    auto& list = frame.lists.emplace_back();
    if (drawn._OwnerName) list.window = drawn._OwnerName;
    list.triangles.reserve(static_cast<std::size_t>(drawn.IdxBuffer.Size) / 3);
    for (const auto& command : drawn.CmdBuffer) {
      const auto clip = intersection(scissor(command, frame.all.bottom), frame.all);
      const auto* vertices = drawn.VtxBuffer.Data + command.VtxOffset;
      const auto* index = drawn.IdxBuffer.Data + command.IdxOffset;
      for (const auto* end = index + command.ElemCount; index != end; index += 3)
        list.triangles.push_back({clip, command.GetTexID(), {vertices[index[0]], vertices[index[1]], vertices[index[2]]}});
    }
  }
  return frame;
}

// Text and bars that change are triangles in the midst of those that stay.
void Repaint::add_damage(const List& before, const List& now, std::vector<PixelRect>& damage) {
  const auto [a, b] = std::ranges::mismatch(before.triangles, now.triangles, same);
  const auto stay = std::ranges::mismatch(before.triangles.rbegin(), std::make_reverse_iterator(a), now.triangles.rbegin(),
                                          std::make_reverse_iterator(b), same);
  PixelRect gone, come;
  for (auto triangle = a; triangle != stay.in1.base(); ++triangle) gone = enclosing(gone, triangle->bounds());
  for (auto triangle = b; triangle != stay.in2.base(); ++triangle) come = enclosing(come, triangle->bounds());
  damage.push_back(gone);
  damage.push_back(come);
}

std::vector<PixelRect> Repaint::damage(const Frame& before, const Frame& now) {
  const bool same_windows = std::ranges::equal(before.lists, now.lists, {}, &List::window, &List::window);
  if (before.all != now.all || !same_windows) return {now.all};
  std::vector<PixelRect> damage{before.filled};
  for (std::size_t i = 0; i < now.lists.size(); ++i) add_damage(before.lists[i], now.lists[i], damage);
  return damage;
}

std::vector<PixelRect> Repaint::keep_damaged(ImDrawData& data, const PixelRect& filled) {
  auto now = describe(data);
  now.filled = intersection(filled, now.all);
  std::vector<PixelRect> rects{now.filled};
  for (const auto& part : damage(before_, now))
    if (!part.empty()) add(rects, part);
  int kept = 0;
  for (int i = 0; i < data.CmdListsCount; ++i) {
    auto& list = *data.CmdLists[i];
    clip_to(rects, list, now.all.bottom);
    if (!list.CmdBuffer.empty()) data.CmdLists[kept++] = &list;
  }
  data.CmdListsCount = kept;
  // From ImGui 1.89.8 on a vector, which later backends draw without the number.
  const auto shorten = [](auto& lists, int count) {
    if constexpr (requires { lists.resize(count); }) lists.resize(count);
  };
  shorten(data.CmdLists, kept);
  before_ = std::move(now);
  return rects;
}

}  // namespace app
