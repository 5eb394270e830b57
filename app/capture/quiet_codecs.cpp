// The program defines the two functions with which a decoder of libjpeg and libpng begins, so the dynamic linker gives
// these to OpenCV. Each calls the library's own and then takes the printing out of what it set up. Nothing else
// changes: an error still ends the decoding.
#include "app/capture/quiet_codecs.h"

#include <dlfcn.h>

namespace {

// The head of libjpeg's struct jpeg_error_mgr: the same in every libjpeg since 1991.
struct JpegErrors {
  void (*error_exit)(void*);
  void (*emit_message)(void*, int);
  void (*output_message)(void*);
};

void say_nothing(void*) {}

// libpng's error function may not return: it goes back to where the decoder called setjmp, as the default one does.
void png_error_without_words(void* png, const char*) {
  const auto long_jump = reinterpret_cast<void (*)(void*, int)>(dlsym(RTLD_DEFAULT, "png_longjmp"));
  long_jump(png, 1);
}
void png_warning_without_words(void*, const char*) {}

using PngErrorFunction = void (*)(void*, const char*);

}  // namespace

extern "C" {

JpegErrors* jpeg_std_error(JpegErrors* errors) {
  const auto original = reinterpret_cast<JpegErrors* (*)(JpegErrors*)>(dlsym(RTLD_NEXT, "jpeg_std_error"));
  errors = original(errors);
  errors->output_message = say_nothing;
  return errors;
}

void* png_create_read_struct(const char* version, void* error_data, PngErrorFunction on_error,
                             PngErrorFunction on_warning) {
  using Create = void* (*)(const char*, void*, PngErrorFunction, PngErrorFunction);
  const auto original = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "png_create_read_struct"));
  return original(version, error_data, on_error ? on_error : png_error_without_words,
                  on_warning ? on_warning : png_warning_without_words);
}
}

namespace app::capture {
void quiet_codecs() {}
}  // namespace app::capture
