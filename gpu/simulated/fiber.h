// Fiber: a stack with a function that can be suspended and resumed anywhere. Device threads are fibers, because a kernel
// switches between them hundreds of thousands of times: threads of the operating system switch too slowly for that.
#pragma once

#include <cstddef>

#if !defined(__x86_64__) || defined(SATSCOPE_UCONTEXT)
#include <ucontext.h>
#endif

namespace gpu::simulated {

// A suspended point of execution. On other processors than x86-64, and where SATSCOPE_UCONTEXT is defined (in tests), that
// of ucontext.
struct Fiber {
#if defined(__x86_64__) && !defined(SATSCOPE_UCONTEXT)
  void* stack_pointer = nullptr;
#else
  ucontext_t context;
#endif
};

// The first switch to `fiber` calls entry(), which must not return, on the stack of `bytes` bytes at `stack`.
void prepare_fiber(Fiber& fiber, char* stack, std::size_t bytes, void (*entry)());
// Suspends the running code into `from` and resumes `to`. Both belong to one thread of the operating system.
void switch_fiber(Fiber& from, Fiber& to);

}  // namespace gpu::simulated
