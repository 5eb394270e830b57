// PNG files from pixels in host memory.
#pragma once

#include <cstdint>
#include <filesystem>

#include "gpu/image.h"

namespace app {

// Three channels; the alpha is dropped. All throw std::runtime_error with one line, and then keep an older file.
void write_png(const std::filesystem::path& path, gpu::ImageView<const gpu::Rgba> picture);
// One channel.
void write_png(const std::filesystem::path& path, gpu::ImageView<const std::uint8_t> gray);

}  // namespace app
