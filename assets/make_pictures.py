#!/usr/bin/python3
"""Makes the documents' pictures of the window from clip.mp4 and astronaut.png: window_<what>.jpg, and movie.webp.
Usage: assets/make_pictures.py SATSCOPE [--to FOLDER] [NAME...] (the program, e.g. build/release/app/satscope; NAME is movie or
window_<what>; FOLDER is assets if it is left out). The race and the trace run on the simulated GPU, so that every machine can
make them: build satscope_simulated first. The race counts sectors if satscope_observed is built, too.

Every frame of the movie is the window as the program drew it. A script steps the program, so that a slow machine makes the
same movie. The clip plays at its own rate. The race is a time lapse: each time that the window changed is shown equally long.
The trace plays in slow motion, as long as the setting trace_seconds says. ffmpeg with libwebp writes the file."""
import argparse
import json
import math
import pathlib
import subprocess
import tempfile

import cv2
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
CLIP, ASTRONAUT = HERE / "clip.mp4", HERE / "astronaut.png"
COLOUR = {"effect": "box_blur", "box_blur.colour": True}
# For each picture: the source, and the lines of its script.
PICTURES = {
    "window_compare": (ASTRONAUT, [
        {"set": {**COLOUR, "box_blur.window": "31x31", "compare": "original,adaptive_threshold", "wipe": 0.52}},
        {"frames": 100}]),
    "window_measure": (CLIP, [
        {"set": {"device": "host", "effect": "adaptive_threshold", "compare": "off", "dock": "frame", "dock_open": True}},
        {"frames": 200}]),
    "window_rectangle": (ASTRONAUT, [
        {"set": {"effect": "none", "compare": "off", "rectangle_tool": True, "rectangle": "182,52,100x120"}},
        {"frames": 100}]),
    "window_race": (ASTRONAUT, [
        {"set": {**COLOUR, "compare": "off", "device": "simulated", "dock": "race", "dock_open": True}},
        {"frames": 2},
        {"do": "race"},
        {"do": "export_race", "to": "race.json"},
        {"frames": 2}]),
    "window_faces": (ASTRONAUT, [
        {"set": {"effect": "faces", "compare": "off", "dock": "detector", "dock_open": True, "cascade_at": "225,115",
                 "cascade_stage": 1, "cascade_feature": 4}},
        {"frames": 100}]),
    "window_trace": (ASTRONAUT, [
        {"set": {"effect": "none", "compare": "off", "device": "simulated", "algorithm": "1r1w_skss_lb",
                 "1r1w_skss_lb.W": 32, "dock": "tiles", "dock_open": True, "trace_play": False, "trace_at": 0.6}},
        {"frames": 2},
        {"do": "trace"},
        {"frames": 3}]),
    "window_study": (ASTRONAUT, [
        {"set": {**COLOUR, "compare": "off", "device": "host", "dock": "study", "dock_open": True, "study_beside": "h200"}},
        {"do": "study"},
        {"frames": 2}]),
    "window_lesson": (ASTRONAUT, [
        {"set": {"presentation": True, "lesson": 2}},
        {"frames": 3},
        {"seconds": 1}]),
}
RATE = 15  # of the movie, in frames per second


class Window:
    """The program with its window drawn offscreen, which does one line of a script after another."""

    def __init__(self, source, *options):
        self.folder = tempfile.TemporaryDirectory()
        pathlib.Path(self.folder.name, source.name).symlink_to(source)  # the window shows a name without folders
        self.program = subprocess.Popen(
            [OPTIONS.program.resolve(), source.name, "--no-config", "--offscreen", "--script", "-", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self.folder.name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.communicate()
        self.folder.cleanup()

    def picture(self, *lines):
        """The window after these lines."""
        for line in [*lines, {"do": "screenshot", "to": "window.png"}]:
            print(json.dumps(line), file=self.program.stdin, flush=True)
            answer = self.program.stdout.readline()
            if answer != '{"ok": true}\n':
                raise SystemExit(f"{line}: {answer}")
        return cv2.imread(f"{self.folder.name}/window.png")


def movie_window(source):
    return Window(source, "--set", "window_width=1000", "--set", "window_height=720")


def wipe_frames(count):
    with movie_window(CLIP) as window:
        window.picture({"set": {"device": "host", "effect": "adaptive_threshold", "compare": "original,result",
                                "adaptive_threshold.method": "bradley", "adaptive_threshold.window": 41}},
                       {"do": "pause"}, {"do": "actual_size"})
        for i in range(count):
            yield window.picture({"set": {"wipe": 0.5 + 0.3 * math.sin(2 * math.pi * i / count)}},
                                 {"do": "seek", "to": 0.2 + i / RATE}, {"frames": 1})


def race_frames(count):
    with movie_window(ASTRONAUT) as window:
        changes = [window.picture({"set": {"effect": "none", "compare": "off", "device": "simulated", "dock": "race",
                                           "dock_open": True}},
                                  {"frames": 2}, {"seconds": 2}, {"do": "toggle_race"})]
        unchanged = 0
        while unchanged < 150:  # a count of sectors takes seconds
            now = window.picture({"seconds": 0.1})
            unchanged = unchanged + 1 if np.array_equal(now, changes[-1]) else 0
            if unchanged == 0:
                changes.append(now)
    return [changes[i * (len(changes) - 1) // (count - 1)] for i in range(count)]


def trace_frames(count):
    with movie_window(ASTRONAUT) as window:
        window.picture({"set": {"effect": "none", "compare": "off", "device": "simulated", "algorithm": "1r1w_skss_lb",
                                "1r1w_skss_lb.W": 32, "dock": "tiles", "dock_open": True, "trace_play": False,
                                "trace_seconds": count / RATE}},
                       {"frames": 2}, {"do": "trace"}, {"frames": 3}, {"seconds": 2})
        for i in range(count):
            yield window.picture({"set": {"trace_at": i / (count - 1)}})


def make_movie():
    frames = [*wipe_frames(45)]
    for scene, count in ((race_frames, 48), (trace_frames, 60)):
        frames += scene(count)
        frames += frames[-1:] * 8  # its end stays for a moment
    height, width, _ = frames[0].shape
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{width}x{height}",
                    "-r", str(RATE), "-i", "-", "-c:v", "libwebp_anim", "-q:v", "80", "-compression_level", "6", "-loop", "0",
                    OPTIONS.to / "movie.webp"], input=b"".join(frame.tobytes() for frame in frames), check=True)


def make_picture(name):
    source, lines = PICTURES[name]
    with Window(source) as window:
        picture = window.picture(*lines)
    cv2.imwrite(str(OPTIONS.to / f"{name}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 90, cv2.IMWRITE_JPEG_OPTIMIZE, 1])


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program", metavar="SATSCOPE", type=pathlib.Path)
parser.add_argument("names", metavar="NAME", nargs="*")
parser.add_argument("--to", metavar="FOLDER", type=pathlib.Path, default=HERE)
OPTIONS = parser.parse_intermixed_args()
if unknown := {*OPTIONS.names} - {*PICTURES, "movie"}:
    parser.error(f"{unknown.pop()} is none of {', '.join(PICTURES)}, movie")
for name in OPTIONS.names or [*PICTURES, "movie"]:
    make_movie() if name == "movie" else make_picture(name)
