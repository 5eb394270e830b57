#!/usr/bin/python3
"""What the user interface costs: the main thread's work per frame with the panels and without, by turns. The picture is drawn
small, so that it has as many pixels of the screen in both.
Usage: interface_cost.py PROGRAM [--size WxH] [--source SOURCE] [--device DEVICE] [--frames N] [--rounds N]
                         [--timing off,frame] [--zoom Z]"""
import argparse
import csv
import os
import statistics
import subprocess
import tempfile

WARM_UP = 50  # frames, which open fonts and compile shaders


def frame_work(program, folder, *words):
    """Milliseconds for each frame, in their order, and what the program said if it ended with an error."""
    log = os.path.join(folder, "log.csv")
    done = subprocess.run([program, *words, "--offscreen", "--no-config", "--log", log], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    error = done.stderr.strip() if done.returncode else ""
    if not os.path.exists(log):  # it was refused before it began
        return [], error
    with open(log, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        work = [float(row["work_us"]) / 1000 for row in rows]
    return work, error


def medians(program, options, timing):
    """Of all rounds: with panels, and without."""
    width, height = options.size.split("x")
    work = {"on": [], "off": []}
    for _ in range(options.rounds):
        for panels, times in work.items():
            with tempfile.TemporaryDirectory(prefix="satscope-interface-") as folder:
                made, error = frame_work(
                    program, folder, options.source, "--max-speed", "--device", options.device, "--timing", timing,
                    "--frames", str(options.frames + WARM_UP), "--set", f"panels={panels}", "--set", f"window_width={width}",
                    "--set", f"window_height={height}", "--set", f"zoom={options.zoom}")
            if error:
                raise SystemExit(error)
            times += made[WARM_UP:]
    return [statistics.median(times) for times in work.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--size", default="1280x720", help="of the window")
    parser.add_argument("--source", default="synthetic:640x360")
    parser.add_argument("--device", default="host")
    parser.add_argument("--frames", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--timing", default="off,frame")
    parser.add_argument("--zoom", default="0.25", help="the whole picture must fit between the panels")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    print(f"{options.source} on {options.device}, window {options.size}, {options.rounds} x {options.frames} frames; "
          "medians in milliseconds per frame")
    print("| timing | with panels | without | difference |\n|---|--:|--:|--:|")
    for timing in options.timing.split(","):
        shown, hidden = medians(program, options, timing)
        print(f"| {timing} | {shown:.3f} | {hidden:.3f} | {shown - hidden:.3f} |", flush=True)


if __name__ == "__main__":
    main()
