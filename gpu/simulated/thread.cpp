#include "gpu/simulated/thread.h"

#include <cstdint>

#if defined(__x86_64__) && !defined(SATSCOPE_UCONTEXT)

// The callee-saved registers (System V ABI, AMD64 supplement, sec. 3.2.1) are pushed onto the suspended stack and popped
// from the resumed one; a caller expects no others to survive. The floating-point control words are not saved: device
// code does not change them.
extern "C" [[gnu::visibility("hidden")]] void satscope_switch_stacks(void** from, void* to);
asm(R"(
  .text
  .p2align 4
  .hidden satscope_switch_stacks
  .globl satscope_switch_stacks
  .type satscope_switch_stacks, @function
satscope_switch_stacks:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size satscope_switch_stacks, . - satscope_switch_stacks
)");

namespace gpu::simulated {

void prepare_fiber(Fiber& fiber, char* stack, std::size_t bytes, void (*entry)()) {
  // As if a function about to call entry() had called switch_fiber(): six registers, then the return address. The ABI
  // requires rsp + 8 to be a multiple of 16 at the start of a function.
  auto** top = reinterpret_cast<void**>((reinterpret_cast<std::uintptr_t>(stack) + bytes) & ~std::uintptr_t{15});
  constexpr int registers = 6;
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(entry);
  for (int i = 0; i < registers; ++i) *--top = nullptr;
  fiber.stack_pointer = top;
}

void switch_fiber(Fiber& from, Fiber& to) { satscope_switch_stacks(&from.stack_pointer, to.stack_pointer); }

}  // namespace gpu::simulated

#else

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
