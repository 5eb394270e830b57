#include "app/pipeline/pixel_probe.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>

#include "app/pipeline/pipeline.h"
#include "app/support/text.h"
#include "gpu/cuda/memory.h"
#include "gpu/execution/readback.h"

namespace app {
namespace {

constexpr std::size_t most_under_way = 2;

// The part of the places that lies in the picture.
gpu::PixelPlaces inside(const gpu::PixelPlaces& wanted, gpu::Size size) {
  gpu::PixelPlaces places;
  const int right = std::min(wanted.x + wanted.width, size.width), bottom = std::min(wanted.y + wanted.height, size.height);
  places.x = std::max(wanted.x, 0);
  places.y = std::max(wanted.y, 0);
  places.width = std::max(right - places.x, 0);
  places.height = std::max(bottom - places.y, 0);
  if (places.cells() == 0 || places.cells() > gpu::PixelPlaces::most_cells) places = {};
  for (int i = 0; i < wanted.points; ++i) {
    const auto [x, y] = wanted.point[i];
    if (x >= 0 && y >= 0 && x < size.width && y < size.height) places.add(x, y);
  }
  return places;
}

// One read-back.
struct Flight {
  Flight()
      : there(gpu::PixelPlaces::most, gpu::Device::cuda),
        readback(gpu::Device::cuda, gpu::PixelPlaces::most * sizeof(gpu::PixelValues)) {}

  gpu::Buffer<gpu::PixelValues> there;
  gpu::Readback readback;  // after the memory that it reads: it waits at its end
  gpu::Size picture;
  gpu::PixelPlaces places;
};

}  // namespace

struct PixelProbe::OnGpu {
  std::deque<std::unique_ptr<Flight>> under_way;  // oldest first
  std::vector<std::unique_ptr<Flight>> spare;
};

PixelProbe::PixelProbe() = default;
PixelProbe::~PixelProbe() = default;

const gpu::PixelValues* ProbedPixels::at(int x, int y) const {
  if (values.empty()) return nullptr;
  const auto& p = places;
  if (x >= p.x && y >= p.y && x < p.x + p.width && y < p.y + p.height)
    return &values[static_cast<std::size_t>((y - p.y) * p.width + x - p.x)];
  for (int i = 0; i < p.points; ++i)
    if (p.point[i] == gpu::PixelPlaces::Point{x, y}) return &values[static_cast<std::size_t>(p.cells() + i)];
  return nullptr;
}

void PixelProbe::clear() {
  arrived_ = {};
  asked_ = {};
  asked_of_ = nullptr;
  on_gpu_.reset();
}

bool PixelProbe::update(Pipeline& pipeline, std::uint64_t number, const gpu::PixelPlaces& wanted) {
  auto picture = pipeline.picture();
  if (picture.sat.empty()) {  // it was made without a table
    clear();
    return false;
  }
  const auto places = inside(wanted, picture.size());
  const auto images = [&] { return gpu::PixelImages{picture.sat, picture.pixels, picture.gray}; };
  if (pipeline.device() !=
      gpu::Device::cuda) {  // the pipeline may be in use by another thread: no more of it is needed here
    on_gpu_.reset();
    arrived_ = {picture.size(), places, {}};
    const auto here = images();
    for (int i = 0; i < places.count(); ++i) arrived_.values.push_back(here.values(places.at(i)));
    return false;
  }
  if (on_gpu_) take_arrived();
  if (places.count() == 0) {
    arrived_ = {};
    asked_ = {};
    return false;
  }
  if (places == asked_ && number == asked_number_ && picture.sat.data == asked_of_) return true;
  if (!on_gpu_) on_gpu_ = std::make_unique<OnGpu>();
  if (on_gpu_->under_way.size() >= most_under_way || !pipeline.draw_pixels()) return true;
  picture = pipeline.picture();
  auto& context = pipeline.context();
  std::unique_ptr<Flight> flight;
  if (!on_gpu_->spare.empty()) {
    flight = std::move(on_gpu_->spare.back());
    on_gpu_->spare.pop_back();
  } else {
    flight = std::make_unique<Flight>();
  }
  flight->picture = picture.size();
  flight->places = places;
  gpu::gather_pixels(context, images(), places, flight->there.data());
  flight->readback.queue(context, "probe", flight->there.data(),
                         static_cast<std::size_t>(places.count()) * sizeof(gpu::PixelValues));
  on_gpu_->under_way.push_back(std::move(flight));
  asked_ = places;
  asked_number_ = number;
  asked_of_ = picture.sat.data;
  return true;
}

void PixelProbe::wait() {
  if (!on_gpu_) return;
  for (const auto& flight : on_gpu_->under_way) flight->readback.wait();
  take_arrived();
}

void PixelProbe::take_arrived() {
  auto& flights = on_gpu_->under_way;
  for (; !flights.empty() && flights.front()->readback.arrived(); flights.pop_front()) {
    const auto& flight = *flights.front();
    arrived_ = {flight.picture, flight.places, {}};
    arrived_.values.resize(static_cast<std::size_t>(flight.places.count()));
    std::memcpy(arrived_.values.data(), flight.readback.bytes().data(), flight.readback.bytes().size());
    on_gpu_->spare.push_back(std::move(flights.front()));
  }
}

namespace {

constexpr std::int64_t modulus = std::int64_t{1} << 32;
constexpr std::int64_t most_gray = 255, most_in_strip = (modulus - 1) / most_gray;  // pixels

std::string whole(std::int64_t value) {
  return (value < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(value < 0 ? -value : value));
}

// Sums grow to the right and downwards, so that an entry below its neighbour's has wrapped around, and so has every one that
// contains it. As no sum of pixels is negative, neither is D - B - C + A unless D has. These are known to have; others may.
std::string wrapped_letters(const RectangleSum& sum) {
  const auto entry = [&](int i) { return *sum.corners[static_cast<std::size_t>(i)].entry; };
  const bool b = entry(1) < entry(0), c = entry(2) < entry(0);
  const bool d = b || c || sum.plain < 0 || static_cast<std::int64_t>(sum.sum) >= modulus || entry(3) < entry(1) ||
                 entry(3) < entry(2);
  std::string letters;
  const auto note = [&](bool wrapped, char letter) {
    if (wrapped) letters += (letters.empty() ? "" : ", ") + std::string(1, letter);
  };
  note(b, 'B');
  note(c, 'C');
  note(d, 'D');
  return letters;
}

// What makes of the plain number the sum, as "+ 2 x 2^32" in digits.
std::string moduli_added(const RectangleSum& sum) {
  const auto times = (static_cast<std::int64_t>(sum.sum) - sum.plain) / modulus;
  const auto often = std::abs(times);
  return (times < 0 ? "- " : "+ ") + (often > 1 ? std::to_string(often) + " x " : "") + grouped(modulus);
}

std::string outside_letters(const RectangleSum& sum) {
  std::string letters;
  for (const auto& corner : sum.corners)
    if (corner.outside()) letters += (letters.empty() ? "" : ", ") + std::string(1, corner.letter);
  return letters;
}

// As high as their sums are below 2^32 whatever is in them, from the top.
std::vector<PixelBox> strips_of(const PixelBox& box) {
  const int most = static_cast<int>(std::clamp(most_in_strip / box.width, std::int64_t{1}, std::int64_t{box.height}));
  std::vector<PixelBox> strips;
  for (int y = 0; y < box.height; y += most) strips.push_back({box.x, box.y + y, box.width, std::min(most, box.height - y)});
  return strips;
}

// What the pixels say of the corners. False: some are not known yet.
bool take_entries(std::array<RectangleCorner, 4>& corners, const ProbedPixels& pixels) {
  for (auto& corner : corners)
    if (corner.outside())
      corner.entry = 0;
    else if (const auto* values = pixels.at(corner.x, corner.y))
      corner.entry = values->sum;
  return std::ranges::all_of(corners, [](const RectangleCorner& corner) { return corner.entry.has_value(); });
}

std::int64_t worked_out(const std::array<RectangleCorner, 4>& c) {
  return std::int64_t{*c[3].entry} - *c[1].entry - *c[2].entry + *c[0].entry;
}

}  // namespace

std::optional<PixelBox> inside_picture(const PixelBox& box, gpu::Size picture) {
  const int left = std::max(box.x, 0), top = std::max(box.y, 0);
  const int right = std::min(box.x + box.width, picture.width), bottom = std::min(box.y + box.height, picture.height);
  if (left >= right || top >= bottom) return {};
  return PixelBox{left, top, right - left, bottom - top};
}

std::array<RectangleCorner, 4> corners_of(const PixelBox& box) {
  const int right = box.x + box.width - 1, bottom = box.y + box.height - 1;
  return {{{'A', box.x - 1, box.y - 1}, {'B', right, box.y - 1}, {'C', box.x - 1, bottom}, {'D', right, bottom}}};
}

void ask_for_corners(const PixelBox& box, gpu::PixelPlaces& places) {
  const auto ask = [&](const RectangleCorner& corner) {
    if (!corner.outside()) places.add(corner.x, corner.y);
  };
  std::ranges::for_each(corners_of(box), ask);
  auto strips = strips_of(box);
  strips.pop_back();  // it ends where the box does
  for (const auto& strip : strips) {
    const auto corners = corners_of(strip);
    ask(corners[2]), ask(corners[3]);
  }
}

std::optional<RectangleSum> rectangle_sum(const PixelBox& box, gpu::Size picture, const ProbedPixels& pixels) {
  const auto part = inside_picture(box, picture);
  if (!part) return {};
  RectangleSum sum{.box = *part, .clipped = *part != box, .corners = corners_of(*part)};
  if (!take_entries(sum.corners, pixels)) return sum;
  std::uint64_t whole = 0;
  for (const auto& strip : strips_of(*part)) {
    auto corners = corners_of(strip);
    if (!take_entries(corners, pixels)) return sum;
    whole += static_cast<std::uint32_t>(worked_out(corners));
  }
  sum.known = true;
  sum.plain = worked_out(sum.corners);
  sum.sum = whole;
  sum.mean = static_cast<double>(sum.sum) / (static_cast<double>(part->width) * part->height);
  return sum;
}

std::vector<FormulaPart> formula_parts(const std::array<RectangleCorner, 4>& corners, bool values, bool ascii) {
  std::vector<FormulaPart> parts;
  for (const std::size_t i : {3u, 1u, 2u, 0u}) {
    const auto& corner = corners[i];
    if (!parts.empty()) parts.push_back({corner.is_added() ? " + " : ascii ? " - " : " \u2212 "});
    const auto entry = corner.entry.value_or(0);
    const auto value = !corner.entry ? "" : ascii ? std::to_string(entry) : grouped(entry);
    parts.push_back({values ? value : std::string(1, corner.letter), corner.letter});
  }
  return parts;
}

std::vector<std::string> text_of(const RectangleSum& sum, bool flat) {
  const auto& box = sum.box;
  std::vector<std::string> lines{std::to_string(box.width) + " x " + std::to_string(box.height) + " at (" +
                                 std::to_string(box.x) + ", " + std::to_string(box.y) + ")" +
                                 (sum.of_original ? " of the original" : "") + (sum.clipped ? ", the rest is outside" : "")};
  if (!sum.known) return lines;
  const auto entry = [&](std::size_t i) { return grouped(*sum.corners[i].entry); };
  const auto pixels = static_cast<std::uint64_t>(std::int64_t{box.width} * box.height);
  const auto mean_text = "mean " + number(sum.mean, 2) + " of " + counted(pixels, "pixel");
  std::vector<std::string> steps{"D - B - C + A", "= " + entry(3) + " - " + entry(1) + " - " + entry(2) + " + " + entry(0),
                                 "= " + whole(sum.plain)};
  if (sum.wraps()) steps.push_back("= " + whole(static_cast<std::int64_t>(sum.sum)) + "  modulo 2^32: " + moduli_added(sum));
  if (flat) {
    lines[0] += ", " + mean_text;
    for (std::size_t i = 1; i < steps.size(); ++i) steps[0] += " " + steps[i];
    steps.resize(1);
  }
  lines.insert(lines.end(), steps.begin(), steps.end());
  if (!flat) lines.push_back(mean_text);
  if (const auto wrapped = wrapped_letters(sum); !wrapped.empty())
    lines.push_back("at least " + wrapped + " wrapped around: table entries are modulo 2^32");
  if (const auto outside = outside_letters(sum); !outside.empty())
    lines.push_back(outside + (outside.size() == 1 ? " is outside and counts as 0" : " are outside and count as 0"));
  return lines;
}

std::string cell_name(const char* grid, int x, int y) {
  return std::string(grid) + '(' + std::to_string(x) + ", " + std::to_string(y) + ')';
}

std::string text_of_addition(const ProbedPixels& pixels, int x, int y) {
  const auto entry = [&](int column, int row) -> std::uint32_t {
    const auto* pixel = pixels.at(column, row);
    return pixel ? pixel->sum : 0;
  };
  const auto* here = pixels.at(x, y);
  if (!here) return {};
  return cell_name("table", x, y) + " = " + std::to_string(here->gray) + " + " + grouped(entry(x - 1, y)) + " + " +
         grouped(entry(x, y - 1)) + " - " + grouped(entry(x - 1, y - 1)) + " = " + grouped(here->sum) +
         "   pixel + left + above - above left;  the sum of " +
         counted(static_cast<std::uint64_t>((x + 1) * (y + 1)), "pixel");
}

}  // namespace app
