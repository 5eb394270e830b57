// Starts nothing.
#include <satscope_kernel.cuh>

void run(Image image, Table table) {}
