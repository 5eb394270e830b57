// satscope new: a file with a kernel of one's own, to begin with.
#include "app/commands/commands.h"
#include "app/session/kernel_starts.h"
#include "app/support/console.h"
#include "app/support/files.h"

namespace app {

void run_new(const Options& options) {
  const auto file = with_home(options.output);
  const std::string text = options.from ? kernel_of(*options.from)
                                        : std::string(kernel_start(options.effect_start ? KernelStart::effect
                                                                                        : KernelStart::algorithm));
  write_kernel(file, text);
  print("wrote " + file.string() + "; satscope --kernel " + file.string() +
        " shows it, and compiles it whenever it is saved\n");
}

}  // namespace app
