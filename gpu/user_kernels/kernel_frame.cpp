#include "gpu/user_kernels/kernel_frame.h"

namespace gpu {
namespace {

using Form = KernelSource::Form;

constexpr std::string_view one_type =
    "[[maybe_unused]] static constexpr gpu::SatType satscope_types[] = {gpu::SatType::u8_u32};\n";
constexpr std::string_view first_note = "\"so far it is compiled for 8u32u alone\"";

// Before a file with a descriptor, so that what it does for every type is done for the first one.
constexpr std::string_view visiting_first_type = R"(#include "gpu/sat.h"
namespace gpu {
template <class F>
void visit_first_sat_type(AnyConstImageView image, AnyImageView sat, F&& f) {
  if (sat_type(image.type, sat.type) != SatType::u8_u32) throw std::invalid_argument("so far only 8u32u is compiled");
  f(image.as<const std::uint8_t>(), sat.as<std::uint32_t>());
}
}
#define visit_usual_sat_type visit_first_sat_type
#define visit_sat_type visit_first_sat_type
)";

std::string own(std::string_view text) { return line_directive(1, "<satscope>") + std::string(text); }
// A statement of which the compiler says that it stands where the function does.
std::string at_entry(const KernelFrame& frame, const std::string& statement) {
  return line_directive(static_cast<std::size_t>(frame.line), frame.file.native()) + statement + '\n' + own("");
}
std::string entry(std::string_view algorithm, std::string_view effect) {
  return "static constexpr std::uint64_t satscope_identity = build_identity;\n"
         "extern \"C\" __attribute__((visibility(\"default\"))) const void* const satscope_kernel_entry[] = "
         "{&satscope_identity, " +
         std::string(algorithm) + ", " + std::string(effect) + "};\n";
}
std::string idea(const KernelSource& source) {
  return string_literal(source.idea.empty() ? "A kernel of your own." : source.idea);
}

std::string running(const KernelFrame& frame, bool simulated) {
  return "void satscope_run([[maybe_unused]] gpu::Context& context, gpu::AnyConstImageView image, gpu::AnyImageView sat, "
         "const gpu::Arguments&) {\n" +
         std::string(simulated ? "  const satscope::Running running(context);\n" : "") +
         at_entry(frame, frame.source.form == Form::run_template && !frame.first_type
                             ? "  gpu::visit_usual_sat_type(image, sat, [](auto input, auto output) { " + frame.entry +
                                   "(input, output); });"
                             : "  " + frame.entry + "(image.as<const std::uint8_t>(), sat.as<std::uint32_t>());") +
         "}\n";
}
std::string run_descriptor(const KernelFrame& frame) {
  const bool every_type = frame.source.form == Form::run_template;
  return std::string(one_type) +
         "static constexpr gpu::SatAlgorithm satscope_algorithm{.name = " + string_literal(frame.source.name) +
         ", .year = 0, .paper = \"\", .idea = " + idea(frame.source) +
         ", .device = gpu::Device::cuda, .reads = \"\", .writes = \"\", .parameters = {}, " +
         (frame.first_type ? ".types = satscope_types, .types_note = " + std::string(first_note)
          : every_type     ? ".types = gpu::usual_sat_types, .types_note = \"run() is compiled for the usual types\""
                       : ".types = satscope_types, .types_note = \"run(Image, Table) has 8-bit pixels and 32-bit sums; a "
                         "template of "
                         "run() has more\"") +
         ", .run = satscope_run};\n" + entry("&satscope_algorithm", "nullptr");
}
std::string drawing(const KernelFrame& frame) {
  const auto call = frame.entry + "(boxes, x, y)";
  return "namespace satscope {\nstruct Drawing {\n  Boxes boxes;\n  gpu::Canvas target;\n"
         "  __host__ __device__ gpu::Rgba inner(int x, int y) const {\n" +
         at_entry(frame, "    const Pixel pixel = " + call + ";") +
         "    return {pixel.r, pixel.g, pixel.b, 255};\n  }\n"
         "  __host__ __device__ void operator()(int x, int y) const { target.put(x, y, inner(x, y)); }\n"
         "  constexpr gpu::PixelRange interior() const { return gpu::whole(target.size()); }\n};\n}\n"
         "void satscope_run(gpu::Context& context, const gpu::EffectInput& input, const gpu::EffectOutput& output, "
         "const gpu::Arguments&) {\n"
         "  context.for_each_pixel(" +
         string_literal(frame.source.name) +
         ", output.canvas.size(), satscope::Drawing{Boxes(input.tables.sum, input.gray), output.canvas});\n}\n";
}
std::string effect_descriptor(const KernelFrame& frame) {
  return "static constexpr gpu::Effect satscope_effect{.name = " + string_literal(frame.source.name) +
         ", .title = " + string_literal(frame.source.name) + ", .idea = " + idea(frame.source) +
         ", .parameters = {}, .channels = [](const gpu::Arguments&) { return 3; }, .traffic = nullptr, .run = "
         "satscope_run};\n" +
         entry("nullptr", "&satscope_effect");
}
std::string of_descriptor(const KernelFrame& frame) {
  const auto types = "  copy.types = satscope_types;\n  copy.types_note = " + std::string(first_note) + ";\n";
  return std::string(one_type) + "static const gpu::SatAlgorithm satscope_algorithm = [] {\n  auto copy = " + frame.entry +
         ";\n  copy.name = " + string_literal(frame.source.name) + ";\n" + (frame.first_type ? types : "") +
         "  return copy;\n}();\n" + entry("&satscope_algorithm", "nullptr");
}

}  // namespace

std::string KernelFrame::before(bool simulated) const {
  std::string all = "#include <cuda_runtime.h>\n";
  if (simulated) all += "#include \"gpu/cuda/intrinsics.cuh\"\n";
  if (source.form != Form::descriptor)
    all += "#include <satscope_kernel.cuh>\n";
  else if (first_type)
    all += visiting_first_type;
  return all;
}

std::string KernelFrame::behind(bool simulated) const {
  if (source.form == Form::descriptor) return simulated ? own("#include <build_identity.h>\n") + of_descriptor(*this) : "";
  const bool effect = source.form == Form::effect;
  auto all = own(effect ? "#include \"gpu/effect.h\"\n#include \"gpu/pictures/for_each_pixel.cuh\"\n" : "");
  if (simulated) all += "#include <build_identity.h>\n";
  all += effect ? drawing(*this) : running(*this, simulated);
  if (simulated) all += effect ? effect_descriptor(*this) : run_descriptor(*this);
  return all;
}

std::string string_literal(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') all += '\\';
    if (code >= 32 && code != 127) {
      all += c;
    } else {
      all += '\\';
      for (const int shift : {6, 3, 0}) all += static_cast<char>('0' + (code >> shift & 7));
    }
  }
  return all + '"';
}
std::string line_directive(std::size_t line, std::string_view file) {
  return "#line " + std::to_string(line) + ' ' + string_literal(file) + '\n';
}

}  // namespace gpu
