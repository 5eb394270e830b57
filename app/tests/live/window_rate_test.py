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

from window_case import CLIP, PATIENCE, WindowCase, main, xdotool
from x11_messages import LONG, X, connection


def frames_of(path):
    video, count = cv2.VideoCapture(path), 0
    while video.grab():
        count += 1
    return count


class WindowRate(WindowCase):
    def setUp(self):
        super().setUp()
        manager = subprocess.Popen(["openbox", "--sm-disable"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (manager.terminate(), manager.wait()))
        managed = ["xdotool", "get_num_desktops"]  # which only a window manager knows
        self.assertTrue(self.wait_for(lambda: subprocess.run(managed, capture_output=True, check=False).returncode == 0))

    def play(self, *words):
        return self.start_scripted(CLIP, "--no-config", "--device", "host", "--algorithm", "host_serial", "--effect",
                                   "box_blur", "--log", "log.csv", "--record", "video.mp4", *words)

    def is_seen(self):
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "satscope"], capture_output=True, text=True,
                               check=False)
        return str(self.window) in found.stdout.split()

    def minimise(self):
        xdotool("windowminimize", self.await_window())
        self.assertTrue(self.wait_for(lambda: not self.is_seen()))

    def ended(self, process):
        process.stdin.write(json.dumps({"get": ["source.ended"]}) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())["source.ended"]

    def play_through(self, process):
        self.assertTrue(self.wait_for(lambda: self.ended(process)))
        self.ask(process, {"do": "quit"})
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        self.assertNotIn("drops frames", errors)
        expected = frames_of(CLIP)
        with open(os.path.join(self.folder.name, "log.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        self.assertEqual([int(row["id"]) for row in rows], list(range(1, expected + 1)))
        self.assertEqual({row["again"] for row in rows}, {"0"})
        self.assertEqual(frames_of(os.path.join(self.folder.name, "video.mp4")), expected)

    def test_minimised(self):
        process = self.play()
        self.minimise()
        self.play_through(process)

    def test_minimised_and_shown_again(self):
        process = self.play("--vsync", "on")
        for _ in range(3):
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
            self.assertGreater(frames_of(os.path.join(self.folder.name, "video.mp4")), 1)


if __name__ == "__main__":
    if not shutil.which("openbox"):
        print("skipped: openbox is missing (apt-get install openbox)", file=sys.stderr)
        sys.exit(77)
    main()
