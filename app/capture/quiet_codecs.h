// libjpeg and libpng print warnings and errors to stderr by themselves, and OpenCV leaves them to it: a webcam whose
// JPEGs end oddly writes thirty lines a second.
#pragma once

namespace app::capture {

// Does nothing; calling it is what links the functions in quiet_codecs.cpp into the program.
void quiet_codecs();

}  // namespace app::capture
