// Finds text that overlaps other text of the same window, and text that is cut off at its right or left end, in what ImGui
// has drawn: letters are known by their places in the texture of the fonts. What is beyond the edge of its window ImGui does
// not draw at all: there it is found by where the window's contents end.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace app::ui {

struct TextFault {
  std::string window, what, text, other;  // what: "overlaps", "is cut off" or "ends outside"
};

class TextCheck {
 public:
  // After ImGui::Render().
  static std::vector<TextFault> faults() { return TextCheck().find(); }

  // The lines of text in windows whose names begin so.
  static std::vector<std::string> texts_of(std::string_view window) {
    const TextCheck check;
    std::vector<std::string> all;
    const auto* data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; ++i) {
      const auto& list = *data->CmdLists[i];
      if (!std::string_view(list._OwnerName ? list._OwnerName : "").starts_with(window)) continue;
      for (const auto& run : check.runs(list)) all.push_back(run.text);
    }
    return all;
  }

  // The lines of text that are in sight outside of that place, in all windows.
  static std::vector<std::string> texts_outside(const ImRect& place) {
    const TextCheck check;
    std::vector<std::string> all;
    const auto* data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; ++i)
      for (const auto& run : check.runs(*data->CmdLists[i])) {
        const auto seen = visible(run.box, run.clip);
        if (seen.GetWidth() > 1 && seen.GetHeight() > 1 && !place.Contains(seen.GetCenter())) all.push_back(run.text);
      }
    return all;
  }

  // Letters of one line and colour that are in sight, each as a whole and under nothing that another window draws.
  struct Letter {
    ImRect box;
    std::string text;
    ImU32 colour;
  };
  struct Words {
    std::string window;
    ImU32 colour;
    std::vector<Letter> letters;
  };
  static std::vector<Words> in_sight() {
    const TextCheck check;
    const auto* data = ImGui::GetDrawData();
    std::vector<std::vector<Triangle>> above;  // of each list
    for (int i = 0; i < data->CmdListsCount; ++i) above.push_back(check.triangles(*data->CmdLists[i]));
    std::vector<Words> all;
    for (std::size_t i = 0; i < above.size(); ++i) {
      const auto& list = *data->CmdLists[static_cast<int>(i)];
      const auto covered = [&](ImVec2 at) {
        const auto covers = [at](const Triangle& each) { return each.contains(at); };
        return std::any_of(above.begin() + static_cast<std::ptrdiff_t>(i) + 1, above.end(),
                           [&](const auto& later) { return std::any_of(later.begin(), later.end(), covers); });
      };
      for (const auto& run : check.runs(list)) add_words(all, run, list._OwnerName ? list._OwnerName : "", covered);
    }
    return all;
  }

  // Where `text` is drawn in a window whose name begins so, as far as it is in sight; spaces do not matter. A line of exactly
  // this text comes before one that contains it.
  static std::optional<ImRect> place_of(std::string text, std::string_view window) {
    std::erase(text, ' ');
    const TextCheck check;
    const auto* data = ImGui::GetDrawData();
    for (const bool whole : {true, false})
      for (int i = 0; i < data->CmdListsCount; ++i) {
        const auto& list = *data->CmdLists[i];
        if (!std::string_view(list._OwnerName ? list._OwnerName : "").starts_with(window)) continue;
        for (const auto& run : check.runs(list))
          if (const auto place = part_of(run, text, whole)) return place;
      }
    return std::nullopt;
  }

 private:
  // Of a surface that hides or dims what is below it.
  struct Triangle {
    ImVec2 a, b, c;
    ImRect clip;
    bool contains(ImVec2 at) const { return clip.Contains(at) && ImTriangleContainsPoint(a, b, c, at); }
  };
  // Letters of one line that were drawn one after another.
  struct Run {
    std::string text;
    ImRect box;
    std::vector<ImRect> letters;
    ImRect clip;
    bool trimmed = false;  // ImGui has cut a letter itself
    std::vector<Letter> all;
  };

  TextCheck() {
    for (const auto* font : ImGui::GetIO().Fonts->Fonts)
      for (const auto& glyph : font->Glyphs)
        if (glyph.Visible) letters_[{glyph.U0, glyph.V0}] = {glyph.Codepoint, glyph.U1};
  }

  std::vector<TextFault> find() {
    std::vector<TextFault> faults;
    const auto* data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; ++i) check(*data->CmdLists[i], faults);
    for (const auto* window : ImGui::GetCurrentContext()->Windows)
      if (ends_outside(*window)) faults.push_back({window->Name, "ends outside", {}, {}});
    return faults;
  }
  static bool ends_outside(const ImGuiWindow& window) {
    const bool scrolls = (window.Flags & ImGuiWindowFlags_HorizontalScrollbar) != 0;
    return window.Active && !window.Hidden && !scrolls && window.DC.CursorMaxPos.x > window.InnerRect.Max.x + 1.5f;
  }

  void check(const ImDrawList& list, std::vector<TextFault>& faults) const {
    const std::string window = list._OwnerName ? list._OwnerName : "";
    const auto all = runs(list);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (cut(all[i])) faults.push_back({window, "is cut off", all[i].text, {}});
      for (std::size_t j = i + 1; j < all.size(); ++j)
        if (overlap(all[i], all[j])) faults.push_back({window, "overlaps", all[i].text, all[j].text});
    }
  }

  std::vector<Run> runs(const ImDrawList& list) const {
    std::vector<Run> all;
    for (const auto& command : list.CmdBuffer) {
      const ImRect clip(command.ClipRect);
      bool fresh = true;
      for (unsigned i = command.IdxOffset; i + 5 < command.IdxOffset + command.ElemCount;) {
        const auto* v = &list.VtxBuffer[static_cast<int>(command.VtxOffset + list.IdxBuffer[static_cast<int>(i)])];
        const auto found = letters_.find({v->uv.x, v->uv.y});
        const bool letter = found != letters_.end() && i + 5 < command.IdxOffset + command.ElemCount &&
                            v[2].uv.x > v[0].uv.x && v[2].uv.x <= found->second.u1;
        if (!letter) {
          fresh = true;
          i += 3;
          continue;
        }
        add(all, {ImRect(v[0].pos, v[2].pos), utf8(found->second.code), v->col}, clip, fresh);
        if (v[2].uv.x < found->second.u1) all.back().trimmed = true;
        fresh = false;
        i += 6;
      }
    }
    return all;
  }
  // What is drawn beside letters, but for lines and small signs.
  std::vector<Triangle> triangles(const ImDrawList& list) const {
    std::vector<Triangle> all;
    for (const auto& command : list.CmdBuffer)
      for (unsigned i = command.IdxOffset; i + 2 < command.IdxOffset + command.ElemCount; i += 3) {
        const auto vertex = [&](unsigned k) {
          return list.VtxBuffer[static_cast<int>(command.VtxOffset + list.IdxBuffer[static_cast<int>(i + k)])];
        };
        const auto a = vertex(0), b = vertex(1), c = vertex(2);
        constexpr float least_area = 30;
        constexpr unsigned least_alpha = 40;
        const bool seen = std::min({a.col >> IM_COL32_A_SHIFT, b.col >> IM_COL32_A_SHIFT, c.col >> IM_COL32_A_SHIFT}) >
                          least_alpha;
        if (seen && !letters_.contains({a.uv.x, a.uv.y}) && ImTriangleArea(a.pos, b.pos, c.pos) > least_area)
          all.push_back({a.pos, b.pos, c.pos, ImRect(command.ClipRect)});
      }
    return all;
  }
  template <class Covered>
  static void add_words(std::vector<Words>& all, const Run& run, const std::string& window, const Covered& covered) {
    bool fresh = true;
    for (const auto& letter : run.all) {
      const bool whole = run.clip.Contains(letter.box) && !covered(letter.box.GetCenter());
      if (whole && (fresh || all.back().colour != letter.colour)) all.push_back({window, letter.colour, {}});
      fresh = !whole;
      if (whole) all.back().letters.push_back(letter);
    }
  }
  static void add(std::vector<Run>& all, const Letter& letter, const ImRect& clip, bool fresh) {
    if (!fresh) {
      auto& run = all.back();
      const auto height = std::max(run.box.GetHeight(), letter.box.GetHeight());
      const auto gap = letter.box.Min.x - run.letters.back().Max.x;
      const bool same_line = letter.box.Min.y < run.box.Max.y + height * 0.5f &&
                             letter.box.Max.y > run.box.Min.y - height * 0.5f;
      if (same_line && gap > -height * 0.3f && gap < height * 2) {
        run.text += letter.text;
        run.box.Add(letter.box);
        run.letters.push_back(letter.box);
        run.all.push_back(letter);
        return;
      }
    }
    all.push_back({letter.text, letter.box, {letter.box}, clip, false, {letter}});
  }

  static std::optional<ImRect> part_of(const Run& run, const std::string& text, bool whole) {
    const auto at = run.text.find(text);
    if (text.empty() || at == run.text.npos || (whole && run.text != text)) return std::nullopt;
    const auto letters_until = [&](std::size_t byte) {
      return std::count_if(run.text.begin(), run.text.begin() + static_cast<std::ptrdiff_t>(byte),
                           [](char c) { return (c & 0xC0) != 0x80; });
    };
    auto box = run.letters[static_cast<std::size_t>(letters_until(at))];
    for (auto i = letters_until(at); i < letters_until(at + text.size()); ++i)
      box.Add(run.letters[static_cast<std::size_t>(i)]);
    const auto seen = visible(box, run.clip);
    return seen.GetWidth() > 1 && seen.GetHeight() > 1 ? std::optional(seen) : std::nullopt;
  }

  static ImRect visible(const ImRect& box, const ImRect& clip) {
    return {ImMax(box.Min, clip.Min), ImMin(box.Max, clip.Max)};
  }
  // By more than a letter's soft edge.
  static bool deep(const ImRect& a, const ImRect& b) {
    const auto width = std::min(a.Max.x, b.Max.x) - std::max(a.Min.x, b.Min.x);
    const auto height = std::min(a.Max.y, b.Max.y) - std::max(a.Min.y, b.Min.y);
    return width > 1.5f && height > 1.5f;
  }
  static bool overlap(const Run& a, const Run& b) {
    if (!deep(visible(a.box, a.clip), visible(b.box, b.clip))) return false;
    for (const auto& x : a.letters)
      for (const auto& y : b.letters)
        if (deep(visible(x, a.clip), visible(y, b.clip))) return true;
    return false;
  }
  // At an end; above and below a list is cut where it scrolls.
  static bool cut(const Run& run) {
    return run.trimmed || std::any_of(run.letters.begin(), run.letters.end(), [&](const ImRect& letter) {
             const bool in_line = letter.Max.y > run.clip.Min.y && letter.Min.y < run.clip.Max.y;
             const bool in_sight = letter.Max.x > run.clip.Min.x && letter.Min.x < run.clip.Max.x;
             return in_line && in_sight && (letter.Min.x < run.clip.Min.x - 1.5f || letter.Max.x > run.clip.Max.x + 1.5f);
           });
  }

  static std::string utf8(unsigned code) {
    char text[5] = {};
    ImTextCharToUtf8(text, code);
    return text;
  }

  struct Glyph {
    unsigned code;
    float u1;
  };
  std::map<std::pair<float, float>, Glyph> letters_;
};

}  // namespace app::ui
