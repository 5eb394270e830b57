// CUDA's vector types, with its alignments, and dim3: replaces the toolkit's header of that name. The functions that make them are here,
// too.
#pragma once

// A type of one to four elements, and its make_...().
#define SATSCOPE_VECTOR_TYPES(name, Element)                                              \
  struct name##1 {                                                                        \
    Element x;                                                                            \
  };                                                                                      \
  struct alignas(2 * sizeof(Element)) name##2 {                                           \
    Element x, y;                                                                         \
  };                                                                                      \
  struct name##3 {                                                                        \
    Element x, y, z;                                                                      \
  };                                                                                      \
  struct alignas(sizeof(Element) < 4 ? 4 * sizeof(Element) : 16) name##4 {                \
    Element x, y, z, w;                                                                   \
  };                                                                                      \
  constexpr name##1 make_##name##1(Element x) { return {x}; }                             \
  constexpr name##2 make_##name##2(Element x, Element y) { return {x, y}; }               \
  constexpr name##3 make_##name##3(Element x, Element y, Element z) { return {x, y, z}; } \
  constexpr name##4 make_##name##4(Element x, Element y, Element z, Element w) { return {x, y, z, w}; }

SATSCOPE_VECTOR_TYPES(char, signed char)
SATSCOPE_VECTOR_TYPES(uchar, unsigned char)
SATSCOPE_VECTOR_TYPES(short, short)
SATSCOPE_VECTOR_TYPES(ushort, unsigned short)
SATSCOPE_VECTOR_TYPES(int, int)
SATSCOPE_VECTOR_TYPES(uint, unsigned)
SATSCOPE_VECTOR_TYPES(long, long)
SATSCOPE_VECTOR_TYPES(ulong, unsigned long)
SATSCOPE_VECTOR_TYPES(longlong, long long)
SATSCOPE_VECTOR_TYPES(ulonglong, unsigned long long)
SATSCOPE_VECTOR_TYPES(float, float)
SATSCOPE_VECTOR_TYPES(double, double)
#undef SATSCOPE_VECTOR_TYPES

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 all) : x(all.x), y(all.y), z(all.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
