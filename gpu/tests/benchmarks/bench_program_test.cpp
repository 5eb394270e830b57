// satscope-bench as a user sees it: the program itself, run with the host algorithms.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "gpu/benchmarks/peer_times.h"
#include "gpu/benchmarks/satscope_bench.h"
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
  const auto ended = run({"--traffic", "--types", "8u32u", "--sizes", "1920x1080", "--markdown", path("traffic.md")});
  ASSERT_EQ(ended.code, 0) << ended.out;
  const auto table = read("traffic.md");
  for (const auto* algorithm : sat_algorithms()) {
    const auto row = "| `" + std::string(algorithm->name) + "` | ";
    EXPECT_EQ(count(table, row), algorithm->traffic && why_unavailable(*algorithm).empty() ? 1 : 0) << row << "\n" << table;
  }
  EXPECT_NE(table.find("| `2r2w` | 5.00 + 8.00, 2 |"), table.npos) << table;
  const auto with_width = run({"--traffic", "--types", "8u32u", "--sizes", "64", "--set", "W=32"});
  EXPECT_EQ(with_width.code, 0) << "2r2w has no W: " << with_width.out;
}

TEST_F(BenchProgramTest, MeasuresEveryTypeAndWritesEveryFormat) {
  std::string types;
  for (const auto& type : sat_types) types += (types.empty() ? "" : ",") + std::string(type.name);
  const auto ended = run({"--device", "host", "--types", types, "--sizes", "64,100x37", "--samples", "3", "--markdown",
                          path("t.md"), "--csv", path("t.csv"), "--json=" + path("t.json"), "--svg", path("t.svg")});
  ASSERT_EQ(ended.code, 0) << ended.out;
  const auto csv = read("t.csv"), markdown = read("t.md"), json = read("t.json"), svg = read("t.svg");
  constexpr int known = std::size(sat_types), rows = 5,
                stages = known * 2;  // three bounds and two algorithms; types and sizes
  for (const auto& type : sat_types)
    for (const std::string size : {",64,64,", ",100,37,"})
      EXPECT_EQ(count(csv, "," + std::string(type.name) + size), rows) << type.name << size;
  EXPECT_EQ(count(csv, "\n"), 1 + stages * rows);
  EXPECT_EQ(count(markdown, "overhead over memset"), known);
  EXPECT_EQ(count(markdown, "| `host_parallel` |"), 3 * known);  // times, GB/s, fastest parameters
  EXPECT_EQ(count(json, "\"row\""), stages * rows);
  EXPECT_EQ(count(json, "{"), count(json, "}"));
  EXPECT_EQ(count(svg, "<polyline"), known * 2);  // types and algorithms
  EXPECT_NE(ended.out.find("every result verified before and after it was timed"), std::string::npos);
}

TEST_F(BenchProgramTest, PrintsSpeedUpsOverPeers) {
  write("peers.csv", "# a comment\ncv::integral,8u32u,64,64,1000\n");
  const auto ended = run({"--device", "host", "--types", "8u32u", "--sizes", "64", "--samples", "3", "--over",
                          "cv::integral,host_serial", "--peer-times", path("peers.csv")});
  ASSERT_EQ(ended.code, 0) << ended.out;
  EXPECT_NE(ended.out.find("speed-up over cv::integral, 64²"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("speed-up over host_serial, 64²"), std::string::npos) << ended.out;
}

TEST_F(BenchProgramTest, EveryParameterValueGetsARow) {
  const auto ended = run({"--device", "host", "--types", "8u32u", "--sizes", "64", "--samples", "3", "--all-parameters",
                          "--algorithms", "host_parallel", "--set", "threads=1", "--hot"});
  ASSERT_EQ(ended.code, 0) << ended.out;
  EXPECT_NE(ended.out.find("host_parallel threads=1"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("hot"), std::string::npos);
}

TEST_F(BenchProgramTest, RowsBeginWhereTheLayoutSays) {
  for (const std::string layout : {"pitched", "contiguous", "padded", "offset"}) {
    const auto ended = run({"--device", "host", "--types", "8u32u,64f64f", "--sizes", "37x5,64", "--samples", "3",
                            "--layout", layout, "--json", path("t.json")});
    ASSERT_EQ(ended.code, 0) << ended.out;  // every result is verified
    EXPECT_NE(read("t.json").find("\"layout\": \"" + layout + "\""), std::string::npos) << layout;
    EXPECT_EQ(ended.out.find("rows: " + layout) != std::string::npos, layout != "pitched") << ended.out;
  }
}

TEST_F(BenchProgramTest, BatchesAreVerifiedImageByImage) {
  for (const std::string layout : {"pitched", "offset"}) {
    const auto ended = run({"--device", "host", "--types", "8u32u,64f64f", "--sizes", "37x5,64", "--samples", "3", "--batch",
                            "3", "--layout", layout, "--json", path("t.json")});
    ASSERT_EQ(ended.code, 0) << ended.out;
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
  const auto ended = run({"--help"});
  EXPECT_EQ(ended.code, 0);
  for (const auto* algorithm : sat_algorithms())
    EXPECT_NE(ended.out.find("  " + std::string(algorithm->name)), std::string::npos) << algorithm->name;
}

TEST_F(BenchProgramTest, BadInputIsReportedInOneLine) {
  write("bad.csv", "cv::integral,8u32u,64,64,1000\ncv::integral,8u32u,sixty,64,1000\n");
  const std::vector<std::string> host{"--device", "host", "--sizes", "64", "--samples", "3"};
  struct Case {
    std::vector<std::string> words;
    int code;
    std::string says;
  };
  const Case cases[] = {
      {{"--marcdown", "x"}, 2, "did you mean '--markdown'"},
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
      {{"--set", "W=64"}, 2, "no chosen algorithm has a parameter 'W'"},
      {{"--set", "threads=-1"}, 2, "threads"},
      {{"--csv"}, 2, "needs a value"},
      {{"--over", "nobody"}, 2, "no peer 'nobody': it is neither an algorithm nor named in --peer-times"},
      {{"--over", "cv::integral", "--peer-times", path("absent.csv")}, 1, "cannot read"},
      {{"--over", "cv::integral", "--peer-times", path("bad.csv")},
       1,
       "line 2 has 'sixty' instead of a whole number from 1"},
      {{"--csv", path("absent/t.csv")}, 1, "cannot write"},
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
  const auto ended = run({"--frame", "--device", "host", "--sizes", "64x48", "--samples", "2", "--json", path("f.json"),
                          "--markdown", path("f.md")});
  ASSERT_EQ(ended.code, 0) << ended.out;
  const auto json = read("f.json");
  for (const auto* algorithm : {"host_parallel", "host_serial"})
    for (const auto* part : {"luma", "table", "box blur", "frame", "channels", "tables of channels", "adaptive threshold"}) {
      const auto both = std::string("\"algorithm\": \"") + algorithm + "\", \"part\": \"" + part + '"';
      EXPECT_NE(json.find(both), json.npos) << json;
    }
  EXPECT_EQ(count(json, "\"right\": true"), 14u) << json;
  EXPECT_EQ(count(json, "\"bytes\": " + std::to_string(64 * 48 * (4 + 5 + 8))), 2u) << "of a frame, without the copy";
  EXPECT_NE(ended.out.find("64x48, host_serial"), std::string::npos) << ended.out;
  EXPECT_NE(read("f.md").find("| `frame` |"), std::string::npos);
  const auto one = run({"--frame", "--device", "host", "--sizes", "64x48", "--samples", "2", "--algorithms", "host_serial"});
  EXPECT_EQ(one.code, 0) << one.out;
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
                          "--samples", "2", "--markdown", path("d.md")});
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_NE(read("d.md").find("32x24"), std::string::npos) << read("d.md");
  EXPECT_EQ(run({"--detect", "--device", "host"}).code, 2);
  const auto of_size = run(
      {"--detect", "--device", "host", "--cascade", path("c.xml"), "--sizes", "48x32", "--samples", "2"});
  EXPECT_EQ(of_size.code, 0) << of_size.out;
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

// A stand-in for satscope-bench-host, which has these times of the first picture.
TEST_F(BenchProgramTest, OpenCvsTimesAreMeasuredByTheProgramBesideIt) {
  write("c.xml", vision::new_format_text(vision::small_cascade()));
  write("a, b.pgm", "P5\n32 24\n255\n" + std::string(32 * 24, 'x'));
  const std::vector<std::string> words{"--detect",   "--device",       "host",      "--cascade", path("c.xml"),
                                       "--pictures", path("a, b.pgm"), "--samples", "2"};
  const auto lies_at = [&](const std::string& place, const std::string& last_line) {
    std::filesystem::create_directories(std::filesystem::path(path(place)).parent_path());
    write(place, "#!/bin/sh\necho \"$@\" >" + path("words") + "\ncmp \"$7\" '" + path("a, b.pgm") + "' || exit 1\n" +
                     "echo its table\n" + last_line);
    std::filesystem::permissions(path(place), std::filesystem::perms::owner_all);
  };
  const std::string times = "0,32,24,c,0,1,2,250000,480000,4.6.0,Atom, 2 threads\n";
  for (const std::string place : {"bin/satscope-bench-host", "app/satscope-bench-host"}) {
    SCOPED_TRACE(place);
    lies_at(place, "echo '" + times + "' >\"$3\"\n");
    auto ended = run(words);
    EXPECT_EQ(ended.code, 0) << ended.out;
    EXPECT_EQ(count(ended.out, " 250000 (") + count(ended.out, "OpenCV 4.6.0 on Atom, 2 threads\n"), 2) << ended.out;
    EXPECT_EQ(count(ended.out, "its table"), 0) << ended.out;
    EXPECT_EQ(count(read("words"), "--cascade " + path("c.xml") + " --pictures /"), 1) << read("words");

    write("words", "");
    auto without = words;
    without.insert(without.end(), {"--peer-times", "none"});
    ended = run(without);
    EXPECT_EQ(ended.code, 0) << ended.out;
    EXPECT_EQ(count(ended.out, "OpenCV, CPU"), 0) << ended.out;
    EXPECT_EQ(read("words"), "") << "it was run";

    for (const auto& [line, says] :
         {std::pair("echo why >&2; exit 1\n", "why\n"), {"echo 9,32 >\"$3\"\n", "without OpenCV's times: "}}) {
      lies_at(place, line);
      ended = run(words);
      EXPECT_EQ(ended.code, 0) << ended.out;
      EXPECT_EQ(count(ended.out, says), 1) << ended.out;
      EXPECT_EQ(count(ended.out, "OpenCV, CPU"), 0) << ended.out;
      EXPECT_EQ(count(ended.out, "OpenCV's times beside these: "), 1) << ended.out;
    }
    std::filesystem::remove(path(place));
  }
}

TEST(BenchProgramTextTest, AWrongResultIsNoOtherPicture) {
  benchmarks::DetectionCost cost;
  cost.picture = "mix", cost.size = {32, 24}, cost.detections = 3, cost.median_us = 1000;
  cost.peer = benchmarks::PeerDetection{"mix", "c", {32, 24}, 2, 1, 2, 3, 4, "4.6.0", "Atom"};
  EXPECT_EQ(count(benchmarks::detections_text({cost}), "of another picture"), 1);
  cost.failure = "other windows than on the host";
  EXPECT_EQ(count(benchmarks::detections_text({cost}), "of another picture"), 0);
  cost.peer.reset();
  EXPECT_EQ(count(benchmarks::detections_text({cost}), "OpenCV's times beside these: "), 1);
  EXPECT_EQ(count(benchmarks::detections_markdown({cost}), "OpenCV's times beside these: "), 0) << "it is published";
}

TEST_F(BenchProgramTest, DetectionIsPrintedBesideOpenCvs) {
  write("c.xml", vision::new_format_text(vision::small_cascade()));
  std::filesystem::create_directory(path("scenes"));
  for (const std::string name : {"dark", "mix", "wide"})
    write("scenes/" + name + ".pgm", (name == "wide" ? "P5 48 16 255\n" : "P5 32 24 255\n") + std::string(32 * 24, 'x'));
  const auto detect = [&](const std::string& peers) {
    std::vector<std::string> words{"--detect",   "--device",     "host",      "--cascade", path("c.xml"),
                                   "--pictures", path("scenes"), "--samples", "2",         "--markdown=" + path("d.md")};
    if (!peers.empty()) words.insert(words.end(), {"--peer-times", path(peers)});
    return run(words);
  };
  const std::string how = "satscope-bench-host --detect --csv F --scenes FOLDER writes them";

  auto ended = detect("");
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_EQ(count(ended.out, "OpenCV's times beside these: " + how), 1) << ended.out;
  EXPECT_EQ(count(ended.out, "OpenCV, CPU"), 0) << ended.out;
  const auto first = read("d.md");
  const auto at = first.find("| `mix` | 32x24 | c | ");
  ASSERT_NE(at, first.npos) << first;
  std::istringstream row(first.substr(at + 22));
  std::string bar;
  int windows = 0, found = 0, detections = 0;
  ASSERT_TRUE(row >> windows >> bar >> found >> bar >> detections) << first;

  // Of one picture; of another size and of another cascade; of a picture in which something else was found.
  benchmarks::PeerDetection peer{"mix", "c", {32, 24}, detections, 1, 2, 250000, 480000, "4.6.0", "Atom, 2 threads"};
  std::string rows = benchmarks::peer_detection_comment() + '\n' + line_of(peer) + '\n';
  peer.picture = "dark", peer.detections = detections + 1, peer.version = "4.10.0";
  rows += line_of(peer) + '\n';
  write("two.csv", rows);
  ended = detect("two.csv");
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_EQ(count(ended.out, "OpenCV, CPU"), 2) << ended.out;
  EXPECT_EQ(count(ended.out, " 250000 ("), 1) << ended.out;
  EXPECT_EQ(count(ended.out, "of another picture"), 1) << ended.out;
  EXPECT_EQ(count(ended.out, "OpenCV 4.10.0 on Atom, 2 threads; OpenCV 4.6.0 on Atom, 2 threads\n"), 1) << ended.out;
  EXPECT_EQ(count(ended.out, how), 0) << ended.out;
  EXPECT_NE(read("d.md").find("| OpenCV, CPU |"), std::string::npos) << read("d.md");

  peer.picture = "wide";  // 48x16
  auto other_cascade = peer;
  other_cascade.size = {48, 16}, other_cascade.cascade = "d";
  write("others.csv", line_of(peer) + '\n' + line_of(other_cascade) + '\n');
  write("empty.csv", "# nothing\n");
  write("tables.csv", "cv::integral,8u32u,64,64,1000\n");
  write("words.csv", line_of(peer) + "\nwide,48,sixteen,c,0,1,2,3,4,4.6.0,Atom\n");
  write("zero.csv", "wide,48,16,c,0,1,2,0,4,4.6.0,Atom\n");
  for (const auto& [file, says] : std::vector<std::pair<std::string, std::string>>{
           {"absent.csv", "cannot read " + path("absent.csv")},
           {"scenes", "cannot read " + path("scenes")},
           {"empty.csv", "empty.csv has no times of these pictures and cascades: " + how},
           {"others.csv", "others.csv has no times of these pictures and cascades: " + how},
           {"tables.csv", "tables.csv, line 1 is not scene,width,height,cascade,"},
           {"words.csv", "words.csv, line 2 has 'sixteen' instead of a whole number from 1"},
           {"zero.csv", "zero.csv, line 1 has '0' instead of a number above 0"}}) {
    const auto refused = detect(file);
    EXPECT_EQ(refused.code, 1) << file;
    EXPECT_NE(refused.out.find(says), std::string::npos) << refused.out;
    EXPECT_EQ(count(refused.out, "\n"), 1) << refused.out;
  }
}

}  // namespace
}  // namespace gpu
