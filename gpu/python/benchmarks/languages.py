#!/usr/bin/env python3
"""One algorithm in several languages: the two of A. Bugetti, Integral Image with CUDA (2024), who compares CUDA C++, PyCUDA
and Numba, beside satscope's own versions of them, its fastest algorithm, and two cumsums.

    python languages.py [--sizes 1024 2048 4096 8192] [--sections 256 512] [--rows 8 16] [--samples 30] [--csv F] [--plot F]

Both scan the rows, transpose, scan the rows again and transpose back, in uint32. naive: a thread per row. single pass: a block
scans one section of one row (Kogge and Stone), and takes the sum of what lies to the left from its neighbour. section: pixels,
and threads, per block; of the naive version, rows per block. rows: threads down a tile of 32 x 32 of the transpose. Unlike the
paper's, the naive version leaves the image as it is, and the single pass clears its flags in a kernel that is timed with it.

Every table is compared with an exact one of NumPy, before and after it is timed; at first its memory is filled with ones. Times
are the GPU's by CUDA events, medians. A kernel keeps the GPU busy while `--batch` tables are queued, so that no language waits
for its launches; what queueing one table costs on the CPU is a column of its own. All run on the default stream, timed by the
events of one library. The image is the same in all runs: small ones stay in the L2 cache. What is not installed is left out, and
named. NUMBA_ENABLE_CUDASIM=1 runs the Numba version on Numba's simulator, without a GPU; its times mean nothing.
"""

from __future__ import annotations

import argparse
import csv
import functools
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

TILE = 32
# Milliseconds of the paper's tables 1, 3, 5, 6 for section 256 and rows 8: an RTX 3060 Ti.
PAPER = {
    ("naive", "CUDA C++"): {1024: 0.851717, 2048: 1.75311, 4096: 3.84416, 8192: 12.1023},
    ("single pass", "CUDA C++"): {1024: 0.135548, 2048: 0.524591, 4096: 2.1066, 8192: 8.37909},
    ("single pass", "PyCUDA"): {1024: 0.142801, 2048: 0.592311, 4096: 2.18445, 8192: 8.48956},
    ("single pass", "Numba"): {1024: 0.194961, 2048: 0.654800, 4096: 2.29498, 8192: 8.96984},
}

# PyCUDA and CuPy compile this at run time. What a kernel takes: P, an array; I, a number.
KERNELS = {"hold": "PI", "clear": "PI", "sum_rows": "PPII", "scan_rows": "PPPIII", "transpose": "PPII"}
SOURCE = r"""
// Keeps the GPU busy.
extern "C" __global__ void hold(unsigned* word, unsigned steps) {
  unsigned value = *word;
  for (unsigned i = 0; i < steps; ++i) value = (value * value + 1) & 0xFFFF;
  *word = value;
}

extern "C" __global__ void clear(unsigned* words, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) words[i] = 0;
}

extern "C" __global__ void sum_rows(const unsigned* image, unsigned* sums, unsigned height, unsigned width) {
  const unsigned y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= height) return;
  const unsigned first = y * width;
  sums[first] = image[first];
  for (unsigned x = 1; x < width; ++x) sums[first + x] = sums[first + x - 1] + image[first + x];
}

// words: a flag per block, and `height` more; as many sums; and a ticket, which numbers blocks in the order of their start.
extern "C" __global__ void scan_rows(const unsigned* image, unsigned* sums, unsigned* words, unsigned flags, unsigned height,
                                     unsigned width) {
  __shared__ unsigned scanned[SECTION];
  __shared__ unsigned number, before;
  const unsigned thread = threadIdx.x;
  unsigned* ready = words;
  unsigned* left = words + flags;
  if (thread == 0) number = atomicAdd(words + 2 * flags, 1u);
  __syncthreads();
  const unsigned section = number / height, y = number % height, x = section * SECTION + thread;
  scanned[thread] = x < width ? image[y * width + x] : 0;
  for (unsigned stride = 1; stride < SECTION; stride *= 2) {
    __syncthreads();
    const unsigned other = thread >= stride ? scanned[thread - stride] : 0;
    __syncthreads();
    scanned[thread] += other;
  }
  __syncthreads();
  if (thread == 0) {
    before = 0;
    if (section > 0) {
      while (atomicAdd(&ready[number], 0u) == 0) {}
      __threadfence();
      before = atomicAdd(&left[number], 0u);
    }
    left[number + height] = before + scanned[SECTION - 1];
    __threadfence();
    atomicAdd(&ready[number + height], 1u);
  }
  __syncthreads();
  if (x < width) sums[y * width + x] = scanned[thread] + before;
}

// Blocks go along the diagonals.
extern "C" __global__ void transpose(const unsigned* from, unsigned* to, unsigned height, unsigned width) {
  __shared__ unsigned tile[32][33];
  const unsigned number = blockIdx.x + gridDim.x * blockIdx.y;
  const unsigned row = number % gridDim.y, column = (number / gridDim.y + row) % gridDim.x;
  unsigned x = column * 32 + threadIdx.x, y = row * 32 + threadIdx.y;
  for (unsigned i = 0; i < 32; i += ROWS)
    if (x < width && y + i < height) tile[threadIdx.y + i][threadIdx.x] = from[(y + i) * width + x];
  __syncthreads();
  x = row * 32 + threadIdx.x, y = column * 32 + threadIdx.y;
  for (unsigned i = 0; i < 32; i += ROWS)
    if (x < height && y + i < width) to[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}
"""

Launch = tuple[str, tuple[int, int], tuple[int, int], tuple]  # kernel, grid, block, arguments


class PyCuda:
    name = "PyCUDA"

    def __init__(self):
        import pycuda.autoprimaryctx  # noqa: F401
        from pycuda import compiler, driver

        self.compiler, self.driver = compiler, driver

    def prepare(self, launches: list[Launch], section: int, rows: int) -> list[Callable[[], None]]:
        module = self.compiler.SourceModule(SOURCE, no_extern_c=True, options=[f"-DSECTION={section}", f"-DROWS={rows}"])
        kernels = {name: module.get_function(name).prepare(types) for name, types in KERNELS.items()}
        return [lambda call=kernels[name].prepared_call, these=(grid, (*block, 1), *arguments): call(*these)
                for name, grid, block, arguments in launches]

    def upload(self, array: np.ndarray) -> Any:
        return self.driver.to_device(array)

    def download(self, memory: Any, shape: tuple[int, int]) -> np.ndarray:
        return self.driver.from_device(memory, shape, np.uint32)

    def record(self) -> Any:
        return self.driver.Event().record()

    def milliseconds(self, begin: Any, end: Any) -> float:
        end.synchronize()
        return begin.time_till(end)


class CuPy:
    name = "CuPy RawModule"

    def __init__(self):
        import cupy

        self.cupy = cupy

    def prepare(self, launches: list[Launch], section: int, rows: int) -> list[Callable[[], None]]:
        module = self.cupy.RawModule(code=SOURCE, options=(f"-DSECTION={section}", f"-DROWS={rows}"))
        kernels = {name: module.get_function(name) for name in KERNELS}
        typed = [(kernels[name], grid, block, tuple(np.uint32(a) if isinstance(a, int) else a for a in arguments))
                 for name, grid, block, arguments in launches]
        return [lambda kernel=kernel, these=tuple(these): kernel(*these) for kernel, *these in typed]

    def upload(self, array: np.ndarray) -> Any:
        return self.cupy.asarray(array)

    def download(self, memory: Any, shape: tuple[int, int]) -> np.ndarray:
        return memory.get().reshape(shape)

    def record(self) -> Any:
        event = self.cupy.cuda.Event()
        event.record()
        return event

    def milliseconds(self, begin: Any, end: Any) -> float:
        end.synchronize()
        return self.cupy.cuda.get_elapsed_time(begin, end)


class Numba:
    name = "Numba"

    def __init__(self):
        global cuda, uint32  # there the simulator looks for what it replaces
        from numba import cuda, uint32

        self.cuda = cuda

    @functools.cache  # compiled once for all sizes
    def kernels(self, section_size: int, tile_rows: int) -> dict[str, Any]:
        tile_size, padded_tile = TILE, TILE + 1

        @cuda.jit
        def hold(word, steps):
            value = word[0] & 0xFFFF  # signed: Numba adds uint64 and int64 as floats
            for _ in range(steps):
                value = (value * value + 1) & 0xFFFF
            word[0] = value

        @cuda.jit
        def clear(words, count):
            i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
            if i < count:
                words[i] = 0

        @cuda.jit
        def sum_rows(image, sums, height, width):
            y = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
            if y < height:
                first = y * width
                sums[first] = image[first]
                for x in range(1, width):
                    sums[first + x] = sums[first + x - 1] + image[first + x]

        @cuda.jit
        def scan_rows(image, sums, words, flags, height, width):
            scanned = cuda.shared.array(section_size, uint32)
            shared = cuda.shared.array(2, uint32)  # the block's number; the sum of what lies to the left
            thread = cuda.threadIdx.x
            if thread == 0:
                shared[0] = cuda.atomic.add(words, 2 * flags, 1)
            cuda.syncthreads()
            number = shared[0]
            section = number // height
            y = number % height
            x = section * section_size + thread
            scanned[thread] = image[y * width + x] if x < width else 0
            stride = 1
            while stride < section_size:
                cuda.syncthreads()
                other = scanned[thread - stride] if thread >= stride else 0
                cuda.syncthreads()
                scanned[thread] += other
                stride *= 2
            cuda.syncthreads()
            if thread == 0:
                shared[1] = 0
                if section > 0:
                    while cuda.atomic.add(words, number, 0) == 0:
                        pass
                    cuda.threadfence()
                    shared[1] = cuda.atomic.add(words, flags + number, 0)
                words[flags + number + height] = shared[1] + scanned[section_size - 1]
                cuda.threadfence()
                cuda.atomic.add(words, number + height, 1)
            cuda.syncthreads()
            if x < width:
                sums[y * width + x] = scanned[thread] + shared[1]

        @cuda.jit
        def transpose(source, goal, height, width):
            tile = cuda.shared.array((tile_size, padded_tile), uint32)
            number = cuda.blockIdx.x + cuda.gridDim.x * cuda.blockIdx.y
            row = number % cuda.gridDim.y
            column = (number // cuda.gridDim.y + row) % cuda.gridDim.x
            x = column * tile_size + cuda.threadIdx.x
            y = row * tile_size + cuda.threadIdx.y
            for i in range(0, tile_size, tile_rows):
                if x < width and y + i < height:
                    tile[cuda.threadIdx.y + i, cuda.threadIdx.x] = source[(y + i) * width + x]
            cuda.syncthreads()
            x = row * tile_size + cuda.threadIdx.x
            y = column * tile_size + cuda.threadIdx.y
            for i in range(0, tile_size, tile_rows):
                if x < height and y + i < width:
                    goal[(y + i) * height + x] = tile[cuda.threadIdx.x, cuda.threadIdx.y + i]

        return {"hold": hold, "clear": clear, "sum_rows": sum_rows, "scan_rows": scan_rows, "transpose": transpose}

    def prepare(self, launches: list[Launch], section: int, rows: int) -> list[Callable[[], None]]:
        kernels = self.kernels(section, rows)
        # The simulator's kernels have one grid at a time: it is named in every call.
        return [lambda kernel=kernels[name], how=(grid, block), these=arguments: kernel[how](*these)
                for name, grid, block, arguments in launches]

    def upload(self, array: np.ndarray) -> Any:
        return self.cuda.to_device(array.ravel())

    def download(self, memory: Any, shape: tuple[int, int]) -> np.ndarray:
        return memory.copy_to_host().reshape(shape)

    def record(self) -> Any:
        event = self.cuda.event()
        event.record()
        return event

    def milliseconds(self, begin: Any, end: Any) -> float:
        end.synchronize()
        return begin.elapsed_time(end)


@dataclass
class Program:
    """One version that is ready to run on one image. It has a table of ones."""

    run: Callable[[], None]
    fetch: Callable[[], np.ndarray]
    note: str = ""


def blocks(length: int, of: int) -> int:
    return -(-length // of)


def scan_transpose(language: Any, image: np.ndarray, section: int, rows: int, single_pass: bool) -> Program:
    height, width = image.shape
    flags = max(blocks(width, section) * height + height, blocks(height, section) * width + width)
    words = language.upload(np.zeros(2 * flags + 1, np.uint32))
    table, scanned = (language.upload(np.full_like(image, 2**32 - 1)) for _ in range(2))
    launches: list[Launch] = []
    source = language.upload(image)
    for h, w in ((height, width), (width, height)):
        if single_pass:
            launches += [("clear", (blocks(2 * flags + 1, 256), 1), (256, 1), (words, 2 * flags + 1)),
                         ("scan_rows", (blocks(w, section) * h, 1), (section, 1), (source, scanned, words, flags, h, w))]
        else:
            launches += [("sum_rows", (blocks(h, section), 1), (section, 1), (source, scanned, h, w))]
        launches += [("transpose", (blocks(w, TILE), blocks(h, TILE)), (TILE, rows), (scanned, table, h, w))]
        source = table
    calls = language.prepare(launches, section, rows)

    def run() -> None:
        for call in calls:
            call()

    return Program(run, lambda: language.download(table, image.shape))


def satscope_plan(image: np.ndarray, algorithm: str | None, parameters: dict[str, Any] | None) -> Program:
    import satscope

    try:
        import cupy

        on_gpu, table, host = cupy.asarray(image), cupy.full(image.shape, 2**32 - 1, np.uint32), lambda: table.get()
    except ImportError:
        import torch

        on_gpu = torch.from_numpy(image.view(np.int32)).cuda()
        table, host = torch.full_like(on_gpu, -1), lambda: table.cpu().numpy().view(np.uint32)
    try:
        plan = satscope.Plan(on_gpu, algorithm=algorithm, parameters=parameters)
    except satscope.Error as error:  # sections that it does not have
        raise NotImplementedError(str(error)) from None
    return Program(lambda: plan(on_gpu, out=table), host, f"{plan.algorithm} {plan.parameters}")


def cupy_cumsums(image: np.ndarray) -> Program:
    import cupy

    on_gpu = cupy.asarray(image)
    held: list[Any] = [None]  # the latest table

    def run() -> None:
        held[0] = on_gpu.cumsum(0, dtype=np.uint32).cumsum(1, dtype=np.uint32)

    return Program(run, lambda: held[0].get())


def torch_cumsums(image: np.ndarray) -> Program:
    import torch

    on_gpu = torch.from_numpy(image.view(np.int32)).cuda()  # it has no sums of uint32; these have the same bits
    held: list[Any] = [None]

    def run() -> None:
        held[0] = on_gpu.cumsum(0, dtype=torch.int32).cumsum(1, dtype=torch.int32)

    return Program(run, lambda: held[0].cpu().numpy().view(np.uint32))


class Clock:
    """Times what is queued on the default stream, with the events of one of the languages: all of them share that stream."""

    def __init__(self, language: Any):
        self.language, word = language, language.upload(np.ones(1, np.uint32))
        prepare = lambda steps: language.prepare([("hold", (1, 1), (1, 1), (word, steps))], 32, 8)[0]  # noqa: E731
        steps, hold = 1 << 16, prepare(1 << 16)
        for _ in range(20 if not simulated() else 1):  # until the GPU runs at its full clock
            begin = language.record()
            hold()
            took = language.milliseconds(begin, language.record())
        self.held = 3.0  # milliseconds
        self.hold = prepare(int(steps * self.held / took) if took else 1)

    def measure(self, program: Program, samples: int, batch: int) -> tuple[float, float]:
        """Of one table: the GPU's milliseconds, and the CPU's microseconds until it is queued. Medians."""
        gpu, cpu = [], []
        for _ in range(samples):
            self.hold()
            begin, start = self.language.record(), time.perf_counter()
            for _ in range(batch):
                program.run()
            cpu.append((time.perf_counter() - start) * 1e6 / batch)
            gpu.append(self.language.milliseconds(begin, self.language.record()) / batch)
        return statistics.median(gpu), statistics.median(cpu)


def simulated() -> bool:
    return os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"


def reason(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def languages() -> list[Any]:
    """Those that are installed, and compile and run here."""
    found = []
    for each in (Numba,) if simulated() else (CuPy, PyCuda, Numba):
        try:
            language = each()
            word = language.upload(np.full((1, 1), 2, np.uint32))
            language.prepare([("hold", (1, 1), (1, 1), (word, 1))], 32, 8)[0]()
            if language.download(word, (1, 1))[0, 0] != 5:
                raise RuntimeError("a kernel computed a wrong number")
            found.append(language)
        except Exception as error:
            print(f"{each.name} is left out: {reason(error)}")
    return found


def versions(found: list[Any], sections: list[int], rows: list[int]) -> dict[tuple, Callable[[np.ndarray], Program]]:
    """(version, language, section, rows): what makes the program of an image."""
    made: dict[tuple, Callable[[np.ndarray], Program]] = {}
    for name, ours, parameter in (("naive", "scan_transpose_naive", "block"), ("single pass", "scan_transpose", "section")):
        for language in found:
            for s in sections:
                for r in rows:
                    made[name, language.name, s, r] = lambda image, of=(language, s, r, name == "single pass"): scan_transpose(
                        of[0], image, *of[1:])
        for s in sections if not simulated() else ():
            for r in rows:
                made[name, "satscope", s, r] = lambda image, of=(ours, {parameter: s, "rows": r}): satscope_plan(image, *of)
    if not simulated():
        made["fastest", "satscope", "", ""] = lambda image: satscope_plan(image, None, None)
        made["two cumsums", "CuPy", "", ""] = cupy_cumsums
        made["two cumsums", "PyTorch", "", ""] = torch_cumsums
    return made


def positive(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


def size_of(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    return positive(width), positive(height or width)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    squares = [(side, side) for side in (1024, 2048, 4096, 8192)]
    parser.add_argument("--sizes", type=size_of, nargs="+", default=squares, help="1024 or 1920x1080")
    parser.add_argument("--sections", type=int, nargs="+", default=[256, 512], choices=[2**i for i in range(2, 11)])
    parser.add_argument("--rows", type=int, nargs="+", default=[8, 16], choices=(4, 8, 16, 32))
    parser.add_argument("--samples", type=positive, default=30)
    parser.add_argument("--batch", type=positive, default=5, help="tables per sample")
    parser.add_argument("--csv", help="a file for all times")
    parser.add_argument("--plot", help="a picture of them (needs matplotlib)")
    options = parser.parse_args()

    found = languages()
    if not found:
        parser.exit(1, "no language can run here; NUMBA_ENABLE_CUDASIM=1 runs the Numba version without a GPU\n")
    clock = Clock(found[0])
    rows, absent, wrong = [], set(), []
    for width, height in options.sizes:
        # The sums fit into uint32: the table is exact.
        image = np.random.default_rng(width).integers(0, min(256, 2**32 // (width * height)), (height, width), dtype=np.uint32)
        expected = image.cumsum(0, dtype=np.uint64).cumsum(1, dtype=np.uint64)
        for version, make in versions(found, options.sections, options.rows).items():
            if version[1] in absent:
                continue
            what = f"{version[0]}, {version[1]}, {version[2]}, {version[3]}, {width}x{height}"
            try:
                program = make(image)
                program.run()
                right = np.array_equal(program.fetch(), expected)
                times = clock.measure(program, options.samples, options.batch)
                right = right and np.array_equal(program.fetch(), expected)
            except ImportError as error:
                absent.add(version[1])
                print(f"{version[1]} is left out: {reason(error)}")
                continue
            except NotImplementedError as error:
                print(f"{what} is left out: {reason(error)}")
                continue
            except Exception as error:
                wrong.append(f"{what}: {reason(error)}")
                continue
            if not right:
                wrong.append(f"{what}: the table is wrong")
            elif times[1] * options.batch > clock.held * 1e3 and not simulated():
                print(f"{what}: queueing took longer than the GPU was held: its time may include waiting for launches")
            if version[0] == "fastest":
                print(f"fastest, {width}x{height}: {program.note}")
            rows.append((*version, width, height, *(times if right else (float("nan"),) * 2)))

    print_table(rows, options.sizes)
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            head = ("version", "language", "section", "rows", "width", "height", "gpu_milliseconds", "cpu_microseconds")
            csv.writer(file).writerows([head, *rows])
    if options.plot:
        draw(rows, options.plot)
    for line in wrong:
        print(line)
    return 1 if wrong or not rows else 0


def print_table(rows: list[tuple], sizes: list[tuple[int, int]]) -> None:
    heads = [f"{w}²" if w == h else f"{w}x{h}" for w, h in sizes]
    print("\n| version | language | section, rows |" + "".join(f" {head} |" for head in heads) + " CPU, us |")
    print("|---|---|---|" + "--:|" * (len(sizes) + 1))
    for version in dict.fromkeys(row[:4] for row in rows):
        times = {row[4:6]: row[6] for row in rows if row[:4] == version}
        queued = min(row[7] for row in rows if row[:4] == version)
        chosen = f"{version[2]}, {version[3]}" if version[2] else ""
        cells = [f"{times[size]:.4g}" if size in times else "" for size in sizes] + [f"{queued:.3g}"]
        print(f"| {version[0]} | {version[1]} | {chosen} | " + " | ".join(cells) + " |")
    for (version, language), times in PAPER.items():
        known = [f"{times[w]:.4g}" if w == h and w in times else "" for w, h in sizes]
        if any(known):
            print(f"| {version} | {language}, the paper's | 256, 8 | " + " | ".join(known) + " | |")
    print("\nMilliseconds of the GPU per table of uint32, medians; CPU: what queueing a table costs, at the size where it costs "
          "least. The paper's are means on an RTX 3060 Ti." + (" Numba's simulator: times mean nothing." if simulated() else ""))


def draw(rows: list[tuple], path: str) -> None:
    try:
        import matplotlib
    except ImportError as error:
        print(f"the plot is left out: {reason(error)}")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(10, 6.5), layout="constrained")
    best: dict[tuple, dict[float, float]] = {}  # of sections and rows
    for version, language, _, _, width, height, milliseconds, _ in rows:
        line, side = best.setdefault((version, language), {}), (width * height) ** 0.5
        line[side] = min(line.get(side, float("inf")), milliseconds)
    styles = {"naive": ":", "single pass": "-", "fastest": "--", "two cumsums": "-."}
    # CuPy's cumsums have the colour of its kernels.
    colours = {name: f"C{i}" for i, name in enumerate(dict.fromkeys(language.split()[0] for _, language in best))}
    for (version, language), line in best.items():
        axes.plot(list(line), list(line.values()), styles[version], color=colours[language.split()[0]], marker="o",
                  markersize=3, label=f"{version}, {language}")
    axes.set(xscale="log", yscale="log", xlabel="width and height in pixels",
             ylabel="ms of the GPU per table, best section and rows",
             title="Scan, transpose, scan, transpose: one algorithm in several languages")
    sides = sorted({side for line in best.values() for side in line})
    axes.set_xticks(sides, [f"{side:.0f}" for side in sides])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", fontsize="small")
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    raise SystemExit(main())
