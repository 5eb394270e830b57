// "path = value" as the command palette takes it: the syntax of --set, for every setting and every parameter.
#pragma once

#include <optional>
#include <string_view>

#include "app/control/palette_entries.h"

namespace app {

// The entry that makes this change; disabled with the reason where it would be refused. Nothing if there is no equals sign,
// or neither a setting nor a parameter before it.
std::optional<PaletteEntry> typed_change(std::string_view query, const Settings& settings, const ChangeContext& context);

}  // namespace app
