// Numbers as text.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/ui/widgets.h"

namespace app::ui {

std::string number(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string microseconds(double value) { return number(value, value < 999.95 ? 1 : 0); }

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

std::string shortened(std::string_view text, float width) {
  const auto fits = [&](const std::string& candidate) { return ImGui::CalcTextSize(candidate.c_str()).x <= width; };
  std::string whole(text);
  if (fits(whole)) return whole;
  // Never split a UTF-8 character: its later bytes are 10xxxxxx.
  const auto boundary = [&](std::size_t at) { return at >= text.size() || (text[at] & 0xc0) != 0x80; };
  for (auto kept = text.size(); kept > 0; --kept) {
    const auto head = (kept + 1) / 2, tail = text.size() - kept / 2;
    if (!boundary(head) || !boundary(tail)) continue;
    auto candidate = std::string(text.substr(0, head)) + "..." + std::string(text.substr(tail));
    if (fits(candidate)) return candidate;
  }
  return {};
}

}  // namespace app::ui
