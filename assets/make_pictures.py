#!/usr/bin/python3
"""Makes the documents' pictures of the window, window.jpg and window_<what>.jpg, from clip.mp4 and astronaut.png.
Usage: assets/make_pictures.py SATSCOPE [NAME...] (the program, e.g. build/release/app/satscope). The race and the trace run
on the simulated GPU, so that every machine can make them."""
import json
import pathlib
import subprocess
import sys
import tempfile

import cv2

HERE = pathlib.Path(__file__).resolve().parent
CLIP, ASTRONAUT = HERE / "clip.mp4", HERE / "astronaut.png"
COLOUR = {"effect": "box_blur", "box_blur.colour": True}
# For each picture: the source, and the lines of its script.
PICTURES = {
    "window": (CLIP, [
        {"set": {**COLOUR, "device": "host", "compare": "original,result"}},
        {"frames": 110}]),
    "window_compare": (ASTRONAUT, [
        {"set": {**COLOUR, "box_blur.window": "31x31", "compare": "original,adaptive_threshold", "wipe": 0.52}},
        {"frames": 100}]),
    "window_rectangle": (ASTRONAUT, [
        {"set": {"effect": "none", "compare": "off", "rectangle_tool": True, "rectangle": "182,52,100x120"}},
        {"frames": 100}]),
    "window_race": (ASTRONAUT, [
        {"set": {**COLOUR, "compare": "off", "device": "simulated", "dock": "race", "race_a": "1r1w_skss_lb"}},
        {"frames": 2},
        {"do": "start_race"},
        {"do": "export_race", "to": "race.json"},
        {"frames": 2}]),
    "window_trace": (ASTRONAUT, [
        {"set": {"effect": "none", "compare": "off", "device": "simulated", "algorithm": "1r1w_skss_lb",
                 "1r1w_skss_lb.W": 32, "dock": "trace", "trace_play": False, "trace_at": 0.6}},
        {"frames": 2},
        {"do": "trace"},
        {"frames": 3}]),
}

for name, (source, lines) in PICTURES.items():
    if len(sys.argv) > 2 and name not in sys.argv[2:]:
        continue
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "script.jsonl")
        script.write_text("".join(json.dumps(line) + "\n"
                                  for line in [*lines, {"do": "screenshot", "to": "window.png"}, {"do": "quit"}]))
        (pathlib.Path(folder) / source.name).symlink_to(source)  # the window shows a name without folders
        subprocess.run([pathlib.Path(sys.argv[1]).resolve(), source.name, "--no-config", "--offscreen", "--script", script],
                       check=True, cwd=folder)
        picture = cv2.imread(f"{folder}/window.png")
    cv2.imwrite(str(HERE / f"{name}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 90, cv2.IMWRITE_JPEG_OPTIMIZE, 1])
