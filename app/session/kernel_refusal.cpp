#include "app/session/kernel_refusal.h"

#include <algorithm>
#include <string_view>

#include "app/capture/source_text.h"
#include "app/output/verdict_text.h"
#include "app/session/kernel_files.h"

namespace app {

namespace fs = std::filesystem;

bool is_of_text(const gpu::CompiledKernel& compiled) {
  return std::ranges::any_of(compiled.source.messages, &gpu::SourceMessage::is_error) ||
         std::ranges::any_of(compiled.messages, [](const auto& one) { return one.is_error() && one.line > 0; });
}

std::string why_not_compiled(const fs::path& file, const gpu::CompiledKernel& compiled) {
  const auto& messages = compiled.messages;
  const auto first = std::ranges::find_if(messages, &gpu::SourceMessage::is_error);
  if (!is_of_text(compiled)) return "it could not be compiled" + (first == messages.end() ? "" : ": " + first->text);
  std::string place;
  if (first->line > 0)
    place = (first->file == file || first->file.empty() ? ", line " : ", " + first->file_name() + " line ") +
            std::to_string(first->line);
  return "it does not compile" + place + ": " + first->text;
}

// A table with wrong entries harms nobody, nor does a race, which the simulated GPU that draws pictures does not have.
bool may_run(const gpu::Verdict& verdict) {
  if (verdict.outcome == gpu::Verdict::Outcome::right || verdict.outcome == gpu::Verdict::Outcome::too_slow) return true;
  return verdict.outcome == gpu::Verdict::Outcome::wrong && verdict.harmless;
}

bool is_of_kernel(const gpu::Verdict& verdict) {
  constexpr std::string_view others[] = {"cannot be started", "needs more memory than there is"};
  return verdict.outcome != gpu::Verdict::Outcome::interrupted &&
         std::ranges::find(others, verdict.sentence) == std::end(others);
}

std::string why_not_run(const gpu::Verdict& verdict) {
  auto why = verdict.sentence.empty() ? "it failed" : verdict.sentence;
  if (!is_of_kernel(verdict)) {
    constexpr std::string_view begin = "cannot be judged: ";
    return "it could not be tried: " + capture::one_line(why.starts_with(begin) ? why.substr(begin.size()) : why);
  }
  if (!verdict.fault.empty() && why.find(verdict.fault) == why.npos) why += ": " + verdict.fault;
  if (!verdict.where.empty()) why += " (" + verdict.where + ")";
  return capture::one_line(why);
}

std::string text_of_refusal(const KernelFile& file) {
  auto text = file.path.filename().string() + ": " + file.refusal;
  for (const auto& message : file.messages) {
    text += '\n' + message.file.string();
    if (message.line > 0) text += ':' + std::to_string(message.line);
    if (message.column > 0) text += ':' + std::to_string(message.column);
    text += ": " + std::string(severity_name(message.severity)) + ": " + message.text;
  }
  return text;
}

}  // namespace app
