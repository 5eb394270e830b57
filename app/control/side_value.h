// A side of a comparison that is an effect with a value of its own in place of the settings': "faces.cascade=lbp_frontalface".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/control/selection.h"
#include "gpu/effect.h"
#include "gpu/parameter.h"

namespace app {

struct SideValue {
  const gpu::Effect* effect;
  std::string_view parameter, value;  // of the name

  // `arguments`: the effect's. Throws gpu::ArgumentError for a value that it cannot have.
  gpu::Arguments put_into(gpu::Arguments arguments) const;
  void check() const;  // throws that, and the same for a file that is not there
  bool is_one_of(std::span<const Selection> sides) const;
  std::string title() const;  // "Faces: lbp_frontalface"
  std::string name() const;   // without the folders of a file: a part of paths of the timeline
};

// Nothing where the name is another one: no effect, none of its parameters, no value.
std::optional<SideValue> side_value(std::string_view side);

}  // namespace app
