#!/usr/bin/python3
"""Makes the pictures of the effects in gpu/effects/README.md, effect_<name>.jpg, and those of the window's list of effects, one
below the other in effects.jpg, from astronaut.png.
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
# The entries of the list, as app/ui/effect_list.cpp has them, at twice the size of scale 1. Their effects are stronger: the
# pictures are small.
LIST = [
    ("none", []),
    ("box_blur", ["colour=on", "window=17x17"]),
    ("adaptive_threshold", ["method=bradley"]),
    ("sat_view", []),
    ("haar", ["x=196", "y=104", "width=56", "height=32", "type=type-2-y"]),
    ("faces", ["inside=eye"]),
    ("faces", ["show=pixelated"]),
    ("faces", ["show=blurred"]),
]
LIST_SIZE = (168, 100)


def applied(name, settings):
    with tempfile.TemporaryDirectory() as folder:
        made = f"{folder}/{name}.png"
        subprocess.run([sys.argv[1], "apply", HERE / "astronaut.png", "--effect", name, "-o", made, "--device", "host"]
                       + [word for setting in settings for word in ("--set", setting)], check=True)
        return cv2.imread(made)


def resized(picture, width):
    height = round(picture.shape[0] * width / picture.shape[1])
    return cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)


def of_list(picture):
    width, height = LIST_SIZE
    return resized(picture, width)[4:][:height]  # a face is in the upper part


for name, settings in EFFECTS.items():
    cv2.imwrite(str(HERE / f"effect_{name}.jpg"), resized(applied(name, settings), WIDTH), [cv2.IMWRITE_JPEG_QUALITY, 88])
cv2.imwrite(str(HERE / "effects.jpg"), cv2.vconcat([of_list(applied(*entry)) for entry in LIST]),
            [cv2.IMWRITE_JPEG_QUALITY, 90])
