// Which compilers are found, and files that are compiled and loaded.
#include "gpu/user_kernels/compiled_kernel.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "gpu/cuda/memory.h"
#include "gpu/execution/driver.h"
#include "gpu/sat_runner.h"
#include "gpu/tests/refusal.h"
#include "gpu/tests/user_kernels/judged_file.h"

namespace gpu {
namespace {

using Severity = SourceMessage::Severity;

// Changes a variable of the environment for its lifetime; null: it is not set.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before, was_set_ = true;
    set(value);
  }
  ~Variable() { set(was_set_ ? before_.c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) { value ? ::setenv(name_, value, 1) : ::unsetenv(name_); }

  const char* name_;
  std::string before_;
  bool was_set_ = false;
};

TEST(KernelToolsTest, WithoutACompilerThePackageIsNamed) {
  const Variable path("PATH", "/nowhere"), cxx("CXX", nullptr);
  EXPECT_EQ(tools_of_tests().problem, "kernels of your own need a compiler: install g++: sudo apt install g++");
}

std::filesystem::path program_of_test(const std::filesystem::path& file, const std::string& lines) {
  std::ofstream(file) << "#!/bin/sh\n" << lines;
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file;
}

TEST(KernelToolsTest, CompilersAreTheSameInEveryFolder) {
  const FolderOfTest folder;
  const auto gcc = program_of_test(folder.path() / "my-g++", "echo 'g++ (GCC) 12.2.0'\necho 'Free Software Foundation'\n");
  const auto nvcc = program_of_test(folder.path() / "nvcc", "echo 'Cuda compilation tools, release 12.8, V12.8.1'\n");
  const Variable cxx("CXX", std::filesystem::relative(gcc).c_str());
  const Variable cudacxx("CUDACXX", std::filesystem::relative(nvcc).c_str());
  const std::filesystem::path folders[] = {SIMULATED_FOLDER};
  const auto tools = find_kernel_tools(folders, "sm_90");
  EXPECT_EQ(tools.problem, "");
  EXPECT_TRUE(std::filesystem::path(tools.cxx).is_absolute()) << tools.cxx;
  EXPECT_TRUE(std::filesystem::equivalent(tools.cxx, gcc)) << tools.cxx;
  if (tools.nvcc.empty()) GTEST_SKIP() << tools.no_cuda;
  EXPECT_TRUE(std::filesystem::path(tools.nvcc).is_absolute()) << tools.nvcc;
  EXPECT_TRUE(std::filesystem::equivalent(tools.nvcc, nvcc)) << tools.nvcc;
}

TEST(KernelToolsTest, OfSeveralWordsTheCompilerIsTaken) {
  const FolderOfTest folder;
  const auto launcher = program_of_test(
      folder.path() / "launcher",
      "echo 'ccache version 4.8'\necho 'Copyright (C) 2009 Joel Rosdahl'\necho 'by the Free Software Foundation'\n");
  const auto gcc = program_of_test(folder.path() / "my-g++", "echo 'g++ (GCC) 12.2.0'\necho 'Free Software Foundation'\n");
  const Variable cxx("CXX", (launcher.string() + "  " + gcc.string() + " -m64").c_str());
  const auto tools = tools_of_tests();
  EXPECT_EQ(tools.problem, "");
  EXPECT_EQ(tools.cxx, gcc);
}

TEST(KernelToolsTest, WhatIsNotGccIsPassedOver) {
  const FolderOfTest folder;
  const auto other = program_of_test(folder.path() / "other compiler", "echo 'clang version 99'\n");
  const Variable cxx("CXX", other.c_str());
  const auto tools = tools_of_tests();
  EXPECT_EQ(tools.problem, "");
  EXPECT_EQ(std::filesystem::path(tools.cxx).filename(), "g++");
}

TEST(KernelToolsTest, AnOldCompilerIsTooOld) {
  const FolderOfTest folder;
  program_of_test(folder.path() / "g++", "echo 'g++ (Debian 9.3.0-1) 9.3.0'\necho 'Free Software Foundation'\n");
  const Variable path("PATH", (folder.path().string() + ":/nowhere").c_str()), cxx("CXX", nullptr);
  EXPECT_EQ(tools_of_tests().problem,
            "g++ 9 is too old for kernels of your own: install g++ 11 or newer, or name it in CXX");
}

TEST(KernelToolsTest, LibrariesThatAreMissingAreNamed) {
  const FolderOfTest folder;
  const std::filesystem::path none[] = {folder.path()};
  EXPECT_EQ(find_kernel_tools(none, "").problem,
            "libsatscope_simulated.so is missing, which runs kernels of your own: app/run --kernel builds it");
  std::ofstream(folder.path() / "libsatscope_simulated.so") << "plain";
  EXPECT_EQ(find_kernel_tools(none, "").problem,
            "libsatscope_observed.so is not in " + folder.path().string() + ": app/run --kernel builds it");
  std::ofstream(folder.path() / "libsatscope_observed.so") << "observed";
  EXPECT_EQ(find_kernel_tools(none, "").problem, "the headers for kernels are not in " +
                                                     (folder.path() / "user_kernels").string() +
                                                     ": app/run --kernel copies them there");
}

TEST(KernelToolsTest, WithoutAGpuThereIsAReason) { EXPECT_NE(tools_of_tests().no_cuda, ""); }

constexpr const char* rows_and_columns = R"(// Sums rows, then columns. Slowly.
#include <satscope_kernel.cuh>

__global__ void rows(Image image, Table table) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= image.height) return;
  unsigned sum = 0;
  for (int x = 0; x < image.width; ++x) table(x, y) = sum += image(x, y);
}

__global__ void columns(Table table) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= table.width) return;
  unsigned sum = 0;
  for (int y = 0; y < table.height; ++y) table(x, y) = sum += table(x, y);
}

void run(Image image, Table table) {
  rows<<<blocks(image.height, 128), 128>>>(image, table);
  columns<<<blocks(image.width, 128), 128>>>(table);
}
)";

constexpr KernelLimits patient{std::chrono::minutes(10)};  // where many tests run at once

class CompiledKernelTest : public testing::Test {
 protected:
  CompiledKernel compile(const std::string& name, const std::string& text, const KernelLimits& limits = patient) {
    const auto file = folder_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return compile_kernel(read_kernel_source(file), number_++, tools_of_tests(), limits, folder_.path() / "out", stop_);
  }
  static std::string replaced(std::string text, const std::string& what, const std::string& with) {
    return text.replace(text.find(what), what.size(), with);
  }
  // The last entry of the table of ten pixels 0, 1, 2, ...: 45.
  static std::uint32_t sum_by(const KernelVersion& version) {
    const std::filesystem::path folders[] = {SIMULATED_FOLDER};
    const auto loaded = simulated::load_driver(simulated::Build::plain, folders);
    EXPECT_EQ(loaded.reason, "");
    const Buffer<std::byte> workspace(1 << 16, Device::host);
    auto context = Context::on_simulated(*loaded.driver, workspace.span());
    std::uint8_t image[10];
    std::uint32_t table[10] = {};
    for (int i = 0; i < 10; ++i) image[i] = static_cast<std::uint8_t>(i);
    compute_sat(context, *version.algorithm, ImageView<const std::uint8_t>{image, 5, 2, 5},
                ImageView<std::uint32_t>{table, 5, 2, 5}, Arguments(version.algorithm->parameters));
    return table[9];
  }

  FolderOfTest folder_;
  std::atomic<bool> stop_ = false;
  int number_ = 1;
};

TEST_F(CompiledKernelTest, AFileIsCompiledAndLoaded) {
  const auto compiled = compile("mine.cu", rows_and_columns);
  ASSERT_TRUE(compiled.works()) << lines_of(compiled.messages);
  EXPECT_EQ(lines_of(compiled.messages), "");
  const auto& version = load_kernel(compiled);
  EXPECT_EQ(version.name, "mine");
  EXPECT_EQ(version.idea, "Sums rows, then columns.");
  EXPECT_EQ(version.kernels.label, "mine.1");
  EXPECT_FALSE(version.on_cuda);
  EXPECT_EQ(version.no_cuda, tools_of_tests().no_cuda);
  ASSERT_TRUE(version.algorithm);
  EXPECT_EQ(version.algorithm->name, "mine");
  EXPECT_EQ(version.algorithm->version, &version);
  for (const auto* of_build : version.simulated_algorithm) {
    ASSERT_TRUE(of_build);
    EXPECT_EQ(of_build->name, "mine");
    EXPECT_EQ(of_build->version, nullptr);
  }
  EXPECT_NE(version.simulated_algorithm[0]->run, version.simulated_algorithm[1]->run);
  EXPECT_EQ(version.effect, nullptr);
  EXPECT_EQ(sum_by(version), 45u);
}

TEST_F(CompiledKernelTest, AnOldVersionGoesOnBesideANewOne) {
  const auto& first = load_kernel(compile("mine.cu", rows_and_columns));
  const auto compiled = compile("mine.cu", replaced(rows_and_columns, "sum += table", "sum += 2 * table"));
  ASSERT_TRUE(compiled.works()) << lines_of(compiled.messages);
  const auto& second = load_kernel(compiled);
  EXPECT_EQ(sum_by(first), 45u);
  EXPECT_EQ(sum_by(second), 90u);
  EXPECT_EQ(second.kernels.label, "mine.2");
}

// Its table is how often it has run, by what it keeps between runs.
constexpr const char* counts_runs = R"(#include "gpu/sat.h"

namespace gpu::sat {

__global__ void count(ImageView<std::uint32_t> table, std::uint32_t* runs) { table(0, 0) = *runs += 1; }

void run_once(Context& context, AnyConstImageView, AnyImageView sat, const Arguments&) {
  auto* const runs = context.persistent<std::uint32_t>("runs", 1);
  context.launch("count", count, {dim3(1), dim3(1)}, sat.as<std::uint32_t>(), runs);
}

extern constinit const SatAlgorithm sat_counts_runs{.name = "counts_runs", .idea = "Counts.", .run = run_once};

}  // namespace gpu::sat
)";

TEST_F(CompiledKernelTest, VersionsShareNoMemoryThatPersists) {
  std::vector<const KernelVersion*> versions;
  for (const auto* name : {"mine.cu", "mine.cu", "other.cu"}) {
    const auto compiled = compile(name, counts_runs);
    ASSERT_TRUE(compiled.works()) << lines_of(compiled.messages);
    versions.push_back(&load_kernel(compiled));
  }
  const std::filesystem::path folders[] = {SIMULATED_FOLDER};
  const auto loaded = simulated::load_driver(simulated::Build::plain, folders);
  ASSERT_TRUE(loaded.driver) << loaded.reason;
  auto runner = SatRunner::on_simulated(*loaded.driver);
  std::uint8_t image[1] = {};
  std::uint32_t table[1] = {};
  std::vector<std::uint32_t> counts;
  for (const auto i : {0u, 1u, 0u, 2u, 1u, 1u, 0u}) {
    const auto& algorithm = *versions[i]->algorithm;
    runner.run(algorithm, ImageView<const std::uint8_t>{image, 1, 1, 1}, ImageView<std::uint32_t>{table, 1, 1, 1},
               Arguments(algorithm.parameters));
    counts.push_back(table[0]);
  }
  EXPECT_EQ(counts, (std::vector<std::uint32_t>{1, 1, 2, 1, 2, 3, 3}));
  EXPECT_EQ(runner.persistent_bytes(), 3 * 256u);
}

TEST_F(CompiledKernelTest, TheFirstTypeIsThereBeforeTheOthers) {
  const auto file = folder_.path() / "mine.cu";
  std::ofstream(file) << R"(#include <satscope_kernel.cuh>
template <class Image, class Table>
__global__ void sums(Image image, Table table) {
  for (int y = 0; y < image.height; ++y) {
    ValueOf<Table> row = 0;
    for (int x = 0; x < image.width; ++x) {
      row += term<ValueOf<Table>>(image(x, y));
      table(x, y) = y == 0 ? row : row + table(x, y - 1);
    }
  }
}
template <class Image, class Table>
void run(Image image, Table table) {
  sums<<<1, 1>>>(image, table);
}
)";
  const auto source = read_kernel_source(file);
  const auto version_of = [&](KernelTypes types) -> const KernelVersion& {
    const auto compiled = compile_kernel(source, 7, tools_of_tests(), patient, folder_.path() / "out", stop_, types);
    EXPECT_TRUE(compiled.works()) << lines_of(compiled.messages);
    EXPECT_EQ(compiled.types, types);
    return load_kernel(compiled);
  };
  const auto& first = version_of(KernelTypes::first);
  EXPECT_EQ(sum_by(first), 45u);
  const auto& all = version_of(KernelTypes::all);
  EXPECT_EQ(sum_by(all), 45u);
  EXPECT_EQ(sum_by(first), 45u);
  ASSERT_EQ(first.algorithm->types.size(), 1u);
  EXPECT_EQ(first.algorithm->types[0], SatType::u8_u32);
  EXPECT_EQ(all.algorithm->types.size(), usual_sat_types.size());
  EXPECT_EQ(first.number, all.number);
  EXPECT_NE(first.kernels.label, all.kernels.label) << "which names the memory that persists";
}

TEST_F(CompiledKernelTest, TheFirstTypeOfACopyOfABuiltInAlgorithm) {
  const auto file = folder_.path() / "copy.cu";
  std::filesystem::copy_file(GPU_FOLDER "/sat/sat_2r1w.cu", file);
  const auto compiled = compile_kernel(read_kernel_source(file), 1, tools_of_tests(), patient, folder_.path() / "out", stop_,
                                       KernelTypes::first);
  ASSERT_TRUE(compiled.works()) << lines_of(compiled.messages);
  EXPECT_EQ(compiled.types, KernelTypes::first);
  const auto& version = load_kernel(compiled);
  for (const auto* algorithm : {version.algorithm, version.simulated_algorithm[0], version.simulated_algorithm[1]}) {
    ASSERT_EQ(algorithm->types.size(), 1u);
    EXPECT_EQ(algorithm->types[0], SatType::u8_u32);
  }
  EXPECT_EQ(sum_by(version), 45u);
}

TEST_F(CompiledKernelTest, WhereThereIsOneTypeTheFirstIsAll) {
  std::ofstream(folder_.path() / "mine.cu") << rows_and_columns;
  const auto compiled = compile_kernel(read_kernel_source(folder_.path() / "mine.cu"), 1, tools_of_tests(), patient,
                                       folder_.path() / "out", stop_, KernelTypes::first);
  EXPECT_EQ(compiled.types, KernelTypes::all);
  EXPECT_EQ(sum_by(load_kernel(compiled)), 45u);
}

TEST_F(CompiledKernelTest, NamesOfFoldersAndFilesMayHaveAnyCharacters) {
  const auto compiled = compile("it's a \"folder\"; $(touch /tmp/no)/my `kernel` {}%s.cu", rows_and_columns);
  ASSERT_TRUE(compiled.works()) << lines_of(compiled.messages);
  EXPECT_EQ(sum_by(load_kernel(compiled)), 45u);
}

TEST_F(CompiledKernelTest, ErrorsHaveTheirLinesAndStandOnce) {
  const auto compiled = compile("mine.cu",
                                replaced(rows_and_columns, "unsigned sum = 0;", "unsigned sum = no_such_name_anywhere;"));
  EXPECT_FALSE(compiled.works());
  EXPECT_TRUE(compiled.cubin.empty());
  ASSERT_FALSE(compiled.messages.empty());
  EXPECT_EQ(compiled.messages[0].file, folder_.path() / "mine.cu");
  EXPECT_EQ(lines_of({compiled.messages[0]}),
            "error mine.cu:7:18: 'no_such_name_anywhere' was not declared in this scope\n");
  int errors = 0;
  for (const auto& message : compiled.messages) errors += message.severity == Severity::error;
  EXPECT_EQ(errors, 1) << lines_of(compiled.messages);
}

TEST_F(CompiledKernelTest, ANameThatTheLinkerDoesNotFindIsAnErrorAtItsLine) {
  auto text = replaced(rows_and_columns, "void run(", "int elsewhere();\nvoid run(");
  text = replaced(text, "  rows<<<", "  elsewhere();\n  rows<<<");
  const auto compiled = compile("mine.cu", text);
  EXPECT_FALSE(compiled.works());
  ASSERT_FALSE(compiled.messages.empty());
  EXPECT_EQ(lines_of({compiled.messages[0]}), "error mine.cu:20:0: undefined reference to `elsewhere()'\n");
}

TEST_F(CompiledKernelTest, ScratchMemoryOfAnImpossibleSizeIsNamedByItsLine) {
  const auto& version = load_kernel(
      compile("mine.cu",
              replaced(rows_and_columns, "  rows<<<",
                       "  static int runs = 0;\n  scratch<float>(runs++ % 2 ? 1ll << 62 : image.width - 10);\n  rows<<<")));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(test::refusal_of<std::invalid_argument>([&] { sum_by(version); }),
              "mine.cu:20: scratch<float>(-5): the number of elements is negative");
    EXPECT_EQ(test::refusal_of<std::invalid_argument>([&] { sum_by(version); }),
              "mine.cu:20: scratch<float>(4611686018427387904): no memory has that many bytes");
  }
}

TEST_F(CompiledKernelTest, ShapesThatNoGpuStartsAreNamedByTheirLine) {
  constexpr const char* launches = R"(  static int runs = 0;
  const int one = image.width / 5;
  const dim3 shapes[][2] = {{one, 2048 * one}, {one, dim3(64, 32)}, {one, dim3(1, 1, 65)}, {one, one - 1}, {one - 1, 32},
                            {dim3(4, one - 1), 32}, {-one, 32}, {dim3(1, 65536), 32}, {dim3(1, 2, 65536), 32}};
  const auto& shape = shapes[runs++ % 9];
  rows<<<dim3(0x7fffffff > one, 1, 1),
         dim3(1024, 1, 1)>>>(image, table);
  rows<<<shape[0], shape[1]>>>(image, table);
  rows<<<)";
  const auto& version = load_kernel(compile("mine.cu", replaced(rows_and_columns, "  rows<<<", launches)));
  const std::string at = "mine.cu:26: ", of_block = " threads per block: a block has ", of_grid = " blocks: a grid has ";
  const std::string refusals[] = {"2048" + of_block + "at most 1024",
                                  "64 x 32" + of_block + "at most 1024",
                                  "1 x 1 x 65" + of_block + "at most 64 in z",
                                  "0" + of_block + "at least one",
                                  "0" + of_grid + "at least one; blocks(n, threads) rounds up",
                                  "4 x 0" + of_grid + "at least one; blocks(n, threads) rounds up",
                                  "4294967295" + of_grid + "at most 2147483647 in x",
                                  "1 x 65536" + of_grid + "at most 65535 in y and in z",
                                  "1 x 2 x 65536" + of_grid + "at most 65535 in y and in z"};
  for (int i = 0; i < 2; ++i)
    for (const auto& refusal : refusals)
      EXPECT_EQ(test::refusal_of<std::invalid_argument>([&] { sum_by(version); }), at + refusal);
}

TEST_F(CompiledKernelTest, CompilersHaveATimeLimit) {
  const auto compiled = compile("mine.cu", rows_and_columns, {std::chrono::milliseconds(10), std::size_t{4} << 30});
  EXPECT_FALSE(compiled.works());
  ASSERT_FALSE(compiled.messages.empty());
  EXPECT_EQ(lines_of({compiled.messages[0]}), "error mine.cu:0:0: g++ does not end within 0.05 s\n");
  EXPECT_TRUE(compiled.was_hindered);
}

TEST_F(CompiledKernelTest, CompilersHaveAMemoryLimit) {
  const auto compiled = compile("mine.cu", rows_and_columns, {std::chrono::minutes(1), std::size_t{24} << 20});
  EXPECT_FALSE(compiled.works());
  ASSERT_FALSE(compiled.messages.empty());
  EXPECT_EQ(first_error(compiled.messages), "mine.cu: g++ needs more than 0.0234 GiB of memory");
}

TEST_F(CompiledKernelTest, WordsOfAFileAreNoLackOfMemory) {
  const auto compiled = compile("mine.cu", replaced(rows_and_columns, "__global__", "#error out of memory\n__global__"));
  EXPECT_FALSE(compiled.works());
  EXPECT_EQ(lines_of(compiled.messages), "error mine.cu:4:2: #error out of memory\n");
}

TEST_F(CompiledKernelTest, IsStoppedEarly) {
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop_ = true;
  });
  const auto compiled = compile("mine.cu", rows_and_columns);
  other.join();
  EXPECT_FALSE(compiled.works());
  EXPECT_EQ(lines_of(compiled.messages), "");
}

TEST_F(CompiledKernelTest, PrecompiledHeadersAreMadeOnceAndUsed) {
  const Variable cache("XDG_CACHE_HOME", folder_.path().c_str());
  const auto tools = tools_of_tests();
  EXPECT_EQ(tools.precompiled.parent_path(), folder_.path() / "satscope/kernels");
  const auto other = [&](int i) { return tools.precompiled.parent_path() / ("of build " + std::to_string(i)); };
  for (int i = 0; i < 6; ++i) {
    std::filesystem::create_directories(other(i) / "with a file");
    std::filesystem::last_write_time(other(i), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1 + i));
  }
  precompile_headers(tools, patient, stop_);
  const auto made = tools.precompiled / "plain.h.gch";
  ASSERT_TRUE(std::filesystem::exists(made));
  ASSERT_TRUE(std::filesystem::exists(tools.precompiled / "observed.h.gch"));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(std::filesystem::exists(other(i)), i < 3) << "the last ones stay: " << i;
  const auto time = std::filesystem::last_write_time(made);
  precompile_headers(tools, patient, stop_);
  EXPECT_EQ(std::filesystem::last_write_time(made), time);
  EXPECT_EQ(sum_by(load_kernel(compile("mine.cu", rows_and_columns))), 45u);
  std::ofstream(made) << "broken";
  std::filesystem::remove(tools.precompiled / "observed.h");
  const auto compiled = compile("mine.cu", rows_and_columns);
  ASSERT_TRUE(compiled.works()) << lines_of(compiled.messages);
  EXPECT_EQ(sum_by(load_kernel(compiled)), 45u);
}

TEST_F(CompiledKernelTest, CodeThatTheDriverRefusesIsNoError) {
  auto compiled = compile("mine.cu", rows_and_columns);
  ASSERT_TRUE(compiled.works()) << lines_of(compiled.messages);
  compiled.cubin = folder_.path() / "kernel.cubin";
  std::ofstream(compiled.cubin) << "broken";
  const auto& version = load_kernel(compiled);
  EXPECT_FALSE(version.on_cuda);
  EXPECT_TRUE(version.kernels.on_cuda.empty());
  EXPECT_NE(version.no_cuda, "");
  EXPECT_EQ(version.no_cuda.find('\n'), std::string::npos) << version.no_cuda;
  EXPECT_EQ(sum_by(version), 45u);
}

TEST_F(CompiledKernelTest, WhatIsNoLibraryOfKernelsIsRefused) {
  auto compiled = compile("mine.cu", rows_and_columns);
  ASSERT_TRUE(compiled.works()) << lines_of(compiled.messages);
  const auto file = (folder_.path() / "mine.cu").string();
  const auto right = compiled.plain;
  compiled.plain = SIMULATED_FOLDER "/libsatscope_simulated.so";
  EXPECT_EQ(test::refusal_of<std::runtime_error>([&] { load_kernel(compiled); }),
            file + ": " + compiled.plain.string() + " is not a library of kernels");
  compiled.plain = folder_.path() / "gone.so";
  EXPECT_THROW(load_kernel(compiled), std::runtime_error);
}

TEST_F(CompiledKernelTest, HeadersOfAnotherBuildAreRefused) {
  // A copy of the headers, in which the identity is another one.
  auto tools = tools_of_tests();
  const auto headers = folder_.path() / "headers";
  std::filesystem::copy(tools.headers, headers, std::filesystem::copy_options::recursive);
  std::ofstream(headers / "build_identity.h") << "#include <cstdint>\ninline constexpr std::uint64_t build_identity = 1;\n";
  tools.headers = headers;
  std::ofstream(folder_.path() / "mine.cu") << rows_and_columns;
  const auto compiled = compile_kernel(read_kernel_source(folder_.path() / "mine.cu"), 1, tools, KernelLimits(),
                                       folder_.path() / "out", stop_);
  ASSERT_TRUE(compiled.works()) << lines_of(compiled.messages);
  EXPECT_EQ(
      test::refusal_of<std::runtime_error>([&] { load_kernel(compiled); }),
      (folder_.path() / "mine.cu").string() + ": the headers for kernels belong to another build of satscope: rebuild both");
}

}  // namespace
}  // namespace gpu
