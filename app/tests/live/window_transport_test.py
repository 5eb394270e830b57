#!/usr/bin/python3
"""The program in a real window, with a video: the seek bar goes to places, another source is chosen. Usage: window_transport_test.py SATSCOPE ASSETS"""
import os
import shutil

from window_case import ASSETS, ClipCase, main, xdotool

BAR, LIST = (slice(0, 44), slice(0, 1280)), (slice(44, 760), slice(0, 1280))


class WindowTransport(ClipCase):
    def test_the_seek_bar_goes_to_places(self):
        process = self.playing()
        self.ask(process, {"do": "seek", "to": 4})
        self.assertEqual(self.number_shown(process), 120)
        seek_bar = (250, 783)  # in the row below
        xdotool("mousemove", *seek_bar, "mousedown", 1)
        self.assertTrue(self.wait_for(lambda: self.number_shown(process) > 50))
        clicked = self.number_shown(process)
        for step in range(1, 6):
            xdotool("mousemove", seek_bar[0] + step * 10, seek_bar[1])
        xdotool("mouseup", 1)
        self.assertTrue(self.wait_for(lambda: self.number_shown(process) > clicked + 20))

    def test_a_source_is_chosen_in_the_list_and_the_palette_goes_to_a_time(self):
        process = self.playing()
        for entry, source in ("Matrix 8x8", "matrix, 8x8"), ("clip.mp4", "clip.mp4"):  # the recent one
            self.click_text("Source", BAR)
            self.place_of("Open file", LIST)
            self.click_text(entry, LIST)
            self.assertTrue(self.wait_for(lambda: source in self.exported(process)["source"]), entry)
            self.keys("Escape", "Escape")
        self.ask(process, {"do": "pause"})
        xdotool("key", "ctrl+p")
        self.assertTrue(self.sees("Type a command, an algorithm, an effect or a setting"))
        xdotool("type", "--delay", "30", "seek 0:04")
        xdotool("key", "Return")
        self.assertTrue(self.wait_for(lambda: self.number_shown(process) == 120))
        self.click_text("Source", BAR)
        self.click_text("Open file", LIST)
        self.assertTrue(self.sees("All files"))
        self.keys("Escape")
        self.assertTrue(self.misses("All files"))

    def test_a_file_is_chosen_in_the_browser(self):
        shutil.copy(os.path.join(ASSETS, "astronaut.png"), os.path.join(self.folder.name, "zz_astronaut.png"))
        process = self.start_scripted("synthetic:64x48", "--no-config", "--device", "host")
        self.ask(process, {"frames": 1})
        self.await_window()
        xdotool("key", "ctrl+o")
        self.place_of("zz_astronaut.png")  # the folder is read by another thread
        xdotool("type", "--delay", "50", "zz")
        xdotool("key", "Return")
        self.assertTrue(self.wait_for(lambda: "zz_astronaut.png" in self.exported(process)["source"]))


if __name__ == "__main__":
    main()
