// Sources of a single picture, that stays.
#pragma once

#include "app/capture/capture.h"

namespace app::capture {

inline bool is_still(SourceKind kind) { return kind == SourceKind::image || kind == SourceKind::matrix; }

}  // namespace app::capture
