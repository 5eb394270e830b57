#!/usr/bin/python3
"""The program in a real window: the matrix, the section Compare and the file browser by mouse and keyboard; files dropped on
the window; closing it by its title bar. Usage: window_controls_test.py SATSCOPE ASSETS"""
import os
import shutil
import time

import cv2

from window_case import ASSETS, PATIENCE, WindowCase, difference, main, picture, screen, xdotool
from x11_messages import close, drop_files

ASTRONAUT = os.path.join(ASSETS, "astronaut.png")
CELL = (502, 154)  # of the matrix: the second of the first row
LEFT = slice(40, 770), slice(0, 320)
BOX, LIST, HALF, LESS = 101, 193, 159, 110  # in the left column: a check box, a list, a slider in the middle and below it


class WindowControls(WindowCase):
    def open(self, source, *words):
        process = self.start_scripted(source, "--no-config", "--device", "host", *words)
        self.ask(process, {"frames": 1})
        self.await_window()
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

    def test_the_buttons_beside_a_matrix(self):
        process = self.open("matrix:4x3")
        self.click_text("Save CSV")
        self.assertTrue(self.wait_for(lambda: self.files(".csv")))
        with open(os.path.join(self.folder.name, "satscope-out", self.files(".csv")[0]), encoding="utf-8") as file:
            saved = [[int(value) for value in line.split(",")] for line in file.read().split()]
        self.assertEqual(saved, self.matrix(process))
        self.click_text("Show picture", (slice(40, 510), slice(320, 1280)))
        self.assertTrue(self.misses("Save CSV"))

    def test_a_display_that_goes_away_loses_nothing(self):
        process = self.open("matrix:4x3", "--export", "times.json")
        before = self.matrix(process)
        self.click(CELL)
        self.keys("2", "5", "Return")
        before[0][1] = 25
        self.assertTrue(self.wait_for(lambda: self.matrix(process) == before))
        self.click(CELL)
        self.keys("7")  # and is not entered
        before[0][1] = 7
        xdotool("windowkill", str(self.await_window()))
        self.assertEqual(process.wait(PATIENCE), 1)
        [saved] = self.files(".csv")
        with open(os.path.join(self.folder.name, "satscope-out", saved), encoding="utf-8") as file:
            self.assertEqual([[int(value) for value in line.split(",")] for line in file.read().split()], before)
        self.assertTrue(os.path.exists(os.path.join(self.folder.name, "times.json")))

    def test_quitting_with_a_changed_matrix_offers_to_save_it(self):
        process = self.open("matrix:4x3")
        before = self.matrix(process)
        os.remove(os.path.join(self.folder.name, "m.csv"))
        self.click(CELL)
        self.keys("2", "5", "Return", "Escape")  # it is for the grid
        self.keys("q")
        self.assertIsNone(process.poll(), "the question")
        self.keys("Escape", "Escape")
        close(self.window)
        self.handled()
        self.assertIsNone(process.poll(), "the question again")
        self.keys("Return")
        self.assertEqual(process.wait(PATIENCE), 0)
        folder = os.path.join(self.folder.name, "satscope-out")
        saved = os.listdir(folder)
        self.assertEqual(len(saved), 1)
        before[0][1] = 25
        with open(os.path.join(folder, saved[0]), encoding="utf-8") as file:
            self.assertEqual([[int(value) for value in line.split(",")] for line in file.read().split()], before)

    def test_a_changed_matrix_is_saved_when_another_source_opens(self):
        process = self.open("matrix:4x3")
        self.click(CELL)
        self.keys("2", "5", "Return", "Escape")
        drop_files(self.window, ASTRONAUT)
        self.assertTrue(self.wait_for(lambda: "astronaut.png" in self.exported(process)["source"]))
        self.assertTrue(self.wait_for(lambda: self.files(".csv")))
        with open(os.path.join(self.folder.name, "satscope-out", self.files(".csv")[0]), encoding="utf-8") as file:
            self.assertEqual(file.read().split(",")[1], "25")

    def test_the_section_compare(self):
        process = self.open(ASTRONAUT, "--effect", "box_blur", "--compare", "off")
        self.steady()
        self.click_text("Source", LEFT)
        swap = self.place_of("Swap")
        self.click((BOX, swap[1]))
        sides = {"a": "original", "b": "box_blur", "mode": "wipe"}
        self.becomes(process, compare=sides)
        self.click(swap)
        sides.update(a="box_blur", b="original")
        self.becomes(process, compare=sides)
        middle = self.steady()
        wipe = self.place_of("Wipe", LEFT, 1)[1]  # below the view of that name
        self.drag((HALF, wipe), (LESS, wipe))
        moved = self.steady()
        self.assertGreater(difference(moved, middle), 0.5)
        self.click((LIST, self.place_of("View", LEFT)[1]))
        self.click_text("Difference")
        sides.update(mode="difference")
        self.becomes(process, compare=sides)
        self.assertGreater(difference(self.steady(), moved), 5)

    def test_a_double_click_in_the_browser_opens_a_file(self):
        shutil.copy(ASTRONAUT, os.path.join(self.folder.name, "0.png"))
        process = self.open("synthetic:64x48")
        before = screen()
        self.keys("ctrl+o")
        self.assertTrue(self.wait_for(lambda: difference(screen()[140:660, 240:1040], before[140:660, 240:1040]) > 3))
        first_file = self.place_of("0.png", (slice(140, 660), slice(240, 1040)))
        self.click(first_file)
        self.assertNotIn("0.png", self.exported(process)["source"], "a click only selects")
        xdotool("mousemove", *first_file)
        time.sleep(0.35)  # the click before is not the first half of the double click
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
        self.assertEqual(process.wait(PATIENCE), 0)
        video = cv2.VideoCapture(os.path.join(self.folder.name, "m.mp4"))
        self.assertGreaterEqual(video.get(cv2.CAP_PROP_FRAME_COUNT), 1)

    def test_closing_the_window_ends_the_program(self):
        process = self.open("synthetic:64x48")
        close(self.window)
        self.assertEqual(process.wait(PATIENCE), 0)


if __name__ == "__main__":
    main()
