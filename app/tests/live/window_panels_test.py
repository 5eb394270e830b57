#!/usr/bin/python3
"""The program in a real window, with a real mouse in the panels at the left and in the bar at the top. Places are found by
their words. Usage: window_panels_test.py SATSCOPE ASSETS"""
import os

from window_case import ASSETS, WindowCase, difference, main, picture, screen, xdotool

ASTRONAUT = os.path.join(ASSETS, "astronaut.png")
LEFT, BAR = (slice(40, 770), slice(0, 320)), (slice(0, 40), slice(0, 1280))
LIST = (slice(40, 800), slice(90, 310))  # where lists open: over the controls, upwards if there is no room below
CONTROL = 196  # in the left column, a place in the controls beside the labels
LINE = 28      # pixels from one control to the next


class WindowPanels(WindowCase):
    def beside(self, label, within=LEFT, which=0):
        return CONTROL, self.place_of(label, within, which)[1]

    def close_sections(self, *titles):
        for title in titles:
            before = screen()[LEFT]
            self.click_text(title, LEFT)
            self.assertTrue(self.wait_for(lambda: difference(screen()[LEFT], before) > 0.5), title)

    def choose(self, place, entry, other=None):
        """In the list that a click there opens; `other`: one that stands nowhere else, where the entry does."""
        self.click(place)
        if other:
            self.place_of(other, LIST)
        self.click_text(entry, LIST, -1)
        if other:
            self.assertTrue(self.misses(other, LIST), "the list is closed")

    def test_the_device_and_a_parameter_of_the_algorithm(self):
        process = self.start("--effect", "none")
        self.steady()
        self.choose(self.beside("Threads"), "16")
        self.choose(self.beside("Device"), "CPU", "Simulated GPU")
        report = self.quit(process)
        self.assertEqual(report["algorithm_parameters"]["threads"], "16")
        self.assertEqual(self.saved()["device"], "host")

    def test_the_sides_of_a_comparison_and_its_amplification(self):
        process = self.start_scripted(ASTRONAUT, "--no-config", "--device", "host", "--effect", "box_blur", "--compare", "off")
        self.ask(process, {"frames": 1})
        self.await_window()
        self.steady()
        self.close_sections("Source", "Algorithm")
        swap = self.place_of("Swap")
        first, second = (CONTROL, swap[1] + LINE), (CONTROL, swap[1] + 2 * LINE)
        self.choose(first, "The table", "host_serial")
        self.choose(second, "Adaptive threshold", "host_serial")
        sides = {"a": "sat_view", "b": "adaptive_threshold"}
        self.becomes(process, compare=sides | {"mode": "wipe"})
        self.choose(self.beside("View"), "Difference")
        self.becomes(process, compare=sides | {"mode": "difference"})
        before = self.steady()
        y = self.beside("Amplify")[1]
        self.drag((140, y), (120, y))
        self.assertTrue(self.wait_for(lambda: difference(picture(), before) > 0.5))

    def test_the_section_display(self):
        process = self.start("--device", "host", "--effect", "none", "--compare", "off")
        fitted = self.steady()
        self.close_sections("Source", "Algorithm", "Effect", "Compare")
        status = (slice(770, 800), slice(900, 1280))
        for word, zoom in (("1:1", "100%"), ("Fit", "93%")):
            self.click_text(word, LEFT)
            self.assertTrue(self.sees(zoom, status), word)
        self.assertEqual(difference(self.steady(), fitted), 0)
        fit = self.place_of("Fit", LEFT)
        self.click((fit[0] - 27, fit[1]))  # +
        self.assertTrue(self.sees("100%", status))
        self.click((fit[0] - 52, fit[1]))  # -
        self.assertTrue(self.sees("71%", status))
        self.click_text("Fit", LEFT)
        y = self.place_of("Vsync", LEFT)[1]
        self.click((101, y))
        self.choose(self.beside("Theme"), "Light")
        self.assertTrue(self.wait_for(lambda: screen()[LEFT].mean() > 150))
        auto = self.place_of("Auto", (slice(y, 770), LEFT[1]))
        before = screen()
        self.click((auto[0] - 36, auto[1]))  # +
        self.assertTrue(self.wait_for(lambda: difference(screen(), before) > 3))
        self.quit(process)
        saved = self.saved()
        self.assertEqual((saved["vsync"], saved["theme"], saved["ui_scale"]), (False, "light", 1.25))

    def test_the_buttons_of_the_bar(self):
        opened = self.fake_opener()
        process = self.start("--device", "host", "--effect", "none")
        self.steady()
        self.click_text("Save picture", BAR)
        self.assertTrue(self.wait_for(lambda: len(self.files(".png")) == 1))
        self.click_text("Record", BAR)
        self.click_text("Screenshot", BAR)
        self.assertTrue(self.wait_for(lambda: len(self.files(".png")) == 2))
        self.click_text("Stop", BAR)
        self.assertTrue(self.wait_for(lambda: self.files(".mp4")))
        self.click_text("Open folder", BAR)
        self.assertTrue(self.wait_for(lambda: os.path.exists(opened)))
        self.click_text("Help", BAR)
        self.assertTrue(self.sees("Show or hide the help"))
        xdotool("key", "Escape")
        self.assertTrue(self.misses("Show or hide the help"))
        self.quit(process)


if __name__ == "__main__":
    main()
