#!/usr/bin/python3
"""The program in a real window, with a real mouse in the tabs Race and Tiles. Places are found by their words.
Usage: window_race_test.py SATSCOPE ASSETS"""
import json
import os
import subprocess

from window_case import ASSETS, PATIENCE, PROGRAM, WindowCase, difference, main, screen

ASTRONAUT = os.path.join(ASSETS, "astronaut.png")
BAR, DOCK = (slice(0, 44), slice(0, 1280)), (slice(82, 766), slice(690, 1280))


class WindowRace(WindowCase):
    def test_a_race_is_started_and_exported(self):
        process = self.start("--device", "host", "--effect", "none")
        self.steady()
        self.click_text("Race", BAR)
        again = self.place_of("Again", DOCK)
        self.place_of("host_serial", DOCK)
        self.click_text("Save", BAR)
        self.click_text("Race", (slice(44, 600), slice(860, 1280)))
        self.assertTrue(self.wait_for(lambda: self.files(".json") and self.files(".csv")))
        rows = self.json("satscope-out", self.files(".json")[0])["race"]
        self.click((1255, again[1]))  # the button beside it
        self.click_text("All parameters")
        self.click(again)
        self.assertTrue(self.sees("Stop", DOCK))
        self.place_of("Again", DOCK)
        report = self.quit(process)
        self.assertTrue(self.saved()["race_parameters"])
        self.assertGreater(len(report["race"]), len(rows), "a row for each number of threads")

    def test_an_effect_with_tables_by_the_algorithm_is_raced_too(self):
        process = self.start("--device", "host", "--effect", "faces", "--set", "faces.tables=global")
        self.steady()
        self.click_text("Race", BAR)
        self.place_of("Again", DOCK)
        self.assertTrue(self.sees("Faces", DOCK), "a column named after the effect")
        report = self.quit(process)
        self.assertEqual(report["race_effect"]["parameters"]["tables"], "global")
        timed = [row for row in report["race"] if row["effect_us"] is not None]
        self.assertGreater(len(timed), 1)
        for row in timed:
            self.assertTrue(row["equal"], row)
            self.assertGreater(row["effect_us"], 0)
            self.assertGreater(row["effect_runs"], 0)

    def test_a_trace_is_recorded_and_played(self):
        info = json.loads(subprocess.run([PROGRAM, "info", "--json"], check=True, capture_output=True, timeout=PATIENCE).stdout)
        process = self.start("--effect", "none", "--device", "simulated" if info["simulated"]["available"] else "host")
        self.steady()
        self.click_text("Measure", BAR)
        self.click_text("Tiles", DOCK)  # which traces them
        if not info["simulated"]["available"]:
            self.assertTrue(self.sees("When is each tile computed?", DOCK))
            self.quit(process)
            self.skipTest("there is no simulated GPU")
        self.place_of("Trace again", DOCK)
        x, y = self.place_of("in 6 s", DOCK)
        chart = (slice(y + 30, 680), DOCK[1])
        self.drag((820, y), (840, y))  # the moment; it no longer plays
        before = screen()[chart]
        self.drag((840, y), (940, y))
        self.assertTrue(self.wait_for(lambda: difference(screen()[chart], before) > 0.5))
        self.click((x, y))
        self.click_text("20 s", DOCK)
        self.assertTrue(self.sees("in 20 s", DOCK))
        self.click_text("Start", (slice(y - 12, y + 12), DOCK[1]))
        self.click_text("State", (slice(y + 12, 766), DOCK[1]))
        self.assertTrue(self.sees("State", (slice(y - 12, y + 12), DOCK[1])))
        self.click_text("Save", BAR)
        self.click_text("Trace", (slice(44, 600), slice(860, 1150)))  # not the one of "Trace again", at the right
        self.assertTrue(self.wait_for(lambda: self.files(".json")))
        self.assertIn("traceEvents", self.json("satscope-out", self.files(".json")[0]))
        self.quit(process)
        saved = self.saved()
        self.assertEqual((saved["trace_colour"], saved["trace_seconds"]), ("state", 20))


if __name__ == "__main__":
    main()
