#!/usr/bin/env python3
"""Makes frames for satscope-bench --detect from pictures with faces: make_scenes.py FOLDER CASCADE.xml PICTURE...

mix1080, mix2160: the pictures side by side; the second one is the first, enlarged. crowd1080: all faces that the cascade finds,
reduced to 25x25 and enlarged again to 75x75, side by side. first480: the first picture as 640x480. Needs OpenCV for Python.
"""
import itertools
import sys
from pathlib import Path

import cv2
import numpy as np


def scaled(picture, width, height):
    smaller = width < picture.shape[1]
    return cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA if smaller else cv2.INTER_LINEAR)


def side_by_side(pictures, width, height):
    """Rows of pictures of one height, until the frame is full."""
    frame = np.zeros((height, width), np.uint8)
    x = y = 0
    for picture in itertools.cycle(pictures):
        row = picture.shape[0]
        part = picture[:height - y, :width - x]
        frame[y:y + part.shape[0], x:x + part.shape[1]] = part
        x += picture.shape[1]
        if x >= width:
            x, y = 0, y + row
        if y >= height:
            return frame


def main(folder, cascade, files):
    pictures = [cv2.imread(file, cv2.IMREAD_GRAYSCALE) for file in files]
    missing = [file for file, picture in zip(files, pictures) if picture is None]
    if missing:
        sys.exit(f"make_scenes: cannot read {missing[0]}")
    row = 270
    mix = side_by_side([scaled(p, max(1, p.shape[1] * row // p.shape[0]), row) for p in pictures], 1920, 1080)
    scenes = {"first480": scaled(pictures[0], 640, 480), "mix1080": mix, "mix2160": scaled(mix, 3840, 2160)}
    finder = cv2.CascadeClassifier(cascade)
    faces = [p[y:y + h, x:x + w] for p in pictures for x, y, w, h in finder.detectMultiScale(p)]
    if faces:
        scenes["crowd1080"] = side_by_side([scaled(scaled(f, 25, 25), 75, 75) for f in faces], 1920, 1080)
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, scene in scenes.items():
        cv2.imwrite(str(Path(folder) / f"{name}.pgm"), scene)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
