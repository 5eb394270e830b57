#include "app/ui/trace_text.h"

#include "app/support/size_text.h"
#include "app/ui/widgets.h"

namespace app::ui {

std::string depths_text(const gpu::LookBackDepths& depths) {
  std::string all;
  const auto add = [&](int tiles, const char* direction) {
    if (tiles > 0) all += (all.empty() ? "" : ", ") + std::to_string(tiles) + ' ' + direction;
  };
  add(depths.left, "left");
  add(depths.up, "up");
  add(depths.diagonal, "diagonal");
  return all;
}

std::string tile_text(const TileHistory& history, const gpu::TileRecord& record) {
  const auto& pass = history.pass_of(record);
  const auto number = history.number_of(record), place = number - pass.first;
  const auto columns = static_cast<std::size_t>(pass.columns);
  const auto us = [](std::uint64_t nanoseconds) { return microseconds(static_cast<double>(nanoseconds) / 1000); };
  const auto depths = depths_text(record.look_back);
  return pass.name + ", tile row " + std::to_string(place / columns) + ", column " + std::to_string(place % columns) +
         "\nlaunch " + std::to_string(record.launch) + ", number " + std::to_string(history.serials[number]) + ", " +
         (history.device == gpu::Device::simulated ? "resident block " : "SM ") + std::to_string(record.multiprocessor) +
         "\nstarted " + us(record.started) + ", carries " + us(record.carried) + ", finished " + us(record.finished) +
         " µs" + (depths.empty() ? "" : "\nlooked back " + depths);
}

std::string earlier_words(const TileHistory& history, gpu::Size shown, const gpu::SatAlgorithm* algorithm) {
  if (history.image != shown) return "of a picture of " + text_of(history.image);
  return algorithm && history.algorithm != algorithm->name ? "of an earlier algorithm" : "";
}

}  // namespace app::ui
