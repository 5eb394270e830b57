#!/usr/bin/python3
"""The program in a real window: the matrix, the section Compare and the file browser by mouse and keyboard; files dropped on
the window; closing it by its title bar. Usage: window_controls_test.py SATSCOPE ASSETS"""
import os
import shutil
import time

import cv2

from window_case import ASSETS, WindowCase, difference, main, picture, screen, xdotool
from x11_messages import close, drop_files, satscope_window

ASTRONAUT = os.path.join(ASSETS, "astronaut.png")
# Where things are in the window, as its golden image shows them. The section Compare: with Source closed.
CELL = (409, 118)  # of the matrix: the second of the first row
SOURCE_TITLE, COMPARE_BOX, SWAP, VIEW_LIST, DIFFERENCE = (100, 54), (101, 503), (273, 503), (193, 587), (150, 636)
WIPE, WIPE_TO = (159, 615), (110, 615)
FIRST_FILE = (440, 203)


class WindowControls(WindowCase):
    def open(self, source, *words):
        process = self.start_scripted(source, "--no-config", "--device", "host", *words)
        self.ask(process, {"frames": 1})
        self.window = satscope_window()
        return process

    def matrix(self, process):
        self.ask(process, {"do": "save_matrix", "to": "m.csv"})
        with open(os.path.join(self.folder.name, "m.csv"), encoding="utf-8") as file:
            return [[int(value) for value in line.split(",")] for line in file.read().split()]

    def test_numbers_of_a_matrix_are_changed(self):
        process = self.open("matrix:4x3")
        before = self.matrix(process)
        self.click(CELL)
        self.keys("2", "5", "Return")  # selects the one below
        self.keys("8", "Tab")          # and to the right
        self.keys("3", "Escape")       # which changes nothing
        before[0][1], before[1][1] = 25, 8
        self.assertTrue(self.wait_for(lambda: self.matrix(process) == before), (self.matrix(process), before))
        self.assertIsNone(process.poll(), "Escape was the number's")

    def test_quitting_with_a_changed_matrix_offers_to_save_it(self):
        process = self.open("matrix:4x3")
        before = self.matrix(process)
        os.remove(os.path.join(self.folder.name, "m.csv"))
        self.click(CELL)
        self.keys("2", "5", "Return", "Escape")  # the second one is for the grid
        self.keys("Escape")
        self.assertIsNone(process.poll(), "the question")
        self.keys("Escape")
        close(self.window)
        time.sleep(1)
        self.assertIsNone(process.poll(), "the question again")
        self.keys("Return")
        self.assertEqual(process.wait(30), 0)
        folder = os.path.join(self.folder.name, "satscope-out")
        saved = os.listdir(folder)
        self.assertEqual(len(saved), 1)
        before[0][1] = 25
        with open(os.path.join(folder, saved[0]), encoding="utf-8") as file:
            self.assertEqual([[int(value) for value in line.split(",")] for line in file.read().split()], before)

    def test_the_section_compare(self):
        process = self.open(ASTRONAUT, "--effect", "box_blur", "--compare", "off")
        self.steady()
        self.click(SOURCE_TITLE)
        self.click(COMPARE_BOX)
        sides = {"a": "original", "b": "box_blur", "mode": "wipe"}
        self.assertTrue(self.wait_for(lambda: self.exported(process)["compare"] == sides), self.exported(process)["compare"])
        self.click(SWAP)
        sides.update(a="box_blur", b="original")
        self.assertTrue(self.wait_for(lambda: self.exported(process)["compare"] == sides), self.exported(process)["compare"])
        middle = self.steady()
        self.drag(WIPE, WIPE_TO)
        moved = self.steady()
        self.assertGreater(difference(moved, middle), 0.5)
        self.click(VIEW_LIST)
        self.click(DIFFERENCE)
        sides.update(mode="difference")
        self.assertTrue(self.wait_for(lambda: self.exported(process)["compare"] == sides), self.exported(process)["compare"])
        self.assertGreater(difference(self.steady(), moved), 5)

    def test_a_double_click_in_the_browser_opens_a_file(self):
        shutil.copy(ASTRONAUT, os.path.join(self.folder.name, "0.png"))
        process = self.open("synthetic:64x48")
        before = screen()
        self.keys("ctrl+o")
        self.assertTrue(self.wait_for(lambda: difference(screen()[140:660, 240:1040], before[140:660, 240:1040]) > 3))
        time.sleep(0.5)
        self.click(FIRST_FILE)
        self.assertNotIn("0.png", self.exported(process)["source"], "a click only selects")
        xdotool("mousemove", *FIRST_FILE)
        with self.within_a_frame(process):
            xdotool("mousedown", 1, "mouseup", 1, "mousedown", 1, "mouseup", 1)
        self.assertTrue(self.wait_for(lambda: "0.png" in self.exported(process)["source"]))

    def test_a_dropped_file_is_opened(self):
        process = self.open("synthetic:64x48")
        drop_files(self.window, ASTRONAUT, os.path.join(ASSETS, "clip.mp4"))
        self.assertTrue(self.wait_for(lambda: "astronaut.png" in self.exported(process)["source"]), "the first of them")

    def test_closing_the_window_while_something_is_recorded_asks_first(self):
        process = self.open(ASTRONAUT)
        still = self.steady()
        self.ask(process, {"do": "record", "to": "m.mp4"})
        self.ask(process, {"frames": 2})
        close(self.window)
        self.assertTrue(self.wait_for(lambda: difference(picture(), still) > 3), "the question")
        self.keys("Escape")
        self.assertTrue(self.wait_for(lambda: difference(picture()[:200], still[:200]) < 1), "it goes on")
        self.assertIsNone(process.poll())
        close(self.window)
        self.assertTrue(self.wait_for(lambda: difference(picture(), still) > 3))
        close(self.window)
        self.assertEqual(process.wait(30), 0)
        video = cv2.VideoCapture(os.path.join(self.folder.name, "m.mp4"))
        self.assertGreaterEqual(video.get(cv2.CAP_PROP_FRAME_COUNT), 1)

    def test_closing_the_window_ends_the_program(self):
        process = self.open("synthetic:64x48")
        close(self.window)
        self.assertEqual(process.wait(30), 0)


if __name__ == "__main__":
    main()
