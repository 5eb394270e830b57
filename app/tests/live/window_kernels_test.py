#!/usr/bin/python3
"""A file with a kernel of one's own is saved many times, in every state, beside a recording: the recording is whole,
the main thread stays free, and the last version is used. Usage: window_kernels_test.py SATSCOPE ASSETS"""
import csv
import os
import random
import shutil
import subprocess
import sys
import time

import cv2
import numpy as np

from window_case import PATIENCE, PROGRAM, WindowCase, main

COUNT, BITS = 250, 8  # pictures of the video; each shows its number as so many bars, dark or light
WIDTH, HEIGHT = 320, 180
FIRST = 10           # pictures while the window is made
MOST_CPU_US = 50e3   # of the main thread's longest turn; processors that others use do not make it longer
MOST_US = 3e6        # by the clock, also where many tests run: compilers, and trials of kernels without an end, take longer

RUN = "void run(Image image, Table table) {\n"
COLUMN = "unsigned sum = 0;\n  for (int y"


def numbered(number):
    bars = [220 if number >> bit & 1 else 30 for bit in range(BITS)]
    return np.tile(np.repeat(np.uint8(bars), WIDTH // BITS)[None, :, None], (HEIGHT, 1, 3))


class WindowKernels(WindowCase):
    def setUp(self):
        super().setUp()
        self.video = os.path.join(self.folder.name, "numbers.avi")
        writer = cv2.VideoWriter(self.video, cv2.VideoWriter_fourcc(*"MJPG"), 25, (WIDTH, HEIGHT))
        for number in range(COUNT):
            writer.write(numbered(number))
        writer.release()
        self.kernel = os.path.join(self.folder.name, "mine.cu")
        subprocess.run([PROGRAM, "new", self.kernel], check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)
        with open(self.kernel, encoding="utf-8") as file:
            self.text = file.read()
        self.saves = 0

    def put(self, text):
        with open(self.kernel, "w", encoding="utf-8") as file:
            file.write(text)

    def save(self, kind):
        """Each time another text."""
        self.saves += 1
        text = self.text + f"// Save {self.saves}.\n"
        if kind == "vanished":
            if os.path.exists(self.kernel):
                os.remove(self.kernel)
        elif kind == "in place of the other":  # as many editors do it
            self.put_beside(text)
        elif kind == "in two parts":
            with open(self.kernel, "w", encoding="utf-8") as file:
                file.write(text[:len(text) // 2])
                file.flush()
                time.sleep(0.01)
                file.write(text[len(text) // 2:])
        else:
            self.put({"valid": text, "half": text[self.saves:len(text) // 2],
                      "broken": text.replace(COLUMN, "unsigned sum = no_such_name;\n  for (int y"),
                      "endless": text.replace(COLUMN, "for (volatile int on = 1; on;) {}\n  " + COLUMN),
                      "faulting": text.replace(RUN, RUN + "  __builtin_trap();\n"),
                      "wrong": text.replace("sum += table(x, y)", "sum += 2 * table(x, y)")}[kind])

    def put_beside(self, text):
        beside = self.kernel + "~"
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, self.kernel)

    def comes_to(self, process, error):
        """What becomes of the text that was saved last."""
        self.ask(process, {"frames": 3})  # meanwhile it is noticed
        self.ask(process, {"set": {"kernel": self.kernel}}, error)

    def rows(self):
        """Of the log, those of pictures that are new."""
        with open(os.path.join(self.folder.name, "log.csv"), encoding="utf-8") as file:
            return [row for row in csv.DictReader(line for line in file if not line.startswith("#")) if row["again"] == "0"]

    def check_recording(self):
        """It is whole, and can be read to its end."""
        video, pictures = cv2.VideoCapture(os.path.join(self.folder.name, "video.mp4")), 0
        for _, picture in iter(video.read, (False, None)):
            self.assertEqual(picture.shape, (HEIGHT, WIDTH, 3))
            pictures += 1
        self.assertGreater(pictures, FIRST)

    def check_main_thread(self, rows):
        for column, most in ("cpu_us", MOST_CPU_US), ("work_us", MOST_US), ("interval_us", MOST_US):
            longest = max(rows[FIRST:], key=lambda row, name=column: float(row[name] or 0))
            self.assertGreater(float(longest[column]), 0, column)
            self.assertLess(float(longest[column]), most, longest)

    def test_saves_in_quick_succession_disturb_no_recording(self):
        process = self.start_scripted(self.video, "--loop", "--no-config", "--device", "host", "--algorithm", "host_serial",
                                      "--effect", "none", "--log", "log.csv", "--record", "video.mp4")
        self.ask(process, {"frames": FIRST})
        self.ask(process, {"set": {"kernel": self.kernel}})
        self.becomes(process, algorithm="mine")
        ends = {"broken": "does not compile", "valid": None, "endless": "does not end", "half": "does not compile",
                "in place of the other": None, "faulting": "crashed", "vanished": "there is no file", "in two parts": None,
                "wrong": None}
        for kind, error in ends.items():
            self.save(kind)
            self.comes_to(process, error)
        chance = random.Random(1)
        for _ in range(200):
            self.save(chance.choice(list(ends)))
            time.sleep(chance.choice((0, 0.01, 0.03, 0.06, 0.25)))
        self.save("valid")
        self.comes_to(process, None)
        self.ask(process, {"frames": 5})
        self.becomes(process, algorithm="mine")
        self.ask(process, {"set": {"check": "on"}})
        self.ask(process, {"frames": 5})
        self.ask(process, {"do": "quit"})
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertIn(process.returncode, (1, 2), errors)  # lines were refused, as they were to be
        rows = self.rows()
        self.assertEqual({row["table"] for row in rows if row["table"]}, {"right"}, "the last version is used")
        self.check_recording()
        self.check_main_thread(rows)


if __name__ == "__main__":
    if not shutil.which("g++"):
        print("skipped: g++ is missing (apt-get install g++)", file=sys.stderr)
        sys.exit(77)
    main()
