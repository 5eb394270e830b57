#include "app/session/session_kernels.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "app/control/kernel_names.h"
#include "app/control/names.h"
#include "app/session/kernel_starts.h"
#include "app/session/session.h"
#include "app/support/machine.h"

namespace app {

std::vector<std::string> SessionKernels::open(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  if (!files.empty() && !files_) files_ = std::make_shared<KernelFiles>(KernelFiles::usual_steps(session_.engine().probe()));
  for (const auto& file : files) names.push_back(files_->open(file));
  return names;
}

void SessionKernels::show(const std::vector<std::string>& names) {
  const auto& settings = session_.settings();
  for (const auto& name : names)
    if (files_->find(name)->version > 0)
      choose(name);
    else if (name != settings.cuda_algorithm && name != settings.effect)
      to_choose_.push_back(name);
}

void SessionKernels::follow() {
  if (!files_) return;
  const auto& settings = session_.settings();
  for (const auto& news : files_->follow(session_.engine().size())) {
    const auto& file = *files_->find(news.name);
    const auto line = file.path.filename().string() + ": " + (news.taken ? file.verdict.sentence : file.refusal);
    const bool is_right = news.taken && file.verdict.outcome == gpu::Verdict::Outcome::right;
    if (news.taken || !session_.script().loads_kernels())
      session_.messages().say_once("kernel " + news.name, Messages::Kind::warning, is_right ? "" : line);
    if (!news.first) continue;
    const auto& named = file.is_effect ? settings.effect : settings.cuda_algorithm;
    const bool in_use = named == news.name &&
                        (file.is_effect || device_for(settings, session_.context()) != gpu::Device::host);
    if (std::erase(to_choose_, news.name) > 0 || in_use) session_.attempt([&] { choose(news.name); });
  }
}

void SessionKernels::choose(const std::string& name) {
  const auto& file = *files_->find(name);
  const auto& settings = session_.settings();
  const auto before = device_for(settings, session_.context());
  auto changed = settings;
  apply(changed, Change{file.is_effect ? "effect" : "algorithm", name}, session_.context());
  session_.use(changed);
  const auto now = device_for(settings, session_.context());
  if (now == before) return;
  const auto no_cuda = session_.context().no_cuda;
  const auto& why = no_cuda.empty() ? gpu::find_user_kernel(name)->no_cuda : no_cuda;
  session_.messages().info(file.path.filename().string() + " runs on the " + device_words(gpu::name(now)) +
                           (why.empty() || now == gpu::Device::cuda ? "" : ": no CUDA, " + why));
}

bool SessionKernels::choose_open(const std::string& file) {
  const auto* open = files_ ? files_->find(kernel_name(kernel_file(file))) : nullptr;
  if (!open || open->version == 0) return false;
  choose(open->name);
  return true;
}

void SessionKernels::write_new(const std::filesystem::path& to, bool effect) {
  const auto start = effect ? KernelStart::effect : KernelStart::algorithm;
  auto& outputs = session_.outputs();
  const auto path = to.empty() ? write_new_kernel(outputs.folder(), start, session_.settings().kernels) : to;
  if (!to.empty()) {
    write_kernel(to, kernel_start(start));
    outputs.release(to);
  }
  session_.set(std::array{Change{"kernel", path.string()}});
  session_.messages().info("wrote " + path.string() + ": it is compiled again whenever it is saved");
  if (session_.attended() && why_no_editor().empty()) open_in_editor(path);
}

void SessionKernels::edit(const Command& command) const {
  if (!command.text.empty()) return open_in_editor(command.text, static_cast<int>(command.number.value_or(0)));
  if (!files_ || files_->files().empty())
    throw std::invalid_argument("no file with a kernel of your own is open: set kernel FILE.cu, or new_kernel");
  const auto& selection = session_.engine().selection();
  const auto* file = selection.algorithm ? files_->find(selection.algorithm->name) : nullptr;
  if (!file && selection.effect) file = files_->find(selection.effect->name);
  open_in_editor((file ? *file : files_->files().front()).path, static_cast<int>(command.number.value_or(0)));
}

}  // namespace app
