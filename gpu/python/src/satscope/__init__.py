"""Summed area tables (integral images) on NVIDIA GPUs, on the CPU, and on a simulated GPU.

    table = satscope.integral(image)          # table[y, x] = image[:y+1, :x+1].sum()
    sums = satscope.box_sum(table, boxes)     # of any rectangles: boxes[i] = x, y, width, height
    blurred = satscope.box_filter(image, 15)  # the mean of a window around every pixel
    plan = satscope.Plan(image)               # for loops: plan(image, out=table)
    table = satscope.cv.integral(image)       # as cv2.integral(image)

Arrays of NumPy, CuPy, PyTorch, JAX and every library with DLPack are taken as they are, on their own device and on their
library's current stream, and the same kind comes back. Strided rows are taken, too; nothing is copied unless copy=True asks for it.

Arrays of the host are computed on the CPU, those of a GPU there; gpu_is_missing() says why there is none. The GPU's algorithms also
run on a simulated GPU: device="simulated", and simulate(), which counts what they do. algorithms() lists them, each with its paper,
and race() times them. judge() says whether a kernel of your own is right, and load() makes it one of the algorithms.

Errors: TypeError for objects that are not arrays or have another type, ValueError for shapes and layouts, satscope.Error for
everything else. Each says the cause and the next step in one line.
"""

import atexit as _atexit
import os as _os
import shutil as _shutil
import sys as _sys
import tempfile as _tempfile
from dataclasses import dataclass as _dataclass
from typing import Any

from . import _core
from ._core import Error, Plan

__version__ = _core.__version__
__all__ = ["Algorithm", "Error", "Plan", "Result", "Verdict", "algorithms", "box_filter", "box_sum", "cv", "gpu_is_missing",
           "integral", "judge", "load", "race", "simulate"]

Error.__module__ = Plan.__module__ = "satscope"
Error.__doc__ = "What is wrong, and what to do about it, in one line."
_os.register_at_fork(after_in_child=_core.forget_in_child)


@_dataclass(frozen=True)
class Algorithm:
    """A published way to compute a summed area table. Its name is what `algorithm=` takes, and so is the whole object.

    paper: authors, title, section; year: of the paper. idea: one sentence.
    device: "cuda" (the simulated GPU runs these too) or "host".
    reads, writes: of global memory per pixel, as the paper counts: "1", "2".
    repeatable: whether a floating-point table is the same, bit for bit, in every run.
    types: of pixels and sums, "u8_u32". parameters: what each name does.
    unavailable: why it cannot run here although its device is there; empty: it can.
    """

    name: str
    year: int
    paper: str
    idea: str
    device: str
    reads: str
    writes: str
    repeatable: bool
    types: tuple[str, ...]
    parameters: dict[str, str]
    unavailable: str

    def __str__(self) -> str:
        return self.name


def integral(
    image: Any,
    algorithm: str | Algorithm | None = None,
    parameters: str | dict[str, Any] | None = None,
    dtype: Any = None,
    padded: bool = False,
    out: Any = None,
    stream: Any = None,
    device: str | None = None,
    copy: bool = False,
    *,
    squares: bool = False,
    layout: str | None = None,
    tilted: bool = False,
) -> Any:
    """The summed area table of an image: table[y, x] is the sum of image[j, i] for all j <= y, i <= x.

    image: an array of NumPy, CuPy, PyTorch, JAX or another library with DLPack, of the shape
        (H, W), (..., H, W), one table per plane, or (H, W, C), one per channel. Three axes are (H, W, C) if the last has at most
        4 elements, otherwise (N, H, W); layout="NHW" or "HWC" says which. uint8, bool, uint16, uint32, int32, float32 or float64.
    algorithm: one of algorithms() of the array's device; None: the one that is usually the fastest.
    parameters: of the algorithm, "W=64 rows=8" or {"W": 64, "rows": 8}.
    dtype: of the sums. uint8 and uint16 images have uint32 (PyTorch: int32), int32, uint64 and int64, those of uint8 also float32
        and float64; float32 images have float32 and float64; the others have their own type.
    padded: the table has a row and a column more, the first ones, of zeros: table[y, x] is the sum of image[:y, :x].
    out: the table's memory, of the right shape and type on the same device; it is returned. None: a new array.
    stream: a stream of CuPy, PyTorch, Numba or cuda.core, or its handle; None: the current one of the array's library. The work
        is queued on it, copies too, and a new table is of its memory. The call waits for the GPU only where it makes a plan (see
        below), and for arrays that have DLPack alone, of JAX and others: without a stream, and where they are copied.
    device: None: the array's. "simulated" runs an algorithm of the GPU on the CPU, for arrays in the host's memory. "host" and "cuda"
        only make sure where the array is: nothing is moved.
    copy: copies an image whose layout cannot be taken, for example one that is mirrored, instead of raising ValueError. Channels
        that lie next to each other in every pixel are taken as they are on a GPU, by what a plan chooses, one_wave and scanrow_column,
        if none is left out; otherwise they are separated first. Their table is one plane per channel.
    squares: sums the squares of the pixels: of uint8 and uint16 as uint64 or int64, of float32 as float64.
    tilted: sums of triangles instead, for features that are rotated by 45 degrees, of uint8 images: table[y, x] is the sum of
        image[j, i] for j <= y, |i - x| <= y - j; padded, it is OpenCV's third table (cv.integral3()). It has one algorithm.

    Integer sums are exact modulo 2^32 (2^64), so that the difference of four entries is exact if the box's sum fits. A floating-point
    sum differs from the exact one by at most (H + W + 64) * epsilon * (the sum of the absolute values).

    The first call with a shape, type and stream makes a plan: it allocates memory, loads kernels and runs once, which waits for all
    that the GPU has been given. Later calls use the plan again. Eight are kept; to drop one waits in the same way. A satscope.Plan
    avoids both. Every thread may call it; the GIL is released.

    Raises TypeError (no array, other element types), ValueError (shapes, layouts, devices), satscope.Error (no such algorithm or
    parameter, no memory, an error of CUDA).

    Source: F. Crow, Summed-area tables for texture mapping, SIGGRAPH 1984; those of the algorithms: algorithms(). Tilted tables:
    R. Lienhart and J. Maydt, An extended set of Haar-like features for rapid object detection, ICIP 2002.
    """
    return _core.integral(image, algorithm, parameters, dtype, padded, out, stream, device, copy, squares, layout, tilted)


def box_sum(
    table: Any,
    boxes: Any,
    padded: bool = False,
    out: Any = None,
    stream: Any = None,
    device: str | None = None,
    copy: bool = False,
    *,
    layout: str | None = None,
    tilted: bool = False,
) -> Any:
    """The sums of the pixels of many boxes, from the table of their image: four entries each, all at once.

    >>> table = satscope.integral(image)
    >>> satscope.box_sum(table, [[x, y, width, height]])    # [image[y : y + height, x : x + width].sum()]

    table: of integral(), cv.integral() or another library, (H, W), (..., H, W) or (H, W, C): uint32, int32, float32, float64, uint64
        or int64.
    boxes: an array (N, 4) of int32 or int64 on the table's device, or a list for a table on the host. Each is x, y, width, height,
        as OpenCV's rectangles: the pixels x <= i < x + width, y <= j < y + height. What lies outside the image counts as zero, so
        that no box is wrong: the sum of one that is empty, has a negative width or height, or lies outside is 0.
    padded: the table has a row and a column of zeros first, as that of integral(image, padded=True) and of OpenCV.
    out: the memory of the sums; None: a new array.
    stream, device, copy, layout: as for integral().
    tilted: the table is a tilted one, and boxes are rotated by 45 degrees, as those of OpenCV's cascades: the 2 width height pixels
        (i, j) with 0 <= (j - y) + (i - x + 1) < 2 width, 0 <= (j - y) - (i - x + 1) < 2 height, of which (x - 1, y) is the highest.
        If pixels of a box lie below the image, in one of its columns, the table does not have the sum: it is the greatest unsigned
        number (-1 of signed types), or NaN.

    Returns the sums, of the table's type: (N,) for a table (H, W), (..., N) for (..., H, W), and (N, C) for (H, W, C).

    Integer sums that fit are exact, even if the table has wrapped around. A floating-point sum has the errors of four entries, which
    are those of whole images: for small boxes far from the first pixel take float64.

    Raises TypeError, ValueError and satscope.Error as integral() does.

    Source: F. Crow, Summed-area tables for texture mapping, SIGGRAPH 1984.
    """
    return _core.box_sum(table, boxes, padded, out, stream, device, copy, layout, tilted)


def algorithms(device: str | None = None, type: str | None = None) -> list[Algorithm]:
    """The algorithms, sorted by name: those of a device ("host", "cuda", "simulated") and for a type ("u8_u32") if they are named.

    >>> [a.name for a in satscope.algorithms("host")]
    ['host_ehsan', 'host_parallel', 'host_serial', 'host_wavefront']

    Raises TypeError and ValueError: no such device or type.
    """
    return [Algorithm(**entry) for entry in _core.algorithms(device, type)]


def gpu_is_missing() -> str | None:
    """None if there is a GPU on which satscope computes; otherwise why there is none, in one line."""
    return _core.why_no_gpu()


@_dataclass(frozen=True)
class Result:
    """One line of race(). microseconds: the median; infinite if the algorithm did not run. least: the shortest run.

    problem: why it did not run; empty: it did.
    """

    algorithm: str
    microseconds: float
    least: float
    problem: str


def race(image: Any, device: str | None = None, runs: int = 20, padded: bool = False) -> list[Result]:
    """Every algorithm of the image's device on this image, the fastest first: the medians of `runs` runs in microseconds.

    On a GPU the times are the GPU's, by events. device="simulated" races the GPU's algorithms on the CPU, which says nothing about
    a GPU: simulate() counts what they do there. The image: as for integral().

    Returns one Result per algorithm. What goes wrong with one of them is its `problem`; TypeError and ValueError are those of the
    image, as for integral().
    """
    results = []
    for entry in algorithms(device or Plan(image).device):
        try:
            if entry.unavailable:
                raise Error(entry.unavailable)
            times = sorted(Plan(image, algorithm=entry.name, device=device, padded=padded).time(image, runs=runs))
            results.append(Result(entry.name, times[len(times) // 2], times[0], ""))
        except Error as error:
            results.append(Result(entry.name, float("inf"), float("inf"), str(error)))
    return sorted(results, key=lambda result: result.microseconds)


def simulate(
    algorithm: str | Algorithm,
    image: Any,
    type: str | None = None,
    parameters: str | dict[str, Any] | None = None,
    width: int = 32,
    latency: int = 400,
    blocks: int = 264,
    seed: int | None = None,
) -> dict[str, Any]:
    """Runs an algorithm of the GPU on the simulated one, observes every memory access, and returns what it counted.

    image: an array (H, W), or a shape (H, W) with `type`. Only its shape and type count: the pixels of the run are random.
    type: "u8_u32" and so on; of a shape: f32_f32 if it is not named.
    width, latency: of Nakano's memory machines. blocks: how many are resident at once. seed: of a random order of blocks and warps;
        None: they run in order.

    The dictionary has, among others:
        equal                   whether the table was right
        launches                kernels and clears
        read_bytes_per_pixel, written_bytes_per_pixel, read_sectors_per_pixel, written_sectors_per_pixel
                                of global memory; sectors of 32 bytes
        sectors_written_in_part_per_pixel   of which an instruction did not write all bytes
        coalescing, bank_conflict_factor, barriers_per_pixel, shuffles_per_pixel, atomics_per_pixel, polls_per_pixel
        races                   unordered accesses, of which one writes: [{"what", "first", "second", "times"}]
        umm_units, dmm_umm_units    time on the unified memory machine, and with a discrete one per block
        formula, formula_units  the paper's bound, if it has one

    An image of a million pixels takes seconds and hundreds of megabytes.

    Raises TypeError, ValueError (no single image, a width that is not 4, 8, 16 or 32), satscope.Error (no such algorithm of a GPU, no
    simulated GPU, a fault of the kernel).

    Source: K. Nakano, Simple memory machine models for GPUs, International Journal of Parallel, Emergent and Distributed Systems
    29(1), 2014.
    """
    return _core.simulate(algorithm, image, type, parameters, width, latency, blocks, seed)


@_dataclass(frozen=True)
class Verdict:
    """What judge() found out about a file. It is true if the file is right: `assert satscope.judge("mine.cu")`.

    name: of the algorithm, the file's without its ending. outcome: "right", "wrong" or "does not compile".
    sentence: the outcome in one line, "wrong: a data race".
    where: it went wrong, "257x1, image stride 260, 8u32u, random:3"; empty: nowhere.
    fault: what the simulated GPU, or the system, said: "out of bounds: a load of 4 bytes ... (mine.cu:14)".
    wrong: the first entry that is wrong, or None: {"x", "y", "expected", "got", "count"}, numbers as text, and a part of the table
        around it, {"left", "top", "around_expected", "around_got"}, a list per row.
    races: [{"what", "first_file", "first_line", "second_file", "second_line", "times"}].
    messages: of the compilers, errors first: [{"severity", "file", "line", "column", "text"}].
    traffic: {"shape", "launches", "read_bytes_per_pixel", "written_bytes_per_pixel", "read_sectors_per_pixel",
        "written_sectors_per_pixel"} of one table, or None: it was not counted.
    lines: the same by line of the file, in all: [{"file", "line", "read_bytes", "read_sectors", "written_bytes", "written_sectors",
        "shared_bytes", "bank_conflicts", "barriers", "barrier_waits", "atomics"}].
    deterministic: floating-point tables are the same in every order. tables: that were compared.
    microseconds, bound_microseconds: on a GPU, with timed=True: of one table, and of reading the image and writing the table once.
    seconds: that compiling and judging took.
    """

    name: str
    outcome: str
    sentence: str
    where: str
    fault: str
    wrong: dict[str, Any] | None
    races: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    traffic: dict[str, Any] | None
    lines: list[dict[str, Any]]
    deterministic: bool
    tables: int
    microseconds: float | None
    bound_microseconds: float | None
    seconds: float

    def __bool__(self) -> bool:
        return self.outcome == "right"


def _child() -> list[str]:
    """The words that start Python again as the child of a judge, with this very module."""
    if not _sys.executable:
        raise Error("sys.executable is empty: judge() and load() try kernels in another process of Python, and it names the program")
    folder = _os.path.dirname(_os.path.dirname(_os.path.abspath(__file__)))
    return [_sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {folder!r}); import satscope; satscope._judge_child()"]


def _judge_child() -> None:
    _sys.stdout.flush()
    _core.judge_child([_os.fsencode(word) for word in _sys.argv[1:]])


def judge(
    file: str | _os.PathLike[str],
    *,
    seconds: float = 10,
    memory_bytes: int = 4 << 30,
    sizes: list[tuple[int, int]] | tuple[tuple[int, int], ...] = (),
    timed: bool = False,
    seed: int = 1,
) -> Verdict:
    """Whether a kernel of your own is right: a file in CUDA C++ that defines run(Image, Table), as the manual describes it.

    >>> verdict = satscope.judge("mine.cu")
    >>> verdict.outcome, verdict.sentence
    ('wrong', 'wrong: a data race')

    file: a str or a path. It is compiled for the simulated GPU, with g++, and for the GPU where there are one and an nvcc.
    seconds: that it may run. memory_bytes: that it may take. Both are limits: what the file does cannot be relied on.
    sizes: shapes (H, W) for which it must be right, too, besides those from (1, 1) on that are always tried.
    timed: on a GPU, also how long a table takes. seed: of the pixels and of the random schedules.

    It runs in a process of its own, which may crash or hang. That process has your rights: this is no protection against malice.

    Returns a Verdict. It does not raise for what the file does. Raises TypeError, ValueError and satscope.Error, which says what is
    missing: a compiler, the simulated GPU or its headers.
    """
    with _tempfile.TemporaryDirectory(prefix="satscope-", ignore_cleanup_errors=True) as folder:
        return Verdict(**_core.judge(file, folder, _child(), seconds, memory_bytes, sizes, timed, seed))


_folder_of_libraries: list[str] = []


def _remove_libraries(process: int) -> None:
    if _os.getpid() == process:  # not in a child
        _shutil.rmtree(_folder_of_libraries[0], ignore_errors=True)


def load(file: str | _os.PathLike[str]) -> str:
    """Makes a kernel of your own one of the algorithms, and returns its name, which is that of the file without its ending.

    >>> name = satscope.load("mine.cu")
    >>> table = satscope.integral(image, name, device="simulated")
    >>> satscope.simulate(name, (256, 256))["read_bytes_per_pixel"]

    The name is taken wherever that of an algorithm is: integral(), Plan, simulate(). Arrays in the host's memory need
    device="simulated", as with every algorithm of a GPU. Those of a GPU need an nvcc, which compiles the file for it.

    Before, it is tried in a process of its own, as judge() does it, but more briefly. Loading a file again takes its present version;
    a Plan keeps the version with which it was made.

    Raises satscope.Error where the file does not compile, is wrong, is an effect, has the name of another algorithm, or where a
    compiler, the simulated GPU or its headers are missing.
    """
    if not _folder_of_libraries:
        _folder_of_libraries.append(_tempfile.mkdtemp(prefix="satscope-"))
        _atexit.register(_remove_libraries, _os.getpid())
    return _core.load(file, _folder_of_libraries[0], _child())


def box_filter(
    image: Any,
    size: int | tuple[int, int],
    border: str = "reflect101",
    out: Any = None,
    stream: Any = None,
    copy: bool = False,
) -> Any:
    """The mean of a window around every pixel, rounded, at a cost that does not depend on the window.

    image, out, stream, copy: as for integral(); uint8. size: of the window, one number or (width, height), at most 2047.
    A side of 0 is automatic: 15, less where that side of the image is shorter.
    border: what lies outside the image: "reflect101", "reflect", "replicate", "constant" (zeros), or "clip": the mean of the pixels
    inside.

    Returns uint8 of the image's shape: `out`, or a new array.

    For odd windows it is cv2.blur(image, size), bit for bit; even windows have the correctly rounded mean.

    Raises TypeError (other elements), ValueError (the window, the border, the layout) and satscope.Error as integral() does.

    Source: F. Crow, Summed-area tables for texture mapping, SIGGRAPH 1984.
    """
    return _core.box_filter(image, size, border, out, stream, copy)


from . import cv  # noqa: E402  (it uses what is above)
