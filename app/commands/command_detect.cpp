// satscope detect: what a cascade finds in images and in every frame of videos.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>

#include "app/capture/convert.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/commands/commands.h"
#include "app/control/settings_file.h"
#include "app/output/detection_text.h"
#include "app/pipeline/frame_stage.h"
#include "app/support/console.h"
#include "app/support/files.h"
#include "app/support/interrupt.h"
#include "app/support/machine.h"
#include "app/support/simulated_gpu.h"
#include "app/support/text.h"
#include "app/support/threads.h"
#include "gpu/vision/cascade_files.h"
#include "gpu/vision/detector.h"

namespace app {
namespace {

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point start) { return std::chrono::duration<double, std::micro>(Clock::now() - start).count(); }

// Searches pictures of any size, one after another, on one device.
class Searcher {
 public:
  Searcher(gpu::vision::Cascade cascade, const Options& options, gpu::Device device)
      : cascade_(std::move(cascade)),
        options_(options.detector),
        raw_(options.raw),
        work_(device, nullptr),
        gray_(device, nullptr) {
    if (raw_) options_.min_neighbors = 0;  // then grouping takes no time
  }

  // Sets the detections, the device, and the times of gray picture and detection.
  void search(const capture::Frame& frame, SearchedPicture& picture) {
    auto context = work_.untimed();
    auto start = Clock::now();
    if (work_.device() != gpu::Device::cuda)
      require_memory(static_cast<double>(gray_.new_bytes(frame.size)), "searching " + text_of(frame.size) + " pixels",
                     "choose a smaller picture");
    gray_.prepare(frame.size);
    gray_.make_gray(context, gray_.upload(context, frame));
    if (work_.device() == gpu::Device::cuda) gpu::check(cudaStreamSynchronize(context.stream()));
    picture.gray_us = us_since(start);
    start = Clock::now();
    if (!detector_ || detector_->frame() != frame.size) detector_.emplace(cascade_, options_, frame.size);
    detector_->run(context, gray_.next_gray());
    picture.detection_us = us_since(start);
    picture.device = gpu::name(work_.device());
    const auto found = detector_->detections();
    picture.detections.assign(found.begin(), found.end());
    if (!raw_) return;
    picture.detections.clear();
    for (const auto& [x, y, width, height] : detector_->hits()) picture.detections.push_back({x, y, width, height, 1});
  }

 private:
  gpu::vision::Cascade cascade_;
  gpu::vision::DetectorOptions options_;
  bool raw_;
  DeviceContext work_;
  FrameStage gray_;
  std::optional<gpu::vision::Detector> detector_;
};

DetectionForm form_of(const Options& options) {
  if (options.output.ends_with(".csv")) return DetectionForm::csv;
  if (options.output.ends_with(".json")) return DetectionForm::json;
  return options.json || options.output.ends_with(".jsonl") ? DetectionForm::lines : DetectionForm::table;
}

// Where the rows go, as they come: the standard output, or a file, which stays what it is until the first row. What follows the
// last one is in the file from then on, and the next one takes its place: the file is whole whatever ends the run. A pipe gets it
// at the end.
class DetectionRows {
 public:
  explicit DetectionRows(const Options& options) : path_(options.output), text_(form_of(options), options.sources) {}
  ~DetectionRows() {
    int ignored = 0;
    if (file_ < 0) return;
    if (!seekable_) write_bytes(file_, end_, ignored);  // of a run that failed
    ::close(file_);
  }
  DetectionRows(const DetectionRows&) = delete;
  DetectionRows& operator=(const DetectionRows&) = delete;

  // False: nobody takes them any more.
  bool add(const SearchedPicture& picture) {
    const auto rows = text_.add(picture);
    if (path_.empty()) return print(rows, true);
    if (file_ < 0) open();
    if (const int error = put(rows, text_.end())) {
      put({}, end_);  // there was room for it
      (void)!::ftruncate(file_, size_ + static_cast<off_t>(end_.size()));
      fail(error);
    }
    size_ += static_cast<off_t>(rows.size());
    end_ = text_.end();
    return true;
  }
  void finish() {
    if (file_ < 0) return;
    if (int error = 0; !seekable_ && write_bytes(file_, end_, error) < end_.size()) fail(error);
    end_.clear();
    check_place(file_, path_);
  }

 private:
  void open() {
    file_ = open_to_write(path_);
    seekable_ = ::lseek(file_, 0, SEEK_CUR) >= 0;
  }
  // Behind the whole rows; returns 0 or errno.
  int put(const std::string& rows, const std::string& end) {
    const auto text = seekable_ ? rows + end : rows;
    int error = 0;
    if (seekable_) ::lseek(file_, size_, SEEK_SET);
    return write_bytes(file_, text, error) < text.size() ? error : 0;
  }
  [[noreturn]] void fail(int error) {
    end_.clear();  // a pipe that took no rows does not take it
    throw std::runtime_error("cannot write " + path_.string() + ": " + why_not_written(error));
  }

  std::filesystem::path path_;
  DetectionText text_;
  int file_ = -1;
  bool seekable_ = false;
  off_t size_ = 0;                 // of whole rows
  std::string end_ = text_.end();  // behind them
};

// A progress bar, if stderr is a terminal on which no rows appear: of the frames of a single source, else of the sources.
class SearchBar {
 public:
  explicit SearchBar(const Options& options)
      : sources_(options.sources.size()),
        watched_(::isatty(STDERR_FILENO) == 1 && (!options.output.empty() || ::isatty(STDOUT_FILENO) != 1)) {}
  ~SearchBar() { progress_.erase(); }
  void show(std::size_t source, const SearchedPicture& picture, const capture::SourceInfo& info) {
    if (!watched_) return;
    if (sources_ == 1)
      return progress_.show(picture.frame + 1, static_cast<std::uint64_t>(std::lround(info.length * info.fps)));
    progress_.show(source, sources_, info.name + ", " + counted(picture.frame + 1, "frame"));
  }
  void erase() { progress_.erase(); }

 private:
  std::size_t sources_;
  bool watched_;
  Progress progress_{console(), sources_ == 1 ? "frame" : "source"};
};

// One run over all sources.
class Search {
 public:
  Search(const Options& options, gpu::vision::Cascade cascade, gpu::Device device)
      : options_(options),
        device_(device),
        values_(shown_values(options)),
        searcher_(std::move(cascade), options, device),
        rows_(options),
        bar_(options) {}

  ExitCode run() {
    auto code = ExitCode::ok;
    bool complete = true;
    for (std::size_t i = 0; i < options_.sources.size() && complete; ++i) try {
        complete = search(i);
      } catch (const capture::SourceError& error) {  // the other sources may be better
        if (stop_.stop_requested()) {
          complete = false;
          break;
        }
        bar_.erase();
        code = report_failure(error);
      }
    rows_.finish();
    if (complete || !interrupted()) return code;
    bar_.erase();
    tell("interrupted; " + counted(pictures_, "picture") + " searched");
    return ExitCode::failed;
  }

 private:
  // Returns whether it came to the source's end.
  bool search(std::size_t number) {
    using Read = capture::Source::Read;
    capture::Request request;
    request.source = options_.sources[number];
    request.no_camera = true;
    request.page_locked = device_ == gpu::Device::cuda;
    request.memory = picture_memory(options_);
    request.largest_side = 0;
    auto start = Clock::now();
    const auto source = capture::open_source(request, {stop_.get_token(), [](const std::string&) {}});
    capture::Frame frame;
    capture::ShownValues shown;
    SearchedPicture picture;
    picture.source = request.source;
    for (auto read = Read::frame; read != Read::still && (read = source->read(frame, stop_.get_token())) != Read::end;) {
      if (interrupted()) return false;
      if (read == Read::waiting) continue;
      if (read == Read::lost) throw capture::SourceError(source->info().message);
      shown.show(frame, values_, request.page_locked);
      picture.read_us = us_since(start);
      if (!compute(frame, picture)) return false;
      bar_.show(number, picture, source->info());
      ++pictures_;
      if (!rows_.add(picture)) return false;
      ++picture.frame;
      start = Clock::now();
    }
    if (picture.frame == 0)
      throw capture::SourceError(capture::describe_source(request) + " holds no picture that can be decoded; " +
                                 capture::instead_of(request));
    if (const auto warning = source->info().warning; !warning.empty()) {
      bar_.erase();
      tell(warning);
    }
    return true;
  }

  // False: a signal ended it before it was done. On the CPU, where that cannot be, the user learns what is waited for.
  bool compute(const capture::Frame& frame, SearchedPicture& picture) {
    using namespace std::chrono_literals;
    if (device_ == gpu::Device::cuda) return searcher_.search(frame, picture), true;
    worker_.begin([&] { searcher_.search(frame, picture); });
    while (!worker_.wait(100ms) && !interrupted()) continue;
    if (worker_.wait(0ms)) return true;
    bar_.erase();
    if (device_ == gpu::Device::host) {
      tell_of_wait("finishing the picture that is being computed");
      while (!worker_.wait(1s)) continue;
      return true;
    }
    const auto stop = simulated_gpu().stop;
    stop(true);
    try {
      while (!worker_.wait(1s)) continue;
    } catch (const std::exception&) {  // that it was stopped
    }
    stop(false);
    return false;
  }

  const Options& options_;
  gpu::Device device_;
  std::optional<capture::ValueWindow> values_;
  Searcher searcher_;
  DetectionRows rows_;
  SearchBar bar_;
  std::uint64_t pictures_ = 0;
  std::stop_source stop_;  // of a source that is being opened or read, requested by Ctrl-C
  std::jthread interrupt_{[this](const std::stop_token& ended) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any end;  // wakes at once where the search has ended; nobody else notifies it
    while (!ended.stop_requested() && !interrupted()) end.wait_for(lock, ended, std::chrono::milliseconds(50), interrupted);
    if (interrupted()) stop_.request_stop();
  }};
  TaskThread worker_;  // last: it uses the searcher
};

void check_sources(const Options& options, const std::filesystem::path& cascade) {
  for (const auto& name : options.sources) {
    const capture::Request request{name};
    if (capture::owns_synthetic(request) || capture::owns_matrix(request) || capture::owns_camera(request))
      refuse(capture::describe_source(request) + " is neither an image nor a video: name files, or URLs of streams");
    if (!options.output.empty()) check_result(options.output, capture::source_file(name));
  }
  if (!options.output.empty()) check_kept(options.output, std::span(&cascade, cascade.empty() ? 0 : 1));
}

}  // namespace

ExitCode run_detect(const Options& options) {
  check_sources(options, gpu::vision::cascade_path(options.cascade));
  auto cascade = gpu::vision::find_cascade(options.cascade);
  const auto device = selection_of_command(options).selection.device;
  Search search(options, std::move(cascade), device);
  if (!options.output.empty()) outlive_readers();
  watch_interrupts();
  const auto wait = tell_if_simulation_is_long(device);
  return search.run();
}

}  // namespace app
