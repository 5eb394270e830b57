// SessionKernels: users' files with kernels in a session: those of the settings are open, what is saved is followed between
// two pictures, and what was asked for is chosen once it works.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/control/command.h"
#include "app/session/kernel_files.h"

namespace app {

class Session;
struct Settings;

class SessionKernels {
 public:
  // `files`: those that were opened before; null: none. `chosen`: names of those that are chosen once they work.
  SessionKernels(Session& session, std::shared_ptr<KernelFiles> files, std::vector<std::string> chosen)
      : session_(session), files_(std::move(files)), to_choose_(std::move(chosen)) {}

  KernelFiles* files() { return files_.get(); }  // null: none was opened
  const KernelFiles* files() const { return files_.get(); }
  bool busy() const { return files_ && files_->busy(); }  // compilers run, or trials

  // Watches files from now on. Throws std::invalid_argument.
  void open(const std::vector<std::string>& files);
  // Before `changed` are the settings: their files are open then, and no others, and where they name what is closed they
  // name the program's usual choice. Returns the names of files that were opened. Throws std::invalid_argument: then nothing
  // has changed.
  std::vector<std::string> use_files_of(Settings& changed);
  // Whoever names files wants to see them: the last one is chosen, now or once it works; until then those before it are.
  void show(const std::vector<std::string>& names);
  // What was saved since the last step is taken, between two pictures, or refused.
  void follow();
  // A kernel that works. Where the device in use does not run it, another one does. Throws std::invalid_argument.
  void choose(const std::string& name);
  // Shows the file's, where it is open; else false.
  bool choose_open(const std::string& file);
  // Written, loaded, and opened where it can be changed.
  void write_new(const std::filesystem::path& to, bool effect);
  // That which is named, else the one in use, else the first.
  void edit(const Command& command) const;

 private:
  void close(const std::vector<std::string>& files);

  Session& session_;
  std::shared_ptr<KernelFiles> files_;
  std::vector<std::string> to_choose_;  // names of kernels that are not compiled yet, the last one asked for at the end
};

}  // namespace app
