// Rewrites one file of a user's kernel, token by token, for the simulated GPU (C++) or for nvcc. Lines stay where they are,
// and so do most columns:
//
//   simulated  __shared__ unsigned row[32];       struct _0{ unsigned row[32];}; auto& row = ::gpu::static_shared<_0>().row;
//              extern __shared__ int all[];       struct _0{ int all[1];}; auto const all = ::satscope::dynamic_shared<...>();
//              __constant__ int w[] = {1};        const        int w[] = {1};
//               rows<<<n, 32>>>(image);           (rows|$(n, 32)) (image);
//               cudaDeviceSynchronize();          ::satscope::done     ();                       which does nothing
//   both       namespace { ... }                  inline namespace satscope_unnamed { ... }   kernels are found by their names
//              static __global__ void k() ...            __global__ void k() ...
//   nvcc       Pixel effect(Boxes b, ...) ...     __host__ __device__ Pixel effect(Boxes b, ...) ...    and what it may call
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gpu/user_kernels/cuda_tokens.h"

namespace gpu {

struct RewriteRequest {
  enum class Target { simulated, cuda };

  Target target = Target::simulated;
  bool is_descriptor = false, is_effect = false;  // the form of the whole source
  int file = 0;                                   // its number among the source's: names at file scope contain it
  std::map<std::string, int> kernels;             // RewrittenFile::kernels of all files
  std::set<std::string> functions = {};           // likewise
};

struct TextEdit {
  std::size_t begin = 0, end = 0;  // what is replaced
  std::string text;
};

struct RewrittenFile {
  struct Found {
    std::string name;  // with its namespaces: "::gpu::sat::sat_mine"
    bool is_template = false;
    int parameters = 0;
    std::size_t at = 0;
    bool is_exchanged = false;  // run(Table table, Image image)
  };
  struct Problem {
    std::size_t at = 0;
    std::string text;
  };

  std::vector<TextEdit> edits;
  // For a kernel whose template arguments are deduced, by its name: what finds it then.
  std::map<std::string, std::vector<TextEdit>> finders;
  std::set<std::string> deduced;       // the names of such kernels that are launched here
  std::map<std::string, int> kernels;  // and how many template arguments a launch must give so that none is deduced
  std::set<std::string> functions;     // names of those that are not kernels
  std::vector<Found> runs, effects, descriptors;
  std::vector<Found> misspelt;    // Run(), Effect()
  std::vector<Problem> problems;  // what the simulated GPU does not have
};
RewrittenFile rewrite(const TokenText& file, const RewriteRequest& request);

// Edits that overlap one before them are left out.
std::string edited(std::string_view text, std::vector<TextEdit> edits);

}  // namespace gpu
