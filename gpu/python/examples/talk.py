#!/usr/bin/env python3
"""The plots of a talk about summed area tables: times over sizes for every algorithm, beside two cumsums, OpenCV and NumPy; and what
the algorithms do to memory, counted on the simulated GPU.

    python talk.py [--sizes 256 512 1024 2048 4096] [--runs 20] [--type u8_u32] [--counted 256] [--output talk/]

On an NVIDIA GPU (with CuPy) the algorithms of the GPU are timed by its events, otherwise those of the CPU by its clock. Writes
times.csv and counts.csv, and times.png and counts.png if matplotlib is installed. The cells (# %%) also run one by one in an editor
or notebook.
"""

# %% Options
import argparse
import csv
import statistics
import time
from pathlib import Path

import numpy as np

import satscope


def positive(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
parser.add_argument("--sizes", type=positive, nargs="+", default=[256, 512, 1024, 2048, 4096], help="of square images")
parser.add_argument("--runs", type=positive, default=20, help="per algorithm and size; the median counts")
types = ("u8_u32", "u8_f32", "u32_u32", "f32_f32", "f64_f64", "u8_u64", "u16_u32", "u16_u64", "u8_f64", "f32_f64")
parser.add_argument("--type", default="u8_u32", choices=types, help="of pixels and sums")
parser.add_argument("--counted", type=int, default=256, help="size of the simulated images; 0: none")
parser.add_argument("--output", type=Path, default=Path("talk"), help="folder for the results")
options = parser.parse_args()
options.output.mkdir(parents=True, exist_ok=True)
pixel_type = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "f32": np.float32, "f64": np.float64}[options.type.split("_")[0]]
sum_type = {"u32": np.uint32, "f32": np.float32, "f64": np.float64, "u64": np.uint64}[options.type.split("_")[1]]

# %% What is timed
try:
    if satscope.gpu_is_missing():
        raise ImportError
    import cupy
except ImportError:
    cupy = None
try:
    import cv2
except ImportError:
    cv2 = None


def by_the_clock(call):
    """The times of `runs` calls on the CPU, in microseconds."""
    call()
    times = []
    for _ in range(options.runs):
        begin = time.perf_counter()
        call()
        times.append((time.perf_counter() - begin) * 1e6)
    return times


def by_events(call):
    """The same on the GPU."""
    call()
    times = []
    for _ in range(options.runs):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end) * 1e3)
    return times


def peers(image, on_gpu):
    """What people use today: name, times."""
    yield "NumPy: cumsum twice", by_the_clock(lambda: image.cumsum(0, dtype=sum_type).cumsum(1, dtype=sum_type))
    if cv2 is not None and options.type in ("u8_u32", "f64_f64"):
        yield "OpenCV", by_the_clock(lambda: cv2.integral(image))
    if on_gpu is not None:
        yield "CuPy: cumsum twice", by_events(lambda: on_gpu.cumsum(0, dtype=sum_type).cumsum(1, dtype=sum_type))


# %% Times
rows = []
device = "cuda" if cupy else "host"
for size in options.sizes:
    random = np.random.default_rng(size).integers(0, 8, (size, size))
    image = random.astype(pixel_type)
    on_gpu = cupy.asarray(image) if cupy else None
    for algorithm in satscope.algorithms(device, options.type):
        try:
            plan = satscope.Plan(on_gpu if cupy else image, options.type, algorithm=algorithm)
            rows.append((algorithm.name, size, statistics.median(plan.time(on_gpu if cupy else image, runs=options.runs))))
        except satscope.Error as error:
            print(f"{algorithm}, {size}: {error}")
    for name, times in () if options.type == "u8_u64" else peers(image, on_gpu):
        rows.append((name, size, statistics.median(times)))
    fastest = min((row for row in rows if row[1] == size), key=lambda row: row[2])
    print(f"{size} x {size}: {fastest[0]}, {fastest[2]:.1f} us")
with (options.output / "times.csv").open("w", newline="") as file:
    csv.writer(file).writerows([("algorithm", "size", "microseconds"), *rows])

# %% Counts
counts = []
for algorithm in satscope.algorithms("simulated", options.type) if options.counted else ():
    found = satscope.simulate(algorithm, (options.counted, options.counted), options.type)
    counts.append((algorithm.name, found["read_bytes_per_pixel"], found["written_bytes_per_pixel"], found["coalescing"],
                   found["launches"], found["dmm_umm_units"]))
with (options.output / "counts.csv").open("w", newline="") as file:
    head = ("algorithm", "read_bytes_per_pixel", "written_bytes_per_pixel", "coalescing", "launches", "dmm_umm_units")
    csv.writer(file).writerows([head, *counts])

# %% Plots
try:
    import matplotlib
except ImportError:
    print("pip install matplotlib: without it there are the tables, and no plots")
    raise SystemExit(0)
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

figure, axes = plt.subplots(figsize=(11, 7), layout="constrained")
names = sorted({row[0] for row in rows}, key=lambda name: min(row[2] for row in rows if row[0] == name and row[1] == options.sizes[-1]))
colours = plt.get_cmap("turbo")(np.linspace(0.05, 0.95, len(names)))
for name, colour in zip(names, colours):
    line = [(size, microseconds) for found, size, microseconds in rows if found == name]
    published = ":" not in name and name != "OpenCV"
    axes.plot(*zip(*line), color=colour if published else "black", label=name, marker="o", markersize=3,
              linestyle="-" if published else {"OpenCV": "--", "NumPy: cumsum twice": ":"}.get(name, "-."))
axes.set(xscale="log", yscale="log", xlabel="width and height in pixels", ylabel="time per table in µs",
         title=f"Summed area tables, {options.type}, {'GPU' if cupy else 'CPU'}: medians of {options.runs}")
axes.set_xticks(options.sizes, [str(size) for size in options.sizes])
axes.minorticks_off()
axes.grid(alpha=0.3)
figure.legend(loc="outside right upper", fontsize="small", title="fastest first")
figure.savefig(options.output / "times.png", dpi=150)

if counts:
    counts.sort(key=lambda count: count[1] + count[2])
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 7), layout="constrained", sharey=True)
    labels, places = [count[0] for count in counts], np.arange(len(counts))
    left.barh(places + 0.2, [count[1] for count in counts], 0.4, label="read")
    left.barh(places - 0.2, [count[2] for count in counts], 0.4, label="written")
    left.set_yticks(places, labels)
    left.set(xscale="log", xlim=(0.5, None), xlabel="bytes of global memory per pixel", title="What threads request")
    left.legend()
    right.barh(places, [100 * (count[3] or 0) for count in counts], color="tab:green")
    right.set(xlabel="% of the bytes of the sectors", title="Coalescing")
    figure.suptitle(f"Counted on the simulated GPU: {options.counted} x {options.counted}, {options.type}")
    figure.savefig(options.output / "counts.png", dpi=150)
print(f"results are in {options.output}/")
