#!/usr/bin/python3
"""--compare as a user runs it offscreen: what pictures, videos and exports show."""
import os

import cv2
import numpy as np

from cli_case import ASSETS, OK, Case, main

IMAGE = os.path.join(ASSETS, "astronaut.png")
BLUR = ("--set", "box_blur.window=31x31", "--set", "box_blur.colour=on")
RUN = ("--offscreen", "--no-config", "--device", "host", IMAGE, *BLUR)


class Compare(Case):
    def setUp(self):
        super().setUp()
        self.original = cv2.imread(IMAGE).astype(int)
        self.expect(OK, "apply", IMAGE, "--device", "host", "--effect", "box_blur", *BLUR, "-o", "blurred.png")
        self.blurred = cv2.imread(self.path("blurred.png")).astype(int)

    def recorded(self, *words):
        self.expect(OK, *RUN, "--frames", "3", "--record", "r.mp4", *words)
        read, frame = cv2.VideoCapture(self.path("r.mp4")).read()
        self.assertTrue(read)
        return frame.astype(int)

    def assert_like(self, part, image, limit=8):
        self.assertLess(np.abs(part - image).mean(), limit)

    def test_a_video_has_each_side_in_its_place(self):
        frame = self.recorded("--compare", "original,result", "--set", "wipe=0.25")
        rows = slice(40, None)  # below the names
        edge = frame.shape[1] // 4
        self.assert_like(frame[rows, :edge - 4], self.original[rows, :edge - 4])
        self.assert_like(frame[rows, edge + 4:], self.blurred[rows, edge + 4:])
        self.assertGreater(np.abs(frame[rows, edge + 4:] - self.original[rows, edge + 4:]).mean(), 8)
        self.assertGreater(frame[rows, edge].mean(), self.original[rows, edge].mean() + 40)  # the line
        names = frame[:30]
        self.assertLess(names[:, edge + 8:edge + 70].mean(), 128)  # on a dark ground

    def test_cuda_algorithms_run_on_the_simulated_gpu(self):
        self.env["CUDA_VISIBLE_DEVICES"] = ""  # as without a GPU
        done = self.expect(OK, "--offscreen", "--no-config", "synthetic:64x48", "--frames", "1", "--compare", "2r1w,1r1w")
        self.assertIn("simulated GPU", done.stderr)

    def test_two_algorithms_have_no_difference(self):
        frame = self.recorded("--compare", "host_serial,host_parallel", "--set", "compare_mode=difference", "--set",
                              "amplification=255")
        self.assertLess(frame[120:].max(), 8)
        frame = self.recorded("--compare", "original,result", "--set", "compare_mode=difference", "--set", "amplification=4")
        expected = np.minimum(255, np.abs(self.original - self.blurred) * 4)
        self.assertGreater(expected[120:].mean(), 30)
        self.assert_like(frame[120:], expected[120:], limit=14)  # a codec blurs what is as noisy

    def test_a_screenshot_shows_the_comparison_and_a_run_without_one_does_not(self):
        for name, words in ("a", ["--compare", "original,result"]), ("b", ["--compare", "off"]), ("c", []):
            self.expect(OK, *RUN, "--frames", "2", "--screenshot", name + ".png", "--export", name + ".json", *words)
        a, b, c = (cv2.imread(self.path(name + ".png")).astype(int) for name in "abc")
        picture = slice(100, 250), slice(560, 760)
        self.assertGreater(np.abs(a - b)[picture].mean(), 5)
        self.assertLess(np.abs(b - c)[picture].mean(), 0.5)
        report = self.json("a.json")
        self.assertEqual(report["compare"], {"a": "original", "b": "box_blur", "mode": "wipe"})
        self.assertTrue({"A: original", "B: box_blur"} <= {group["name"] for group in report["groups"]})
        self.assertNotIn("compose", {kernel["name"] for kernel in report["kernels"]})  # a wipe has the pixels of both
        self.assertIsNone(self.json("c.json")["compare"])

    def test_a_script_compares_swaps_and_moves_the_wipe(self):
        lines = b"""{"set": {"compare": "original,result"}}
{"frames": 2}
{"do": "swap_sides"}
{"do": "toggle_difference"}
{"frames": 2}
{"do": "toggle_difference"}
{"frames": 3}
{"set": {"wipe": 0.1}}
{"frames": 4}
{"do": "export", "to": "e.json"}
{"do": "toggle_compare"}
{"frames": 1}
{"do": "export", "to": "off.json"}
"""
        self.expect(OK, *RUN, "--script", self.write("s.jsonl", lines), "--log", "l.csv")
        report = self.json("e.json")
        self.assertEqual(report["compare"], {"a": "box_blur", "b": "original", "mode": "wipe"})
        self.assertGreaterEqual(report["frames"], 7)  # moving the wipe started nothing anew
        self.assertIsNone(self.json("off.json")["compare"])
        self.assertIn("host A: original; B: host_parallel", self.text("l.csv"))

    def test_a_saved_comparison_of_another_device_costs_a_warning(self):
        self.write("s.json", b'{"version": 1, "compare": "2r1w,1r1w"}')
        done = self.expect(OK, "--offscreen", "--config", "s.json", "--device", "host", IMAGE, "--frames", "2", "--export",
                           "e.json")
        self.assertIn("nothing is compared: 2r1w does not run on the CPU", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIsNone(self.json("e.json")["compare"])


if __name__ == "__main__":
    main()
