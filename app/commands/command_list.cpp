// satscope list: the contents of the program's tables, and the cameras.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "app/capture/camera_list.h"
#include "app/commands/commands.h"
#include "app/control/cards.h"
#include "app/control/fields.h"
#include "app/control/key_table.h"
#include "app/support/console.h"
#include "app/support/text.h"
#include "gpu/cuda/device.h"
#include "gpu/effect.h"
#include "gpu/sat.h"
#include "gpu/vision/cascade_files.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;

std::string_view name_of(Field::Kept kept) {
  switch (kept) {
    case Field::Kept::saved: return "saved";
    case Field::Kept::run: return "run";
    case Field::Kept::at_start: return "start";
  }
  return {};
}

json field_json(const Field& field) {
  // Its default depends on the device, and it is saved as the algorithm of that device.
  const bool algorithm = std::holds_alternative<Field::Algorithm>(field.value);
  json item{{"path", field.path}, {"accepted", accepted(field)}};
  if (!algorithm) item["default"] = text_of(field, Settings());
  item["help"] = field.help;
  if (!field.flag.empty()) item["flag"] = field.flag;
  item["kept"] = name_of(algorithm ? Field::Kept::saved : field.kept);
  return item;
}

std::string accepted(const gpu::Parameter& parameter) {
  using Kind = gpu::Parameter::Kind;
  const auto range = " from " + number_as_text(parameter.minimum) + " to " + number_as_text(parameter.maximum);
  switch (parameter.kind) {
    case Kind::choice:
    case Kind::toggle: return or_list(gpu::split_choices(parameter.choices));
    case Kind::integer: return "a whole number" + range;
    case Kind::real: return "a number" + range;
    case Kind::size: return "WxH, each" + range;
    case Kind::file: return "a name or a path";
  }
  return {};
}

// The parameters of an algorithm or an effect.
template <class Owner>
void add_parameters(json& items, const Owner& owner) {
  for (const auto& parameter : owner.parameters)
    items.push_back({{"path", std::string(owner.name) + '.' + std::string(parameter.name)},
                     {"accepted", accepted(parameter)},
                     {"default", parameter.initial},
                     {"help", parameter.help},
                     {"kept", name_of(Field::Kept::saved)}});
}

std::string help_of(const ActionInfo& action) {
  const std::string help(action.description);
  return action.in_scripts.empty() ? help : help + "; a script " + std::string(action.in_scripts);
}

std::string text(const json& item, const char* key) { return item.value(key, std::string()); }

}  // namespace

json settings_json() {
  auto items = json::array();
  for (const auto& field : fields()) items.push_back(field_json(field));
  for (const auto* algorithm : gpu::sat_algorithms()) add_parameters(items, *algorithm);
  for (const auto* effect : gpu::all_effects()) add_parameters(items, *effect);
  return items;
}

json commands_json() {
  auto items = json::array();
  for (const auto& action : actions()) {
    json item{{"name", action.name}, {"help", help_of(action)}, {"keys", json::array()}};
    for (const auto& key : keys())
      if (key.command == command_of(action) && key.where != Key::Where::highgui) item["keys"].push_back(label(key.press));
    if (!action.takes.empty()) item["takes"] = action.takes;
    for (const auto ending : {action.ending, action.other_ending})
      if (!ending.empty()) item["endings"].push_back(ending);
    items.push_back(std::move(item));
  }
  return items;
}

std::string settings_text(const json& settings) {
  std::string out;
  for (const auto& item : settings) {
    out += text(item, "path");
    if (!text(item, "default").empty()) out += '=' + text(item, "default");
    out += "  " + text(item, "accepted");
    if (item.contains("flag")) out += "  (" + text(item, "flag") + ')';
    out += "\n    " + text(item, "help") + '\n';
    if (text(item, "kept") == "run") out += "    for one run, not saved\n";
    if (text(item, "kept") == "start") out += "    read only when the program starts\n";
  }
  return out;
}

std::string commands_text(const json& actions) {
  std::string out;
  for (const auto& item : actions) {
    out += text(item, "name") + (item.contains("takes") ? ' ' + text(item, "takes") : "");
    std::string list;
    for (const auto& key : item.at("keys")) list += (list.empty() ? "  (key " : ", ") + key.get<std::string>();
    out += list + (list.empty() ? "" : ")") + "\n    " + text(item, "help") + '\n';
    if (!item.contains("endings")) continue;
    list.clear();
    for (const auto& ending : item.at("endings")) list += (list.empty() ? "" : " or ") + ending.get<std::string>();
    out += "    to FILE, which ends in " + list + "; default: one in output_folder\n";
  }
  return out;
}

namespace {

std::string kind_name(gpu::Parameter::Kind kind) {
  switch (kind) {
    case gpu::Parameter::Kind::choice: return "choice";
    case gpu::Parameter::Kind::integer: return "integer";
    case gpu::Parameter::Kind::real: return "real";
    case gpu::Parameter::Kind::size: return "size";
    case gpu::Parameter::Kind::toggle: return "toggle";
    case gpu::Parameter::Kind::file: return "file";
  }
  return {};
}

json parameters_json(std::span<const gpu::Parameter> parameters) {
  auto array = json::array();
  for (const auto& parameter : parameters) {
    json item{{"name", parameter.name}, {"kind", kind_name(parameter.kind)}, {"initial", parameter.initial}};
    if (!parameter.choices.empty())
      item["choices"] = gpu::split_choices(parameter.choices);
    else if (parameter.known)
      for (const auto& known : parameter.known()) item["known"].push_back(known.name);
    else
      item["minimum"] = parameter.minimum, item["maximum"] = parameter.maximum, item["step"] = parameter.step;
    item["help"] = parameter.help;
    array.push_back(std::move(item));
  }
  return array;
}

// Per pixel, for a common frame size and initial parameters.
json traffic_json(const gpu::SatAlgorithm& algorithm) {
  constexpr gpu::Size size{1920, 1080};
  constexpr auto type = gpu::SatType::u8_u32;
  const auto traffic = algorithm.traffic(size, type, gpu::Arguments(algorithm.parameters), gpu::current_gpu_limits());
  const auto per_pixel = [&](std::uint64_t bytes) {
    return std::round(static_cast<double>(bytes) / static_cast<double>(size.pixels()) * 1000) / 1000;
  };
  return {{"size", {size.width, size.height}},
          {"type", gpu::info(type).name},
          {"read_bytes_per_pixel", per_pixel(traffic.read_bytes)},
          {"written_bytes_per_pixel", per_pixel(traffic.written_bytes)},
          {"launches", traffic.launches}};
}

json devices_json(const gpu::SatAlgorithm& algorithm) {
  auto array = json::array();
  for (const auto device : {gpu::Device::cuda, gpu::Device::host, gpu::Device::simulated})
    if (gpu::runs_on(algorithm, device)) array.push_back(gpu::name(device));
  return array;
}

void add_card(json& object, const SatCard& card) {
  object["family"] = card.family->name;
  if (!card.doi.empty()) object["doi"] = card.doi;
  for (const auto& step : card.steps) object["steps"].push_back(step.text);
  for (const auto& kernel : card.kernels) object["kernels"].push_back({{"name", kernel.name}, {"does", kernel.text}});
}

// "available": on the algorithm's own device; the simulated GPU is available everywhere.
json algorithm_json(const gpu::SatAlgorithm& algorithm, const gpu::GpuProbe& probe) {
  const bool has_device = algorithm.device == gpu::Device::host || probe.gpu;
  const auto why = has_device ? gpu::why_unavailable(algorithm) : probe.reason;
  auto types = json::array();
  for (const auto type : algorithm.types) types.push_back(gpu::info(type).name);
  json object{{"name", algorithm.name},
              {"device", gpu::name(algorithm.device)},
              {"devices", devices_json(algorithm)},
              {"year", algorithm.year},
              {"paper", algorithm.paper},
              {"idea", algorithm.idea},
              {"reads", algorithm.reads},
              {"writes", algorithm.writes},
              {"types", types},
              {"repeatable_float_tables", algorithm.repeatable},
              {"parameters", parameters_json(algorithm.parameters)},
              {"available", why.empty()}};
  if (algorithm.traffic) object["traffic"] = traffic_json(algorithm);
  if (const auto* card = find_sat_card(algorithm.name)) add_card(object, *card);
  if (!algorithm.types_note.empty()) object["types_note"] = algorithm.types_note;
  if (!why.empty()) object["unavailable_because"] = why;
  if (!algorithm.not_simulated.empty()) object["not_simulated_because"] = algorithm.not_simulated;
  return object;
}

json cascade_json(const gpu::NamedFile& file) {
  json object{{"name", file.name}, {"title", file.title}, {"file", file.path.empty() ? "built in" : file.path}};
  try {
    const auto cascade = gpu::vision::find_cascade(file.path.empty() ? file.name : file.path);
    object.update({{"window", text_of(cascade.window)},
                   {"stages", cascade.stages.size()},
                   {"features", cascade.features.size()},
                   {"kind", cascade.kind == gpu::vision::FeatureKind::lbp ? "LBP" : "Haar"},
                   {"tilted", cascade.tilted},
                   {"available", true}});
  } catch (const gpu::vision::CascadeError& error) {
    object.update({{"available", false}, {"unavailable_because", error.what()}});
  }
  return object;
}

json papers_json(std::span<const gpu::Paper> papers) {
  auto array = json::array();
  for (const auto& [title, doi] : papers) array.push_back({{"title", title}, {"doi", doi}});
  return array;
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
                       {"papers", papers_json(effect->papers)},
                       {"channels", effect->channels(gpu::Arguments(effect->parameters))},
                       {"parameters", parameters_json(effect->parameters)},
                       {"available", true}});
  } else if (what == Listing::cascades) {
    for (const auto& file : gpu::vision::known_cascades()) array.push_back(cascade_json(file));
  } else {
    for (const auto& camera : capture::list_cameras()) {
      json item{{"number", camera.number}, {"path", camera.path}, {"name", camera.name},
                {"driver", camera.driver}, {"bus", camera.bus},   {"available", camera.available}};
      if (!camera.available) item["unavailable_because"] = camera.reason;
      for (const auto& mode : camera.modes)
        item["modes"].push_back({{"size", text_of(mode.size)}, {"format", mode.format}, {"rates", mode.rates}});
      array.push_back(std::move(item));
    }
  }
  return array;
}

std::string plain_number(const json& value) {
  const auto digits = value.dump();
  return digits.ends_with(".0") ? digits.substr(0, digits.size() - 2) : digits;
}

// The text is made from the JSON, so that both agree.
std::string as_text(const json& item) {
  const auto get = [&](const char* key) {
    const auto at = item.find(key);
    return at == item.end() ? std::string() : at->is_string() ? at->get<std::string>() : at->dump();
  };
  std::string out = item.contains("path") ? get("path") + "  " + get("name") : get("name");
  if (item.contains("device")) {
    std::string devices;
    for (const auto& device : item["devices"]) devices += device.get<std::string>() + ", ";
    out += "  (" + devices + get("year") + ")  reads " + get("reads") + ", writes " + get("writes") + "  ";
    for (const auto& type : item["types"]) out += ' ' + type.get<std::string>();
  }
  out += '\n';
  if (item.contains("stages"))
    out += "    windows of " + get("window") + ", " + get("stages") + " stages, " + get("features") + ' ' + get("kind") +
           " features" + (item["tilted"].get<bool>() ? ", some tilted\n" : "\n");
  for (const auto* key : {"idea", "paper", "doi", "types_note", "driver", "file"})
    if (!get(key).empty()) out += (key == std::string_view("doi") ? "    doi:" : "    ") + get(key) + '\n';
  if (item.contains("papers"))
    for (const auto& paper : item["papers"])
      out += "    " + paper["title"].get<std::string>() + ", doi:" + paper["doi"].get<std::string>() + '\n';
  if (item.contains("modes"))
    for (const auto& mode : item["modes"]) {
      std::string rates;
      for (const auto& rate : mode["rates"]) rates += (rates.empty() ? " at " : ", ") + plain_number(rate) + "/s";
      out += "    " + mode["size"].get<std::string>() + ' ' + mode["format"].get<std::string>() + rates + '\n';
    }
  if (get("repeatable_float_tables") == "false") out += "    floating-point tables may differ from run to run\n";
  if (item.contains("parameters"))
    for (const auto& parameter : item["parameters"]) {
      out += "    --set " + parameter["name"].get<std::string>() + '=' + parameter["initial"].get<std::string>() + "  ";
      if (parameter.contains("choices"))
        for (const auto& choice : parameter["choices"]) out += ' ' + choice.get<std::string>();
      else if (parameter.contains("known"))  // its names have a list of their own
        out += " a name or a path";
      else
        out += ' ' + parameter["kind"].get<std::string>() + ", " + plain_number(parameter["minimum"]) + " to " +
               plain_number(parameter["maximum"]);
      out += "; " + parameter["help"].get<std::string>() + '\n';
    }
  if (!get("not_simulated_because").empty()) out += "    not simulated: " + get("not_simulated_because") + '\n';
  if (!item["available"].get<bool>())
    out += "    not available here: " + get("unavailable_because") +
           (item.contains("devices") && item["devices"].size() > 1 ? "; --device simulated runs it\n" : "\n");
  return out;
}

// Algorithms by family, and by year in each.
std::string algorithms_as_text(const json& items) {
  std::string out;
  const auto of_family = [&](std::string_view family) {
    std::vector<const json*> members;
    for (const auto& item : items)
      if (item.value("family", "") == family) members.push_back(&item);
    std::ranges::stable_sort(members, {}, [](const json* item) { return item->at("year").get<int>(); });
    for (const auto* item : members) out += as_text(*item);
  };
  for (const auto& family : sat_families()) {
    out += (out.empty() ? "" : "\n") + family.name + ": " + family.description + "\n\n";
    of_family(family.name);
  }
  of_family("");  // those without a card
  return out;
}

}  // namespace

void run_list(const Options& options) {
  if (options.listing == Listing::settings || options.listing == Listing::commands) {
    const bool settings = options.listing == Listing::settings;
    const auto items = settings ? settings_json() : commands_json();
    const auto text = options.json ? items.dump(2) + '\n' : settings ? settings_text(items) : commands_text(items);
    print(text);
    return;
  }
  const auto items = listing(options.listing);
  std::string out;
  if (options.json)
    out = items.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
  else if (options.listing == Listing::algorithms)
    out = algorithms_as_text(items);
  else
    for (const auto& item : items) out += as_text(item);
  if (out.empty()) out = "no cameras: there is nothing under /sys/class/video4linux\n";
  print(out);
}

}  // namespace app
