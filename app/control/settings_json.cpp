#include "app/control/settings_file.h"

#include <nlohmann/json.hpp>

#include "app/control/names.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {
namespace {

using nlohmann::json;

// Of the names of algorithms and effects that values are kept for, and the arguments they take.
using ParametersOf = std::optional<std::span<const gpu::Parameter>> (*)(const std::string& name);

std::optional<std::span<const gpu::Parameter>> parameters_of_algorithm(const std::string& name) {
  const auto* algorithm = gpu::find_sat_algorithm(name);
  return algorithm ? std::optional(algorithm->parameters) : std::nullopt;
}
std::optional<std::span<const gpu::Parameter>> parameters_of_effect(const std::string& name) {
  const auto* effect = gpu::find_effect(name);
  return effect ? std::optional(effect->parameters) : std::nullopt;
}
bool is_algorithm(const std::string& name, gpu::Device device) {
  const auto* algorithm = gpu::find_sat_algorithm(name);
  return algorithm && algorithm->device == device;
}

struct Names {
  std::span<const std::string_view> all;
};
struct Range {
  double least, most;
};

// The one list of what is kept. `field` is called with the member's name, the member, and what its values may be.
template <class S, class F>
void each_field(S& s, F&& field) {
  field("size", s.size);
  field("fps", s.fps, Range{0, maximum_fps});
  field("loop", s.loop);
  field("max_speed", s.max_speed);
  field("device", s.device, Names{device_choice_names});
  field("cuda_algorithm", s.cuda_algorithm, [](const std::string& n) { return is_algorithm(n, gpu::Device::cuda); });
  field("host_algorithm", s.host_algorithm, [](const std::string& n) { return is_algorithm(n, gpu::Device::host); });
  field("effect", s.effect, [](const std::string& n) { return gpu::find_effect(n) != nullptr; });
  field("algorithm_values", s.algorithm_values, ParametersOf(parameters_of_algorithm));
  field("effect_values", s.effect_values, ParametersOf(parameters_of_effect));
  field("interop", s.interop, Names{interop_choice_names});
  field("viewer", s.viewer, Names{viewer_names});
  field("vsync", s.vsync);
  field("window_width", s.window_width, Range{64, maximum_side});
  field("window_height", s.window_height, Range{64, maximum_side});
  field("panels", s.panels);
  field("zoom", s.zoom, Range{0, 1e4});
  field("centre_x", s.centre_x, Range{-10, 10});
  field("centre_y", s.centre_y, Range{-10, 10});
  field("target_ms", s.target_ms, Range{0.01, 1e4});
  field("every_kernel", s.every_kernel);
}

class Writer {
 public:
  explicit Writer(json& object) : object_(object) {}
  void operator()(const char* key, gpu::Size size) { object_[key] = size.pixels() == 0 ? "" : text_of(size); }
  template <class T, class... Limits>
  void operator()(const char* key, const T& value, const Limits&... limits) {
    if constexpr (std::is_enum_v<T>)
      object_[key] = name_of((limits.all, ...), value);
    else
      object_[key] = value;
  }

 private:
  json& object_;
};

// Takes over every member that is there and right; notes what is wrong.
class Reader {
 public:
  Reader(const json& object, std::vector<std::string>& problems) : object_(object), problems_(problems) {}

  void operator()(const char* key, bool& value) {
    take(key, "on or off (true, false)",
         [&](const json& j) { return j.is_boolean() && (value = j.get<bool>(), true); });
  }
  void operator()(const char* key, gpu::Size& value) {
    take(key, "WIDTHxHEIGHT", [&](const json& j) {
      if (!j.is_string()) return false;
      const auto size = j.get<std::string>().empty() ? gpu::Size{} : size_from_text(j.get<std::string>());
      return size && (value = *size, true);
    });
  }
  template <class Number>
    requires std::is_arithmetic_v<Number>
  void operator()(const char* key, Number& value, Range range) {
    take(key, "a number in its range", [&](const json& j) {
      if (!j.is_number()) return false;
      const auto number = j.get<double>();
      if (!(number >= range.least && number <= range.most)) return false;  // a NaN is in no range
      return value = static_cast<Number>(number), true;
    });
  }
  template <class Enum>
    requires std::is_enum_v<Enum>
  void operator()(const char* key, Enum& value, Names names) {
    take(key, "one of the known names", [&](const json& j) {
      if (!j.is_string()) return false;
      const auto found = find_name<Enum>(names.all, j.get<std::string>());
      return found && (value = *found, true);
    });
  }
  template <class Known>
  void operator()(const char* key, std::string& value, const Known& known) {
    take(key, "one of the known names", [&](const json& j) {
      return j.is_string() && known(j.get<std::string>()) && (value = j.get<std::string>(), true);
    });
  }
  void operator()(const char* key, Values& values, ParametersOf parameters_of) {
    take(key, "an object of objects", [&](const json& j) {
      if (!j.is_object()) return false;
      for (const auto& [owner, members] : j.items()) take_values(key, owner, members, values, parameters_of);
      return true;
    });
  }

 private:
  template <class F>
  void take(const char* key, const char* expected, const F& f) {
    const auto at = object_.find(key);
    if (at != object_.end() && !f(*at)) problem(std::string("'") + key + "' is not " + expected);
  }
  void take_values(const std::string& key, const std::string& owner, const json& members, Values& values,
                   ParametersOf parameters_of) {
    const auto parameters = parameters_of(owner);
    if (!parameters) return problem("'" + key + "' names what there is not");
    if (!members.is_object()) return problem("'" + key + "' is not an object of objects");
    gpu::Arguments arguments(*parameters);
    for (const auto& [name, value] : members.items()) try {
        if (!value.is_string()) throw gpu::ArgumentError("a value of '" + key + "' is not text");
        arguments.set(name, value.get<std::string>());
        values[owner][name] = value.get<std::string>();
      } catch (const gpu::ArgumentError& error) {
        problem(owner + ": " + error.what());
      }
  }
  // Whatever stood in the file, the report stays one line of bounded length.
  void problem(std::string text) {
    for (auto& c : text)
      if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
    if (text.size() > 200) text = text.substr(0, 200) + "...";
    problems_.push_back(std::move(text));
  }

  const json& object_;
  std::vector<std::string>& problems_;
};

}  // namespace

json settings_to_json(const Settings& settings) {
  json object{{"version", settings_version}};
  each_field(settings, Writer(object));
  return object;
}

ParsedSettings parse_settings(std::string_view text) {
  ParsedSettings parsed;
  const auto object = json::parse(text, nullptr, false);
  if (object.is_discarded()) return parsed.problems.push_back("it is not JSON"), parsed;
  if (!object.is_object()) return parsed.problems.push_back("it is not a JSON object"), parsed;
  const auto version = object.find("version");
  if (version == object.end() || !version->is_number_integer() || version->get<std::int64_t>() != settings_version)
    return parsed.problems.push_back("it is of another version than " + std::to_string(settings_version)), parsed;
  parsed.readable = true;
  each_field(parsed.settings, Reader(object, parsed.problems));
  return parsed;
}

Settings changes_to_save(const Settings& saved, const Settings& started, const Settings& current) {
  auto result = settings_to_json(saved);
  // Where objects hold objects (values by name), each value counts by itself.
  const auto merge = [](const auto& self, json& into, const json& before, const json& after) -> void {
    for (const auto& [key, value] : after.items()) {
      const auto old = before.find(key);
      if (old != before.end() && *old == value) continue;
      if (value.is_object())
        self(self, into[key].is_object() ? into[key] : into[key] = json::object(),
             old != before.end() && old->is_object() ? *old : json::object(), value);
      else
        into[key] = value;
    }
    // A parameter that went back to its initial value stands here no more.
    for (const auto& [key, value] : before.items())
      if (!after.contains(key)) into.erase(key);
  };
  merge(merge, result, settings_to_json(started), settings_to_json(current));
  return parse_settings(result.dump()).settings;
}

}  // namespace app
