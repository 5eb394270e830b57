// The command line: valid words are parsed, all others refused in one line that suggests the nearest word; and what its changes
// make of the settings.
#include "app/commands/options.h"

#include <gtest/gtest.h>
#include <tuple>

#include <map>
#include <stdexcept>

#include "app/tests/control/settings_example.h"
#include "app/tests/support/exit_refusal.h"

namespace app {
namespace {

Options parse(std::vector<std::string> words) { return parse_options(words); }

// The message of the usage error that `words` cause, in the parser or when the settings are changed.
std::string refusal(const std::vector<std::string>& words) {
  return exit_refusal(ExitCode::usage, [&] {
    const auto options = parse_options(words);
    Settings settings;
    settings.device = DeviceChoice::host;
    override_settings(options, settings);
    assign_parameters(options, gpu::Device::host, settings);
  });
}

TEST(OptionsTest, NoWordsOpenTheWindow) {
  const auto options = parse({});
  EXPECT_EQ(options.command, Verb::live);
  EXPECT_TRUE(options.changes.empty());
  EXPECT_FALSE(options.offscreen);
}

TEST(OptionsTest, TheWordLiveMayBeLeftOut) {
  EXPECT_EQ(parse({"live", "clip.mp4"}).value_of("source"), "clip.mp4");
  EXPECT_EQ(parse({"clip.mp4"}).value_of("source"), "clip.mp4");
  EXPECT_EQ(parse({"--loop", "0"}).value_of("source"), "0");
}

TEST(OptionsTest, AMistypedCommandIsNoSource) {
  for (const auto& [word, meant] : std::map<std::string, std::string>{{"simulat", "the command 'simulate'"},
                                                                      {"livee", "the command 'live'"},
                                                                      {"hlp", "the command 'help'"},
                                                                      {"aply", "the command 'apply'"},
                                                                      {"lisst", "the command 'list'"}})
    for (const auto& words : {std::vector{word}, {word, "more"}})
      EXPECT_EQ(refusal(words), "no such source or command: '" + word + "' (did you mean " + meant + "?)");
  for (const std::string source : {"synthetik", "clip.mp4", "./simulat", "webcam", "app", "0"})
    EXPECT_EQ(parse({source}).value_of("source"), source);
}

TEST(OptionsTest, TheEndingOfAReportSaysItsForm) {
  EXPECT_TRUE(parse({"simulate", "-o", "r.json"}).json);
  EXPECT_FALSE(parse({"simulate", "-o", "r.txt"}).json);
  EXPECT_TRUE(parse({"simulate", "-o", "r.txt", "--json"}).json);
}

TEST(OptionsTest, EveryOptionOfLiveIsParsed) {
  const auto options = parse({"live",      "a.mp4",    "--algorithm",  "host_serial", "--effect", "none",   "--set",
                              "threads=2", "--device", "host",         "--interop",   "off",      "--size", "640x360",
                              "--fps",     "29.97",    "--loop",       "--max-speed", "--vsync",  "off",    "--offscreen",
                              "--frames",  "7",        "--screenshot", "s.png",       "--record", "r.mp4",  "--export",
                              "e.csv",     "--viewer", "gl",           "--config",    "c.json",   "--log",  "l.jsonl"});
  for (const auto& [path, text] : std::map<std::string, std::string>{{"source", "a.mp4"},
                                                                     {"algorithm", "host_serial"},
                                                                     {"effect", "none"},
                                                                     {"threads", "2"},
                                                                     {"device", "host"},
                                                                     {"interop", "off"},
                                                                     {"size", "640x360"},
                                                                     {"fps", "29.97"},
                                                                     {"loop", "on"},
                                                                     {"max_speed", "on"},
                                                                     {"vsync", "off"},
                                                                     {"viewer", "gl"}})
    EXPECT_EQ(options.value_of(path), text) << path;
  EXPECT_EQ(options.changes.size(), 12u);
  EXPECT_TRUE(options.offscreen);
  EXPECT_EQ(options.frames, 7u);
  EXPECT_EQ(std::tuple(options.screenshot, options.record, options.export_file, options.log, options.config),
            std::tuple("s.png", "r.mp4", "e.csv", "l.jsonl", "c.json"));
}

TEST(OptionsTest, SetTakesOneOrSeveralAndLeavesTheSourceAlone) {
  const auto options = parse({"--set", "window=3x3", "border=clip", "http://host/stream?a=b", "--set", "passes=2"});
  EXPECT_EQ(
      options.changes,
      (std::vector<Change>{{"source", "http://host/stream?a=b"}, {"window", "3x3"}, {"border", "clip"}, {"passes", "2"}}));
  EXPECT_EQ(parse({"--set=c=-3.5"}).changes.at(0).text, "-3.5");
}

TEST(OptionsTest, CommandsOfImages) {
  const auto sat = parse({"sat", "i.png", "--algorithm", "host_serial", "--type", "64f64f", "-o", "t.npy", "--exclusive"});
  EXPECT_EQ(sat.command, Verb::sat);
  EXPECT_EQ(sat.image, "i.png");
  EXPECT_EQ(sat.output, "t.npy");
  EXPECT_EQ(sat.type, "64f64f");
  EXPECT_TRUE(sat.exclusive);
  const auto apply = parse({"apply", "i.png", "--effect", "box_blur", "--set", "window=3x3", "-o", "o.png"});
  EXPECT_EQ(apply.command, Verb::apply);
  EXPECT_EQ(apply.value_of("effect"), "box_blur");
}

TEST(OptionsTest, KernelsAreNamedByTheirOptionByASettingOrAsTheSource) {
  const auto mine = examples::example_kernel();
  EXPECT_EQ(parse({"--kernel", mine, "clip.mp4"}).kernels, std::vector{mine});
  EXPECT_EQ(parse({"--kernel", mine, "clip.mp4"}).value_of("source"), "clip.mp4");
  EXPECT_EQ(parse({mine}).kernels, std::vector{mine});
  EXPECT_FALSE(parse({mine}).value_of("source"));
  EXPECT_EQ(parse({"--set", "kernel=" + mine, "--kernel", mine}).kernels.size(), 1u);
  const auto simulate = parse({"simulate", "--kernel", mine});
  EXPECT_EQ(simulate.type, "8u32u") << "what short files have";
  EXPECT_EQ(parse({"simulate", "--kernel", mine, "--type", "64f64f"}).type, "64f64f");
  EXPECT_EQ(parse({"apply", "i.png", "--kernel", mine, "-o", "o.png"}).kernels.size(), 1u);
  EXPECT_THROW(parse({"--kernel", "missing.cu"}), ExitError);
  EXPECT_THROW(parse({"missing.cu"}), ExitError);
}

TEST(OptionsTest, NewTakesAFileAndWhatItBeginsWith) {
  const auto options = parse({"new", "mine.cu", "--from", "2r1w"});
  EXPECT_EQ(options.command, Verb::new_kernel);
  EXPECT_EQ(options.output, "mine.cu");
  EXPECT_EQ(options.from, "2r1w");
  EXPECT_TRUE(parse({"new", "mine.cu", "--effect"}).effect_start);
  EXPECT_THROW(parse({"new", "mine.cu", "--effect", "--from", "2r1w"}), ExitError);
  EXPECT_THROW(parse({"new"}), ExitError);
}

TEST(OptionsTest, ListInfoVersionAndHelp) {
  EXPECT_EQ(parse({"list", "effects", "--json"}).listing, Listing::effects);
  EXPECT_EQ(parse({"list", "settings"}).listing, Listing::settings);
  EXPECT_EQ(parse({"list", "commands"}).listing, Listing::commands);
  EXPECT_EQ(parse({"list", "actions"}).listing, Listing::commands) << "its name before";
  EXPECT_TRUE(parse({"info", "--json"}).json);
  EXPECT_EQ(parse({"--version"}).text, "satscope " SATSCOPE_VERSION "\n");
  EXPECT_EQ(parse({"sat", "--version"}).text, "satscope " SATSCOPE_VERSION "\n");
  const auto help = parse({"--help"}).text;
  for (const auto* word :
       {"SOURCE",   "--algorithm", "--effect",    "--set",       "--device",    "--interop",     "--size",   "--fps",
        "--loop",   "--max-speed", "--vsync",     "--offscreen", "--frames",    "--screenshot",  "--record", "--export",
        "--viewer", "--config",    "--no-config", "sat IMAGE",   "apply IMAGE", "detect SOURCE", "list",     "info"})
    EXPECT_NE(help.find(word), std::string::npos) << word;
  EXPECT_NE(parse({"sat", "--help"}).text.find("--exclusive"), std::string::npos);
  EXPECT_NE(parse({"apply", "--help"}).text.find("--effect NAME REQUIRED"), std::string::npos);
}

TEST(OptionsTest, Detect) {
  const auto none = parse({"detect", "a.png"});
  EXPECT_EQ(none.command, Verb::detect);
  EXPECT_EQ(none.cascade, gpu::vision::bundled_cascade);
  EXPECT_EQ(none.detector.levels.scale_factor, 1.1);
  EXPECT_EQ(none.detector.min_neighbors, 3);
  EXPECT_EQ(none.detector.levels.min_size, gpu::Size());
  EXPECT_EQ(none.detector.levels.max_size, gpu::Size());
  const auto all = parse({"detect", "a.png", "--cascade", "eye", "--scale-factor", "1.3", "--min-neighbors", "0", "b.mp4",
                          "--min-size", "24", "--max-size", "100x80", "--device", "host", "--json", "-o", "f"});
  EXPECT_EQ(all.sources, (std::vector<std::string>{"a.png", "b.mp4"}));
  EXPECT_EQ(all.cascade, "eye");
  EXPECT_EQ(all.detector.levels.scale_factor, 1.3);
  EXPECT_EQ(all.detector.min_neighbors, 0);
  EXPECT_EQ(all.detector.levels.min_size, (gpu::Size{24, 24}));
  EXPECT_EQ(all.detector.levels.max_size, (gpu::Size{100, 80}));
  EXPECT_EQ(all.value_of("device"), "host");
  EXPECT_TRUE(all.json && !all.raw);
  EXPECT_TRUE(parse({"detect", "--raw", "a.png"}).raw);
}

TEST(OptionsTest, Simulate) {
  const auto none = parse({"simulate"});
  EXPECT_EQ(none.command, Verb::simulate);
  EXPECT_TRUE(none.algorithms.empty());
  EXPECT_FALSE(none.size);
  EXPECT_EQ(std::tuple(none.type, none.latency, none.width, none.blocks), std::tuple("32f32f", 400, 32, 264));
  EXPECT_EQ(none.schedule.kind, gpu::simulated::Schedule::Kind::in_order);
  const auto all = parse({"simulate", "2r1w",       "--set",     "W=32",   "1r1w",    "--size", "64x48",
                          "--type",   "8u32u",      "--latency", "1",      "--width", "4",      "--blocks",
                          "1024",     "--schedule", "random:7",  "--json", "-o",      "f"});
  EXPECT_EQ(all.algorithms, (std::vector<std::string>{"2r1w", "1r1w"}));
  EXPECT_EQ(all.changes.at(0).path, "W");
  EXPECT_EQ(all.size, (gpu::Size{64, 48}));
  EXPECT_EQ(std::tuple(all.type, all.latency, all.width, all.blocks), std::tuple("8u32u", 1, 4, 1024));
  EXPECT_EQ(all.schedule.kind, gpu::simulated::Schedule::Kind::random);
  EXPECT_EQ(all.schedule.seed, 7u);
  EXPECT_TRUE(all.json);
  EXPECT_EQ(all.output, "f");
  EXPECT_FALSE(all.lines);
  EXPECT_TRUE(parse({"simulate", "2r1w", "--lines"}).lines);
  EXPECT_EQ(parse({"simulate", "--model", "latency"}).model, Model::latency);
  EXPECT_EQ(parse({"sat", "i.png", "-o", "t.npy"}).type, "8u32u");
  EXPECT_NE(parse({"simulate", "--help"}).text.find("4096x4096"), std::string::npos);
}

struct Refused {
  std::vector<std::string> words;
  const char* says;
};

TEST(OptionsTest, RefusalsAreOneHelpfulLine) {
  const Refused table[] = {
      {{"--algoritm", "x"}, "did you mean '--algorithm'"},
      {{"--frames", "0"}, "whole number from 1"},
      {{"--frames", "-3"}, "whole number from 1"},
      {{"--frames", "1e3"}, "whole number from 1"},
      {{"--frames", "99999999999999999999999"}, "whole number from 1"},
      {{"--frames"}, "--frames needs a value: --frames N; see satscope --help"},
      {{"--frames="}, "--frames needs a value: --frames N; see satscope --help"},
      {{"apply", "i.png", "--effect"}, "--effect needs a value: --effect NAME; see satscope apply --help"},
      {{"--effect", "none", "--effect", "haar"}, "--effect is given 2 times: leave out all but one"},
      {{"--effect", "none", "--set", "effect=haar"},
       "effect is given twice, as 'none' and as 'haar': leave out one of them"},
      {{"apply", "i.png", "--effect", "box_blur", "-o", "o.png", "--set", "box_blur.window=3x3", "--set", "window=5x5"},
       "box_blur.window is given twice, as '3x3' and as '5x5': leave out one of them"},
      {{"a.png", "--set", "source=b.png"}, "source is given twice, as 'a.png' and as 'b.png'"},
      {{"-x"}, "no option '-x'; see satscope --help"},
      {{"--check"}, "--check checks the lines of a script: give --script FILE; --set check=on verifies tables"},
      {{"apply", "i.png", "--window=3x3"}, "no option '--window': it is a setting, write --set window=VALUE"},
      {{"--compare-mode", "difference"}, "no option '--compare-mode': it is a setting, write --set compare_mode=VALUE"},
      {{"--scale", "2"}, "no option '--scale': it is a setting, write --set sat_view.scale=VALUE"},
      {{"--haar.type=1"}, "no option '--haar.type': it is a setting, write --set haar.type=VALUE"},
      {{"--haar.W=1"}, "no option '--haar.W'; see satscope --help"},
      {{"apply", "i.png", "--wipe", "0.3"}, "no option '--wipe': it is a setting, write --set wipe=VALUE"},
      {{"--srouce", "x"}, "no option '--srouce': SOURCE is named without one, as in satscope SOURCE"},
      {{"detect", "--source=x"}, "no option '--source': SOURCE is named without one, as in satscope detect SOURCE"},
      {{"sat", "--imag", "x"}, "no option '--imag': IMAGE is named without one, as in satscope sat IMAGE"},
      {{"sat", "i.png", "--check"}, "no option '--check'; see satscope sat --help"},
      {{"info", "--window"}, "no option '--window'; see satscope info --help"},
      {{"sat", "--", "i.png", "-o", "x.npy"}, "options come before '--': move -o there"},
      {{"--", "i.png", "--frames", "3"}, "options come before '--': move --frames there"},
      {{"apply", "--", "i.png", "--effect", "none"}, "options come before '--': move --effect there"},
      {{"--offscreen=no"}, "--offscreen takes no value: write --offscreen alone"},
      {{"--json", "--foo"}, "no option '--json'"},
      {{"--fps", "nan"}, "number from 0 to 1000"},
      {{"--fps", "inf"}, "number from 0 to 1000"},
      {{"--fps", "-1"}, "number from 0 to 1000"},
      {{"--loop=yes"}, "loop takes off or on, not 'yes'"},
      {{"--set", "interop=offf"}, "did you mean 'off'"},
      {{"--set", "host_algorithm=1r1w"},
       "host_algorithm takes host_ehsan, host_parallel, host_serial or host_wavefront, not '1r1w'"},
      {{"--set", "cuda_algorithm=host_serial"}, "not 'host_serial'"},
      {{"--set", "host_algorithm=host_serail"}, "no algorithm 'host_serail' (did you mean 'host_serial'?)"},
      {{"--set", "intreop=on"}, "did you mean 'interop'"},
      {{"--set", "2r1w.Q=3"}, "2r1w: no parameter 'Q'"},
      {{"--set", "2r1w.W=63"}, "2r1w: '63'"},
      {{"--set", "harr.type=type-2-x"}, "no algorithm or effect 'harr' (did you mean 'haar'?)"},
      {{"--size", "640"}, "takes WxH"},
      {{"--size", "0x4"}, "takes WxH"},
      {{"--size", "640x360x3"}, "takes WxH"},
      {{"--size", "99999x1"}, "takes WxH"},
      {{"--device", "gpu"}, "auto, cuda, host or simulated"},
      {{"--device", "simulate"}, "did you mean 'simulated'"},
      {{"--device", "hots"}, "did you mean 'host'"},
      {{"--interop", "yes"}, "auto, on or off"},
      {{"--vsync", "1"}, "off or on"},
      {{"--viewer", "qt"}, "gl or highgui"},
      {{"--set", "window"}, "KEY=VALUE"},
      {{"--set", "=3"}, "KEY=VALUE"},
      {{"--screenshot", "s.jpg"}, ".png"},
      {{"--record", "r.avi"}, ".mp4"},
      {{"--export", "e.txt"}, ".json or .csv"},
      {{"--log", "e.json"}, ".csv or .jsonl"},
      {{"--config", "c", "--no-config"}, "leave out one of them"},
      {{"--offscreen", "--viewer", "highgui"}, "no window"},
      {{"a.mp4", "b.mp4"}, "live takes one source: leave out 'b.mp4'"},
      {{"--", "a.mp4", "b.mp4"}, "live takes one source: leave out 'b.mp4'"},
      {{"sat"}, "sat needs IMAGE (an image file, also AVIF, GIF or TGA of one picture); see satscope sat --help"},
      {{"sat", "i.png"}, "sat needs -o F.npy; see satscope sat --help"},
      {{"sat", "i.png", "j.png", "-o", "t.npy"}, "sat takes one image: leave out 'j.png'"},
      {{"sat", "-oa.npy", "-q"}, "no option '-q'"},
      {{"sat", "i.png", "-o", "t.npz"}, ".npy"},
      {{"apply", "i.png", "--effect", "haar", "-o", "x.png", "--annotations", "x.txt"}, "must end in .json"},
      {{"sat", "i.png", "-o", "t.npy", "--effect", "none"}, "no option '--effect'"},
      {{"sat", "i.png", "-o", "t.npy", "--set", "loop=on"}, "sat does not use the setting loop: leave it out"},
      {{"sat", "i.png", "-o", "t.npy", "--set", "effect=haar"}, "sat does not use the setting effect"},
      {{"sat", "i.png", "-o", "t.npy", "--set", "box_blur.window=3x3"}, "sat draws no effect: leave out box_blur.window"},
      {{"sat", "i.png", "-o", "t.npy", "--algorithm", "host_serial", "--set", "2r1w.W=64"},
       "sat computes with host_serial: leave out 2r1w.W"},
      {{"apply", "i.png", "-o", "o.png", "--effect", "none", "--set", "box_blur.window=3x3"},
       "apply draws the effect none: leave out box_blur.window"},
      {{"apply", "i.png", "-o", "o.png"}, "--effect"},
      {{"apply", "i.png", "-o", "o.png", "--effect", "none", "--set", "panels=on"}, "apply does not use the setting panels"},
      {{"apply", "i.png", "--effect", "none", "-o", "o.jpg"}, ".png"},
      {{"list"}, "list needs WHAT (algorithms, effects, cascades, cameras, settings or commands)"},
      {{"list", "effects", "more"}, "list takes one word: leave out 'more'"},
      {{"list", "algorithm"}, "did you mean 'algorithms'"},
      {{"info", "x"}, "info takes no names: leave out 'x'"},
      {{"--algorithm", "host_seriel"}, "did you mean 'host_serial'"},
      {{"--algorithm", ""}, "no algorithm ''"},
      {{"--algorithm", "host_serial", "--device", "cuda"}, "runs on the CPU, not on the GPU"},
      {{"--algorithm", "host_serial", "--device", "simulated"},
       "runs on the CPU, not on the simulated GPU: choose another device"},
      {{"--algorithm", "cub", "--device", "simulated"}, "choose another algorithm, or the device cuda"},
      {{"--algorithm", "2r1w", "--device", "host"}, "runs on the GPU or the simulated one, not on the CPU"},
      {{"detect"}, "detect needs SOURCE"},
      {{"detect", ""}, "a source is an empty text"},
      {{"detect", "a", "--scale-factor", "1"}, "must be a number from 1.001 to 1000"},
      {{"detect", "a", "--scale-factor", "nan"}, "must be a number from 1.001 to 1000"},
      {{"detect", "a", "--scale-factor", "inf"}, "must be a number from 1.001 to 1000"},
      {{"detect", "a", "--min-neighbors", "-1"}, "must be a whole number from 0 to 1000000"},
      {{"detect", "a", "--min-size", "0"}, "--min-size takes N or WxH, each from 1 to 8192, not '0'"},
      {{"detect", "a", "--max-size", "-4"}, "--max-size takes N or WxH"},
      {{"detect", "a", "--max-size", "9x"}, "--max-size takes N or WxH"},
      {{"detect", "a", "--min-size", "50", "--max-size", "60x40"}, "50x50 exceeds --max-size 60x40"},
      {{"detect", "a", "--raw", "--min-neighbors", "5"}, "leave out --min-neighbors 5"},
      {{"detect", "a", "--json", "-o", "f.csv"}, "leave out --json"},
      {{"detect", "a", "-o", "f.png"}, "satscope apply IMAGE --effect NAME -o F.png"},
      {{"tune", "--show", "--remove"}, "leave out one of them"},
      {{"tune", "--shov"}, "did you mean '--show'"},
      {{"tun"}, "did you mean the command 'tune'"},
      {{"simulate", "--size", "0x4"}, "takes WxH"},
      {{"simulate", "--latency", "0"}, "1 to 1000000"},
      {{"simulate", "--latency", "1e3"}, "1 to 1000000"},
      {{"simulate", "--width", "12"}, "4, 8, 16 or 32"},
      {{"simulate", "--width", "64"}, "4, 8, 16 or 32"},
      {{"simulate", "--blocks", "1025"}, "1 to 1024"},
      {{"simulate", "--blocks", "-1"}, "1 to 1024"},
      {{"simulate", "--schedule", "in-ordr"}, "did you mean 'in-order'"},
      {{"simulate", "--schedule", "random"}, "in-order or random:SEED"},
      {{"simulate", "--schedule", "random:x"}, "whole number from 0, not 'x'"},
      {{"simulate", "--schedule", "random:-1"}, "whole number from 0, not '-1'"},
      {{"simulate", "--schedule", "random:18446744073709551616"}, "whole number from 0 to 18446744073709551615, not '18"},
      {{"simulate", "--model", "latence"}, "did you mean 'latency'"},
      {{"simulate", "2r1w", "--model", "latency"}, "leave out the names"},
      {{"simulate", "--model", "latency", "--width", "16"}, "leave out --width 16"},
      {{"simulate", "--model", "latency", "--latency", "100"}, "leave out --latency 100"},
      {{"simulate", "--model", "latency", "--blocks", "8"}, "leave out --blocks 8"},
      {{"simulate", "--model", "latency", "--schedule", "random:3"}, "leave out --schedule"},
      {{"simulate", "--model", "latency", "--lines"}, "leave out --lines"},
      {{"simulate", "--latencies", "f.json"}, "give both"},
      {{"simulate", "-o", ""}, "must be the name of a file"},
      {{"simulate", "-o", "x.npy"}, "a report, which is text or JSON; satscope sat IMAGE -o F.npy writes a table"},
      {{"simulate", "--laten", "3"}, "did you mean '--latency'"},
      {{"simulate", "--device", "cuda"}, "no option '--device'"},
      {{"--effect", "box_blurr"}, "did you mean 'box_blur'"},
      {{"--effect", "box_blur", "--set", "windo=3x3"}, "did you mean 'window'"},
      {{"--effect", "box_blur", "--set", "window=big"}, "WIDTHxHEIGHT"},
      {{"--effect", "box_blur", "--set", "border=reflekt"}, "did you mean 'reflect'"},
      {{"--effect", "box_blur", "--set", "effect.c=3"}, "no parameter 'c'"},
      {{"--effect", "none", "--algorithm", "host_serial", "--set", "a=b"},
       "no setting 'a', and no parameter in host_serial: there are none"},
  };
  for (const auto& refused : table) {
    std::string line;
    for (const auto& word : refused.words) line += word + ' ';
    const auto says = refusal(refused.words);
    EXPECT_NE(says.find(refused.says), std::string::npos) << line << "-> " << says;
    EXPECT_EQ(says.find('\n'), std::string::npos) << line << "-> " << says;
  }
}

// What the command line changes of the settings.
TEST(OverridesTest, AnAlgorithmChoosesTheDevice) {
  Settings settings;
  override_settings(parse({"--algorithm", "host_serial"}), settings);
  EXPECT_EQ(settings.device, DeviceChoice::host);
  EXPECT_EQ(settings.host_algorithm, "host_serial");
  settings.device = DeviceChoice::host;  // as saved before
  override_settings(parse({"--algorithm", "2r2w"}), settings);
  EXPECT_EQ(settings.device, DeviceChoice::cuda);
  EXPECT_EQ(settings.cuda_algorithm, "2r2w");
}

TEST(OverridesTest, TheSimulatedGpuRunsCudaAlgorithms) {
  Settings settings;
  override_settings(parse({"--algorithm", "2r2w", "--device", "simulated"}), settings);
  EXPECT_EQ(settings.device, DeviceChoice::simulated);
  EXPECT_EQ(settings.cuda_algorithm, "2r2w");
  EXPECT_EQ(chosen_algorithm(settings, gpu::Device::simulated).name, "2r2w");
  const auto selection = make_selection(settings, gpu::Device::simulated);
  EXPECT_EQ(selection.algorithm->device, gpu::Device::cuda);
  EXPECT_EQ(selection.device, gpu::Device::simulated);
  settings.cuda_algorithm = "cub";
  EXPECT_THROW(chosen_algorithm(settings, gpu::Device::simulated), std::invalid_argument);
}

TEST(OverridesTest, WithoutAGpuBothSidesOfAComparisonDecideWhereItRuns) {
  const gpu::GpuProbe none{{}, "no driver is loaded"};
  for (const char* sides : {"cub,original", "original,cub"}) {
    const auto why = exit_refusal(ExitCode::no_gpu, [&] { device_without_gpu(parse({"--compare", sides}), none); });
    EXPECT_NE(why.find("not on the simulated GPU either: cub"), std::string::npos) << why;
  }
  EXPECT_FALSE(device_without_gpu(parse({"--compare", "original,host_serial"}), none));
}

TEST(OverridesTest, ParametersGoToTheirAlgorithmOrEffect) {
  Settings settings;
  settings.device = DeviceChoice::host;
  const auto options = parse({"--effect", "box_blur", "--set", "window=9x3", "algorithm.threads=1", "effect.passes=2"});
  override_settings(options, settings);
  assign_parameters(options, gpu::Device::host, settings);
  EXPECT_EQ(settings.effect_values["box_blur"]["window"], "9x3");
  EXPECT_EQ(settings.effect_values["box_blur"]["passes"], "2");
  EXPECT_EQ(settings.algorithm_values["host_parallel"]["threads"], "1");
}

}  // namespace
}  // namespace app
