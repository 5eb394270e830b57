// satscope info: the hardware and software of this machine, and what they make possible.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <opencv2/core/version.hpp>
#include <thread>

#include "app/commands/commands.h"
#include "app/display/render_target.h"
#include "app/gl/shared_texture.h"
#include "app/support/console.h"
#include "app/support/machine.h"
#include "app/support/simulated_gpu.h"
#include "gpu/cuda/device.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;

std::string display_state() {
  try {
    return require_display();
  } catch (const RenderTargetError&) {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"})
      if (const auto display = environment(name); !display.empty())
        return display + ", which does not answer; satscope runs offscreen";
    return "none: DISPLAY is not set; satscope runs offscreen";
  }
}

json gpu_json(const gpu::GpuProbe& probe) {
  if (!probe.gpu) return {{"available", false}, {"reason", probe.reason}};
  const auto& gpu = *probe.gpu;
  return {{"available", true},
          {"name", gpu.name},
          {"compute_capability", std::to_string(gpu.major) + "." + std::to_string(gpu.minor)},
          {"multiprocessors", gpu.multiprocessors},
          {"memory_mib", gpu.memory_bytes >> 20},
          {"l2_mib", gpu.l2_bytes >> 20}};
}

json simulated_json() {
  const auto& found = find_simulated_gpu(gpu::simulated::Build::plain);
  if (!found.driver) return {{"available", false}, {"reason", found.reason}};
  const auto& observed = find_simulated_gpu(gpu::simulated::Build::observed);
  json object{{"available", true},
              {"cores", std::max(1u, std::thread::hardware_concurrency())},
              {"path", library_of(*found.driver).string()},
              {"simulate", observed.driver != nullptr}};
  if (!observed.driver) object["simulate_reason"] = observed.reason;
  return object;
}

json opengl_json(json& interop) {
  try {
    const auto surface = open_offscreen(64, 64);
    const auto found = gl::probe_interop();
    interop = {{"works", found.works}, {"reason", found.reason}};
    const auto& gl = surface->gl();
    return {{"vendor", gl.vendor}, {"renderer", gl.renderer}, {"version", gl.version}, {"software", gl.software}};
  } catch (const RenderTargetError& error) {
    interop = {{"works", false}, {"reason", "there is no OpenGL"}};
    return {{"reason", error.what()}};
  }
}

json collect() {
  const auto probe = gpu::probe_gpu();
  json info{{"satscope", SATSCOPE_VERSION}, {"processor", processor_name()}, {"cores", std::thread::hardware_concurrency()},
            {"gpu", gpu_json(probe)},       {"simulated", simulated_json()}, {"driver", nvidia_driver_version()},
            {"cuda", cuda_versions()}};
  json interop;
  info["opengl"] = opengl_json(interop);
  info["interop"] = interop;
  info["opencv"] = CV_VERSION;
  info["display"] = display_state();
  return info;
}

// A member of an object, and what divides it from those before it.
void put_part(std::string& line, const std::string& name, const json& part) {
  struct Words {
    std::string_view name, yes, no;
  };
  constexpr Words all[] = {{"available", "available", "not available"},
                           {"works", "works", "does not work"},
                           {"simulate", "satscope simulate works", "satscope simulate does not work"},
                           {"software", "drawn by the CPU", "drawn by a GPU"}};
  const auto comma = line.empty() ? "" : ", ";
  if (part.is_boolean()) {
    const auto& words = *std::ranges::find(all, name, &Words::name);
    (line += comma) += part.get<bool>() ? words.yes : words.no;
  } else if (!part.is_string()) {
    line += comma + name + ' ' + part.dump();
  } else if (const auto text = part.get<std::string>(); !text.empty()) {
    line += name.ends_with("reason") ? (line.empty() ? "" : ": ") + text : comma + name + ' ' + text;
  }
}

// "key  value, value": one line per member.
std::string info_as_text(const json& info) {
  std::string out;
  for (const auto& [key, value] : info.items()) {
    std::string line;
    if (value.is_object())
      for (const auto& [name, part] : value.items()) put_part(line, name, part);
    else
      line = value.is_string() ? value.get<std::string>() : value.dump();
    out += key + std::string(key.size() < 12 ? 12 - key.size() : 1, ' ') + (line.empty() ? "none" : line) + '\n';
  }
  return out;
}

}  // namespace

void run_info(const Options& options) {
  const auto info = collect();
  const auto text = options.json ? info.dump(2, ' ', false, json::error_handler_t::replace) + "\n" : info_as_text(info);
  print(text);
}

}  // namespace app
