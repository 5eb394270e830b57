#if !defined(__x86_64__) || defined(SATSCOPE_UCONTEXT)
#include "gpu/simulated/fiber.h"

namespace gpu::simulated {

void prepare_fiber(Fiber& fiber, char* stack, std::size_t bytes, void (*entry)()) {
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = stack;
  fiber.context.uc_stack.ss_size = bytes;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, entry, 0);
}

void switch_fiber(Fiber& from, Fiber& to) { swapcontext(&from.context, &to.context); }

}  // namespace gpu::simulated
#endif
