#!/usr/bin/python3
"""The program in a real window: every key does what the key table says. Usage: window_keys_test.py SATSCOPE ASSETS"""
import json
import os
import subprocess
import unittest

from window_case import ASSETS, NOWHERE, PATIENCE, PROGRAM, ClipCase, difference, main, picture, screen, xdotool

ASTRONAUT = os.path.join(ASSETS, "astronaut.png")
# X's names of keys that are called otherwise here.
NAMES = {"Space": "space", ",": "comma", ".": "period", "[": "bracketleft", "]": "bracketright", "{": "braceleft",
         "}": "braceright", "<": "less", ">": "greater", "/": "slash", "+": "plus", "=": "equal", "-": "minus",
         "?": "question", "Page down": "Next", "Page up": "Prior", "Esc": "Escape", "Backspace": "BackSpace",
         "Ctrl++": "ctrl+equal", "Ctrl+-": "ctrl+minus"}
ROW, STRIP = (slice(766, 800), slice(0, 1280)), (slice(44, 82), slice(640, 1280))
BESIDE = slice(100, 760), slice(0, 290)  # of the picture
HELP, PALETTE = "Show or hide the help", "Type a command, an algorithm, an effect or a setting"
LESSON = "What a table is"  # the title of the first one


def x_name(key):
    if key in NAMES:
        return NAMES[key]
    *modifiers, last = key.split("+")
    return "+".join([*map(str.lower, modifiers), NAMES.get(last, last.lower() if len(last) == 1 else last)])


class WindowKeys(ClipCase):
    passed, pressed = set(), set()

    @classmethod
    def tearDownClass(cls):
        if cls.passed != set(unittest.TestLoader().getTestCaseNames(cls)):
            return  # one failed, or only some were asked for
        actions = json.loads(subprocess.run([PROGRAM, "list", "commands", "--json"], check=True, capture_output=True).stdout)
        missing = {key for action in actions for key in action["keys"]} - cls.pressed
        assert not missing, f"no test presses {missing}"

    def run(self, result=None):
        bad = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) == bad:
            self.passed.add(self._testMethodName)

    def press(self, *keys):
        self.pressed.update(keys)
        self.keys(*map(x_name, keys))

    def still(self, *words):
        process = self.start_scripted(ASTRONAUT, "--no-config", "--device", "host", "--effect", "none", "--compare", "off",
                                      *words)
        self.ask(process, {"frames": 1})
        self.await_window()
        return process, self.steady()

    def test_of_places_in_the_video(self):
        process = self.playing()
        self.ask(process, {"do": "seek", "to": 4})
        last = len(self.clip) - 1
        for key, number in (("Shift+Right", 150), ("Shift+Left", 120), ("Right", 270), ("Left", 120), (".", 121), (",", 120),
                            ("Up", last), ("Down", 0), (".", 1), ("0", 0)):
            self.press(key)
            self.assertTrue(self.wait_for(lambda: self.number_shown(process) == number), (key, self.number_shown(process)))

    def test_of_playing(self):
        process = self.playing()
        for resume, pause in ("Space", "P"), ("P", "Space"):
            before = self.number_shown(process)
            self.press(resume)
            self.assertTrue(self.wait_for(lambda: self.number_shown(process) > before + 3), resume)
            self.press(pause)
            shown = self.number_shown(process)
            self.ask(process, {"frames": 10})
            self.assertEqual(self.number_shown(process), shown, pause)
        self.ask(process, {"do": "seek", "to": 15.5})
        self.press("L", "Space")
        self.assertTrue(self.wait_for(lambda: self.number_shown(process) < 400), "it starts again")

    def test_of_the_speed(self):
        self.playing()
        xdotool("mousemove", 400, 783)  # the speed is there while the mouse is
        for key, speed in (("}", "2x"), ("{", "1x"), ("{", "0.5x"), ("Backspace", "1x"), ("]", "1.1x"), ("[", "1x"),
                           ("[", "0.91x"), ("Backspace", "1x")):
            self.press(key)
            self.assertTrue(self.sees(speed, ROW), (key, speed))

    def test_of_sources(self):
        process = self.playing()
        self.ask(process, {"do": "seek", "to": 4})
        self.assertEqual(self.number_shown(process), 120)
        self.press("O")
        self.assertTrue(self.wait_for(lambda: self.number_shown(process) < 30), "it is opened again")
        self.press("Ctrl+O")
        self.assertTrue(self.sees("All files"))
        self.press("Esc")
        self.assertTrue(self.misses("All files"))
        self.ask(process, {"set": {"source": "matrix:8x8"}})
        self.assertTrue(self.sees("Show as picture"))
        self.press("M")
        self.assertTrue(self.misses("Show as picture"))
        self.press("M")
        self.assertTrue(self.sees("Show as picture"))

    def test_of_what_is_computed(self):
        process, _ = self.still("--algorithm", "host_parallel")
        self.press("Page down")
        self.becomes(process, algorithm="host_serial")
        self.press("Page up")
        self.becomes(process, algorithm="host_parallel")
        effects = [effect["name"] for effect in json.loads(subprocess.run(
            [PROGRAM, "list", "effects", "--json"], check=True, capture_output=True).stdout)]
        after_none = effects[(effects.index("none") + 1) % len(effects)]
        self.press("E")
        self.becomes(process, effect=after_none)
        self.press("Shift+E")
        self.becomes(process, effect="none")
        self.press("K")
        self.assertTrue(self.wait_for(lambda: self.exported(process)["checked"] > 0))
        self.press("K")
        self.press("Shift+P")
        self.ask(process, {"frames": 3})
        self.becomes(process, checked=0)

    def test_of_undo(self):
        process, _ = self.still()
        self.press("E")
        self.assertTrue(self.wait_for(lambda: self.exported(process)["effect"] != "none"))
        chosen = self.exported(process)["effect"]
        for key, effect in ("Ctrl+Z", "none"), ("Ctrl+Shift+Z", chosen):
            self.press(key)
            self.becomes(process, effect=effect)

    def test_of_ones_own(self):
        os.makedirs(os.path.join(self.folder.name, "satscope"), exist_ok=True)
        with open(os.path.join(self.folder.name, "satscope", "settings.json"), "w", encoding="utf-8") as file:
            json.dump({"version": 1, "hints": False, "keys": {
                "F5": "set effect haar", "Ctrl+R": "cycle algorithm", "E": "toggle help", "x": "nonsense"}}, file)
        process = self.start_scripted(ASTRONAUT, "--device", "host", "--effect", "none", "--compare", "off")
        self.ask(process, {"frames": 1})
        self.await_window()
        self.steady()
        self.keys("F5")
        self.becomes(process, effect="haar")
        self.keys("ctrl+r")
        self.becomes(process, algorithm="host_serial")
        self.keys("e")
        self.assertTrue(self.sees(HELP))
        self.becomes(process, effect="haar")
        self.ask(process, {"do": "quit"})
        self.assertIn("no command 'nonsense'", process.communicate(timeout=PATIENCE)[1])

    def test_of_the_stages_of_a_window(self):
        process, _ = self.still()
        self.ask(process, {"set": {"effect": "faces", "dock": "detector", "dock_open": True, "cascade_at": "222,120", "cascade_stage": 3}})
        self.ask(process, {"frames": 1})
        before = self.steady()
        self.press(">")
        self.assertTrue(self.wait_for(lambda: difference(picture(), before) > 0), "the features of stage 4")
        self.press("<")
        self.assertTrue(self.wait_for(lambda: difference(picture(), before) == 0), "those of stage 3 again")

    def test_of_the_device(self):
        process, _ = self.still()
        self.press("D")
        info = json.loads(subprocess.run([PROGRAM, "info", "--json"], check=True, capture_output=True, timeout=PATIENCE).stdout)
        if info["gpu"]["available"] or info["simulated"]["available"]:
            self.assertTrue(self.wait_for(lambda: self.exported(process)["algorithm"] != "host_parallel"))
            return
        self.ask(process, {"do": "quit"})
        self.assertIn("no other device", process.communicate(timeout=PATIENCE)[1])

    def test_of_comparisons(self):
        process, _ = self.still()
        self.ask(process, {"set": {"effect": "box_blur", "compare": "original,box_blur"}})
        sides = {"a": "original", "b": "box_blur", "mode": "wipe"}
        self.press("C")
        self.becomes(process, compare=None)
        self.press("C")
        self.becomes(process, compare=sides)
        self.press("Shift+C")
        sides.update(a="box_blur", b="original")
        self.becomes(process, compare=sides)
        self.press("Shift+D")
        sides.update(mode="difference")
        self.becomes(process, compare=sides)

    def test_of_the_view(self):
        _, fitted = self.still()
        for key, zoom in (("1", "100%"), ("+", "141%"), ("=", "200%"), ("-", "141%")):
            self.press(key)
            self.assertTrue(self.sees(zoom, STRIP), key)
        for key in "Home", "W":
            self.press("1")
            self.assertTrue(self.wait_for(lambda: difference(picture(), fitted) > 1))
            self.press(key)
            self.assertTrue(self.wait_for(lambda: difference(picture(), fitted) == 0), key)

    def test_of_the_rectangle(self):
        _, plain = self.still()
        self.press("B")
        self.drag((600, 300), (680, 380))
        self.assertTrue(self.wait_for(lambda: difference(picture(), plain) > 1))
        self.press("Delete", "B")
        xdotool("mousemove", *NOWHERE)  # the pixel under the mouse is marked
        self.assertTrue(self.wait_for(lambda: difference(picture(), plain) == 0))
        self.drag((600, 300), (680, 380))
        self.assertEqual(difference(self.steady(), plain), 0, "all of the picture is seen: it stays")
        self.press("1", "+", "+")
        self.assertTrue(self.sees("200%", STRIP))
        enlarged = self.steady()
        self.drag((600, 300), (680, 380))  # moves the picture
        self.assertTrue(self.wait_for(lambda: difference(picture()[80:, 80:], enlarged[:-80, :-80]) < 1))

    def test_of_the_panels(self):
        process, _ = self.still()
        self.press("Tab")
        self.assertTrue(self.misses("Algorithm"))
        self.press("Tab")
        self.assertTrue(self.sees("Algorithm"))
        self.ask(process, {"set": {"dock": "frame", "dock_open": False}})
        self.assertTrue(self.misses("p99"))
        self.press("I")
        self.assertTrue(self.sees("p99"))
        self.press("I")
        self.assertTrue(self.misses("p99"))
        self.assertTrue(self.sees("Algorithm"), "only the dock is hidden")
        self.press("I")
        self.assertTrue(self.sees("p99"))
        self.press("G")
        self.assertTrue(self.sees("paused"), "the graph")
        self.press("G")
        self.assertTrue(self.misses("paused"))

    def test_of_the_window(self):
        process = self.start("--device", "host", "--effect", "none", "--compare", "off")
        before = self.steady()
        for key, leave in ("F", "F"), ("F11", "Esc"):
            self.press(key)
            self.assertTrue(self.wait_for(lambda: difference(picture(), before) > 3), key)
            self.press(leave)
            self.assertTrue(self.wait_for(lambda: difference(picture(), before) == 0), key)
        whole = screen()
        self.press("Ctrl++")
        self.assertTrue(self.wait_for(lambda: difference(screen(), whole) > 3))
        self.press("Ctrl+-")
        self.assertTrue(self.wait_for(lambda: difference(screen()[:40], whole[:40]) < 1))
        self.press("Ctrl++", "Ctrl+0")
        self.assertTrue(self.wait_for(lambda: difference(screen()[:40], whole[:40]) < 1))
        self.press("Ctrl+-", "T", "V")
        self.assertTrue(self.wait_for(lambda: screen()[BESIDE].mean() > whole[BESIDE].mean() + 100))
        self.quit(process)
        saved = self.saved()
        self.assertEqual((saved["theme"], saved["ui_scale"], saved["vsync"]), ("light", 0.75, False))

    def test_of_what_is_opened_over_the_picture(self):
        process, _ = self.still()
        for key, text in (("A", "Automatic"), ("X", "Timings as a table"), ("H", HELP), ("?", HELP), ("F1", HELP),
                          ("Ctrl+P", PALETTE), ("Ctrl+,", "Reset everything")):
            self.assertEqual(self.places_of(text), [], key)
            self.press(key)
            self.assertTrue(self.sees(text), key)
            self.press("Esc")
            self.assertTrue(self.misses(text), key)
        self.assertIsNone(process.poll(), "Esc closed what was open")

    def test_of_the_presentation(self):
        process, before = self.still()
        self.press("Shift+L")
        self.assertTrue(self.sees(LESSON))
        self.press("Shift+L")
        self.assertTrue(self.misses(LESSON))
        self.assertTrue(self.wait_for(lambda: difference(picture(), before) == 0), "what was shown before")
        self.assertIsNone(process.poll())

    def test_of_the_search(self):
        self.still()
        for key in "/", "Ctrl+F":
            self.press(key)
            self.assertTrue(self.sees("prefix_tree"), key)
            xdotool("type", "--delay", "50", "serial")
            self.assertTrue(self.misses("prefix_tree"), key)
            xdotool("key", "Escape", "Escape")
            self.assertTrue(self.misses("How the sums move"), key)

    def test_of_races_and_traces(self):
        process, _ = self.still()
        self.press("Shift+A")
        self.assertTrue(self.sees("host_serial"), "its rows")
        self.ask(process, {"set": {"dock": "tiles", "cuda_algorithm": "2r2w"}})
        self.press("Shift+T")
        self.ask(process, {"do": "quit"})
        self.assertIn("records no tiles", process.communicate(timeout=PATIENCE)[1])

    def test_of_features(self):
        process, _ = self.still()
        self.press("Shift+F")
        self.assertTrue(self.sees("Response"))
        self.becomes(process, effect="haar")
        for key, number in ("N", "80691"), ("Shift+N", "80690"):
            self.press(key)
            self.assertTrue(self.sees(number), key)

    def test_of_files(self):
        opened = self.fake_opener()
        process, _ = self.still()
        for count, key in enumerate(("S", "Shift+S", "Ctrl+S"), 1):
            self.press(key)
            self.assertTrue(self.wait_for(lambda: len(self.files(".png")) == count), key)
            self.await_next_second()
        self.press("Ctrl+C")
        self.assertTrue(self.sees("Copied the picture"))
        self.press("R")
        self.ask(process, {"frames": 2})
        self.press("R")
        self.assertTrue(self.wait_for(lambda: self.files(".mp4")))
        self.press("Shift+O")
        self.assertTrue(self.wait_for(lambda: os.path.exists(opened)))
        self.assertIsNone(process.poll())

    def test_of_quitting(self):
        for key in "Q", "Ctrl+Q":
            process, _ = self.still()
            self.press("Esc", "Esc")
            self.assertIsNone(process.poll(), "Esc ends nothing")
            self.press(key)
            self.assertEqual(process.wait(PATIENCE), 0, key)


if __name__ == "__main__":
    main()
