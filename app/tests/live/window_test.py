#!/usr/bin/python3
"""The program in a real window: choices change the picture, are computed, and are saved for the next start. Real mouse and
keyboard input where that is tested, otherwise a script. Needs a display of its own (with_display), xdotool and ffmpeg.
Usage: window_test.py SATSCOPE ASSETS"""
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import cv2
import numpy as np

PROGRAM, ASSETS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
WIDTH, HEIGHT = 1280, 800
PICTURE = (slice(60, 530), slice(560, 1040))  # inside the picture of a square image, fitted
# Where things are in the window, as its golden image shows them.
MIDDLE = (800, 300)
NOWHERE = (160, 750)  # no tooltip appears there
EFFECT_LIST, BOX_BLUR = (196, 465), (196, 514)


def xdotool(*words):
    subprocess.run(["xdotool", *map(str, words)], check=True, stdout=subprocess.DEVNULL, timeout=20)


def screen():
    grabbed = subprocess.run(["ffmpeg", "-v", "error", "-f", "x11grab", "-draw_mouse", "0", "-video_size",
                              f"{WIDTH}x{HEIGHT}", "-i", os.environ["DISPLAY"], "-frames:v", "1", "-pix_fmt", "bgr24",
                              "-f", "rawvideo", "-"], check=True, stdout=subprocess.PIPE, timeout=30).stdout
    return np.frombuffer(grabbed, np.uint8).reshape(HEIGHT, WIDTH, 3).astype(int)


def picture():
    return screen()[PICTURE]


def difference(a, b):
    return np.abs(a - b).mean()


class Window(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="satscope-window-")
        self.addCleanup(self.folder.cleanup)

    def start(self, *words):
        env = dict(os.environ, XDG_CONFIG_HOME=self.folder.name)
        process = subprocess.Popen([PROGRAM, os.path.join(ASSETS, "astronaut.png"), "--export", "e.json", *words],
                                   cwd=self.folder.name, env=env, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        xdotool("search", "--sync", "--onlyvisible", "--name", "satscope")
        return process

    def start_scripted(self, *words):
        """The same, driven by ask()."""
        env = dict(os.environ, XDG_CONFIG_HOME=self.folder.name)
        process = subprocess.Popen([PROGRAM, "--script", "-", *words], cwd=self.folder.name, env=env, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end, process)
        return process

    def ask(self, process, line, error=None):
        """Sends a line; the answer must be ok, or an error with these words."""
        process.stdin.write(json.dumps(line) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        if error is None:
            self.assertEqual(answer, {"ok": True}, line)
        else:
            self.assertIn(error, answer["error"])

    def report_of(self, process):
        self.ask(process, {"do": "export", "to": "e.json"})
        self.ask(process, {"do": "quit"})
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, errors)
        with open(os.path.join(self.folder.name, "e.json"), encoding="utf-8") as file:
            return json.load(file)

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def wait_for(self, what, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if what():
                return True
            time.sleep(0.1)
        return False

    def steady(self):
        """The picture, once it no longer changes."""
        before = picture()
        for _ in range(50):
            time.sleep(0.2)
            now = picture()
            if difference(before, now) == 0 and now.std() > 5:
                return now
            before = now
        self.fail("the picture of a still image keeps changing")

    def click(self, place):
        xdotool("mousemove", *place)
        time.sleep(0.3)
        xdotool("mousedown", 1)
        time.sleep(0.2)
        xdotool("mouseup", 1)
        time.sleep(0.3)
        xdotool("mousemove", *NOWHERE)
        time.sleep(0.3)

    def quit(self, process):
        xdotool("key", "q")
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, errors)
        with open(os.path.join(self.folder.name, "e.json"), encoding="utf-8") as file:
            return json.load(file)

    def expected(self, effect):
        out = os.path.join(self.folder.name, "o.png")
        subprocess.run([PROGRAM, "apply", os.path.join(ASSETS, "astronaut.png"), "--device", "host", "--effect", effect,
                        "-o", out], check=True, timeout=60)
        return cv2.imread(out)

    def shows(self, now, image):
        """Whether the window shows `image`, fitted as the layout does."""
        side = 506  # of the picture's place; the image is square
        fitted = cv2.resize(image, (side, side), interpolation=cv2.INTER_AREA).astype(int)
        left, top = 547, 40
        rows, columns = PICTURE
        part = fitted[rows.start - top:rows.stop - top, columns.start - left:min(columns.stop - left, side)]
        return difference(now[:part.shape[0], :part.shape[1]], part) < 8

    def test_keys_and_mouse_change_the_picture(self):
        process = self.start("--effect", "none", "--device", "host", "--algorithm", "host_parallel")
        none = self.steady()
        self.assertTrue(self.shows(none, self.expected("none")))

        self.click(EFFECT_LIST)
        self.click(BOX_BLUR)
        blurred = self.steady()
        self.assertTrue(self.shows(blurred, self.expected("box_blur")))
        self.assertFalse(self.shows(blurred, self.expected("none")))

        xdotool("key", "bracketright")
        time.sleep(0.5)
        self.assertEqual(difference(self.steady(), blurred), 0)  # every algorithm gives the same table

        xdotool("key", "e")
        self.assertTrue(self.wait_for(lambda: difference(picture(), blurred) > 3))
        report = self.quit(process)
        self.assertEqual((report["algorithm"], report["effect"]), ("host_serial", "haar"))

        # Choices made in the window are saved; those of the command line are not.
        with open(os.path.join(self.folder.name, "satscope", "settings.json"), encoding="utf-8") as file:
            saved = json.load(file)
        self.assertEqual((saved["host_algorithm"], saved["effect"], saved["device"]), ("host_serial", "haar", "auto"))
        report = self.quit_after_start("--device", "host")
        self.assertEqual((report["algorithm"], report["effect"]), ("host_serial", "haar"))

    def quit_after_start(self, *words):
        process = self.start(*words)
        self.steady()
        return self.quit(process)

    def test_wheel_drag_and_fit(self):
        process = self.start("--effect", "none", "--device", "host")
        fitted = self.steady()
        xdotool("mousemove", *MIDDLE)
        time.sleep(0.3)
        for _ in range(5):
            xdotool("click", 4)
            time.sleep(0.2)
        enlarged = self.steady()
        self.assertGreater(difference(enlarged, fitted), 5)
        # The point under the mouse stays there.
        y, x = MIDDLE[1] - PICTURE[0].start, MIDDLE[0] - PICTURE[1].start
        near = (slice(y - 2, y + 3), slice(x - 2, x + 3))
        self.assertLess(difference(enlarged[near], fitted[near]), 25)

        xdotool("mousedown", 1)
        for step in range(1, 6):
            xdotool("mousemove", MIDDLE[0] + step * 8, MIDDLE[1])
            time.sleep(0.1)
        time.sleep(0.2)
        xdotool("mouseup", 1)
        dragged = self.steady()
        self.assertLess(difference(dragged[:, 40:], enlarged[:, :-40]), 1)  # 40 pixels to the right, nothing else

        xdotool("key", "f")
        self.assertTrue(self.wait_for(lambda: difference(picture(), fitted) == 0))
        self.quit(process)

    @staticmethod
    def busy(process, seconds):
        """CPU time that all threads of the program use during `seconds`."""
        def used():
            with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
                fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        before = used()
        time.sleep(seconds)
        return used() - before

    def test_with_a_still_picture_the_window_is_idle_until_something_happens(self):
        process = self.start_scripted(os.path.join(ASSETS, "astronaut.png"), "--effect", "none", "--device", "host",
                                      "--algorithm", "host_serial", "--vsync", "off")
        self.ask(process, {"frames": 1})
        none = self.steady()
        xdotool("mousemove", *NOWHERE)
        self.assertTrue(self.wait_for(lambda: self.busy(process, 1) < 0.05))
        self.assertLess(self.busy(process, 3), 0.1)
        self.assertEqual(difference(picture(), none), 0)
        for action in "next_effect", "previous_effect", "next_algorithm", "next_effect":
            before = screen()  # each is seen at once, although the window was idle
            self.ask(process, {"do": action})
            start = time.monotonic()
            self.assertTrue(self.wait_for(lambda: difference(screen(), before) > 0, 5), action)
            self.assertLess(time.monotonic() - start, 1.5)
            self.assertTrue(self.wait_for(lambda: self.busy(process, 1) < 0.05), action)
        report = self.report_of(process)
        # After the switches the picture was computed often enough for percentiles, but not forever.
        self.assertGreater(report["frames"], 4 * 20)
        self.assertLess(report["frames"], 5 * 105)
        self.assertTrue(all(kernel["p50"] <= kernel["p99"] <= kernel["max"] for kernel in report["kernels"]))
        self.assertTrue(any(kernel["p50"] < kernel["max"] for kernel in report["kernels"]))

    def test_a_missing_source_is_reported_and_the_window_stays_open(self):
        process = self.start_scripted("missing.mp4")
        self.ask(process, {"seconds": 3})
        self.assertIsNone(process.poll())
        self.ask(process, {"do": "quit"})
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 4)  # no picture came
        self.assertEqual([line for line in errors.splitlines() if line.startswith("satscope: ")],
                         [f"satscope: there is no file '{os.path.realpath(self.folder.name)}/missing.mp4', and no "
                          "camera of that name; check the path, or see `satscope list cameras`"])

    def test_a_lost_stream_is_said_once_and_the_window_rests(self):
        jpeg = cv2.imencode(".jpg", np.full((240, 320, 3), 90, np.uint8))[1].tobytes()
        part = b"--x\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n" % (len(jpeg), jpeg)

        class Camera(http.server.BaseHTTPRequestHandler):
            visits = 0

            def do_GET(self):
                Camera.visits += 1
                if Camera.visits > 1:
                    return self.send_error(503)
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=x")
                self.end_headers()
                for _ in range(60):
                    self.wfile.write(part)
                    time.sleep(0.04)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Camera)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_address[1]}/camera.mjpg"
        process = self.start_scripted(url, "--effect", "none", "--device", "host", "--algorithm", "host_serial")
        self.ask(process, {"frames": 5})
        self.assertTrue(self.wait_for(lambda: Camera.visits > 2))
        self.assertTrue(self.wait_for(lambda: self.busy(process, 1) < 0.05))  # the message is gone
        self.ask(process, {"do": "quit"})
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual([line for line in errors.splitlines() if line.startswith("satscope: ")],
                         [f"satscope: lost '{url}': it stopped sending frames; check the camera or its network; "
                          "trying again"])

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
        time.sleep(1)
        self.assertIsNone(process.poll())
        xdotool("search", "--sync", "--onlyvisible", "--name", "satscope")
        xdotool("key", "q")
        self.assertEqual(process.wait(30), 2)  # a line was wrong
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, "satscope", "settings.json")))

    def test_without_a_gpu_a_cuda_algorithm_runs_simulated(self):
        info = json.loads(subprocess.run([PROGRAM, "info", "--json"], check=True, capture_output=True, timeout=60).stdout)
        if info["gpu"]["available"] or not info["simulated"]["available"]:
            self.skipTest("there is a GPU here, or no simulated GPU")
        process = self.start_scripted("synthetic:320x240", "--no-config", "--effect", "none")
        self.ask(process, {"set": {"algorithm": "2r1w", "2r1w.W": 32}})
        self.ask(process, {"frames": 2})
        report = self.report_of(process)
        self.assertEqual((report["algorithm"], report["simulated"]), ("2r1w", True))

    def test_a_script_drives_opencvs_window(self):
        process = self.start_scripted("synthetic:320x240", "--no-config", "--device", "host", "--viewer", "highgui")
        self.ask(process, {"set": {"effect": "sat_view"}})
        self.ask(process, {"frames": 3})
        self.ask(process, {"set": {"viewer": "gl"}}, "when the program starts")
        self.ask(process, {"do": "screenshot", "to": "a.png"})
        self.assertEqual(cv2.imread(os.path.join(self.folder.name, "a.png")).shape, (240, 320, 3))
        self.ask(process, {"do": "quit"})
        self.assertEqual(process.wait(30), 2)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
