#!/usr/bin/python3
"""A recording and a log have every frame of the source, whatever becomes of the window: minimised, covered, drawn slowly. In a
session with a window manager, openbox. Usage: window_rate_test.py SATSCOPE ASSETS"""
import csv
import json
import os
import shutil
import signal
import subprocess
import sys

import cv2

from window_case import CLIP, PATIENCE, WindowCase, difference, main, xdotool
from x11_messages import LONG, X, connection


COUNT = 75  # pictures of the short clip: three seconds


def pictures_of(path):
    """All of its pictures, small."""
    video, pictures = cv2.VideoCapture(path), []
    while True:
        there, picture = video.read()
        if not there:
            return pictures
        pictures.append(cv2.resize(picture, (96, 54), interpolation=cv2.INTER_AREA).astype(int))


class WindowRate(WindowCase):
    def setUp(self):
        super().setUp()
        manager = subprocess.Popen(["openbox", "--sm-disable"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (manager.terminate(), manager.wait()))
        managed = ["xdotool", "get_num_desktops"]  # which only a window manager knows
        self.assertTrue(self.wait_for(lambda: subprocess.run(managed, capture_output=True, check=False).returncode == 0))

    def play(self, *words, video=None):
        self.video = video or self.short_clip()
        return self.start_scripted(self.video, "--no-config", "--device", "host", "--algorithm", "host_serial", "--effect",
                                   "none", "--log", "log.csv", "--record", "video.mp4", *words)

    def short_clip(self):
        path, clip = os.path.join(self.folder.name, "short.avi"), cv2.VideoCapture(CLIP)
        size = int(clip.get(cv2.CAP_PROP_FRAME_WIDTH)), int(clip.get(cv2.CAP_PROP_FRAME_HEIGHT))
        short = cv2.VideoWriter(path, cv2.VideoWriter_fourcc(*"MJPG"), 25, size)
        for _ in range(COUNT):
            short.write(clip.read()[1])
        short.release()
        return path

    def is_seen(self):
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "satscope"], capture_output=True, text=True,
                               check=False)
        return str(self.window) in found.stdout.split()

    def minimise(self):
        xdotool("windowminimize", self.await_window())
        self.assertTrue(self.wait_for(lambda: not self.is_seen()))

    def shows_last(self, process):
        process.stdin.write(json.dumps({"get": ["source.position", "source.length", "source.fps"]}) + "\n")
        process.stdin.flush()
        position, length, fps = json.loads(process.stdout.readline()).values()
        return fps > 0 and position > length - 1.5 / fps  # 0: not opened yet

    def play_through(self, process):
        self.assertTrue(self.wait_for(lambda: self.shows_last(process)))
        self.ask(process, {"do": "quit"})
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        self.assertNotIn("drops frames", errors)
        expected = pictures_of(self.video)
        with open(os.path.join(self.folder.name, "log.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        fresh = [int(row["id"]) for row in rows if row["again"] == "0"]
        self.assertEqual(fresh, list(range(1, len(expected) + 1)))
        recorded = pictures_of(os.path.join(self.folder.name, "video.mp4"))
        self.assertGreaterEqual(len(recorded), len(expected))
        for n, picture in enumerate(expected[:-1]):  # in place of one that was dropped the one before is shown longer
            own, next_one = difference(recorded[n], picture), difference(recorded[n], expected[n + 1])
            before = difference(recorded[n], expected[n - 1]) if n else own
            self.assertLessEqual(own, 1.1 * min(before, next_one) + 0.2, n)

    def test_minimised(self):
        process = self.play(video=CLIP)
        self.minimise()
        self.play_through(process)

    def test_minimised_and_shown_again(self):
        process = self.play("--vsync", "on")
        for _ in range(2):
            self.minimise()
            xdotool("windowmap", self.window)
            self.assertTrue(self.wait_for(self.is_seen))
        self.play_through(process)

    def test_seen_with_vsync(self):
        self.play_through(self.play("--vsync", "on"))

    def test_covered(self):
        process = self.play("--vsync", "on")
        self.await_window()
        with connection() as x:
            cover = X.XCreateSimpleWindow(x.display, LONG(X.XDefaultRootWindow(x.display)), 0, 0, 1600, 1000, 0, LONG(0),
                                          LONG(0))
            X.XMapRaised(x.display, LONG(cover))
            X.XFlush(x.display)
            self.play_through(process)

    def test_a_minimised_window_ends_when_it_is_asked_to(self):
        for end in signal.SIGINT, signal.SIGTERM:
            process = self.play("--loop")
            self.ask(process, {"frames": 2})
            self.minimise()
            process.send_signal(end)
            _, errors = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 0, errors)
            self.assertGreater(len(pictures_of(os.path.join(self.folder.name, "video.mp4"))), 1)


if __name__ == "__main__":
    if not shutil.which("openbox"):
        print("skipped: openbox is missing (apt-get install openbox)", file=sys.stderr)
        sys.exit(77)
    main()
