#!/usr/bin/python3
"""The program in a real window where no new pictures come: it rests, and reports what is wrong with the source.
Usage: window_idle_test.py SATSCOPE ASSETS"""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from jpeg_stream import JpegStream
from window_case import ASSETS, NOWHERE, PATIENCE, WindowCase, difference, main, picture, screen, xdotool


class WindowIdle(WindowCase):
    def test_with_a_still_picture_the_window_is_idle_until_something_happens(self):
        process = self.start_scripted(os.path.join(ASSETS, "astronaut.png"), "--effect", "none", "--device", "host",
                                      "--algorithm", "host_serial", "--vsync", "off")
        self.ask(process, {"seconds": 6})  # the first messages are gone
        xdotool("mousemove", *NOWHERE)  # the pixel under the mouse is marked
        none = self.steady()
        self.assertTrue(self.wait_for(lambda: self.busy(process, 1) < 0.05))
        self.assertLess(self.busy(process, 3), 0.1)
        self.assertEqual(difference(picture(), none), 0)
        for action in "next_effect", "previous_effect", "next_algorithm", "next_effect":
            before = screen()  # each is seen at once, although the window was idle
            self.ask(process, {"do": action})
            self.assertTrue(self.wait_for(lambda: difference(screen(), before) > 0), action)
            self.assertTrue(self.wait_for(lambda: self.busy(process, 1) < 0.05), action)
        report = self.report_of(process)
        # After the last switch the picture was computed often enough for percentiles, but not forever: 100 times, or for 2 s.
        self.assertGreater(report["frames"], 5)
        self.assertLess(report["frames"], 105)
        self.assertTrue(all(kernel["p50"] <= kernel["p99"] <= kernel["max"] for kernel in report["kernels"]))
        self.assertTrue(any(kernel["p50"] < kernel["max"] for kernel in report["kernels"]))

    def test_a_missing_source_is_reported_and_the_window_stays_open(self):
        process = self.start_scripted("missing.mp4")
        self.ask(process, {"seconds": 3})
        self.assertIsNone(process.poll())
        self.ask(process, {"do": "quit"})
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 4)  # no picture came
        self.assertEqual([line for line in errors.splitlines() if line.startswith("satscope: ")],
                         [f"satscope: there is no file '{os.path.realpath(self.folder.name)}/missing.mp4', and no "
                          "camera of that name; check the path, or see `satscope list cameras`"])

    def test_a_lost_stream_is_said_once_and_the_window_rests(self):
        with JpegStream(60) as stream:
            process = self.start_scripted(stream.url, "--effect", "none", "--device", "host", "--algorithm", "host_serial")
            self.ask(process, {"frames": 5})
            self.assertTrue(self.wait_for(lambda: stream.visits > 2))
            self.assertTrue(self.wait_for(lambda: self.busy(process, 1) < 0.05))  # the message is gone
            self.ask(process, {"do": "quit"})
            _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual([line for line in errors.splitlines() if line.startswith("satscope: ")],
                         [f"satscope: lost '{stream.url}': it stopped sending frames; check the camera or its network; "
                          "trying again"])


if __name__ == "__main__":
    main()
