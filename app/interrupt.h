// Ctrl-C and SIGTERM: the program ends as if its window had been closed, results written.
#pragma once

namespace app {

void watch_interrupts();  // a second one ends the program at once
bool interrupted();

}  // namespace app
