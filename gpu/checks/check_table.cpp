#include "gpu/checks/check_table.h"

#include <limits>
#include <stdexcept>

#include "gpu/execution/driver.h"
#include "gpu/pictures/check_views.h"

namespace gpu {

std::optional<WrongTable> wrong_table(const TableFindings& findings, int width) {
  if (findings.count == 0) return {};
  const auto columns = static_cast<std::uint64_t>(width), index = std::uint64_t{findings.expected} >> 32;
  return WrongTable{findings.count, static_cast<int>(index % columns), static_cast<int>(index / columns),
                    static_cast<std::uint32_t>(findings.expected), static_cast<std::uint32_t>(findings.found)};
}

std::string text(const WrongTable& wrong) {
  return "wrong at (" + std::to_string(wrong.x) + ", " + std::to_string(wrong.y) + "): " + std::to_string(wrong.found) +
         " instead of " + std::to_string(wrong.expected) + "; the four-point identity fails in " +
         std::to_string(wrong.count) + (wrong.count == 1 ? " place" : " places");
}

TableFindings* check_table(Context& context, ImageView<const std::uint8_t> image, ImageView<const std::uint32_t> table) {
  check_views(context, "check_table", {{"the image", image}, {"its table", table}});
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();  // TableFindings has 32 bits for the place
  if (image.size().pixels() > most)
    throw std::invalid_argument("check_table: takes images of at most " + std::to_string(most) + " pixels, not " +
                                std::to_string(image.size().pixels()));
  auto* const findings = context.scratch<TableFindings>(1);
  const Context::ScratchScope scope(context);
  context.group(
      "check",
      [&] {
        (context.driver() ? context.driver()->check_table : detail::check_of_this_build)(context, image, table, findings);
      },
      SpanTiming::whole);
  return findings;
}

}  // namespace gpu
