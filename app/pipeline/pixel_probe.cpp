#include "app/pipeline/pixel_probe.h"

#include <algorithm>
#include <cstring>
#include <deque>

#include "gpu/memory.h"
#include "gpu/readback.h"

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

void PixelProbe::update(gpu::Context& context, const Picture& picture, std::uint64_t number,
                        const gpu::PixelPlaces& wanted) {
  if (picture.sat.empty()) return clear();  // it was made without a table
  const auto places = inside(wanted, picture.size());
  const auto images = [&] { return gpu::PixelImages{picture.sat, picture.pixels, picture.gray}; };
  if (context.device() != gpu::Device::cuda) {  // the context may be in use by another thread: it is not needed here
    on_gpu_.reset();
    arrived_ = {picture.size(), places, {}};
    const auto here = images();
    for (int i = 0; i < places.count(); ++i) arrived_.values.push_back(here.values(places.at(i)));
    return;
  }
  if (on_gpu_) take_arrived();
  if (places.count() == 0) {
    arrived_ = {};
    asked_ = {};
    return;
  }
  if (places == asked_ && number == asked_number_ && picture.sat.data == asked_of_) return;
  if (!on_gpu_) on_gpu_ = std::make_unique<OnGpu>();
  if (on_gpu_->under_way.size() >= most_under_way || !picture.pixels.ready()) return;
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

}  // namespace app
