#include "gpu/user_kernels/kernel_rewriting.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "gpu/user_kernels/cuda_declarations.h"

namespace gpu {
namespace {

using Tokens = std::vector<Token>;
constexpr auto none = std::numeric_limits<std::size_t>::max();
constexpr std::size_t deepest = 1000;

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::ranges::find(words, word) != words.end();
}

// What the simulated GPU has not, by a word of it; empty: it may have it.
std::string why_not_simulated(std::string_view word, std::string_view next) {
  const auto begins = [&](std::string_view with) { return word.starts_with(with); };
  const auto name = std::string(word);
  if (word == "asm" || word == "__asm__" || word == "__asm") return "inline PTX (asm) is not simulated";
  if (begins("tex1D") || begins("tex2D") || begins("tex3D") || begins("texCubemap") || word == "cudaTextureObject_t" ||
      (word == "texture" && next == "<"))
    return "textures are not simulated (" + name + "): read the image itself, image(x, y)";
  if (begins("surf") && word.ends_with("read") && next != ";") return "reads of surfaces are not simulated (" + name + ")";
  if (word == "__cluster_dims__" || word == "this_cluster" || word == "cluster_group")
    return "thread block clusters are not simulated (" + name + ")";
  if (begins("cp_async_bulk") || begins("__pipeline_") || (word == "memcpy_async" && next == "("))
    return "bulk and asynchronous copies are not simulated (" + name + ")";
  if (word == "wmma" || word == "nvcuda") return "tensor cores' wmma is not simulated";
  return {};
}

// Those with which courses on CUDA wait for kernels and look for errors. Launches are in order, and throw.
constexpr std::array<std::string_view, 4> of_no_effect{"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaGetLastError",
                                                       "cudaPeekAtLastError"};

// Functions of CUDA's runtime that run() does not need.
std::string why_not_called(std::string_view name) {
  const auto begins = [&](auto... with) { return (name.starts_with(with) || ...); };
  const auto called = std::string(name) + "()";
  if (begins("cudaMemcpyToSymbol", "cudaMemcpyFromSymbol", "cudaGetSymbol"))
    return called + " is not simulated: give a __constant__ variable its value where it is declared";
  if (begins("cudaMalloc", "cudaFree", "cudaHostAlloc"))
    return called + " is not available: scratch<T>(n) is memory until the end of run()";
  if (begins("cudaMemset")) return called + " is not available: clear the memory in a kernel";
  if (begins("cudaMemcpy", "cudaMemPrefetch", "cudaMemAdvise"))
    return called + " is not available: image and table are in the GPU's memory; copy in a kernel";
  if (begins("cudaEventSynchronize", "cudaThreadSynchronize"))
    return called + " is not available: kernels run one after another, and run() does not wait for them";
  if (begins("cudaLaunch")) return called + " is not available: start kernels by kernel<<<grid, block>>>(arguments)";
  if (begins("cudaStream", "cudaEvent", "cudaGraph", "cudaDevice", "cudaGetDevice", "cudaSetDevice", "cudaFunc",
             "cudaOccupancy", "cudaBindTexture", "cudaCreateTexture", "cudaHost"))
    return called + " is not available: run() starts kernels and takes scratch memory, and nothing else";
  return {};
}

class Rewriter {
 public:
  Rewriter(const TokenText& file, const RewriteRequest& request) : file_(file), request_(request) {}

  RewrittenFile all() {
    const LiveTokens live(file_, simulated());
    tokens_ = live.tokens;
    for (const auto& [at, what] : live.problems) problem(at, what);
    std::size_t marks = 0;
    for (std::size_t i = 0; i < tokens_.size() && !too_deep_; ++i) {
      for (; marks < live.marks.size() && live.marks[marks].next <= i; ++marks) follow(live.marks[marks].kind);
      token(i);
    }
    if (!scopes_.empty() && !too_deep_)
      for (const auto& scope : scopes_)
        if (scope.kind != Scope::Kind::paren) {
          problem(tokens_[scope.open].begin, "'{' without its '}'");
          break;
        }
    if (simulated())
      for (const auto* directive : live.macros) macro(*directive);
    return std::move(result_);
  }

 private:
  struct Scope {
    enum class Kind { space, type, function, block, initializer, paren };
    Kind kind = Kind::block;
    std::size_t open = 0;
    bool device = false;          // in a function of the GPU
    std::size_t declaration = 0;  // where that began which continues behind it
    std::string name = {};        // of a namespace
    Declaration function = {};    // of a function
    bool is_c = false;            // extern "C"
  };

  bool simulated() const { return request_.target == RewriteRequest::Target::simulated; }
  std::string_view text(std::size_t i) const { return i < tokens_.size() ? file_[tokens_[i]] : std::string_view(); }
  bool in_declarations() const {
    return scopes_.empty() || scopes_.back().kind == Scope::Kind::space || scopes_.back().kind == Scope::Kind::type;
  }
  bool on_device() const { return !scopes_.empty() && scopes_.back().device; }
  void problem(std::size_t at, std::string what) {
    constexpr std::size_t most = 50;
    if (simulated() && result_.problems.size() < most) result_.problems.push_back({at, std::move(what)});
  }
  void edit(std::size_t begin, std::size_t end, std::string text) { result_.edits.push_back({begin, end, std::move(text)}); }
  void blank(const Token& token) { edit(token.begin, token.end, std::string(token.end - token.begin, ' ')); }

  // Alternatives of #if are read one after another: each begins where the first one did.
  void follow(LiveTokens::Mark::Kind kind) {
    using Kind = LiveTokens::Mark::Kind;
    if (kind == Kind::begin) {
      constexpr std::size_t most = 64;
      if (before_alternatives_.size() < most)
        before_alternatives_.push_back({scopes_, declaration_});
      else
        before_alternatives_.push_back({});
    } else if (before_alternatives_.empty()) {
      return;
    } else if (kind == Kind::other) {
      scopes_ = before_alternatives_.back().first;
      declaration_ = before_alternatives_.back().second;
    } else {
      before_alternatives_.pop_back();
    }
  }

  void token(std::size_t i) {
    const auto word = text(i);
    if (tokens_[i].kind == Token::Kind::word) return this->word(i, word);
    if (tokens_[i].kind != Token::Kind::punctuation) return;
    if (word == "{") return open_brace(i);
    if (word == "}") return close_brace(i);
    if (word == "(" || word == "[") return open({.kind = Scope::Kind::paren, .open = i, .device = on_device()});
    if (word == ")" || word == "]") {
      if (!scopes_.empty() && scopes_.back().kind == Scope::Kind::paren) scopes_.pop_back();
    } else if (word == ";") {
      if (!scopes_.empty() && scopes_.back().kind == Scope::Kind::paren) return;
      if (in_declarations()) end_of_declaration(i);
      declaration_ = i + 1;
    } else if (word == ":") {
      const auto before = i > declaration_ ? text(i - 1) : std::string_view();
      const bool is_access = before == "public" || before == "private" || before == "protected";
      if (is_access || !in_declarations()) declaration_ = i + 1;
    } else if (word == "<<<") {
      launch(tokens_, i, on_device());
    }
  }

  void word(std::size_t i, std::string_view word) {
    if (!simulated()) return;
    if (word == "__shared__") {
      if (!in_declarations()) return shared(tokens_, i, declaration_, false);
      return shared_at_file_scope(i);
    }
    const auto before = i > 0 ? text(i - 1) : std::string_view();
    if (before == "." || before == "->") return;
    if ((word == "__device__" || word == "__managed__") && !in_declarations() &&
        (before == "static" || before == ";" || before == "{" || before == "}"))
      return device_variable(tokens_[i].begin, word);
    if (auto why = why_not_simulated(word, text(i + 1)); !why.empty()) return problem(tokens_[i].begin, std::move(why));
    if (request_.is_descriptor) return;
    if (!word.starts_with("cuda") || text(i + 1) != "(") return kernel_name(i, before);
    if (is_one_of(word, of_no_effect)) return call_of_no_effect(tokens_, i, on_device());
    if (auto why = why_not_called(word); !why.empty()) problem(tokens_[i].begin, std::move(why));
  }
  void call_of_no_effect(const Tokens& tokens, std::size_t i, bool device) {
    const auto& token = tokens[i];
    if (device)
      return problem(token.begin, std::string(file_[token]) +
                                      "() is called in run(): in a kernel, threads of a block wait in __syncthreads()");
    const bool is_global = i > 0 && file_[tokens[i - 1]] == "::";
    std::string name = is_global ? "satscope::done" : "::satscope::done";  // no longer than the shortest of them
    name.resize(token.end - token.begin, ' ');
    edit(token.begin, token.end, std::move(name));
  }
  // A kernel that is called like a function would run on the CPU. Those of the GPU may have functions of the same name from
  // headers that are not read here.
  void kernel_name(std::size_t i, std::string_view before) {
    const auto name = std::string(text(i));
    if (in_declarations() || on_device() || !request_.kernels.contains(name) || request_.functions.contains(name)) return;
    static constexpr std::array<std::string_view, 9> begins{";", "{", "}", ")", ":", "?", "else", "do", "return"};
    const bool is_global = before == "::" && tokens_[i - 2].kind != Token::Kind::word && text(i - 2) != ">";
    if (!is_global && !is_one_of(before, begins)) {  // "auto rows = [&] {...};", "std::function<void()> rows;"
      if ((tokens_[i - 1].kind == Token::Kind::word && before != "void") || before == ">") hidden_.insert(name);
      return;
    }
    constexpr std::size_t longest = 256;
    auto open = i + 1;
    if (text(open) == "<") open = behind_angle(file_, tokens_, open, std::min(tokens_.size(), open + longest));
    if (text(open) != "(" || hidden_.contains(name)) return;
    const auto callee = file_.text.substr(tokens_[i].begin, tokens_[open - 1].end - tokens_[i].begin);
    const bool is_short = callee.size() < 80 && callee.find('\n') == callee.npos;
    problem(tokens_[i].begin,
            name + " is a kernel: start it with " + (is_short ? std::string(callee) : name) + "<<<blocks, threads>>>(...)");
  }
  void device_variable(std::size_t at, std::string_view word) {
    problem(at, "a " + std::string(word) + " variable is not simulated: take scratch<T>(n), and pass it to the kernels");
  }

  void open(Scope scope) {
    if (scopes_.size() >= deepest) {
      if (!too_deep_) problem(tokens_[scope.open].begin, "more than 1000 brackets inside one another");
      too_deep_ = true;
      return;
    }
    scopes_.push_back(std::move(scope));
  }
  void open_brace(std::size_t i) {
    Scope scope{.open = i, .device = on_device(), .declaration = declaration_};
    if (in_declarations()) classify(scope, i);
    if (scope.kind != Scope::Kind::initializer) declaration_ = i + 1;
    open(std::move(scope));
  }
  void classify(Scope& scope, std::size_t i) {
    const Declaration found(file_, tokens_, declaration_, i);
    using Kind = Scope::Kind;
    if (found.namespace_at != Declaration::none) {
      scope.kind = Kind::space;
      for (auto j = found.namespace_at + 1; j < i; ++j)
        if (tokens_[j].kind == Token::Kind::word || text(j) == "::") scope.name += text(j);
      if (scope.name.empty()) name_namespace(found, i);
    } else if (found.is_linkage) {
      scope.kind = Kind::space;
      scope.is_c = text(i - 1) == "\"C\"";
    } else if (found.is_function()) {
      scope.kind = found.in_member_initializers(file_, tokens_, i) ? Kind::initializer : Kind::function;
      scope.device = found.is_kernel || (found.is_device && !found.is_host);
      if (scope.kind == Kind::function) function(found, i), scope.function = found;
    } else if (found.is_type && !found.has_value) {
      scope.kind = Kind::type;
    } else {
      scope.kind = Kind::initializer;
      descriptor(i);
    }
  }
  void name_namespace(const Declaration& found, std::size_t i) {
    if (text(i - 1) != "namespace") return;  // with attributes
    const auto& keyword = tokens_[found.namespace_at];
    const bool is_inline = found.namespace_at > 0 && text(found.namespace_at - 1) == "inline";
    if (!is_inline) edit(keyword.begin, keyword.begin, "inline ");
    edit(keyword.end, keyword.end, " satscope_unnamed");
  }
  void close_brace(std::size_t i) {
    while (!scopes_.empty() && scopes_.back().kind == Scope::Kind::paren) scopes_.pop_back();
    if (scopes_.empty()) return;
    const auto scope = std::move(scopes_.back());
    scopes_.pop_back();
    const bool continues = scope.kind == Scope::Kind::type || scope.kind == Scope::Kind::initializer;
    declaration_ = continues ? scope.declaration : i + 1;
    if (at_namespace_scope()) hidden_.clear();
    if (scope.kind == Scope::Kind::function && scope.function.is_kernel) finder(scope.function, tokens_[i].end);
  }

  std::string qualified(std::string_view name) const {
    std::string all;
    for (const auto& scope : scopes_)
      if (!scope.name.empty()) all += "::" + scope.name;
    return all + "::" + std::string(name);
  }
  bool at_namespace_scope() const { return scopes_.empty() || scopes_.back().kind == Scope::Kind::space; }

  // A function's definition, whose body begins at token `i`.
  void function(const Declaration& found, std::size_t i) {
    const auto name = text(found.name);
    if (found.is_kernel)
      kernel(found);
    else
      result_.functions.insert(std::string(name));
    if (at_namespace_scope() && !found.is_kernel && text(found.name - 1) != "::") entry(found, name);
    const bool anywhere = found.is_kernel || found.is_device || found.is_host;
    if (!simulated() && request_.is_effect && !anywhere && text(found.first) != "requires" && found.first < i) {
      const auto at = tokens_[found.first].begin;
      edit(at, at, "__host__ __device__ ");
    }
  }
  void entry(const Declaration& found, std::string_view name) {
    std::string small(name);
    for (char& c : small)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (small != "run" && small != "effect") return;
    auto& all = small != name ? result_.misspelt : name == "run" ? result_.runs : result_.effects;
    const auto parameter = [&](std::string_view type) {
      for (auto j = found.open; j < found.close; ++j)
        if (text(j) == type) return j;
      return none;
    };
    all.push_back({qualified(name), found.is_template(), found.count_parameters(file_, tokens_), tokens_[found.name].begin,
                   parameter("Table") < parameter("Image") && parameter("Image") != none && !found.is_template()});
  }
  // Its name must be one that the linker sees, and that tells its parameters.
  void kernel(const Declaration& found) {
    for (auto j = found.first; j < found.name; ++j) {
      if (text(j) == "static") blank(tokens_[j]);
      if (text(j) == "extern" && text(j + 1) == "\"C\"") blank(tokens_[j]), blank(tokens_[j + 1]);
    }
    for (auto& scope : scopes_)
      if (std::exchange(scope.is_c, false)) {
        const auto& string = tokens_[scope.open - 1];
        edit(string.begin, string.end, "\"C++\"");
      }
    auto& needed = result_.kernels[std::string(text(found.name))];
    if (!found.is_template()) return;
    needed = std::max(needed, found.needed_template_arguments(file_, tokens_));
  }
  // Behind a kernel that is a template: a function that is never called, whose type tells the kernel that a call would choose.
  void finder(const Declaration& found, std::size_t at) {
    if (!simulated() || !found.is_template()) return;
    const auto arguments = found.template_argument_names(file_, tokens_);
    if (arguments.empty()) return;
    const auto name = std::string(text(found.name));
    const auto part = [&](std::size_t first, std::size_t last) {
      auto all = std::string(file_.text.substr(tokens_[first].begin, tokens_[last].end - tokens_[first].begin));
      std::ranges::replace(all, '\n', ' ');
      return all;
    };
    if (file_.text
            .substr(tokens_[found.template_begin].begin, tokens_[found.close].end - tokens_[found.template_begin].begin)
            .find_first_of("/\\#") != std::string_view::npos)
      return;  // comments and directives
    result_.finders[name].push_back({at, at,
                                     ' ' + part(found.template_begin, found.template_end) + " ::satscope::Kernel<&" + name +
                                         '<' + arguments + ">> satscope_find_" + name + part(found.open, found.close) +
                                         ';'});
  }

  void descriptor(std::size_t i) {
    for (auto j = declaration_; j + 1 < i && j < declaration_ + 16; ++j)
      if (text(j) == "SatAlgorithm" && text(j + 1).starts_with("sat_") && at_namespace_scope())
        if (auto name = qualified(text(j + 1)); result_.descriptors.empty() || result_.descriptors.back().name != name)
          result_.descriptors.push_back({std::move(name), false, 0, tokens_[j + 1].begin});
  }

  // One that ends with a semicolon, at token `i`.
  void end_of_declaration(std::size_t i) {
    if (declaration_ >= i) return;
    const Declaration found(file_, tokens_, declaration_, i);
    if (at_namespace_scope()) hidden_.clear();
    if (found.is_kernel && found.is_function()) {
      kernel(found);
      return finder(found, tokens_[i].end);
    }
    if (found.is_function()) result_.functions.insert(std::string(text(found.name)));
    if (!simulated() || found.is_function()) return;
    const bool has_value = found.has_value ||
                           std::ranges::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(declaration_),
                                               tokens_.begin() + static_cast<std::ptrdiff_t>(i),
                                               [&](const auto& token) { return file_[token] == "{"; });
    if (found.device_at != Declaration::none && !found.is_type && !(found.is_const && has_value))
      device_variable(tokens_[found.device_at].begin, text(found.device_at));
    if (found.constant_at != Declaration::none) {
      const auto& word = tokens_[found.constant_at];
      edit(word.begin, word.end, found.is_const ? "            " : "const       ");
      if (!has_value && !found.is_extern)
        problem(word.begin,
                "give the __constant__ variable its value where it is declared: cudaMemcpyToSymbol() is not simulated");
    }
  }

  // The variables of a declaration with __shared__ at token `i`; `begin`: of the declaration.
  void shared(const Tokens& tokens, std::size_t i, std::size_t begin, bool in_macro) {
    const auto id = in_macro ? std::string() : shared_name(false);
    const SharedDeclaration found(file_, tokens, begin, i);
    if (!found.problem.empty()) return problem(tokens[found.at].begin, found.problem);
    if (!found.has_end && !in_macro) return;  // half written: braces are missing, too
    const auto structure = in_macro ? "satscope_shared_ ## " + found.names.front() : id;
    declare_in(structure, tokens, found);
    std::string after = "};";
    for (const auto& name : found.names)
      after += found.is_extern
                   ? " auto const " + name + " = ::satscope::dynamic_shared<decltype(" + structure + "::" + name + ")>();"
                   : " auto& " + name + " = ::gpu::static_shared<" + structure + ">()." + name + ';';
    if (!found.has_end) {  // in a macro, behind which it comes
      after.insert(0, ";");
      after.pop_back();
    }
    edit(found.end, found.end, after);
  }
  void shared_at_file_scope(std::size_t i) {
    const SharedDeclaration found(file_, tokens_, declaration_, i);
    if (!found.problem.empty()) return problem(tokens_[found.at].begin, found.problem);
    if (!found.has_end) return;
    if (!found.is_extern)
      return problem(tokens_[i].begin,
                     "a __shared__ variable outside a function is not simulated: declare it in the kernel");
    const auto structure = shared_name(true);
    declare_in(structure, tokens_, found);
    std::string after = "};";
    for (const auto& name : found.names)
      after += " constexpr ::satscope::DynamicShared<decltype(" + structure + "::" + name + ")> " + name + "{};";
    edit(found.end, found.end, after);
  }
  std::string shared_name(bool at_file_scope) {
    constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyz";
    const auto number = shared_count_++;
    if (!at_file_scope && number < digits.size()) return std::string("_") + digits[number];
    return "satscope_shared_" + std::to_string(request_.file) + '_' + std::to_string(number);
  }
  // The declaration, as members of a struct: what stands before __shared__ moves behind it.
  void declare_in(const std::string& structure, const Tokens& tokens, const SharedDeclaration& found) {
    std::string before;
    for (auto j = found.begin; j < found.keyword; ++j) {
      const auto word = file_[tokens[j]];
      if (word != "static" && word != "extern") before += std::string(word) + ' ';
      if (word.find('\n') == word.npos) blank(tokens[j]);
    }
    const auto& keyword = tokens[found.keyword];
    edit(keyword.begin, keyword.end, "struct " + structure + '{' + before);
    for (const auto at : found.unbounded) edit(at, at, "1");
  }

  // kernel<<<grid, block>>>(arguments), with `<<<` at token `i`.
  void launch(const Tokens& tokens, std::size_t i, bool device, bool in_macro = false) {
    if (!simulated()) return;
    const auto at = tokens[i].begin;
    if (device) return problem(at, "a kernel that starts kernels (dynamic parallelism) is not simulated");
    if (request_.is_descriptor) return problem(at, "with a SatAlgorithm, kernels are started by context.launch()");
    const LaunchSyntax found(file_, tokens, i);
    if (found.close == LaunchSyntax::none || found.callee == LaunchSyntax::none)
      return problem(at, "a launch is kernel<<<grid, block>>>(arguments)");
    const auto begin = tokens[found.callee].begin, end = tokens[i - 1].end;
    // `#define name(...` would be a macro with parameters.
    const bool space = !in_macro && begin > 0 && (file_.text[begin - 1] == ' ' || file_.text[begin - 1] == '\t');
    std::string open = "(";
    const auto name = std::string(file_[tokens[found.name]]);
    const auto known = request_.kernels.find(name);
    const bool deduced = known != request_.kernels.end() && found.template_arguments < known->second;
    if (deduced) {
      result_.deduced.insert(name);
      open += "::satscope::deduced([](const auto&... satscope_a) -> decltype(";
      edit(tokens[found.name].begin, tokens[found.name].begin, "satscope_find_");
    }
    edit(space ? begin - 1 : begin, begin, open);
    if (deduced) edit(end, end, "(satscope_a...)) { return {}; })");
    edit(tokens[i].begin, tokens[i].end, "|$(");
    edit(tokens[found.close].begin, tokens[found.close].end, ")) ");
  }

  void macro(const Directive& directive) {
    const auto& tokens = directive.tokens;
    for (std::size_t i = 2; i < tokens.size(); ++i) {
      if (file_[tokens[i]] == "<<<") launch(tokens, i, false, true);
      if (!request_.is_descriptor && is_one_of(file_[tokens[i]], of_no_effect) && i + 1 < tokens.size() &&
          file_[tokens[i + 1]] == "(")
        call_of_no_effect(tokens, i, false);
      if (file_[tokens[i]] != "__shared__") continue;
      std::size_t begin = i;
      while (begin > 2 && (tokens[begin - 1].kind == Token::Kind::word || file_[tokens[begin - 1]] == ")")) --begin;
      while (begin < i && file_[tokens[begin]] != "extern" && file_[tokens[begin]] != "static" &&
             file_[tokens[begin]] != "volatile")
        ++begin;
      shared(tokens, i, begin, true);
    }
  }

  const TokenText& file_;
  const RewriteRequest& request_;
  Tokens tokens_;
  std::vector<Scope> scopes_;
  std::vector<std::pair<std::vector<Scope>, std::size_t>> before_alternatives_;
  std::size_t declaration_ = 0;  // where the declaration or statement begins
  std::size_t shared_count_ = 0;
  std::set<std::string> hidden_;  // names of kernels that are those of variables in this function
  bool too_deep_ = false;
  RewrittenFile result_;
};

}  // namespace

RewrittenFile rewrite(const TokenText& file, const RewriteRequest& request) { return Rewriter(file, request).all(); }

std::string edited(std::string_view text, std::vector<TextEdit> edits) {
  std::ranges::stable_sort(edits, {}, &TextEdit::begin);
  std::string result;
  std::size_t at = 0;
  for (const auto& edit : edits) {
    if (edit.begin < at || edit.end < edit.begin || edit.end > text.size()) continue;
    result += text.substr(at, edit.begin - at);
    result += edit.text;
    at = edit.end;
  }
  return result += text.substr(at);
}

}  // namespace gpu
