#include "gpu/user_kernels/compiled_kernel.h"

#include <build_identity.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "gpu/cuda/error.h"
#include "gpu/execution/child_process.h"
#include "gpu/execution/driver.h"
#include "gpu/user_kernels/compiler_messages.h"

// CUDA 12.8 brought what loads code while a program runs.
#if defined(CUDART_VERSION) && CUDART_VERSION >= 12080
#define SATSCOPE_LOADS_CUBINS
#endif

namespace gpu {
namespace {

namespace fs = std::filesystem;
using simulated::Build;

constexpr int least_gcc = 11;                     // source_location
constexpr std::pair least_nvcc = {12, 3};         // as third_party/find_nvcc.sh
constexpr std::size_t most_file_bytes = 1 << 30;  // of what a compiler writes

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// ---- compilers ----

// What the compiler says of its version; asked once per process.
std::string version_text(const fs::path& compiler) {
  static std::mutex mutex;
  static std::map<fs::path, std::string> known;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = known.try_emplace(compiler);
  if (is_new)
    run_child({.words = {compiler.string(), "--version"},
               .environment = {"LC_ALL=C"},
               .limits = {.time = std::chrono::seconds(10)},
               .output = [&](std::string_view piece) { at->second += piece; }});
  return at->second;
}

// Of the first line, "g++ (Debian 12.2.0-14) 12.2.0": 12. 0: it is not GCC, whose options are those of the simulated GPU's
// libraries, or does not run.
int gcc_version(const fs::path& compiler) {
  const auto text = version_text(compiler);
  const auto name = text.substr(0, text.find('\n')).find(") ");
  if (text.find("Free Software Foundation") == text.npos || name == text.npos) return 0;
  return std::atoi(text.c_str() + name + 2);
}

[[maybe_unused]] bool is_new_enough_nvcc(const fs::path& compiler) {
  const auto text = version_text(compiler);
  const auto at = text.find("release ");
  std::pair version = {0, 0};
  return at != text.npos && std::sscanf(text.c_str() + at, "release %d.%d", &version.first, &version.second) == 2 &&
         version >= least_nvcc;
}

// The program's file as every folder has it: compilers work in another one than this process. Empty: there is none.
fs::path absolute_program(const std::string& name) {
  const auto file = find_program(name);
  std::error_code error;
  const auto path = file.empty() ? file : fs::absolute(file, error);
  return error ? file : path;
}

// The whole of CXX, which may be a path with spaces; then its words, as of "ccache g++ -m64".
std::vector<std::string> names_of_cxx() {
  const auto chosen = environment("CXX");
  std::vector<std::string> names = {chosen};
  std::istringstream words(chosen);
  for (std::string word; words >> word;)
    if (!word.starts_with('-') && word != chosen) names.push_back(word);
  return names;
}

void find_cxx(KernelTools& tools) {
  int newest = 0;
  auto names = names_of_cxx();
  names.emplace_back("g++");
  for (const auto& name : names) {
    const auto file = absolute_program(name);
    const int version = file.empty() ? 0 : gcc_version(file);
    newest = std::max(newest, version);
    if (version < least_gcc) continue;
    tools.cxx = file.string();
    return;
  }
  tools.problem = newest > 0 ? "g++ " + std::to_string(newest) + " is too old for kernels of your own: install g++ " +
                                   std::to_string(least_gcc) + " or newer, or name it in CXX"
                             : "kernels of your own need a compiler: install g++: sudo apt install g++";
}

void find_nvcc(KernelTools& tools) {
#ifndef CUDART_VERSION
  tools.no_cuda = "this satscope is built without CUDA";
#elif !defined(SATSCOPE_LOADS_CUBINS)
  tools.no_cuda = "this satscope is built with CUDA " + std::to_string(CUDART_VERSION / 1000) + '.' +
                  std::to_string(CUDART_VERSION % 1000 / 10) + ": it needs 12.8 for kernels of your own";
#else
  if (tools.gpu_architecture.empty()) {
    tools.no_cuda = "there is no NVIDIA GPU";
    return;
  }
  // The last one is of the checkout in whose build folder the libraries are: build/release/gpu/simulated.
  const fs::path candidates[] = {
      environment("CUDACXX"), "nvcc", "/usr/local/cuda/bin/nvcc",
      tools.libraries.parent_path().parent_path().parent_path().parent_path() / "third_party/.cuda/bin/nvcc"};
  for (const auto& candidate : candidates)
    if (const auto file = absolute_program(candidate.string()); !file.empty() && is_new_enough_nvcc(file)) {
      tools.nvcc = file.string();
      return;
    }
  tools.no_cuda = "there is no nvcc: install the CUDA Toolkit 12.3 or newer, or name its nvcc in CUDACXX";
#endif
}

// What differs where precompiled headers do.
fs::path folder_for_precompiled(const KernelTools& tools) {
  auto cache = fs::path(environment("XDG_CACHE_HOME"));
  if (const auto home = environment("HOME"); cache.empty() && !home.empty()) cache = fs::path(home) / ".cache";
  if (!cache.is_absolute()) return {};
  auto key = std::to_string(build_identity) + version_text(tools.cxx) + tools.headers.string();
  for (const auto* name : {"plain.options", "observed.options"}) {
    std::ifstream options(tools.headers / name);
    key.append(std::istreambuf_iterator<char>(options), {});
  }
  return cache / "satscope/kernels" / std::to_string(std::hash<std::string>()(key));
}

// Leaves the folders of a few builds, a checkout's and a package's perhaps: those that were used last, of which `now` is one.
void remove_old_precompiled(const fs::path& now) {
  constexpr std::size_t most = 4;
  std::error_code error;
  fs::last_write_time(now, fs::file_time_type::clock::now(), error);
  std::vector<std::pair<fs::file_time_type, fs::path>> others;
  for (fs::directory_iterator other(now.parent_path(), error), end; !error && other != end; other.increment(error))
    if (std::error_code ignored; other->path() != now)
      others.emplace_back(fs::last_write_time(other->path(), ignored), other->path());
  std::ranges::sort(others, std::greater());
  for (std::size_t i = most - 1; i < others.size(); ++i) fs::remove_all(others[i].second, error);
}

// ---- compiling ----

// Before a user's file, because these headers can be precompiled: those that satscope_kernel.cuh includes, but not itself,
// whose names lie outside gpu/'s namespace.
constexpr const char* first_headers[] = {
    "cuda_runtime.h", "algorithm", "gpu/cuda/intrinsics.cuh", "gpu/effects/colour_map.h", "gpu/effects/window_sums.h",
    "gpu/sat.h"};

struct Job {
  const KernelSource& source;
  const KernelTools& tools;
  const KernelLimits& limits;
  fs::path folder;  // of this version
  const std::atomic<bool>& stop;
  std::atomic<bool>& failed;  // a build for the simulated GPU: then the others are in vain
  std::atomic<bool>& hindered;
};

struct Compiled {
  fs::path file;  // empty: there were errors, or it was stopped
  std::vector<SourceMessage> messages;
};

bool has_errors(const std::vector<SourceMessage>& messages) {
  return std::ranges::any_of(messages, &SourceMessage::is_error);
}

// Runs a compiler or linker in the job's folder, where it also puts its temporary files: those of one that is killed stay.
// Adds what it says to `messages`.
bool run_compiler(const Job& job, std::vector<std::string> words, std::vector<SourceMessage>& messages) {
  std::string text;
  const auto take = [&](std::string_view piece) { text += piece; };
  const auto cpu_time = std::chrono::ceil<std::chrono::seconds>(job.limits.time);
  const ChildLimits limits{5 * job.limits.time, job.limits.memory_bytes, most_file_bytes, cpu_time};
  const auto program = fs::path(words[0]).filename().string();
  const auto result = run_child({.words = std::move(words),
                                 .folder = job.folder,
                                 .environment = {"LC_ALL=C", "TMPDIR=" + job.folder.string()},
                                 .limits = limits,
                                 .output = take,
                                 .errors = take,
                                 .stop = [&] { return job.stop.load() || job.failed.load(); }});
  auto said = read_compiler_messages(text, job.source);
  if (result.end == ChildResult::End::stopped) return false;
  const auto has_placed = [](const SourceMessage& each) { return each.is_error() && each.line > 0; };
  // A user's text may have the words by which a lack of memory is told: "#error out of memory".
  const bool has_said_why = result.end == ChildResult::End::out_of_memory
                                ? std::ranges::any_of(said, has_placed)
                                : result.end == ChildResult::End::exited && has_errors(said);
  // g++ reports what has ended the compiler that it starts.
  const bool computes_too_long = (result.end == ChildResult::End::signalled && result.status == SIGXCPU) ||
                                 text.find("CPU time limit exceeded") != text.npos;
  if (!result.succeeded() && computes_too_long)
    said = {{SourceMessage::Severity::error, job.source.file, 0, 0,
             program + " is not done after computing for " + std::to_string(cpu_time.count()) + " s"}};
  else if (result.end == ChildResult::End::timed_out || result.end == ChildResult::End::not_started)
    job.hindered = true;
  if (!result.succeeded() && !computes_too_long && !has_said_why)
    said.push_back({SourceMessage::Severity::error, job.source.file, 0, 0, program + ' ' + text_of(result, limits)});
  messages.insert(messages.end(), said.begin(), said.end());
  return result.succeeded();
}

const char* name_of(Build build) { return build == Build::plain ? "plain" : "observed"; }

// The options of each build stand beside the headers.
std::vector<std::string> words_for_gcc(const KernelTools& tools, Build build) {
  std::vector<std::string> words = {tools.cxx, '@' + (tools.headers / name_of(build)).string() + ".options"};
  for (const auto& folder : {tools.headers / "gpu/simulated/cuda", tools.headers})
    words.insert(words.end(), {"-I", folder.string()});
  return words;
}

// What GCC takes for a header where the precompiled one is beside it. Empty: it has not been made.
fs::path precompiled_header(const KernelTools& tools, Build build) {
  std::error_code ignored;
  const auto header = tools.precompiled / (std::string(name_of(build)) + ".h");
  const bool is_there = fs::exists(header, ignored) && fs::exists(header.string() + ".gch", ignored);
  return tools.precompiled.empty() || !is_there ? fs::path() : header;
}

// To `object`. The options are for what read_compiler_messages() reads.
bool compile_object(const Job& job, Build build, const std::string& object, std::vector<SourceMessage>& messages) {
  auto words = words_for_gcc(job.tools, build);
  for (const auto* option : {"-fmax-errors=20", "-fdiagnostics-color=never", "-fno-diagnostics-show-caret", "-c",
                             "simulated.cpp", "-o", object.c_str()})
    words.emplace_back(option);
  const auto compile = [&](std::vector<std::string> first, std::vector<SourceMessage>& said) {
    first.insert(first.begin(), words.begin(), words.end());
    return run_compiler(job, std::move(first), said);
  };
  if (const auto header = precompiled_header(job.tools, build); !header.empty()) {
    std::vector<SourceMessage> said;
    const bool works = compile({"-include", header.string()}, said);
    // It is not as it was made, or another process has removed it.
    const auto is_of_header = [&](const SourceMessage& message) {
      return message.text.find("PCH") != message.text.npos || message.text.find(header.string()) != message.text.npos;
    };
    if (works || std::ranges::none_of(said, is_of_header)) {
      messages.insert(messages.end(), said.begin(), said.end());
      return works;
    }
  }
  std::vector<std::string> first;
  for (const auto* header : first_headers) first.insert(first.end(), {"-include", header});
  return compile(std::move(first), messages);
}

Compiled compile_simulated(const Job& job, Build build) {
  const std::string name = name_of(build), object = name + ".o", library = name + ".so";
  // Linked to the simulated GPU's library by its path: the loader finds that it is loaded, and binds the kernels to it and to
  // no other library with the same names. Linked apart, because -fsanitize=thread would add GCC's own library.
  std::vector<std::string> link = {job.tools.cxx, "-shared", object, "-o", library};
  for (const auto* option : {"--no-undefined", "-Bsymbolic", "--version-script=exports.map"})
    link.push_back(std::string("-Wl,") + option);
  link.push_back((job.tools.libraries / simulated::library_name(build)).string());
  Compiled compiled;
  if (compile_object(job, build, object, compiled.messages) && run_compiler(job, link, compiled.messages))
    compiled.file = job.folder / library;
  else
    job.failed = true;
  std::error_code ignored;
  fs::remove(job.folder / object, ignored);
  return compiled;
}

// With relative names where the user's could be in them: nvcc starts its programs by a shell.
Compiled compile_cuda(const Job& job) {
  Compiled compiled;
  if (run_compiler(job,
                   {job.tools.nvcc, "-cubin", "-arch=" + job.tools.gpu_architecture, "-std=c++20", "-ccbin", job.tools.cxx,
                    "--expt-relaxed-constexpr", "--extended-lambda", "-fmad=false", "-lineinfo", "-I",
                    job.tools.headers.string(), "cuda.cu", "-o", "kernel.cubin"},
                   compiled.messages))
    compiled.file = job.folder / "kernel.cubin";
  return compiled;
}

// A new folder, whose name has nothing of the user's. Throws std::filesystem::filesystem_error.
fs::path new_folder_in(const fs::path& folder) {
  fs::create_directories(folder);
  auto name = (fs::absolute(folder) / "kernel.XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw fs::filesystem_error("cannot make a folder", folder, std::error_code(errno, std::generic_category()));
  return name;
}

// What the linker makes visible: its entry, and its kernels, which are found by their names for CUDA.
void write_exports(const fs::path& file) { std::ofstream(file) << "{ global: satscope_*; _Z*; local: *; };\n"; }

// ---- loading ----

// What the library of a user's kernels exports (write_kernel_source()).
struct Entry {
  void* library = nullptr;
  const SatAlgorithm* algorithm = nullptr;
  const Effect* effect = nullptr;
};

Entry load(const CompiledKernel& compiled, const fs::path& file) {
  const auto refuse = [&](const std::string& why) { throw std::runtime_error(compiled.source.file.string() + ": " + why); };
  // Never unloaded: see KernelVersion.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) refuse(dlerror());
  const auto* const entry = static_cast<const void* const*>(dlsym(library, "satscope_kernel_entry"));
  if (!entry) refuse(file.string() + " is not a library of kernels");
  if (std::uint64_t identity = 0; std::memcpy(&identity, entry[0], sizeof identity), identity != build_identity)
    refuse("the headers for kernels belong to another build of satscope: rebuild both");
  const Entry found = {library, static_cast<const SatAlgorithm*>(entry[1]), static_cast<const Effect*>(entry[2])};
  if (!found.algorithm == !found.effect) refuse("it defines no algorithm and no effect, or both");
  if (found.algorithm && found.algorithm->device != Device::cuda) refuse("its algorithm is not for GPUs");
  return found;
}

// Fills what CUDA launches in place of the plain library's kernels. Why it cannot; empty: it can.
std::string load_for_cuda([[maybe_unused]] const CompiledKernel& compiled, [[maybe_unused]] void* plain,
                          [[maybe_unused]] LoadedKernels& kernels) {
#ifdef SATSCOPE_LOADS_CUBINS
  try {
    cudaLibrary_t library = nullptr;
    check(cudaLibraryLoadFromFile(&library, compiled.cubin.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    unsigned count = 0;
    check(cudaLibraryGetKernelCount(&count, library));
    std::vector<cudaKernel_t> all(count);
    check(cudaLibraryEnumerateKernels(all.data(), count, library));
    for (const auto kernel : all) {
      const char* name = nullptr;
      check(cudaFuncGetName(&name, reinterpret_cast<const void*>(kernel)));
      if (const void* address = dlsym(plain, name)) kernels.on_cuda[address] = reinterpret_cast<const void*>(kernel);
    }
    return {};
  } catch (const CudaError& error) {
    kernels.on_cuda.clear();
    return "the GPU's driver refuses its code (" + std::string(cudaGetErrorString(error.code())) +
           "): update the driver, or name an older nvcc in CUDACXX";
  }
#else
  return "this satscope cannot load kernels for CUDA";
#endif
}

// A copy of a descriptor with the version's names, for the rest of the process.
template <class Descriptor>
Descriptor* renamed(const Descriptor& from, const KernelVersion& version) {
  auto* const copy = new Descriptor(from);
  copy->name = version.name;
  if (!version.idea.empty()) copy->idea = version.idea;
  return copy;
}

// The descriptors of both builds, by simulated::Build, and the one that stands in the table.
template <class Descriptor>
const Descriptor* add_descriptors(std::array<const Descriptor*, 2>& simulated, const Descriptor* const (&of_builds)[2],
                                  const KernelVersion& version) {
  if (!of_builds[0] || !of_builds[1]) return nullptr;
  for (std::size_t build = 0; build < 2; ++build) simulated[build] = renamed(*of_builds[build], version);
  auto* const in_table = renamed(*of_builds[0], version);
  in_table->version = &version;
  return in_table;
}

}  // namespace

KernelTools find_kernel_tools(std::span<const fs::path> libraries, std::string gpu_architecture) {
  KernelTools tools;
  tools.gpu_architecture = std::move(gpu_architecture);
  std::error_code ignored;
  const auto name = simulated::library_name(Build::plain), observed = simulated::library_name(Build::observed);
  const auto found = std::ranges::find_if(libraries,
                                          [&](const fs::path& folder) { return fs::exists(folder / name, ignored); });
  if (found == libraries.end()) {
    tools.problem = std::string(name) + " is missing, which runs kernels of your own: app/run --kernel builds it";
    return tools;
  }
  tools.libraries = fs::absolute(*found, ignored).lexically_normal();
  tools.headers = tools.libraries / "user_kernels";
  if (!fs::exists(tools.libraries / observed, ignored))
    tools.problem = std::string(observed) + " is not in " + tools.libraries.string() + ": app/run --kernel builds it";
  else if (!fs::exists(tools.headers / "satscope_kernel.cuh", ignored))
    tools.problem = "the headers for kernels are not in " + tools.headers.string() + ": app/run --kernel copies them there";
  else
    find_cxx(tools);
  find_nvcc(tools);
  if (tools.problem.empty()) tools.precompiled = folder_for_precompiled(tools);
  return tools;
}

void precompile_headers(const KernelTools& tools, const KernelLimits& limits, const std::atomic<bool>& stop) {
  std::error_code error;
  if (tools.precompiled.empty()) return;
  fs::create_directories(tools.precompiled, error);
  remove_old_precompiled(tools.precompiled);
  for (const auto build : {Build::plain, Build::observed}) {
    if (!precompiled_header(tools, build).empty()) continue;
    const auto header = (tools.precompiled / name_of(build)).string() + ".h";
    const auto temporary = header + '.' + std::to_string(getpid());  // other processes may do the same
    std::ofstream text(header);
    for (const auto* each : first_headers) text << "#include <" << each << ">\n";
    text.close();
    auto words = words_for_gcc(tools, build);
    words.insert(words.begin(), {"nice", "-n", "10"});
    words.insert(words.end(), {"-x", "c++-header", header, "-o", temporary});
    const auto result = run_child({.words = std::move(words),
                                   .folder = tools.precompiled,
                                   .environment = {"TMPDIR=" + tools.precompiled.string()},
                                   .limits = {limits.time, limits.memory_bytes, most_file_bytes},
                                   .stop = [&] { return stop.load(); }});
    if (result.succeeded()) fs::rename(temporary, header + ".gch", error);
    fs::remove(temporary, error);
  }
}

CompiledKernel compile_kernel(const KernelSource& source, int number, const KernelTools& tools, const KernelLimits& limits,
                              const fs::path& folder, const std::atomic<bool>& stop, KernelTypes types) {
  const auto begin = std::chrono::steady_clock::now();
  CompiledKernel compiled;
  compiled.source = source;
  compiled.number = number;
  compiled.types = source.several_types ? types : KernelTypes::all;
  compiled.no_cuda = tools.no_cuda;
  std::vector<SourceMessage> messages[4] = {source.messages};
  std::atomic<bool> failed = false, hindered = false;
  const Job job = {source, tools, limits, new_folder_in(folder), stop, failed, hindered};
  if (!tools.problem.empty()) messages[0].push_back({SourceMessage::Severity::error, source.file, 0, 0, tools.problem});
  if (!has_errors(messages[0])) {
    write_kernel_source(source, job.folder, types);
    write_exports(job.folder / "exports.map");
    auto cuda = std::async(std::launch::async, [&] { return tools.nvcc.empty() ? Compiled() : compile_cuda(job); });
    auto observed = std::async(std::launch::async, [&] { return compile_simulated(job, Build::observed); });
    auto plain = compile_simulated(job, Build::plain);
    auto of_observed = observed.get(), of_cuda = cuda.get();
    if (!plain.file.empty() && !of_observed.file.empty()) {
      compiled.plain = plain.file;
      compiled.observed = of_observed.file;
      compiled.cubin = of_cuda.file;
      if (!tools.nvcc.empty() && of_cuda.file.empty())
        compiled.no_cuda = of_cuda.messages.empty() ? "it was stopped" : first_error(of_cuda.messages);
    }
    messages[1] = std::move(plain.messages);
    messages[2] = std::move(of_observed.messages);
    messages[3] = std::move(of_cuda.messages);
  }
  compiled.messages = merged(messages);
  compiled.was_hindered = hindered && !compiled.works();
  compiled.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return compiled;
}

const KernelVersion& load_kernel(const CompiledKernel& compiled) {
  const Entry builds[] = {load(compiled, compiled.plain), load(compiled, compiled.observed)};
  auto* const version = new KernelVersion;
  version->file = compiled.source.file;
  version->number = compiled.number;
  version->name = compiled.source.name;
  version->idea = compiled.source.idea;
  version->kernels.label = version->name + '.' + std::to_string(version->number);
  if (compiled.types == KernelTypes::first) version->kernels.label += ".first";  // its memory may be laid out otherwise
  version->algorithm = add_descriptors(version->simulated_algorithm, {builds[0].algorithm, builds[1].algorithm}, *version);
  version->effect = add_descriptors(version->simulated_effect, {builds[0].effect, builds[1].effect}, *version);
  version->no_cuda = compiled.cubin.empty() ? compiled.no_cuda
                                            : load_for_cuda(compiled, builds[0].library, version->kernels);
  version->on_cuda = version->no_cuda.empty();
  return *version;
}

}  // namespace gpu
