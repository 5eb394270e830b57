#include "app/support/file_dialog.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace app {
namespace {

TEST(FileDialogTest, WithoutASessionOfADesktopNobodyIsAsked) {
  unsetenv("DBUS_SESSION_BUS_ADDRESS");
  EXPECT_FALSE(may_have_file_dialog());
  const auto file = ask_for_file("Open a file").get();
  EXPECT_FALSE(file.asked);
  EXPECT_EQ(file.uri, "");
}

// Nobody answers there.
TEST(FileDialogTest, ABusThatIsNotThereIsNoDialog) {
  setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1);
  EXPECT_FALSE(ask_for_file("Open a file").get().asked);
  unsetenv("DBUS_SESSION_BUS_ADDRESS");
}

}  // namespace
}  // namespace app
