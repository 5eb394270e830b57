#!/usr/bin/python3
"""Commands with hostile names, typed into the palette of the program in a real window, by a user without rights: every answer is
a line, and a recording and a changed matrix survive. Usage: window_names_test.py SATSCOPE ASSETS"""
import glob
import os
import random
import signal
import subprocess
import time

import cv2

from window_case import PATIENCE, PROGRAM, WindowCase, main, xdotool
from x11_messages import LONG, X, connection

NOBODY = 65534
LONGEST = 12  # seconds of random lines
ENDINGS = {"record": [".mp4"], "save_matrix": [".csv"], "export": [".json", ".csv"], "export_csv": [".csv"],
           "export_frames": [".csv"], "export_timeline": [".json"], "save_picture": [".png"], "screenshot": [".png"]}
NUMBERS = "1,2,3;4,5,7"


class WindowNames(WindowCase):
    def setUp(self):
        super().setUp()
        self.random = random.Random(20261129)
        self.begun = time.time() - 1
        self.rights = dict(user=NOBODY, group=NOBODY, extra_groups=[]) if os.getuid() == 0 else {}
        at = self.at = lambda name: os.path.join(self.folder.name, name)
        for name in "locked", "read-only", "home", "out":
            os.mkdir(at(name))
        for name, text in ("locked/x.png", "x"), ("precious.png", "precious"):
            with open(at(name), "w", encoding="ascii") as file:
                file.write(text)
        for link, target in ("one", "two"), ("two", "one"), ("away", "nowhere/x"):
            os.symlink(target, at(link))
        if self.rights:
            for place in [self.folder.name, *glob.glob(at("*")), at("locked/x.png")]:
                os.chown(place, NOBODY, NOBODY, follow_symlinks=False)
        for name, mode in ("locked", 0), ("read-only", 0o555), ("precious.png", 0o400):
            os.chmod(at(name), mode)
        self.addCleanup(os.chmod, at("locked"), 0o755)
        deep = "/a" * 2500
        self.names = ["/root", "/root/x", "/root/a/b/x", "/proc/x", "/proc/self/mem", "/dev/full", "/dev/null", "/", ".", "..",
                      "~root/x", "nowhere/x", "/\udcff/x", "caf\udce9 x", "\u0000x", "file:///root", "file://h/x",
                      "http://127.0.0.1:9/x", "rtsp://u:p@127.0.0.1:9/x", "'", '"', "a\tb", "- -", "%00%ff", "/dev/video77",
                      "matrix:/root/x", deep, deep + "/x", "n" * 300, "n" * 5000, "/etc/passwd/x", "~/x",
                      *map(at, ("locked", "locked/x", "locked/a/x", "read-only", "read-only/x", "precious", "one", "one/x",
                                "two", "away", ""))]
        self.endings = dict(ENDINGS)
        # Names that may not be looked at, too long, and in a circle.
        self.first = ["save_picture to /root/x.png", "screenshot to /root/y.png", "export_frames to /root/x.csv",
                      "save_picture to " + "n" * 300 + ".png", "screenshot to " + at("one.png"), "export to " + at("locked/x.json")]
        os.symlink("one.png", at("one.png"))

    def begin(self, source):
        env = dict(os.environ, XDG_CONFIG_HOME=self.at("home"), HOME=self.at("home"), TMPDIR=self.at("home"))
        self.errors = open(self.at("errors"), "w+", encoding="utf-8", errors="replace")
        self.addCleanup(self.errors.close)
        process = subprocess.Popen([PROGRAM, source, "--device", "host", "--set", "hints=off", "--set",
                                    "output_folder=" + self.at("out")], cwd=self.folder.name, env=env, stderr=self.errors,
                                   **self.rights)
        self.addCleanup(self.end, process)
        self.await_window()
        return process

    def enter(self, line):
        """Into the palette, from the clipboard: letter by letter it would take a frame each."""
        with connection() as x:
            X.XSetSelectionOwner(x.display, LONG(x.atom("CLIPBOARD")), LONG(x.window), LONG(0))
            X.XFlush(x.display)
            self.keys("ctrl+p")
            xdotool("key", "ctrl+v")
            x.give_selection(line.encode(errors="surrogateescape"))
            self.keys("Return", "Escape")  # one that is refused leaves the palette open

    def name(self):
        text = self.random.choice(self.names)
        if self.random.random() < 0.75:
            text += self.random.choice(["", "", ".png", ".csv", ".json", ".mp4", "/", "/x.png"])
        return f"'{text}'" if self.random.random() < 0.1 else text

    def line(self, opens):
        which = self.random.randrange(10)
        if which == 0:
            return self.random.choice(["set output_folder ", "output_folder = "]) + self.name()
        if which == 1:
            return self.random.choice(["set faces.cascade ", "faces.cascade = "]) + self.name()
        if which < 4 and opens:
            return self.random.choice(["open ", "source = "]) + self.name()
        command = self.random.choice(list(self.endings))
        return command + " to " + self.name() + self.random.choice(self.endings[command])

    def enter_many(self, process, opens):
        for line in self.first:
            before = len(self.said())
            self.enter(line)
            self.assertTrue(self.wait_for(lambda: len(self.said()) > before or process.poll() is not None), line)
            self.assertIsNone(process.poll(), line[:200])
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            line = self.line(opens)
            self.enter(line)
            self.assertIsNone(process.poll(), line[:200])

    def said(self):
        self.errors.seek(0)
        lines = self.errors.read().splitlines()
        for line in lines:
            self.assertTrue(line.startswith("satscope: "), line)
            self.assertNotIn("u:p@", line)
        return lines

    def starts_to_record(self, process, name):
        self.enter("record to " + self.at(name))
        self.assertTrue(self.wait_for(lambda: glob.glob(self.at("*.partial.mp4")) or process.poll() is not None))

    def pictures_of(self, name):
        return int(cv2.VideoCapture(self.at(name)).get(cv2.CAP_PROP_FRAME_COUNT))

    def saved_matrix(self):
        """In the output folder that was typed last: of any name, hidden (".png"), or beside the folder of the test ("..")."""
        around = os.path.dirname(self.folder.name)
        folders = [around, *(folder for folder, _, _ in os.walk(self.folder.name))]
        found = [path for folder in folders for path in glob.glob(os.path.join(glob.escape(folder), "matrix-*.csv"))
                 if os.stat(path).st_mtime >= self.begun]
        self.assertEqual(len(found), 1, (found, self.said()))
        self.addCleanup(os.remove, found[0])
        return found[0]

    def test_a_recording_and_a_changed_matrix_survive(self):
        process = self.begin("matrix:3x2")
        del self.endings["save_matrix"]  # it may succeed: then nothing is left to save
        self.first.append("save_matrix to /root/m.csv")
        self.enter("matrix = " + NUMBERS)
        self.starts_to_record(process, "video.mp4")
        self.enter_many(process, False)
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        self.assertEqual(sum("saved the changed matrix: " in line for line in self.said()), 1, self.said())
        with open(self.saved_matrix(), encoding="ascii") as file:
            self.assertEqual(file.read().split(), NUMBERS.split(";"))
        self.assertGreater(self.pictures_of("video.mp4"), 0)

    def test_a_recording_survives_sources_that_cannot_be_opened(self):
        process = self.begin("synthetic:64x48")
        self.starts_to_record(process, "video.mp4")
        self.enter_many(process, True)
        self.assertEqual(glob.glob(self.at("video.mp4")), [], "it is recorded")
        self.enter("stop_record")
        self.assertTrue(self.wait_for(lambda: os.path.exists(self.at("video.mp4"))))
        self.assertGreater(self.pictures_of("video.mp4"), 0)
        self.keys("q")
        self.assertIn(process.wait(PATIENCE), (0, 1))  # 1: a file was not written
        self.said()
        with open(self.at("precious.png"), encoding="ascii") as file:
            self.assertEqual(file.read(), "precious")


if __name__ == "__main__":
    main()
