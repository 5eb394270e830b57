// Parameters and arguments; what compute_sat refuses; the tables of algorithms and types.
#include "gpu/parameter.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/effect.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/sat.h"
#include "gpu/tests/refusal.h"

namespace gpu {
namespace {

constexpr Parameter sample_parameters[] = {
    choice("W", "64,32,128", "tile side"),     integer("passes", "1", 1, 4, "times"),
    real("c", "10", -255, 255, 1, "constant"), size("window", "15x15", 1, 255, "window"),
    toggle("invert", "off", "white on black"),
};

constexpr auto accepted = test::nothing_refused;

std::string refusal(std::string_view name, std::string_view text) {
  Arguments arguments(sample_parameters);
  const Arguments before = arguments;
  const auto why = test::refusal_of<ArgumentError>([&] { arguments.set(name, text); });
  EXPECT_TRUE(why == accepted || arguments == before) << "a refused value changed something";
  return why;
}

TEST(ParameterArgumentsTest, StartWithTheInitialValues) {
  const Arguments arguments(sample_parameters);
  EXPECT_EQ(arguments.integer("W"), 64);
  EXPECT_EQ(arguments.integer("passes"), 1);
  EXPECT_EQ(arguments.real("c"), 10);
  EXPECT_EQ(arguments.size("window"), (Size{15, 15}));
  EXPECT_FALSE(arguments.toggle("invert"));
}

TEST(ParameterArgumentsTest, OneListOfNumbersIsMenuCheckAndDispatch) {
  constexpr auto section = choice<1024, 5, 30>("section", "numbers");
  static constexpr Parameter parameters[] = {section};
  EXPECT_EQ(parameters[0].choices, "1024,5,30");
  EXPECT_EQ(parameters[0].initial, "1024");
  EXPECT_EQ(parameters[0].help, "numbers");
  Arguments arguments(parameters);
  for (const auto text : split_choices(parameters[0].choices)) {
    arguments.set("section", text);
    int visited = 0;
    section.visit(arguments, [&]<int Value>() { visited = Value; });
    EXPECT_EQ(std::to_string(visited), text);
  }
  EXPECT_THROW(arguments.set("section", "6"), ArgumentError);
}

TEST(ParameterArgumentsTest, AsText) {
  Arguments arguments(sample_parameters);
  set_from_text(arguments, "  window=7x5 W=32  ");
  EXPECT_EQ(text_of(arguments), "W=32 passes=1 c=10 window=7x5 invert=off");
  Arguments same(sample_parameters);
  set_from_text(same, text_of(arguments));
  EXPECT_EQ(same, arguments);
  set_from_text(same, "");
  EXPECT_EQ(same, arguments);
  EXPECT_EQ(text_of(Arguments()), "");
  for (const char* wrong : {"W", "W=", "=32", "W=32,passes=2", "w=32", "W =32"})
    EXPECT_THROW(set_from_text(same, wrong), ArgumentError) << wrong;
  EXPECT_EQ(same, arguments);
}

TEST(ParameterArgumentsTest, AcceptWhatIsAllowed) {
  Arguments arguments(sample_parameters);
  arguments.set("W", "128");
  arguments.set("passes", "4");
  arguments.set("c", "-2.5");
  arguments.set("window", "1x255");
  arguments.set("invert", "on");
  EXPECT_EQ(arguments.integer("W"), 128);
  EXPECT_EQ(arguments.real("W"), 128);
  EXPECT_EQ(arguments.integer("passes"), 4);
  EXPECT_EQ(arguments.real("c"), -2.5);
  EXPECT_EQ(arguments.size("window"), (Size{1, 255}));
  EXPECT_TRUE(arguments.toggle("invert"));
  EXPECT_FALSE(arguments == Arguments(sample_parameters));
}

TEST(ParameterArgumentsTest, OneNumberIsBothSidesOfASize) {
  Arguments arguments(sample_parameters), square(sample_parameters);
  arguments.set("window", "31");
  square.set("window", "31x31");
  EXPECT_EQ(arguments.size("window"), (Size{31, 31}));
  EXPECT_EQ(arguments, square);
}

TEST(ParameterArgumentsTest, RefuseEverythingElse) {
  for (const auto* text : {"", "63", "64 ", " 64", "+64", "064", "64,32", "sixty-four"})
    EXPECT_NE(refusal("W", text), accepted) << text;
  for (const auto* text : {"", "0", "5", "-1", "1.5", "1x1", "99999999999999999999", "1 "})
    EXPECT_NE(refusal("passes", text), accepted) << text;
  for (const auto* text : {"", "256", "-255.001", "nan", "inf", "-inf", "1e999", "1,5", "ten", "0x10"})
    EXPECT_NE(refusal("c", text), accepted) << text;
  for (const auto* text :
       {"", "0", "256", "256x15", "0x256", "x", "15x", "x15", "0x15", "15x256", "15x15x15", "-1x-1", "15*15", "15x15 "})
    EXPECT_NE(refusal("window", text), accepted) << text;
  for (const auto* text : {"", "yes", "ON", "1", "true"}) EXPECT_NE(refusal("invert", text), accepted) << text;
}

// Whether there is such a file is found out where it is used.
TEST(ParameterArgumentsTest, AFileIsAnyNameOrPath) {
  static const std::vector<NamedFile> known{{"eye", "Eye", {}}};
  constexpr Parameter parameters[] = {file(
      "cascade", "eye", +[]() -> const std::vector<NamedFile>& { return known; }, "")};
  Arguments arguments(parameters);
  EXPECT_EQ(arguments.text("cascade"), "eye");
  for (const auto* text : {"nose", "/a b/c,d=e.xml", "~/\xc3\xa4.xml"}) {
    arguments.set("cascade", text);
    EXPECT_EQ(arguments.text("cascade"), text);
  }
  for (const auto* text : {"", "a\nb", "\x1b[0m", "a\x7f"})
    EXPECT_THROW(arguments.set("cascade", text), ArgumentError) << text;
}

TEST(ParameterArgumentsTest, NameTheAllowedValuesAndTheNearest) {
  EXPECT_EQ(refusal("W", "129"), "'129' is not a valid value of W: it takes one of 32 64 128 (did you mean '128'?)");
  EXPECT_EQ(refusal("invert", "onn"), "'onn' is not a valid value of invert: it takes one of on off (did you mean 'on'?)");
  EXPECT_EQ(refusal("passes", "9"), "'9' is not a valid value of passes: it takes a whole number from 1 to 4");
  EXPECT_EQ(refusal("c", "x"), "'x' is not a valid value of c: it takes a number from -255 to 255");
  EXPECT_EQ(refusal("window", "big"),
            "'big' is not a valid value of window: it takes WIDTHxHEIGHT, each from 1 to 255, or one number for both");
  EXPECT_EQ(refusal("widnow", "9x9"),
            "no parameter 'widnow' here (there are: W passes c window invert; did you mean 'window'?)");
}

TEST(ParameterArgumentsTest, WithoutParametersSayThatThereAreNone) {
  Arguments arguments;
  EXPECT_FALSE(arguments.has("W"));
  EXPECT_EQ(test::refusal_of<ArgumentError>([&] { arguments.set("W", "32"); }), "no parameter 'W' here: there are none");
}

TEST(ParameterNearestTest, FindsTypingErrorsAndNothingFarAway) {
  constexpr std::string_view names[] = {"2r1w", "1r1w_skss_lb", "host_parallel", "host_serial"};
  EXPECT_EQ(nearest("host_seral", names), "host_serial");
  EXPECT_EQ(nearest("1r1w_skss", names), "1r1w_skss_lb");
  EXPECT_EQ(nearest("2R1W", names), "2r1w");
  EXPECT_EQ(nearest("seriel", names), "host_serial");  // near one of its words
  EXPECT_EQ(nearest("completely different", names), "");
  EXPECT_EQ(nearest("r21w", names), "2r1w") << "two letters that were swapped are one error";
  EXPECT_EQ(nearest("ho", names), "") << "so short a beginning matches too much";
  EXPECT_EQ(nearest("hos", names), "host_parallel");
  EXPECT_EQ(nearest("aad", std::vector<std::string_view>{"aab", "aac"}), "aab") << "of equally near ones the first";
  EXPECT_EQ(nearest("a", std::vector<std::string_view>{"ha_blocks"}), "") << "a part of two letters is near to every letter";
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(ParameterSplitChoicesTest, CutsAtCommas) {
  EXPECT_EQ(split_choices("128,64,32"), (std::vector<std::string_view>{"128", "64", "32"}));
  EXPECT_EQ(split_choices("on"), std::vector<std::string_view>{"on"});
  EXPECT_TRUE(split_choices("").empty());
}

// "(Crow 1984)" at the end of an idea is a paper that can be found.
TEST(ParameterEffectTest, EffectsNameTheirPapers) {
  for (const auto* effect : all_effects()) {
    EXPECT_EQ(effect->idea.ends_with(")."), !effect->papers.empty()) << effect->name;
    for (const auto& [title, doi] : effect->papers) {
      EXPECT_TRUE(doi.starts_with("10.")) << title;
      EXPECT_GT(title.size(), 20u);
    }
  }
}

// Every descriptor must be consistent: menus, command line and tests are made from it.
class ParameterDescriptorTest : public testing::TestWithParam<const SatAlgorithm*> {};

TEST_P(ParameterDescriptorTest, IsConsistent) {
  const auto& algorithm = *GetParam();
  EXPECT_EQ(find_sat_algorithm(algorithm.name), &algorithm);
  EXPECT_GT(algorithm.year, 1970);
  EXPECT_FALSE(algorithm.paper.empty());
  EXPECT_FALSE(algorithm.idea.empty());
  EXPECT_FALSE(algorithm.reads.empty());
  EXPECT_FALSE(algorithm.writes.empty());
  EXPECT_NE(algorithm.run, nullptr);
  EXPECT_FALSE(algorithm.types.empty());
  EXPECT_TRUE(algorithm.types.size() == std::size(sat_types) || !algorithm.types_note.empty())
      << "a type is missing and nothing says why";
  for (const auto& parameter : algorithm.parameters) {
    EXPECT_FALSE(parameter.help.empty()) << parameter.name;
    Arguments arguments(algorithm.parameters);
    EXPECT_NO_THROW(arguments.set(parameter.name, parameter.initial)) << parameter.name;
  }
}
INSTANTIATE_TEST_SUITE_P(Every, ParameterDescriptorTest, testing::ValuesIn(sat_algorithms().begin(), sat_algorithms().end()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST(ParameterSatAlgorithmsTest, OfTheLiteratureAreThere) {
  for (const auto* name :
       {"host_serial",    "host_parallel",   "2r2w",         "2r2w_optimal",        "2r1w",
        "1r1w",           "1_plus_r_r1w",    "1r1w_skss",    "1r1w_skss_lb",        "scan_transpose_naive",
        "scan_transpose", "prefix_doubling", "prefix_tree",  "prefix_tree_blocked", "transpose_harris",
        "ha_blocks",      "scanrow_brlt",    "brlt_scanrow", "scanrow_column",      "cub",
        "host_ehsan",     "host_wavefront"}) {
    const auto* algorithm = find_sat_algorithm(name);
    ASSERT_NE(algorithm, nullptr) << name;
    for (const auto type : usual_sat_types) EXPECT_TRUE(std::ranges::count(algorithm->types, type)) << name;
  }
  EXPECT_NE(find_sat_algorithm("npp"), nullptr);
  EXPECT_EQ(find_sat_algorithm("no such thing"), nullptr);
}

TEST(ParameterSatTypesTest, AreFoundByNameAndByElements) {
  for (const auto& type : sat_types) {
    ASSERT_NE(find_sat_type(type.name), nullptr);
    EXPECT_EQ(find_sat_type(type.name)->type, type.type);
    EXPECT_EQ(&info(type.type), &type) << "sat_types must be in the order of SatType";
    EXPECT_EQ(sat_type(type.input, type.sum), type.type);
  }
  EXPECT_THROW(sat_type(ElementType::f64, ElementType::u8), std::invalid_argument);
  EXPECT_EQ(find_sat_type("8u"), nullptr);
  EXPECT_EQ(find_sat_type("8u64u_squares"), find_sat_type("8u64u"));
}

// usual_types_note names them.
TEST(ParameterSatTypesTest, AreAllOfTheAlgorithmsThatTheOthersName) {
  const auto& few = *find_sat_algorithm("2r2w");
  for (const auto* algorithm : sat_algorithms())
    EXPECT_EQ(std::ranges::equal(algorithm->types, all_sat_types),
              few.types_note.find(algorithm->name) != few.types_note.npos)
        << algorithm->name;
  auto context = Context::dry(Device::cuda);
  const Size size{3, 2};
  const auto image = view_without_memory(size, ElementType::u16), table = view_without_memory(size, ElementType::u32);
  EXPECT_EQ(test::refusal_of([&] { compute_sat(context, few, image, table, Arguments(few.parameters)); }),
            "2r2w: does not support 16u32u: " + std::string(few.types_note));
}

TEST(ParameterComputeSatTest, RefusesImpossibleArguments) {
  const auto& serial = *find_sat_algorithm("host_serial");
  std::uint8_t pixels[16] = {};
  std::uint32_t sums[16] = {};
  ThreadPool pool(1);
  auto context = Context::on_host(pool, {});
  const auto refusal = [&](AnyConstImageView image, AnyImageView table, const SatAlgorithm& algorithm) {
    return test::refusal_of([&] { compute_sat(context, algorithm, image, table, Arguments(algorithm.parameters)); });
  };
  const auto image = [&](int w, int h, int stride) { return ImageView<const std::uint8_t>{pixels, w, h, stride}; };
  const auto table = [&](int w, int h, int stride) { return ImageView<std::uint32_t>{sums, w, h, stride}; };
  EXPECT_EQ(refusal(image(4, 4, 4), table(4, 4, 4), serial), accepted);
  EXPECT_EQ(refusal(image(0, 4, 4), table(0, 4, 4), serial), "host_serial: the image is empty");
  EXPECT_EQ(refusal(image(4, 4, 4), table(4, 3, 4), serial), "host_serial: the image has 4x4 pixels and its table 4x3");
  EXPECT_EQ(refusal(image(4, 4, 3), table(4, 4, 4), serial),
            "host_serial: a row of the image has 4 bytes, and the next one begins after 3");
  EXPECT_EQ(refusal(image(4, 4, 4), table(4, 4, 4), *find_sat_algorithm("2r1w")), "2r1w: runs on cuda, not on host");
  EXPECT_EQ(refusal(image(1, 65536, 1), table(1, 65536, 1), *find_sat_algorithm("npp")),
            "npp: takes images of at most 65535 rows, not 65536");
}

// NPP takes distances of 32 bits.
TEST(ParameterComputeSatTest, RefusesRowsTooFarApartForNpp) {
  const auto& npp = *find_sat_algorithm("npp");
  const auto run = [&](int width, std::ptrdiff_t image_stride) {
    auto dry = Context::dry(Device::cuda);
    compute_sat(dry, npp, ImageView<const std::uint8_t>{nullptr, width, 4, image_stride},
                ImageView<std::uint32_t>{nullptr, width, 4, width}, Arguments(npp.parameters));
    return dry.launches().size();
  };
  EXPECT_EQ(run(1000, 0x7fffffff), 2u);
  EXPECT_THROW(run(1000, 0x80000000), std::invalid_argument);
  EXPECT_THROW(run(1 << 29, 1 << 29), std::invalid_argument);
  EXPECT_EQ(run(1 << 28, 1 << 28), 2u);
}

// What an interface shows of parameters.

TEST(ParameterDisplayTest, OfEveryEffectIsConsistentWithItsParameters) {
  for (const auto* effect : all_effects())
    for (const auto& display : effect->display) {
      const auto name = std::string(effect->name) + "." + std::string(display.parameter);
      Arguments arguments(effect->parameters);
      ASSERT_TRUE(arguments.has(display.parameter)) << name;
      for (const auto& parameter : effect->parameters) {
        if (parameter.name != display.parameter) continue;
        const auto choices = split_choices(parameter.choices).size();
        if (!display.labels.empty()) {
          EXPECT_EQ(split_choices(display.labels).size(), choices) << name;
        }
        if (!display.pictograms.empty()) {
          EXPECT_EQ(split_choices(display.pictograms).size(), choices) << name;
        }
      }
      if (display.applies.empty()) continue;
      const auto equals = display.applies.find('=');
      ASSERT_NE(equals, display.applies.npos) << name;
      EXPECT_NO_THROW(arguments.set(display.applies.substr(0, equals), display.applies.substr(equals + 1))) << name;
      EXPECT_EQ(why_unused(effect->display, display.parameter, arguments), "") << name;
    }
}

TEST(ParameterDisplayTest, SaysWhatAnAutomaticWindowIs) {
  const auto& effect = *find_effect("adaptive_threshold");
  const auto automatic = display_of(effect.display, "window").automatic;
  ASSERT_TRUE(automatic);
  Arguments arguments(effect.parameters);
  EXPECT_EQ(automatic(arguments, {640, 480}).width, 11);
  arguments.set("method", "bradley");
  EXPECT_EQ(automatic(arguments, {640, 480}).width, 80);
  EXPECT_EQ(automatic(arguments, {16, 4}).width, 3);
  EXPECT_EQ(automatic(arguments, {2, 2}).width, 1);
  EXPECT_EQ(automatic(arguments, {1, 70'000}).width, 3);
  arguments.set("method", "mean_c");
  EXPECT_EQ(automatic(arguments, {10, 6}).width, 5);
  EXPECT_EQ(automatic(arguments, {70'000, 1}).width, 11) << "along the line";
}

// What is left to the program is decided by the device; what was chosen is not.
TEST(ParameterDisplayTest, SaysTheValuesThatAreUsedOnADevice) {
  const auto& blur = *find_effect("box_blur");
  for (const auto& [device, automatic] : {std::pair(Device::host, "on"), {Device::cuda, "on"}, {Device::simulated, "off"}}) {
    const auto used = [&, device = device](const char* chosen) {
      Arguments arguments(blur.parameters);
      arguments.set("colour", chosen);
      return arguments_on(blur, arguments, device).text("colour");
    };
    EXPECT_EQ(used("auto"), automatic);
    EXPECT_EQ(used("on"), "on");
    EXPECT_EQ(used("off"), "off");
    const auto& parameter = blur.parameters.back();
    const auto& display = display_of(blur.display, parameter.name);
    EXPECT_EQ(label_of_choice(parameter, display, "auto", device), std::string("Auto (") + automatic + ')');
    EXPECT_EQ(label_of_choice(parameter, display, "on", device), "On");
  }
  const auto& haar = *find_effect("haar");
  EXPECT_EQ(arguments_on(haar, Arguments(haar.parameters), Device::simulated), Arguments(haar.parameters));
}

// What nobody chose fits a frame that is smaller: half of its side, odd, 3 where that fits.
TEST(ParameterDisplayTest, SaysTheValuesThatAreUsedOnAFrame) {
  const auto& blur = *find_effect("box_blur");
  const auto window = [&](const char* given, Size frame) {
    Arguments arguments(blur.parameters);
    if (*given) arguments.set("window", given);
    return used_arguments(blur, arguments, frame).text("window");
  };
  EXPECT_EQ(window("", {640, 480}), "15x15");
  EXPECT_EQ(window("", {15, 15}), "15x15");
  EXPECT_EQ(window("", {14, 300}), "7x15");
  EXPECT_EQ(window("", {300, 12}), "15x5");
  EXPECT_EQ(window("", {4, 4}), "3x3");
  EXPECT_EQ(window("", {3, 9}), "3x3");
  EXPECT_EQ(window("", {2, 9}), "1x3");
  EXPECT_EQ(window("", {70'000, 1}), "15x1");
  EXPECT_EQ(window("", {1, 1}), "1x1");
  EXPECT_EQ(window("15x15", {4, 4}), "15x15");
  EXPECT_EQ(window("0x31", {4, 4}), "3x31");
  EXPECT_EQ(window("", {}), "0x0") << "no frame yet";

  const auto& haar = *find_effect("haar");
  Arguments arguments(haar.parameters);
  EXPECT_EQ(text_of(used_arguments(haar, arguments, {640, 480})), "type=type-2-x x=-1 y=-1 width=32 height=64 show=feature");
  EXPECT_EQ(text_of(used_arguments(haar, arguments, {8, 63})), "type=type-2-x x=-1 y=-1 width=2 height=31 show=feature");
  EXPECT_EQ(text_of(used_arguments(haar, arguments, {})), text_of(arguments));
  arguments.set("width", "40");
  EXPECT_EQ(used_arguments(haar, arguments, {8, 63}).text("width"), "40");
  EXPECT_EQ(arguments.text("height"), "0") << "the given ones stay";
}

TEST(ParameterDisplayTest, SaysWhyAParameterIsUnused) {
  static constexpr Parameter parameters[] = {choice("method", "mean_c,bradley", ""), integer("t", "15", 0, 100, ""),
                                             integer("n", "1", 0, 9, "")};
  static constexpr ParameterDisplay display[] = {{.parameter = "method", .labels = "Mean,Bradley and Roth"},
                                                 {.parameter = "t", .applies = "method=bradley"}};
  Arguments arguments(parameters);
  EXPECT_EQ(why_unused(display, "t", arguments), "Only with method: Bradley and Roth");
  EXPECT_EQ(why_unused(display, "n", arguments), "");
  arguments.set("method", "bradley");
  EXPECT_EQ(why_unused(display, "t", arguments), "");
  EXPECT_EQ(label_of_choice(parameters[0], display[0], "mean_c"), "Mean");
  EXPECT_EQ(label_of_choice(parameters[2], display_of(display, "n"), "7"), "7");
}

}  // namespace
}  // namespace gpu
