#!/usr/bin/python3
"""--device simulated: tables and pictures equal those of the host bit for bit; if it cannot run, one line says why."""
import json
import os
import unittest

import cv2
import numpy as np

from cli_case import ASSETS, Case, HAS_GPU, NO_GPU, OK, SOURCE, USAGE, main

TYPES = ("8u32u", "8u32f", "32u32u", "32f32f", "64f64f", "8u64u", "16u32u", "32f64f_squares")


class Simulated(Case):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(7)
        cv2.imwrite(self.path("in.png"), rng.integers(0, 256, size=(61, 83, 3), dtype=np.uint8))

    def table(self, *words):
        done = self.expect(OK, "sat", "in.png", "-o", "t.npy", *words)
        return np.load(self.path("t.npy"), allow_pickle=False), done

    def picture(self, *words):
        done = self.expect(OK, "apply", "in.png", "-o", "p.png", *words)
        return cv2.imread(self.path("p.png"), cv2.IMREAD_UNCHANGED), done

    def test_tables_equal_those_of_the_host(self):
        # Whole numbers below 2^24, so that floats are exact too.
        for type_name, algorithm in zip(TYPES, ("2r2w", "2r1w", "1r1w", "1r1w_skss_lb", "scanrow_brlt", "one_wave", "decoupled_fallback",
                                                "decoupled_fallback"),
                                        strict=True):
            with self.subTest(type=type_name, algorithm=algorithm):
                wanted, _ = self.table("--device", "host", "--type", type_name)
                got, done = self.table("--device", "simulated", "--algorithm", algorithm, "--type", type_name)
                self.assertEqual((got.dtype, done.stderr), (wanted.dtype, ""))
                np.testing.assert_array_equal(got, wanted)

    def test_every_algorithm_runs_or_the_reason_is_given(self):
        wanted, _ = self.table("--device", "host")
        for algorithm in json.loads(self.expect(OK, "list", "algorithms", "--json").stdout):
            words = ["--device", "simulated", "--algorithm", algorithm["name"]]
            with self.subTest(algorithm=algorithm["name"]):
                if "simulated" in algorithm["devices"]:
                    got, _ = self.table(*words)
                    np.testing.assert_array_equal(got, wanted)
                else:
                    why = algorithm.get("not_simulated_because", "runs on the CPU")
                    self.refused(USAGE, why, "sat", "in.png", "-o", "t.npy", *words)

    def test_an_algorithm_that_nobody_named_has_the_type(self):
        deep = np.random.default_rng(8).integers(0, 65536, size=(61, 83), dtype=np.uint16)
        cv2.imwrite(self.path("in.png"), deep)
        for type_name in "16u32u", "16u64u":
            got, done = self.table("--device", "simulated", "--type", type_name)
            self.assertEqual(done.stderr, "")
            np.testing.assert_array_equal(got, deep.astype(np.uint64).cumsum(0).cumsum(1))
        self.refused(USAGE, "one_wave", "sat", "in.png", "-o", "t.npy", "--device", "simulated", "--algorithm", "one_wave", "--type",
                     "16u32u")

    def test_parameters_and_layouts(self):
        wanted, _ = self.table("--device", "host", "--exclusive")
        got, _ = self.table("--device", "simulated", "--algorithm", "2r1w", "--set", "W=64", "--exclusive")
        np.testing.assert_array_equal(got, wanted)

    def test_detections_equal_those_of_the_host(self):
        cv2.imwrite(self.path("face.png"), cv2.imread(os.path.join(ASSETS, "astronaut.png"))[:200, 130:330])
        for words in [], ["--raw"], ["--cascade", "eye_tree_eyeglasses"], ["--cascade", "lbp_frontalface"]:  # tilted features, LBP
            with self.subTest(words=words):
                found = []
                for device in "host", "simulated":
                    done = self.expect(OK, "detect", "face.png", "--json", "--device", device, "--min-size", "30", *words)
                    found.append(json.loads(done.stdout))
                    self.assertEqual(found[-1]["device"], device)
                host, simulated = (sorted(map(str, one["detections"])) for one in found)
                self.assertEqual(simulated, host)
                self.assertTrue(host)

    def test_pictures_equal_those_of_the_host(self):
        for effect, *values in [("none",), ("sat_view",), ("box_blur", "window=7x5", "passes=2", "colour=off"),
                                ("box_blur", "colour=on"), ("adaptive_threshold",),
                                ("haar", "x=20", "y=20", "width=20", "height=12", "show=response")]:
            words = ["--effect", effect, *(word for value in values for word in ("--set", value))]
            with self.subTest(effect=effect, values=values):
                wanted, _ = self.picture("--device", "host", *words)
                got, done = self.picture("--device", "simulated", *words)
                self.assertEqual(done.stderr, "")
                np.testing.assert_array_equal(got, wanted)

    def test_what_nobody_chose_is_gray(self):
        blur = ["--device", "simulated", "--effect", "box_blur"]
        wanted, _ = self.picture(*blur, "--set", "colour=off")
        np.testing.assert_array_equal(self.picture(*blur)[0], wanted)
        self.assertEqual(self.picture(*blur, "--set", "colour=on")[0].shape, (61, 83, 3))
        self.write("s.jsonl", b'{"frames": 1}\n{"get": ["box_blur.colour", "settings.box_blur.colour", "effect_parameters.colour"]}\n')
        for device, used in ("simulated", "off"), ("host", "on"):
            said = self.expect(OK, "--offscreen", "--no-config", "in.png", "--device", device, "--effect", "box_blur",
                               "--script", "s.jsonl")
            self.assertEqual(json.loads(said.stdout), {"box_blur.colour": "auto", "settings.box_blur.colour": "auto",
                                                       "effect_parameters.colour": used})

    @unittest.skipIf(HAS_GPU, "there is a GPU")
    def test_without_a_gpu_a_cuda_algorithm_runs_simulated(self):
        wanted, _ = self.table("--device", "host")
        for words in (["--algorithm", "2r1w"], ["--algorithm", "2r1w", "--device", "auto"]):
            got, done = self.table(*words)
            np.testing.assert_array_equal(got, wanted)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("CUDA algorithms run on the simulated GPU", done.stderr)
        _, done = self.picture("--effect", "none", "--algorithm", "2r1w")
        self.assertIn("CUDA algorithms run on the simulated GPU", done.stderr)
        self.refused(NO_GPU, "--device simulated", "sat", "in.png", "-o", "t.npy", "--device", "cuda")
        self.refused(NO_GPU, "cub: ", "sat", "in.png", "-o", "t.npy", "--algorithm", "cub")

    @unittest.skipIf(HAS_GPU, "there is a GPU")
    def test_what_does_not_run_simulated_is_not_said_to(self):
        self.write("s.jsonl", b'{"set": {"algorithm": "host_serial"}}\n{"frames": 2}\n')
        done = self.expect(OK, "--offscreen", "--no-config", "synthetic:64x48", "--algorithm", "2r1w", "--script", "s.jsonl")
        self.assertEqual(done.stderr, "")

    @unittest.skipIf(HAS_GPU, "there is a GPU")
    def test_what_is_refused_runs_on_nothing(self):
        algorithm = ("--algorithm", "2r1w")
        self.refused(SOURCE, "there is no file", "sat", "no.png", "-o", "t.npy", *algorithm)
        self.refused(SOURCE, "there is no file", "apply", "no.png", "-o", "p.png", "--effect", "none", *algorithm)
        live = ("--offscreen", "--no-config", "--frames", "1", *algorithm)
        self.refused(SOURCE, "there is no file", *live, "no.png")
        self.refused(USAGE, "not a valid value of window", *live, "--set", "window=9999")
        self.refused(USAGE, "no setting 'nope'", *live, "--set", "nope=1")

    def test_info_reports_it(self):
        simulated = json.loads(self.expect(OK, "info", "--json").stdout)["simulated"]
        self.assertTrue(simulated["available"])
        self.assertGreater(simulated["cores"], 0)
        self.assertTrue(os.path.isfile(simulated["path"]))
        told = self.expect(OK, "info").stdout
        self.assertRegex(told, r"(?m)^simulated +available, cores \d+, path ")
        self.assertNotRegex(told, r"\b(true|false|reason)\b")

    def test_a_file_that_is_not_the_library_is_reported_in_one_line(self):
        os.mkdir(self.path("libraries"))
        self.write("libraries/libsatscope_simulated.so", b"not a library")
        self.env["SATSCOPE_SIMULATED"] = self.path("libraries")
        self.refused(NO_GPU, "no simulated GPU: ", "sat", "in.png", "-o", "t.npy", "--device", "simulated")
        self.assertFalse(json.loads(self.expect(OK, "info", "--json").stdout)["simulated"]["available"])

    def test_the_live_program_runs_it(self):
        self.write("settings.json", b'{"version": 1, "device": "simulated"}')
        for words in [("--no-config", "--device", "simulated"), ("--config", "settings.json")]:
            self.expect(OK, "--offscreen", "synthetic:64x48", "--frames", "5", "--algorithm", "2r1w", "--export", "e.json",
                        *words)
            report = self.json("e.json")
            self.assertEqual((report["simulated"], report["algorithm"], report["frames"]), (True, "2r1w", 5))
        self.expect(OK, "--offscreen", "--config", "settings.json", "--device", "host", "synthetic:64x48",
                    "--frames", "1", "--export", "e.csv")
        with open(self.path("e.csv"), encoding="utf-8") as file:
            self.assertNotIn("simulated", file.read())

    def test_the_manuals_script_runs(self):
        with open(os.path.join(ASSETS, "../app/README.md"), encoding="utf-8") as manual:
            lines = manual.read().split("\n## Scripts\n")[1].split("```\n")[1]
        self.write("s.jsonl", lines.encode())
        done = self.expect(OK, "--offscreen", "--no-config", "--device", "simulated", "synthetic:320x240", "--script", "s.jsonl")
        self.assertGreater(json.loads(done.stdout)["kernels.2r1w.p50"], 0)
        self.assertTrue(self.json("timings.json")["simulated"])

    @unittest.skipIf(HAS_GPU, "there is a GPU")
    def test_live_a_cuda_algorithm_runs_on_it(self):
        done = self.expect(OK, "--offscreen", "--no-config", "synthetic:64x48", "--frames", "2", "--algorithm", "2r1w",
                           "--set", "W=32", "--export", "e.json")
        self.assertIn("CUDA algorithms run on the simulated GPU", done.stderr)
        self.assertTrue(self.json("e.json")["simulated"])

    @unittest.skipIf(HAS_GPU, "there is a GPU")
    def test_a_settings_file_that_names_a_cuda_algorithm_runs_on_it(self):
        live = ("--offscreen", "synthetic:64x48", "--frames", "2", "--export", "e.json")
        os.makedirs(self.path("config", "satscope"))
        for name, words in ("c.json", ["--config", "c.json"]), ("config/satscope/settings.json", []):
            with self.subTest(name=name):
                self.write(name, b'{"version": 1, "algorithm": "2r1w", "device": "auto"}')
                done = self.expect(OK, *live, *words, "--set", "W=32")
                self.assertIn("CUDA algorithms run on the simulated GPU", done.stderr)
                self.assertEqual((self.json("e.json")["simulated"], self.json("e.json")["algorithm"]), (True, "2r1w"))
                for others in ("--device", "host"), ("--algorithm", "host_serial"):
                    self.assertEqual(self.expect(OK, *live, *words, *others).stderr, "")
                self.write(name, b'{"version": 1, "algorithm": "cub"}')
                if words:
                    self.refused(NO_GPU, "settings c.json: no CUDA device: ", *live, *words)
                else:
                    done = self.expect(OK, *live)
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                    self.assertRegex(done.stderr, r"settings\.json: no CUDA device: .*cub: .*; the algorithm is ignored")
                    self.assertEqual(self.json("e.json")["algorithm"], "host_parallel")

    def test_what_takes_long_says_so_once(self):
        self.says_once("10 s", "--offscreen", "--no-config", "--device", "simulated", "synthetic:64x48")

    def test_a_missing_library_is_reported(self):
        os.mkdir(self.path("nothing"))
        self.env["SATSCOPE_SIMULATED"] = self.path("nothing")
        self.refused(NO_GPU, "no simulated GPU: ", "--offscreen", "--no-config", "--device", "simulated", "synthetic:64x48")
        self.write("settings.json", b'{"version": 1, "device": "simulated"}')
        done = self.expect(OK, "--offscreen", "--config", "settings.json", "synthetic:64x48", "--frames", "2")
        self.assertIn("computing on the CPU instead", done.stderr)


if __name__ == "__main__":
    main()
