#!/usr/bin/python3
"""The files that the program writes have the right contents."""
import csv
import json
import os
import resource
import signal
import socket
import subprocess
import time

import cv2
import numpy as np

from cli_case import ASSETS, Case, FAILED, HAS_GPU, OK, PATIENCE, PROGRAM, main


class Results(Case):
    def test_lists(self):
        algorithms = json.loads(self.expect(OK, "list", "algorithms", "--json").stdout)
        by_name = {a["name"]: a for a in algorithms}
        usual = ["8u32u", "8u32f", "32u32u", "32f32f", "64f64f", "8u64u"]
        for name in ("host_serial", "host_ehsan", "host_wavefront", "host_parallel", "2r2w", "2r1w", "1r1w_skss_lb"):
            self.assertEqual(by_name[name]["types"][:6], usual, name)
            self.assertEqual(len(by_name[name]["types"]), 13 if "host" in name else 6, name)
            self.assertTrue(by_name[name]["paper"] and by_name[name]["idea"], name)
        self.assertEqual(by_name["2r1w"]["available"], HAS_GPU)
        self.assertEqual((by_name["2r1w"]["device"], by_name["2r1w"]["devices"]), ("cuda", ["cuda", "simulated"]))
        self.assertEqual(by_name["host_serial"]["devices"], ["host"])
        self.assertEqual(by_name["cub"]["devices"], ["cuda"])
        self.assertTrue(by_name["cub"]["not_simulated_because"])
        if not HAS_GPU:
            self.assertTrue(by_name["2r1w"]["unavailable_because"])
        effects = {e["name"]: e for e in json.loads(self.expect(OK, "list", "effects", "--json").stdout)}
        wanted = {"none": [], "sat_view": None, "box_blur": ["window", "border", "passes", "colour"],
                  "adaptive_threshold": ["method", "window", "c", "t", "invert"],
                  "haar": ["type", "x", "y", "width", "height", "show"]}
        for name, parameters in wanted.items():
            self.assertIn(name, effects)
            if parameters is not None:
                self.assertEqual([p["name"] for p in effects[name]["parameters"]], parameters)
        self.assertIsInstance(json.loads(self.expect(OK, "list", "cameras", "--json").stdout), list)
        settings = {s["path"]: s for s in json.loads(self.expect(OK, "list", "settings", "--json").stdout)}
        self.assertEqual((settings["fps"]["accepted"], settings["fps"]["default"]), ("a number from 0 to 1000", "0"))
        self.assertIn("box_blur.window=0x0", self.expect(OK, "list", "settings").stdout)
        actions = {a["name"]: a for a in json.loads(self.expect(OK, "list", "commands", "--json").stdout)}
        self.assertEqual((actions["toggle export_menu"]["keys"], actions["export"]["endings"]), (["X"], [".json", ".csv"]))
        self.assertIn("stop_record", self.expect(OK, "list", "commands").stdout)
        text = self.expect(OK, "list", "algorithms").stdout
        for name in by_name:
            self.assertIn(name, text)

    def test_a_range_without_frames_is_not_exported(self):
        for name in ("e.json", "e.csv"):
            self.refused(FAILED, f"cannot write {name}: no frame of graph_range 100-200 can be saved: choose", "--offscreen",
                         "synthetic:64x48", "--frames", "3", "--set", "graph_range=100-200", "--export", name)
            self.assertFalse(os.path.exists(self.path(name)))
        self.expect(OK, "--race", "--device", "host", "synthetic:64x48", "--set", "graph_range=100-200", "--export", "r.csv")

    def test_the_files_become_whole_when_nobody_reads_the_lines_any_more(self):
        program = subprocess.Popen([PROGRAM, "synthetic:64x48", "--no-config", "--record", "r.mp4"], cwd=self.folder.name, env=self.env,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        program.stdout.close()
        program.stderr.close()
        self.assertEqual(program.wait(PATIENCE), FAILED)  # the standard output could not be written
        self.assertEqual(cv2.VideoCapture(self.path("r.mp4")).get(cv2.CAP_PROP_FRAME_COUNT), 300)
        self.assertEqual([name for name in os.listdir(self.folder.name) if "partial" in name], [])
        if not HAS_GPU:
            program = subprocess.Popen([PROGRAM, "sat", os.path.join(ASSETS, "astronaut.png"), "-o", "t.npy", "--algorithm", "2r1w"],
                                       cwd=self.folder.name, env=self.env, stderr=subprocess.PIPE)
            program.stderr.close()  # nobody reads that it is simulated
            self.assertEqual(program.wait(PATIENCE), OK)
            self.assertEqual(np.load(self.path("t.npy")).shape, (512, 512))

    def test_info(self):
        info = json.loads(self.expect(OK, "info", "--json").stdout)
        self.assertEqual(info["opencv"], cv2.__version__)
        self.assertEqual(info["gpu"]["available"], HAS_GPU)
        self.assertTrue(info["opengl"]["renderer"])
        self.assertTrue(info["interop"]["works"] or info["interop"]["reason"])
        self.assertIn("DISPLAY is not set", info["display"])
        self.assertTrue(info["simulated"]["available"] or info["simulated"]["reason"])
        text = self.expect(OK, "info").stdout
        for word in ("gpu", "driver", "cuda", "opengl", "interop", "opencv"):
            self.assertIn(word, text)

    def test_the_results_of_an_offscreen_run(self):
        self.expect(OK, "--offscreen", "--no-config", "--device", "host", "--effect", "box_blur", "--set", "colour=off", "--max-speed",
                    os.path.join(ASSETS, "clip.mp4"), "--frames", "40", "--screenshot", "s.png", "--record", "r.mp4",
                    "--export", "e.json")
        self.assertEqual(cv2.imread(self.path("s.png")).shape, (800, 1280, 3))
        video = cv2.VideoCapture(self.path("r.mp4"))
        self.assertEqual(video.get(cv2.CAP_PROP_FRAME_COUNT), 40)
        self.assertEqual(video.get(cv2.CAP_PROP_FPS), 30)
        # The video holds the processed picture: its first frame is the clip's first, blurred.
        first = cv2.VideoCapture(os.path.join(ASSETS, "clip.mp4")).read()[1]
        blurred = cv2.blur(cv2.cvtColor(first, cv2.COLOR_BGR2GRAY), (15, 15)).astype(int)
        shown = cv2.cvtColor(video.read()[1], cv2.COLOR_BGR2GRAY).astype(int)
        self.assertLess(np.abs(shown - blurred).mean(), 4)
        report = self.json("e.json")
        self.assertEqual((report["frames"], report["dropped"], report["size"]), (40, 0, [960, 540]))
        self.assertEqual((report["algorithm"], report["effect"]), ("host_parallel", "box_blur"))
        self.assertEqual(report["effect_parameters"]["window"], "15x15")
        self.assertIn("clip.mp4", report["source"])
        for key in ("mean", "p50", "p90", "p99", "max"):
            self.assertGreater(report["frame_ms"][key], 0)
        names = [kernel["name"] for kernel in report["kernels"]]
        self.assertEqual((names[0], names[-2:]), ("luma", ["copy to texture", "copy to recording"]))
        for kernel in report["kernels"]:
            self.assertEqual(kernel["launches"], 1)
            self.assertTrue(0 < kernel["p50"] <= kernel["p90"] <= kernel["p99"] <= kernel["max"], kernel)

    def logged(self, name):
        """Rows of a log, as app/output/README.md says to read it."""
        lines = self.text(name).splitlines()
        head = [line for line in lines if line.startswith("#")]
        self.assertEqual(lines[:len(head)], head)
        return head, list(csv.DictReader(lines[len(head):]))

    def test_a_log_has_a_row_per_frame(self):
        self.expect(OK, "--offscreen", "--no-config", "--device", "host", "--max-speed", os.path.join(ASSETS, "clip.mp4"),
                    "--frames", "30", "--log", "l.csv")
        head, rows = self.logged("l.csv")
        self.assertIn("clip.mp4, 960x540", " ".join(head))
        self.assertEqual([int(row["id"]) for row in rows], list(range(1, 31)))
        self.assertEqual([int(row["of_work"]) for row in rows], list(range(1, 31)))
        for row in rows:
            moments = [float(row[f"{name}_us"]) for name in ("captured", "taken", "enqueued", "presented")]
            self.assertEqual(moments, sorted(moments))
            self.assertAlmostEqual(float(row["age_us"]), moments[3] - moments[0], delta=0.01)
            self.assertTrue(row["selection"].startswith("host host_parallel"), row)

    def test_a_log_is_whole_after_kill_9(self):
        process = subprocess.Popen([PROGRAM, "--offscreen", "--no-config", "--device", "host", "synthetic:64x48", "--log",
                                    "l.csv"], cwd=self.folder.name, env=self.env, stderr=subprocess.DEVNULL)

        def has_rows():
            return self.lines_of("l.csv") > 20 and float(self.logged("l.csv")[1][-2]["presented_us"]) > 1e6

        self.await_that(has_rows, process)
        process.kill()
        process.wait()
        text = self.text("l.csv")
        self.assertTrue(text.endswith("\n"))
        _, rows = self.logged("l.csv")
        self.assertGreater(len(rows), 10)
        self.assertTrue(all(None not in row.values() and None not in row for row in rows))
        self.assertGreater(float(rows[-1]["presented_us"]), 1e6)

    def test_a_log_is_whole_after_its_disk_is_full(self):
        for name in "l.csv", "l.jsonl":
            done = self.expect(FAILED, "--offscreen", "--no-config", "--device", "host", "synthetic:64x48", "--frames", "60",
                               "--max-speed", "--log", name,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)))
            self.assertIn(f"cannot write {name}: File too large", done.stderr)
            text = self.text(name)
            self.assertTrue(text.endswith("\n"), text[-200:])
            self.assertGreater(len(text), 3000)

    def test_a_run_that_nothing_ends_says_so(self):
        live = [PROGRAM, "--offscreen", "--no-config", "--device", "host", "--effect", "none", "--max-speed"]
        clip, image = (os.path.join(ASSETS, name) for name in ("clip.mp4", "astronaut.png"))
        for words in ["synthetic:64x48"], [clip, "--loop"]:
            with self.subTest(words=words), subprocess.Popen([*live, *words], cwd=self.folder.name, env=self.env,
                                                             stderr=subprocess.PIPE, text=True) as program:
                self.assertEqual(program.stderr.readline(), "satscope: this source has no end: it runs until Ctrl-C; --frames N ends "
                                 "it after N pictures\n")
                program.send_signal(signal.SIGINT)
                self.assertEqual(program.communicate(timeout=PATIENCE)[1], "")
                self.assertEqual(program.returncode, OK)
        for words in ["synthetic:64x48", "--frames", "2"], [clip, "--loop", "--script", self.script({"frames": 2})], [image, "--loop"]:
            self.assertEqual(self.expect(OK, *live[1:], *words).stderr, "")

    def frames_of(self, name):
        """That can be decoded; also of a file that is still written."""
        video = cv2.VideoCapture(self.path(name))
        frames = 0
        while video.read()[0]:
            frames += 1
        return frames

    def test_a_recording_lasts_as_long_as_what_it_shows(self):
        self.expect(OK, "--offscreen", "--no-config", "--device", "host", "synthetic:64x48", "--fps", "10",
                    "--frames", "8", "--record", "r.mp4")
        video = cv2.VideoCapture(self.path("r.mp4"))
        self.assertEqual(video.get(cv2.CAP_PROP_FPS), 10)
        self.assertGreaterEqual(video.get(cv2.CAP_PROP_FRAME_COUNT), 8)

    def test_every_host_algorithm_with_every_effect(self):
        for size in ("synthetic:320x240", "synthetic:1x1", "synthetic:1x400", "synthetic:400x1"):
            effects = ["none", "sat_view", "box_blur", "adaptive_threshold"]
            effects += ["haar"] if size == "synthetic:320x240" else []  # a feature needs room
            algorithms = "host_ehsan", "host_parallel", "host_serial", "host_wavefront"
            lines = [line for effect in effects for algorithm in algorithms
                     for line in ({"set": {"algorithm": algorithm, "effect": effect}}, {"frames": 2},
                                  {"get": ["algorithm", "effect"]})]
            with self.subTest(size=size):
                done = self.expect(OK, "--offscreen", "--no-config", "--device", "host", "--effect", "none", size,
                                   "--script", self.script(*lines))
                self.assertEqual(done.stderr, "")
                self.assertEqual([json.loads(line) for line in done.stdout.splitlines()],
                                 [line["set"] for line in lines if "set" in line])

    def test_without_a_display_the_clip_runs_to_its_end(self):
        done = self.expect(OK, "--record", "r.mp4", "--export", "t.json")
        lines = done.stderr.splitlines()
        self.assertRegex(lines[0], "no display.*; running offscreen$")
        self.assertIn("100%: 480/480 frames", done.stderr)
        self.assertEqual(sorted(done.stdout.split()), ["r.mp4", "t.json"])
        self.assertEqual(cv2.VideoCapture(self.path("r.mp4")).get(cv2.CAP_PROP_FRAME_COUNT), 480)
        report = self.json("t.json")
        self.assertEqual((report["frames"], report["dropped"]), (480, 0))
        self.assertFalse(os.path.exists(self.path("satscope-out")))

    def test_without_a_display_and_a_result_the_last_picture_is_written(self):
        done = self.expect(OK, "synthetic:64x48", "--frames", "2")
        self.assertIn("; running offscreen, the last picture goes to satscope-out/screenshot.png", done.stderr)
        self.assertEqual(done.stdout.split(), ["satscope-out/screenshot.png"])
        self.assertEqual(os.listdir(self.path("satscope-out")), ["screenshot.png"])
        self.assertIsNotNone(cv2.imread(self.path("satscope-out/screenshot.png")))

    def test_without_a_display_nothing_waits_for_the_build_of_the_simulated_gpu(self):
        build = subprocess.Popen(["sleep", "1000"])
        try:
            self.expect(OK, "synthetic:64x48", "--frames", "2", env={**self.env, "SATSCOPE_BUILDING": str(build.pid)})
        finally:
            build.kill()
            build.wait()

    def test_an_image_is_one_frame_or_as_many_as_requested(self):
        image = os.path.join(ASSETS, "astronaut.png")
        for words, frames in [((), 1), (("--frames", "7"), 7)]:
            self.expect(OK, "--offscreen", "--no-config", image, "--export", "e.json", *words)
            self.assertEqual(self.json("e.json")["frames"], frames)

    def test_ctrl_c_and_a_closed_terminal_write_the_results(self):
        for number in (signal.SIGINT, signal.SIGHUP):
            with self.subTest(signal=number):
                process = subprocess.Popen([PROGRAM, "--offscreen", "--no-config", "synthetic:64x48", "--export",
                                            f"{number}.json", "--record", f"{number}.mp4", "--log", f"{number}.csv"],
                                           cwd=self.folder.name, env=self.env)
                self.await_that(lambda: self.lines_of(f"{number}.csv") > 10, process)
                process.send_signal(number)
                self.assertEqual(process.wait(PATIENCE), OK)
                self.assertGreater(self.json(f"{number}.json")["frames"], 0)
                video = cv2.VideoCapture(self.path(f"{number}.mp4"))
                self.assertGreater(video.get(cv2.CAP_PROP_FRAME_COUNT), 0)

    def test_what_is_interrupted_before_its_first_picture_says_what_is_not_written(self):
        for words, names in ((["--record", "r.mp4", "--export", "e.json", "--frames", "9"], ": without r.mp4, e.json"),
                             (["--frames", "3"], "")):
            with self.subTest(words=words), socket.create_server(("127.0.0.1", 0)) as silent:
                silent.settimeout(PATIENCE)
                url = f"http://127.0.0.1:{silent.getsockname()[1]}/a.jpg"
                process = subprocess.Popen([PROGRAM, "--offscreen", "--no-config", url, *words], cwd=self.folder.name,
                                           env=self.env, stderr=subprocess.PIPE, text=True)
                asked, _ = silent.accept()  # and never answered
                process.send_signal(signal.SIGINT)
                said = process.communicate(timeout=PATIENCE)[1]
                asked.close()
                self.assertEqual((process.returncode, said),
                                 (FAILED, f"satscope: interrupted before the first picture{names}\n"))
                self.assertEqual([name for name in os.listdir(self.folder.name) if name[:2] in ("r.", "e.")], [])

    def test_a_recording_of_a_killed_program_can_be_played(self):
        process = subprocess.Popen([PROGRAM, "--offscreen", "--no-config", "synthetic:320x240", "--record", "video.mp4"],
                                   cwd=self.folder.name, env=self.env, stderr=subprocess.DEVNULL)
        self.await_that(lambda: self.frames_of("video.partial.mp4") >= 90, process)
        before = self.frames_of("video.partial.mp4")
        process.kill()
        process.wait(PATIENCE)
        self.assertGreaterEqual(self.frames_of("video.partial.mp4"), before)
        self.assertFalse(os.path.exists(self.path("video.mp4")))
        self.expect(OK, "--offscreen", "--no-config", "synthetic:320x240", "--max-speed", "--record", "video.mp4",
                    "--frames", "40")
        self.assertEqual(self.frames_of("video.mp4"), 40)
        self.assertGreaterEqual(self.frames_of("video.partial.mp4"), before)  # nobody touched it
        with open(self.path("video.mp4"), "rb") as file:
            whole = file.read()
        self.assertLess(whole.index(b"moov"), whole.index(b"mdat"))

    def test_a_recording_is_no_larger_than_asked(self):
        image = self.path("photo.png")
        cv2.imwrite(image, np.full((3024, 4032, 3), 100, np.uint8))
        run = ["--offscreen", "--no-config", "--effect", "none", "photo.png", "--frames", "2", "--record", "video.mp4"]
        for words, size in ([], (1440, 1080)), (["--record-size", "720p"], (960, 720)), (["--record-size", "source"], (4032, 3024)):
            with self.subTest(words=words):
                said = self.expect(OK, *run, *words).stderr
                video = cv2.VideoCapture(self.path("video.mp4"))
                self.assertEqual((video.get(cv2.CAP_PROP_FRAME_WIDTH), video.get(cv2.CAP_PROP_FRAME_HEIGHT)), size)
                self.assertEqual(said, "" if size[0] == 4032 else
                                 f"satscope: recording 4032x3024 as {size[0]}x{size[1]}; record_size=source keeps its size\n")

    def test_a_second_ctrl_c_leaves_what_was_recorded_until_then(self):
        # Frames so large that the first Ctrl-C has not yet ended the program when the second arrives.
        process = subprocess.Popen([PROGRAM, "--offscreen", "--no-config", "synthetic:7680x4320",
                                    "--record", "video.mp4"],
                                   cwd=self.folder.name, env=self.env, stderr=subprocess.PIPE, text=True)

        def has_video():
            return self.frames_of("video.partial.mp4") > 0

        def has_taken_it():
            with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
                pending = [int(line.split()[1], 16) for line in file if line.startswith(("SigPnd", "ShdPnd"))]
            return not any(signals & 1 << signal.SIGINT - 1 for signals in pending)

        self.await_that(has_video, process)
        process.send_signal(signal.SIGINT)
        self.await_that(has_taken_it, process)  # of two that wait, it would get one
        time.sleep(0.06)  # of two at once, one counts
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=PATIENCE)[1]
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual(said.splitlines()[-1], "satscope: ended at once; what was recorded is in video.partial.mp4")
        self.assertEqual([name for name in os.listdir(self.folder.name) if name.startswith("video")], ["video.partial.mp4"])
        self.assertGreater(self.frames_of("video.partial.mp4"), 0)


if __name__ == "__main__":
    main()
