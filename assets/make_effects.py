#!/usr/bin/python3
"""Makes the pictures of the effects in gpu/effects/README.md, effect_<name>.jpg, from astronaut.png.
Usage: assets/make_effects.py SATSCOPE (the program, e.g. build/release/app/satscope)"""
import pathlib
import subprocess
import sys
import tempfile

import cv2

HERE = pathlib.Path(__file__).resolve().parent
EFFECTS = {
    "none": [],
    "sat_view": [],
    "box_blur": ["colour=on"],
    "adaptive_threshold": ["method=bradley"],
    "faces": ["inside=eye"],
    "haar": ["x=196", "y=104", "width=56", "height=32", "type=type-2-y"],
}
WIDTH = 256

for name, settings in EFFECTS.items():
    with tempfile.TemporaryDirectory() as folder:
        made = f"{folder}/{name}.png"
        subprocess.run([sys.argv[1], "apply", HERE / "astronaut.png", "--effect", name, "-o", made, "--device", "host"]
                       + [word for setting in settings for word in ("--set", setting)], check=True)
        picture = cv2.imread(made)
    height = round(picture.shape[0] * WIDTH / picture.shape[1])
    picture = cv2.resize(picture, (WIDTH, height), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(HERE / f"effect_{name}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 88])
