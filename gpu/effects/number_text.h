// A whole number drawn by a pixel function: which pixels of a small text are ink.
#pragma once

#include <cstdint>

namespace gpu::effects {

// A glyph of 5 x 7 pixels: bit 5*y + x is ink.
using Glyph = std::uint64_t;

consteval Glyph glyph(const char (&rows)[36]) {  // 7 rows of 5, '#' is ink
  Glyph bits = 0;
  for (int i = 0; i < 35; ++i)
    if (rows[i] == '#') bits |= Glyph{1} << i;
  return bits;
}

// 0..9 are digits, minus and plus the signs.
enum GlyphIndex { glyph_minus = 10, glyph_plus = 11 };

constexpr Glyph glyph_of(int index) {
  switch (index) {
    case 0: return glyph(".###.#...##..###.#.###..##...#.###.");
    case 1: return glyph("..#...##....#....#....#....#...###.");
    case 2: return glyph(".###.#...#....#...#...#...#...#####");
    case 3: return glyph("#####...#...#.....#.....##...#.###.");
    case 4: return glyph("...#...##..#.#.#..#.#####...#....#.");
    case 5: return glyph("######....####.....#....##...#.###.");
    case 6: return glyph("..##..#...#....####.#...##...#.###.");
    case 7: return glyph("#####....#...#...#...#....#....#...");
    case 8: return glyph(".###.#...##...#.###.#...##...#.###.");
    case 9: return glyph(".###.#...##...#.####....#...#..##..");
    case glyph_minus: return glyph("...............#####...............");
    default: return glyph(".......#....#..#####..#....#.......");
  }
}

// A number with its sign, `scale` screen pixels a glyph pixel, one empty glyph pixel around and between.
struct NumberText {
  int value;
  int scale;

  static constexpr int advance = 6, height_in_glyphs = 9;
  static constexpr int most_characters = 11;  // -2147483648

  constexpr std::uint32_t magnitude() const {
    return value < 0 ? 0u - static_cast<std::uint32_t>(value) : static_cast<std::uint32_t>(value);
  }
  constexpr int characters() const {
    int count = 2;
    for (auto rest = magnitude(); rest >= 10; rest /= 10) ++count;
    return count;
  }
  constexpr int width() const { return (characters() * advance + 1) * scale; }
  constexpr int height() const { return height_in_glyphs * scale; }

  // (x, y) counted from the text's top left corner, inside width() x height().
  constexpr bool ink(int x, int y) const {
    const int column = x / scale - 1, row = y / scale - 1;
    if (column < 0 || row < 0 || row >= 7) return false;
    const int place = column / advance, within = column % advance;
    if (within >= 5 || place >= characters()) return false;
    int index = value < 0 ? glyph_minus : glyph_plus;
    if (place > 0) {
      auto rest = magnitude();
      for (int i = characters() - 1; i > place; --i) rest /= 10;
      index = static_cast<int>(rest % 10);
    }
    return glyph_of(index) >> (5 * row + within) & 1;
  }
};

}  // namespace gpu::effects
