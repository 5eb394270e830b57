// The functions that GCC's -fsanitize=thread calls at every load and store, instead of GCC's own library. Through them an
// observed build sees the accesses of kernels. Calls from host code in the same files are ignored.
//
// This file and those of the simulated GPU are compiled without the option, and linked before those that are compiled
// with it: of inline functions that both define, the linker takes the first.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "gpu/simulated/block.h"
#include "gpu/simulated/gpu.h"
#include "gpu/simulated/kernel_launch.h"
#include "gpu/simulated/thread.h"

namespace gpu::simulated {
namespace {

inline Observer* observer_of(const Thread& thread) { return thread.block->launch().observer(); }

inline void touched(const volatile void* at, std::size_t bytes, bool writes, const void* caller) {
  Thread* const thread = current_thread();
  if (!thread || bytes == 0) return;
  if (auto* observer = observer_of(*thread)) observer->touched(*thread, writes, const_cast<const void*>(at), bytes, caller);
}

// An access of `bytes` bytes whose type requires alignment to `bytes`; the processor does not require it, a GPU does.
inline void touched_whole(const volatile void* at, std::size_t bytes, bool writes, const void* caller) {
  Thread* const thread = current_thread();
  if (!thread) return;
  auto* observer = observer_of(*thread);
  if (observer && reinterpret_cast<std::uintptr_t>(at) % bytes != 0)
    thread->block->fail(*thread,
                        std::string("misaligned: a ") + (writes ? "store" : "load") + " of " + std::to_string(bytes) +
                            " bytes at an address that is not a multiple of this",
                        caller);
  if (observer) observer->touched(*thread, writes, const_cast<const void*>(at), bytes, caller);
}

inline void accessed(const volatile void* at, std::size_t bytes, Observer::Access access, const void* caller) {
  Thread* const thread = current_thread();
  if (!thread) return;
  if (auto* observer = observer_of(*thread)) observer->accessed(*thread, access, const_cast<const void*>(at), bytes, caller);
}

// A volatile access is a relaxed one (PTX ISA, "ld.volatile"). Whoever loads the same again waits, so that others run.
void loaded_volatile(const volatile void* at, std::size_t bytes, const void* caller) {
  Thread* const thread = current_thread();
  if (!thread || !observer_of(*thread) || thread->block->owns_stack(const_cast<const void*>(at))) return;
  const void* const address = const_cast<const void*>(at);
  const bool known = thread->loads.knows(address);
  if (!known) observer_of(*thread)->accessed(*thread, Observer::Access::relaxed_load, address, bytes, caller);
  unsigned __int128 word = 0;
  std::memcpy(&word, address, bytes);
  const bool again = thread->loads.again(address, word);
  if (known)
    observer_of(*thread)->accessed(*thread, again ? Observer::Access::poll : Observer::Access::relaxed_load, address, bytes,
                                   caller);
  if (again) thread->block->found_again(*thread, caller);
}

constexpr auto load = Observer::Access::relaxed_load, store = Observer::Access::relaxed_store,
               atomic = Observer::Access::atomic;

}  // namespace
}  // namespace gpu::simulated

using namespace gpu::simulated;

// Of this library and of those of users' kernels, which are linked to it: a program that is itself checked by ThreadSanitizer may
// load them.
#define ENTRY extern "C" __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)
#define ORDER __ATOMIC_SEQ_CST

ENTRY void __tsan_init() {}
ENTRY void __tsan_func_entry(void*) {}
ENTRY void __tsan_func_exit() {}
ENTRY void __tsan_vptr_read(void** at) { touched(at, sizeof *at, false, CALLER); }
ENTRY void __tsan_vptr_update(void** at, void*) { touched(at, sizeof *at, true, CALLER); }

// clang-format would move the ends of these lines at every run.
// clang-format off
#define PLAIN(n)                                                                            \
  ENTRY void __tsan_read##n(void* at) { touched_whole(at, n, false, CALLER); }               \
  ENTRY void __tsan_write##n(void* at) { touched_whole(at, n, true, CALLER); }               \
  ENTRY void __tsan_unaligned_read##n(void* at) { touched(at, n, false, CALLER); }           \
  ENTRY void __tsan_unaligned_write##n(void* at) { touched(at, n, true, CALLER); }           \
  ENTRY void __tsan_volatile_read##n(void* at) { loaded_volatile(at, n, CALLER); }           \
  ENTRY void __tsan_volatile_write##n(void* at) { accessed(at, n, store, CALLER); }          \
  ENTRY void __tsan_unaligned_volatile_read##n(void* at) { touched(at, n, false, CALLER); }  \
  ENTRY void __tsan_unaligned_volatile_write##n(void* at) { touched(at, n, true, CALLER); }
PLAIN(1) PLAIN(2) PLAIN(4) PLAIN(8) PLAIN(16)

ENTRY void __tsan_read_range(void* at, std::size_t bytes) { touched(at, bytes, false, CALLER); }
ENTRY void __tsan_write_range(void* at, std::size_t bytes) { touched(at, bytes, true, CALLER); }
ENTRY void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  touched(from, bytes, false, CALLER);
  touched(to, bytes, true, CALLER);
  return std::memcpy(to, from, bytes);
}
ENTRY void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  touched(from, bytes, false, CALLER);
  touched(to, bytes, true, CALLER);
  return std::memmove(to, from, bytes);
}
ENTRY void* __tsan_memset(void* to, int value, std::size_t bytes) {
  touched(to, bytes, true, CALLER);
  return std::memset(to, value, bytes);
}

// The atomics of C++. Device code of gpu/ uses CUDA's; host code has these in inlined functions.
#define UINT(bits) std::uint##bits##_t
#define CHANGE(bits, name)                                                                                  \
  ENTRY UINT(bits) __tsan_atomic##bits##_##name(volatile UINT(bits)* at, UINT(bits) value, int) {           \
    accessed(at, bits / 8, atomic, CALLER);                                                                 \
    return __atomic_##name(at, value, ORDER);                                                               \
  }
#define COMPARE(bits, name)                                                                                 \
  ENTRY int __tsan_atomic##bits##_compare_exchange_##name(volatile UINT(bits)* at, UINT(bits)* expected,    \
                                                          UINT(bits) value, int, int) {                     \
    accessed(at, bits / 8, atomic, CALLER);                                                                 \
    return __atomic_compare_exchange_n(at, expected, value, false, ORDER, ORDER);                           \
  }
#define ATOMIC(bits)                                                                                        \
  ENTRY UINT(bits) __tsan_atomic##bits##_load(const volatile UINT(bits)* at, int) {                         \
    accessed(at, bits / 8, load, CALLER);                                                                   \
    return __atomic_load_n(at, ORDER);                                                                      \
  }                                                                                                         \
  ENTRY void __tsan_atomic##bits##_store(volatile UINT(bits)* at, UINT(bits) value, int) {                  \
    accessed(at, bits / 8, store, CALLER);                                                                  \
    __atomic_store_n(at, value, ORDER);                                                                     \
  }                                                                                                         \
  ENTRY UINT(bits) __tsan_atomic##bits##_exchange(volatile UINT(bits)* at, UINT(bits) value, int) {         \
    accessed(at, bits / 8, atomic, CALLER);                                                                 \
    return __atomic_exchange_n(at, value, ORDER);                                                           \
  }                                                                                                         \
  CHANGE(bits, fetch_add) CHANGE(bits, fetch_sub) CHANGE(bits, fetch_and) CHANGE(bits, fetch_or)            \
  CHANGE(bits, fetch_xor) CHANGE(bits, fetch_nand) COMPARE(bits, strong) COMPARE(bits, weak)
ATOMIC(8) ATOMIC(16) ATOMIC(32) ATOMIC(64)
    // clang-format on

    ENTRY void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(ORDER);
}
ENTRY void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(ORDER); }
