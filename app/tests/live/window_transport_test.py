#!/usr/bin/python3
"""The program in a real window, with a video: keys and the seek bar go to places, quitting asks while something is recorded,
another file is chosen. Usage: window_transport_test.py SATSCOPE ASSETS"""
import os
import shutil

import cv2

from clip_case import ClipCase
from window_case import ASSETS, PATIENCE, difference, main, picture, screen, xdotool

TRANSPORT = slice(510, 550), slice(320, 1280)
ICONS = 343, 367, 390, 412  # to the start, back, play, forward


class WindowTransport(ClipCase):
    def test_keys_and_the_seek_bar_go_to_places(self):
        process = self.playing()
        self.ask(process, {"do": "seek", "to": 4})
        self.assertEqual(self.number_shown(process), 120)
        for key, number in (("period", 121), ("comma", 120), ("comma", 119), ("Right", 269), ("Left", 119), ("0", 0)):
            xdotool("key", key)
            self.assertTrue(self.wait_for(lambda: self.number_shown(process) == number), key)
        seek_bar = (800, self.place_of("Loop", TRANSPORT)[1])
        xdotool("mousemove", *seek_bar, "mousedown", 1)
        self.assertTrue(self.wait_for(lambda: self.number_shown(process) > 50))
        clicked = self.number_shown(process)
        for step in range(1, 6):
            xdotool("mousemove", seek_bar[0] + step * 10, seek_bar[1])
        xdotool("mouseup", 1)
        self.assertTrue(self.wait_for(lambda: self.number_shown(process) > clicked + 20))
        before = self.number_shown(process)
        xdotool("key", "space")
        self.assertTrue(self.wait_for(lambda: self.number_shown(process) > before), "it plays")

    def test_the_mouse_works_the_transport(self):
        process = self.playing()
        self.ask(process, {"do": "seek", "to": 4})
        self.assertEqual(self.number_shown(process), 120)
        loop = self.place_of("Loop", TRANSPORT)
        start, back, play, forward = ((x, loop[1]) for x in ICONS)
        for place, number in ((forward, 121), (back, 120), (start, 0)):
            self.click(place)
            self.assertTrue(self.wait_for(lambda: self.number_shown(process) == number), place)
        self.click_text("1x", TRANSPORT)
        self.click_text("4x")
        self.assertTrue(self.sees("4x", TRANSPORT))
        self.click(loop)
        self.ask(process, {"do": "seek", "to": 15})
        self.click(play)
        self.assertTrue(self.wait_for(lambda: self.number_shown(process) < 400), "it plays, and starts again")
        self.click(play)
        shown = self.number_shown(process)
        self.ask(process, {"frames": 10})
        self.assertEqual(self.number_shown(process), shown, "it is paused")

    def test_a_source_is_chosen_in_the_list_and_the_palette_goes_to_a_time(self):
        process = self.playing()
        browse = self.place_of("Browse")
        self.click((browse[0] - 48, browse[1]))  # the arrow beside the field
        self.click_text("Test scene 960x540")
        self.assertTrue(self.wait_for(lambda: "synthetic, 960x540" in self.exported(process)["source"]))
        self.click((browse[0] - 48, browse[1]))
        self.click_text("clip.mp4", (slice(90, 400), slice(200, 700)))  # the recent one
        self.assertTrue(self.wait_for(lambda: "clip.mp4" in self.exported(process)["source"]))
        self.ask(process, {"do": "pause"})
        xdotool("key", "ctrl+p")
        self.assertTrue(self.sees("Type a command, an algorithm, an effect or a setting"))
        xdotool("type", "--delay", "30", "seek 0:04")
        xdotool("key", "Return")
        self.assertTrue(self.wait_for(lambda: self.number_shown(process) == 120))
        self.click(browse)
        self.assertTrue(self.sees("Cancel"))
        self.click_text("Cancel")
        self.assertTrue(self.misses("Cancel"))

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
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertGreaterEqual(cv2.VideoCapture(os.path.join(self.folder.name, "m.mp4")).get(cv2.CAP_PROP_FRAME_COUNT), 1)

    def test_a_file_is_chosen_in_the_browser(self):
        shutil.copy(os.path.join(ASSETS, "astronaut.png"), os.path.join(self.folder.name, "zz_astronaut.png"))
        process = self.start_scripted("synthetic:64x48", "--no-config", "--device", "host")
        self.ask(process, {"frames": 1})
        self.await_window()
        xdotool("key", "ctrl+o")
        self.place_of("zz_astronaut.png")  # the folder is read by another thread
        xdotool("type", "--delay", "50", "zz")
        xdotool("key", "Return")
        self.assertTrue(self.wait_for(lambda: "zz_astronaut.png" in self.exported(process)["source"]))


if __name__ == "__main__":
    main()
