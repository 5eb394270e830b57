// Linked with AddressSanitizer: libraries that were opened stay open. Leaks are looked for at the end, and those of a library
// that was closed before (Mesa's drivers) cannot be told by its name (leaks_of_others.txt).
extern "C" int dlclose(void*) noexcept { return 0; }
