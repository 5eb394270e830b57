"""OpenCV's integral(), by satscope: the same arguments, shapes, types and values, for arrays of every library.

    sums = satscope.cv.integral(image)                      # cv2.integral(image)
    sums, squares = satscope.cv.integral2(image)            # cv2.integral2(image)
    sums, squares, tilted = satscope.cv.integral3(image)    # cv2.integral3(image)

Tables have a row and a column of zeros first, so that table[y, x] is the sum of image[:y, :x]. Images are (H, W) or (H, W, C), of
uint8, float32 or float64.

Unsupported types of images raise TypeError, invalid depths ValueError, and everything else satscope.Error, as satscope.integral().
Source: F. Crow, Summed-area tables for texture mapping, SIGGRAPH 1984.
"""

from typing import Any

from . import _core

__all__ = ["integral", "integral2", "integral3"]

_depths = {4: "int32", 5: "float32", 6: "float64"}  # CV_32S, CV_32F, CV_64F


def _type_name(array: Any) -> str:
    if not hasattr(array, "dtype"):
        raise TypeError(f"an image is an array of NumPy or another library, not {type(array).__name__}: numpy.asarray() makes one")
    return str(array.dtype).removeprefix("torch.")


def _as(array: Any, dtype: str) -> Any:
    if _type_name(array) == dtype:
        return array
    if hasattr(array, "astype"):
        return array.astype(dtype)
    return array.to(getattr(__import__("torch"), dtype))


def _depth(image: Any, depth: Any, argument: str = "sdepth") -> str:
    if isinstance(depth, int) and depth == -1:
        return "int32" if _type_name(image) == "uint8" else "float64"
    name = _depths.get(depth) if isinstance(depth, int) else depth
    if not isinstance(name, str) or name not in _depths.values():
        raise ValueError(f"{argument}: -1, 4 (int32), 5 (float32) or 6 (float64), not {' '.join(repr(depth).split())}")
    return name


def _table(image: Any, depth: str) -> Any:
    pixels = _type_name(image)
    if pixels not in ("uint8", "float32", "float64"):
        raise TypeError(f"OpenCV's integral() takes images of uint8, float32 and float64, not {pixels}")
    if depth == "int32" and pixels != "uint8":
        raise TypeError(f"int32 sums are of uint8 images, not of {pixels}")
    if pixels == "float64":  # sums of doubles, as OpenCV's
        return _as(_core.integral(image, padded=True, copy=True), depth)
    return _core.integral(image, dtype=depth, padded=True, copy=True)


def integral(image: Any, sdepth: int | str = -1) -> Any:
    """cv2.integral(image): the sums, of int32 for uint8 images, otherwise of float64. sdepth: 4 (int32), 5 (float32), 6 (float64)."""
    return _table(image, _depth(image, sdepth))


def integral2(image: Any, sdepth: int | str = -1, sqdepth: int | str = -1) -> tuple[Any, Any]:
    """cv2.integral2(image): the sums, and the sums of the squared pixels (float64; sqdepth=5: float32)."""
    depth = "float64" if isinstance(sqdepth, int) and sqdepth == -1 else _depth(image, sqdepth, "sqdepth")
    if depth == "int32":
        raise ValueError("sqdepth: 5 (float32) or 6 (float64)")
    sums = integral(image, sdepth)
    if _type_name(image) == "uint8":  # exact
        return sums, _as(_core.integral(image, padded=True, copy=True, squares=True), depth)
    if _type_name(image) == "float32":
        return sums, _as(_core.integral(image, padded=True, copy=True, squares=True), depth)
    return sums, _as(_core.integral(image * image, padded=True, copy=True), depth)


def integral3(image: Any, sdepth: int | str = -1, sqdepth: int | str = -1) -> tuple[Any, Any, Any]:
    """cv2.integral3(image): also the table that is tilted by 45 degrees, of the sums' type; of uint8 images (H, W).

    tilted[y, x] is the sum of the pixels (i, j) with j < y and |i - x + 1| <= y - j - 1.
    Source: R. Lienhart and J. Maydt, An extended set of Haar-like features for rapid object detection, ICIP 2002.
    """
    if _type_name(image) != "uint8" or image.ndim != 2:
        raise TypeError("the tilted table needs a uint8 image (H, W)")
    sums, squares = integral2(image, sdepth, sqdepth)
    tilted = _core.integral(image, dtype="int32", padded=True, copy=True, tilted=True)
    return sums, squares, _as(tilted, _depth(image, sdepth))
