#!/usr/bin/python3
"""The program in a real window, with real mouse and keyboard input: choices change the picture, are computed, and are saved
for the next start. Usage: window_input_test.py SATSCOPE ASSETS"""
import json
import os
import shutil
import time

import cv2
import numpy as np

from window_case import ASSETS, NOWHERE, PICTURE, WindowCase, difference, main, picture, screen, xdotool

# Where things are in the window, as its golden image shows them.
MIDDLE = (800, 300)
WHOLE_FRAME = (slice(558, 578), slice(834, 920))
EFFECT_LIST, BOX_BLUR = (196, 465), (196, 514)
SEEK_BAR = (800, 531)
KERNELS_TITLE, TIMELINE_TAB, TIMELINE = (344, 602), (420, 574), (700, 660)
DOCK = (slice(590, 770), slice(330, 900))


class WindowInput(WindowCase):
    def test_keys_and_mouse_change_the_picture(self):
        process = self.start("--effect", "none", "--device", "host", "--algorithm", "host_parallel", "--compare", "off",
                             "--set", "box_blur.colour=off")
        none = self.steady()
        self.assertTrue(self.shows(none, self.expected("none")))

        self.click(EFFECT_LIST)
        self.click(BOX_BLUR)
        blurred = self.steady()
        self.assertTrue(self.shows(blurred, self.expected("box_blur")))
        self.assertFalse(self.shows(blurred, self.expected("none")))

        xdotool("key", "bracketright")
        time.sleep(0.5)
        self.assertEqual(difference(self.steady(), blurred), 0)  # every algorithm gives the same table

        xdotool("key", "e")
        self.assertTrue(self.wait_for(lambda: difference(picture(), blurred) > 3))
        report = self.quit(process)
        self.assertEqual((report["algorithm"], report["effect"]), ("host_serial", "haar"))

        # Choices made in the window are saved; those of the command line are not.
        with open(os.path.join(self.folder.name, "satscope", "settings.json"), encoding="utf-8") as file:
            saved = json.load(file)
        self.assertEqual((saved["host_algorithm"], saved["effect"], saved["device"]), ("host_serial", "haar", "auto"))
        report = self.quit_after_start("--device", "host")
        self.assertEqual((report["algorithm"], report["effect"]), ("host_serial", "haar"))

    def test_the_palette_changes_the_effect(self):
        process = self.start("--effect", "none", "--device", "host", "--compare", "off", "--set", "box_blur.colour=off")
        none = self.steady()
        xdotool("key", "ctrl+p")
        self.assertTrue(self.wait_for(lambda: difference(picture(), none) > 3))
        xdotool("type", "--delay", "60", "effect box blur")
        time.sleep(0.5)
        xdotool("key", "Return")
        self.assertTrue(self.wait_for(lambda: self.shows(picture(), self.expected("box_blur"))))
        self.assertEqual(self.quit(process)["effect"], "box_blur")

    def test_slow_frames_lose_no_input(self):
        process = self.start("--device", "host", "--algorithm", "host_parallel", "--effect", "box_blur")
        self.steady()
        x, y = 800, 420  # on the wipe, below its handle
        xdotool("mousemove", x, y)
        with self.within_a_frame(process):
            xdotool("mousedown", 1, "mousemove", x - 80, y, "mousemove", x - 160, y, "mouseup", 1, "mousemove", *NOWHERE)
        self.assertTrue(self.wait_for(lambda: self.line_at(640)))
        xdotool("mousemove", 640, y)
        with self.within_a_frame(process):
            xdotool("mousedown", 1, "mouseup", 1, "mousedown", 1, "mouseup", 1, "mousemove", *NOWHERE)
        self.assertTrue(self.wait_for(lambda: self.line_at(800)), "a double click")
        with self.within_a_frame(process):
            xdotool("key", "bracketright", "bracketright", "bracketright", "ctrl+p")
            xdotool("type", "--delay", "1", "effect the table")
            xdotool("key", "Return", "q")
        report = self.quit(process)
        self.assertEqual((report["algorithm"], report["effect"]), ("host_serial", "sat_view"))

    def line_at(self, x):
        """Whether the line of the wipe is there."""
        return screen()[100:220, x - 2:x + 3].min(axis=2).max(axis=1).min() == 255

    def test_text_becomes_larger_and_the_theme_changes(self):
        process = self.start("--effect", "none", "--device", "host", "--compare", "off")
        self.steady()
        before = screen()
        xdotool("key", "ctrl+equal")
        self.assertTrue(self.wait_for(lambda: difference(screen(), before) > 3))
        xdotool("key", "ctrl+minus")
        time.sleep(0.3)
        xdotool("key", "ctrl+0")
        self.assertTrue(self.wait_for(lambda: difference(screen()[:40], before[:40]) < 1))
        xdotool("key", "t")
        panel = (slice(600, 780), slice(10, 300))
        self.assertTrue(self.wait_for(lambda: screen()[panel].mean() > before[panel].mean() + 100))
        self.quit(process)
        with open(os.path.join(self.folder.name, "satscope", "settings.json"), encoding="utf-8") as file:
            saved = json.load(file)
        self.assertEqual((saved["theme"], saved["ui_scale"]), ("light", 0))

    def test_fullscreen_and_back(self):
        process = self.start("--effect", "none", "--device", "host", "--compare", "off")
        before = self.steady()
        xdotool("key", "F11")
        self.assertTrue(self.wait_for(lambda: difference(picture(), before) > 3))
        xdotool("key", "Escape")  # leaves fullscreen, not the program
        self.assertTrue(self.wait_for(lambda: difference(picture(), before) == 0))
        self.quit(process)

    def test_a_click_places_the_feature_and_its_handles_resize_it(self):
        process = self.start_scripted(os.path.join(ASSETS, "astronaut.png"), "--effect", "haar", "--device", "host", "--compare", "off")
        self.ask(process, {"set": {"effect.width": 40, "effect.height": 60, "effect.type": "type-2-x"}})
        self.ask(process, {"frames": 1})
        xdotool("search", "--sync", "--onlyvisible", "--name", "satscope")
        self.steady()
        self.click(MIDDLE)
        self.click((MIDDLE[0] + 3, MIDDLE[1]))
        placed = self.steady()
        scale = 474 / cv2.imread(os.path.join(ASSETS, "astronaut.png")).shape[0]
        right = (round(MIDDLE[0] + 40 * scale), MIDDLE[1])
        xdotool("mousemove", *right)
        time.sleep(0.3)
        xdotool("mousedown", 1)
        time.sleep(0.3)
        for step in range(1, 5):
            xdotool("mousemove", right[0] + step * 10, right[1])
            time.sleep(0.1)
        xdotool("mouseup", 1)
        time.sleep(0.3)
        self.assertGreater(difference(self.steady(), placed), 0.2)
        parameters = self.report_of(process)["effect_parameters"]
        self.assertAlmostEqual(int(parameters["width"]), 40 + 20 / scale, delta=2)
        self.assertEqual(int(parameters["height"]), 60)

    def test_a_click_on_a_title_sorts_the_kernels_and_the_wheel_enlarges_the_timeline(self):
        process = self.start("--effect", "none", "--device", "host")
        self.steady()
        self.click(KERNELS_TITLE)
        self.click(KERNELS_TITLE)
        self.click(TIMELINE_TAB)
        xdotool("mousemove", *TIMELINE)
        time.sleep(0.5)
        whole = screen()[WHOLE_FRAME]  # its button is enabled while only a part is shown
        for _ in range(6):
            xdotool("click", 4)
            time.sleep(0.1)
        self.assertTrue(self.wait_for(lambda: difference(screen()[WHOLE_FRAME], whole) > 3))
        self.quit(process)
        with open(os.path.join(self.folder.name, "satscope", "settings.json"), encoding="utf-8") as file:
            saved = json.load(file)
        self.assertEqual((saved["kernels_sort"], saved["kernels_descending"], saved["dock"]), ("name", True, "timeline"))

    def drag(self, start, end):
        xdotool("mousemove", *start)
        time.sleep(0.3)
        xdotool("mousedown", 1)
        time.sleep(0.3)
        for step in range(1, 5):
            xdotool("mousemove", start[0] + (end[0] - start[0]) * step // 4, start[1] + (end[1] - start[1]) * step // 4)
            time.sleep(0.1)
        xdotool("mouseup", 1)
        xdotool("mousemove", *NOWHERE)
        time.sleep(0.3)

    def test_the_rectangle_is_drawn_moved_and_removed(self):
        process = self.start("--effect", "none", "--device", "host", "--compare", "off")
        plain = self.steady()
        xdotool("key", "b")
        self.drag((700, 200), (780, 280))
        drawn = self.steady()
        self.assertGreater(difference(drawn, plain), 1)
        self.drag((740, 240), (780, 300))  # inside: it moves
        moved = self.steady()
        self.assertGreater(difference(moved, drawn), 1)
        self.drag((820, 340), (860, 360))  # its lower right corner
        self.assertGreater(difference(self.steady(), moved), 0.5)
        xdotool("key", "Delete")
        self.assertTrue(self.wait_for(lambda: difference(picture(), plain) == 0))
        self.drag((700, 200), (780, 280))
        self.assertTrue(self.wait_for(lambda: difference(picture(), plain) > 1))
        xdotool("key", "Escape")
        self.assertTrue(self.wait_for(lambda: difference(picture(), plain) == 0))
        self.quit(process)

    def test_the_mouse_selects_frames_in_the_graph(self):
        process = self.start_scripted(os.path.join(ASSETS, "astronaut.png"), "--no-config", "--effect", "none", "--device",
                                      "host")
        xdotool("search", "--sync", "--onlyvisible", "--name", "satscope")
        self.ask(process, {"frames": 150})

        def exported(name):
            self.ask(process, {"do": "export", "to": name})
            with open(os.path.join(self.folder.name, name), encoding="utf-8") as file:
                return json.load(file)

        def drag():
            xdotool("mousemove", 1200, 700)
            time.sleep(0.3)
            xdotool("mousedown", 1)
            for x in range(1190, 1109, -10):
                xdotool("mousemove", x, 700)
                time.sleep(0.05)
            time.sleep(0.3)
            xdotool("mouseup", 1)
            xdotool("mousemove", *NOWHERE)

        drag()
        self.assertTrue(self.wait_for(lambda: exported("range.json")["selected"]))
        report = exported("range.json")
        self.assertTrue(10 < report["frames"] < 60, report["frames"])
        self.assertEqual(report["last_frame"] - report["first_frame"] + 1, report["frames"])
        xdotool("key", "Escape")  # ends the selection, not the program
        self.assertTrue(self.wait_for(lambda: not exported("all.json")["selected"]))
        self.assertGreater(exported("all.json")["frames"], 100)
        drag()
        self.assertTrue(self.wait_for(lambda: exported("again.json")["selected"]))
        xdotool("key", "e")  # another work: the statistics start anew
        self.assertTrue(self.wait_for(lambda: exported("anew.json")["effect"] != "none"))
        self.assertFalse(exported("anew.json")["selected"])
        self.ask(process, {"do": "quit"})
        self.assertEqual(process.wait(30), 0)

    def test_wheel_drag_and_fit(self):
        process = self.start("--effect", "none", "--device", "host", "--compare", "off")
        fitted = self.steady()
        xdotool("mousemove", *MIDDLE)
        time.sleep(0.3)
        for _ in range(5):
            xdotool("click", 4)
            time.sleep(0.2)
        enlarged = self.steady()
        self.assertGreater(difference(enlarged, fitted), 5)
        # The point under the mouse stays there.
        y, x = MIDDLE[1] - PICTURE[0].start, MIDDLE[0] - PICTURE[1].start
        near = (slice(y - 2, y + 3), slice(x - 2, x + 3))
        self.assertLess(difference(enlarged[near], fitted[near]), 25)

        xdotool("mousedown", 1)
        time.sleep(0.3)
        for step in range(1, 6):
            xdotool("mousemove", MIDDLE[0] + step * 8, MIDDLE[1])
            time.sleep(0.1)
        time.sleep(0.2)
        xdotool("mouseup", 1)
        dragged = self.steady()
        self.assertLess(difference(dragged[:, 40:], enlarged[:, :-40]), 1)  # 40 pixels to the right, nothing else

        xdotool("key", "f")
        self.assertTrue(self.wait_for(lambda: difference(picture(), fitted) == 0))
        self.quit(process)

    def sides(self, now):
        """What is left and right of the middle: 'original', 'blurred' or neither."""
        images = {"original": cv2.imread(os.path.join(ASSETS, "astronaut.png")),
                  "blurred": self.expected("box_blur", "--set", "window=31x31", "--set", "colour=on")}
        fitted = {name: cv2.resize(image, (474, 474), interpolation=cv2.INTER_AREA).astype(int)
                  for name, image in images.items()}
        rows, top, left = slice(100, 220), 40, 563  # neither the names at the top nor the handle in the middle
        found = []
        for columns in slice(570, 660), slice(840, 1030):
            part = now[rows, columns]
            found.append([name for name, image in fitted.items() if difference(
                part, image[rows.start - top:rows.stop - top, columns.start - left:columns.stop - left]) < 6])
        return found

    def test_the_first_start_compares_in_colour_and_the_wipe_is_dragged(self):
        process = self.start("--device", "host", "--set", "box_blur.window=31x31")
        self.steady()
        self.assertEqual(self.sides(screen()), [["original"], ["blurred"]])

        x, y = 800, 420  # on the line, below its handle
        xdotool("mousemove", x, y)
        time.sleep(0.3)
        xdotool("mousedown", 1)
        time.sleep(0.3)
        for step in range(1, 11):
            xdotool("mousemove", x - step * 16, y)
            time.sleep(0.05)
        time.sleep(0.2)
        xdotool("mouseup", 1)
        xdotool("mousemove", *NOWHERE)
        self.steady()
        self.assertEqual(self.sides(screen()), [["original"], ["blurred"]])  # the picture itself was not moved
        pixels = screen()[100:220, 635:645].astype(int)
        self.assertGreater(np.abs(pixels.max(axis=1) - pixels.min(axis=1)).mean(), 30)  # the line is here now

        xdotool("key", "shift+c")
        self.assertTrue(self.wait_for(lambda: self.sides(screen()) == [["blurred"], ["original"]]))
        xdotool("key", "c")
        self.assertTrue(self.wait_for(lambda: self.sides(screen()) == [["blurred"], ["blurred"]]))
        xdotool("key", "c")
        self.assertTrue(self.wait_for(lambda: self.sides(screen()) == [["blurred"], ["original"]]))
        self.assertEqual(self.quit(process)["compare"], {"a": "box_blur", "b": "original", "mode": "wipe"})
        with open(os.path.join(self.folder.name, "satscope", "settings.json"), encoding="utf-8") as file:
            saved = json.load(file)
        self.assertAlmostEqual(saved["wipe"], (640 - 563) / 474, delta=0.02)
        self.assertEqual((saved["compare"], saved["zoom"], saved["box_blur.colour"]), ("result,original", 0, "on"))

    def playing(self, *words):
        process = self.start_scripted(os.path.join(ASSETS, "clip.mp4"), "--no-config", "--device", "host", *words)
        self.ask(process, {"set": {"effect": "none", "compare": "off"}})
        self.ask(process, {"do": "pause"})
        self.ask(process, {"frames": 1})
        xdotool("search", "--sync", "--onlyvisible", "--name", "satscope")
        return process

    def number_shown(self, process):
        """The number of the clip's frame that is shown."""
        self.ask(process, {"frames": 1})
        self.ask(process, {"do": "save_picture", "to": "p.png"})
        saved = cv2.imread(os.path.join(self.folder.name, "p.png"))
        os.remove(os.path.join(self.folder.name, "p.png"))
        if not hasattr(self, "clip"):
            video, self.clip = cv2.VideoCapture(os.path.join(ASSETS, "clip.mp4")), []
            for read, frame in iter(video.read, (False, None)):
                self.clip.append(cv2.resize(frame, (96, 54), interpolation=cv2.INTER_AREA))
        small = cv2.resize(saved, (96, 54), interpolation=cv2.INTER_AREA)
        return min(range(len(self.clip)), key=lambda n: cv2.absdiff(self.clip[n], small).sum())

    def test_keys_and_the_seek_bar_go_to_places(self):
        process = self.playing()
        self.ask(process, {"do": "seek", "to": 4})
        self.assertEqual(self.number_shown(process), 120)
        for key, number in (("period", 121), ("comma", 120), ("comma", 119), ("Right", 269), ("Left", 119), ("0", 0)):
            xdotool("key", key)
            time.sleep(0.5)
            self.assertEqual(self.number_shown(process), number, key)
        xdotool("mousemove", *SEEK_BAR)
        time.sleep(0.3)
        xdotool("mousedown", 1)
        time.sleep(0.3)
        clicked = self.number_shown(process)
        self.assertGreater(clicked, 50)
        for step in range(1, 6):
            xdotool("mousemove", SEEK_BAR[0] + step * 10, SEEK_BAR[1])
            time.sleep(0.1)
        xdotool("mouseup", 1)
        time.sleep(0.3)
        self.assertGreater(self.number_shown(process), clicked + 20)
        xdotool("key", "space")
        time.sleep(0.5)
        before = self.number_shown(process)
        time.sleep(0.5)
        self.assertNotEqual(self.number_shown(process), before, "it plays")

    def test_quitting_while_something_is_recorded_asks_first(self):
        process = self.playing()
        self.ask(process, {"do": "record", "to": "m.mp4"})
        self.ask(process, {"frames": 1})
        for key in ("q", "Escape", "q", "Escape"):
            xdotool("key", key)
            time.sleep(0.7)
            self.assertIsNone(process.poll(), key)
        xdotool("key", "q")
        time.sleep(0.7)
        xdotool("key", "q")
        self.assertEqual(process.wait(30), 0)
        self.assertGreaterEqual(cv2.VideoCapture(os.path.join(self.folder.name, "m.mp4")).get(cv2.CAP_PROP_FRAME_COUNT), 1)

    def test_a_file_is_chosen_in_the_browser(self):
        shutil.copy(os.path.join(ASSETS, "astronaut.png"), os.path.join(self.folder.name, "zz_astronaut.png"))
        process = self.start_scripted("synthetic:64x48", "--no-config", "--device", "host")
        self.ask(process, {"frames": 1})
        xdotool("search", "--sync", "--onlyvisible", "--name", "satscope")
        xdotool("key", "ctrl+o")
        time.sleep(1)
        xdotool("type", "--delay", "200", "zz")
        time.sleep(0.5)
        xdotool("key", "Return")
        self.assertTrue(self.wait_for(lambda: "zz_astronaut.png" in self.source_of(process)))

    def source_of(self, process):
        self.ask(process, {"do": "export", "to": "s.json"})
        with open(os.path.join(self.folder.name, "s.json"), encoding="utf-8") as file:
            return json.load(file)["source"]

    def test_a_click_on_a_row_of_the_race_switches_to_it(self):
        process = self.start("--device", "host", "--algorithm", "host_parallel", "--effect", "none")
        self.steady()
        before = screen()
        xdotool("key", "A")  # opens the tab, too
        self.assertTrue(self.wait_for(lambda: difference(screen()[DOCK], before[DOCK]) > 1))
        time.sleep(2)
        # Down the rows, of which the slowest is the last.
        for y in range(DOCK[0].start + 40, DOCK[0].stop - 4, 9):
            xdotool("mousemove", DOCK[1].start + 110, y)
            time.sleep(0.12)
            xdotool("click", 1)
            time.sleep(0.12)
        report = self.quit(process)
        self.assertEqual(report["algorithm"], "host_serial")
        self.assertEqual({row["name"]: row["equal"] for row in report["race"]}, {"host_parallel": True, "host_serial": True})

    def test_the_cards_open_by_key_and_close_by_escape(self):
        process = self.start("--device", "host", "--effect", "none")
        before = self.steady()
        xdotool("key", "a")
        self.assertTrue(self.wait_for(lambda: difference(picture(), before) > 10))
        xdotool("key", "Escape")
        self.assertTrue(self.wait_for(lambda: difference(picture(), before) == 0))
        self.quit(process)


if __name__ == "__main__":
    main()
