// Fiber: a stack on which a function runs that can be left in its middle and entered again. Device threads are fibers:
// hundreds of thousands of switches between them cost milliseconds, which threads of the operating system could not do.
#pragma once

#include <cstddef>

#if !defined(__x86_64__) || defined(SATSCOPE_UCONTEXT)
#include <ucontext.h>
#endif

namespace gpu::simulated {

// A place that can be left and entered again. Both functions are fiber_x86_64.cpp's, or fiber_ucontext.cpp's on other
// processors, and where SATSCOPE_UCONTEXT is defined (tests do).
struct Fiber {
#if defined(__x86_64__) && !defined(SATSCOPE_UCONTEXT)
  void* stack_pointer = nullptr;
#else
  ucontext_t context;
#endif
};

// The first switch to `fiber` calls entry(), which must not return, on the `bytes` of stack that start at `stack`.
void prepare_fiber(Fiber& fiber, char* stack, std::size_t bytes, void (*entry)());
// Leaves the running code, which `from` then stands for, and enters `to`. Both on one thread of the operating system.
void switch_fiber(Fiber& from, Fiber& to);

}  // namespace gpu::simulated
