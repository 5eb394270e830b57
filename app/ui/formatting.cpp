// Numbers as text, and text that fits.
#include "app/ui/widgets.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace app::ui {

std::string line_of(std::span<const std::string> figures, std::string_view between, float room) {
  std::string line;
  for (const auto& figure : figures) {
    const auto longer = line + std::string(line.empty() ? "" : between) + figure;
    if (ImGui::CalcTextSize(longer.c_str()).x > room) break;
    line = longer;
  }
  return line;
}

std::string number(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return grouped_digits(text);
}

std::string microseconds(double value) { return number(value, value < 999.95 ? 1 : 0); }
std::string narrow_microseconds(double value, double seconds_from) {
  return value < seconds_from - 0.5 ? microseconds(value) : number(value / 1e6, 1) + " s";
}

std::string bytes(std::size_t value) {
  const auto units = {"B", "kB", "MB", "GB"};
  auto amount = static_cast<double>(value);
  auto unit = units.begin();
  for (; amount >= 1000 && unit + 1 != units.end(); ++unit) amount /= 1000;
  return number(amount, unit == units.begin() || amount >= 100 ? 0 : 1) + ' ' + *unit;
}

std::string seconds(double value) {
  const auto tenths = static_cast<std::uint64_t>(std::min(std::max(0.0, value), 1e9) * 10 + 0.5);
  char text[48];
  std::snprintf(text, sizeof text, "%llu:%02llu.%llu", static_cast<unsigned long long>(tenths / 600),
                static_cast<unsigned long long>(tenths / 10 % 60), static_cast<unsigned long long>(tenths % 10));
  return text;
}

namespace {

bool fits(const std::string& text, float width) { return ImGui::CalcTextSize(text.c_str()).x <= width; }

// Whether a UTF-8 character starts there: its later bytes are 10xxxxxx.
bool starts_character(std::string_view text, std::size_t at) { return at >= text.size() || (text[at] & 0xc0) != 0x80; }

}  // namespace

std::string end_of(std::string_view text, float width) {
  if (std::string whole(text); fits(whole, width)) return whole;
  std::string found;  // of what is in sight alone: a name may be as long as a file
  for (auto at = text.size(); at-- > 1;) {
    if (!starts_character(text, at)) continue;
    auto candidate = "..." + std::string(text.substr(at));
    if (!fits(candidate, width)) break;
    found = std::move(candidate);
  }
  return found;
}

std::string shortened(std::string_view text, float width) {
  if (std::string whole(text); fits(whole, width)) return whole;
  std::string found;
  for (std::size_t kept = 1; kept <= text.size(); ++kept) {
    const auto head = (kept + 1) / 2, tail = text.size() - kept / 2;
    if (!starts_character(text, head) || !starts_character(text, tail)) continue;
    auto candidate = std::string(text.substr(0, head)) + "..." + std::string(text.substr(tail));
    if (!fits(candidate, width)) break;
    found = std::move(candidate);
  }
  return found;
}

}  // namespace app::ui
