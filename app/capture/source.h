// Source: where pictures come from. One file is one kind; source.cpp has the table of them, in the order in which they are
// asked whether a name is theirs. Everything here happens on the capture thread, and may block there.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/capture/capture.h"
#include "app/capture/frame.h"

namespace app::capture {

// Words that name a source, alone or before a size ("synthetic:640x480"); all others are files, cameras and URLs.
inline constexpr std::string_view synthetic_word = "synthetic", matrix_word = "matrix";
inline constexpr std::string_view source_words[] = {synthetic_word, matrix_word};

// All cameras are one device: two at once may be more than their bus can carry.
inline constexpr const char* camera_device = "camera";

// A source cannot be opened, read or used as requested. what() is one line: the cause, then the next step.
class SourceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a source knows of itself once it is open. `description` is what the user reads, without the name's folder.
struct SourceInfo {
  SourceKind kind = SourceKind::unknown;
  std::string description{};
  std::string message{};  // a note although it plays ("cannot do 60/s"); usually empty
  std::string
      warning{};      // what the user asked for and did not get, or what was wrong with what was read so far; usually empty
  gpu::Size size{};   // {0,0} where only the first picture tells
  double fps = 0;     // 0: it has no rate of its own, or does not know it
  double length = 0;  // seconds; 0: unknown or endless
  bool live = false;  // a camera or stream sets the pace: it cannot be paused, and the latest picture wins
  bool gray = false;  // a still picture of one channel
  std::string no_seek = "this source cannot seek";  // why seek() cannot be called; empty: it can
  std::string name{};                               // the description's first part, "clip.mp4": without size and rate
  std::string device{};                             // that it has claimed (Opening::claim); empty: none
};

class Source {
 public:
  enum class Read {
    frame,    // one picture was written
    still,    // one picture was written, and it is the only one there will be
    waiting,  // none came within about a second. Asked again
    lost,     // the same, and the device is gone for now; info().message says why. Asked again if the request allows it
    end       // there are no more
  };
  virtual ~Source() = default;

  // Writes the next picture: pixels and size (Frame::resize), or size and values of 16 bits (store() in convert.h), of which
  // whoever reads it makes the pixels; and position in seconds. Returns within about a second of
  // a request to stop where the library below allows it. Throws SourceError where the source died.
  virtual Read read(Frame& frame, std::stop_token stop) = 0;
  // Starts again at the first picture. Called after Read::end only.
  virtual void rewind() {}
  // The next read() gives the picture that is shown at `seconds`; beyond the end, the last one. These two only where
  // info().no_seek is empty; exact to the picture. `stop`: gives up.
  virtual void seek(double seconds, std::stop_token stop) { (void)seconds, (void)stop; }
  // The next read() gives the picture `count` places before the one at `position`, or else the first one.
  virtual void step_back(double position, int count, std::stop_token stop) { (void)position, (void)count, (void)stop; }
  virtual SourceInfo info() const = 0;
};

// What a source gets while it is opened.
struct Opening {
  std::stop_token stop;
  std::function<void(std::string)> say;  // one line of progress: "trying camera 0 (HD Webcam)"
  // For a source that only one can have open at a time, before it opens it: the source before is closed where it has
  // `device`. The source keeps the result until it has closed the device.
  std::function<Devices::Hold(const std::string& device)> claim = [](const std::string&) { return Devices::Hold(); };
};

// The SourceFactory of the program: the first kind in the table that owns the name. An empty name is the first camera
// that delivers a frame within 2 seconds, else the bundled clip.
std::unique_ptr<Source> open_source(const Request& request, const Opening& opening);

// The file on this machine that open_source() reads where `source` is its name; need not exist. Empty: it reads none. An
// empty name may be that of the bundled clip.
std::filesystem::path source_file(const std::string& source);

// For the table: whether `request` names a source of the kind, and one that is open.
bool owns_synthetic(const Request& request);
std::unique_ptr<Source> open_synthetic(const Request& request, const Opening& opening);
bool owns_matrix(const Request& request);
std::unique_ptr<Source> open_matrix(const Request& request, const Opening& opening);
bool owns_camera(const Request& request);
std::unique_ptr<Source> open_camera(const Request& request, const Opening& opening);
bool owns_image(const Request& request);
std::unique_ptr<Source> open_image(const Request& request, const Opening& opening);
bool owns_video(const Request& request);
std::unique_ptr<Source> open_video(const Request& request, const Opening& opening);

// Throws SourceError for a picture that has no pixels, or a side above `largest_side` (0: any); `name` is whose.
void check_size(gpu::Size size, const std::string& name, int largest_side = maximum_side);

// The budget: how many bytes reading a picture may take, whatever it says of itself, where Request::memory names no other number.
// A quarter of the machine's memory.
std::uint64_t usual_memory();
// Throws SourceError where reading `name`, which is `what` ("30000x30000, 16-bit"), needs more than the budget: `memory`, or the
// usual one.
void check_memory(double needed, std::uint64_t memory, const std::string& name, const std::string& what);
// The same for the frames of a video, camera or scene, of which three are kept at a time; more (of a live source that is recorded)
// only as far as the budget goes.
// `values`: bytes per pixel of the values of 16 bits that each of them has besides.
void check_frames(gpu::Size size, std::uint64_t memory, const std::string& name, int values = 0);

}  // namespace app::capture
