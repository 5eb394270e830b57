// The fonts in the program: the files of assets/fonts, put there by third_party/cmake/embed_fonts.cmake.
#pragma once

#include <span>

extern "C" {
extern const unsigned char satscope_font_roboto_regular_ttf[], satscope_font_roboto_regular_ttf_end[];
extern const unsigned char satscope_font_roboto_medium_ttf[], satscope_font_roboto_medium_ttf_end[];
extern const unsigned char satscope_font_dejavusans_ttf[], satscope_font_dejavusans_ttf_end[];
}

namespace app::ui {

// Roboto: its digits have equal width, so that columns of numbers do not jitter.
inline std::span<const unsigned char> regular_font() {
  return {satscope_font_roboto_regular_ttf, satscope_font_roboto_regular_ttf_end};
}
inline std::span<const unsigned char> bold_font() {
  return {satscope_font_roboto_medium_ttf, satscope_font_roboto_medium_ttf_end};
}
// DejaVu Sans: for what Roboto lacks, arrows for example.
inline std::span<const unsigned char> symbol_font() {
  return {satscope_font_dejavusans_ttf, satscope_font_dejavusans_ttf_end};
}

}  // namespace app::ui
