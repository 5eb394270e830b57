#include "app/session/session_kernels.h"

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "app/control/kernel_names.h"
#include "app/control/names.h"
#include "app/session/kernel_starts.h"
#include "app/session/session.h"
#include "app/support/machine.h"

namespace app {
namespace {

// What is chosen by that name becomes the program's usual choice.
void leave(Settings& settings, const std::string& name) {
  const Settings usual;
  if (settings.cuda_algorithm == name) settings.cuda_algorithm = usual.cuda_algorithm;
  if (settings.effect == name) settings.effect = usual.effect;
  if (settings.compare.a == name || settings.compare.b == name) settings.compare = usual.compare;
}

}  // namespace

void SessionKernels::open(const std::vector<std::string>& files) {
  if (!files.empty() && !files_) {
    auto steps = KernelFiles::usual_steps(session_.engine().probe());
    steps.first_type_first = true;
    files_ = std::make_shared<KernelFiles>(std::move(steps));
  }
  for (const auto& file : files) files_->open(file);
}

void SessionKernels::close(const std::vector<std::string>& files) {
  if (!files_) return;
  for (const auto& file : files) {
    const auto name = kernel_name(file);
    const auto* open = files_->find(name);
    if (!open || open->path != std::filesystem::path(file).lexically_normal()) continue;
    files_->close(name);
    std::erase(to_choose_, name);
    session_.messages().say_once("kernel " + name, Messages::Kind::warning, "");
  }
}

std::vector<std::string> SessionKernels::use_files_of(Settings& changed) {
  const auto without = [](const std::vector<std::string>& files, const std::vector<std::string>& others) {
    std::vector<std::string> left;
    std::ranges::copy_if(files, std::back_inserter(left),
                         [&](const auto& file) { return std::ranges::count(others, file) == 0; });
    return left;
  };
  const auto& before = session_.settings().kernels;
  const auto closed = without(before, changed.kernels), opened = without(changed.kernels, before);
  close(closed);  // first: another file may have the name of one of them
  try {
    open(opened);
  } catch (const std::exception&) {
    close(opened);
    for (const auto& file : closed) session_.attempt([&] { open({file}); });
    throw;
  }
  std::vector<std::string> names;
  std::ranges::transform(opened, std::back_inserter(names), kernel_name);
  for (const auto& file : closed)
    if (const auto name = kernel_name(file); std::ranges::count(names, name) == 0) leave(changed, name);
  return names;
}

void SessionKernels::show(const std::vector<std::string>& names) {
  for (const auto& name : names) {
    const auto& settings = session_.settings();
    if (files_->find(name)->version > 0) {
      to_choose_.clear();
      choose(name);
    } else if (name != settings.cuda_algorithm && name != settings.effect) {
      to_choose_.push_back(name);
    }
  }
}

void SessionKernels::follow() {
  if (!files_) return;
  for (const auto& news : files_->follow(session_.engine().size())) {
    const auto& settings = session_.settings();
    const auto* file = files_->find(news.name);
    if (!file) continue;  // what was done about the news before has closed it
    const auto line = file->path.filename().string() + ": " + (news.taken ? file->verdict.sentence : file->refusal);
    const bool is_right = news.taken && file->verdict.outcome == gpu::Verdict::Outcome::right;
    if (news.taken || !session_.script().loads_kernel(news.name))
      session_.messages().say_once("kernel " + news.name, Messages::Kind::warning, is_right ? "" : line);
    if (!news.taken) continue;
    const auto& named = file->is_effect ? settings.effect : settings.cuda_algorithm;
    const auto& named_before = file->is_effect ? settings.cuda_algorithm : settings.effect;
    const bool in_use = named == news.name &&
                        (file->is_effect || device_for(settings, session_.context()) != gpu::Device::host);
    const auto asked = std::ranges::find(to_choose_, news.name);
    const bool is_asked = asked != to_choose_.end();
    if (is_asked) to_choose_.erase(to_choose_.begin(), asked + 1);
    if (named_before == news.name)  // it was of the other kind until now
      session_.attempt([&] {
        auto changed = session_.settings();
        leave(changed, news.name);
        session_.use(changed);
        choose(news.name);
      });
    else if (is_asked || (news.first && in_use))
      session_.attempt([&] { choose(news.name); });
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
  const auto path = kernel_file(file);
  const auto* open = files_ ? files_->find(kernel_name(path)) : nullptr;
  if (!open || open->path != path || std::ranges::count(session_.settings().kernels, path) == 0) return false;
  std::erase(to_choose_, open->name);
  show({open->name});
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
