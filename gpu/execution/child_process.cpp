#include "gpu/execution/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace gpu {
namespace {

using Clock = std::chrono::steady_clock;
using End = ChildResult::End;

// A file that is open in this process, and that its children do not inherit. Never one of the three standard ones, which may
// be closed here: the child's take their place.
class OpenFile {
 public:
  OpenFile() = default;
  explicit OpenFile(int number) : number_(number) {
    if (number < 0 || number > STDERR_FILENO) return;
    number_ = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(number);
  }
  ~OpenFile() { close(); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  int number() const { return number_; }

 private:
  int number_ = -1;
};

// What the child writes to one of its outputs.
class Stream {
 public:
  explicit Stream(const std::function<void(std::string_view)>& take) : take_(take) {
    if (!take_) {
      theirs_ = OpenFile(open("/dev/null", O_WRONLY | O_CLOEXEC));
      return;
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    ours_ = OpenFile(ends[0]);
    theirs_ = OpenFile(ends[1]);
    if (ours_.number() >= 0) fcntl(ours_.number(), F_SETFL, O_NONBLOCK);
  }

  int theirs() const { return theirs_.number(); }
  void close_theirs() { theirs_.close(); }
  int ours() const { return ours_.number(); }  // -1: nothing more comes
  // Passes on what is there, at most once the size of a pipe's piece. False: nothing was there.
  bool read() {
    if (ours() < 0) return false;
    char piece[4096];
    const auto got = ::read(ours(), piece, sizeof piece);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got <= 0) return ours_.close(), false;
    const std::string_view text(piece, static_cast<std::size_t>(got));
    last_.append(text);
    if (last_.size() > 2 * most_kept) last_.erase(0, last_.size() - most_kept);
    const auto room = ChildRequest::most_output - std::min(passed_on_, ChildRequest::most_output);
    passed_on_ += text.size();
    if (room > 0) take_(text.substr(0, room));
    return true;
  }
  const std::string& last() const { return last_; }  // the end of the text

 private:
  static constexpr std::size_t most_kept = 4096;

  const std::function<void(std::string_view)>& take_;
  OpenFile ours_, theirs_;
  std::string last_;
  std::size_t passed_on_ = 0;
};

// What the child becomes: everything is at hand before it is made.
struct Program {
  const char* file;
  char* const* arguments;
  char* const* environment;
  const char* folder;  // null: it stays where this process is
  int input, output, errors;
  ChildLimits limits;
};

void limit(int resource, std::size_t bytes) {
  const rlimit both{bytes, bytes};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

// In the child, which shares this process's memory until it is another program: system calls only. `error`: why it is none.
[[noreturn]] void become(const Program& program, volatile int& error) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &by_default, nullptr);
  limit(RLIMIT_CORE, 0);
  if (program.limits.memory_bytes) limit(RLIMIT_DATA, program.limits.memory_bytes);
  if (program.limits.file_bytes) limit(RLIMIT_FSIZE, program.limits.file_bytes);
  if (const auto seconds = static_cast<rlim_t>(program.limits.cpu_time.count())) {
    const rlimit both{seconds, seconds + 5};  // SIGXCPU first, which says what it is: SIGKILL is for who ignores that
    setrlimit(RLIMIT_CPU, &both);
  }
  const bool ready = dup2(program.input, STDIN_FILENO) >= 0 && dup2(program.output, STDOUT_FILENO) >= 0 &&
                     dup2(program.errors, STDERR_FILENO) >= 0 && (!program.folder || chdir(program.folder) == 0);
  if (ready) {
#ifdef SYS_close_range
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
#endif
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execve(program.file, program.arguments, program.environment);
  }
  error = errno;
  _exit(127);
}

// Its process, or -1. vfork(), because fork() copies the page tables of this process, which take long where it has gigabytes,
// and posix_spawn() sets no limits. Meanwhile no signal is handled: a handler would run in the child, too, on the same memory.
[[gnu::noinline]] pid_t start(const Program& program) {
  struct sigaction of_children {};
  sigaction(SIGCHLD, nullptr, &of_children);
  if (of_children.sa_handler == SIG_IGN) signal(SIGCHLD, SIG_DFL);  // the system would keep no status for waitpid()
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int error = 0;
  const pid_t child = vfork();
  if (child == 0) become(program, error);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (child > 0 && error != 0) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
    return -1;
  }
  return child;
}

// A child that has been started: at its end nothing of its process group is left, nor a zombie.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) {}
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Its number stays taken until end().
  bool has_ended() const {
    siginfo_t info{};
    const int failed = waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT);
    return failed != 0 ? errno != EINTR : info.si_pid != 0;
  }
  // As waitpid() says it. One that a driver holds dies when that lets it go: another thread waits for it, so that no zombie stays.
  int end() {
    if (process_ <= 0) return status_;
    kill(-process_, SIGKILL);
    const auto begin = Clock::now();
    while (!has_ended() && Clock::now() - begin < patience) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (has_ended())
      wait_for(process_, &status_);
    else
      std::thread(wait_for, process_, nullptr).detach();
    process_ = -1;
    return status_;
  }

 private:
  static constexpr auto patience = std::chrono::seconds(2);

  static void wait_for(pid_t process, int* status) {
    while (waitpid(process, status, 0) < 0 && errno == EINTR) {}
  }

  pid_t process_;
  int status_ = W_EXITCODE(127, 0);  // where the system does not say it
};

// Passes on the child's output until it has ended, or is to be ended: then says why.
End follow(const Child& child, const ChildRequest& request, Stream& output, Stream& errors) {
  const auto begin = Clock::now();
  while (!child.has_ended()) {
    if (request.stop && request.stop()) return End::stopped;
    if (request.limits.time.count() > 0 && Clock::now() - begin >= request.limits.time) return End::timed_out;
    pollfd both[] = {{output.ours(), POLLIN, 0}, {errors.ours(), POLLIN, 0}};  // -1 is passed over
    const bool quiet = output.ours() < 0 && errors.ours() < 0;                 // it usually ends when it closes them
    poll(both, 2, quiet ? 1 : 10);
    output.read();
    errors.read();
  }
  // What it had written before; something that it has started and that left its group may go on to write.
  for (auto* stream : {&output, &errors})
    for (std::size_t pieces = 0; pieces < ChildRequest::most_output / 4096 && stream->read(); ++pieces) {}
  return End::exited;
}

bool says_that_memory_is_short(std::string_view errors) {
  constexpr std::string_view words[] = {"bad_alloc", "out of memory", "memory exhausted", "annot allocate",
                                        "Killed signal terminated"};
  return std::ranges::any_of(words, [&](auto each) { return errors.find(each) != errors.npos; });
}

std::vector<std::string> environment_with(const std::vector<std::string>& others) {
  std::vector<std::string> all = others;
  const auto is_replaced = [&](std::string_view entry) {
    const auto name = entry.substr(0, entry.find('=') + 1);
    return std::ranges::any_of(others, [&](const std::string& other) { return other.starts_with(name); });
  };
  for (auto* entry = environ; *entry; ++entry)
    if (!is_replaced(*entry)) all.emplace_back(*entry);
  return all;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

ChildResult run_child(const ChildRequest& request) {
  const auto file = request.words.empty() ? std::filesystem::path() : find_program(request.words[0]);
  const OpenFile input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  Stream output(request.output), errors(request.errors);
  if (file.empty() || input.number() < 0 || output.theirs() < 0 || errors.theirs() < 0) return {};
  const auto environment = environment_with(request.environment);
  const auto arguments = pointers_to(request.words), variables = pointers_to(environment);
  const pid_t process = start({file.c_str(), arguments.data(), variables.data(),
                               request.folder.empty() ? nullptr : request.folder.c_str(), input.number(), output.theirs(),
                               errors.theirs(), request.limits});
  if (process < 0) return {};
  Child child(process);
  output.close_theirs();
  errors.close_theirs();
  const auto end = follow(child, request, output, errors);
  const int status = child.end();
  if (end != End::exited) return {end, 0};
  if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL && !says_that_memory_is_short(errors.last()))
    return {End::signalled, WTERMSIG(status)};
  if (WIFSIGNALED(status) || (WEXITSTATUS(status) != 0 && says_that_memory_is_short(errors.last())))
    return {End::out_of_memory, 0};
  return {End::exited, WEXITSTATUS(status)};
}

std::string text_of(const ChildResult& result, const ChildLimits& limits) {
  const auto rounded = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return std::string(text);
  };
  switch (result.end) {
    case End::exited: return "ends with status " + std::to_string(result.status);
    case End::signalled: {
      const char* description = sigdescr_np(result.status);
      return "ends with signal " + std::to_string(result.status) +
             (description ? std::string(" (") + description + ')' : "");
    }
    case End::timed_out: return "does not end within " + rounded(std::chrono::duration<double>(limits.time).count()) + " s";
    case End::stopped: return "is stopped";
    case End::out_of_memory:
      return limits.memory_bytes
                 ? "needs more than " + rounded(static_cast<double>(limits.memory_bytes) / (1 << 30)) + " GiB of memory"
                 : "needs more memory than there is";
    case End::not_started: break;
  }
  return "cannot be started";
}

std::filesystem::path find_program(const std::string& name) {
  const auto can_be_started = [](const std::filesystem::path& file) {
    std::error_code ignored;
    return access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file, ignored);
  };
  if (name.empty()) return {};
  if (name.find('/') != name.npos) return can_be_started(name) ? std::filesystem::path(name) : std::filesystem::path();
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path ? path : "/usr/bin:/bin"; !rest.empty();) {
    const auto end = rest.find(':');
    const auto file = std::filesystem::path(rest.substr(0, end)) / name;
    if (can_be_started(file)) return file;
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  }
  return {};
}

}  // namespace gpu
