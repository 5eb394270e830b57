"""The main thread's work for each frame of an offscreen run, for the benchmarks of actions and of the interface."""
import csv
import os
import subprocess


def frame_work(program, folder, *words):
    """Milliseconds for each frame, in their order, and what the program said if it ended with an error."""
    log = os.path.join(folder, "log.csv")
    done = subprocess.run([program, *words, "--offscreen", "--no-config", "--log", log], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    with open(log, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        work = [float(row["work_us"]) / 1000 for row in rows]
    return work, done.stderr.strip() if done.returncode else ""
