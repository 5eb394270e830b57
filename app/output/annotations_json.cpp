#include "app/output/annotations_json.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace app {
namespace {

using json = nlohmann::ordered_json;

std::string colour(gpu::Rgba c) {
  char text[16];
  std::snprintf(text, sizeof text, "#%02x%02x%02x%02x", c.r, c.g, c.b, c.a);
  return text;
}

const char* name(gpu::Annotation::Kind kind) {
  switch (kind) {
    case gpu::Annotation::Kind::rectangle: return "rectangle";
    case gpu::Annotation::Kind::line: return "line";
    case gpu::Annotation::Kind::label: return "label";
  }
  return "";
}

json object(const gpu::Annotation& a) {
  json object{{"kind", name(a.kind)}, {"from", {a.x0, a.y0}}, {"to", {a.x1, a.y1}}};
  if (a.stroke.a > 0) object["stroke"] = colour(a.stroke);
  if (a.fill.a > 0) object["fill"] = colour(a.fill);
  if (a.text[0]) object["text"] = std::string(a.text, std::find(a.text, std::end(a.text), '\0'));
  if (a.has != gpu::Annotation::Value::none) object["value"] = a.value;
  return object;
}

}  // namespace

std::string annotations_json(gpu::Size size, std::span<const gpu::Annotation> annotations) {
  json all{{"size", {size.width, size.height}}, {"annotations", json::array()}};
  for (const auto& annotation : annotations) all["annotations"].push_back(object(annotation));
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace app
