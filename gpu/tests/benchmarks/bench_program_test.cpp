// satscope-bench as a user sees it: the program itself, run with the host algorithms.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "gpu/sat.h"
#include "gpu/tests/vision/cascade_writer.h"

namespace gpu {
namespace {

struct Ended {
  int code = -1;
  std::string out;  // both streams
};

class BenchProgramTest : public testing::Test {
 protected:
  BenchProgramTest() : folder_(std::filesystem::path(testing::TempDir()) / ("satscope-bench-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_ / "bin");
    std::error_code other_disk;
    const auto program = folder_ / "bin/satscope-bench";
    std::filesystem::create_hard_link(SATSCOPE_BENCH, program, other_disk);
    if (other_disk) std::filesystem::copy_file(SATSCOPE_BENCH, program);
  }
  ~BenchProgramTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string read(const std::string& name) const {
    std::ifstream in(path(name));
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }

  // Runs the program, as if it were installed alone; `interrupt_after` sends it a Ctrl-C, unless it is 0.
  Ended run(std::vector<std::string> words, std::chrono::milliseconds interrupt_after = {}) const {
    const auto log = path("log");
    words.insert(words.begin(), path("bin/satscope-bench"));
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      if (getuid() == 0 && setuid(user_) != 0) _exit(125);
      if (dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0) _exit(126);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    if (interrupt_after.count() > 0) {
      std::this_thread::sleep_for(interrupt_after);
      kill(child, SIGINT);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read("log")};
  }

  // What ends without an error; every result is verified.
  Ended run_well(const std::vector<std::string>& words) const {
    const auto ended = run(words);
    EXPECT_EQ(ended.code, 0) << ended.out;
    return ended;
  }

  uid_t user_ = 0;  // who runs it where these tests are run by root

 private:
  std::filesystem::path folder_;
};

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

TEST_F(BenchProgramTest, PrintsTheTrafficOfEveryKernel) {
  const auto ended = run_well({"--traffic", "--types", "8u32u", "--sizes", "1920x1080"});
  for (const auto* algorithm : sat_algorithms()) {
    const auto row = "\n" + std::string(algorithm->name) + " ";
    EXPECT_EQ(count(ended.out, row), algorithm->traffic && why_unavailable(*algorithm).empty() ? 1 : 0) << row << ended.out;
  }
  const auto begin = ended.out.find("\n2r2w "), end = ended.out.find('\n', begin + 1);
  EXPECT_TRUE(ended.out.substr(0, end).ends_with(" 5.00 + 8.00, 2")) << ended.out;
  const auto with_width = run_well({"--traffic", "--types", "8u32u", "--sizes", "64", "--set", "W=32"});
}

TEST_F(BenchProgramTest, MeasuresEveryType) {
  std::string types;
  for (const auto& type : sat_types) types += (types.empty() ? "" : ",") + std::string(type.name);
  const auto ended = run_well(
      {"--device", "host", "--types", types, "--sizes", "64,100x37", "--samples", "3", "--json=" + path("t.json")});
  const auto json = read("t.json");
  constexpr int rows = 7;  // three bounds and four algorithms
  for (const auto& type : sat_types) {
    const auto name = std::string(type.name);
    for (const std::string size : {"64, \"height\": 64,", "100, \"height\": 37,"})
      EXPECT_EQ(count(json, "\"type\": \"" + name + "\", \"width\": " + size), rows) << name << size;
    EXPECT_EQ(count(ended.out, "\n" + name + ": median time in us (overhead over memset)\n"), 1) << ended.out;
  }
  EXPECT_EQ(count(ended.out, "\nhost_parallel "), static_cast<int>(std::size(sat_types)));
  EXPECT_EQ(count(json, "\"median_us\""), static_cast<int>(std::size(sat_types)) * 2 * rows);
  EXPECT_EQ(count(json, "{"), count(json, "}"));
  EXPECT_NE(ended.out.find("every result verified before and after it was timed"), std::string::npos);
  EXPECT_EQ(count(ended.out, "--json F, then satscope-bench-report F"), 0) << "that is known";
}

TEST_F(BenchProgramTest, EveryParameterValueGetsARow) {
  const auto ended = run_well({"--device", "host", "--types", "8u32u", "--sizes", "64", "--samples", "3", "--all-parameters",
                               "--algorithms", "host_parallel", "--set", "threads=1", "--hot"});
  EXPECT_NE(ended.out.find("host_parallel threads=1"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("hot"), std::string::npos);
}

TEST_F(BenchProgramTest, RowsBeginWhereTheLayoutSays) {
  for (const std::string layout : {"pitched", "contiguous", "padded", "offset"}) {
    const auto ended = run_well({"--device", "host", "--types", "8u32u,64f64f", "--sizes", "37x5,64", "--samples", "3",
                                 "--layout", layout, "--json", path("t.json")});
    EXPECT_NE(read("t.json").find("\"layout\": \"" + layout + "\""), std::string::npos) << layout;
    EXPECT_EQ(ended.out.find("rows: " + layout) != std::string::npos, layout != "pitched") << ended.out;
  }
}

TEST_F(BenchProgramTest, BatchesAreVerifiedImageByImage) {
  for (const std::string layout : {"pitched", "offset"}) {
    const auto ended = run_well({"--device", "host", "--types", "8u32u,64f64f", "--sizes", "37x5,64", "--samples", "3",
                                 "--batch", "3", "--layout", layout, "--json", path("t.json")});
    EXPECT_NE(ended.out.find("batches of 3 images"), std::string::npos) << ended.out;
    EXPECT_NE(read("t.json").find("\"batch\": 3"), std::string::npos);
  }
}

// The time until something is measured depends on the load of the machine: the interrupt is delayed until there is a result.
TEST_F(BenchProgramTest, AnInterruptPrintsWhatWasMeasured) {
  Ended ended;
  for (auto wait = std::chrono::milliseconds(1500); wait < std::chrono::minutes(1); wait *= 2) {
    ended = run({"--device", "host", "--types", "8u32u", "--sizes", "64,4096", "--samples", "100000"}, wait);
    if (ended.code == 0) break;
  }
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_NE(ended.out.find("interrupted: only what was measured until then"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("8u32u: median time"), std::string::npos) << ended.out;
}

TEST_F(BenchProgramTest, HelpNamesOptionsAndAlgorithms) {
  const auto ended = run_well({"--help"});
  EXPECT_EQ(ended.code, 0);
  for (const auto* algorithm : sat_algorithms())
    EXPECT_NE(ended.out.find("  " + std::string(algorithm->name)), std::string::npos) << algorithm->name;
}

TEST_F(BenchProgramTest, BadInputIsReportedInOneLine) {
  const std::vector<std::string> host{"--device", "host", "--sizes", "64", "--samples", "3"};
  struct Case {
    std::vector<std::string> words;
    int code;
    std::string says;
  };
  const Case cases[] = {
      {{"--markdown", "x"}, 2, "--markdown is an option of satscope-bench-report: take --json F here, then"},
      {{"--no-progres"}, 2, "did you mean '--no-progress'"},
      {{"--layout", "contiguos"}, 2, "did you mean 'contiguous'"},
      {{"--batch", "0"}, 2, "from 1 to 65536"},
      {{"--batch", "65536", "--sizes", "65536"}, 2, "together they have more than 2^30"},
      {{"--batch", "2", "--frame"}, 2, "leave out --frame"},
      {{"--algorithms", "host_serail"}, 2, "did you mean 'host_serial'"},
      {{"--algorithms", "2r1w"}, 2, "add --device cuda"},
      {{"--types", "8u32x"}, 2, "no type '8u32x'"},
      {{"--sizes", "0"}, 2, "from 1 to"},
      {{"--sizes", "64x"}, 2, "'' is not a valid height: it takes a whole number"},
      {{"--sizes", "1048577"}, 2, "from 1 to 1048576"},
      {{"--samples", "100001"}, 2, "from 1 to 100000"},
      {{"--latencies"}, 2, "--latencies measures a GPU: leave out --device host"},
      {{"--samples", "many"}, 2, "'many' is not a valid number of samples"},
      {{"--set", "threads"}, 2, "KEY=VALUE"},
      {{"--set", "Q=64"}, 2, "no chosen algorithm has a parameter 'Q'"},
      {{"--set", "threads=-1"}, 2, "threads"},
      {{"--peer-times", "f.csv"}, 2, "then call satscope-bench-report F --peer-times"},
      {{"--json"}, 2, "needs a value"},
      {{"--json", path("absent/t.json")}, 1, "cannot write"},
      {{"--sizes", "1000000"}, 1, "was left out: it needs"},
  };
  for (const auto& bad : cases) {
    SCOPED_TRACE(bad.words[0] + (bad.words.size() > 1 ? " " + bad.words[1] : ""));
    auto words = host;
    words.insert(words.end(), bad.words.begin(), bad.words.end());
    const auto ended = run(words);
    EXPECT_EQ(ended.code, bad.code) << ended.out;
    EXPECT_NE(ended.out.find(bad.says), std::string::npos) << ended.out;
    if (bad.code == 2) {
      EXPECT_EQ(count(ended.out, "\n"), 1) << ended.out;
    }
  }
  if (!why_unavailable(*find_sat_algorithm("npp")).empty()) {
    const auto ended = run({"--traffic", "--algorithms", "npp"});
    EXPECT_EQ(ended.code, 2);
    EXPECT_NE(ended.out.find("npp: NPP was not found"), std::string::npos) << ended.out;
  }
  if (!probe_gpu().gpu) {
    EXPECT_EQ(run({"--frame", "--device", "cuda"}).code, 5);
    EXPECT_EQ(run({"--device", "cuda"}).code, 5);
    const auto ended = run({"--algorithms", "1r1w"});
    EXPECT_EQ(ended.code, 5);
    EXPECT_NE(ended.out.find("1r1w needs CUDA"), std::string::npos) << ended.out;
  }
}

TEST_F(BenchProgramTest, AFrameIsMeasuredPartByPart) {
  const auto ended = run({"--frame", "--device", "host", "--sizes", "64x48", "--samples", "2", "--json", path("f.json")});
  const auto json = read("f.json");
  for (const auto* algorithm : {"host_parallel", "host_serial"})
    for (const auto* part : {"luma", "table", "box blur", "frame", "channels", "tables of channels", "adaptive threshold"}) {
      const auto both = std::string("\"algorithm\": \"") + algorithm + "\", \"part\": \"" + part + '"';
      EXPECT_NE(json.find(both), json.npos) << json;
    }
  EXPECT_EQ(count(json, "\"right\": true"), 14u) << json;
  EXPECT_EQ(count(json, "\"bytes\": " + std::to_string(64 * 48 * (4 + 5 + 8))), 2u) << "of a frame, without the copy";
  EXPECT_NE(ended.out.find("64x48, host_serial"), std::string::npos) << ended.out;
  EXPECT_EQ(count(ended.out, "\nframe "), 2) << ended.out;
  const auto one = run_well(
      {"--frame", "--device", "host", "--sizes", "64x48", "--samples", "2", "--algorithms", "host_serial"});
  EXPECT_EQ(count(one.out, "host_parallel"), 0) << one.out;
  EXPECT_EQ(count(one.out, "1920x1080"), 0) << one.out;
}

TEST_F(BenchProgramTest, AFrameIsMeasuredInEachLayout) {
  for (const std::string layout : {"pitched", "contiguous", "padded", "offset"})
    for (const auto* size : {"7x3", "130x65"}) {
      const auto ended = run({"--frame", "--device", "host", "--sizes", size, "--samples", "2", "--algorithms",
                              "host_serial", "--layout", layout});
      EXPECT_EQ(ended.code, 0) << layout << ended.out;
      EXPECT_EQ(count(ended.out, "WRONG"), 0) << layout << ended.out;
    }
}

TEST_F(BenchProgramTest, DetectionIsMeasuredWithoutAGpuToo) {
  write("c.xml", vision::new_format_text(vision::small_cascade()));
  write("p.pgm", "P5\n# gray\n32 24\n255\n" + std::string(32 * 24, 'x'));
  const auto ended = run({"--detect", "--device", "host", "--cascade", path("c.xml"), "--pictures", path("p.pgm"),
                          "--samples", "2", "--json", path("d.json")});
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_NE(ended.out.find("32x24"), std::string::npos) << ended.out;
  EXPECT_NE(read("d.json").find("\"picture_file\": \"" + path("p.pgm") + "\", \"cascade\": \"c\""), std::string::npos)
      << read("d.json");
  EXPECT_EQ(run({"--detect", "--device", "host"}).code, 2);
  const auto of_size = run_well(
      {"--detect", "--device", "host", "--cascade", path("c.xml"), "--sizes", "48x32", "--samples", "2"});
  EXPECT_NE(of_size.out.find("48x32"), std::string::npos) << of_size.out;
  EXPECT_EQ(count(of_size.out, "640x480"), 0) << of_size.out;
  write("short.pgm", "P5 32 24 255\nxx");
  const auto refused = run({"--detect", "--device", "host", "--cascade", path("c.xml"), "--pictures", path("short.pgm")});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.out.find("ends before its last pixel"), std::string::npos) << refused.out;
}

// As root every folder can be read.
TEST_F(BenchProgramTest, AFolderOfPicturesThatCannotBeReadIsAWrongWord) {
  write("c.xml", vision::new_format_text(vision::small_cascade()));
  std::filesystem::create_directory(path("closed"));
  std::filesystem::permissions(path("closed"), std::filesystem::perms::none);
  user_ = 65534;
  const auto ended = run({"--detect", "--device", "host", "--cascade", path("c.xml"), "--pictures", path("closed")});
  std::filesystem::permissions(path("closed"), std::filesystem::perms::all);
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.out.find("closed cannot be read: Permission denied\n"), std::string::npos) << ended.out;
}

}  // namespace
}  // namespace gpu
