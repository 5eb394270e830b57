#include "app/display/repaint.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace app {
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

bool same(const ImDrawVert& a, const ImDrawVert& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// What `parts` do not have of `added`, as parts that do not overlap.
void add(std::vector<PixelRect>& parts, const PixelRect& added) {
  std::vector<PixelRect> pieces{added};
  for (const auto& part : parts) {
    std::vector<PixelRect> left;
    for (const auto& piece : pieces)
      for (const auto& rest : without(piece, part)) left.push_back(rest);
    pieces = std::move(left);
  }
  parts.insert(parts.end(), pieces.begin(), pieces.end());
}

// The triangles of a list, once for each part that they reach.
void cut_list(ImDrawList& list, const std::vector<PixelRect>& parts, int height) {
  ImVector<ImDrawCmd> commands;
  ImVector<ImDrawIdx> indices;
  for (const auto& command : list.CmdBuffer)
    for (const auto& part : parts) {
      const auto seen = intersection(scissor(command, height), part);
      if (seen.empty()) continue;
      const auto first = indices.Size;
      const auto* corner = list.IdxBuffer.Data + command.IdxOffset;
      const auto* vertices = list.VtxBuffer.Data + command.VtxOffset;
      for (const auto* end = corner + command.ElemCount; corner != end; corner += 3) {
        if (intersection(around(vertices[corner[0]].pos, vertices[corner[1]].pos, vertices[corner[2]].pos), seen).empty())
          continue;
        for (int i = 0; i < 3; ++i) indices.push_back(corner[i]);
      }
      if (indices.Size == first) continue;
      commands.push_back(command);
      auto& added = commands.back();
      added.IdxOffset = static_cast<unsigned>(first);
      added.ElemCount = static_cast<unsigned>(indices.Size - first);
      added.ClipRect = ImVec4(static_cast<float>(seen.left), static_cast<float>(seen.top), static_cast<float>(seen.right),
                              static_cast<float>(seen.bottom));
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

Repaint::Frame Repaint::describe(const ImDrawData& data) {
  Frame frame;
  frame.all = {0, 0, static_cast<int>(data.DisplaySize.x * data.FramebufferScale.x),
               static_cast<int>(data.DisplaySize.y * data.FramebufferScale.y)};
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const auto& drawn = *data.CmdLists[i];
    auto& list = frame.lists.emplace_back();
    if (drawn._OwnerName) list.window = drawn._OwnerName;
    list.vertices.assign(drawn.VtxBuffer.begin(), drawn.VtxBuffer.end());
    for (const auto& command : drawn.CmdBuffer) {
      list.commands.push_back({intersection(scissor(command, frame.all.bottom), frame.all), command.GetTexID()});
      list.seen = enclosing(list.seen, list.commands.back().clip);
      for (unsigned corner = 0; corner < command.ElemCount; ++corner)
        list.corners.push_back(command.VtxOffset + drawn.IdxBuffer[static_cast<int>(command.IdxOffset + corner)]);
    }
  }
  return frame;
}

// Text and bars that change are vertices in the midst of those that stay. Around all triangles that have one of them.
void Repaint::add_changes(const List& before, const List& now, std::vector<PixelRect>& changes) {
  const bool same_vertices = std::ranges::equal(before.vertices, now.vertices, same);
  if (before.commands != now.commands || (same_vertices && before.corners != now.corners)) {
    changes.push_back(before.seen);
    changes.push_back(now.seen);
    return;
  }
  if (same_vertices) return;
  const auto [a, b] = std::ranges::mismatch(before.vertices, now.vertices, same);
  const auto first = static_cast<std::size_t>(a - before.vertices.begin());
  std::size_t behind = 0;  // vertices that are the same again
  const auto most = std::min(before.vertices.size(), now.vertices.size()) - first;
  while (behind < most && same(before.vertices.rbegin()[static_cast<std::ptrdiff_t>(behind)],
                               now.vertices.rbegin()[static_cast<std::ptrdiff_t>(behind)]))
    ++behind;
  for (const auto* list : {&before, &now}) {
    const auto last = list->vertices.size() - behind;
    const auto changed = [&](unsigned corner) { return corner >= first && corner < last; };
    PixelRect place;
    for (std::size_t i = 0; i + 2 < list->corners.size(); i += 3) {
      const auto* corner = &list->corners[i];
      if (!std::any_of(corner, corner + 3, changed)) continue;
      place = enclosing(place,
                        around(list->vertices[corner[0]].pos, list->vertices[corner[1]].pos, list->vertices[corner[2]].pos));
    }
    changes.push_back(intersection(place, list->seen));
  }
}

std::vector<PixelRect> Repaint::changes(const Frame& before, const Frame& now) {
  const bool same_windows = std::ranges::equal(before.lists, now.lists, {}, &List::window, &List::window);
  if (before.all != now.all || !same_windows) return {now.all};
  std::vector<PixelRect> changes{before.drawn};
  for (std::size_t i = 0; i < now.lists.size(); ++i) add_changes(before.lists[i], now.lists[i], changes);
  return changes;
}

std::vector<PixelRect> Repaint::cut(ImDrawData& data, const PixelRect& drawn) {
  auto now = describe(data);
  now.drawn = intersection(drawn, now.all);
  std::vector<PixelRect> parts{now.drawn};
  if (data.FramebufferScale.x != 1 || data.FramebufferScale.y != 1) {  // clipped in other units
    add(parts, now.all);
    return parts;
  }
  for (const auto& change : changes(frame_, now))
    if (!change.empty()) add(parts, change);
  int kept = 0;
  for (int i = 0; i < data.CmdListsCount; ++i) {
    auto& list = *data.CmdLists[i];
    cut_list(list, parts, now.all.bottom);
    if (!list.CmdBuffer.empty()) data.CmdLists[kept++] = &list;
  }
  data.CmdListsCount = kept;
  frame_ = std::move(now);
  return parts;
}

}  // namespace app
