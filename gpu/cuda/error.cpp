#include "gpu/cuda/error.h"

#include <string>

namespace gpu {
namespace {

// The path relative to the repository's root: "gpu/cuda/memory.cpp", for every build folder.
std::string short_path(std::string_view path) {
  const auto at = path.rfind("/gpu/") != path.npos ? path.rfind("/gpu/") : path.rfind("/app/");
  return std::string(at == path.npos ? path : path.substr(at + 1));
}

std::string describe(cudaError_t code, const std::source_location& where) {
  return short_path(where.file_name()) + ":" + std::to_string(where.line()) + ": " + cudaGetErrorName(code) + ": " +
         cudaGetErrorString(code);
}

}  // namespace

CudaError::CudaError(cudaError_t code, const std::source_location& where)
    : std::runtime_error(describe(code, where)), code_(code) {}

void check(cudaError_t code, std::source_location where) {
  if (code == cudaSuccess) return;
  cudaGetLastError();
  throw CudaError(code, where);
}

}  // namespace gpu
