// SessionKernels: users' files with kernels in a session: those of the settings are open, what is saved is followed between two
// pictures, and what was asked for is chosen once it works.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/control/command.h"
#include "app/session/kernel_files.h"

namespace app {

class Session;

class SessionKernels {
 public:
  // `files`: those that were opened before; null: none. `chosen`: names of those that are chosen once they work.
  SessionKernels(Session& session, std::shared_ptr<KernelFiles> files, std::vector<std::string> chosen)
      : session_(session), files_(std::move(files)), to_choose_(std::move(chosen)) {}

  KernelFiles* files() { return files_.get(); }  // null: none was opened
  const KernelFiles* files() const { return files_.get(); }

  // Watches files from now on. Returns their names. Throws std::invalid_argument.
  std::vector<std::string> open(const std::vector<std::string>& files);
  // Whoever names a file wants to see it: it is chosen, now or once it works.
  void show(const std::vector<std::string>& names);
  // What was saved since the last step is taken, between two pictures, or refused.
  void follow();
  // A kernel that works. Where the device in use does not run it, another one does. Throws std::invalid_argument.
  void choose(const std::string& name);
  // Chooses the file's, where it is open and works; else false.
  bool choose_open(const std::string& file);
  // Written, loaded, and opened where it can be changed.
  void write_new(const std::filesystem::path& to, bool effect);
  // That which is named, else the one in use, else the first.
  void edit(const Command& command) const;

 private:
  Session& session_;
  std::shared_ptr<KernelFiles> files_;
  std::vector<std::string> to_choose_;  // names of kernels that are not compiled yet
};

}  // namespace app
