// "path = value" as the command palette takes it: the syntax of --set, for every setting and every parameter; and
// "seek = 12.5" or "seek 1:30", a time to go to.
#pragma once

#include <optional>
#include <string_view>

#include "app/control/palette_entries.h"

namespace app {

// The entry that makes this change, or goes to this time; disabled with the reason where it would be refused. Nothing if there
// is no equals sign, or neither a setting nor a parameter before it.
std::optional<PaletteEntry> typed_change(std::string_view query, const Settings& settings, const ChangeContext& context);

}  // namespace app
