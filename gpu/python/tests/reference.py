"""Exact tables of NumPy, for the tests: cumsum of integers as wide as they come."""
import numpy as np

TYPES = {  # of satscope: the image's and the sums'
    "u8_u32": (np.uint8, np.uint32),
    "u8_f32": (np.uint8, np.float32),
    "u32_u32": (np.uint32, np.uint32),
    "f32_f32": (np.float32, np.float32),
    "f64_f64": (np.float64, np.float64),
    "u8_u64": (np.uint8, np.uint64),
    "u16_u32": (np.uint16, np.uint32),
    "u16_u64": (np.uint16, np.uint64),
    "u8_f64": (np.uint8, np.float64),
    "f32_f64": (np.float32, np.float64),
    "u8_u64_plain": (np.uint8, np.uint64),
    "u16_u64_squares": (np.uint16, np.uint64),
    "f32_f64_squares": (np.float32, np.float64),
}
SQUARES = ("u8_u64", "u16_u64_squares", "f32_f64_squares")
USUAL = tuple(TYPES)[:6]  # of every algorithm


def random_image(shape, dtype, seed=7):
    """Pixels whose sums no type rounds: whole numbers, small for floats."""
    high = {np.uint8: 256, np.uint16: 2**16, np.uint32: 2**32, np.int32: 2**31}.get(dtype, 8)
    return np.random.default_rng(seed).integers(0, high, shape, dtype=np.uint64).astype(dtype)


def table_of(image, sums, padded=False, squares=False):
    """Of the last two axes."""
    whole = image.astype(np.uint64)
    whole = whole * whole if squares else whole
    table = whole.cumsum(-2, dtype=np.uint64).cumsum(-1, dtype=np.uint64)
    if padded:
        table = np.pad(table, [(0, 0)] * (table.ndim - 2) + [(1, 0), (1, 0)])
    return table.astype(sums)


def boxes_of(shape, count=500, seed=5):
    """x, y, width, height: inside, partly and wholly outside, empty, with negative sides."""
    high, wide = shape
    random = np.random.default_rng(seed)
    boxes = np.stack([random.integers(-side // 2, side * 3 // 2 + 1, count) for side in (wide, high)]
                     + [random.integers(-2, side + 3, count) for side in (wide, high)], 1)
    boxes[:4] = [[0, 0, wide, high], [0, 0, 1, 1], [wide - 1, high - 1, 1, 1], [-3, -3, wide + 6, high + 6]]
    return boxes


def tilted_table_of(image, sums, padded=False):
    """By loops over the pixels; of the last two axes."""
    high, wide = image.shape[-2:]
    x, y = np.meshgrid(np.arange(wide + padded) - padded, np.arange(high + padded) - padded)
    table = np.zeros((*image.shape[:-2], *x.shape), np.uint64)
    for j in range(high):
        for i in range(wide):
            table += np.where((j <= y) & (np.abs(i - x) <= y - j), image[..., j, i, None, None].astype(np.uint64), np.uint64(0))
    return table.astype(sums)


def tilted_sums_of(image, boxes, sums):
    high, wide = image.shape[-2:]
    i, j = np.meshgrid(np.arange(wide), np.arange(4 * high + 4 * wide))  # and what lies below the image
    found = []
    for x, y, width, height in boxes.tolist():
        along, across = (j - y) + (i - x + 1), (j - y) - (i - x + 1)
        inside = (along >= 0) & (along < 2 * width) & (across >= 0) & (across < 2 * height)
        if inside[high:].any():
            found.append(np.full(image.shape[:-2], -1))
        else:
            found.append((image * inside[:high]).sum((-2, -1), dtype=np.int64))
    return np.stack(found, -1).astype(sums)


def sums_of(image, boxes, sums):
    """By a loop over boxes; of the last two axes."""
    found = []
    for x, y, width, height in boxes.tolist():
        part = image[..., max(y, 0):max(y + height, 0), max(x, 0):max(x + width, 0)]
        found.append(part.astype(np.uint64).sum((-2, -1), dtype=np.uint64))
    return np.stack(found, -1).astype(sums)
