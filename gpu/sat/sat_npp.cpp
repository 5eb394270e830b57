// npp: NVIDIA's own integral image, if its library is found.
//
// Peer: NVIDIA Performance Primitives, nppiIntegral_8u32s_C1R_Ctx and nppiIntegral_8u32f_C1R_Ctx.
// NPP writes (width + 1) x (height + 1) entries, with a row and a column of zeros first. They are copied to the table, and
// the copy is part of the measured time, because nobody gets the table without it.
//
// The library is proprietary: nothing of it is linked or shipped. At its first use it is searched in the folder that
// SATSCOPE_NPP names, in the one to which a link `npp` beside the program leads (in a build tree that is third_party/.cuda/lib,
// where `third_party/install.sh --npp` installs it), and where the system's loader searches. Kernels: the library's. Traffic:
// the library's, and one read and one write per pixel.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>

#include "gpu/cuda/launch.h"
#include "gpu/sat.h"

namespace gpu::sat {
namespace {

// As nppdefs.h lays them out.
struct NppSize {
  int width, height;
};
struct NppStream {
  cudaStream_t stream;
  int device, multiprocessors, threads_per_multiprocessor, threads_per_block;
  std::size_t shared_bytes_per_block;
  int major, minor;
  unsigned flags, reserved;
};
template <class Sum>
using Integral = int (*)(const std::uint8_t*, int, Sum*, int, NppSize, Sum, NppStream);

struct Library {
  Integral<std::int32_t> to_int = nullptr;
  Integral<float> to_float = nullptr;
  std::string absent;  // why; empty if it was found
};

void* open(const std::string& folder) {
  for (const char* version : {"13", "12"}) {
    const std::string end = std::string(".so.") + version;
    // The core library first: the other one needs it, and does not name its folder.
    if (!dlopen((folder + "libnppc" + end).c_str(), RTLD_NOW | RTLD_GLOBAL)) continue;
    if (void* library = dlopen((folder + "libnppist" + end).c_str(), RTLD_NOW)) return library;
  }
  return nullptr;
}

Library load() {
  const char* named = std::getenv("SATSCOPE_NPP");
  void* library = named && *named ? open(std::string(named) + "/") : nullptr;
  std::error_code none;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", none);
  const auto linked = std::filesystem::read_symlink(program.parent_path() / "npp", none);
  if (!library && program.is_absolute() && linked.is_absolute()) library = open(linked.string() + "/");
  if (!library) library = open("");
  Library found;
  if (library) {
    found.to_int = reinterpret_cast<Integral<std::int32_t>>(dlsym(library, "nppiIntegral_8u32s_C1R_Ctx"));
    found.to_float = reinterpret_cast<Integral<float>>(dlsym(library, "nppiIntegral_8u32f_C1R_Ctx"));
  }
  if (!found.to_int || !found.to_float)
    found.absent = "NPP was not found: third_party/install.sh --npp fetches it, SATSCOPE_NPP names the folder of another";
  return found;
}

// Loaded once.
const Library& library() {
  static const Library once = load();
  return once;
}

NppStream stream_of(cudaStream_t stream) {
  NppStream npp{};
  npp.stream = stream;
  check(cudaGetDevice(&npp.device));
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, npp.device));
    return value;
  };
  npp.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  npp.threads_per_multiprocessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  npp.threads_per_block = attribute(cudaDevAttrMaxThreadsPerBlock);
  npp.shared_bytes_per_block = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlock));
  npp.major = attribute(cudaDevAttrComputeCapabilityMajor);
  npp.minor = attribute(cudaDevAttrComputeCapabilityMinor);
  // The flags of a stream that is being captured cannot be queried; such a stream never waits for the legacy stream.
  npp.flags = cudaStreamNonBlocking;
  if (!is_captured(stream)) check(cudaStreamGetFlags(stream, &npp.flags));
  return npp;
}

// NppSum: NPP's type of the sums. Its int and our unsigned have the same bits.
template <class NppSum, class Sum>
void integrate(Context& context, ImageView<const std::uint8_t> image, ImageView<Sum> sat, Integral<NppSum> integral) {
  const auto framed = context.scratch_image<Sum>({image.width + 1, image.height + 1});
  if (const auto pitch = std::max(image.stride, framed.stride * std::ptrdiff_t{sizeof(Sum)});
      pitch > std::numeric_limits<int>::max())
    throw std::invalid_argument("npp: rows are " + std::to_string(pitch) +
                                " bytes apart, and NPP takes distances of 32 bits: choose " + "another algorithm");
  context.call("nppiIntegral", [&](cudaStream_t stream) {
    const int status = integral(image.data, static_cast<int>(image.stride), reinterpret_cast<NppSum*>(framed.data),
                                static_cast<int>(framed.stride * std::ptrdiff_t{sizeof(Sum)}), {image.width, image.height},
                                NppSum(0), stream_of(stream));
    if (status != 0) throw std::runtime_error("nppiIntegral failed with NppStatus " + std::to_string(status));
  });
  context.copy("copy", ImageView<const Sum>{framed.data + framed.stride + 1, image.width, image.height, framed.stride}, sat);
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments&) {
  const Library none;
  const auto& npp = context.is_dry() ? none : library();
  if (sat.type == ElementType::f32)
    integrate<float>(context, image.as<const std::uint8_t>(), sat.as<float>(), npp.to_float);
  else
    integrate<std::int32_t>(context, image.as<const std::uint8_t>(), sat.as<std::uint32_t>(), npp.to_int);
}

constexpr SatType types[] = {SatType::u8_u32, SatType::u8_f32};

}  // namespace

extern constinit const SatAlgorithm sat_npp{
    .name = "npp",
    .year = 2013,
    .paper = "NVIDIA Performance Primitives, nppiIntegral",
    .idea = "The library's integral image, one row and one column larger, copied to the table.",
    .reads = "?",
    .writes = "?",
    .types = types,
    .types_note = "NPP integrates 8-bit images into 32-bit sums only",
    .repeatable = false,  // NPP does not promise it
    .not_simulated = "its kernels are in NVIDIA's NPP library, which is not part of this source",
    .most_rows = 65535,  // with 65536 it reports a failed CUDA call (NPP 13.0)
    .unavailable = [] { return library().absent; },
    .run = run,
};

}  // namespace gpu::sat
