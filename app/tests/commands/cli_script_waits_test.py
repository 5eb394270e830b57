#!/usr/bin/python3
"""What an action of a script works on: the line waits for it, and says in one line if it cannot come or is empty."""
import json
import os
import signal
import subprocess

import cv2

from cli_case import ASSETS, FAILED, OK, PATIENCE, PROGRAM, SOURCE, USAGE, Case, main

OFFSCREEN = ("--offscreen", "--no-config", "--device", "host")
SYNTHETIC = (*OFFSCREEN, "synthetic:320x240")
CLIP = os.path.join(ASSETS, "clip.mp4")
EXPORTS = {"export": "e.json", "export_csv": "e.csv", "export_frames": "f.csv", "export_timeline": "t.json"}


class ScriptWaits(Case):
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
                {"do": "save_picture", "to": "p.png"}), *OFFSCREEN, "--effect", "none", source)
            self.assertEqual(self.frames_of_clip("p.png", [0, 1, 250]), [250])

    def test_the_first_line_may_save_the_picture(self):
        self.expect(OK, "--script", self.script({"do": "save_picture", "to": "p.png"}), *OFFSCREEN, "--max-speed",
                    "--effect", "none", CLIP)
        self.assertTrue(self.frames_of_clip("p.png", range(20)))
        self.expect(OK, "--script", self.script({"do": "save_matrix", "to": "m.csv"}), *OFFSCREEN, "matrix:4x3")
        self.assertEqual(len(self.text("m.csv").splitlines()), 3)
        image = os.path.join(ASSETS, "astronaut.png")
        self.expect(OK, "--script", self.script(
            {"do": "screenshot", "to": "first.png"}, {"frames": 1}, {"do": "screenshot", "to": "later.png"}), *OFFSCREEN, image)
        first, later = (cv2.imread(self.path(name))[60:440, 570:1030] for name in ("first.png", "later.png"))
        self.assertGreater(later.std(), 25)
        self.assertLess(cv2.absdiff(first, later).mean(), 1)

    def test_the_first_line_may_export(self):
        for action, name in EXPORTS.items():
            self.expect(OK, "--script", self.script({"do": action, "to": name}), *SYNTHETIC)
        self.assertGreaterEqual(self.json("e.json")["frames"], 1)
        self.assertIn("synthetic", self.json("e.json")["source"])
        self.assertGreaterEqual(self.json("t.json")["otherData"]["frames"], 1)
        for name in "e.csv", "f.csv":
            self.assertGreaterEqual(len([line for line in self.text(name).splitlines() if not line.startswith("#")]), 2)

    def test_an_effect_is_judged_by_the_source_that_is_set_with_it(self):
        """While that source opens, the picture before is made with the effect, which does not fit it."""
        def both(source):
            lines = {"frames": 1}, {"set": {"source": source, "effect": "haar"}}, {"frames": 2}
            return "--script", self.script(*lines), *OFFSCREEN, "--effect", "none", "matrix:8x8"
        self.expect(OK, *both(CLIP))
        self.refused(USAGE, "do not fit the frame's 9x8", *both("synthetic:9x8"))
        self.refused(USAGE, "do not fit the frame's 8x8", *both("synthetic:8x8"))
        self.refused(SOURCE, "no_such.mp4", *both("no_such.mp4"))

    def test_the_picture_of_a_step_or_of_another_place_is_waited_for(self):
        moves = [({"do": "step_forward"}, 11), ({"do": "step_forward"}, 12), ({"do": "seek", "to": 1}, 30),
                 ({"do": "step_back"}, 29), ({"do": "to_start"}, 0)]
        lines = [{"do": "pause"}, {"do": "seek", "to": 10 / 30}, {"frames": 1}]
        for number, (move, _) in enumerate(moves):
            lines += [move, {"do": "save_picture", "to": f"{number}.png"}]
        self.expect(OK, "--script", self.script(*lines), *OFFSCREEN, "--effect", "none", CLIP)
        for number, (move, frame) in enumerate(moves):
            self.assertEqual(self.frames_of_clip(f"{number}.png", range(40)), [frame], move)

    def test_what_was_set_is_waited_for(self):
        self.expect(OK, "--script", self.script({"frames": 2}, {"set": {"source": CLIP}}, {"do": "export", "to": "e.json"}),
                    *SYNTHETIC)
        self.assertIn("clip.mp4", self.json("e.json")["source"])

    def test_a_picture_that_does_not_come_ends_the_wait(self):
        self.write("text.mp4", b"hello, this is not a video\n" * 20)
        for line in ({"do": "seek", "to": 1}, {"do": "step_forward"}, {"do": "save_picture", "to": "p.png"},
                     {"do": "screenshot", "to": "p.png"}, {"do": "export", "to": "p.json"}, {"do": "start_race"}):
            with self.subTest(line=line):
                self.refused(SOURCE, "s.jsonl:1: there is no file", "--script", self.script(line), *OFFSCREEN, "missing.mp4")
        self.refused(SOURCE, "s.jsonl:3: ", "--script",
                     self.script({"frames": 1}, {"set": {"source": "text.mp4"}}, {"do": "save_picture", "to": "p.png"}),
                     *SYNTHETIC)
        self.refused(USAGE, "s.jsonl:2: the feature's", "--script",
                     self.script({"set": {"effect": "haar", "haar.width": 500}}, {"do": "save_picture", "to": "p.png"}),
                     *SYNTHETIC)
        self.assertFalse(os.path.exists(self.path("p.png")))

    def test_an_interrupted_line_has_failed(self):
        lines = {"frames": 1}, {"get": ["effect"]}, {"seconds": 600}, {"do": "export", "to": "e.json"}
        for script, error, answer in ((self.script(*lines), "satscope: s.jsonl:3: interrupted\n", ""),
                                      ("-", "", '{"error": "line 3: interrupted"}\n')):
            with self.subTest(script=script), subprocess.Popen(
                    [PROGRAM, "--script", script, *SYNTHETIC], cwd=self.folder.name, env=self.env, text=True,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                process.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
                process.stdin.flush()
                while "effect" not in process.stdout.readline():
                    pass
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.communicate(timeout=PATIENCE), (answer, error))
                self.assertEqual(process.returncode, FAILED)
        self.assertFalse(os.path.exists(self.path("e.json")))

    def test_the_standard_input_is_told_and_goes_on(self):
        with subprocess.Popen([PROGRAM, "--script", "-", *OFFSCREEN, "missing.mp4"], cwd=self.folder.name, env=self.env,
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
        self.refused(USAGE, "s.jsonl:2: the feature's", "--script", self.script(*lines), *SYNTHETIC)
        with open(self.path("s.jsonl"), encoding="utf-8") as file:
            self.refused(USAGE, "do not fit the frame's", "--script", "-", *SYNTHETIC, stdin=file)

    def test_nothing_to_export_is_an_error(self):
        self.refused(USAGE, "s.jsonl:2: no race has run: race first", "--script",
                     self.script({"frames": 1}, {"do": "export_race", "to": "r.json"}), *SYNTHETIC)
        for action, name in EXPORTS.items():
            with self.subTest(action=action):
                self.refused(USAGE, "s.jsonl:3: no frame of graph_range 100000-100001 can be saved: choose", "--script",
                             self.script({"frames": 3}, {"set": {"graph_range": "100000-100001"}}, {"do": action, "to": name}),
                             *SYNTHETIC)
                self.refused(USAGE, "s.jsonl:3: no frame is complete since the statistics started anew", "--script",
                             self.script({"frames": 3}, {"do": "reset_statistics"}, {"do": action, "to": name}), *SYNTHETIC)
                self.assertFalse(os.path.exists(self.path(name)))


if __name__ == "__main__":
    main()
