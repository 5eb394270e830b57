#include "gpu/pictures/box_sums.h"

#include <stdexcept>
#include <string>

#include "gpu/execution/driver.h"
#include "gpu/pictures/check_views.h"

namespace gpu {

void sum_boxes(Context& context, const AnyConstImageView& table, bool padded, const Boxes& boxes, const AnyImageView& sums) {
  const auto refuse = [](const std::string& why) { throw std::invalid_argument("sum_boxes: " + why); };
  if (stored(table.type) != table.type || size_of(table.type) < 4) refuse("no table has sums of 8 or 16 bits");
  if (sums.type != table.type) refuse("the sums and the table have different types");
  if (sums.width != 1 || sums.height != boxes.count)
    refuse(std::to_string(boxes.count) + " boxes, and memory for " + std::to_string(sums.height) + " sums");
  const ViewArgument read("the table", table), written("the sums", sums, ViewArgument::written);
  const auto list = boxes.wide ? ViewArgument("the list of boxes", boxes.as<std::int64_t>())
                               : ViewArgument("the list of boxes", boxes.as<std::int32_t>());
  check_views(context, "sum_boxes", {read});
  if (padded && (table.width < 2 || table.height < 2)) refuse("a padded table has at least two columns and rows");
  if (boxes.count == 0) return;
  check_views(context, "sum_boxes", {list});
  check_views(context, "sum_boxes", {written});
  if (!context.is_dry() && (overlap(read, written) || overlap(list, written)))
    refuse("the sums overlap the table or the list of boxes");
  (context.driver() ? context.driver()->sum_boxes : detail::sum_boxes_of_this_build)(context, table, padded, boxes, sums);
}

}  // namespace gpu
