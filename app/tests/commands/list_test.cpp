// satscope list settings and satscope list commands: complete, and every printed path and name is accepted.
#include "app/commands/commands.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "app/control/actions.h"
#include "app/control/command.h"
#include "app/control/fields.h"
#include "gpu/effect.h"
#include "gpu/sat.h"
#include "gpu/tests/refusal.h"

namespace app {
namespace {

TEST(ListTest, HasEveryFieldAndEveryParameter) {
  std::set<std::string> paths, expected;
  for (const auto& item : settings_json()) EXPECT_TRUE(paths.insert(item.at("path").get<std::string>()).second) << item;
  for (const auto& field : fields()) expected.emplace(field.path);
  const auto add = [&](const auto& owner) {
    for (const auto& parameter : owner.parameters)
      expected.insert(std::string(owner.name) + '.' + std::string(parameter.name));
  };
  for (const auto* algorithm : gpu::sat_algorithms()) add(*algorithm);
  for (const auto* effect : gpu::all_effects()) add(*effect);
  EXPECT_EQ(paths, expected);
}

TEST(ListTest, EveryDefaultIsAcceptedAtItsPathAndARefusalNamesTheListedValues) {
  for (const auto& item : settings_json()) {
    const auto path = item.at("path").get<std::string>();
    Settings settings;
    const auto initial = item.value("default", std::string());
    if (item.contains("default")) {
      EXPECT_NO_THROW(apply(settings, Change{path, initial})) << item;
      if (path == "dock") settings.dock_open = false;  // it has been opened, so that the tab is seen
    }
    EXPECT_EQ(settings, Settings()) << item;
    const auto* field = find_field(path);
    if (!field || std::holds_alternative<Field::Text>(field->value) || std::holds_alternative<Field::Name>(field->value) ||
        std::holds_alternative<Field::Algorithm>(field->value))
      continue;
    const auto why = gpu::test::refusal_of([&] { apply(settings, Change{path, "~"}); });
    EXPECT_NE(why.find(item.at("accepted").get<std::string>()), std::string::npos) << item << why;
  }
}

TEST(ListTest, TextHasRangeDefaultFlagAndHelp) {
  const auto text = settings_text(settings_json());
  for (const auto* part : {"interop=auto  auto, on or off  (--interop)\n    let CUDA write into the OpenGL texture\n",
                           "fps=0  a number from 0 to 1000  (--fps)\n", "source  any text  (SOURCE)\n",
                           "    for one run, not saved\n", "viewer=gl  gl or highgui  (--viewer)\n",
                           "    read only when the program starts\n", "box_blur.window=0x0  WxH, each from 0 to 2047\n",
                           "faces.cascade=frontalface_alt2  a name or a path\n", "haar.type=type-2-x  type-2-x, type-2-y, "})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

TEST(ListActionsTest, HasEveryActionWithItsKeysAndFiles) {
  const auto items = commands_json();
  ASSERT_EQ(items.size(), actions().size());
  for (const auto& item : items)
    if (!item.contains("takes")) {
      EXPECT_NO_THROW(parse_command(item.at("name").get<std::string>())) << item;
    }
  const auto text = commands_text(items);
  for (const auto* part : {"toggle help  (key H, ?, F1)\n", "pause\n    Pause\n",
                           "toggle export_menu  (key X)\n    Open the menu of what can be saved\n",
                           "race\n    Start the race; a script waits until it has finished\n",
                           "export\n    Save the timings\n    to FILE, which ends in .json or .csv;",
                           "seek SECONDS\n    Go to a time\n", "seek -5  (key Left)\n    5 seconds back\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

}  // namespace
}  // namespace app
