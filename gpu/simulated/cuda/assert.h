// assert() of device code: a fault of the launch, by line, in place of the end of the process. Included as often as it is asked for, as
// libc's, after which it comes.
#include_next <assert.h>

#if defined(__cplusplus) && !defined(NDEBUG)
namespace gpu::simulated {
[[noreturn, gnu::noinline]] void device_assert(const char* expression, const char* file, unsigned line,
                                               const char* function);
}
#undef assert
#define assert(...) \
  (static_cast<bool>(__VA_ARGS__) ? void() : gpu::simulated::device_assert(#__VA_ARGS__, __FILE__, __LINE__, __func__))
#endif
