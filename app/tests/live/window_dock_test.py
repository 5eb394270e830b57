#!/usr/bin/python3
"""The program in a real window, with a real mouse in the dock below the picture: kernels and frame graph. Usage: window_dock_test.py SATSCOPE ASSETS"""
import os

from window_case import ASSETS, PATIENCE, WindowCase, main, xdotool

# Where things are in the window, as its golden image shows them.
DOCK = (slice(590, 770), slice(330, 900))
HEAD = (slice(555, 582), slice(330, 930))  # its tabs, and what is beside them


class WindowDock(WindowCase):

    def test_the_mouse_selects_frames_in_the_graph(self):
        process = self.start_scripted(os.path.join(ASSETS, "astronaut.png"), "--no-config", "--effect", "none", "--device",
                                      "host")
        self.await_window()
        self.ask(process, {"frames": 150})
        self.drag((1200, 700), (1110, 700))
        self.assertTrue(self.wait_for(lambda: self.exported(process)["selected"]))
        report = self.exported(process)
        self.assertTrue(10 < report["frames"] < 60, report["frames"])
        self.assertEqual(report["last_frame"] - report["first_frame"] + 1, report["frames"])
        xdotool("key", "Escape")  # ends the selection, not the program
        self.assertTrue(self.wait_for(lambda: not self.exported(process)["selected"]))
        self.assertGreater(self.exported(process)["frames"], 100)
        self.drag((1200, 700), (1110, 700))
        self.assertTrue(self.wait_for(lambda: self.exported(process)["selected"]))
        xdotool("key", "e")  # another work: the statistics start anew
        self.assertTrue(self.wait_for(lambda: self.exported(process)["effect"] != "none"))
        self.assertFalse(self.exported(process)["selected"])
        self.ask(process, {"do": "quit"})
        self.assertEqual(process.wait(PATIENCE), 0)

    def test_what_is_timed_is_chosen_and_the_statistics_are_reset_and_exported(self):
        process = self.start("--effect", "none", "--device", "host", "--timing", "kernels", "--no-config")
        self.steady()
        choice = self.place_of("Each kernel", HEAD, -1)
        there = (slice(300, 800), slice(choice[0] - 60, choice[0] + 60))  # where its list opens
        for chosen, shown in (("Off", "timing is off"), ("Frame", "luma")):
            self.click(choice)
            self.place_of("Every launch", there)
            self.click_text(chosen, there, -1)
            self.assertTrue(self.sees(shown, DOCK), chosen)
        self.click_text("Reset", HEAD)
        for number, (entry, ending) in enumerate((("Timings as JSON", ".json"), ("Timings as CSV", ".csv"),
                                                  ("Frames as CSV", ".csv"), ("Timeline for Perfetto", ".json"))):
            self.click_text("Save...", HEAD)
            self.click_text(entry)
            self.assertTrue(self.wait_for(lambda: len(self.files(".json") + self.files(".csv")) == number + 1), entry)
            self.await_next_second()
        report = self.quit(process)
        self.assertEqual(report["timing"]["what"], "frame")


if __name__ == "__main__":
    main()
