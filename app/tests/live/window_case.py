"""What the tests of the program in a real window share: starting it, its input, and what the screen shows. They need a
display of its own (with_display) and xdotool, and are called with SATSCOPE ASSETS."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import cv2
import numpy as np

from screen_text import find_text
from x11_messages import PATIENCE, let_turn, satscope_window
from x11_screen import grab

PROGRAM, ASSETS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
CLIP = os.path.join(ASSETS, "clip.mp4")
WIDTH, HEIGHT = 1280, 800
SIDE, LEFT_EDGE, TOP = 684, 298, 82  # of the picture of a square image, fitted, while the dock is closed
PICTURE = (slice(120, 720), slice(310, 970))  # inside it, below the names of a comparison
NOWHERE = (820, 22)  # in the bar at the top, between its buttons: no tooltip appears there


def xdotool(*words):
    subprocess.run(["xdotool", *map(str, words)], check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)


def window_titles():
    return subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "satscope", "getwindowname", "%@"], check=True,
                          stdout=subprocess.PIPE, text=True, timeout=PATIENCE).stdout.splitlines()


def screen():
    return grab(WIDTH, HEIGHT).astype(int)


def picture():
    return screen()[PICTURE]


def difference(a, b):
    return np.abs(a - b).mean()


class WindowCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="satscope-window-")
        self.addCleanup(self.folder.cleanup)
        self.window = None   # X's number of it, once it was looked for
        self.clicked = None  # where the mouse was last pressed

    def before_start(self):
        self.window = None
        xdotool("mousemove", *NOWHERE)  # the pixel under the mouse would be marked
        return dict(os.environ, XDG_CONFIG_HOME=self.folder.name)

    def start(self, *words):
        env = self.before_start()
        process = subprocess.Popen([PROGRAM, os.path.join(ASSETS, "astronaut.png"), "--export", "e.json", *words],
                                   cwd=self.folder.name, env=env, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        self.await_window()
        return process

    def start_scripted(self, *words):
        """The same, driven by ask()."""
        env = self.before_start()
        process = subprocess.Popen([PROGRAM, "--script", "-", *words], cwd=self.folder.name, env=env, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end, process)
        return process

    def ask(self, process, line, error=None):
        """Sends a line; the answer must be ok, or an error with these words."""
        process.stdin.write(json.dumps(line) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        if error is None:
            self.assertEqual(answer, {"ok": True}, line)
        else:
            self.assertIn(error, answer["error"])

    def report_of(self, process):
        self.ask(process, {"do": "export", "to": "e.json"})
        self.ask(process, {"do": "quit"})
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        return self.json("e.json")

    def json(self, *names):
        with open(os.path.join(self.folder.name, *names), encoding="utf-8") as file:
            return json.load(file)

    def saved(self):
        """The settings, once the program has ended."""
        return self.json("satscope", "settings.json")

    def exported(self, process):
        self.ask(process, {"do": "export", "to": "now.json"})
        return self.json("now.json")

    def becomes(self, process, **expected):
        """What an export says, soon."""
        def is_so():
            report = self.exported(process)
            return all(report[name] == value for name, value in expected.items())

        self.assertTrue(self.wait_for(is_so), (expected, self.exported(process)))

    def files(self, ending):
        """Names of those that the window saved."""
        folder = os.path.join(self.folder.name, "satscope-out")
        return [name for name in os.listdir(folder) if name.endswith(ending)] if os.path.isdir(folder) else []

    def fake_opener(self):
        """In place of the desktop's: programs that are started later write into this file which folder it is to open."""
        path, opened = os.environ["PATH"], os.path.join(self.folder.name, "opened")
        opener = os.path.join(self.folder.name, "xdg-open")
        with open(opener, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$1" > "{opened}"\n')
        os.chmod(opener, 0o755)
        self.addCleanup(os.environ.update, PATH=path)
        os.environ["PATH"] = self.folder.name + ":" + path
        return opened

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def wait_for(self, what, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if what():
                return True
            time.sleep(0.1)
        return False

    def handled(self, events=1):
        """Returns when as many events, which xdotool has sent, have had their effect: the program takes one per frame, and
        what opens is laid out in the frame after it."""
        let_turn(self.await_window(), events + 3)

    def keys(self, *names):
        self.await_window()  # after the key it may be gone
        xdotool("key", *names)
        self.handled(2 * len(names))

    def steady(self):
        """The picture, once it no longer changes."""
        before, end = picture(), time.monotonic() + PATIENCE
        while time.monotonic() < end:
            time.sleep(0.2)
            now = picture()
            if difference(before, now) == 0 and now.std() > 25:  # not the note that the source is being opened
                return now
            before = now
        self.fail("the picture of a still image keeps changing")

    @staticmethod
    def await_next_second():
        """The names of saved files have the time in seconds."""
        time.sleep(1.01 - time.time() % 1)

    def places_of(self, text, within=None):
        return find_text(screen(), text, os.path.join(ASSETS, "fonts"), within)

    def place_of(self, text, within=None, which=0):
        """Where it stands in the window, once it does; `which` of several, from the top down; -1: the
        last one."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = self.places_of(text, within)
            if len(found) > max(which, 0):
                return found[which]
            time.sleep(0.1)
        self.fail(f"'{text}' is not in the window")

    def sees(self, text, within=None):
        """Soon."""
        return self.wait_for(lambda: self.places_of(text, within))

    def misses(self, text, within=None):
        return self.wait_for(lambda: not self.places_of(text, within))

    def click_text(self, text, within=None, which=0):
        self.click(self.place_of(text, within, which))

    def click(self, place):
        if self.clicked and max(abs(a - b) for a, b in zip(self.clicked, place)) < 10:
            time.sleep(0.35)  # it must not make a double click of the one before
        self.clicked = place
        xdotool("mousemove", *place, "mousedown", 1, "mouseup", 1, "mousemove", *NOWHERE)
        self.handled(4)

    def drag(self, start, end, steps=4):
        words = ["mousemove", *start, "mousedown", 1]
        for step in range(1, steps + 1):
            words += "mousemove", *(a + (b - a) * step // steps for a, b in zip(start, end))
        words += "mouseup", 1, "mousemove", *NOWHERE
        self.clicked = start
        xdotool(*words)
        self.handled(steps + 4)

    def await_window(self):
        self.window = self.window or satscope_window()
        return self.window

    @contextlib.contextmanager
    def within_a_frame(self, process):
        """What happens meanwhile, the program finds all at once, as after a frame that took long."""
        self.handled()
        process.send_signal(signal.SIGSTOP)
        yield
        process.send_signal(signal.SIGCONT)

    def quit(self, process):
        xdotool("key", "q")
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        return self.json("e.json")

    def expected(self, effect, *words):
        out = os.path.join(self.folder.name, "o.png")
        subprocess.run([PROGRAM, "apply", os.path.join(ASSETS, "astronaut.png"), "--device", "host", "--effect", effect,
                        "-o", out, *words], check=True, timeout=PATIENCE)
        return cv2.imread(out)

    def shows(self, now, image):
        """Whether the window shows `image`, fitted as the layout does."""
        fitted = cv2.resize(image, (SIDE, SIDE), interpolation=cv2.INTER_LINEAR).astype(int)
        rows, columns = PICTURE
        part = fitted[rows.start - TOP:rows.stop - TOP, columns.start - LEFT_EDGE:columns.stop - LEFT_EDGE]
        return difference(now, part) < 8

    def quit_after_start(self, *words):
        process = self.start(*words)
        self.steady()
        return self.quit(process)

    @staticmethod
    def busy(process, seconds):
        """CPU time that all threads of the program use during `seconds`."""
        def used():
            with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
                fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        before = used()
        time.sleep(seconds)
        return used() - before


class ClipCase(WindowCase):
    """With a video, which is paused; it knows which of its frames is shown."""

    @classmethod
    def setUpClass(cls):
        video, cls.clip = cv2.VideoCapture(CLIP), []
        for read, frame in iter(video.read, (False, None)):
            cls.clip.append(cv2.resize(frame, (96, 54), interpolation=cv2.INTER_AREA))

    def playing(self, *words):
        """Paused at its first frame."""
        process = self.start_scripted(CLIP, "--no-config", "--device", "host", *words)
        self.ask(process, {"set": {"effect": "none", "compare": "off"}})
        self.ask(process, {"do": "pause"})
        self.ask(process, {"frames": 1})
        self.await_window()
        return process

    def number_shown(self, process):
        """The number of the clip's frame that is shown."""
        self.ask(process, {"frames": 1})
        self.ask(process, {"do": "save_picture", "to": "p.png"})
        saved = cv2.imread(os.path.join(self.folder.name, "p.png"))
        os.remove(os.path.join(self.folder.name, "p.png"))
        small = cv2.resize(saved, (96, 54), interpolation=cv2.INTER_AREA)
        return min(range(len(self.clip)), key=lambda n: cv2.absdiff(self.clip[n], small).sum())


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
