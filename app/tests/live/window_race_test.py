#!/usr/bin/python3
"""The program in a real window, with a real mouse in the tabs Race and Trace. Places are found by their words.
Usage: window_race_test.py SATSCOPE ASSETS"""
import itertools
import json
import os
import subprocess

import numpy as np

from window_case import ASSETS, PATIENCE, PROGRAM, WindowCase, difference, main, screen, xdotool

ASTRONAUT = os.path.join(ASSETS, "astronaut.png")
HEAD, TABLE = (slice(550, 590), slice(330, 930)), (slice(580, 770), slice(330, 930))
PINS = {"A": 345, "B": 357}  # where they are in a row of the race


class WindowRace(WindowCase):
    def test_a_race_is_started_pinned_and_exported(self):
        process = self.start("--device", "host", "--effect", "none")
        self.steady()
        self.click_text("Race", HEAD)
        self.click_text("Start", HEAD)
        self.place_of("Again", HEAD)
        row = self.place_of("host_serial", TABLE)
        for letter, x in PINS.items():
            letter_at = (slice(row[1] - 7, row[1] + 8), slice(x - 6, x + 7))
            plain = screen()[letter_at]
            self.click((x, row[1]))
            self.assertTrue(self.wait_for(lambda: np.ptp(screen()[letter_at], axis=2).max() > 100), "pinned: in colour")
            self.assertTrue(self.sees(f"/ {letter}", TABLE), "a column of ratios")
            self.click((x, row[1]))
            self.assertTrue(self.wait_for(lambda: np.array_equal(screen()[letter_at], plain)), "released")
            self.assertTrue(self.misses(f"/ {letter}", TABLE))
        self.click_text("Save", HEAD)
        self.assertTrue(self.wait_for(lambda: self.files(".json") and self.files(".csv")))
        rows = self.json("satscope-out", self.files(".json")[0])["race"]
        self.click_text("All parameters", HEAD)
        self.click_text("Again", HEAD)
        self.assertTrue(self.sees("Stop", HEAD))
        self.place_of("Again", HEAD)
        report = self.quit(process)
        self.assertTrue(self.saved()["race_parameters"])
        self.assertGreater(len(report["race"]), len(rows), "a row for each number of threads")

    def test_an_effect_with_tables_by_the_algorithm_is_raced_too(self):
        process = self.start("--device", "host", "--effect", "faces", "--set", "faces.tables=global")
        self.steady()
        self.click_text("Race", HEAD)
        self.click_text("Start", HEAD)
        self.place_of("Again", HEAD)
        self.assertTrue(self.sees("Faces", TABLE), "a column named after the effect")
        self.assertTrue(self.sees("Faces: from", TABLE), "what the choice of the algorithm is worth")
        report = self.quit(process)
        self.assertEqual(report["race_effect"]["parameters"]["tables"], "global")
        for row in report["race"]:
            self.assertTrue(row["equal"], row)
            self.assertGreater(row["effect_us"], 0)
            self.assertGreater(row["effect_runs"], 0)

    def test_a_trace_is_recorded_and_played(self):
        info = json.loads(subprocess.run([PROGRAM, "info", "--json"], check=True, capture_output=True, timeout=PATIENCE).stdout)
        process = self.start("--effect", "none", "--device", "simulated" if info["simulated"]["available"] else "host")
        self.steady()
        self.click_text("Trace", HEAD)
        self.assertTrue(self.sees("A trace runs the algorithm once more", TABLE))
        if not info["simulated"]["available"]:
            self.quit(process)
            self.skipTest("there is no simulated GPU")
        self.click_text("Trace", HEAD, -1)  # the button
        self.click_text("Pause", TABLE)
        self.assertTrue(self.sees("Play", TABLE))
        chart = (slice(TABLE[0].start + 90, TABLE[0].stop), TABLE[1])
        before = screen()[chart]
        moments = itertools.cycle(((400, 720), (600, 720)))  # one at least is not that at which it paused
        def another_is_shown():
            self.click(next(moments))
            return difference(screen()[chart], before) > 0.5
        self.assertTrue(self.wait_for(another_is_shown))
        x, y = self.place_of("Loop", TABLE)  # beside it: how long the trace plays, as slider and field; the moment
        self.drag((x + 56, y), (x + 86, y))
        self.assertTrue(self.misses("6.0 s", TABLE))
        xdotool("mousemove", x + 126, y)
        with self.within_a_frame(process):
            xdotool("mousedown", 1, "mouseup", 1, "mousedown", 1, "mouseup", 1)
            xdotool("type", "2.5")
        self.keys("Return")
        self.assertTrue(self.sees("2.5 s", TABLE))
        before = screen()[chart]
        self.drag((x + 250, y), (x + 300, y))
        self.assertTrue(self.wait_for(lambda: difference(screen()[chart], before) > 0.5))
        self.click_text("Loop", TABLE)
        self.click_text("Start time", TABLE)
        self.click_text("State")
        self.assertTrue(self.sees("State", TABLE))
        self.click_text("Save", HEAD)
        self.assertTrue(self.wait_for(lambda: self.files(".json")))
        self.assertIn("traceEvents", self.json("satscope-out", self.files(".json")[0]))
        self.quit(process)
        saved = self.saved()
        self.assertEqual((saved["trace_loop"], saved["trace_colour"], saved["trace_seconds"]), (True, "state", 2.5))


if __name__ == "__main__":
    main()
