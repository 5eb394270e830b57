"""PNG files of 8-bit colours or gray levels, read and written with NumPy alone."""
import struct
import zlib

import numpy

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GRAY, RGB, NO_INTERLACE = 0, 2, 0
CHANNELS = {GRAY: 1, RGB: 3}


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(path, pixels):
    """`pixels`: rows of RGB."""
    height, width, _ = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, RGB, 0, 0, NO_INTERLACE)
    rows = numpy.zeros((height, 1 + 3 * width), numpy.uint8)  # each begins with its filter: none
    rows[:, 1:] = pixels.reshape(height, -1)
    with open(path, "wb") as file:
        file.write(SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes())) + chunk(b"IEND", b""))


def chunks(data):
    at = len(SIGNATURE)
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        yield kind, data[at + 8:at + 8 + length]
        at += 12 + length


def nearest(left, above, corner):
    """Paeth's predictor: which of the three is nearest to left + above - corner."""
    to_left, to_above, to_corner = abs(above - corner), abs(left - corner), abs(left + above - 2 * corner)
    if to_left <= to_above and to_left <= to_corner:
        return left
    return above if to_above <= to_corner else corner


def unfiltered(kind, row, above, channels):
    """A row of bytes; `above`: the one before it."""
    row, above = row.tolist(), above.tolist()
    for i in range(len(row)):
        left, corner = (row[i - channels], above[i - channels]) if i >= channels else (0, 0)
        predicted = (0, left, above[i], (left + above[i]) // 2, nearest(left, above[i], corner))[kind]
        row[i] = row[i] + predicted & 255
    return numpy.array(row, numpy.uint8)


def read_png(path):
    """Rows of RGB, of gray levels too."""
    with open(path, "rb") as file:
        data = file.read()
    parts = list(chunks(data))
    width, height, depth, colours, _, _, interlace = struct.unpack(">IIBBBBB", dict(parts)[b"IHDR"])
    if depth != 8 or colours not in CHANNELS or interlace != NO_INTERLACE:
        raise ValueError(f"{path}: only 8-bit RGB and gray levels without interlace can be read")
    channels = CHANNELS[colours]
    packed = b"".join(content for kind, content in parts if kind == b"IDAT")
    rows = numpy.frombuffer(zlib.decompress(packed), numpy.uint8).reshape(height, 1 + channels * width)
    pixels = numpy.zeros((height + 1, channels * width), numpy.uint8)
    for y, row in enumerate(rows):
        pixels[y + 1] = unfiltered(row[0], row[1:], pixels[y], channels)
    return numpy.repeat(pixels[1:].reshape(height, width, channels), 3 // channels, axis=2)
