#!/usr/bin/python3
"""Every kind of bad input costs one line and its exit code, and nothing hangs."""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import unittest

import cv2
import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from jpeg_stream import JpegStream
from cli_case import ASSETS, PATIENCE, PROGRAM, Case, FAILED, HAS_GPU, NO_DISPLAY, NO_GPU, OK, SOURCE, USAGE, main


class BadInput(Case):
    def setUp(self):
        super().setUp()
        with open(os.path.join(ASSETS, "clip.mp4"), "rb") as file:
            clip = file.read()
        self.image = os.path.join(ASSETS, "astronaut.png")
        with open(self.image, "rb") as file:
            image = file.read()
        self.write("text.mp4", b"hello, this is not a video\n" * 20)
        self.write("text.png", b"hello\n")
        self.write("empty.png", b"")
        self.write("cut.mp4", clip[:20000])
        self.write("cut.png", image[:30000])
        os.mkdir(self.path("dir"))
        os.mkfifo(self.path("pipe"))
        for ending in ("json", "csv", "png", "npy"):
            os.symlink("/dev/full", self.path("full." + ending))

    def test_usage(self):
        self.write("-a.png", b"")
        for says, *words in [
            ("matrix holds the numbers of a matrix source, and the source is 'synthetic'", "--set", "matrix=1,2", "synthetic"),
            ("record is an option, not a setting: write --record x.mp4", "--set", "record=x.mp4"),
            ("whole number", "--frames", "many"),
            ("from 1 to 18446744073709551615", "--frames", "99999999999999999999"),
            ("both say when the run ends: leave out --frames", "--offscreen", "--frames", "5", "--script", "s.jsonl"),
            ("--compare: 2r1w does not run on the CPU", "--compare", "2r1w,result", "--device", "host"),
            ("no type '9' (there are: 8u32u", "sat", self.image, "--type", "9", "--device", "host", "-o", "x.npy"),
            ("no parameter in host_parallel (there are: threads;", "sat", self.image, "--set", "window=3x3", "--device",
             "host", "-o", "x.npy"),
            ("it is empty", "simulate", "--model", "latency", "--latencies", "empty.png"),
            ("it is not a file", "simulate", "--model", "latency", "--latencies", "pipe"),
            ("Is a directory; name a file of JSON lines", "--offscreen", "--script", "dir", "synthetic:64x48"),
            ("not fit", "--offscreen", "--effect", "haar", "--set", "width=500", "synthetic:320x240", "--frames", "2"),
            ("not fit", "apply", self.image, "--effect", "haar", "--set", "width=1000", "-o", "x.png"),
            ("no option '-a.png': to name the file, write ./-a.png", "detect", "-a.png"),
        ]:
            with self.subTest(words=words):
                self.refused(USAGE, says, *words)

    def test_only_a_near_name_is_suggested(self):
        blur = ["--effect", "box_blur", "--device", "host", "--set"]
        for says, *words in [
            ("satscope list algorithms prints them", "--algorithm", "foo"),
            ("satscope list effects prints them", "--effect", "xyz"),
            ("satscope list effects prints them", "apply", self.image, "--effect", "blah", "-o", "x.png"),
            ("gl or highgui", "--viewer", "qt"),
            ("see satscope --help", "--foo"),
            ("(there are: threads window border passes colour)", *blur, "qqq=3"),
            ("(there are: 8u32u", "sat", self.image, "--type", "int", "-o", "x.npy"),
        ]:
            with self.subTest(words=words):
                self.refused(USAGE, says, *words)
                self.assertNotIn("did you mean", self.run_program(*words).stderr)
        self.write("morning.mp4", b"x")
        self.assertNotIn("did you mean", self.expect(SOURCE, "--offscreen", "missing.mp4").stderr)
        self.assertIn("did you mean 'morning.mp4'", self.expect(SOURCE, "--offscreen", "mornin.avi").stderr)
        os.mkdir(self.path("evenings"))
        self.write("evenning.json", b"{}")
        self.assertNotIn("did you mean", self.expect(SOURCE, "--offscreen", "evening.png").stderr)  # nothing that can be opened
        for wrong, right in ("matrx", "matrix"), ("sythetic", "synthetic"):
            self.assertIn(f"did you mean '{right}'", self.expect(SOURCE, "--offscreen", wrong).stderr)
        os.symlink("loop.png", self.path("loop.png"))
        self.assertIn("cannot be reached: Too many levels of symbolic links", self.expect(SOURCE, "--offscreen", "loop.png").stderr)

    def test_sat_and_apply_report_an_error_in_the_same_words(self):
        out, host = "x.END", ["--device", "host"]
        for code, *words in [
            (SOURCE, "missing.png", "-o", out, *host), (SOURCE, "text.png", "-o", out, *host),
            (SOURCE, "empty.png", "-o", out, *host), (SOURCE, "cut.png", "-o", out, *host),
            (SOURCE, "text.mp4", "-o", out, *host), (SOURCE, "cut.mp4", "-o", out, *host),
            (SOURCE, "dir", "-o", out, *host), (SOURCE, "pipe", "-o", out, *host),
            (FAILED, self.image, "-o", "nowhere/" + out, *host), (FAILED, self.image, "-o", "full.END", *host),
            (USAGE, self.image, "-o", out, "--algorithm", "none such"),
            (USAGE, self.image, "-o", out, "--algorithm", "host_serial", "--device", "cuda"),
            (USAGE, self.image, "-o", out, *host, "--set", "algorithm.window=3x3"),
            (USAGE, self.image, "-o", out, *host, "--set", "window"),
            (USAGE, self.image, "-o", "x.jpg"), (USAGE, "-o", out), (USAGE, self.image), (USAGE, self.image, "--foo"),
        ]:
            said = []
            for command, ending in (["sat"], ".npy"), (["apply", "--effect", "none"], ".png"):
                done = self.expect(code, *command, *(word.replace(".END", ending) for word in words))
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                said.append(re.sub(r"\.(npy|png)", ".END", done.stderr.replace(command[0] + " ", "COMMAND ")))
            self.assertEqual(*said)
        self.assertNotIn("camera", self.run_program("sat", "missing.png", "-o", "x.npy").stderr)
        self.refused(SOURCE, "is not on this machine; download the image", "apply", "http://camera/a.png", "--effect", "none",
                     "--device", "host", "-o", "x.png")

    def test_the_benchmark_reports_wrong_options(self):
        for says, *words in [("did you mean '--seconds'", "--second", "3"), ("no option '--foo'; see", "--foo"),
                             ("no option 'x'", "x"), ("--csv needs a value", "--csv"), ("--scenes needs --detect", "--scenes", "x"),
                             ("--pictures needs --detect", "--pictures=x"), ("--cascade needs --detect", "--cascade", "x"),
                             ("not 'soon'", "--seconds", "soon"), ("not '0'", "--seconds=0"),
                             ("not 'inf'", "--seconds", "inf")]:
            with self.subTest(words=words):
                done = subprocess.run([PROGRAM + "-bench-host", *words], capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (USAGE, "", 1), done.stderr)
                self.assertIn(says, done.stderr)

    def test_sources(self):
        for says, source in [
            ("there is no file", "missing.mp4"),
            ("could not be opened", "http://127.0.0.1:9/x"),
            ("cannot be reached: File name too long; check the path and the permissions of its folders", "x" * 300 + ".png"),
        ]:
            with self.subTest(source=source):
                self.refused(SOURCE, says, "--offscreen", source, "--frames", "3")
                self.refused(SOURCE, says, source)  # nor is it said that there is no display

    def test_a_file_that_an_effect_names_is_missing_whatever_effect_is_shown(self):
        live = ["--offscreen", "--no-config", "--device", "host", "synthetic:64x48", "--frames", "1"]
        for says, *words in (("there is no cascade file '/nope.xml': check the path", "--set", "faces.cascade=/nope.xml"),
                             ("no cascade 'eyes' (did you mean 'eye'?)", "--effect", "none", "--set", "faces.inside=eyes"),
                             ("there is no cascade file './n'", "--effect", "faces", "--set", "cascade=./n")):
            with self.subTest(words=words):
                self.refused(USAGE, says, *live, *words)

    def test_a_truncated_video_is_reported_in_one_line(self):
        writer = cv2.VideoWriter(self.path("video.avi"), cv2.CAP_FFMPEG, cv2.VideoWriter_fourcc(*"MJPG"), 25, (64, 48))
        for level in range(100):
            writer.write(np.full((48, 64, 3), level, np.uint8))
        writer.release()
        live = ["--offscreen", "--no-config", "--max-speed", "--export", "e.json"]
        self.assertEqual(self.expect(OK, *live, "video.avi").stderr, "")
        os.truncate(self.path("video.avi"), os.path.getsize(self.path("video.avi")) // 2)
        done = self.expect(OK, *live, "video.avi")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        truncated = f"may be truncated: {self.json('e.json')['frames']} of the 100 frames"
        self.assertIn(truncated, done.stderr)
        with open(self.path(self.script({"frames": 100}, {"get": ["source.warning"]})), encoding="utf-8") as lines:
            answers = self.expect(SOURCE, *live, "video.avi", "--script", "-", stdin=lines).stdout.splitlines()
        self.assertIn("the source has ended", answers[0])
        self.assertIn(truncated, answers[0])  # whoever reads the answers may not read the messages
        self.assertIn(truncated, json.loads(answers[1])["source.warning"])

    def test_a_stream_that_is_lost_is_reported_and_its_results_are_written(self):
        with JpegStream(20) as stream:
            done = self.expect(SOURCE, "--offscreen", "--no-config", "--device", "host", "--export", "e.json", stream.url)
        self.assertEqual(done.stderr, f"satscope: '{stream.url}' stopped sending frames; check the camera or its network\n")
        self.assertGreater(self.json("e.json")["frames"], 0)

    def test_a_stream_that_is_lost_after_the_frames_that_were_wanted_is_no_failure(self):
        with JpegStream(20) as stream:
            self.expect(OK, "--offscreen", "--no-config", "--device", "host", "--frames", "2", "--race", stream.url)

    def test_a_size_that_a_source_does_not_give_is_said_in_one_line(self):
        writer = cv2.VideoWriter(self.path("video.avi"), cv2.CAP_FFMPEG, cv2.VideoWriter_fourcc(*"MJPG"), 25, (64, 48))
        for level in range(3):
            writer.write(np.full((48, 64, 3), level, np.uint8))
        writer.release()
        cv2.imwrite(self.path("image.png"), np.zeros((48, 64, 3), np.uint8))
        live = ["--offscreen", "--no-config", "--device", "host", "--frames", "2"]
        for source, giver, size in [("video.avi", "the file", "64x48"), ("image.png", "the file", "64x48"),
                                    ("matrix:8x6", "the matrix", "8x6")]:
            with self.subTest(source=source):
                self.assertEqual(self.expect(OK, *live, source).stderr, "")
                self.assertEqual(self.expect(OK, *live, source, "--size", size).stderr, "")
                done = self.expect(OK, *live, source, "--size", "32x32")
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(f"'{source}': requested 32x32, {giver} gives {size}", done.stderr)

    def test_a_wrong_colour_profile_is_nobodys_concern(self):
        picture = os.path.join(ASSETS, "astronaut.png")  # libpng warns of its profile
        for command in (["sat", picture, "-o", "t.npy"], ["apply", picture, "--effect", "box_blur", "-o", "p.png"],
                        ["--offscreen", "--no-config", "--frames", "2", picture]):
            with self.subTest(command=command[0]):
                self.assertEqual(self.expect(OK, *command, "--device", "host").stderr, "")

    def test_results_that_cannot_be_written(self):
        self.refused(FAILED, "No space left", "sat", self.image, "--device", "host", "-o", "full.npy")
        self.refused(FAILED, "there is no folder nowhere", "sat", self.image, "--device", "host", "-o", "nowhere/x.npy")
        self.refused(FAILED, "text.png is not a folder; choose another place", "sat", self.image, "--device", "host", "-o",
                     "text.png/x/y.npy")
        apply = ["apply", self.image, "--effect", "none", "--device", "host", "-o"]
        self.refused(FAILED, "No space left", *apply, "full.png")
        os.mkdir(self.path("d.png"))
        self.refused(FAILED, "it is a folder", *apply, "d.png")
        self.assertFalse(os.path.exists(self.path("x.npy")))

    def test_one_result_that_fails_does_not_lose_the_others(self):
        live = ["--offscreen", "--no-config", "synthetic:320x240", "--frames", "3"]
        self.refused(FAILED, "No space left", *live, "--export", "full.json", "--screenshot", "s.png",
                     "--record", "r.mp4")
        self.assertIsNotNone(cv2.imread(self.path("s.png")))
        self.assertTrue(cv2.VideoCapture(self.path("r.mp4")).isOpened())
        self.refused(FAILED, "No space left", *live, "--export", "e.json", "--screenshot", "full.png")
        self.refused(FAILED, "No space left", *live, "--export", "full.csv")
        self.refused(FAILED, "there is no folder nowhere", *live, "--export", "e.json", "--record", "nowhere/r.mp4")
        self.assertTrue(os.path.exists(self.path("e.json")))

    def test_a_disk_that_fills_while_recording(self):
        run = ["--offscreen", "--no-config", "--max-speed", "--effect", "none", "--frames", "60", os.path.join(ASSETS, "clip.mp4"),
               "--record", "r.mp4", "--export", "e.json"]
        for limit, said in (500, "cannot record r.mp4: File too large"), (100_000, "the recording ends: File too large"):
            with self.subTest(limit=limit):
                # Of the files' size alone: the export is smaller.
                done = self.expect(FAILED, *run, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                self.assertEqual(done.stderr.count("\n"), 1 if limit > 500 else 2, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(os.path.exists(self.path("r.mp4")), limit > 500)
        frames = 0
        video = cv2.VideoCapture(self.path("r.mp4"))
        while video.read()[0]:
            frames += 1
        self.assertIn(f"its first {frames / video.get(cv2.CAP_PROP_FPS):.1f} s are in r.mp4", done.stderr)
        self.assertEqual(sorted(n for n in os.listdir(self.folder.name) if n.startswith(("r.", "e."))), ["e.json", "r.mp4"])

    @unittest.skipIf(HAS_GPU, "there is a GPU")
    def test_a_missing_gpu(self):
        for words in [("--offscreen", "--device", "cuda"), ("--offscreen", "--algorithm", "cub"),
                      ("sat", self.image, "--device", "cuda", "-o", "x.npy"),
                      ("apply", self.image, "--effect", "none", "--device", "cuda", "--algorithm", "2r2w",
                       "-o", "x.png"),
                      ("sat", self.image, "--algorithm", "cub", "-o", "x.npy")]:
            with self.subTest(words=words):
                self.refused(NO_GPU, "no CUDA device: ", *words)
        said = self.expect(NO_GPU, "sat", self.image, "--device", "cuda", "-o", "x.npy").stderr
        self.assertIn("--device simulated", said)
        self.assertIn("--device host", said)
        self.expect(OK, "--offscreen", "--no-config", "--interop", "on", "synthetic:64x48", "--frames", "2")

    @unittest.skipIf(HAS_GPU, "there is a GPU")
    def test_tuning_without_a_gpu(self):
        self.refused(NO_GPU, "no CUDA device: ", "tune")
        self.assertFalse(os.path.exists(self.path("config")), "nothing is made")

    def test_what_was_tuned(self):
        shown = ("tune", "--show")
        self.assertIn("there are no measurements", self.expect(OK, *shown).stdout)
        self.assertEqual(self.expect(OK, "tune", "--remove").stdout, "there are no measurements\n")
        os.makedirs(self.path("config", "satscope"))
        name = self.path("config", "satscope", "tuned.txt")
        for turn in range(2):
            self.write(name, b"satscope tune 1\ngpu Mine\nmeasured 2026-05-31\n8u32u 1920x1080 one_wave 6.99 2r1w 9\n")
            self.assertRegex(self.expect(OK, *shown).stdout, r"Mine, 2026-05-31.*\n.*\n8u32u +1920x1080 +6.99 +one_wave +9 +2r1w\n")
            self.write(name, b"damaged")
            self.refused(FAILED, f"{name} is not used: it was written by another version", *shown)
            self.assertEqual(self.expect(OK, "tune", "--remove").stdout, f"removed {name}\n")
            self.assertFalse(os.path.exists(name))
        nowhere = {k: v for k, v in self.env.items() if k not in ("HOME", "XDG_CONFIG_HOME")}
        for words in shown, ("tune", "--remove"):
            self.refused(FAILED, "neither XDG_CONFIG_HOME nor HOME names a folder", *words, env=nowhere)
        self.refused(USAGE, "leave out one of them", *shown, "--remove")
        self.refused(USAGE, "tune takes no names: leave out 'cub'", "tune", "cub")

    def test_no_display(self):
        self.refused(NO_DISPLAY, "no display", "--viewer", "highgui", self.image)

    def test_no_display_and_no_place_for_the_picture(self):
        says = "running offscreen, the last picture goes to satscope-out/screenshot.png: cannot "
        advice = "; name a result with --screenshot, --record or --export"
        words = "--no-config", "synthetic:64x48", "--frames", "2"
        self.write("satscope-out", b"")
        self.refused(FAILED, says + "make the folder satscope-out: Not a directory; choose another place" + advice, *words)
        os.remove(self.path("satscope-out"))
        os.makedirs(self.path("satscope-out", "screenshot.png"))
        self.refused(FAILED, says + "write satscope-out/screenshot.png: it is a folder; give the name of a file" + advice, *words)

    @unittest.skipIf(os.getuid() == 0, "root can write to every folder")
    def test_no_display_and_a_folder_without_write_permission(self):
        self.addCleanup(os.chmod, self.folder.name, 0o700)
        os.chmod(self.folder.name, 0o500)
        self.refused(FAILED, "cannot make the folder satscope-out: Permission denied; choose another place; name a result with "
                     "--screenshot, --record or --export", "--no-config", "synthetic:64x48", "--frames", "2")

    def test_no_display_and_a_source_that_is_the_result(self):
        self.expect(OK, "--no-config", "--device", "host", "synthetic:64x48", "--frames", "2")
        said = self.refused(USAGE, "satscope-out/screenshot.png is the source itself: give another name", "--no-config",
                            "satscope-out/screenshot.png")
        self.assertIn("no display", said.stderr)

    def test_a_picture_that_is_too_small_for_a_video(self):
        for size in "1x1", "8192x1":  # of which the second is recorded smaller, if at all
            self.refused(FAILED, "cannot record r.mp4: a video needs", "--offscreen", "--no-config", "synthetic:" + size,
                         "--frames", "2", "--record", "r.mp4")

    def test_a_result_does_not_replace_its_source(self):
        shutil.copy(os.path.join(ASSETS, "clip.mp4"), self.path("own.mp4"))
        self.refused(USAGE, "is the source itself", "--offscreen", "--no-config", "own.mp4", "--record", "own.mp4")
        self.refused(USAGE, "is the source itself", "--offscreen", "--no-config", "file://" + self.path("own.mp4"),
                     "--record", "own.mp4")
        self.assertGreater(os.path.getsize(self.path("own.mp4")), 1_000_000)
        os.link(self.path(self.write("m.csv", b"1,2\n3,4\n")), self.path("hard.csv"))
        live = ["--offscreen", "--no-config", "--device", "host", "matrix:m.csv"]
        for words in (["--log", "m.csv"], ["--export", "hard.csv"],
                      ["--script", self.script({"do": "save_matrix", "to": "./m.csv"})]):
            self.refused(USAGE, "is the source itself", *live, *words)
        with open(self.path("s.jsonl"), "rb") as script:
            self.refused(USAGE, "is a file that this run reads", *live, "--script", "-", "--log", "s.jsonl", stdin=script)
        self.assertEqual((self.text("m.csv"), "save_matrix" in self.text("s.jsonl")), ("1,2\n3,4\n", True))

    def test_a_source_under_any_url_is_the_same_file(self):
        path = self.path(self.write("m n.csv", b"1,2\n3,4\n"))
        code = path.replace(" ", "%20").replace("m%20n", "%6D%20n")
        live = ["--offscreen", "--no-config", "--device", "host"]
        for url in ("FILE://" + path, "file://localhost" + code, "file://" + code, "file:" + code, "matrix:file://" + code):
            with self.subTest(url=url):
                self.refused(USAGE, "is the source itself", *live, url, "--log", "m n.csv")
                self.assertEqual(self.text("m n.csv"), "1,2\n3,4\n")
                self.expect(OK, *live, url, "--frames", "1")
        self.refused(SOURCE, "is a file of the host 'nas', not of this one", *live, "file://nas/a.mp4", "--log", "m n.csv")
        self.refused(USAGE, "is the source itself", "apply", "FILE://" + self.image, "--effect", "none", "--device", "host",
                     "-o", self.image)

    def test_a_file_stays_what_it_is_where_no_source_opens(self):
        results = {name: self.write(name, b"earlier") for name in ("l.csv", "e.json", "s.png", "r.mp4")}
        self.refused(SOURCE, "there is no file", "--offscreen", "--no-config", "missing.mp4", "--log", "l.csv", "--export",
                     "e.json", "--screenshot", "s.png", "--record", "r.mp4")
        for name in results:
            self.assertEqual(self.text(name), "earlier", name)

    def test_a_result_to_a_pipe_waits_for_its_reader(self):
        for option, name in ("--log", "p.csv"), ("--export", "p.json"), ("--screenshot", "p.png"):
            os.mkfifo(self.path(name))
            for read in True, False:
                with self.subTest(option=option, read=read), subprocess.Popen(
                        [PROGRAM, "--offscreen", "--no-config", "--device", "host", "synthetic:64x48", "--frames", "3", option,
                         name], cwd=self.folder.name, env=self.env, stderr=subprocess.PIPE, text=True) as process:
                    self.assertEqual(process.stderr.readline(), f"satscope: {name} is a pipe that nobody reads: waiting for a "
                                     "program that does; Ctrl-C ends\n")
                    if read:
                        with open(self.path(name), "rb") as pipe:
                            self.assertGreater(len(pipe.read()), 100)
                    else:
                        process.send_signal(signal.SIGTERM)
                    said = process.communicate(timeout=PATIENCE)[1]
                    self.assertEqual(process.returncode, OK if read else FAILED, said)
                    self.assertEqual(said, "" if read else f"satscope: cannot write {name}: nobody reads this pipe; start a "
                                     "program that does, or name a file\n")

    def test_a_folder_for_results_in_which_nothing_can_be_made(self):
        live = ["--offscreen", "--no-config", "--device", "host", "synthetic:64x48", "--frames", "1"]
        self.refused(USAGE, "output_folder: cannot write to /proc: ", *live, "--set", "output_folder=/proc/x")
        self.write("c.json", b'{"version": 1, "output_folder": "/proc/x"}')
        self.refused(USAGE, "choose another place", "--offscreen", "--config", "c.json", "synthetic:64x48", "--frames", "1")

    def test_a_result_does_not_replace_what_the_run_reads(self):
        live = ["--offscreen", "--device", "host", "synthetic:64x48"]
        config, script = self.write("c.json", b'{"version": 1}'), self.write("s.json", b'{"frames": 1}')
        for words in (["--config", config, "--export", "./c.json"], ["--no-config", "--script", script, "--export", script]):
            self.refused(USAGE, "is a file that this run reads: give another name", *live, *words)
        self.assertEqual((self.text("c.json"), self.text("s.json")), ('{"version": 1}', '{"frames": 1}'))

    def test_a_result_does_not_replace_a_cascade(self):
        with open(os.path.join(ASSETS, "haarcascade_frontalface_alt2.xml"), encoding="utf-8") as file:
            cascade = file.read()
        self.write("cas.json", cascade.encode())
        os.link(self.path("cas.json"), self.path("hard.png"))
        os.symlink("cas.json", self.path("link.csv"))
        faces = ["--device", "host", "--effect", "faces", "--set", "cascade=cas.json"]
        offscreen = ["--offscreen", "--no-config", "--device", "host", "synthetic:64x48"]
        script = self.script({"set": {"effect": "faces", "faces.cascade": "cas.json"}}, {"frames": 1},
                             {"do": "export", "to": "./cas.json"})
        says = "is a file that this run reads: give another name"
        for says, *words in ((says, "apply", self.image, *faces, "-o", "z.png", "--annotations", "cas.json"),
                             (says, "apply", self.image, *faces, "-o", "hard.png"),
                             (says, "--offscreen", "--no-config", "synthetic:64x48", *faces, "--log", "link.csv"),
                             (says, "--offscreen", "--no-config", "synthetic:64x48", *faces, "--export", "./cas.json"),
                             ("s.jsonl:3: ./cas.json " + says, *offscreen, "--script", script)):
            with self.subTest(words=words):
                self.refused(USAGE, says, *words)
                self.assertEqual(self.text("cas.json"), cascade)
        self.refused(USAGE, "s.jsonl:1: cas.json is a result of this run", *offscreen, "--export", "link.csv", "--script",
                     self.script({"set": {"faces.cascade": "cas.json"}}))

    def test_no_result_replaces_the_settings_file_or_the_latencies(self):
        os.makedirs(self.path("config/satscope"))
        settings = self.path(self.write("config/satscope/settings.json", b'{"version": 1}'))
        os.symlink(settings, self.path("link.npy"))
        shutil.copy(os.path.join(ASSETS, "latencies-h200.json"), self.path("lat.json"))
        for says, *words in (
                ("is the settings file", "apply", self.image, "--effect", "none", "-o", "z.png", "--annotations", settings),
                ("is the settings file", "detect", self.image, "-o", settings),
                ("is the settings file", "simulate", "2r1w", "-o", settings),
                ("is the settings file", "sat", self.image, "-o", "t.npy", "--trace", settings),
                ("is the settings file", "sat", self.image, "-o", "link.npy"),
                ("is the settings file", "--offscreen", "--no-config", "synthetic:64x48", "--export", settings),
                ("lat.json is a file that this run reads", "simulate", "--model", "latency", "--latencies", "lat.json", "-o",
                 "lat.json")):
            with self.subTest(words=words):
                self.refused(USAGE, says + ": give another name", *words)
        self.assertEqual(self.text(settings), '{"version": 1}')

    def test_a_log_that_another_program_writes_is_refused(self):
        live = ["--offscreen", "--no-config", "--device", "host", "synthetic:64x48", "--effect", "none"]
        process = subprocess.Popen([PROGRAM, *live, "--log", "l.csv", "--export", "e.json"], cwd=self.folder.name,
                                   env=self.env, stderr=subprocess.DEVNULL)
        try:
            self.await_that(lambda: self.lines_of("l.csv") > 5, process)
            for name in "l.png", "l.npy":  # a result that would replace it
                os.symlink("l.csv", self.path(name))
            for name, *words in [("l.csv", *live, "--frames", "1", "--log"), ("l.csv", *live, "--frames", "1", "--export"),
                                 ("l.png", *live, "--frames", "1", "--screenshot"),
                                 ("l.npy", "sat", self.image, "--device", "host", "-o")]:
                with self.subTest(words=words):
                    self.refused(USAGE, f"cannot write {name}: another program is writing it; give another name", *words, name)
            self.expect(OK, *live, "--frames", "1", "--export", "e.json")  # the later one replaces it
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)
        self.assertEqual(process.returncode, OK)
        self.assertEqual(self.text("l.csv").count("# machine"), 1)
        self.assertGreater(self.json("e.json")["frames"], 5)

    def test_two_results_do_not_share_a_file(self):
        live = ["--offscreen", "--no-config", "--device", "host", "synthetic:64x48", "--frames", "2"]
        os.symlink(self.write("earlier.csv", b""), self.path("link.csv"))
        for log, export in ("b.csv", "b.csv"), ("./b.csv", "b.csv"), ("earlier.csv", "link.csv"):
            with self.subTest(log=log, export=export):
                self.refused(USAGE, "is the file of another result: give another name", *live, "--log", log,
                             "--export", export)
                self.assertFalse(os.path.exists(self.path("b.csv")))
        os.symlink(self.write("x.json", b""), self.path("x.png"))
        self.refused(USAGE, "another result", "apply", self.image, "--effect", "haar", "--device", "host", "-o", "x.png",
                     "--annotations", "x.json")

    def test_a_full_disk_behind_the_standard_output(self):
        script = self.script({"frames": 1})
        live = ["--offscreen", "--no-config", "--device", "host", "synthetic:64x48"]
        for words in (["list", "algorithms", "--json"], ["list", "settings"], ["info"], ["--version"], ["help", "settings"],
                      ["detect", self.image, self.image], [*live, "--race"], [*live, "--script", "-"]):
            with self.subTest(words=words), open("/dev/full", "w") as full, open(self.path(script)) as lines:
                done = subprocess.run([PROGRAM, *words], stdin=lines, stdout=full, stderr=subprocess.PIPE, text=True,
                                      env=self.env)
                self.assertEqual((done.returncode, done.stderr),
                                 (FAILED, "satscope: cannot write to the standard output: No space left on device; choose a "
                                  "file or another program\n"))

    def test_no_file_takes_the_number_of_a_closed_standard_one(self):
        for closed in (0,), (2,), (0, 1, 2):
            with subprocess.Popen([PROGRAM, "--offscreen", "--no-config", "--log", "l.csv", "synthetic:64x48"], env=self.env,
                                  cwd=self.folder.name, preexec_fn=lambda: [os.close(each) for each in closed]) as program:
                try:
                    self.await_that(lambda: self.lines_of("l.csv") > 3, program)
                    now = [os.readlink(f"/proc/{program.pid}/fd/{each}") for each in closed]
                finally:
                    program.kill()
            os.remove(self.path("l.csv"))
            for each, file in zip(closed, now):  # or where libraries' messages are kept for a moment
                self.assertRegex(file, ("/dev/null", "/dev/full", "/dev/null|memfd:")[each])

    def test_a_closed_standard_output(self):
        for words in (["list", "algorithms"], ["synthetic:64x48", "--no-config", "--device", "host", "--race"]):
            done = subprocess.run([PROGRAM, *words], stderr=subprocess.PIPE, text=True, env=self.env, cwd=self.folder.name,
                                  preexec_fn=lambda: os.close(1))
            self.assertEqual((done.returncode, done.stderr), (FAILED, "satscope: cannot write to the standard output: it is closed; choose a file or "
                              "another program\n"))

    def test_a_script_from_a_closed_standard_input(self):
        done = subprocess.run([PROGRAM, "--offscreen", "--no-config", "--device", "host", "synthetic:64x48", "--script", "-"],
                              stderr=subprocess.PIPE, text=True, env=self.env, preexec_fn=lambda: os.close(0))
        self.assertEqual((done.returncode, done.stderr),
                         (USAGE, "satscope: --script: the standard input is closed; name a file of JSON lines\n"))

    def test_an_empty_source(self):
        self.refused(USAGE, "the source is an empty text", "", "--offscreen", "--frames", "1")


if __name__ == "__main__":
    main()
