"""Exact tables of NumPy, for the tests: cumsum of integers as wide as they come."""
import numpy as np

TYPES = {  # of satscope: the image's and the sums'
    "u8_u32": (np.uint8, np.uint32),
    "u8_f32": (np.uint8, np.float32),
    "u32_u32": (np.uint32, np.uint32),
    "f32_f32": (np.float32, np.float32),
    "f64_f64": (np.float64, np.float64),
    "u8_u64": (np.uint8, np.uint64),
}


def random_image(shape, dtype, seed=7):
    """Pixels whose sums no type rounds: whole numbers, small for floats."""
    high = {np.uint8: 256, np.uint32: 2**32, np.int32: 2**31}.get(dtype, 8)
    return np.random.default_rng(seed).integers(0, high, shape, dtype=np.uint64).astype(dtype)


def table_of(image, sums, padded=False, squares=False):
    """Of the last two axes."""
    whole = image.astype(np.uint64)
    whole = whole * whole if squares else whole
    table = whole.cumsum(-2, dtype=np.uint64).cumsum(-1, dtype=np.uint64)
    if padded:
        table = np.pad(table, [(0, 0)] * (table.ndim - 2) + [(1, 0), (1, 0)])
    return table.astype(sums)
