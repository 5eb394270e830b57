// Context on the host and dry, the thread pool, parameters, images.
#include <gtest/gtest.h>

#include <atomic>

#include "gpu/context.h"
#include "gpu/parameter.h"
#include "gpu/sat.h"

namespace gpu {
namespace {

TEST(ThreadPoolTest, every_part_runs_once) {
  ThreadPool pool(4);
  for (int parts : {0, 1, 3, 4, 1000}) {
    std::vector<std::atomic<int>> ran(static_cast<std::size_t>(parts));
    pool.run(parts, [&](int part) { ++ran[static_cast<std::size_t>(part)]; });
    for (const auto& count : ran) EXPECT_EQ(count, 1);
  }
}

TEST(ThreadPoolTest, what_a_part_throws_arrives_and_the_pool_goes_on) {
  ThreadPool pool(3);
  EXPECT_THROW(pool.run(50, [](int part) {
    if (part == 17) throw std::runtime_error("part 17");
  }), std::runtime_error);
  std::atomic<int> ran = 0;
  pool.run(50, [&](int) { ++ran; });
  EXPECT_EQ(ran, 50);
}

TEST(ContextTest, scratch_is_aligned_and_given_back_by_its_scope) {
  ThreadPool pool(1);
  Buffer<std::byte> workspace(4096, Device::host);
  auto context = Context::on_host(pool, workspace.span());
  const auto* first = context.scratch<char>(1);
  {
    const Context::ScratchScope scope(context);
    EXPECT_EQ(context.scratch<float>(10) - reinterpret_cast<const float*>(first), 256 / 4);
  }
  EXPECT_EQ(reinterpret_cast<const char*>(context.scratch<int>(1)) - first, 256);
  EXPECT_EQ(context.workspace_bytes(), 512u);
}

TEST(ContextTest, too_small_a_workspace_is_refused) {
  ThreadPool pool(1);
  Buffer<std::byte> workspace(256, Device::host);
  auto context = Context::on_host(pool, workspace.span());
  context.scratch<char>(256);
  EXPECT_THROW(context.scratch<char>(1), std::length_error);
}

TEST(ContextTest, zeroed_memory_is_zero) {
  ThreadPool pool(1);
  Buffer<std::byte> workspace(1024, Device::host);
  std::fill(workspace.span().begin(), workspace.span().end(), std::byte{0xCD});
  auto context = Context::on_host(pool, workspace.span());
  const auto* data = context.zeroed<int>(100);
  EXPECT_TRUE(std::all_of(data, data + 100, [](int v) { return v == 0; }));
}

TEST(ContextTest, dry_counts_what_would_run) {
  auto context = Context::dry(Device::cuda);
  context.zeroed<int>(100);
  context.call("library", [](cudaStream_t) { FAIL() << "a dry context called a library"; });
  ASSERT_EQ(context.launches().size(), 2u);
  EXPECT_EQ(context.launches()[0].kind, LaunchRecord::Kind::clear);
  EXPECT_EQ(context.launches()[1].name, "library");
  EXPECT_EQ(context.workspace_bytes(), 512u);
}

constexpr Parameter example[] = {choice("W", "128,64,32", "tile side"), size("window", "15x15", 1, 255, "window"),
                                 real("c", "2", -255, 255, 0.5, "offset"), toggle("colour", "off", "colour")};

TEST(ArgumentsTest, start_as_the_initial_values) {
  const Arguments arguments(example);
  EXPECT_EQ(arguments.integer("W"), 128);
  EXPECT_EQ(arguments.size("window"), (Size{15, 15}));
  EXPECT_EQ(arguments.real("c"), 2);
  EXPECT_FALSE(arguments.toggle("colour"));
}

TEST(ArgumentsTest, a_wrong_value_changes_nothing_and_names_what_is_allowed) {
  Arguments arguments(example);
  for (const auto& [name, text] : {std::pair{"W", "129"}, {"window", "0x3"}, {"window", "3"}, {"window", "3x3 "},
                                   {"c", "nan"}, {"c", "1e9"}, {"c", ""}, {"colour", "yes"}})
    EXPECT_THROW(arguments.set(name, text), ArgumentError) << name << '=' << text;
  EXPECT_EQ(arguments, Arguments(example));
}

TEST(ArgumentsTest, the_nearest_right_word_is_offered) {
  Arguments arguments(example);
  const auto message = [&](auto name, auto text) {
    try {
      arguments.set(name, text);
    } catch (const ArgumentError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("windw", "3x3").find("did you mean 'window'"), std::string::npos);
  EXPECT_NE(message("colour", "onn").find("did you mean 'on'"), std::string::npos);
}

TEST(ImageTest, rows_start_aligned_for_every_element_size) {
  const Image<Bgr> colour({1, 2}, Device::host);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(colour.view().row(1)) % 256, 0u);
  const Image<double> doubles({33, 2}, Device::host);
  EXPECT_EQ(doubles.view().stride, 64);
}

TEST(CudaErrorTest, tells_where_and_what) {
  try {
    check(cudaErrorMemoryAllocation);
    FAIL();
  } catch (const CudaError& error) {
    EXPECT_TRUE(error.out_of_memory());
    EXPECT_NE(std::string(error.what()).find("gpu/tests/core_test.cpp"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace gpu
