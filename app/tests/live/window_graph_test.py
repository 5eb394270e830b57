#!/usr/bin/python3
"""The program in a real window, with a real mouse in the frame graph and in the dock beside it. Its picture is still, so that
what changes in the graph is the mouse's doing. Usage: window_graph_test.py SATSCOPE ASSETS"""
import os
import time

from window_case import ASSETS, NOWHERE, WindowCase, difference, main, screen, xdotool

ASTRONAUT = os.path.join(ASSETS, "astronaut.png")
GRAPH, HEAD = (slice(440, 700), slice(790, 1270)), (slice(240, 560), slice(690, 1280))
DOCK, CHOICE = (slice(80, 400), slice(690, 1280)), (slice(150, 220), slice(900, 1280))  # of what is timed
OPEN = "--set", "dock=frame"


class WindowGraph(WindowCase):
    def idle(self, *words):
        """The program with many frames in its graph, at rest."""
        process = self.start_scripted(ASTRONAUT, "--device", "host", "--effect", "none", *OPEN, *words)
        self.await_window()
        self.ask(process, {"frames": 150})
        xdotool("mousemove", *NOWHERE)
        self.rests()
        return process

    def bar(self):
        """The place of a frame: how high the bars are depends on the table above them."""
        return 1200, self.place_of("Frames", HEAD)[1] + 100

    def rests(self):
        """The graph, once it no longer changes."""
        quiet, before = 0, screen()[GRAPH]
        for _ in range(100):
            time.sleep(0.2)
            now = screen()[GRAPH]
            quiet = quiet + 1 if difference(now, before) == 0 else 0
            if quiet == 5:
                return now
            before = now
        self.fail("the graph keeps changing")

    def option(self, entry):
        """Of the menu behind the dots at the right."""
        y = self.place_of("Frames", HEAD)[1]
        self.click((1253, y))
        above = self.place_of("Usual zoom")[1] < y
        self.click_text(entry, (slice(0, y - 12) if above else slice(y + 12, 800), slice(900, 1280)))

    def changes(self, before, what):
        self.assertTrue(self.wait_for(lambda: difference(screen()[GRAPH], before) > 0.2), what)
        return self.rests()

    def test_the_wheel_enlarges_and_the_right_button_pans(self):
        self.idle("--no-config")
        usual, bar = self.rests(), self.bar()
        xdotool("mousemove", *bar, "click", 4, "click", 4, "mousemove", *NOWHERE)
        enlarged = self.changes(usual, "the wheel")
        xdotool("mousemove", *bar, "mousedown", 3)
        for step in range(1, 6):
            xdotool("mousemove", bar[0] + 10 * step, bar[1])
        xdotool("mouseup", 3, "mousemove", *NOWHERE)
        panned = self.changes(enlarged, "the right button")
        xdotool("keydown", "shift", "mousemove", *bar, "click", 5, "click", 5, "keyup", "shift", "mousemove", *NOWHERE)
        self.changes(panned, "the wheel with Shift")
        for entry in "Newest frames", "Usual zoom":
            self.option(entry)
        self.assertTrue(self.wait_for(lambda: difference(screen()[GRAPH], usual) == 0))

    def test_a_paused_graph_has_its_figures_again_after_a_range(self):
        self.idle("--no-config")
        xdotool("key", "g")
        self.assertTrue(self.sees("paused", (slice(300, 770), slice(690, 1280))))
        paused, bar = self.rests(), self.bar()
        self.drag((bar[0] - 60, bar[1]), bar)
        self.changes(paused, "a range")
        xdotool("key", "Escape")
        self.assertTrue(self.wait_for(lambda: difference(screen()[GRAPH], paused) == 0))

    def test_pause_and_what_the_bars_show(self):
        process = self.start("--device", "host", "--effect", "none", *OPEN)
        self.steady()
        foot = (slice(300, 770), slice(690, 1280))
        self.option("Pause")
        self.assertTrue(self.sees("paused", foot))
        self.option("Resume")
        self.assertTrue(self.misses("paused", foot))
        self.option("Bars")
        self.click_text("All kernels")
        self.quit(process)
        self.assertEqual(self.saved()["graph_shows"], "kernels")

    def test_what_is_timed_is_chosen_and_the_statistics_are_reset_and_exported(self):
        process = self.start("--effect", "none", "--device", "host", "--timing", "kernels", "--no-config", *OPEN)
        self.steady()
        there = (slice(100, 400), slice(1100, 1280))  # where the list opens
        for before, chosen, shown in (("Each kernel", "Off", "timing is off"), ("Off", "Frame", "luma")):
            self.click_text(before, CHOICE, -1)  # it moves with the lines above it
            self.place_of("Every launch", there)
            self.click_text(chosen, there, -1)
            self.assertTrue(self.sees(shown, DOCK), chosen)
        self.option("Reset all figures")
        for number, entry in enumerate(("Timings as a table", "All frames", "Timeline for Perfetto")):
            self.click_text("Save", (slice(0, 44), slice(1100, 1280)))
            self.click_text(entry, (slice(44, 600), slice(800, 1280)))
            self.assertTrue(self.wait_for(lambda: len(self.files(".json") + self.files(".csv")) == number + 1), entry)
            self.await_next_second()
        report = self.quit(process)
        self.assertEqual(report["timing"]["what"], "frame")


if __name__ == "__main__":
    main()
