#!/usr/bin/python3
"""Times of kernels in a window beside those without one: in the window, OpenGL draws on the GPU that computes, and what is drawn
lies within the times of kernels. Needs an NVIDIA GPU and a display on it (--offscreen alone works without one).
Usage: window_times.py PROGRAM [--source SOURCE] [--effect EFFECT] [--frames N] [--json FILE] [--offscreen]
A row per stage: median and maximum as recorded, and as in the statistics, which leave out times that were interrupted."""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

WARM_UP = 20  # frames, in which kernels run for the first time


def frames_of(program, options, *words):
    """The rows of the log of a run, as dictionaries, and its export."""
    with tempfile.TemporaryDirectory(prefix="satscope-window-times-") as folder:
        log, export = os.path.join(folder, "log.jsonl"), os.path.join(folder, "export.json")
        done = subprocess.run([program, options.source, "--device", "cuda", "--effect", options.effect, "--no-config", "--frames",
                               str(options.frames + WARM_UP), "--log", log, "--export", export, *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise SystemExit(done.stderr.strip())
        with open(log, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file][1 + WARM_UP:]
        with open(export, encoding="utf-8") as file:
            return [row for row in rows if row["stages"]], json.load(file)


def stages_of(rows, export):
    """Of each stage: recorded and counted times, in microseconds, and how often it was interrupted."""
    stages = {}
    for row in rows:
        for path, time in row["stages"].items():
            stage = stages.setdefault(path, {"recorded": [], "counted": [], "lost": []})
            stage["recorded"].append(time)
            if path in row["lost"]:
                stage["lost"].append(row["lost"][path])
            else:
                stage["counted"].append(time)
    return {"interop": export["interop"], "frames": len(rows), "lost_us": export["lost_us"], "stages": stages}


def table(name, run):
    print(f"{name}: {run['frames']} timed frames, interop {run['interop']}, {run['lost_us']['frames']} far above usual, "
          f"{run['lost_us']['max']:.0f} us at most")
    print("| stage | recorded p50 | max | counted p50 | max | interrupted | lost, max |\n|---|--:|--:|--:|--:|--:|--:|")
    for path, stage in run["stages"].items():
        times = [f"{part(stage[of]):.1f}" if stage[of] else "" for of in ("recorded", "counted")
                 for part in (statistics.median, max)]
        print(f"| {path} | {' | '.join(times)} | {len(stage['lost'])} | {max(stage['lost'], default=0):.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--source", default=os.path.join(os.path.dirname(__file__), "..", "..", "assets", "clip.mp4"))
    parser.add_argument("--effect", default="box_blur", help="one with tables of channels shows most")
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--json", help="all times, for other figures")
    parser.add_argument("--offscreen", action="store_true", help="without the run in a window")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    runs = {} if options.offscreen else {"window": ()}
    runs["offscreen"] = ("--offscreen",)
    runs = {name: stages_of(*frames_of(options.program, options, *words)) for name, words in runs.items()}
    for name, run in runs.items():
        table(name, run)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(runs, file)


if __name__ == "__main__":
    main()
