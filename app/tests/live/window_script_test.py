#!/usr/bin/python3
"""The program in a real window, driven by a script: OpenGL's and OpenCV's.
Usage: window_script_test.py SATSCOPE ASSETS"""
import csv
import json
import os
import signal
import subprocess

import cv2

from window_case import ASSETS, PATIENCE, PICTURE, PROGRAM, WindowCase, main, window_titles, xdotool


class WindowScript(WindowCase):
    def test_a_window_has_room_for_its_panels_whatever_the_settings_say(self):
        process = self.start_scripted("--no-config", "--set", "window_width=64", "--set", "window_height=64", "matrix:4x4")
        self.ask(process, {"do": "screenshot", "to": "s.png"})
        self.ask(process, {"do": "quit"})
        process.communicate(timeout=PATIENCE)
        self.assertEqual(cv2.imread(os.path.join(self.folder.name, "s.png")).shape[:2], (600, 800))

    def test_a_script_drives_the_window_and_saves_no_settings(self):
        process = self.start_scripted(os.path.join(ASSETS, "astronaut.png"), "--effect", "none", "--device", "host")
        self.ask(process, {"frames": 1})
        self.assertTrue(self.shows(self.steady(), self.expected("none")))
        self.ask(process, {"set": {"effect": "box_blur", "vsync": False, "device": "hots"}}, "did you mean 'host'?")
        self.ask(process, {"set": {"effect": "box_blur", "vsync": False}})
        self.ask(process, {"frames": 1})
        self.ask(process, {"do": "screenshot", "to": "a.png"})
        shot = cv2.imread(os.path.join(self.folder.name, "a.png")).astype(int)
        self.assertTrue(self.shows(shot[PICTURE], self.expected("box_blur")))
        process.stdin.close()  # the end of the script is not the end of the window
        process.stdin = None
        self.handled(8)
        self.assertIsNone(process.poll())
        xdotool("search", "--sync", "--onlyvisible", "--name", "satscope")
        xdotool("key", "q")
        self.assertEqual(process.wait(PATIENCE), 2)  # a line was wrong
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, "satscope", "settings.json")))

    def test_a_script_that_never_ends_leaves_the_window_alive(self):
        for end in "key", "signal":
            with subprocess.Popen(["yes", '{"set": {"wipe": 0.3}}'], stdout=subprocess.PIPE) as feed:
                self.addCleanup(feed.kill)
                env = dict(os.environ, XDG_CONFIG_HOME=self.folder.name)
                self.window = None
                process = subprocess.Popen([PROGRAM, "--script", "-", "--no-config", "--device", "host", "synthetic:320x240"],
                                           cwd=self.folder.name, env=env, stdin=feed.stdout, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True)  # nobody reads the answers
                self.addCleanup(self.end, process)
                if end == "signal":
                    self.await_window()
                    process.send_signal(signal.SIGINT)
                else:
                    self.keys("shift+s")
                    self.assertTrue(self.wait_for(lambda: self.files(".png")))
                    self.keys("q")
                self.assertIn(process.wait(PATIENCE), (0, 1))  # 1: answers were left
                feed.kill()

    def test_vsync_starts_the_statistics_anew(self):
        process = self.start_scripted("synthetic:320x240", "--no-config", "--device", "host", "--effect", "none")
        self.ask(process, {"frames": 5})
        for vsync in True, False:  # on from the start
            self.ask(process, {"set": {"vsync": vsync}})
            self.ask(process, {"frames": 5})
        self.ask(process, {"do": "export_frames", "to": "f.csv"})
        self.ask(process, {"do": "quit"})
        with open(os.path.join(self.folder.name, "f.csv"), encoding="utf-8") as file:
            first = next(csv.DictReader(line for line in file if not line.startswith("#")))
        self.assertGreater(int(first["id"]), 8)

    def test_the_title_names_the_source_and_the_algorithm(self):
        process = self.start_scripted(os.path.join(ASSETS, "clip.mp4"), "--no-config", "--device", "host", "--algorithm",
                                      "host_parallel")
        self.ask(process, {"frames": 1})
        self.assertTrue(self.wait_for(lambda: window_titles() == ["clip.mp4 - host_parallel - satscope"]), window_titles())
        self.ask(process, {"set": {"source": "synthetic:320x240", "algorithm": "host_serial"}})
        self.ask(process, {"frames": 1})
        self.assertTrue(self.wait_for(lambda: window_titles() == ["synthetic - host_serial - satscope"]), window_titles())

    def test_the_window_has_the_same_size_at_the_next_start(self):
        os.mkdir(os.path.join(self.folder.name, "satscope"))
        path, saved = os.path.join(self.folder.name, "satscope", "settings.json"), []
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "ui_scale": 0.5}, file)
        for _ in range(3):
            process = self.start("--device", "host")
            self.handled()
            self.keys("e")  # another effect, so that there is something to save
            self.quit(process)
            with open(path, encoding="utf-8") as file:
                settings = json.load(file)
            saved.append((settings["ui_scale"], settings["window_width"], settings["window_height"]))
        self.assertEqual(saved, [(0.5, 1280, 800)] * 3)

    def test_text_is_as_large_as_the_window_has_room_for(self):
        process = self.start_scripted(os.path.join(ASSETS, "astronaut.png"), "--no-config", "--device", "host")
        columns = []
        for scale in 4, 2:  # of the bar, whose words do not change
            self.ask(process, {"set": {"ui_scale": scale}})
            self.ask(process, {"frames": 2})
            self.ask(process, {"do": "screenshot", "to": f"{scale}.png"})
            columns.append(cv2.imread(os.path.join(self.folder.name, f"{scale}.png"))[:44, :600])
        self.assertTrue((columns[0] == columns[1]).all())
        self.ask(process, {"do": "ui_larger"}, error="no room in this window")
        self.ask(process, {"do": "quit"})

    def test_a_script_drives_opencvs_window(self):
        process = self.start_scripted("synthetic:320x240", "--no-config", "--device", "host", "--viewer", "highgui")
        self.ask(process, {"set": {"effect": "sat_view"}})
        self.ask(process, {"frames": 3})
        self.ask(process, {"set": {"viewer": "gl"}}, "when the program starts")
        self.ask(process, {"set": {"compare": "original,result", "wipe": 0.3}})
        self.ask(process, {"frames": 1})
        self.ask(process, {"do": "screenshot", "to": "a.png"})
        self.assertEqual(cv2.imread(os.path.join(self.folder.name, "a.png")).shape, (240, 320, 3))
        xdotool("search", "--sync", "--onlyvisible", "--name", "satscope", "windowfocus", "--sync")
        # Shift is held until its key has had its effect: OpenCV tells keys after it has taken all waiting events.
        xdotool("keydown", "shift", "key", "s")
        self.addCleanup(xdotool, "keyup", "shift")
        self.assertTrue(self.wait_for(lambda: self.files(".png")))
        xdotool("keyup", "shift", "key", "s")
        self.assertTrue(self.wait_for(lambda: len(self.files(".png")) == 2))
        self.assertEqual(sorted(name.split("-")[0] for name in self.files(".png")), ["picture", "screenshot"])
        self.ask(process, {"do": "quit"})
        self.assertEqual(process.wait(PATIENCE), 2)


if __name__ == "__main__":
    main()
