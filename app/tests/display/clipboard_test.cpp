// What a second program gets when it pastes the picture, on a real display: see app/tests/CMakeLists.txt.
#include "app/display/clipboard.h"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>
#include <imgui.h>
#include <poll.h>
#include <xcb/xcb.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/display/render_target.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

using namespace std::chrono_literals;
using Bytes = std::vector<unsigned char>;

// Another program of the display.
class Client {
 public:
  explicit Client(bool reads_slowly = false) : reads_slowly_(reads_slowly) {
    const auto* screen = xcb_setup_roots_iterator(xcb_get_setup(connection_)).data;
    const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
    xcb_create_window(connection_, XCB_COPY_FROM_PARENT, window_, screen->root, 0, 0, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                      XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &events);
    flush();
  }
  ~Client() { xcb_disconnect(connection_); }

  xcb_atom_t atom(std::string_view name) {
    const auto asked = xcb_intern_atom(connection_, 0, static_cast<std::uint16_t>(name.size()), name.data());
    const std::unique_ptr<xcb_intern_atom_reply_t, decltype(&std::free)> reply(
        xcb_intern_atom_reply(connection_, asked, nullptr), &std::free);
    return reply ? reply->atom : xcb_atom_t{XCB_ATOM_NONE};
  }
  void ask(std::string_view kind, std::string_view selection = "CLIPBOARD") {
    xcb_delete_property(connection_, window_, atom("PASTED"));
    xcb_convert_selection(connection_, window_, atom(selection), atom(kind), atom("PASTED"), XCB_CURRENT_TIME);
    flush();
  }
  // The answer to ask(); empty: there is nothing of that kind.
  Bytes answer() {
    const auto done = await(XCB_SELECTION_NOTIFY);
    if (!done || reinterpret_cast<const xcb_selection_notify_event_t*>(done.get())->property == XCB_ATOM_NONE) return {};
    xcb_atom_t type = XCB_ATOM_NONE;
    auto bytes = take_property("PASTED", type);
    if (type != atom("INCR")) return bytes;
    for (Bytes all;;) {  // its deletion asks for the first part
      const auto part = next_part();
      if (part.empty()) return all;
      all.insert(all.end(), part.begin(), part.end());
      if (reads_slowly_) std::this_thread::sleep_for(5ms);
    }
  }
  Bytes paste(std::string_view kind = "image/png") {
    ask(kind);
    return answer();
  }
  void own(std::string_view selection) {
    xcb_set_selection_owner(connection_, window_, atom(selection), XCB_CURRENT_TIME);
    flush();
  }
  void flush() { xcb_flush(connection_); }

  using Event = std::unique_ptr<xcb_generic_event_t, decltype(&std::free)>;
  Event await(int type) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (std::chrono::steady_clock::now() < end) {
      while (auto* event = xcb_poll_for_event(connection_)) {
        Event owned(event, &std::free);
        if ((event->response_type & 0x7f) == type) return owned;
      }
      pollfd on{xcb_get_file_descriptor(connection_), POLLIN, 0};
      ::poll(&on, 1, 100);
    }
    return {nullptr, &std::free};
  }
  Bytes take_property(std::string_view name, xcb_atom_t& type) {
    const auto asked = xcb_get_property(connection_, 1, window_, atom(name), XCB_GET_PROPERTY_TYPE_ANY, 0, 1 << 24);
    const std::unique_ptr<xcb_get_property_reply_t, decltype(&std::free)> reply(
        xcb_get_property_reply(connection_, asked, nullptr), &std::free);
    if (!reply) return {};
    type = reply->type;
    const auto* bytes = static_cast<const unsigned char*>(xcb_get_property_value(reply.get()));
    return {bytes, bytes + xcb_get_property_value_length(reply.get())};
  }
  xcb_connection_t* connection() { return connection_; }
  xcb_window_t window() const { return window_; }

 private:
  Bytes next_part() {
    while (const auto event = await(XCB_PROPERTY_NOTIFY)) {
      const auto& changed = *reinterpret_cast<const xcb_property_notify_event_t*>(event.get());
      if (changed.state != XCB_PROPERTY_NEW_VALUE || changed.atom != atom("PASTED")) continue;
      xcb_atom_t type = XCB_ATOM_NONE;
      auto part = take_property("PASTED", type);
      if (type != XCB_ATOM_NONE) return part;
    }
    return {};
  }

  bool reads_slowly_;
  xcb_connection_t* connection_ = xcb_connect(nullptr, nullptr);
  xcb_window_t window_ = xcb_generate_id(connection_);
};

// A clipboard manager, which takes over what a program leaves at its end.
class Manager {
 public:
  Manager() {
    client_.own("CLIPBOARD_MANAGER");
    thread_ = std::jthread([this] { take_over(); });
  }
  Bytes saved() {
    thread_.join();
    return saved_;
  }

 private:
  void take_over() {
    const auto event = client_.await(XCB_SELECTION_REQUEST);
    if (!event) return;
    const auto request = *reinterpret_cast<const xcb_selection_request_event_t*>(event.get());
    saved_ = client_.paste();
    xcb_selection_notify_event_t done{};
    done.response_type = XCB_SELECTION_NOTIFY;
    done.requestor = request.requestor;
    done.selection = request.selection;
    done.target = request.target;
    done.property = request.property;
    xcb_send_event(client_.connection(), 0, request.requestor, 0, reinterpret_cast<const char*>(&done));
    client_.flush();
  }

  Client client_;
  Bytes saved_;
  std::jthread thread_;
};

Bytes picture(std::size_t size, unsigned seed) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>((i * 2654435761u + seed) >> 8);
  return bytes;
}

class WindowClipboardTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::getenv("SATSCOPE_TEST_DISPLAY")) GTEST_SKIP() << "runs under app/tests/with_display";
    clipboard_ = std::make_unique<Clipboard>();
    client_ = std::make_unique<Client>();
  }
  std::unique_ptr<Clipboard> clipboard_;
  std::unique_ptr<Client> client_;
};

TEST_F(WindowClipboardTest, AnotherProgramPastesWhatWasCopiedLastHoweverOften) {
  for (const auto size :
       {std::size_t{1}, std::size_t{70'000}, std::size_t{262'144}, std::size_t{262'145}, std::size_t{5'000'000}}) {
    clipboard_->offer(picture(size, 1));
    clipboard_->offer(picture(size, 2));
    EXPECT_EQ(client_->paste(), picture(size, 2)) << size;
    EXPECT_EQ(client_->paste(), picture(size, 2)) << size << " again";
    Client other;
    EXPECT_EQ(other.paste(), picture(size, 2)) << size;
  }
  EXPECT_TRUE(client_->paste("UTF8_STRING").empty()) << "it is no text";
  EXPECT_EQ(client_->paste("TARGETS").size(), 4 * sizeof(xcb_atom_t));
  EXPECT_EQ(client_->paste("TIMESTAMP").size(), sizeof(xcb_timestamp_t));
}

TEST_F(WindowClipboardTest, SeveralKindsAreAskedForAtOnce) {
  clipboard_->offer(picture(500, 2));
  const std::vector<xcb_atom_t> pairs{client_->atom("image/png"), client_->atom("FIRST"), client_->atom("UTF8_STRING"),
                                      client_->atom("SECOND")};
  for (int turn = 0; turn < 2; ++turn) {
    xcb_change_property(client_->connection(), XCB_PROP_MODE_REPLACE, client_->window(), client_->atom("PAIRS"),
                        client_->atom("ATOM_PAIR"), 32, 4, pairs.data());
    xcb_convert_selection(client_->connection(), client_->window(), client_->atom("CLIPBOARD"), client_->atom("MULTIPLE"),
                          client_->atom("PAIRS"), XCB_CURRENT_TIME);
    client_->flush();
    ASSERT_TRUE(client_->await(XCB_SELECTION_NOTIFY));
    xcb_atom_t type = XCB_ATOM_NONE;
    EXPECT_EQ(client_->take_property("FIRST", type), picture(500, 2));
    const auto answered = client_->take_property("PAIRS", type);
    ASSERT_EQ(answered.size(), 4 * sizeof(xcb_atom_t));
    const auto* kinds = reinterpret_cast<const xcb_atom_t*>(answered.data());
    EXPECT_EQ(kinds[0], client_->atom("image/png"));
    EXPECT_EQ(kinds[2], xcb_atom_t{XCB_ATOM_NONE}) << "it is no text";
  }
}

TEST_F(WindowClipboardTest, SeveralPasteAtATimeAndOneThatEndsMeanwhileCostsNothing) {
  clipboard_->offer(picture(3'000'000, 3));
  {
    Client ends;
    ends.ask("image/png");
    ASSERT_TRUE(ends.await(XCB_SELECTION_NOTIFY));
  }
  Bytes slowly, other;
  {
    const std::jthread first([&] { slowly = Client(true).paste(); });
    const std::jthread second([&] { other = Client().paste(); });
    clipboard_->offer(picture(400'000, 4));  // what has begun goes on with its own
  }
  for (const auto& pasted : {slowly, other})
    EXPECT_TRUE(pasted == picture(3'000'000, 3) || pasted == picture(400'000, 4)) << pasted.size();
  EXPECT_EQ(client_->paste(), picture(400'000, 4));
}

TEST_F(WindowClipboardTest, WhatAnotherProgramCopiesIsNotDisturbed) {
  clipboard_->offer(picture(9, 5));
  client_->own("CLIPBOARD");
  Client third;
  third.ask("image/png");
  EXPECT_TRUE(client_->await(XCB_SELECTION_REQUEST)) << "it is asked, and not the owner before";
  clipboard_->offer(picture(9, 6));
  EXPECT_TRUE(client_->await(XCB_SELECTION_CLEAR));
  EXPECT_EQ(Client().paste(), picture(9, 6));
}

// Text is GLFW's: each takes the clipboard from the other, as two programs do.
TEST_F(WindowClipboardTest, TextAndPicturesOfTheWindowTakeTurns) {
  const auto target = open_window(300, 200, false);
  const auto pasted = [&](const char* kind) {
    client_->ask(kind);
    for (int i = 0; i < 20; ++i) target->wait_for_input(10ms);  // GLFW answers from here
    return client_->answer();
  };
  for (int turn = 0; turn < 3; ++turn) {
    glfwSetClipboardString(nullptr, "a text");
    EXPECT_EQ(pasted("UTF8_STRING").size(), 6u);
    EXPECT_TRUE(pasted("image/png").empty());
    clipboard_->offer(picture(300'000, 7));
    EXPECT_EQ(client_->paste(), picture(300'000, 7)) << "without the window's help";
    EXPECT_EQ(glfwGetClipboardString(nullptr), nullptr) << "a picture is no text, which is known at once";
  }
}

TEST_F(WindowClipboardTest, AManagerTakesItOverAtTheEnd) {
  for (const auto size : {std::size_t{1'000}, std::size_t{700'000}}) {
    Manager manager;
    clipboard_ = std::make_unique<Clipboard>();
    clipboard_->offer(picture(size, 8));
    clipboard_.reset();
    EXPECT_EQ(manager.saved(), picture(size, 8));
  }
}

TEST_F(WindowClipboardTest, WithoutAManagerOrWithAnotherOwnerItEndsAtOnce) {
  const auto start = std::chrono::steady_clock::now();
  clipboard_->offer(picture(10, 9));
  clipboard_.reset();
  EXPECT_TRUE(client_->paste().empty());
  clipboard_ = std::make_unique<Clipboard>();
  clipboard_->offer(picture(10, 9));
  client_->own("CLIPBOARD");
  clipboard_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 15s);
}

class ClipboardTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const auto& [name, value] : before_ | std::views::reverse)
      value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
  }
  void set(const char* name, const std::string& value) {
    const auto* now = std::getenv(name);
    before_.emplace_back(name, now ? now : "");
    value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
  }
  std::string why_not() {
    try {
      Clipboard().offer(picture(10, 1));
      return {};
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }
  TemporaryFolder folder_;

 private:
  std::vector<std::pair<const char*, std::string>> before_;
};

TEST_F(ClipboardTest, WithoutADesktopOneLineSaysWhy) {
  set("DISPLAY", "");
  set("WAYLAND_DISPLAY", "");
  EXPECT_EQ(why_not(), "cannot copy the picture: there is no desktop here");
  set("DISPLAY", ":987");
  EXPECT_EQ(why_not(), "cannot copy the picture: no X display answers");
}

TEST_F(ClipboardTest, UnderWaylandWlCopyHasIt) {
  set("DISPLAY", "");
  set("WAYLAND_DISPLAY", "wayland-0");
  const auto path = std::string(std::getenv("PATH"));
  set("PATH", folder_.path().string());
  EXPECT_EQ(why_not(), "cannot copy the picture: wl-copy is missing here; install wl-clipboard");
  const auto program = folder_.path() / "wl-copy", got = folder_.path() / "got";
  std::ofstream(program) << "#!/bin/sh\necho \"$@\" >'" << got.string() << "'\nexec cat >>'" << got.string() << "'\n";
  std::filesystem::permissions(program, std::filesystem::perms(0755));
  set("PATH", folder_.path().string() + ':' + path);
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(why_not(), "");
    std::ifstream file(got, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto bytes = picture(10, 1);
    EXPECT_EQ(text, "--type image/png\n" + std::string(bytes.begin(), bytes.end()));
  }
  std::ofstream(program) << "#!/bin/sh\nexit 1\n";
  EXPECT_EQ(why_not(), "cannot copy the picture: wl-copy failed");
  std::ofstream(program) << "#!/bin/sh\nexec sleep 60\n";
  EXPECT_EQ(why_not(), "cannot copy the picture: wl-copy does not answer; try again");
}

}  // namespace
}  // namespace app
