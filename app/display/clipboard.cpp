#include "app/display/clipboard.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "app/support/machine.h"
#include "app/support/threads.h"

namespace app {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Png = std::shared_ptr<const std::vector<unsigned char>>;

std::runtime_error cannot_copy(const std::string& why) { return std::runtime_error("cannot copy the picture: " + why); }

struct Released {
  void operator()(void* reply) const { std::free(reply); }
};
template <class Reply>
std::unique_ptr<Reply, Released> owned(Reply* reply) {
  return std::unique_ptr<Reply, Released>(reply);
}

constexpr std::size_t largest_at_once = 1 << 18;  // bytes of a property; more of them follow in parts
constexpr auto longest_silence = 10s;             // of a program that has begun to read parts
constexpr auto longest_answer = 5s;               // of the display, or of wl-copy
constexpr auto longest_saving = 3s;               // of a clipboard manager, at the end

// What is asked for, and the answers, in the words of the Inter-Client Communication Conventions.
struct Atoms {
  xcb_atom_t clipboard, manager, save_targets, targets, multiple, pair, timestamp, incr, png;
};

}  // namespace

// The owner of the selection CLIPBOARD, on a thread of its own. Xcb reports errors as events: a program that ends while it
// pastes costs nothing here.
class Clipboard::Owner {
 public:
  Owner() : connection_(xcb_connect(nullptr, &screen_)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    try {
      if (xcb_connection_has_error(connection_) != 0) throw cannot_copy("no X display answers");
      if (wake_ < 0) throw cannot_copy("the system has no more descriptors");
      intern();
      make_window();
      thread_ = start_thread([this](const std::stop_token& stop) { serve(stop); });
    } catch (...) {
      release();
      throw;
    }
  }
  ~Owner() {
    thread_.request_stop();
    wake();
    thread_.join();
    release();
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  bool works() const { return xcb_connection_has_error(connection_) == 0; }

  void offer(std::vector<unsigned char> png) {
    std::promise<bool> promise;
    auto is_owner = promise.get_future();
    {
      const std::lock_guard lock(mutex_);
      offered_ = Offer{std::make_shared<const std::vector<unsigned char>>(std::move(png)), std::move(promise)};
    }
    wake();
    if (is_owner.wait_for(longest_answer) != std::future_status::ready) throw cannot_copy("the X display does not answer");
    if (!is_owner.get()) throw cannot_copy("another program keeps the clipboard; try again");
  }

 private:
  struct Offer {
    Png png;
    std::promise<bool> is_owner;
  };
  // A picture that a program gets in parts.
  struct Transfer {
    xcb_window_t to;
    xcb_atom_t property;
    Png png;
    std::size_t done;
    Clock::time_point asked;
  };

  void release() {
    xcb_disconnect(connection_);
    if (wake_ >= 0) ::close(wake_);
  }
  void wake() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
  }

  // Else each wait() would return at once. Whoever takes one looks afterwards what it was for.
  void take_wake() const {
    std::uint64_t ignored = 0;
    [[maybe_unused]] const auto read = ::read(wake_, &ignored, sizeof ignored);
  }

  xcb_atom_t atom(std::string_view name) {
    const auto asked = xcb_intern_atom(connection_, 0, static_cast<std::uint16_t>(name.size()), name.data());
    const auto reply = owned(xcb_intern_atom_reply(connection_, asked, nullptr));
    return reply ? reply->atom : xcb_atom_t{XCB_ATOM_NONE};
  }
  void intern() {
    atoms_ = {atom("CLIPBOARD"), atom("CLIPBOARD_MANAGER"), atom("SAVE_TARGETS"), atom("TARGETS"),  atom("MULTIPLE"),
              atom("ATOM_PAIR"), atom("TIMESTAMP"),         atom("INCR"),         atom("image/png")};
  }

  // It is never shown; its properties tell the display's time.
  void make_window() {
    auto screens = xcb_setup_roots_iterator(xcb_get_setup(connection_));
    for (int i = 0; i < screen_; ++i) xcb_screen_next(&screens);
    window_ = xcb_generate_id(connection_);
    const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
    xcb_create_window(connection_, XCB_COPY_FROM_PARENT, window_, screens.data->root, -1, -1, 1, 1, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &events);
  }

  void serve(const std::stop_token& stop) {
    while (!stop.stop_requested() && works()) {
      take_offer();
      answer_events();
      wait(transfers_.empty() ? -1ms : 1000ms);
      take_wake();
      forget_silent_ones();
    }
    take_offer();  // of a display that is gone: nobody waits in vain
    if (works() && png_) save();
  }

  void wait(std::chrono::milliseconds time) {
    xcb_flush(connection_);
    pollfd on[] = {{xcb_get_file_descriptor(connection_), POLLIN, 0}, {wake_, POLLIN, 0}};
    ::poll(on, 2, static_cast<int>(time.count()));
  }

  void answer_events() {
    while (const auto event = owned(xcb_poll_for_event(connection_))) take(*event);
  }

  void take(const xcb_generic_event_t& event) {
    const void* const any = &event;
    switch (event.response_type & 0x7f) {
      case XCB_SELECTION_REQUEST: return answer(*static_cast<const xcb_selection_request_event_t*>(any));
      case XCB_SELECTION_CLEAR:
        if (static_cast<const xcb_selection_clear_event_t*>(any)->selection == atoms_.clipboard) png_ = nullptr;
        return;
      case XCB_SELECTION_NOTIFY:
        if (static_cast<const xcb_selection_notify_event_t*>(any)->selection == atoms_.manager) saved_ = true;
        return;
      case XCB_PROPERTY_NOTIFY: {
        const auto& changed = *static_cast<const xcb_property_notify_event_t*>(any);
        if (changed.window == window_) now_ = changed.time;
        if (changed.state == XCB_PROPERTY_DELETE) give_next_part(changed.window, changed.atom);
        return;
      }
      default: return;
    }
  }

  void take_offer() {
    auto offer = [this] {
      const std::lock_guard lock(mutex_);
      return std::exchange(offered_, {});
    }();
    if (!offer) return;
    const bool is_owner = become_owner();
    if (is_owner) png_ = std::move(offer->png);
    offer->is_owner.set_value(is_owner);
  }

  // The conventions want the display's time: that of a change of a property.
  bool become_owner() {
    now_ = XCB_CURRENT_TIME;
    xcb_change_property(connection_, XCB_PROP_MODE_APPEND, window_, atoms_.timestamp, XCB_ATOM_INTEGER, 32, 0, nullptr);
    for (const auto end = Clock::now() + longest_answer; now_ == XCB_CURRENT_TIME && works() && Clock::now() < end;) {
      wait(100ms);
      answer_events();
    }
    owned_since_ = now_;
    xcb_set_selection_owner(connection_, window_, atoms_.clipboard, now_);
    return owner_of(atoms_.clipboard) == window_;
  }

  xcb_window_t owner_of(xcb_atom_t selection) {
    const auto asked = xcb_get_selection_owner(connection_, selection);
    const auto reply = owned(xcb_get_selection_owner_reply(connection_, asked, nullptr));
    return reply ? reply->owner : xcb_window_t{XCB_WINDOW_NONE};
  }

  void answer(const xcb_selection_request_event_t& request) {
    xcb_selection_notify_event_t done{};
    done.response_type = XCB_SELECTION_NOTIFY;
    done.time = request.time;
    done.requestor = request.requestor;
    done.selection = request.selection;
    done.target = request.target;
    const auto property = request.property != XCB_ATOM_NONE ? request.property : request.target;  // of old programs
    if (request.selection == atoms_.clipboard && png_ && give(request.requestor, request.target, property))
      done.property = property;
    xcb_send_event(connection_, 0, request.requestor, XCB_EVENT_MASK_NO_EVENT, reinterpret_cast<const char*>(&done));
    xcb_flush(connection_);
  }

  // False: there is nothing of that kind.
  bool give(xcb_window_t to, xcb_atom_t target, xcb_atom_t property) {
    const auto put = [&](xcb_atom_t type, std::uint8_t bits, std::size_t count, const void* data) {
      xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, to, property, type, bits, static_cast<std::uint32_t>(count),
                          data);
      return true;
    };
    if (target == atoms_.targets) {
      const std::array kinds{atoms_.targets, atoms_.timestamp, atoms_.multiple, atoms_.png};
      return put(XCB_ATOM_ATOM, 32, kinds.size(), kinds.data());
    }
    if (target == atoms_.timestamp) return put(XCB_ATOM_INTEGER, 32, 1, &owned_since_);
    if (target == atoms_.multiple) return give_each(to, property);
    if (target != atoms_.png) return false;
    if (png_->size() <= largest_at_once) return put(atoms_.png, 8, png_->size(), png_->data());
    const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;  // that it deletes a part, to get the next one
    xcb_change_window_attributes(connection_, to, XCB_CW_EVENT_MASK, &events);
    std::erase_if(transfers_, [&](const Transfer& old) { return old.to == to && old.property == property; });
    transfers_.push_back({to, property, png_, 0, Clock::now()});
    const auto size = static_cast<std::uint32_t>(png_->size());
    return put(atoms_.incr, 32, 1, &size);
  }

  // Pairs of a kind and of the property to which it goes; what there is not becomes none.
  bool give_each(xcb_window_t to, xcb_atom_t property) {
    constexpr std::uint32_t most = 64;
    const auto asked = xcb_get_property(connection_, 0, to, property, XCB_GET_PROPERTY_TYPE_ANY, 0, most);
    const auto reply = owned(xcb_get_property_reply(connection_, asked, nullptr));
    if (!reply || reply->format != 32) return false;
    const auto* values = static_cast<const xcb_atom_t*>(xcb_get_property_value(reply.get()));
    std::vector<xcb_atom_t> pairs(values, values + reply->value_len / 2 * 2);
    for (std::size_t i = 0; i < pairs.size(); i += 2)
      if (pairs[i] == atoms_.multiple || !give(to, pairs[i], pairs[i + 1])) pairs[i] = XCB_ATOM_NONE;
    xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, to, property, atoms_.pair, 32,
                        static_cast<std::uint32_t>(pairs.size()), pairs.data());
    return true;
  }

  // An empty part is the end.
  void give_next_part(xcb_window_t to, xcb_atom_t property) {
    const auto at = std::ranges::find_if(transfers_,
                                         [&](const auto& each) { return each.to == to && each.property == property; });
    if (at == transfers_.end()) return;
    const auto part = std::span(*at->png).subspan(at->done, std::min(largest_at_once, at->png->size() - at->done));
    xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, to, property, atoms_.png, 8,
                        static_cast<std::uint32_t>(part.size()), part.data());
    xcb_flush(connection_);
    at->done += part.size();
    at->asked = Clock::now();
    if (!part.empty()) return;
    const std::uint32_t none = XCB_EVENT_MASK_NO_EVENT;
    transfers_.erase(at);
    if (std::ranges::find(transfers_, to, &Transfer::to) == transfers_.end())
      xcb_change_window_attributes(connection_, to, XCB_CW_EVENT_MASK, &none);
  }

  void forget_silent_ones() {
    std::erase_if(transfers_, [](const Transfer& each) { return Clock::now() - each.asked > longest_silence; });
  }

  // At the end: a clipboard manager takes the picture over, if one runs.
  void save() {
    if (owner_of(atoms_.manager) == XCB_WINDOW_NONE) return;
    xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, window_, atoms_.save_targets, XCB_ATOM_ATOM, 32, 1, &atoms_.png);
    xcb_convert_selection(connection_, window_, atoms_.manager, atoms_.save_targets, atoms_.save_targets, owned_since_);
    for (const auto end = Clock::now() + longest_saving; !saved_ && works() && Clock::now() < end;) {
      wait(100ms);
      take_wake();  // that of the end may come only now; nothing else does
      answer_events();
    }
  }

  int screen_ = 0;
  xcb_connection_t* connection_;
  int wake_;
  Atoms atoms_{};
  xcb_window_t window_ = XCB_WINDOW_NONE;
  std::mutex mutex_;
  std::optional<Offer> offered_;  // not taken yet
  // The thread's alone.
  Png png_;  // null: another program has the clipboard
  std::list<Transfer> transfers_;
  xcb_timestamp_t now_ = XCB_CURRENT_TIME, owned_since_ = XCB_CURRENT_TIME;
  bool saved_ = false;
  std::jthread thread_;
};

Clipboard::Clipboard() = default;
Clipboard::~Clipboard() = default;

namespace {

// It serves the picture itself, in a process of its own, also after this program's end.
void offer_to_wayland(std::span<const unsigned char> png) {
  if (!is_on_path("wl-copy")) throw cannot_copy("wl-copy is missing here; install wl-clipboard");
  const int file = ::memfd_create("picture", MFD_CLOEXEC);
  if (file < 0) throw cannot_copy("the system has no more descriptors");
  const bool written = ::write(file, png.data(), png.size()) == static_cast<ssize_t>(png.size()) &&
                       ::lseek(file, 0, SEEK_SET) == 0;
  const std::string words[] = {"wl-copy", "--type", "image/png"};
  const int status = written ? run_program(words, file, longest_answer) : -1;
  ::close(file);
  if (status == program_took_too_long) throw cannot_copy("wl-copy does not answer; try again");
  if (status != 0) throw cannot_copy("wl-copy failed");
}

}  // namespace

void Clipboard::offer(std::vector<unsigned char> png) {
  const std::lock_guard lock(mutex_);
  const bool x11 = !environment("DISPLAY").empty(), wayland = !environment("WAYLAND_DISPLAY").empty();
  if (!x11 && !wayland) throw cannot_copy("there is no desktop here");
  if (!x11) return offer_to_wayland(png);
  if (owner_ && !owner_->works()) owner_.reset();
  if (!owner_) owner_ = std::make_unique<Owner>();
  owner_->offer(std::move(png));
}

}  // namespace app
