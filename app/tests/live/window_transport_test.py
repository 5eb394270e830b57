#!/usr/bin/python3
"""The program in a real window, with a video: keys and the seek bar go to places, quitting asks while something is recorded,
another file is chosen. Usage: window_transport_test.py SATSCOPE ASSETS"""
import os
import shutil
import time

import cv2

from window_case import ASSETS, WindowCase, difference, main, picture, screen, xdotool

SEEK_BAR = (800, 531)  # a place in it, in the window
CLIP = os.path.join(ASSETS, "clip.mp4")


class WindowTransport(WindowCase):
    @classmethod
    def setUpClass(cls):
        video, cls.clip = cv2.VideoCapture(CLIP), []
        for read, frame in iter(video.read, (False, None)):
            cls.clip.append(cv2.resize(frame, (96, 54), interpolation=cv2.INTER_AREA))

    def playing(self, *words):
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

    def test_keys_and_the_seek_bar_go_to_places(self):
        process = self.playing()
        self.ask(process, {"do": "seek", "to": 4})
        self.assertEqual(self.number_shown(process), 120)
        for key, number in (("period", 121), ("comma", 120), ("comma", 119), ("Right", 269), ("Left", 119), ("0", 0)):
            xdotool("key", key)
            self.assertTrue(self.wait_for(lambda: self.number_shown(process) == number), key)
        xdotool("mousemove", *SEEK_BAR, "mousedown", 1)
        self.assertTrue(self.wait_for(lambda: self.number_shown(process) > 50))
        clicked = self.number_shown(process)
        for step in range(1, 6):
            xdotool("mousemove", SEEK_BAR[0] + step * 10, SEEK_BAR[1])
            time.sleep(0.05)
        xdotool("mouseup", 1)
        self.assertTrue(self.wait_for(lambda: self.number_shown(process) > clicked + 20))
        before = self.number_shown(process)
        xdotool("key", "space")
        self.assertTrue(self.wait_for(lambda: self.number_shown(process) > before), "it plays")

    def test_quitting_while_something_is_recorded_asks_first(self):
        process = self.playing()
        still = self.steady()
        self.ask(process, {"do": "record", "to": "m.mp4"})
        self.ask(process, {"frames": 1})
        for _ in range(2):
            xdotool("key", "q")
            self.assertTrue(self.wait_for(lambda: difference(picture(), still) > 3), "the question")
            xdotool("key", "Escape")
            self.assertTrue(self.wait_for(lambda: difference(picture()[:200], still[:200]) < 1), "it goes on")
            self.assertIsNone(process.poll())
        xdotool("key", "q")
        self.assertTrue(self.wait_for(lambda: difference(picture(), still) > 3))
        xdotool("key", "q")
        self.assertEqual(process.wait(30), 0)
        self.assertGreaterEqual(cv2.VideoCapture(os.path.join(self.folder.name, "m.mp4")).get(cv2.CAP_PROP_FRAME_COUNT), 1)

    def test_a_file_is_chosen_in_the_browser(self):
        shutil.copy(os.path.join(ASSETS, "astronaut.png"), os.path.join(self.folder.name, "zz_astronaut.png"))
        process = self.start_scripted("synthetic:64x48", "--no-config", "--device", "host")
        self.ask(process, {"frames": 1})
        self.await_window()
        before = screen()
        xdotool("key", "ctrl+o")
        self.assertTrue(self.wait_for(lambda: difference(screen()[140:660, 240:1040], before[140:660, 240:1040]) > 3))
        time.sleep(0.5)  # the folder is read by another thread
        xdotool("type", "--delay", "50", "zz")
        time.sleep(0.2)
        xdotool("key", "Return")
        self.assertTrue(self.wait_for(lambda: "zz_astronaut.png" in self.exported(process)["source"]))


if __name__ == "__main__":
    main()
