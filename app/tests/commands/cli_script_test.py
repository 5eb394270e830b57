#!/usr/bin/python3
"""Scripts as a user runs them: from a file and from the standard input, offscreen."""
import array
import csv
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import termios
import time
import unittest

import cv2

from cli_case import ASSETS, FAILED, HAS_GPU, NO_GPU, OK, PATIENCE, PROGRAM, SOURCE, USAGE, Case, main

HOST = ("--offscreen", "--no-config", "--device", "host")
OFFSCREEN = (*HOST, "synthetic:320x240")
CLIP = os.path.join(ASSETS, "clip.mp4")
EXPORTS = {"export": "e.json", "export_csv": "e.csv", "export_frames": "f.csv", "export_timeline": "t.json"}


class Script(Case):
    def test_a_file_drives_the_run(self):
        self.expect(OK, "--script", self.script(
            {"set": {"algorithm": "host_serial", "effect": "none", "max_speed": True}}, {"frames": 5},
            {"do": "screenshot", "to": "a.png"}, {"set": {"effect": "box_blur", "box_blur.window": "31x31"}}, {"frames": 3},
            {"do": "reset_statistics"}, {"frames": 4}, {"do": "export", "to": "e.json"},
            {"do": "screenshot", "to": "b.png"}), *OFFSCREEN)
        report = self.json("e.json")
        self.assertEqual((report["algorithm"], report["effect"]), ("host_serial", "box_blur"))
        self.assertLess(report["frames"], 8)
        self.assertGreater(cv2.absdiff(cv2.imread(self.path("a.png")), cv2.imread(self.path("b.png"))).mean(), 0.5)

    def test_a_recording_is_not_disturbed_by_a_seek(self):
        self.expect(OK, "--script", self.script(
            {"do": "pause"}, {"frames": 1}, {"do": "record", "to": "m.mp4"}, {"frames": 1}, {"do": "seek", "to": 10},
            {"frames": 1}, {"do": "seek", "to": 2}, {"frames": 1}, {"do": "stop_record"}), *HOST,
            CLIP)
        self.assertGreaterEqual(int(cv2.VideoCapture(self.path("m.mp4")).get(cv2.CAP_PROP_FRAME_COUNT)), 3)

    def test_a_source_that_cannot_be_opened_fails_its_line_also_the_last(self):
        chosen = [{"frames": 1}, {"set": {"source": "nope.png"}}]
        for line, lines in (2, chosen), (4, [*chosen, {"seconds": 1}, {"do": "screenshot", "to": "a.png"}]):
            done = self.run_program("--script", self.script(*lines), *OFFSCREEN)
            self.assertEqual(done.returncode, SOURCE, done.stderr)
            self.assertIn(f"s.jsonl:{line}: ", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertFalse(os.path.exists(self.path("a.png")))

    def test_a_recording_of_a_still_or_paused_picture_has_real_time(self):
        for source, pause in (os.path.join(ASSETS, "astronaut.png"), []), ("synthetic:320x240", [{"do": "pause"}]):
            start = time.monotonic()
            self.expect(OK, "--script", self.script(
                {"frames": 1}, *pause, {"do": "record", "to": "m.mp4"}, {"seconds": 3}, {"do": "stop_record"}),
                *HOST, source)
            video = cv2.VideoCapture(self.path("m.mp4"))
            seconds = video.get(cv2.CAP_PROP_FRAME_COUNT) / video.get(cv2.CAP_PROP_FPS)
            self.assertGreater(seconds, 2.5)
            self.assertLess(seconds, time.monotonic() - start)

    def test_what_is_timed_is_a_setting(self):
        export = [{"frames": 3}, {"do": "export", "to": "e.json"}]
        self.expect(OK, "--script", self.script({"set": {"timing": "off", "max_speed": True}}, *export), *OFFSCREEN)
        report = self.json("e.json")
        self.assertEqual((report["kernels"], report["untimed"]), ([], report["frames"]))
        self.expect(OK, "--script", self.script({"set": {"timing": "frame", "max_speed": True, "effect": "none"}}, *export),
                    "--algorithm", "host_parallel", *OFFSCREEN)
        self.assertEqual([kernel["name"] for kernel in self.json("e.json")["kernels"]], ["luma", "host_parallel", "none"])
        self.expect(OK, "--script", self.script(*export), "--timing", "every", "--algorithm", "host_parallel", *OFFSCREEN)
        self.assertIn("host_parallel/bands", [kernel["name"] for kernel in self.json("e.json")["kernels"]])
        self.expect(USAGE, "--timing", "kernel", *OFFSCREEN)

    def test_quit_finishes_files(self):
        self.expect(OK, "--script", self.script({"do": "record", "to": "m.mp4"}, {"frames": 4}, {"do": "quit"}, {"no": 1}),
                    "--export", "e.json", *OFFSCREEN)
        self.assertGreaterEqual(int(cv2.VideoCapture(self.path("m.mp4")).get(cv2.CAP_PROP_FRAME_COUNT)), 4)
        self.assertTrue(self.json("e.json")["frames"])

    def test_wrong_lines_end_with_2_their_number_and_the_nearest_word(self):
        self.refused(USAGE, "s.jsonl:2: no setting 'efect', and no parameter in", "--script",
                     self.script({"frames": 1}, {"set": {"efect": "haar"}}), *OFFSCREEN)
        self.refused(USAGE, "did you mean 'effect'?", "--script", self.script({"set": {"efect": "haar"}}), *OFFSCREEN)
        self.refused(USAGE, "s.jsonl:1: no 'dow' in scripts", "--script", self.script({"dow": "quit"}), *OFFSCREEN)
        self.refused(USAGE, "cannot read 'none.jsonl': No such file or directory; name a file of JSON lines", "--script",
                     "none.jsonl", *OFFSCREEN)
        self.refused(USAGE, "s.jsonl:1: viewer is read when the program starts, and cannot be changed while it runs: give "
                     "--set viewer=highgui at the start", "--script", self.script({"set": {"viewer": "highgui"}}), *OFFSCREEN)
        self.refused(USAGE, "cannot open the folder satscope-out: there is no desktop", "--script",
                     self.script({"do": "open_folder"}), *OFFSCREEN)

    def test_a_source_or_a_file_that_fails_is_reported(self):
        self.refused(SOURCE, "s.jsonl:2: ", "--script",
                     self.script({"set": {"source": "missing.mp4"}}, {"frames": 1}), *OFFSCREEN)
        self.expect(FAILED, "--script", self.script({"frames": 1}, {"do": "export", "to": "no/folder/e.json"}), *OFFSCREEN)

    @unittest.skipIf(HAS_GPU, "there is a GPU")
    def test_a_missing_gpu_is_reported_as_on_the_command_line(self):
        said = self.expect(NO_GPU, "--offscreen", "--no-config", "--device", "cuda", "synthetic:64x48").stderr
        self.refused(NO_GPU, "s.jsonl:1: " + said.removeprefix("satscope: "), "--script",
                     self.script({"set": {"device": "cuda"}}), *OFFSCREEN)
        self.refused(NO_GPU, "s.jsonl:1: cub needs a GPU", "--script", self.script({"set": {"algorithm": "cub"}}),
                     *OFFSCREEN)

    def test_a_file_is_checked_before_its_first_line_runs(self):
        lines = [{"do": "screenshot", "to": "a.png"}, {"set": {"effect": "haar"}}, {"set": {"width": 30, "hight": 20}},
                 {"do": "add width x"}]
        self.refused(USAGE, "s.jsonl:3: no setting 'hight'", "--script", self.script(*lines), "--log", "l.csv", *OFFSCREEN)
        self.assertIn("; 1 line more: --check lists them", self.run_program("--script", "s.jsonl", *OFFSCREEN).stderr)
        self.assertEqual(os.listdir(self.folder.name), ["s.jsonl"])
        with open(self.path("s.jsonl"), encoding="utf-8") as file:  # a pipe's lines are checked as they come
            done = self.expect(USAGE, "--script", "-", *OFFSCREEN, stdin=file)
        self.assertEqual([list(json.loads(line)) for line in done.stdout.splitlines()], [["ok"], ["ok"], ["error"], ["error"]])
        self.assertTrue(os.path.exists(self.path("a.png")))

    def test_a_check_alone_runs_nothing(self):
        right = self.script({"do": "screenshot", "to": "a.png"}, {"set": {"effect": "haar"}}, {"set": {"width": 30}})
        for where in ("--offscreen",), ():  # without a display, too
            done = self.expect(OK, "--script", right, "--check", "--no-config", *where)
            self.assertEqual((done.stdout, done.stderr), ("s.jsonl: 3 lines, nothing wrong\n", ""))
        with open(self.path(right), encoding="utf-8") as file:
            self.assertEqual(self.expect(OK, "--script", "-", "--check", stdin=file).stdout,
                             "standard input: 3 lines, nothing wrong\n")
        done = self.expect(USAGE, "--script", self.script({"do": "fitt"}, {"frames": 2}, {"set": {"wipe": 2}}), "--check")
        self.assertEqual([line.split(" ")[1] for line in done.stderr.splitlines()], ["s.jsonl:1:", "s.jsonl:3:"])
        self.assertEqual((done.stdout, os.listdir(self.folder.name)), ("", ["s.jsonl"]))
        self.refused(USAGE, "give --script FILE", "--check", "--offscreen")

    def test_recording_starts_and_stops_once(self):
        self.refused(USAGE, "s.jsonl:2: already recording q1.mp4; stop_record first", "--script",
                     self.script({"do": "record", "to": "q1.mp4"}, {"do": "record", "to": "q2.mp4"}), *OFFSCREEN)
        self.refused(USAGE, "s.jsonl:1: already recording r.mp4", "--record", "r.mp4", "--script",
                     self.script({"do": "record", "to": "q.mp4"}), *OFFSCREEN)
        self.refused(USAGE, "s.jsonl:4: nothing is being recorded", "--script",
                     self.script({"do": "record", "to": "q.mp4"}, {"frames": 2}, {"do": "stop_record"},
                                 {"do": "stop_record"}), *OFFSCREEN)

    def test_a_recording_without_a_picture_is_none(self):
        self.refused(USAGE, "s.jsonl:2: no picture came since the recording was started: there is no q.mp4", "--script",
                     self.script({"do": "record", "to": "q.mp4"}, {"do": "stop_record"}), *OFFSCREEN)
        self.assertFalse(os.path.exists(self.path("q.mp4")))

    def test_before_the_first_picture_nothing_is_in_use(self):
        with subprocess.Popen([PROGRAM, "--script", "-", *OFFSCREEN], cwd=self.folder.name, env=self.env, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            said = program.communicate('{"get": ["effect", "algorithm"]}\n', timeout=PATIENCE)[0]
        for value in json.loads(said).values():  # null, unless a first picture has come
            self.assertNotEqual(value, "", said)

    def test_a_line_does_not_replace_another_result_of_the_run(self):
        self.refused(USAGE, "s.jsonl:2: ./l.csv is the file of another result", "--log", "l.csv", "--script",
                     self.script({"frames": 1}, {"do": "export", "to": "./l.csv"}), *OFFSCREEN)
        again = {"do": "export", "to": "e.json"}
        self.refused(USAGE, "s.jsonl:4: ./e.json is the file of another result", "--script",
                     self.script({"frames": 1}, again, again, {"do": "export_timeline", "to": "./e.json"}), *OFFSCREEN)
        self.assertFalse(os.path.exists(self.path("e.json")), "it is known before the first line")
        record = {"do": "record", "to": "r.mp4"}
        lines = record, {"frames": 6}, {"do": "stop_record"}, record, {"frames": 2}
        self.refused(USAGE, "s.jsonl:4: r.mp4 is the file of another result: give another name", "--script",
                     self.script(*lines), *OFFSCREEN)
        self.refused(USAGE, "s.jsonl:4: r.mp4 is the file of another result: give another name", "--check", "--script",
                     self.script(*lines))
        self.assertFalse(os.path.exists(self.path("r.mp4")))
        # The lines of a pipe are checked as they come.
        said = subprocess.run([PROGRAM, "--script", "-", *OFFSCREEN], cwd=self.folder.name, env=self.env, text=True,
                              input="".join(json.dumps(line) + "\n" for line in lines), capture_output=True, timeout=PATIENCE)
        self.assertIn("line 4: r.mp4 is the file of another result: give another name", said.stdout)
        self.assertGreaterEqual(int(cv2.VideoCapture(self.path("r.mp4")).get(cv2.CAP_PROP_FRAME_COUNT)), 6)

    def test_a_line_does_not_replace_the_script(self):
        script = self.write("s.json", b'{"frames": 1}\n{"do": "export", "to": "./s.json"}\n')
        self.refused(USAGE, "s.json:2: ./s.json is a file that this run reads: give another name", "--script", script,
                     *OFFSCREEN)
        self.assertIn("frames", self.text("s.json"))

    def test_a_line_replaces_nothing_that_a_line_before_it_read(self):
        cascade = {"set": {"effect": "faces", "faces.cascade": "c.json"}}, {"set": {"faces.cascade": "frontalface_alt2"}}
        for name, lines in (("b.png", [{"set": {"source": "c.png"}}, {"frames": 1}, {"do": "save_picture", "to": "b.png"}]),
                            ("c.json", [cascade[0], {"frames": 1}, cascade[1], {"do": "export", "to": "./c.json"}])):
            for copy in ("b.png", "c.png"):
                shutil.copy(os.path.join(ASSETS, "astronaut.png"), self.path(copy))
            shutil.copy(os.path.join(ASSETS, "haarcascade_frontalface_alt2.xml"), self.path("c.json"))
            with open(self.path(name), "rb") as file:
                before = file.read()
            self.refused(USAGE, "is a file that this run reads: give another name", "--script", self.script(*lines),
                         *HOST, "b.png")
            with open(self.path(name), "rb") as file:
                self.assertEqual(file.read(), before)

    def test_one_fault_is_one_line_with_its_number(self):
        os.symlink("/dev/full", self.path("full.png"))
        self.refused(FAILED, "s.jsonl:1: cannot write full.png", "--script",
                     self.script({"do": "screenshot", "to": "full.png"}), *OFFSCREEN)
        small = (*HOST, "synthetic:64x48", "--effect", "none")
        haar = {"set": {"effect": "haar", "haar.width": 60, "haar.height": 60}}
        for _ in range(5):  # the frame before is computed again meanwhile, sometimes at once
            self.refused(USAGE, "s.jsonl:3: the feature's 120x60 pixels", "--script",
                         self.script({"frames": 1}, haar, {"frames": 1}), *small)
        self.expect(USAGE, "--script",
                    self.script({"frames": 1}, haar, {"seconds": 0.5}, {"set": {"zoom": 1}}, {"frames": 1}), *small)
        self.refused(USAGE, "s.jsonl:4: the feature's 120x60 pixels", "--script",
                     self.script({"frames": 1}, haar, {"seconds": 0.5}, {"frames": 1}), *small)
        self.refused(SOURCE, "s.jsonl:4: ", "--script",
                     self.script({"frames": 1}, {"set": {"source": "missing.mp4"}}, {"seconds": 0.5}, {"frames": 1}), *small)
        # What no line needs is said nevertheless.
        for more in [], [{"set": {"effect": "none"}}, {"frames": 1}]:
            self.refused(USAGE, "s.jsonl:2: the feature's 120x60 pixels", "--script",
                         self.script({"frames": 1}, haar, {"seconds": 0.5}, *more), *small)

    def test_a_matrix_is_changed_and_saved(self):
        self.expect(OK, "--script", self.script(
            {"frames": 1}, {"do": "save_matrix", "to": "a.csv"}, {"set": {"matrix": "1,2,3;4,5,255"}}, {"frames": 2},
            {"do": "save_matrix", "to": "b.csv"}, {"set": {"source": "a.csv"}}, {"frames": 1},
            {"do": "save_matrix", "to": "c.csv"}), "--offscreen", "--no-config", "--device", "host", "matrix:4x3")
        text = {name: self.text(name + ".csv") for name in "abc"}
        self.assertEqual(text["b"], "1,2,3\n4,5,255\n")
        self.assertEqual(text["c"], text["a"])
        self.assertEqual([len(row.split(",")) for row in text["a"].splitlines()], [4, 4, 4])
        self.refused(USAGE, "s.jsonl:2: matrix: row 2 has 1 number, row 1 has 2", "--script",
                     self.script({"frames": 1}, {"set": {"matrix": "1,2;3"}}, {"frames": 1}), "--offscreen", "--no-config",
                     "--device", "host", "matrix:4x3")
        self.refused(USAGE, "the source is not a matrix", "--script",
                     self.script({"frames": 1}, {"do": "save_matrix"}), *OFFSCREEN)

    def test_every_table_is_checked_where_that_is_asked_for(self):
        self.expect(OK, "--script", self.script(
            {"set": {"check": True, "max_speed": True}}, {"frames": 5}, {"do": "export", "to": "e.json"},
            {"set": {"check": False}}, {"frames": 3}, {"do": "export", "to": "f.json"}), *OFFSCREEN)
        checked, unchecked = self.json("e.json"), self.json("f.json")
        self.assertGreaterEqual(checked["checked"], 4)
        self.assertEqual((checked["wrong"], unchecked["checked"]), (0, 0))
        self.assertIn("check", [kernel["name"] for kernel in checked["kernels"]])
        self.assertNotIn("check", [kernel["name"] for kernel in unchecked["kernels"]])
        self.refused(USAGE, "no table was wrong", "--script",
                     self.script({"frames": 1}, {"do": "save_wrong_frame"}), *OFFSCREEN)

    def test_the_standard_input_is_answered_line_by_line(self):
        with subprocess.Popen([PROGRAM, "--script", "-", *OFFSCREEN], cwd=self.folder.name, env=self.env, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            def ask(line):
                program.stdin.write((line if isinstance(line, str) else json.dumps(line)) + "\n")
                program.stdin.flush()
                return json.loads(program.stdout.readline())

            self.assertEqual(ask({"set": {"effect": "sat_view"}}), {"ok": True})
            self.assertEqual(ask({"frames": 2}), {"ok": True})
            self.assertEqual(ask({"seconds": 0.2}), {"ok": True})
            self.assertIn("line 4: no command 'scrensht'", ask({"do": "scrensht"})["error"])
            self.assertIn("it is not JSON: wrong at character 1", ask("hello")["error"])
            self.assertIn("missing.mp4", ask({"set": {"source": "missing.mp4"}}).get("error", "missing.mp4"))
            self.assertIn("missing.mp4", ask({"frames": 1})["error"])
            self.assertEqual(ask({"frames": 1}), {"ok": True})  # the previous source continues
            self.assertEqual(ask({"do": "screenshot", "to": "a.png"}), {"ok": True})
            self.assertIsNotNone(cv2.imread(self.path("a.png")))
            program.stdin.close()
            self.assertEqual(program.stdout.read(), "")
            self.assertEqual(program.wait(PATIENCE), USAGE)  # a line was wrong

    def test_values_are_asked_for_and_commands_are_lines(self):
        lines = [{"set": {"algorithm": "host_serial", "effect": "none", "max_speed": True, "box_blur.window": "9x9"}},
                 {"frames": 3}, {"do": "seek 4"}, {"frames": 1}, {"get": ["source.position", "source.paused", "algorithm", "fps"]},
                 {"do": "set effect haar"}, {"do": "add haar.width 3"}, {"do": "cycle theme"}, {"do": "multiply wipe 0.5"},
                 {"frames": 2}, {"do": "export csv to t t.csv"},
                 {"get": ["effect", "haar.width", "theme", "wipe", "box_blur.window", "kernels.0.name", "settings.device"]},
                 {"do": "undo"}, {"do": "undo"}, {"do": "redo"}, {"frames": 1}, {"get": ["effect", "theme", "wipe", "haar.width"]},
                 {"get": ["fsp"]}, {"get": ["race.0.us"]}, {"get": ["race.-1.us"]}, {"do": "start_race"},
                 {"get": ["race.0.us", "race.0.name"]}]
        done = subprocess.run([PROGRAM, "--script", "-", *OFFSCREEN], cwd=self.folder.name, env=self.env, text=True,
                              input="\n".join(map(json.dumps, lines)), capture_output=True, timeout=PATIENCE)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual((done.returncode, len(answers)), (USAGE, len(lines)), done.stderr)
        wrong = {i: answer["error"] for i, answer in enumerate(answers) if "error" in answer}
        self.assertEqual(list(wrong), [17, 19], wrong)
        self.assertIn("no value 'fsp' (did you mean 'fps'?)", wrong[17])
        self.assertEqual(answers[18], {"race.0.us": None}, "no race has run")
        self.assertIn("no value 'race.-1.us'", wrong[19])
        self.assertAlmostEqual(answers[4]["source.position"], 4, delta=0.04)
        self.assertEqual((answers[4]["source.paused"], answers[4]["algorithm"]), (False, "host_serial"))
        self.assertGreater(answers[4]["fps"], 0)
        self.assertEqual(answers[11], {"effect": "haar", "haar.width": 32 + 3, "theme": "light", "wipe": 0.25,
                                       "box_blur.window": "9x9", "kernels.0.name": answers[11]["kernels.0.name"],
                                       "settings.device": "host"})
        self.assertTrue(os.path.getsize(self.path("t t.csv")) > 0)
        self.assertEqual(answers[16], {"effect": "haar", "theme": "light", "wipe": 0.5, "haar.width": 32 + 3})
        self.assertGreater(answers[21]["race.0.us"], 0)
        self.assertRegex(answers[21]["race.0.name"], "^(host_|opencv$)")

    def test_what_commands_open_was_read_and_what_they_set_is_set(self):
        for name in "a.png", "b.png":
            shutil.copy(os.path.join(ASSETS, "astronaut.png"), self.path(name))
        run = ["--offscreen", "--no-config", "--device", "host", self.path("a.png")]
        self.refused(USAGE, "s.jsonl:5: b.png", "--script", self.script(
            {"frames": 1}, {"do": "open b.png"}, {"frames": 1}, {"do": "open a.png"}, {"do": "save_picture to b.png"}), *run)
        lines = [{"do": "set source missing.png"}, {"seconds": 0.5}, {"do": "set source b.png"}, {"frames": 1},
                 {"do": "set output_folder 007"}, {"get": ["output_folder"]}]
        done = subprocess.run([PROGRAM, "--script", "-", *run], cwd=self.folder.name, env=self.env, text=True,
                              input="\n".join(map(json.dumps, lines)), capture_output=True, timeout=PATIENCE)
        self.assertEqual([json.loads(line) for line in done.stdout.splitlines()][2:],
                         [{"ok": True}] * 3 + [{"output_folder": "007"}], done.stderr)

    def test_what_was_refused_has_no_file(self):
        lines = [{"frames": 2}, {"do": "record to c.mp4"}, {"do": "record to d.mp4"}, {"frames": 2}, {"do": "stop_record"},
                 {"do": "record to d.mp4"}, {"frames": 2}, {"do": "stop_record"}]
        done = subprocess.run([PROGRAM, "--script", "-", *OFFSCREEN], cwd=self.folder.name, env=self.env, text=True,
                              input="\n".join(map(json.dumps, lines)), capture_output=True, timeout=PATIENCE)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([i for i, answer in enumerate(answers) if "error" in answer], [2], answers)
        self.assertIn("already recording", answers[2]["error"])
        self.assertTrue(os.path.getsize(self.path("d.mp4")) > 0)

    def test_the_end_of_the_input_is_the_end_of_the_run(self):
        done = subprocess.run([PROGRAM, "--script", "-", *OFFSCREEN], cwd=self.folder.name, env=self.env, text=True,
                              input='{"frames": 2}', capture_output=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stdout), (OK, '{"ok": true}\n'), done.stderr)


class ScriptIsExact(Case):
    """An offscreen run of a file does not depend on time."""

    def rows(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        return [[row[column] for column in ("id", "again", "selection", "size", "source", "dropped_before", "of_work")]
                for row in rows]

    def test_two_runs_of_a_script_have_the_same_log(self):
        script = self.script(
            {"frames": 25}, {"set": {"effect": "sat_view"}}, {"frames": 25}, {"do": "seek 3"}, {"do": "set effect box_blur"},
            {"frames": 3}, {"set": {"source": "synthetic:320x240"}}, {"do": "pause"}, {"frames": 2}, {"do": "resume"},
            {"set": {"max_speed": True}}, {"do": "save_picture", "to": "p.png"}, {"set": {"effect": "haar"}})
        runs = []
        for busy in 0, 3:  # processes that take the processors
            load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
            try:
                self.expect(OK, "--script", script, "--log", "l.csv", "--effect", "none", *HOST, CLIP)
            finally:
                for process in load:
                    process.kill()
                    process.wait()
            runs.append(self.rows("l.csv"))
        self.assertEqual(*runs)
        rows = runs[0]
        self.assertEqual([row[0] for row in rows], [str(number + 1) for number in range(len(rows))])
        effects = [next(name for name in ("none", "sat_view", "box_blur", "haar") if name in row[2]) for row in rows]
        self.assertEqual(effects, ["none"] * 25 + ["sat_view"] * 25 + ["box_blur"] * 5 + ["haar"])

    def test_a_controller_that_takes_its_time_gets_the_same_frames(self):
        lines = {"frames": 5}, {"set": {"effect": "sat_view"}}, {"get": ["effect", "last_frame"]}, {"frames": 5}
        with subprocess.Popen([PROGRAM, "--script", "-", "--log", "l.csv", "--effect", "none", *OFFSCREEN], text=True,
                              cwd=self.folder.name, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            for line in lines:
                program.stdin.write(json.dumps(line) + "\n")
                program.stdin.flush()
                answer = json.loads(program.stdout.readline())
                if "effect" in answer:
                    self.assertEqual(answer, {"effect": "none", "last_frame": 5})
                self.run_program("--version")  # which takes a while
            program.stdin.close()
        self.assertEqual(["sat_view" in row[2] for row in self.rows("l.csv")], [False] * 5 + [True] * 5)


class ScriptReader(Case):
    """Whoever reads the answers, or does not."""

    @staticmethod
    def unread(pipe):
        count = array.array("i", [0])
        fcntl.ioctl(pipe, termios.FIONREAD, count)
        return count[0]

    def start(self, *words):
        """Fed with lines as fast as it takes them; nobody reads its answers, which fill their pipe."""
        feed = subprocess.Popen(["yes", '{"set": {"wipe": 0.3}}'], stdout=subprocess.PIPE)
        self.addCleanup(feed.communicate)
        self.addCleanup(feed.kill)
        program = subprocess.Popen([PROGRAM, "--script", "-", *words], cwd=self.folder.name, env=self.env, stdin=feed.stdout,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        self.await_that(lambda: self.unread(program.stdout) > 60_000, program)
        return program

    def test_one_interrupt_ends_a_run_whose_answers_nobody_reads(self):
        program = self.start("--record", "m.mp4", *OFFSCREEN)
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.wait(PATIENCE), FAILED)
        self.assertIn("cannot write to the standard output: its reader has stopped reading", program.stderr.read())

    def test_a_late_reader_gets_every_answer(self):
        program = self.start(*OFFSCREEN)
        answers = [program.stdout.readline() for _ in range(20_000)]
        self.assertEqual(set(answers), {'{"ok": true}\n'})
        program.send_signal(signal.SIGINT)
        rest = program.communicate(timeout=PATIENCE)[0]
        self.assertEqual(set(rest.splitlines()) - {'{"ok": true}'}, set(), "whole lines")
        self.assertEqual(program.returncode, OK)


class ScriptWaits(Case):
    """What an action works on: the line waits for it, and says in one line if it cannot come or is empty."""

    def frames_of_clip(self, name, frames):
        """Which of the `frames` are the picture in that file."""
        saved, video, numbers = cv2.imread(self.path(name)), cv2.VideoCapture(CLIP), []
        for number in range(max(frames) + 1):
            picture = video.read()[1]
            if number in frames and cv2.absdiff(saved, picture).max() == 0:
                numbers.append(number)
        return numbers

    def test_the_first_line_may_be_a_seek(self):
        for source, chosen in (CLIP, []), ("synthetic:64x48", [{"set": {"source": CLIP}}]):
            self.expect(OK, "--script", self.script(
                {"do": "pause"}, *chosen, {"do": "seek", "to": 8.34}, {"frames": 1},
                {"do": "save_picture", "to": "p.png"}), *HOST, "--effect", "none", source)
            self.assertEqual(self.frames_of_clip("p.png", [0, 1, 250]), [250])

    def test_the_first_line_may_change_what_the_picture_decides(self):
        for lines, width in (([{"do": "add haar.width 8"}], "40"), ([{"set": {"haar.width": "10"}}, {"do": "add haar.width 8"}], "18"),
                             ([{"do": "add haar.width 8"}, {"do": "multiply haar.width 2"}], "80")):
            said = self.expect(OK, "--script", self.script(*lines, {"get": ["settings.haar.width"]}), *OFFSCREEN)
            self.assertEqual(json.loads(said.stdout)["settings.haar.width"], int(width), lines)

    def test_the_first_line_may_save_the_picture(self):
        self.expect(OK, "--script", self.script({"do": "save_picture", "to": "p.png"}), *HOST, "--max-speed",
                    "--effect", "none", CLIP)
        self.assertTrue(self.frames_of_clip("p.png", range(20)))
        self.expect(OK, "--script", self.script({"do": "save_matrix", "to": "m.csv"}), *HOST, "matrix:4x3")
        self.assertEqual(len(self.text("m.csv").splitlines()), 3)
        image = os.path.join(ASSETS, "astronaut.png")
        self.expect(OK, "--script", self.script(
            {"do": "screenshot", "to": "first.png"}, {"frames": 1}, {"do": "screenshot", "to": "later.png"}), *HOST, image)
        first, later = (cv2.imread(self.path(name))[60:440, 570:1030] for name in ("first.png", "later.png"))
        self.assertGreater(later.std(), 25)
        self.assertLess(cv2.absdiff(first, later).mean(), 1)

    def test_the_first_line_may_export(self):
        for action, name in EXPORTS.items():
            self.expect(OK, "--script", self.script({"do": action, "to": name}), *OFFSCREEN)
        self.assertGreaterEqual(self.json("e.json")["frames"], 1)
        self.assertIn("synthetic", self.json("e.json")["source"])
        self.assertGreaterEqual(self.json("t.json")["otherData"]["frames"], 1)
        for name in "e.csv", "f.csv":
            self.assertGreaterEqual(len([line for line in self.text(name).splitlines() if not line.startswith("#")]), 2)

    def test_an_effect_is_judged_by_the_source_that_is_set_with_it(self):
        """While that source opens, the picture before is made with the effect, which does not fit it."""
        def both(source):
            lines = {"frames": 1}, {"set": {"source": source, "effect": "haar", "haar.width": 64}}, {"frames": 2}
            return "--script", self.script(*lines), *HOST, "--effect", "none", "matrix:8x8"
        self.expect(OK, *both(CLIP))
        self.refused(USAGE, "do not fit the frame's 9x8", *both("synthetic:9x8"))
        self.refused(USAGE, "do not fit the frame's 8x8", *both("synthetic:8x8"))
        self.refused(SOURCE, "no_such.mp4", *both("no_such.mp4"))

    def test_the_picture_of_a_step_or_of_another_place_is_waited_for(self):
        moves = [({"do": "step_forward"}, 11), ({"do": "step_forward"}, 12), ({"do": "seek", "to": 1}, 30),
                 ({"do": "step_back"}, 29), ({"do": "seek", "to": 6}, 180), ({"do": "seek_back"}, 30), ({"do": "to_start"}, 0)]
        lines = [{"do": "pause"}, {"do": "seek", "to": 10 / 30}, {"frames": 1}]
        for number, (move, _) in enumerate(moves):
            lines += [move, {"do": "save_picture", "to": f"{number}.png"}]
        self.expect(OK, "--script", self.script(*lines), *HOST, "--effect", "none", CLIP)
        for number, (move, frame) in enumerate(moves):
            self.assertEqual(self.frames_of_clip(f"{number}.png", range(200)), [frame], move)

    def test_what_was_set_is_waited_for(self):
        self.expect(OK, "--script", self.script({"frames": 2}, {"set": {"source": CLIP}}, {"do": "export", "to": "e.json"}),
                    *OFFSCREEN)
        self.assertIn("clip.mp4", self.json("e.json")["source"])

    def test_a_picture_that_does_not_come_ends_the_wait(self):
        self.write("text.mp4", b"hello, this is not a video\n" * 20)
        for line in ({"do": "seek", "to": 1}, {"do": "step_forward"}, {"do": "save_picture", "to": "p.png"},
                     {"do": "screenshot", "to": "p.png"}, {"do": "export", "to": "p.json"}, {"do": "start_race"}):
            with self.subTest(line=line):
                self.refused(SOURCE, "s.jsonl:1: there is no file", "--script", self.script(line), *HOST, "missing.mp4")
        self.refused(SOURCE, "s.jsonl:3: ", "--script",
                     self.script({"frames": 1}, {"set": {"source": "text.mp4"}}, {"do": "save_picture", "to": "p.png"}),
                     *OFFSCREEN)
        self.refused(USAGE, "s.jsonl:2: the feature's", "--script",
                     self.script({"set": {"effect": "haar", "haar.width": 500}}, {"do": "save_picture", "to": "p.png"}),
                     *OFFSCREEN)
        self.assertFalse(os.path.exists(self.path("p.png")))

    def test_an_interrupted_line_has_failed(self):
        lines = {"frames": 1}, {"get": ["effect"]}, {"seconds": 600}, {"do": "export", "to": "e.json"}
        for script, error, answer in ((self.script(*lines), "satscope: s.jsonl:3: interrupted\n", ""),
                                      ("-", "", '{"error": "line 3: interrupted"}\n')):
            # The signal may come before line 3 begins: between two lines of a pipe nothing is missing. Then once more.
            for _ in range(10):
                with self.subTest(script=script), subprocess.Popen(
                        [PROGRAM, "--script", script, *OFFSCREEN], cwd=self.folder.name, env=self.env, text=True,
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                    process.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
                    process.stdin.flush()
                    while "effect" not in process.stdout.readline():
                        pass
                    process.send_signal(signal.SIGINT)
                    said = process.communicate(timeout=PATIENCE)
                    if script == "-" and said == ("", "") and process.returncode == OK:
                        continue
                    self.assertEqual(said, (answer, error))
                    self.assertEqual(process.returncode, FAILED)
                    break
            else:
                self.fail("no signal came while a line waited")
        self.assertFalse(os.path.exists(self.path("e.json")))

    def test_the_standard_input_is_told_and_goes_on(self):
        with subprocess.Popen([PROGRAM, "--script", "-", *HOST, "missing.mp4"], cwd=self.folder.name, env=self.env,
                              text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            def ask(line):
                program.stdin.write(json.dumps(line) + "\n")
                program.stdin.flush()
                return json.loads(program.stdout.readline())

            save = {"do": "save_picture", "to": "p.png"}
            self.assertIn("line 1: there is no file", ask(save)["error"])
            self.assertIn("line 2: there is no file", ask(save)["error"])
            self.assertIn("line 3: there is no file", ask({"do": "seek", "to": 1})["error"])
            self.assertEqual(ask({"set": {"source": "synthetic:64x48"}}), {"ok": True})
            self.assertEqual(ask(save), {"ok": True})
            self.assertEqual(cv2.imread(self.path("p.png")).shape, (48, 64, 3))
            program.stdin.close()
            self.assertEqual(program.wait(PATIENCE), SOURCE)

    def test_the_last_line_may_be_wrong(self):
        lines = {"frames": 1}, {"set": {"effect": "haar", "haar.width": 400}}
        self.refused(USAGE, "s.jsonl:2: the feature's", "--script", self.script(*lines), *OFFSCREEN)
        with open(self.path("s.jsonl"), encoding="utf-8") as file:
            self.refused(USAGE, "do not fit the frame's", "--script", "-", *OFFSCREEN, stdin=file)

    def test_nothing_to_export_is_an_error(self):
        self.refused(USAGE, "s.jsonl:2: no race has run: race first", "--script",
                     self.script({"frames": 1}, {"do": "export_race", "to": "r.json"}), *OFFSCREEN)
        for action, name in EXPORTS.items():
            with self.subTest(action=action):
                self.refused(USAGE, "s.jsonl:3: no frame of graph_range 100000-100001 can be saved: choose", "--script",
                             self.script({"frames": 3}, {"set": {"graph_range": "100000-100001"}}, {"do": action, "to": name}),
                             *OFFSCREEN)
                self.refused(USAGE, "s.jsonl:3: no frame is complete since the statistics were reset", "--script",
                             self.script({"frames": 3}, {"do": "reset_statistics"}, {"do": action, "to": name}), *OFFSCREEN)
                self.assertFalse(os.path.exists(self.path(name)))


if __name__ == "__main__":
    main()
