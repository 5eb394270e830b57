#include "gpu/simulated/wait_report.h"

#include "gpu/simulated/block.h"
#include "gpu/simulated/place.h"

namespace gpu::simulated {
namespace {

std::string state_of(const Thread& thread) {
  switch (thread.wait) {
    case Wait::returned: return "have returned";
    case Wait::peers:
    case Wait::none: return thread.begun ? "run" : "have not begun";
    case Wait::warp: return "wait for their warp at " + place_of(thread.source);
    case Wait::barrier: return "wait at __syncthreads(), " + place_of(thread.source);
    case Wait::word: return "wait for a word at " + place_of(thread.at);
  }
  return {};
}

bool alike(const Thread& a, const Thread& b) {
  return a.wait == b.wait && a.begun == b.begun && a.at == b.at && same_place(a.source, b.source);
}

}  // namespace

std::string wait_report(const Block& block) {
  const dim3 index = block.index();
  std::string text = "block (" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " + std::to_string(index.z) +
                     "):";
  for (unsigned first = 0; first < block.thread_count();) {
    unsigned end = first + 1;
    while (end < block.thread_count() && alike(block.thread(end), block.thread(first))) ++end;
    text += (first == 0 ? " threads " : "; ") + std::to_string(first) +
            (end > first + 1 ? " to " + std::to_string(end - 1) : "") + ' ' + state_of(block.thread(first));
    first = end;
  }
  return text;
}

}  // namespace gpu::simulated
