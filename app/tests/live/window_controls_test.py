#!/usr/bin/python3
"""The program in a real window: a matrix that is changed, files dropped on the window, closing it by its title bar. Usage: window_controls_test.py SATSCOPE ASSETS"""
import json
import os

import cv2

from screen_text import find_text
from window_case import ASSETS, PATIENCE, WindowCase, difference, main, picture, xdotool
from x11_messages import close, drop_files
from x11_screen import grab

ASTRONAUT = os.path.join(ASSETS, "astronaut.png")
CELL = (238, 186)  # of the matrix: the second of the first row


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

    def test_a_window_that_another_program_destroys_loses_nothing(self):
        process = self.open("synthetic:64x48", "--record", "v.mp4")
        self.ask(process, {"frames": 5})
        xdotool("windowclose", str(self.await_window()))
        self.assertEqual(process.wait(PATIENCE), 1)
        self.assertTrue(os.path.exists(os.path.join(self.folder.name, "v.mp4")))

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

    def test_a_recording_of_a_killed_window_can_be_played(self):
        process = self.open("synthetic:64x48", "--record", "v.mp4")

        def frames():
            video = cv2.VideoCapture(os.path.join(self.folder.name, "v.partial.mp4"))
            count = 0
            while video.read()[0]:
                count += 1
            return count

        self.assertTrue(self.wait_for(lambda: frames() >= 45))
        before = frames()
        process.kill()
        process.wait(PATIENCE)
        self.assertGreaterEqual(frames(), before)

    def test_closing_the_window_ends_the_program(self):
        process = self.open("synthetic:64x48")
        close(self.window)
        self.assertEqual(process.wait(PATIENCE), 0)


    def test_measure_is_open_at_the_first_start_of_a_wide_window_unless_a_settings_file_says_otherwise(self):
        def starts_with_measure():
            process = self.start("--device", "host", "--set", "hints=on", "--set", "window_width=1600", "--set",
                                 "window_height=900")
            self.steady()
            self.keys("Escape")  # the hints
            shown = self.wait_for(lambda: find_text(grab(1600, 900), "p99", os.path.join(ASSETS, "fonts")), 5)
            self.quit(process)
            return shown

        self.assertTrue(starts_with_measure())
        os.makedirs(os.path.join(self.folder.name, "satscope"), exist_ok=True)
        with open(os.path.join(self.folder.name, "satscope", "settings.json"), "w", encoding="utf-8") as file:
            json.dump({"version": 1, "hints": True, "dock_open": False}, file)
        self.assertFalse(starts_with_measure())


if __name__ == "__main__":
    main()
