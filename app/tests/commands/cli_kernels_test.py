#!/usr/bin/python3
"""Kernels of one's own on the command line: satscope new, judge, and --kernel of what computes, from file to result."""
import json
import os
import shutil
import signal
import subprocess
import xml.etree.ElementTree

import cv2
import numpy as np

from cli_case import ASSETS, FAILED, OK, PATIENCE, PROGRAM, USAGE, Case, main

DOES_NOT_COMPILE, TOO_SLOW = 6, 7
SIMULATED = ["--device", "simulated"]
EFFECT = "Pixel effect(Boxes boxes, int x, int y) { return boxes.mean(around(x, y, 3, 5)); }\n"


class Kernels(Case):
    def setUp(self):
        super().setUp()
        if not shutil.which("g++"):
            self.skipTest("there is no g++, which compiles kernels")
        self.expect(OK, "new", "mine.cu")
        self.mine = self.text("mine.cu")

    def kernel(self, name, old="", new=""):
        """That of `satscope new`, with something else in place of what stands in it once."""
        self.assertTrue(not old or self.mine.count(old) == 1, old)
        return self.write(name, self.mine.replace(old, new, 1).encode() if old else self.mine.encode())

    def wrong(self, name="wrong.cu"):
        return self.kernel(name, "sum += table(x, y)", "sum += 2 * table(x, y)")

    def endless(self, name="endless.cu"):
        old = "unsigned sum = 0;\n  for (int y"
        return self.kernel(name, old, "for (volatile int on = 1; on;) {}\n  " + old)

    def image(self, shape=(37, 53)):
        pixels = np.random.default_rng(sum(shape)).integers(0, 256, size=shape, dtype=np.uint8)
        self.assertTrue(cv2.imwrite(self.path("in.png"), pixels))
        return pixels.astype(np.uint32)


class New(Kernels):
    def test_writes_files_to_begin_with_and_replaces_none(self):
        self.assertIn("void run(Image image, Table table)", self.mine)
        self.expect(OK, "new", "--effect", "edges.cu")
        self.assertIn("Pixel effect(Boxes boxes, int x, int y)", self.text("edges.cu"))
        self.expect(OK, "new", "--from", "2r1w", "tiles.cu")
        self.assertIn("SatAlgorithm sat_2r1w", self.text("tiles.cu"))
        self.refused(USAGE, "exists: name another file", "new", "mine.cu")
        self.refused(USAGE, "did you mean '2r1w'", "new", "--from", "2r1v", "other.cu")
        self.refused(USAGE, "runs on the CPU", "new", "--from", "host_serial", "other.cu")
        self.refused(USAGE, "a name of satscope's own", "new", "2r1w.cu")
        self.refused(USAGE, "ends in .cu", "new", "other.txt")
        self.refused(USAGE, "without line breaks", "new", "a\nb.cu")
        for folder in "nowhere", "mine.cu", "/proc":
            self.refused(FAILED, "cannot write", "new", os.path.join(folder, "other.cu"))
        self.assertEqual(self.text("mine.cu"), self.mine)
        self.assertEqual(sorted(name for name in os.listdir(self.folder.name) if name.endswith(".cu")),
                         ["edges.cu", "mine.cu", "tiles.cu"])

    def test_a_name_may_begin_with_a_dash(self):
        self.expect(OK, "new", "./-x.cu")
        self.assertEqual(self.text("-x.cu"), self.mine)
        self.expect(USAGE, "new", "-x.cu")


class Judge(Kernels):
    def judged(self, code, *words):
        """The verdicts by file, as JSON, of which nothing else is on the standard output."""
        done = self.expect(code, "judge", "--json", *SIMULATED, *words)
        report = json.loads(done.stdout)
        self.assertEqual(set(report), {"program", "files", "ranking"})
        return {one["file"]: one for one in report["files"]}, report["ranking"]

    def test_several_files_have_a_ranking_and_the_gravest_code(self):
        self.wrong()
        self.kernel("slower.cu", "\n  columns<<<", "\n  rows<<<blocks(image.height, 128), 128>>>(image, table);\n  columns<<<")
        self.kernel("broken.cu", "unsigned sum = 0;\n  for (int x", "unsigned sum = none;\n  for (int x")
        files = ["slower.cu", "wrong.cu", "broken.cu", "mine.cu"]
        done = self.expect(DOES_NOT_COMPILE, "judge", *SIMULATED, "--seconds", "20", "--junit", "v.xml", *files)
        for says in "slower.cu: right", "wrong.cu: wrong: the table", "broken.cu: does not compile", "'none' was not declared":
            self.assertIn(says, done.stdout)
        ranking = done.stdout.rstrip("\n").rpartition("\n\n")[2].splitlines()
        self.assertEqual([row.split()[:3] for row in ranking[-4:]],
                         [["mine.cu", "1", "right"], ["slower.cu", "2", "right"], ["wrong.cu", "-", "wrong"],
                          ["broken.cu", "-", "does"]], done.stdout)
        suite = xml.etree.ElementTree.parse(self.path("v.xml")).getroot().find("testsuite")
        self.assertEqual([suite.get(count) for count in ("tests", "failures", "errors")], ["4", "1", "1"])
        self.assertEqual([case.get("name") for case in suite], files)
        self.assertEqual([case[0].tag for case in suite], ["system-out", "failure", "error", "system-out"])

    def test_one_that_is_wrong_shows_where(self):
        verdicts, ranking = self.judged(FAILED, self.wrong(), "--seconds", "20")
        wrong = verdicts["wrong.cu"]
        self.assertEqual((wrong["outcome"], ranking), ("wrong", []))
        self.assertNotEqual(wrong["wrong"]["expected"], wrong["wrong"]["got"])
        self.assertEqual(len(wrong["wrong"]["around"]["got"]), len(wrong["wrong"]["around"]["expected"]))

    def test_one_that_does_not_end_is_wrong(self):
        verdicts, _ = self.judged(FAILED, self.endless(), "--seconds", "2")
        self.assertEqual((verdicts["endless.cu"]["outcome"], verdicts["endless.cu"]["says"]),
                         ("wrong", "does not end within 2 s"))

    def test_one_that_ends_the_program_badly_is_wrong(self):
        """Where nothing else is wrong: a program that has loaded it would end so, too."""
        run = "void run(Image image, Table table) {\n"
        for name, end, says in [("leaves.cu", "__builtin_trap();", "crashed"),
                                ("stays.cu", "for (volatile int on = 1; on;) {}", "does not end within 15 s")]:
            self.kernel(name, run, "struct Last {\n  ~Last() { " + end + " }\n} last;\n\n" + run)
            verdicts, _ = self.judged(FAILED, name, "--seconds", "15")
            self.assertEqual(verdicts[name]["outcome"], "wrong")
            self.assertIn(says, verdicts[name]["says"])
        self.image()
        self.refused(FAILED, "crashed", "sat", "in.png", "-o", "t.npy", "--kernel", "leaves.cu")

    def test_one_may_be_too_slow(self):
        self.env["CXX"] = "/nonexistent/g++"  # then that on PATH is used
        for most, code, outcome in ("0.1x 2r1w", TOO_SLOW, "too slow"), ("100x 2r1w", OK, "right"):
            verdicts, ranking = self.judged(code, "mine.cu", "--seconds", "20", "--at-most", most)
            mine = verdicts["mine.cu"]
            self.assertEqual((mine["outcome"], ranking), (outcome, ["mine.cu"] if code == OK else []))
            self.assertIn("of at most " + most.partition("x")[0], mine["compared"])
            self.assertGreater(mine["tables"], 0)
            self.assertAlmostEqual(mine["per_pixel"]["read_bytes"], 5, delta=0.1)

    def test_what_was_judged_before_ctrl_c_is_written(self):
        files = [self.wrong(), self.endless(), "mine.cu"]
        with open(self.path("said"), "wb") as said:
            process = subprocess.Popen([PROGRAM, "judge", *SIMULATED, "--seconds", "3000", "--junit", "v.xml", *files],
                                       cwd=self.folder.name, env=self.env, stdin=subprocess.DEVNULL, stdout=said,
                                       stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.await_that(lambda: "wrong.cu: wrong" in self.text("said"), process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, FAILED, errors)
        self.assertEqual(errors, "satscope: interrupted; 1 of 3 files judged\n")
        suite = xml.etree.ElementTree.parse(self.path("v.xml")).getroot().find("testsuite")
        self.assertEqual([(case.get("name"), case[0].tag) for case in suite],
                         [("wrong.cu", "failure"), ("endless.cu", "error"), ("mine.cu", "skipped")])

    def test_names_may_be_anything(self):
        folder = "it's a \"folder\"; $(touch made) <&> `x` %s"
        os.mkdir(self.path(folder))
        files = [os.path.join(folder, "mine.cu"), "./-x.cu", "two\nlines.cu", "a b.cu"]
        for name in files:
            self.kernel(name)
        verdicts, ranking = self.judged(OK, *files, "--seconds", "10", "--junit", "v.xml")
        self.assertEqual({name: one["outcome"] for name, one in verdicts.items()}, dict.fromkeys(files, "right"))
        self.assertEqual(sorted(ranking), sorted(files))
        suite = xml.etree.ElementTree.parse(self.path("v.xml")).getroot().find("testsuite")
        self.assertEqual([case.get("name") for case in suite], files)
        self.assertFalse(os.path.exists(self.path("made")))
        text = self.expect(DOES_NOT_COMPILE, "judge", *SIMULATED, self.write("no\nkernel\x1b[2J.cu", b"int x;\n")).stdout
        self.assertEqual([c for c in text if c < " " and c != "\n"], [])
        self.assertNotIn("\nkernel", text)

    def test_what_cannot_be_judged_costs_one_line(self):
        for says, *words in [
            ("no such file: none.cu", "none.cu"),
            ("not a file with kernels: .", "."),
            ("there is no folder nowhere", "mine.cu", "--junit", "nowhere/v.xml"),
            ("must end in .xml", "mine.cu", "--junit", "mine.cu"),
        ]:
            with self.subTest(words=words):
                done = self.run_program("judge", *words)
                self.assertIn(done.returncode, (FAILED, USAGE))
                self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
                self.assertIn(says, done.stderr)
        self.env["TMPDIR"] = "/proc"
        self.refused(FAILED, "TMPDIR names another place", "judge", "mine.cu")


class Uses(Kernels):
    def test_sat_computes_the_table(self):
        pixels = self.image()
        for image, words in ("in.png", []), ("in.png", ["--exclusive"]):
            self.expect(OK, "sat", image, "--kernel", "mine.cu", *SIMULATED, "-o", "t.npy", *words)
            table = pixels.cumsum(0).cumsum(1)
            np.testing.assert_array_equal(np.load(self.path("t.npy")), np.pad(table, ((1, 0), (1, 0))) if words else table)

    def test_a_wrong_table_is_said_to_be_wrong(self):
        pixels = self.image()
        done = self.expect(OK, "sat", "in.png", "--kernel", self.wrong(), *SIMULATED, "-o", "t.npy")
        self.assertIn("wrong.cu: wrong: the table", done.stderr)
        self.assertFalse((np.load(self.path("t.npy")) == pixels.cumsum(0).cumsum(1)).all())

    def test_apply_draws_an_effect(self):
        pixels = self.image()
        self.write("mean.cu", b"#include <satscope_kernel.cuh>\n\n" + EFFECT.encode())
        self.expect(OK, "apply", "in.png", "--kernel", "mean.cu", "-o", "o.png")
        sums, counts = (cv2.boxFilter(each.astype(np.float64), -1, (3, 5), normalize=False, borderType=cv2.BORDER_CONSTANT)
                        for each in (pixels, np.ones_like(pixels)))
        expected = (sums.round() + counts.round() // 2) // counts.round()
        drawn = cv2.imread(self.path("o.png"), cv2.IMREAD_COLOR)
        for channel in range(3):
            np.testing.assert_array_equal(drawn[..., channel], expected)
        self.refused(USAGE, "no kernel is one: give --effect NAME, too", "apply", "in.png", "--kernel", "mine.cu", "-o",
                     "o.png")

    def test_simulate_runs_it(self):
        report = json.loads(self.expect(OK, "simulate", "--kernel", "mine.cu", "--size", "64x48", "--json").stdout)
        self.assertEqual([(one["name"], one["equal"], one["launches"], one["races"]) for one in report["algorithms"]],
                         [("mine", True, 2, [])])
        self.assertEqual((report["type"], report["left_out"]), ("8u32u", []))

    def test_an_offscreen_run_shows_it(self):
        self.kernel("other.cu")
        self.expect(OK, os.path.join(ASSETS, "clip.mp4"), "--offscreen", "--no-config", *SIMULATED, "--kernel", "other.cu",
                    "--kernel", "mine.cu", "--effect", "none", "--frames", "3", "--set", "check=on", "--export", "e.json",
                    "--log", "l.csv")
        report = self.json("e.json")
        self.assertEqual((report["algorithm"], report["effect"], report["wrong"]), ("mine", "none", 0))
        self.assertGreaterEqual(report["frames"], 3)
        self.assertIn("mine", self.text("l.csv"))

    def test_one_that_could_harm_is_refused(self):
        self.image()
        start = "void run(Image image, Table table) {\n"
        self.kernel("wild.cu", start, start + "  __builtin_trap();\n")
        for words in ["sat", "in.png", "-o", "t.npy"], ["simulate", "--size", "8x8"]:
            done = self.expect(FAILED, *words, "--kernel", "wild.cu")
            self.assertIn("crashed", done.stderr)
            self.assertTrue(done.stderr.splitlines()[-1].startswith("satscope: "), done.stderr)
        self.assertFalse(os.path.exists(self.path("t.npy")))

    def test_errors_are_the_compilers_lines(self):
        self.image()
        self.kernel("broken.cu", "unsigned sum = 0;\n  for (int x", "unsigned sum = none;\n  for (int x")
        done = self.expect(FAILED, "sat", "in.png", "-o", "t.npy", "--kernel", "broken.cu")
        line = 1 + self.text("broken.cu").split("none", 1)[0].count("\n")
        self.assertIn(f"broken.cu:{line}:", done.stderr)
        self.assertIn(f"it does not compile, line {line}: 'none' was not declared", done.stderr.splitlines()[-1])

    def test_names_that_can_be_none_are_refused(self):
        self.image()
        for says, name in [("before .cu: rename", "a b.cu"), ("without line breaks", "a\nb.cu"), ("ends in .cu", "in.png"),
                           ("a name of satscope's own", "2r1w.cu"), ("there is no file", "absent.cu")]:
            if name not in ("absent.cu", "in.png"):
                self.kernel(name)
            for command in ["sat", "in.png", "-o", "t.npy"], ["in.png", "--offscreen", "--frames", "1", "--no-config"]:
                with self.subTest(name=name, command=command[0]):
                    self.refused(USAGE, says, *command, "--kernel", name)
        os.mkdir(self.path("folder"))
        self.kernel("folder/mine.cu")
        self.refused(USAGE, "rename one of the files", "sat", "in.png", "-o", "t.npy", "--kernel", "mine.cu", "--kernel",
                     "folder/mine.cu")


class WithoutCompiler(Kernels):
    def test_one_line_names_the_package(self):
        self.image()
        os.mkdir(self.path("bin"))
        self.env.update(PATH=self.path("bin"), CXX="/nonexistent/g++")
        for words in (["judge", "mine.cu"], ["sat", "in.png", "-o", "t.npy", "--kernel", "mine.cu"],
                      ["simulate", "--size", "8x8", "--kernel", "mine.cu"],
                      ["in.png", "--offscreen", "--frames", "1", "--no-config", "--kernel", "mine.cu"]):
            with self.subTest(words=words):
                self.refused(FAILED, "install g++: sudo apt install g++", *words)

    def test_nor_is_there_room_for_what_is_compiled(self):
        self.image()
        self.env["TMPDIR"] = "/proc"
        self.refused(FAILED, "TMPDIR names another place", "sat", "in.png", "-o", "t.npy", "--kernel", "mine.cu")


if __name__ == "__main__":
    main()
