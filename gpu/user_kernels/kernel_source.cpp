#include "gpu/user_kernels/kernel_source.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>

#include "gpu/user_kernels/cuda_declarations.h"
#include "gpu/user_kernels/kernel_frame.h"
#include "gpu/user_kernels/kernel_rewriting.h"

namespace gpu {
namespace {

using Path = std::filesystem::path;
using Target = RewriteRequest::Target;

constexpr std::size_t most_files = 64, most_bytes = std::size_t{4} << 20;
constexpr std::size_t most_expanded_bytes = std::size_t{32} << 20;  // with every include in place of its line
constexpr std::string_view own_header = "satscope_kernel.cuh";

// A file of the source, with what was read in it.
struct SourceFile {
  // A file of the source that it includes.
  struct Include {
    std::size_t file = 0;
    std::size_t begin = 0, end = 0;  // of the name with its quotes, in the text
    std::size_t directive_begin = 0, directive_end = 0;
  };

  Path path;
  std::string text;
  TokenText tokens;
  std::vector<Include> includes;
  bool guarded = false;  // including it once more adds nothing
  std::optional<std::pair<std::size_t, std::size_t>> pragma_once;
};

// The text of a file; what is wrong with it otherwise.
struct ReadText {
  std::string text, problem;
};
ReadText read_text(const Path& path, std::size_t most) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return {{}, "there is no such file"};
  if (std::filesystem::is_directory(status)) return {{}, "it is a folder, not a file"};
  if (!std::filesystem::is_regular_file(status)) return {{}, "it is not a regular file"};
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return {{}, "it cannot be read: permission is missing"};
  std::string text;
  char piece[1 << 14];
  do {
    stream.read(piece, sizeof piece);
    text.append(piece, static_cast<std::size_t>(stream.gcount()));
  } while (stream && text.size() <= most);
  if (stream.bad()) return {{}, "it cannot be read"};
  if (text.size() > most) return {{}, "it and the files that it includes have more than 4 MiB"};
  if (text.find('\0') != text.npos) return {{}, "it is not a text file: it has bytes of value 0"};
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return {std::move(text), {}};
}

bool is_below(const Path& path, const Path& folder) {
  const auto relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != ".." && relative != ".";
}

// A user's file and those that it includes.
class Source {
 public:
  // `known`: it has been read, and is taken from there.
  explicit Source(const Path& file, const KernelSource* known = nullptr) : root_(file.parent_path()), known_(known) {
    add(file);
    for (std::size_t i = 0; i < files_.size() && messages_.empty(); ++i) follow_includes(i);
    if (messages_.empty()) check_expansion();
    if (messages_.empty()) read_code();
  }

  const std::vector<SourceMessage>& messages() const { return messages_; }
  const std::vector<SourceFile>& files() const { return files_; }
  const std::vector<Path>& missing() const { return missing_; }
  KernelSource::Form form() const { return form_; }
  const RewrittenFile::Found& entry() const { return entry_; }
  std::size_t entry_file() const { return entry_file_; }
  // What a descriptor says of its types itself is not understood here; nor is how it tells them apart, but by the usual way.
  bool has_several_types() const {
    if (form_ != KernelSource::Form::descriptor) return form_ == KernelSource::Form::run_template;
    bool designates = false, visits = false;
    for (const auto& file : files_) {
      const auto& tokens = file.tokens;
      const auto word = [&](std::size_t i) { return i < tokens.tokens.size() ? tokens[tokens.tokens[i]] : ""; };
      for (std::size_t i = 0; i < tokens.tokens.size(); ++i) {
        visits |= word(i) == "visit_usual_sat_type" || word(i) == "visit_sat_type";
        if (word(i) != ".") continue;
        designates |= word(i + 1) == "run" && word(i + 2) == "=";
        if (word(i + 1) == "types" && word(i + 3) != "all_sat_types" && word(i + 3) != "usual_sat_types") return false;
      }
    }
    return designates && visits;
  }

  // A file's text for a compiler. `include_name`: what files of the source are called there.
  template <class Name>
  std::string rewritten(std::size_t i, Target target, const Name& include_name) const {
    const auto& file = files_[i];
    auto rewritten = rewrite(file.tokens, request(i, target));
    auto& edits = rewritten.edits;
    for (auto& [name, finders] : rewritten.finders)
      if (deduced_.contains(name)) edits.insert(edits.end(), finders.begin(), finders.end());
    for (const auto& include : file.includes) {
      if (include.file == 0)  // it is guarded, and being read
        edits.push_back({include.directive_begin, include.directive_end, {}});
      else
        edits.push_back({include.begin, include.end, string_literal(include_name(include.file))});
    }
    if (i == 0 && file.pragma_once) edits.push_back({file.pragma_once->first, file.pragma_once->second, {}});
    // A backslash at its end would continue the line.
    return edited(file.text, std::move(edits)) + "\n\n";
  }
  SourceMessage message(std::size_t i, std::size_t at, std::string text) const {
    const TextLines lines(files_[i].text);
    return {SourceMessage::Severity::error, files_[i].path, lines.line(at), lines.column(at), std::move(text)};
  }

 private:
  // A file's number; nothing where it cannot be read, with a message.
  std::optional<std::size_t> add(const Path& path) {
    if (const auto known = numbers_.find(path.native()); known != numbers_.end()) return known->second;
    const auto refuse = [&](std::string why) {
      messages_.push_back({SourceMessage::Severity::error, path, 0, 0, std::move(why)});
      return std::nullopt;
    };
    if (files_.size() == most_files) return refuse("more than 64 files include one another");
    auto [text, problem] = known_ ? known_text(path) : read_text(path, most_bytes - bytes_);
    if (!problem.empty()) return refuse(std::move(problem));
    if (files_.empty() && text.find_first_not_of(" \t\r\n") == text.npos) return refuse("it is empty");
    bytes_ += text.size();
    files_.push_back({path, std::move(text), {}, {}, false, {}});
    return numbers_[path.native()] = files_.size() - 1;
  }

  ReadText known_text(const Path& path) const {
    const auto i = static_cast<std::size_t>(std::ranges::find(known_->files, path) - known_->files.begin());
    return i < known_->texts.size() ? ReadText{known_->texts[i], {}} : ReadText{{}, "it has not been read"};
  }
  bool is_there(const Path& path) const {
    if (known_) return std::ranges::find(known_->files, path) != known_->files.end();
    std::error_code error;
    return std::filesystem::exists(path, error) && !error;
  }

  void follow_includes(std::size_t i) {
    // Its text stays where it is: files_ does not grow beyond what was reserved.
    files_[i].tokens = tokens_of(files_[i].text);
    for (const auto& unfinished : files_[i].tokens.unfinished)
      messages_.push_back(message(i, unfinished.begin, "the " + unfinished.what + " that begins here has no end"));
    find_guard(files_[i]);
    const LiveTokens live(files_[i].tokens, true), live_for_nvcc(files_[i].tokens, false);
    std::set<const Directive*> all(live.includes.begin(), live.includes.end());
    all.insert(live_for_nvcc.includes.begin(), live_for_nvcc.includes.end());
    for (const auto* directive : all) follow(i, *directive);
  }
  void follow(std::size_t i, const Directive& directive) {
    const auto& tokens = directive.tokens;
    const auto word = [&](std::size_t k) { return files_[i].tokens[tokens[k]]; };
    if (tokens.size() == 2 && word(0) == "pragma" && word(1) == "once") {
      files_[i].pragma_once.emplace(directive.begin, directive.end);
      return;
    }
    if (tokens.size() < 2 || word(0) != "include") return;
    if (word(1) == "<") return check_library(i, directive);
    if (tokens[1].kind != Token::Kind::string || !word(1).starts_with('"') || word(1).size() < 3) return;
    const auto name = word(1).substr(1, word(1).size() - 2);
    if (name == own_header) return;
    const auto folder = files_[i].path.parent_path();
    const auto path = (folder / Path(name)).lexically_normal();
    if (name.starts_with('/')) return;
    if (!is_there(path)) {  // the compiler's folders may have it
      if (!name.starts_with("gpu/") && is_below(path, root_)) missing_.push_back(path);
      return;
    }
    if (!known_ && name.starts_with("gpu/") && is_there(folder / "gpu" / "sat.h")) return;  // in a checkout
    if (!is_below(path, root_)) {
      messages_.push_back(message(i, tokens[1].begin,
                                  std::string(name) + " is outside the folder of " + files_[0].path.filename().string() +
                                      ": only files in it, or in folders below, can be included"));
      return;
    }
    const auto number = add(path);
    if (number)
      return files_[i].includes.push_back({*number, tokens[1].begin, tokens[1].end, directive.begin, directive.end});
    missing_.push_back(path);
    if (messages_.back().line == 0)
      messages_.back() = message(i, tokens[1].begin, std::string(name) + ": " + messages_.back().text);
  }
  void check_library(std::size_t i, const Directive& directive) {
    static constexpr std::string_view not_simulated[] = {"cub/",  "thrust/", "cuda/",  "npp",
                                                         "mma.h", "curand",  "cublas", "cufft"};
    const auto& text = files_[i].text;
    const auto name = std::string_view(text).substr(directive.tokens[1].end, directive.end - directive.tokens[1].end);
    if (std::ranges::any_of(not_simulated, [&](auto one) { return name.starts_with(one); }))
      libraries_.push_back(message(
          i, directive.tokens[1].begin,
          "<" + std::string(name.substr(0, name.find('>'))) + "> is a library for NVIDIA's GPUs, which is not simulated"));
  }
  // #pragma once, or #ifndef before everything else, whose name is then defined.
  static void find_guard(SourceFile& file) {
    const auto& directives = file.tokens.directives;
    const auto word = [&](std::size_t d, std::size_t k) {
      return d < directives.size() && k < directives[d].tokens.size() ? file.tokens[directives[d].tokens[k]]
                                                                      : std::string_view();
    };
    for (std::size_t d = 0; d < directives.size(); ++d) file.guarded |= word(d, 0) == "pragma" && word(d, 1) == "once";
    const bool first = !directives.empty() && directives[0].next == 0;
    const auto name = word(0, 0) == "ifndef"                    ? word(0, 1)
                      : word(0, 0) == "if" && word(0, 1) == "!" ? word(0, 4)
                                                                : std::string_view();
    file.guarded |= first && !name.empty() && word(1, 0) == "define" && word(1, 1) == name;
  }

  // Files that include themselves, and those that include others so often that they would never end.
  void check_expansion() {
    std::vector<int> state(files_.size());  // 1: it is being read, 2: it was read
    std::vector<std::size_t> bytes(files_.size());
    const auto visit = [&](const auto& self, std::size_t i) -> void {
      state[i] = 1;
      bytes[i] = files_[i].text.size() + 1;
      for (const auto& include : files_[i].includes) {
        const auto& included = files_[include.file];
        if (state[include.file] == 1) {
          if (!included.guarded)
            messages_.push_back(message(i, include.begin,
                                        included.path.filename().string() + " includes itself: begin it with #pragma once"));
          continue;
        }
        const bool again = state[include.file] == 2;
        if (!again) self(self, include.file);
        if (!again || !included.guarded) bytes[i] = std::min(bytes[i] + bytes[include.file], most_expanded_bytes + 1);
      }
      state[i] = 2;
    };
    visit(visit, 0);
    if (bytes[0] > most_expanded_bytes && messages_.empty())
      messages_.push_back(message(0, 0, "its includes come to more than 32 MiB: begin included files with #pragma once"));
  }

  RewriteRequest request(std::size_t i, Target target) const {
    return {target,
            form_ == KernelSource::Form::descriptor,
            form_ == KernelSource::Form::effect,
            static_cast<int>(i),
            kernels_,
            functions_};
  }
  // Twice: a launch is rewritten by what is known of the kernels in all files.
  void read_code() {
    std::vector<std::pair<std::size_t, RewrittenFile>> all;
    for (std::size_t i = 0; i < files_.size(); ++i)
      all.emplace_back(i, rewrite(files_[i].tokens, request(i, Target::simulated)));
    for (const auto& [i, file] : all) {
      for (const auto& [name, needed] : file.kernels) kernels_[name] = std::max(kernels_[name], needed);
      functions_.insert(file.functions.begin(), file.functions.end());
    }
    choose_form(all);
    for (std::size_t i = 0; i < files_.size(); ++i) {
      auto file = rewrite(files_[i].tokens, request(i, Target::simulated));
      deduced_.merge(file.deduced);
      std::ranges::stable_sort(file.problems, {}, &RewrittenFile::Problem::at);
      for (auto& problem : file.problems) messages_.push_back(message(i, problem.at, std::move(problem.text)));
    }
    messages_.insert(messages_.begin(), libraries_.begin(), libraries_.end());
    constexpr std::size_t most = 100;
    if (messages_.size() > most) messages_.resize(most);
  }
  void choose_form(const std::vector<std::pair<std::size_t, RewrittenFile>>& all) {
    const auto choose = [&](std::vector<RewrittenFile::Found> RewrittenFile::*which, KernelSource::Form form,
                            int parameters) {
      for (const auto& [i, file] : all)
        for (const auto& found : file.*which)
          if (parameters < 0 || found.parameters == parameters) {
            form_ = form;
            entry_ = found;
            entry_file_ = i;
            return true;
          }
      return false;
    };
    const auto refuse = [&](const std::string& what) { messages_.push_back(message(entry_file_, entry_.at, what)); };
    if (choose(&RewrittenFile::descriptors, KernelSource::Form::descriptor, -1)) return;
    if (choose(&RewrittenFile::runs, KernelSource::Form::run, 2)) {
      if (entry_.is_exchanged) return refuse("run(Image image, Table table): the parameters are exchanged");
      if (entry_.is_template) form_ = KernelSource::Form::run_template;
      return;
    }
    if (choose(&RewrittenFile::effects, KernelSource::Form::effect, 3)) return;
    if (choose(&RewrittenFile::runs, form_, -1))
      return refuse("run() has two parameters: void run(Image image, Table table)");
    if (choose(&RewrittenFile::effects, form_, -1))
      return refuse("effect() has three parameters: Pixel effect(Boxes boxes, int x, int y)");
    if (choose(&RewrittenFile::misspelt, form_, -1)) {
      const auto name = entry_.name.substr(entry_.name.rfind(':') + 1);
      const bool is_run = name.size() == 3;
      return refuse("nothing to run: define " +
                    std::string(is_run ? "void run(Image image, Table table)" : "Pixel effect(Boxes boxes, int x, int y)") +
                    "; there is " + (is_run ? "a " : "an ") + name);
    }
    messages_.push_back(
        {SourceMessage::Severity::error, files_[0].path, 0, 0,
         "nothing to run: define void run(Image image, Table table), or an effect, Pixel effect(Boxes boxes, int x, "
         "int y)"});
  }

  Path root_;
  const KernelSource* known_;
  std::vector<SourceFile> files_ = reserved();
  std::map<Path::string_type, std::size_t> numbers_;
  std::size_t bytes_ = 0;
  std::vector<Path> missing_;
  std::vector<SourceMessage> messages_, libraries_;
  KernelSource::Form form_ = KernelSource::Form::run;
  RewrittenFile::Found entry_;  // run(), effect() or the descriptor
  std::size_t entry_file_ = 0;
  std::map<std::string, int> kernels_;
  std::set<std::string> functions_, deduced_;

  static std::vector<SourceFile> reserved() {
    std::vector<SourceFile> files;
    files.reserve(most_files);
    return files;
  }
};

// Names are written in commands and in files of columns.
std::string name_of(const Path& file) {
  const auto stem = file.stem().string();
  auto name = utf8_text(stem, stem.npos);
  for (char& c : name) {
    const bool usual = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                       c == '.' || static_cast<unsigned char>(c) >= 128;
    if (!usual) c = '_';
  }
  return name;
}

KernelSource described(const Path& file, const Source& source) {
  KernelSource result;
  result.file = file;
  result.name = name_of(file);
  result.form = source.form();
  result.messages = source.messages();
  result.several_types = source.has_several_types();
  result.missing = source.missing();
  for (const auto& one : source.files()) {
    result.files.push_back(one.path);
    result.texts.push_back(one.text);
  }
  if (result.files.empty()) {
    result.files.push_back(file);
    result.texts.emplace_back();
  }
  if (!source.files().empty()) result.idea = first_sentence(source.files()[0].tokens.first_comment);
  for (auto& message : result.messages) message.name_of_file = result.name_of(message.file);
  return result;
}
Path absolute_path(const Path& file) {
  std::error_code error;
  const auto path = std::filesystem::absolute(file, error);
  return error ? file : path.lexically_normal();
}

void write_text(const Path& path, std::string_view text) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) throw std::filesystem::filesystem_error("cannot be written", path, std::make_error_code(std::errc::io_error));
}

void write_texts(const Source& source, const KernelFrame& frame, const Path& folder, Target target) {
  const bool simulated = target == Target::simulated;
  const std::string stem = simulated ? "simulated" : "cuda";
  const auto name = [&](std::size_t i) { return stem + '.' + std::to_string(i) + ".cuh"; };
  const auto text = [&](std::size_t i) {
    return line_directive(1, source.files()[i].path.native()) + source.rewritten(i, target, name);
  };
  for (std::size_t i = 1; i < source.files().size(); ++i) write_text(folder / name(i), text(i));
  write_text(folder / (stem + (simulated ? ".cpp" : ".cu")), frame.before(simulated) + text(0) + frame.behind(simulated));
}

}  // namespace

std::string first_error(const std::vector<SourceMessage>& messages) {
  const auto error = std::ranges::find(messages, SourceMessage::Severity::error, &SourceMessage::severity);
  if (error == messages.end()) return {};
  const auto name = error->file_name();
  return name + (error->line > 0 ? ':' + std::to_string(error->line) : "") + ": " + error->text;
}

std::string KernelSource::name_of(const std::filesystem::path& path) const {
  const auto is_same = [&](const Path& other) { return other.filename() == path.filename(); };
  const bool has_others = std::ranges::count_if(files, is_same) > 1;
  return (has_others ? path.lexically_relative(file.parent_path()) : path.filename()).string();
}

KernelSource read_kernel_source(const std::filesystem::path& file) {
  const auto path = absolute_path(file);
  const Source source(path);
  return described(path, source);
}

void write_kernel_source(const KernelSource& kernel, const std::filesystem::path& folder, KernelTypes types) {
  const Source source(kernel.file, &kernel);
  if (!source.messages().empty()) throw std::invalid_argument(first_error(source.messages()));
  const auto place = source.message(source.entry_file(), source.entry().at, {});
  const KernelFrame frame = {kernel, source.entry().name, place.file, place.line,
                             types == KernelTypes::first && kernel.several_types};
  for (const auto target : {Target::simulated, Target::cuda}) write_texts(source, frame, folder, target);
}

}  // namespace gpu
