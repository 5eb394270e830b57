"""Finds words of the window by their letters, which are drawn alike everywhere: tests that click them know nothing of the
layout. The letters come from the program's own fonts, through FreeType."""
import ctypes
import functools
import os
from ctypes import c_char, c_char_p, c_int, c_long, c_short, c_uint, c_ulong, c_ushort, c_void_p

import cv2
import numpy as np

NO_SCALE, NO_HINTING, RENDER = 1, 2, 4
FONTS = {"regular": ("Roboto-Regular.ttf", 16), "bold": ("Roboto-Medium.ttf", 16), "title": ("Roboto-Medium.ttf", 18),
         "slide": ("Roboto-Regular.ttf", 21)}
ALIKE = 0.92  # how well letters must fit, from 0 to 1
FREETYPE = ctypes.CDLL("libfreetype.so.6")


class Bitmap(ctypes.Structure):
    _fields_ = [("rows", c_uint), ("width", c_uint), ("pitch", c_int), ("buffer", c_void_p), ("num_grays", c_ushort),
                ("modes", c_char * 2), ("palette", c_void_p)]


class Glyph(ctypes.Structure):
    _fields_ = [("owners", c_void_p * 3), ("index", c_uint), ("generic", c_void_p * 2), ("metrics", c_long * 8),
                ("linear_advance", c_long), ("linear_vertical", c_long), ("advance", c_long), ("advance_y", c_long),
                ("format", c_uint), ("bitmap", Bitmap), ("left", c_int), ("top", c_int)]


class Face(ctypes.Structure):
    _fields_ = [("numbers", c_long * 5), ("names", c_void_p * 2), ("sizes", c_int), ("all_sizes", c_void_p),
                ("charmaps", c_int), ("all_charmaps", c_void_p), ("generic", c_void_p * 2), ("box", c_long * 4),
                ("em", c_ushort), ("ascender", c_short), ("descender", c_short), ("others", c_short * 5),
                ("glyph", ctypes.POINTER(Glyph))]


@functools.lru_cache
def face_of(path, size):
    """`size`: from the lowest to the highest line of the font, in pixels."""
    library, face = c_void_p(), ctypes.POINTER(Face)()
    assert FREETYPE.FT_Init_FreeType(ctypes.byref(library)) == 0
    assert FREETYPE.FT_New_Face(library, c_char_p(os.fsencode(path)), c_long(0), ctypes.byref(face)) == 0, path
    em = size * face.contents.em / (face.contents.ascender - face.contents.descender)
    assert FREETYPE.FT_Set_Char_Size(face, c_long(0), c_long(round(em * 64)), c_uint(72), c_uint(72)) == 0
    return face


def load(face, character, how):
    assert FREETYPE.FT_Load_Char(face, c_ulong(ord(character)), c_int(how)) == 0
    return face.contents.glyph.contents


@functools.lru_cache
def letter(path, size, character):
    """Its pixels, where they begin to the right of the pen and above the line, and how far the pen moves."""
    face = face_of(path, size)
    units = face.contents.ascender - face.contents.descender
    advance = int(load(face, character, NO_SCALE).advance * size / units + 0.5)  # as Dear ImGui rounds it
    glyph = load(face, character, NO_HINTING | RENDER)
    bitmap = glyph.bitmap
    pixels = np.zeros((bitmap.rows, bitmap.width), np.uint8)
    if pixels.size:
        data = ctypes.string_at(bitmap.buffer, bitmap.rows * bitmap.pitch)
        pixels = np.frombuffer(data, np.uint8).reshape(bitmap.rows, bitmap.pitch)[:, :bitmap.width]
    return pixels, glyph.left, glyph.top, advance


@functools.lru_cache
def drawn(fonts, text, style):
    """The text in white on black, without margins."""
    name, size = FONTS[style]
    canvas, pen = np.zeros((3 * size, len(text) * size + 2 * size), np.uint8), size
    for character in text:
        pixels, left, top, advance = letter(os.path.join(fonts, name), size, character)
        rows, columns = pixels.shape
        part = canvas[2 * size - top:2 * size - top + rows, pen + left:pen + left + columns]
        np.maximum(part, pixels, out=part)
        pen += advance
    ink = np.argwhere(canvas > 60)
    (top, left), (bottom, right) = ink.min(axis=0), ink.max(axis=0) + 1
    return canvas[top:bottom, left:right]


def find_text(pixels, text, fonts, within=None):
    """The middles of all places where it stands, from the top down. `pixels`: rows of BGR; `within`: slices of rows and of
    columns."""
    rows, columns = within or (slice(None), slice(None))
    part = cv2.cvtColor(pixels[rows, columns].astype(np.uint8), cv2.COLOR_BGR2GRAY)
    found = []  # (how alike, x, y)
    for style in FONTS:
        wanted = drawn(fonts, text, style)
        if part.shape[0] < wanted.shape[0] or part.shape[1] < wanted.shape[1]:
            continue
        # Dark letters on a light ground are as good. Where nothing is drawn, likeness is no number.
        alike = np.abs(np.nan_to_num(cv2.matchTemplate(part, wanted, cv2.TM_CCOEFF_NORMED), posinf=0, neginf=0))
        found += [(alike[y, x], (columns.start or 0) + x + wanted.shape[1] // 2, (rows.start or 0) + y + wanted.shape[0] // 2)
                  for y, x in np.argwhere(alike > ALIKE).tolist()]
    places = []
    for _, x, y in sorted(found, reverse=True):
        if all(abs(x - other_x) > 3 or abs(y - other_y) > 3 for other_x, other_y in places):
            places.append((x, y))
    return sorted(places, key=lambda place: (place[1], place[0]))
