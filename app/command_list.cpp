// satscope list: what there is, as tables of the program have it.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/capture/camera_list.h"
#include "app/commands.h"
#include "gpu/device.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;

std::string kind_name(gpu::Parameter::Kind kind) {
  switch (kind) {
    case gpu::Parameter::Kind::choice: return "choice";
    case gpu::Parameter::Kind::integer: return "integer";
    case gpu::Parameter::Kind::real: return "real";
    case gpu::Parameter::Kind::size: return "size";
    case gpu::Parameter::Kind::toggle: return "toggle";
  }
  return {};
}

json parameters_json(std::span<const gpu::Parameter> parameters) {
  auto array = json::array();
  for (const auto& parameter : parameters) {
    json item{{"name", parameter.name}, {"kind", kind_name(parameter.kind)}, {"initial", parameter.initial}};
    if (!parameter.choices.empty())
      item["choices"] = gpu::split_choices(parameter.choices);
    else
      item["minimum"] = parameter.minimum, item["maximum"] = parameter.maximum, item["step"] = parameter.step;
    item["help"] = parameter.help;
    array.push_back(std::move(item));
  }
  return array;
}

json algorithm_json(const gpu::SatAlgorithm& algorithm, const gpu::GpuProbe& probe) {
  const bool has_device = algorithm.device == gpu::Device::host || probe.gpu;
  const auto why = has_device ? gpu::why_unavailable(algorithm) : probe.reason;
  auto types = json::array();
  for (const auto type : algorithm.types) types.push_back(gpu::info(type).name);
  json object{{"name", algorithm.name},
              {"device", gpu::name(algorithm.device)},
              {"year", algorithm.year},
              {"paper", algorithm.paper},
              {"idea", algorithm.idea},
              {"reads", algorithm.reads},
              {"writes", algorithm.writes},
              {"types", types},
              {"parameters", parameters_json(algorithm.parameters)},
              {"available", why.empty()}};
  if (!algorithm.types_note.empty()) object["types_note"] = algorithm.types_note;
  if (!why.empty()) object["unavailable_because"] = why;
  return object;
}

json listing(Listing what) {
  auto array = json::array();
  if (what == Listing::algorithms) {
    const auto probe = gpu::probe_gpu();
    for (const auto* algorithm : gpu::sat_algorithms()) array.push_back(algorithm_json(*algorithm, probe));
  } else if (what == Listing::effects) {
    for (const auto* effect : gpu::all_effects())
      array.push_back({{"name", effect->name},
                       {"title", effect->title},
                       {"idea", effect->idea},
                       {"channels", effect->channels(gpu::Arguments(effect->parameters))},
                       {"parameters", parameters_json(effect->parameters)},
                       {"available", true}});
  } else {
    for (const auto& camera : capture::list_cameras()) {
      json item{{"number", camera.number}, {"path", camera.path},   {"name", camera.name},
                {"driver", camera.driver}, {"bus", camera.bus}, {"available", camera.available}};
      if (!camera.available) item["unavailable_because"] = camera.reason;
      array.push_back(std::move(item));
    }
  }
  return array;
}

std::string number(const json& value) {
  const auto digits = value.dump();
  return digits.ends_with(".0") ? digits.substr(0, digits.size() - 2) : digits;
}

// From the same JSON, so that both say the same.
std::string as_text(const json& item) {
  const auto get = [&](const char* key) {
    const auto at = item.find(key);
    return at == item.end() ? std::string() : at->is_string() ? at->get<std::string>() : at->dump();
  };
  std::string out = item.contains("path") ? get("path") + "  " + get("name") : get("name");
  if (item.contains("device")) {
    out += "  (" + get("device") + ", " + get("year") + ")  reads " + get("reads") + ", writes " + get("writes") + "  ";
    for (const auto& type : item["types"]) out += ' ' + type.get<std::string>();
  }
  out += '\n';
  for (const auto* key : {"idea", "paper", "types_note", "driver"})
    if (!get(key).empty()) out += "    " + get(key) + '\n';
  if (item.contains("parameters"))
    for (const auto& parameter : item["parameters"]) {
      out += "    --set " + parameter["name"].get<std::string>() + '=' + parameter["initial"].get<std::string>() + "  ";
      if (parameter.contains("choices"))
        for (const auto& choice : parameter["choices"]) out += ' ' + choice.get<std::string>();
      else
        out += ' ' + parameter["kind"].get<std::string>() + ", " + number(parameter["minimum"]) + " to " +
               number(parameter["maximum"]);
      out += "; " + parameter["help"].get<std::string>() + '\n';
    }
  if (!item["available"].get<bool>()) out += "    not available here: " + get("unavailable_because") + '\n';
  return out;
}

}  // namespace

void run_list(const Options& options) {
  const auto items = listing(options.listing);
  std::string out;
  if (options.json)
    out = items.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
  else
    for (const auto& item : items) out += as_text(item);
  if (out.empty()) out = "no cameras: there is nothing under /sys/class/video4linux\n";
  std::fputs(out.c_str(), stdout);
}

}  // namespace app
