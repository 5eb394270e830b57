#!/usr/bin/python3
"""The program in a real window, with real mouse and keyboard input: choices change the picture, are computed, and are saved
for the next start. Usage: window_input_test.py SATSCOPE ASSETS"""
import os
import subprocess

from window_case import ASSETS, NOWHERE, PATIENCE, PROGRAM, WindowCase, difference, main, picture, screen, xdotool

BAR, LIST = (slice(0, 44), slice(0, 1280)), (slice(44, 800), slice(0, 1280))
HINTS = "ways to the same table", "Which one is fastest?", "Where does the time go?"


class WindowInput(WindowCase):
    def test_keys_and_mouse_change_the_picture(self):
        original, blur = self.expected("none"), self.expected("box_blur")
        process = self.start("--effect", "none", "--device", "host", "--algorithm", "host_parallel", "--compare", "off")
        self.assertTrue(self.shows(self.steady(), original))

        self.click_text("Effect", BAR)
        self.click_text("Box blur", LIST)
        self.assertTrue(self.wait_for(lambda: self.shows(picture(), blur)))
        blurred = self.steady()
        self.assertFalse(self.shows(blurred, original))

        before = screen()
        xdotool("key", "Next")
        self.assertTrue(self.wait_for(lambda: difference(screen(), before) > 0), "the algorithm's name")
        self.assertEqual(difference(self.steady(), blurred), 0)  # every algorithm gives the same table

        xdotool("key", "e")
        self.assertTrue(self.wait_for(lambda: difference(picture(), blurred) > 3))
        report = self.quit(process)
        self.assertEqual((report["algorithm"], report["effect"]), ("host_serial", "faces"))

        # Choices made in the window are saved; those of the command line are not.
        saved = self.saved()
        self.assertEqual((saved["host_algorithm"], saved["effect"], saved["device"]), ("host_serial", "faces", "auto"))
        report = self.quit_after_start("--device", "host")
        self.assertEqual((report["algorithm"], report["effect"]), ("host_serial", "faces"))

    def start_plainly(self, *words, **environment):
        """As a user does: without what a test wants written."""
        env = dict(os.environ, XDG_CONFIG_HOME=self.folder.name) | environment
        self.window = None
        process = subprocess.Popen([PROGRAM, os.path.join(ASSETS, "astronaut.png"), "--device", "host", *words],
                                   cwd=self.folder.name, env=env, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        self.await_window()
        return process

    def test_hints_at_the_first_start_until_the_first_click(self):
        process = self.start_plainly()
        for hint in HINTS:
            self.assertTrue(self.sees(hint), hint)
        self.click(NOWHERE)
        for hint in HINTS:
            self.assertTrue(self.misses(hint), hint)
        xdotool("key", "q")
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertFalse(self.saved()["hints"])
        process = self.start_plainly()
        self.steady()
        self.assertFalse(self.places_of(HINTS[0]), "they do not come back")

    def test_hints_wait_where_a_run_is_no_plain_start(self):
        for words in ("--no-config",), ("--frames", "1000000"), ("--config", "mine.json"), ("--export", "e.json"):
            process = self.start_plainly(*words)
            self.steady()
            self.assertFalse(self.places_of(HINTS[0]), words)
            xdotool("key", "t", "key", "q")  # the theme is saved, and with it that the hints still wait
            self.assertEqual(process.wait(PATIENCE), 0)
        self.assertTrue(self.saved()["hints"])
        self.start_plainly()
        self.assertTrue(self.sees(HINTS[0]))

    def test_a_matrix_is_two_clicks_away(self):
        process = self.start("--device", "host", "--compare", "off", "--effect", "none")
        self.steady()
        self.click_text("Source", BAR)
        self.click_text("Matrix 8x8", LIST)
        self.assertTrue(self.sees("Show as picture"))
        self.quit(process)

    def test_the_command_line_chooses_and_a_source_that_is_typed_and_missing_leaves_all_as_it_is(self):
        process = self.start("--effect", "adaptive_threshold", "--device", "host", "--compare", "off")
        shown = self.steady()
        self.assertTrue(self.shows(shown, self.expected("adaptive_threshold")))
        for word in "host_parallel", "Adaptive threshold":
            self.assertTrue(self.sees(word, BAR), word)
        self.click_text("Source", BAR)
        x, y = self.place_of("Open file", LIST)
        self.click((x + 60, y + 26))  # the field below it
        xdotool("key", "ctrl+a")
        xdotool("type", "--delay", "20", "sq.mp4")
        xdotool("key", "Return")
        self.assertTrue(self.sees("there is no file"))
        self.keys("Escape", "Escape")
        self.assertTrue(self.wait_for(lambda: difference(picture()[:200], shown[:200]) == 0), "above the message")
        self.assertIsNone(process.poll(), "the q in sq.mp4 must not quit")
        self.quit(process)

    def test_slow_frames_lose_no_input(self):
        process = self.start("--device", "host", "--algorithm", "host_parallel", "--effect", "box_blur")
        self.steady()
        x, y = 640, 600  # on the wipe, below its handle
        xdotool("mousemove", x, y)
        with self.within_a_frame(process):
            xdotool("mousedown", 1, "mousemove", x - 80, y, "mousemove", x - 160, y, "mouseup", 1, "mousemove", *NOWHERE)
        self.assertTrue(self.wait_for(lambda: self.line_at(480)))
        xdotool("mousemove", 480, y)
        with self.within_a_frame(process):
            xdotool("mousedown", 1, "mouseup", 1, "mousedown", 1, "mouseup", 1, "mousemove", *NOWHERE)
        self.assertTrue(self.wait_for(lambda: self.line_at(640)), "a double click")
        with self.within_a_frame(process):
            xdotool("key", "Next", "Next", "Next", "ctrl+p")
            xdotool("type", "--delay", "1", "effect the table")
            xdotool("key", "Return", "q")
        report = self.quit(process)
        self.assertEqual((report["algorithm"], report["effect"]), ("host_ehsan", "sat_view"))

    def line_at(self, x):
        """Whether the line of the wipe is there."""
        return screen()[140:320, x - 2:x + 3].min(axis=2).max(axis=1).min() == 255

    def test_a_settings_file_that_is_named_and_not_there_is_created(self):
        for name, key, theme in ("new.json", "t", "light"), ("same.json", None, "dark"):
            process = self.start("--effect", "none", "--device", "host", "--config", name)
            self.steady()
            if key:
                xdotool("key", key)
            self.quit(process)
            self.assertEqual(self.json(name)["theme"], theme)

    def test_a_settings_file_that_is_damaged_meanwhile_is_kept(self):
        path = os.path.join(self.folder.name, "satscope", "settings.json")
        os.mkdir(os.path.dirname(path))
        for text in '{"version": 1}', "{ by hand":
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            if text == '{"version": 1}':
                process = self.start_plainly()
                self.steady()
        xdotool("key", "t", "key", "q")
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0)
        self.assertTrue(errors.endswith("; it is now settings.json.broken\n"), errors)
        with open(path + ".broken", encoding="utf-8") as file:
            self.assertEqual(file.read(), "{ by hand")
        self.assertEqual(self.saved()["theme"], "light")

    def test_the_window_says_what_is_wrong_in_a_settings_file(self):
        path = os.path.join(self.folder.name, "satscope", "settings.json")
        os.mkdir(os.path.dirname(path))
        for text, words in ('{"version": 1, "theme": "pink"}', "theme takes dark or light"), ("{ by hand", "settings.json.broken"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            process = self.start_plainly()
            self.assertTrue(self.sees(words), words)
            xdotool("key", "q")
            _, errors = process.communicate(timeout=PATIENCE)
            self.assertEqual(errors.count(words), 1, errors)

    def test_the_window_says_where_no_settings_can_be_kept(self):
        home = os.path.join(self.folder.name, "home")
        with open(home, "w", encoding="utf-8"):
            pass
        process = self.start_plainly(XDG_CONFIG_HOME="", HOME=home)
        self.assertTrue(self.sees("settings are not saved"))
        xdotool("key", "t", "key", "q")  # a change that is lost was told already
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0)
        self.assertEqual([line for line in errors.splitlines() if "settings" in line],
                         [f"satscope: settings are not saved: {home} is not a folder; choose another place (--config FILE)"])


if __name__ == "__main__":
    main()
