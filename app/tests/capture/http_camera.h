// For tests: an HTTP camera on the loopback interface, and a server that never answers.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

namespace app {

// A TCP port that listens and accepts (the kernel does), and then sends nothing.
class SilentServer {
 public:
  SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&address), length) == 0 && ::listen(socket_, 8) == 0 &&
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length) == 0)
      port_ = ntohs(address.sin_port);
  }
  ~SilentServer() { ::close(socket_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  int port() const { return port_; }  // 0: could not listen
  int socket() const { return socket_; }

 private:
  int socket_, port_ = 0;
};

// Answers every request with the same bytes, during its lifetime. `announced`: how many it says that they are; 0: it does not.
class FileServer {
 public:
  FileServer(const std::string& type, const std::string& bytes, const std::string& status = "200 OK",
             std::size_t announced = 0)
      : answer_("HTTP/1.0 " + status + "\r\nContent-Type: " + type +
                (announced > 0 ? "\r\nContent-Length: " + std::to_string(announced) : "") + "\r\n\r\n" + bytes),
        thread_([this](std::stop_token stop) { serve(stop); }) {}
  int port() const { return listener_.port(); }

 private:
  void serve(std::stop_token stop) const {
    pollfd wait{listener_.socket(), POLLIN, 0};
    while (!stop.stop_requested()) {
      if (poll(&wait, 1, 20) != 1) continue;
      const int client = ::accept4(listener_.socket(), nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      char request[2048];
      if (::recv(client, request, sizeof request, 0) >= 0) ::send(client, answer_.data(), answer_.size(), MSG_NOSIGNAL);
      ::close(client);
    }
  }
  SilentServer listener_;
  std::string answer_;
  std::jthread thread_;  // last: it uses the listener
};

inline int free_port() { return SilentServer().port(); }

// Serves a moving test picture as Motion JPEG to the first client, during its lifetime.
class HttpCamera {
 public:
  explicit HttpCamera(const std::string& size = "320x240") : port_(free_port()), size_(size) { plug_in(); }
  ~HttpCamera() { unplug(); }
  HttpCamera(const HttpCamera&) = delete;
  HttpCamera& operator=(const HttpCamera&) = delete;

  void plug_in() {
    const std::string picture = "testsrc=rate=25:size=" + size_, address = url();
    const char* arguments[] = {"ffmpeg", "-nostdin", "-loglevel", "quiet",         "-re",
                               "-f",     "lavfi",    "-i",        picture.c_str(), "-f",
                               "mpjpeg", "-listen",  "1",         address.c_str(), nullptr};
    if (posix_spawnp(&process_, "ffmpeg", nullptr, nullptr, const_cast<char**>(arguments), environ) != 0) process_ = -1;
  }
  bool started() const { return process_ > 0; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/camera.mjpg"; }
  // Checks whether it listens, without connecting, because it serves only one client.
  bool wait_until_it_listens() const {
    char wanted[32];
    std::snprintf(wanted, sizeof wanted, "0100007F:%04X 00000000:0000 0A", static_cast<unsigned>(port_));
    for (int attempt = 0; attempt < 2000; ++attempt) {
      std::ifstream table("/proc/net/tcp");
      for (std::string line; std::getline(table, line);)
        if (line.find(wanted) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  void unplug() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }

 private:
  int port_;
  std::string size_;
  pid_t process_ = -1;
};

}  // namespace app
