// Users' files with kernels: each rule by which they are rewritten, what is said of what cannot be, and files that are hardly
// any.
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/tests/user_kernels/source_of_test.h"

namespace gpu {
namespace {

using Form = KernelSource::Form;

TEST_F(KernelSourceTest, TheShortestFileStaysInItsColumns) {
  const std::string begin =
      "#include <satscope_kernel.cuh>\n__global__ void rows(Image image, Table table) {}\nvoid run(Image image, Table "
      "table) {\n";
  EXPECT_EQ(rewritten(begin + "  rows<<<blocks(image.height, 128), 128>>>(image, table);\n}\n", "simulated.cpp"),
            begin + " (rows|$(blocks(image.height, 128), 128)) (image, table);\n}\n");
}

TEST_F(KernelSourceTest, LaunchesAreFoundByTheirTokens) {
  EXPECT_EQ(in_run(" k<<<1, 32, 64, 0>>>(p, 1);"), "(k|$(1, 32, 64, 0)) (p, 1);");
  EXPECT_EQ(in_run("k<<<1, 32>>>(p, 1);"), "(k|$(1, 32)) (p, 1);") << "without room for the bracket";
  EXPECT_EQ(in_run(" k<<<dim3(1, 2), f(a, b)>>>(g(1), (2));"), "(k|$(dim3(1, 2), f(a, b))) (g(1), (2));");
  EXPECT_EQ(in_run(" k<<<f<g<h<int>>>(), 32>>>(p, 1);"), "(k|$(f<g<h<int>>>(), 32)) (p, 1);") << "templates end with >>>";
  EXPECT_EQ(in_run(" k<<<n < 3 ? 1 : 2, a >> 1>>>(p, 1);"), "(k|$(n < 3 ? 1 : 2, a >> 1)) (p, 1);");
  EXPECT_EQ(in_run(" t<4, A<B<int>>><<<1, 32>>>(p);"), "(t<4, A<B<int>>>|$(1, 32)) (p);");
  EXPECT_EQ(in_run(" a::b::t<(4 > 3)><<<1, 32>>>(p);"), "(a::b::t<(4 > 3)>|$(1, 32)) (p);");
  EXPECT_EQ(in_run(" ::k<<<1, 32>>>(p, 1);"), "(::k|$(1, 32)) (p, 1);");
  EXPECT_EQ(in_run(" (n ? k : l)<<<1, 32>>>(p, 1);"), "((n ? k : l)|$(1, 32)) (p, 1);");
  EXPECT_EQ(in_run(" if (n) k<<<1,\n 32>>>\n(p, 1); else k<<<2, 3>>>(p, 1);"),
            " if (n)(k|$(1,\n 32)) \n(p, 1); else(k|$(2, 3)) (p, 1);");
  EXPECT_EQ(in_run(" [&] { k<<<1, 32>>>(p, 1); }();"), " [&] {(k|$(1, 32)) (p, 1); }();");
}

TEST_F(KernelSourceTest, WhatIsNotCodeStays) {
  for (const std::string text :
       {"// k<<<1, 2>>>(x); __shared__ int a[3];\n", "/* k<<<1, 2>>>(x);\n __shared__ int a; */",
        "auto s = \"k<<<1, 2>>>(x) \\\" {\";", "auto s = R\"x(__shared__ int a; )\" { k<<<1, 2>>>(x))x\";",
        "char c = '{', d = '\\'', e = '\"';", "int n = 1'000'000 + 0xA'B;", "// one that goes on \\\n k<<<1, 2>>>(x);\n",
        "#if 0\n don't { k<<<1, 2>>>(x);\n asm(\"\");\n#endif\n", "#ifdef __CUDACC__\n asm(\"\");\n#endif\n",
        "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n asm(\"\");\n#endif\n", "bool b = x << 3 < y >> 2;",
        "#error k<<<1, 2>>>(x)\n", "#define TEXT \"<<<\"\n", "auto u = u8\"{\", v = LR\"({)\";"})
    EXPECT_EQ(at_file_scope(text), text);
}

TEST_F(KernelSourceTest, SharedVariablesBecomeMembersOfAStruct) {
  const auto of = [](const std::string& name) { return " auto& " + name + " = ::gpu::static_shared<_0>()." + name + ";"; };
  EXPECT_EQ(in_kernel("__shared__ unsigned row[threads];"), "struct _0{ unsigned row[threads];};" + of("row"));
  EXPECT_EQ(in_kernel("__shared__ int a[4][W + 1], b, *p;"),
            "struct _0{ int a[4][W + 1], b, *p;};" + of("a") + of("b") + of("p"));
  EXPECT_EQ(in_kernel("__shared__ std::array<int, 4> a;"), "struct _0{ std::array<int, 4> a;};" + of("a"));
  EXPECT_EQ(in_kernel("__shared__ struct { int x, y; } a;"), "struct _0{ struct { int x, y; } a;};" + of("a"));
  EXPECT_EQ(in_kernel("__shared__ int (*p)[4];"), "struct _0{ int (*p)[4];};" + of("p"));
  EXPECT_EQ(in_kernel("__align__(16) __shared__ T x[2];"), "              struct _0{__align__ ( 16 )  T x[2];};" + of("x"));
  EXPECT_EQ(in_kernel("static __shared__ alignas(8) T x;"), "       struct _0{ alignas(8) T x;};" + of("x"));
  EXPECT_EQ(in_kernel("volatile __shared__ int x;"), "         struct _0{volatile  int x;};" + of("x"));
  EXPECT_EQ(in_kernel("int __shared__ x;"), "    struct _0{int  x;};" + of("x"));
  EXPECT_EQ(
      in_kernel("__shared__ int\n x[3]; // first\n  __shared__ int y;"),
      "struct _0{ int\n x[3];};" + of("x") + " // first\n  struct _1{ int y;}; auto& y = ::gpu::static_shared<_1>().y;");
}

TEST_F(KernelSourceTest, DynamicSharedMemoryIsAPointer) {
  EXPECT_EQ(in_kernel("extern __shared__ float all[];"),
            "       struct _0{ float all[1];}; auto const all = ::satscope::dynamic_shared<decltype(_0::all)>();");
  EXPECT_EQ(in_kernel("extern __shared__ int all[][32];"),
            "       struct _0{ int all[1][32];}; auto const all = ::satscope::dynamic_shared<decltype(_0::all)>();");
  EXPECT_EQ(at_file_scope("extern __shared__ int all[];"),
            "       struct satscope_shared_0_0{ int all[1];}; constexpr "
            "::satscope::DynamicShared<decltype(satscope_shared_0_0::all)> all{};");
}

TEST_F(KernelSourceTest, ConstantsAreConst) {
  EXPECT_EQ(at_file_scope("__constant__ float w[2] = {1, 2};"), "const        float w[2] = {1, 2};");
  EXPECT_EQ(at_file_scope("static __constant__ const int n{3};"), "static              const int n{3};");
  EXPECT_EQ(at_file_scope("__device__ const float pi = 3.0f;"), "__device__ const float pi = 3.0f;");
  EXPECT_EQ(at_file_scope("__constant__ float w[2] = {1, 2};", "cuda.cu"), "__constant__ float w[2] = {1, 2};");
}

TEST_F(KernelSourceTest, KernelsHaveNamesForTheLinker) {
  for (const std::string name : {"simulated.cpp", "cuda.cu"}) {
    EXPECT_EQ(at_file_scope("static __global__ void k() {}", name), "       __global__ void k() {}");
    EXPECT_EQ(at_file_scope("__global__ static void k() {}", name), "__global__        void k() {}");
    EXPECT_EQ(at_file_scope("extern \"C\" __global__ void k();", name), "           __global__ void k();");
    EXPECT_EQ(at_file_scope("extern \"C\" { __global__ void k() {} }", name), "extern \"C++\" { __global__ void k() {} }");
    EXPECT_EQ(at_file_scope("extern \"C\" { void f(); }", name), "extern \"C\" { void f(); }");
    EXPECT_EQ(at_file_scope("namespace {\nstatic int f() { return 1; }\n}", name),
              "inline namespace satscope_unnamed {\nstatic int f() { return 1; }\n}");
    EXPECT_EQ(at_file_scope("namespace a::b { namespace { } }", name),
              "namespace a::b { inline namespace satscope_unnamed { } }");
  }
  const std::string rest = "__global__ void k() { __shared__ int x; }\nvoid run(Image i, Table t) { k<<<1, 2>>>(); }\n";
  EXPECT_EQ(rewritten(rest, "cuda.cu"), rest) << "stays for nvcc";
}

TEST_F(KernelSourceTest, TemplateArgumentsAreDeduced) {
  const std::string kernel = "template <class T, int W = 4>\n__global__ void k(T* a, int n) {}",
                    begin = "\nvoid run(Image image, Table table) {", end = "}\n";
  const auto text = [&](const std::string& launch) { return rewritten(kernel + begin + launch + end, "simulated.cpp"); };
  EXPECT_EQ(text(" k<int><<<1, 2>>>(p, 3);"), kernel + begin + "(k<int>|$(1, 2)) (p, 3);" + end);
  EXPECT_EQ(
      text(" k<<<1, 2>>>(p, 3);"),
      kernel + " template <class T, int W = 4> ::satscope::Kernel<&k<T, W>> satscope_find_k(T* a, int n);" + begin +
          "(::satscope::deduced([](const auto&... satscope_a) -> decltype(satscope_find_k(satscope_a...)) { return {}; })"
          "|$(1, 2)) (p, 3);" +
          end);
}

TEST_F(KernelSourceTest, MacrosAreRewritten) {
  EXPECT_EQ(at_file_scope("#define GO(k, ...) k<<<1, \\\n 2>>>(__VA_ARGS__)\n"),
            "#define GO(k, ...) (k|$(1, \\\n 2)) (__VA_ARGS__)\n");
  EXPECT_EQ(
      at_file_scope("#define TILE(T) __shared__ T t[4]\n"),
      "#define TILE(T) struct satscope_shared_ ## t{ T t[4];}; auto& t = ::gpu::static_shared<satscope_shared_ ## t>().t\n");
  EXPECT_EQ(said_of("#define SHARED __shared__\n" + run_function),
            "1:16 a declaration with __shared__ is '__shared__ type name[size];'");
}

TEST_F(KernelSourceTest, FunctionsOfAnEffectRunOnTheGpu) {
  const std::string effect = "Pixel effect(Boxes boxes, int x, int y) { return f(x); }\n";
  EXPECT_EQ(
      rewritten("int f(int x) { return x; }\ntemplate <class T> struct A { T t; A(T a) : t{a} {} };\n" + effect, "cuda.cu"),
      "__host__ __device__ int f(int x) { return x; }\n"
      "template <class T> struct A { T t; __host__ __device__ A(T a) : t{a} {} };\n"
      "__host__ __device__ " +
          effect);
  EXPECT_EQ(rewritten("__device__ int f(int x) { return x; }\n" + effect, "cuda.cu"),
            "__device__ int f(int x) { return x; }\n__host__ __device__ " + effect);
  EXPECT_EQ(rewritten(effect, "simulated.cpp"), effect);
}

TEST_F(KernelSourceTest, TellsTheForms) {
  EXPECT_EQ(read(run_function).form, Form::run);
  EXPECT_EQ(read("template <class Image, class Table>\nvoid run(Image image, Table table) {}").form, Form::run_template);
  EXPECT_EQ(read("Pixel effect(Boxes boxes, int x, int y) { return 0; }").form, Form::effect);
  const std::string algorithm =
      "namespace gpu::sat {\nnamespace {\nvoid run(Context& c, AnyConstImageView i, AnyImageView s, const Arguments&) "
      "{}\n}\n"
      "extern constinit const SatAlgorithm sat_x{.name = \"x\", .run = run};\n}\n";
  EXPECT_EQ(read(algorithm).form, Form::descriptor);
  write_kernel_source(read(algorithm), out());
  EXPECT_NE(written("simulated.cpp").find("auto copy = ::gpu::sat::sat_x;\n  copy.name = \"mine\";"), std::string::npos);
  expect_said("int main() {}", "0:0 nothing to run");
  expect_said("\nvoid run(Image image) {}", "2:6 run() has two parameters");
  expect_said("\nvoid run(Table table, Image image) {}", "2:6 run(Image image, Table table): the parameters are exchanged");
  expect_said("void run(const Image& image, Table Image) {}", "right");
  expect_said("template <class Table, class Image>\nvoid run(Table image, Image table) {}", "right");
  expect_said("\nvoid Run(Image image, Table table) {}",
              "2:6 nothing to run: define void run(Image image, Table table); there is a Run");
  expect_said("namespace a {\nPixel Effect(Boxes boxes, int x, int y) { return 0; }\n}",
              "2:7 nothing to run: define Pixel effect(Boxes boxes, int x, int y); there is an Effect");
  expect_said("void Run(Image image, Table table) {}\n" + run_function, "right");
  expect_said("Pixel effect(Boxes boxes) {}", "1:7 effect() has three parameters");
}

TEST_F(KernelSourceTest, NameAndIdeaAreThoseOfTheFile) {
  const auto idea = [&](const std::string& comment) { return read(comment + '\n' + run_function).idea; };
  EXPECT_EQ(idea("// Rows, then\n// columns. Slow."), "Rows, then columns.");
  EXPECT_EQ(idea("/*\n * Rows \"first\", then columns\n */"), "Rows \"first\", then columns");
  EXPECT_EQ(idea("#include <x>  // not this\n// This one!"), "This one!");
  EXPECT_EQ(idea("int x;\n// Not this."), "");
  EXPECT_EQ(idea("// One line without an end\n\n// another"), "One line without an end");
  EXPECT_EQ(idea("// \u884c\u306e\u548c\u3002\u5217\u306e\u548c\u3002"), "\u884c\u306e\u548c\u3002");
  EXPECT_EQ(idea("// \u884c\u306e\u548c"), "\u884c\u306e\u548c");
  EXPECT_EQ(idea("// caf\xe9, au lait. No."), "caf\ufffd, au lait.") << "of Latin-1";
  std::string long_one = "// ";
  for (int i = 0; i < 200; ++i) long_one += "\u548c";
  EXPECT_EQ(idea(long_one), long_one.substr(3, 300));
  EXPECT_EQ(idea("// a" + long_one.substr(3)), "a" + long_one.substr(3, 297)) << "a letter is not cut in two";
  EXPECT_EQ(read_kernel_source(write("my 'own', kernel.cu", run_function)).name, "my__own___kernel");
  EXPECT_EQ(read_kernel_source(write("caf\xe9.cu", run_function)).name, "caf\ufffd");
}

TEST_F(KernelSourceTest, WhatIsMissingIsNamedWithItsLine) {
  const auto expect = [&](const std::string& line, std::string_view begin) {
    expect_said("\n" + line + "\n" + run_function, begin);
  };
  expect("__device__ int count = 0;", "2:1 a __device__ variable is not simulated: take scratch<T>(n)");
  expect("static __device__ int counts[4];", "2:8 a __device__ variable");
  expect("__managed__ int x;", "2:1 a __managed__ variable");
  expect("__shared__ int x[3];", "2:1 a __shared__ variable outside a function");
  expect("__constant__ int x;", "2:1 give the __constant__ variable its value");
  expect("__global__ void k() { __shared__ int x = 3; }", "2:40 a __shared__ variable has no initial value");
  expect("__global__ void k() { asm volatile(\"\"); }", "2:23 inline PTX (asm) is not simulated");
  expect("__global__ void k(cudaTextureObject_t t) {}", "2:19 textures are not simulated");
  expect("__device__ void f() { g<<<1, 2>>>(); }", "2:24 a kernel that starts kernels");
  expect("__global__ void __cluster_dims__(2) k() {}", "2:17 thread block clusters");
  expect("void f() { int* p; cudaMalloc(&p, 4); }", "2:20 cudaMalloc() is not available: scratch<T>(n)");
  expect("void f() { cudaMemcpyToSymbol(a, b, 4); }", "2:12 cudaMemcpyToSymbol() is not simulated");
  expect("void f() { cudaFree(p); }", "2:12 cudaFree() is not available: scratch<T>(n)");
  expect("void f() { cudaMallocManaged(&p, 4); }", "2:12 cudaMallocManaged() is not available: scratch<T>(n)");
  expect("void f() { cudaMemcpy(a, b, 4, cudaMemcpyDefault); }", "2:12 cudaMemcpy() is not available: image and table");
  expect("void f() { cudaDeviceReset(); }", "2:12 cudaDeviceReset() is not available: run() starts kernels");
  expect("__global__ void k() { cudaDeviceSynchronize(); }", "2:23 cudaDeviceSynchronize() is called in run()");
  expect("#include <cub/cub.cuh>", "2:10 <cub/cub.cuh> is a library");
  expect("void f() { k<<<1>>>(2); }", "2:13 a launch is kernel<<<grid, block>>>(arguments)");
  expect("void f() { k<<<1, 2>>>; }", "2:13 a launch is kernel<<<grid, block>>>(arguments)");
  expect("__device__ int f(int x) { return x; }", "right");
  expect("struct A { __device__ int f() const { return x; } int x; };", "right");
}

TEST_F(KernelSourceTest, WaitingAndLookingForErrorsDoesNothing) {
  EXPECT_EQ(in_run("cudaDeviceSynchronize();"), "::satscope::done     ();");
  EXPECT_EQ(in_run("CHECK(cudaStreamSynchronize(0));"), "CHECK(::satscope::done     (0));");
  EXPECT_EQ(in_run("auto e = ::cudaGetLastError(); e = cudaPeekAtLastError ();"),
            "auto e = ::satscope::done  (); e = ::satscope::done    ();");
  EXPECT_EQ(at_file_scope("#define LAST check(cudaGetLastError(), \\\n __LINE__)\n"),
            "#define LAST check(::satscope::done(), \\\n __LINE__)\n");
  const std::string others = "puts(cudaGetErrorString(cudaSuccess)); f(&cudaGetLastError); a.cudaGetLastError();";
  EXPECT_EQ(in_run(others), others);
  const auto text = "void run(Image i, Table t) { cudaDeviceSynchronize(); }\n";
  EXPECT_EQ(rewritten(text, "cuda.cu"), text) << "where run() is not called";
}

TEST_F(KernelSourceTest, AKernelThatIsCalledLikeAFunctionIsNamed) {
  const std::string kernels =
      "__global__ void rows(int); template <int n, class T = int> __global__ void tiles(T) {}\n"
      "__global__ void rows(int) { helper(1); }\nnamespace mine { __global__ void columns(int) {} }\n";
  const auto in_run = [&](const std::string& code) {
    return said_of(kernels + "void run(Image image, Table table) { " + code + " }\n");
  };
  const std::string of_rows = "rows is a kernel: start it with rows<<<blocks, threads>>>(...)";
  EXPECT_EQ(in_run("rows(1);"), "4:38 " + of_rows);
  EXPECT_EQ(in_run("int x; ::rows (1);"), "4:47 " + of_rows);
  EXPECT_EQ(in_run("if (image.width) rows(1); else rows(2);"), "4:55 " + of_rows);
  EXPECT_EQ(in_run("for (int i = 0; i < 3; ++i) { rows(i); }"), "4:68 " + of_rows);
  EXPECT_EQ(in_run("[&] { return rows(1); }();"), "4:51 " + of_rows);
  EXPECT_EQ(in_run("rows<<<1, 2>>>(1); rows(1);"), "4:57 " + of_rows);
  EXPECT_EQ(in_run("tiles<4>(1);"), "4:38 tiles is a kernel: start it with tiles<4><<<blocks, threads>>>(...)");
  EXPECT_EQ(in_run("tiles<(4 > 3),\nint>(1);"), "4:38 tiles is a kernel: start it with tiles<<<blocks, threads>>>(...)");
  EXPECT_EQ(in_run("using namespace mine; columns(1);"),
            "4:60 columns is a kernel: start it with columns<<<blocks, threads>>>(...)");
  write("k.cuh", "#pragma once\n__global__ void elsewhere(int) {}\n");
  expect_said("#include \"k.cuh\"\nvoid run(Image image, Table table) {\n  elsewhere(1);\n}\n", "3:3 elsewhere is a kernel");
  expect_said(
      kernels +
          "int rows_of(int rows) { return rows; }\nint f(int rows);\nvoid run(Image image, Table table) { rows(1); }\n",
      "6:38 rows is a kernel");

  for (const std::string right :
       {"f(&rows);", "f(rows, 1);", "f(tiles<4>);", "auto* p = rows; p = &rows;", "tiles<4><<<1, 2>>>(1);",
        "tiles<4,\nint><<<1, 2>>>(1);", "(rows)<<<1, 2>>>(1);", "__global__ void rows(int);",
        "auto rows = [](int) {}; rows(1);", "std::function<void(int)> rows = f; rows(1);", "const int rows(3); g(rows);",
        "image.rows(1);", "std::rows(1);", "[](auto rows) { rows(1); };", "if (rows < 3 || tiles > (1)) {}",
        "/* rows(1); */"})
    EXPECT_EQ(in_run(right), "right") << right;
  expect_said(kernels + "struct A { void rows(int) {} void f() { rows(1); } };\n" + run_function, "right");
  expect_said("void rows(float x);\n" + kernels + "void run(Image image, Table table) { rows(1); }\n", "right");
  expect_said("__global__ void reduce(int) { reduce(warp, 1, plus); }\n" + run_function, "right");
}

TEST_F(KernelSourceTest, AlternativesAreReadEachByItself) {
  expect_said("#ifdef WIDE\nvoid f() {\n#else\nvoid g() {\n#endif\n}\n" + run_function, "right");
  expect_said("#ifndef SATSCOPE_SIMULATED\n__device__ int x;\n#endif\n" + run_function, "right");
  expect_said("#if __CUDA_ARCH__\n#else\n__device__ int x;\n#endif\n" + run_function, "3:1 ");
  expect_said("#ifdef A\n" + run_function, "1:1 #if without its #endif");
}

TEST_F(KernelSourceTest, IncludedFilesAreRewrittenCopies) {
  write("sub/a.cuh", "#pragma once\n#include \"../b.cuh\"\n__device__ void f() { __shared__ int x; }\n");
  write("b.cuh", "#ifndef B\n#define B\n#include \"sub/a.cuh\"\n#endif\n");
  const auto source = read("#include \"sub/a.cuh\"\n#include \"b.cuh\"\n#include \"none.h\"\n#include <cstdint>\n" +
                           run_function);
  ASSERT_EQ(said(source), "right");
  ASSERT_EQ(source.files.size(), 3u);
  write_kernel_source(source, out());
  const auto has = [&](const std::string& name, const std::string& part) {
    return written(name).find(part) != std::string::npos;
  };
  EXPECT_TRUE(has("simulated.cpp", "#include \"simulated.1.cuh\"\n#include \"simulated.2.cuh\"\n#include \"none.h\"\n"));
  EXPECT_TRUE(has("cuda.cu", "#include \"cuda.1.cuh\"\n#include \"cuda.2.cuh\"\n"));
  EXPECT_EQ(written("simulated.1.cuh"),
            "#line 1 \"" + (folder_ / "sub/a.cuh").string() +
                "\"\n#pragma once\n#include \"simulated.2.cuh\"\n__device__ void f() { struct _0{ int "
                "x;}; auto& x = ::gpu::static_shared<_0>().x; }\n\n\n");
}

TEST_F(KernelSourceTest, IncludedFilesThatAreNotThereAreKnown) {
  const auto text =
      "#include \"parts/tile.cuh\"\n#include \"gpu/sat.h\"\n#include \"../outside.h\"\n"
      "#include \"satscope_kernel.cuh\"\n#if 0\n#include \"other.h\"\n#endif\n" +
      run_function;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(read(text).missing, std::vector{folder_ / "parts/tile.cuh"});
    write("parts/tile.cuh", "#include \"deeper.cuh\"\n");
    EXPECT_EQ(read(text).missing, std::vector{folder_ / "parts/deeper.cuh"});
    write("parts/deeper.cuh", "\n");
    const auto whole = read(text);
    EXPECT_TRUE(whole.missing.empty());
    EXPECT_EQ(whole.files.size(), 3u);
    files::remove_all(folder_ / "parts");
  }
  files::create_directories(folder_ / "parts/tile.cuh");  // not a file that can be read
  EXPECT_EQ(read(text).missing, std::vector{folder_ / "parts/tile.cuh"});
}

TEST_F(KernelSourceTest, FilesOfOneNameAreToldByTheirFolders) {
  write("a/sums.cuh", "__device__ int x;\n");
  write("b/sums.cuh", "int y;\n");
  write("b/mine.cu", "int z;\n");
  write("other.cuh", "__device__ int u;\n");
  const auto source = read(
      "#include \"a/sums.cuh\"\n#include \"b/sums.cuh\"\n#include \"b/mine.cu\"\n#include \"other.cuh\"\n" + run_function);
  ASSERT_EQ(source.messages.size(), 2u);
  EXPECT_EQ(source.messages[0].file_name(), "a/sums.cuh");
  EXPECT_TRUE(first_error(source.messages).starts_with("a/sums.cuh:1: a __device__ variable"));
  EXPECT_EQ(source.messages[1].file_name(), "other.cuh");
  EXPECT_EQ(source.name_of(source.file), "mine.cu");
  EXPECT_EQ(source.name_of(folder_ / "b/mine.cu"), "b/mine.cu");
}

TEST_F(KernelSourceTest, IncludesHaveAnEnd) {
  expect_said("#include \"mine.cu\"\n" + run_function, "1:10 mine.cu includes itself: begin it with #pragma once");
  expect_said("#pragma once\n#include \"mine.cu\"\n" + run_function, "right");
  write("a.cuh", "#include \"b.cuh\"\n");
  write("b.cuh", "int x;\n#include \"a.cuh\"\n");
  expect_said("#include \"a.cuh\"\n" + run_function, "2:10 a.cuh includes itself");
  expect_said("#include \"out\"\n" + run_function, "1:10 out: it is a folder, not a file");
  write("binary.h", std::string("a\0b", 3));
  expect_said("#include \"binary.h\"\n" + run_function, "1:10 binary.h: it is not a text file");
  const auto below = write("below/mine.cu", "#include \"../a.cuh\"\n" + run_function);
  EXPECT_TRUE(said(read_kernel_source(below)).starts_with("1:10 ../a.cuh is outside the folder of mine.cu"));

  for (int i = 0; i < 40; ++i) {
    const auto next = "#include \"deep" + std::to_string(i + 1) + ".h\"\n";
    write("deep" + std::to_string(i) + ".h", next + next);
  }
  write("deep40.h", "int x;\n");
  expect_said("#include \"deep0.h\"\n" + run_function, "1:1 its includes come to more than 32 MiB");
  std::string many;
  for (int i = 0; i < 64; ++i) {
    write("many" + std::to_string(i) + ".h", "\n");
    many += "#include \"many" + std::to_string(i) + ".h\"\n";
  }
  expect_said(many + run_function, "64:10 many63.h: more than 64 files");
}

TEST_F(KernelSourceTest, OddFilesGetOneMessage) {
  EXPECT_EQ(said_of(""), "0:0 it is empty");
  EXPECT_EQ(said_of("\xef\xbb\xbf \n"), "0:0 it is empty");
  EXPECT_EQ(said_of(std::string("\x7f\x45LF\0\0", 6)), "0:0 it is not a text file: it has bytes of value 0");
  EXPECT_EQ(said(read_kernel_source(folder_)), "0:0 it is a folder, not a file");
  EXPECT_EQ(said(read_kernel_source(folder_ / "none.cu")), "0:0 there is no such file");
  EXPECT_EQ(said(read_kernel_source("/dev/zero")), "0:0 it is not a regular file");
  EXPECT_TRUE(said(read_kernel_source({})).starts_with("0:0 "));
  EXPECT_EQ(said_of(std::string((4 << 20) + 1, ' ')), "0:0 it and the files that it includes have more than 4 MiB");
  if (geteuid() != 0) {
    const auto path = write("secret.cu", run_function);
    files::permissions(path, files::perms::none);
    EXPECT_EQ(said(read_kernel_source(path)), "0:0 it cannot be read: permission is missing");
  }
  EXPECT_EQ(said_of("void run(Image i, Table t) {\n"), "1:28 '{' without its '}'");
  EXPECT_EQ(said_of("int x;\n/* no end\n" + run_function), "2:1 the comment that begins here has no end");
  EXPECT_EQ(said_of("auto x = R\"(no end\n" + run_function), "1:10 the raw string that begins here has no end");
  EXPECT_TRUE(said_of(run_function + std::string(100'000, '(')).starts_with("2:1001 more than 1000 brackets"));
}

TEST_F(KernelSourceTest, LineBreaksOfAllKinds) {
  EXPECT_EQ(rewritten("\xef\xbb\xbfvoid run(Image i, Table t) {\r\n k<<<1,\\\r\n 2>>>(3);\r\n}\r\n", "simulated.cpp"),
            "void run(Image i, Table t) {\r\n(k|$(1,\\\r\n 2)) (3);\r\n}\r\n");
  EXPECT_EQ(rewritten("void run(Image i, Table t) {}", "simulated.cpp"), "void run(Image i, Table t) {}");
  EXPECT_EQ(rewritten("void run(Image i, Table t) {} // \\", "simulated.cpp"), "void run(Image i, Table t) {} // \\");
}

TEST_F(KernelSourceTest, PathsAreQuoted) {
  const auto source = read_kernel_source(write("a \"b\" \\ ?\n/mine.cu", run_function));
  ASSERT_EQ(said(source), "right");
  write_kernel_source(source, out());
  EXPECT_NE(written("simulated.cpp").find("#line 1 \"" + folder_.string() + R"(/a \"b\" \\ \?\012/mine.cu")"),
            std::string::npos);
  EXPECT_THROW(write_kernel_source(source, folder_ / "missing"), files::filesystem_error);
}

TEST_F(KernelSourceTest, WhatWasReadIsCompiled) {
  write("a.cuh", "int first;\n");
  const auto text = "#include \"a.cuh\"\n" + run_function;
  const auto source = read("\xef\xbb\xbf" + text);
  ASSERT_EQ(said(source), "right");
  EXPECT_EQ(source.texts, (std::vector<std::string>{text, "int first;\n"}));
  write("mine.cu", "__device__ int x;\n");
  write("a.cuh", "#include \"b.cuh\"\nint second;\n");
  write("b.cuh", "");
  const auto expect_first = [&] {
    write_kernel_source(source, out());
    EXPECT_NE(written("simulated.cpp").find("#include \"simulated.1.cuh\"\n" + run_function), std::string::npos);
    EXPECT_NE(written("cuda.1.cuh").find("\"\nint first;\n"), std::string::npos);
  };
  expect_first();
  files::remove(source.file);
  files::remove(folder_ / "a.cuh");
  expect_first();
  KernelSource unread;
  unread.file = source.file;
  EXPECT_THROW(write_kernel_source(unread, out()), std::invalid_argument);
}

TEST_F(KernelSourceTest, TheFirstTypeAloneWhereThereAreSeveral) {
  const auto has = [&](const KernelSource& source, KernelTypes types, const std::string& part) {
    write_kernel_source(source, out(), types);
    return written("simulated.cpp").find(part) != std::string::npos && written("cuda.cu").find(part) != std::string::npos;
  };
  const auto every = read("template <class Image, class Table>\nvoid run(Image image, Table table) {}");
  EXPECT_TRUE(every.several_types);
  EXPECT_TRUE(has(every, KernelTypes::all, "visit_usual_sat_type"));
  EXPECT_FALSE(has(every, KernelTypes::first, "visit_usual_sat_type"));
  EXPECT_FALSE(read(run_function).several_types);
  EXPECT_FALSE(read("Pixel effect(Boxes boxes, int x, int y) { return 0; }").several_types);
  const auto descriptor = [&](const std::string& code, const std::string& more) {
    return read("void run(C& c, I i, S s, const A&) { " + code +
                "(i, s, [] {}); }\nextern constinit const SatAlgorithm sat_x{.name = \"x\"" + more + "};\n");
  };
  const auto usual = descriptor("visit_usual_sat_type", ", .run = run");
  EXPECT_TRUE(usual.several_types);
  EXPECT_TRUE(has(usual, KernelTypes::first, "#define visit_usual_sat_type visit_first_sat_type"));
  EXPECT_FALSE(has(usual, KernelTypes::all, "visit_first_sat_type"));
  EXPECT_TRUE(descriptor("visit_sat_type", ", .types = all_sat_types, .run = run").several_types);
  EXPECT_FALSE(descriptor("visit_sat_type", ", .types = types, .run = run").several_types) << "which may lack 8u32u";
  EXPECT_FALSE(descriptor("f", ", .run = run").several_types);
  EXPECT_FALSE(descriptor("visit_sat_type", ", 2000, run").several_types);
}

// What an editor has written so far, and the whole with a character that does not belong there.
TEST_F(KernelSourceTest, HalfWrittenFilesNeverFail) {
  const std::string whole =
      "// An idea.\n#include \"a.h\"\n#define GO(k) k<<<1, 2>>>(3)\n#if defined(A) && 1\nnamespace { __constant__ int n[2] "
      "= {1}; }\n"
      "#else\nextern \"C\" {\n#endif\ntemplate <class T, int W = 3, class... R>\nstatic __global__ void "
      "__launch_bounds__(W) k(T* a) "
      "{\n  extern __shared__ __align__(16) unsigned char b[];\n  __shared__ std::array<T, (W > 2)> c[4][W], *d, (*e)[3];\n"
      "  struct { int x; } s{1};\n  if (W < 3) asm(\"x\");\n}\nstruct A : B<int> { A() : a{1}, b(2) {} operator int() "
      "const; };\n"
      "/* x */ auto s = R\"y(z)y\", u = \"\\\"\"; __device__ int g;\n"
      "void run(Image image, Table table) {\n  ns::k<int, f<g<h<3>>>()><<<f<g<h<int>>>(), (a < b), 0>>>(image);\n  k<<<1, "
      "2>>>(p);\n}\n"
      "extern const gpu::SatAlgorithm sat_x{.name = \"x\"};\nPixel effect(Boxes b, int x, int y) { return x; }\n";
  write("a.h", "__shared__ int x;\n#include \"mine.cu\"\n");
  for (std::size_t i = 0; i <= whole.size(); ++i) {
    const auto source = read(whole.substr(0, i));
    if (source.messages.empty()) write_kernel_source(source, out());
    auto changed = whole;
    changed[i % whole.size()] = "{}()[]<>;\"'\\#/*\n,:="[i % 19];
    read(i % 2 ? changed : changed.substr(std::min<std::size_t>(26, changed.size())));  // or without what it includes
  }
}

}  // namespace
}  // namespace gpu
