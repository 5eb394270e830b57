#!/usr/bin/env python3
"""One algorithm in several languages: the two of M. Bugetti, Integral Image with CUDA (2024), who compares CUDA C++, PyCUDA and Numba,
beside satscope's own versions of them, its fastest algorithm, and two cumsums.

    python languages.py [--sizes 1024 2048 4096 8192] [--sections 256 512] [--rows 8 16] [--samples 30] [--csv F] [--plot F]

Both scan the rows, transpose, scan the rows again and transpose back, in uint32. naive: a thread per row. single pass: a block scans
one section of one row (Kogge and Stone), and takes the sum of what lies to the left from its neighbour. section: pixels, and threads,
per block; of the naive version, rows per block. rows: threads down a tile of 32 x 32 of the transpose.

Every table is compared with NumPy's. A time is what a caller waits for one table, launches included: `--batch` tables are queued, the
GPU is awaited, and that is divided; the median of the samples. NUMBA_ENABLE_CUDASIM=1 runs the Numba version on Numba's simulator,
without a GPU; its times mean nothing.
"""

from __future__ import annotations

import argparse
import csv
import os
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import satscope

try:
    from numba import cuda, uint32  # global: there Numba's simulator replaces it
except ImportError:
    cuda = None

TILE = 32
# Milliseconds of the paper's tables 1, 3, 5, 6 for section 256 and rows 8: an RTX 3060 Ti.
PAPER = {
    ("naive", "CUDA C++"): {1024: 0.851717, 2048: 1.75311, 4096: 3.84416, 8192: 12.1023},
    ("single pass", "CUDA C++"): {1024: 0.135548, 2048: 0.524591, 4096: 2.1066, 8192: 8.37909},
    ("single pass", "PyCUDA"): {1024: 0.142801, 2048: 0.592311, 4096: 2.18445, 8192: 8.48956},
    ("single pass", "Numba"): {1024: 0.194961, 2048: 0.654800, 4096: 2.29498, 8192: 8.96984},
}

# PyCUDA and CuPy compile this at run time.
SOURCE = r"""
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

// `ready` and `left` have an entry per block, and `height` more; ticket gives blocks their numbers in the order of their start.
extern "C" __global__ void scan_rows(const unsigned* image, unsigned* sums, unsigned* ready, unsigned* left, unsigned* ticket,
                                     unsigned height, unsigned width) {
  __shared__ unsigned scanned[SECTION];
  __shared__ unsigned number, before;
  const unsigned thread = threadIdx.x;
  if (thread == 0) number = atomicAdd(ticket, 1u);
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
    atomicExch(&ready[number + height], 1u);
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


@dataclass(frozen=True)
class Shape:
    """Of the launches for one image."""

    height: int
    width: int
    section: int
    rows: int

    def turned(self) -> Shape:
        return Shape(self.width, self.height, self.section, self.rows)

    @property
    def scan_blocks(self) -> int:
        return -(-self.width // self.section) * self.height

    @property
    def flag_words(self) -> int:
        """Of ready and left, for either direction."""
        return max(one.scan_blocks + one.height for one in (self, self.turned()))

    @property
    def naive_blocks(self) -> int:
        return -(-self.height // self.section)

    @property
    def transpose_grid(self) -> tuple[int, int]:
        return -(-self.width // TILE), -(-self.height // TILE)


def steps(shape: Shape, single_pass: bool, launch: Callable[..., None], memory: dict[str, Any]) -> None:
    """The launches of one table: launch(kernel, grid, block, arguments)."""
    source, goal = memory["image"], memory["table"]
    for way in (shape, shape.turned()):
        size = (np.uint32(way.height), np.uint32(way.width))
        if single_pass:
            words = 2 * shape.flag_words + 1
            launch("clear", (-(-words // 256), 1), (256, 1), (memory["words"], np.uint32(words)))
            launch("scan_rows", (way.scan_blocks, 1), (way.section, 1),
                   (source, memory["scanned"], memory["ready"], memory["left"], memory["ticket"], *size))
        else:
            launch("sum_rows", (way.naive_blocks, 1), (way.section, 1), (source, memory["scanned"], *size))
        launch("transpose", way.transpose_grid, (TILE, way.rows), (memory["scanned"], goal, *size))
        source, goal = goal, memory["table"]


@dataclass
class Program:
    """One version that is ready to run on one image."""

    run: Callable[[], None]
    wait: Callable[[], None]
    fetch: Callable[[], np.ndarray]


def with_cupy(image: np.ndarray, shape: Shape, single_pass: bool) -> Program:
    import cupy

    module = cupy.RawModule(code=SOURCE, options=(f"-DSECTION={shape.section}", f"-DROWS={shape.rows}"))
    kernels = {name: module.get_function(name) for name in ("clear", "sum_rows", "scan_rows", "transpose")}
    words = cupy.empty(2 * shape.flag_words + 1, np.uint32)
    memory = {"image": cupy.asarray(image), "table": cupy.empty_like(image), "scanned": cupy.empty_like(image), "words": words,
              "ready": words[: shape.flag_words], "left": words[shape.flag_words : -1], "ticket": words[-1:]}
    return Program(lambda: steps(shape, single_pass, lambda name, *how: kernels[name](*how), memory),
                   cupy.cuda.get_current_stream().synchronize, lambda: memory["table"].get())


def with_pycuda(image: np.ndarray, shape: Shape, single_pass: bool) -> Program:
    import pycuda.autoprimaryctx  # noqa: F401
    from pycuda import compiler, driver

    module = compiler.SourceModule(SOURCE, no_extern_c=True, options=[f"-DSECTION={shape.section}", f"-DROWS={shape.rows}"])
    kernels = {name: module.get_function(name) for name in ("clear", "sum_rows", "scan_rows", "transpose")}
    words = driver.mem_alloc(4 * (2 * shape.flag_words + 1))
    memory = {"image": driver.to_device(image), "table": driver.mem_alloc(image.nbytes), "scanned": driver.mem_alloc(image.nbytes),
              "words": words, "ready": words, "left": np.uintp(int(words) + 4 * shape.flag_words),
              "ticket": np.uintp(int(words) + 8 * shape.flag_words)}
    return Program(
        lambda: steps(shape, single_pass, lambda name, grid, block, these: kernels[name](*these, grid=grid, block=(*block, 1)), memory),
        driver.Context.synchronize, lambda: driver.from_device(memory["table"], image.shape, image.dtype))


def with_numba(image: np.ndarray, shape: Shape, single_pass: bool) -> Program:
    if cuda is None:
        raise ImportError("No module named 'numba'")
    section_size, tile_rows, tile_size, padded_tile = shape.section, shape.rows, TILE, TILE + 1

    @cuda.jit
    def clear(words, count):
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if i < count:
            words[i] = 0

    @cuda.jit
    def sum_rows(image, sums, height, width):
        y = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if y < height:
            sums[y, 0] = image[y, 0]
            for x in range(1, width):
                sums[y, x] = sums[y, x - 1] + image[y, x]

    @cuda.jit
    def scan_rows(image, sums, ready, left, ticket, height, width):
        scanned = cuda.shared.array(section_size, uint32)
        shared = cuda.shared.array(2, uint32)
        thread = cuda.threadIdx.x
        if thread == 0:
            shared[0] = cuda.atomic.add(ticket, 0, 1)
        cuda.syncthreads()
        number = shared[0]
        section = number // height
        y = number % height
        x = section * section_size + thread
        scanned[thread] = image[y, x] if x < width else 0
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
                while cuda.atomic.add(ready, number, 0) == 0:
                    pass
                cuda.threadfence()
                shared[1] = cuda.atomic.add(left, number, 0)
            left[number + height] = shared[1] + scanned[section_size - 1]
            cuda.threadfence()
            cuda.atomic.add(ready, number + height, 1)
        cuda.syncthreads()
        if x < width:
            sums[y, x] = scanned[thread] + shared[1]

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
                tile[cuda.threadIdx.y + i, cuda.threadIdx.x] = source[y + i, x]
        cuda.syncthreads()
        x = row * tile_size + cuda.threadIdx.x
        y = column * tile_size + cuda.threadIdx.y
        for i in range(0, tile_size, tile_rows):
            if x < height and y + i < width:
                goal[y + i, x] = tile[cuda.threadIdx.x, cuda.threadIdx.y + i]

    kernels = {"clear": clear, "sum_rows": sum_rows, "scan_rows": scan_rows, "transpose": transpose}
    words = cuda.device_array(2 * shape.flag_words + 1, np.uint32)
    memory = {"image": cuda.to_device(image), "words": words, "ready": words[: shape.flag_words],
              "left": words[shape.flag_words : 2 * shape.flag_words], "ticket": words[2 * shape.flag_words :]}
    # Arrays have two axes here: of each direction its own view of the same memory.
    table, scanned = cuda.device_array(image.size, np.uint32), cuda.device_array(image.size, np.uint32)

    def launch(name, grid, block, arguments):
        if name != "clear":
            height, width = int(arguments[-2]), int(arguments[-1])
            views = [each.reshape(height, width) if each is table or each is scanned else each for each in arguments]
            if name == "transpose":
                views[1] = arguments[1].reshape(width, height)
            arguments = views
        kernels[name][grid, block](*arguments)

    memory |= {"table": table, "scanned": scanned}
    return Program(lambda: steps(shape, single_pass, launch, memory), cuda.synchronize,
                   lambda: table.copy_to_host().reshape(image.shape))


def with_satscope(image: np.ndarray, algorithm: str | None, parameters: dict[str, Any] | None) -> Program:
    import cupy

    on_gpu = cupy.asarray(image)
    plan = satscope.Plan(on_gpu, algorithm=algorithm, parameters=parameters)
    table = plan(on_gpu)
    return Program(lambda: plan(on_gpu, out=table), cupy.cuda.get_current_stream().synchronize, table.get)


def with_cumsums(image: np.ndarray) -> Program:
    import cupy

    on_gpu = cupy.asarray(image)
    held: list[Any] = [None]

    def run():
        held[0] = on_gpu.cumsum(0, dtype=np.uint32).cumsum(1, dtype=np.uint32)

    return Program(run, cupy.cuda.get_current_stream().synchronize, lambda: held[0].get())


def versions(image: np.ndarray, sections: list[int], rows: list[int], on_gpu: bool) -> Iterator[tuple[tuple, Callable[[], Program]]]:
    """(version, language, section, rows), and what makes the program."""
    languages: dict[str, Callable] = {"Numba": with_numba}
    if on_gpu:
        languages = {"PyCUDA": with_pycuda, "CuPy RawModule": with_cupy} | languages
    for section in sections:
        for row in rows:
            shape = Shape(*image.shape, section, row)
            for single_pass, name in ((False, "naive"), (True, "single pass")):
                for language, make in languages.items():
                    yield (name, language, section, row), lambda make=make, shape=shape, one=single_pass: make(image, shape, one)
                if on_gpu:
                    ours = "scan_transpose" if single_pass else "scan_transpose_naive"
                    parameters = {"section" if single_pass else "block": section, "rows": row}
                    yield (name, "satscope", section, row), lambda ours=ours, these=parameters: with_satscope(image, ours, these)
    if on_gpu:
        yield ("fastest", "satscope", "", ""), lambda: with_satscope(image, None, None)
        yield ("two cumsums", "CuPy", "", ""), lambda: with_cumsums(image)


def milliseconds(program: Program, samples: int, batch: int) -> float:
    times, warm_ups = [], 2 if samples > 2 else 0
    for _ in range(samples + warm_ups):
        begin = time.perf_counter()
        for _ in range(batch):
            program.run()
        program.wait()
        times.append((time.perf_counter() - begin) * 1e3 / batch)
    return statistics.median(times[warm_ups:])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 2048, 4096, 8192])
    parser.add_argument("--sections", type=int, nargs="+", default=[256, 512], choices=[2**i for i in range(2, 11)])
    parser.add_argument("--rows", type=int, nargs="+", default=[8, 16], choices=(4, 8, 16, 32))
    parser.add_argument("--samples", type=int, default=30)
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--csv")
    parser.add_argument("--plot")
    options = parser.parse_args()

    simulated = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
    why = satscope.gpu_is_missing()
    if why and not simulated:
        parser.exit(1, f"no GPU: {why}; NUMBA_ENABLE_CUDASIM=1 runs the Numba version without one\n")
    rows, missing, wrong = [], set(), 0
    for size in options.sizes:
        image = np.random.default_rng(size).integers(0, 256, (size, size), dtype=np.uint32)
        expected = image.cumsum(0, dtype=np.uint32).cumsum(1, dtype=np.uint32)
        for version, make in versions(image, options.sections, options.rows, not simulated):
            try:
                program = make()
            except ImportError as error:
                missing.add(f"{version[1]} is left out: {error}")
                continue
            except satscope.Error as error:
                missing.add(f"satscope, {version[0]}, section {version[2]} is left out: {error}")
                continue
            program.run()
            program.wait()
            right = (program.fetch() == expected).all()
            wrong += not right
            rows.append((*version, size, milliseconds(program, options.samples, options.batch) if right else float("nan")))
    for line in sorted(missing):
        print(line)

    print("| version | language | section, rows |" + "".join(f" {size}² |" for size in options.sizes))
    print("|---|---|---|" + "--:|" * len(options.sizes))
    for version in dict.fromkeys(row[:4] for row in rows):
        times = {row[4]: row[5] for row in rows if row[:4] == version}
        chosen = f"{version[2]}, {version[3]}" if version[2] else ""
        print(f"| {version[0]} | {version[1]} | {chosen} |" + "".join(f" {times[size]:.4g} |" for size in options.sizes))
    for (version, language), times in PAPER.items():
        print(f"| {version} | {language}, the paper's | 256, 8 |" + "".join(f" {times.get(size, float('nan')):.4g} |" for size in options.sizes))
    print("Milliseconds per table of uint32" + (", on Numba's simulator" if simulated else "") + "; the paper's on an RTX 3060 Ti.")
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            csv.writer(file).writerows([("version", "language", "section", "rows", "size", "milliseconds"), *rows])
    if options.plot:
        draw(rows, options.plot)
    if wrong:
        print(f"{wrong} tables are wrong")
    return 1 if wrong or not rows else 0


def draw(rows: list[tuple], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(10, 6.5), layout="constrained")
    best: dict[tuple, dict[int, float]] = {}  # of sections and rows
    for version, language, _, _, size, milliseconds_ in rows:
        line = best.setdefault((version, language), {})
        line[size] = min(line.get(size, float("inf")), milliseconds_)
    styles = {"naive": ":", "single pass": "-", "fastest": "--", "two cumsums": "-."}
    colours = {language: f"C{i}" for i, language in enumerate(dict.fromkeys(key[1] for key in best))}
    for (version, language), line in best.items():
        axes.plot(list(line), list(line.values()), styles[version], color=colours[language], marker="o", markersize=3,
                  label=f"{version}, {language}")
    axes.set(xscale="log", yscale="log", xlabel="width and height in pixels", ylabel="ms per table, best section and rows",
             title="Scan, transpose, scan, transpose: one algorithm in several languages")
    sizes = sorted({row[4] for row in rows})
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", fontsize="small")
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    raise SystemExit(main())
