#!/usr/bin/python3
"""satscope simulate: its results, its output, and what it refuses."""
import json
import os
import signal
import subprocess

from cli_case import Case, FAILED, NO_GPU, OK, PATIENCE, PROGRAM, USAGE, main

KEYS = {"name", "parameters", "equal", "launches", "read_bytes_per_pixel", "written_bytes_per_pixel",
        "read_sectors_per_pixel", "written_sectors_per_pixel", "sectors_written_in_part_per_pixel",
        "coalescing", "bank_conflict_factor", "barriers_per_pixel", "shuffles_per_pixel", "atomics_per_pixel", "races",
        "umm_units", "dmm_umm_units", "formula_units"}


class Simulate(Case):
    def setUp(self):
        super().setUp()
        # The build of this test includes the library: if it does not load, something is broken.
        info = json.loads(self.expect(OK, "info", "--json").stdout)["simulated"]
        self.assertTrue(info.get("simulate"), info.get("simulate_reason") or info.get("reason"))

    def simulate(self, *words):
        return json.loads(self.expect(OK, "simulate", "--size", "64x48", "--json", *words).stdout)

    def test_what_takes_long_says_so_once(self):
        self.says_once("10 s", "simulate", "--size", "2048x2048")

    def test_json(self):
        report = self.simulate("2r2w", "prefix_tree", "--type", "8u32u")
        self.assertEqual((report["size"], report["type"]), ([64, 48], "8u32u"))
        self.assertEqual((report["width"], report["latency"]), (32, 400))
        self.assertEqual([a["name"] for a in report["algorithms"]], ["2r2w", "prefix_tree"])
        for algorithm in report["algorithms"]:
            self.assertLessEqual(KEYS, set(algorithm))
            self.assertIs(algorithm["equal"], True)
            self.assertEqual(algorithm["races"], [])
            self.assertGreater(algorithm["umm_units"], 0)
        rows_then_columns, tree = report["algorithms"]
        self.assertEqual(rows_then_columns["launches"], 2)
        # Per pixel a byte and a sum are read, and two sums are written.
        self.assertAlmostEqual(rows_then_columns["written_bytes_per_pixel"], 8, delta=0.5)
        self.assertIsNone(rows_then_columns["formula_units"])
        self.assertIsNone(rows_then_columns["bank_conflict_factor"])
        self.assertGreater(tree["formula_units"], 0)
        self.assertEqual(report["left_out"], [])

    def test_every_algorithm_is_correct_and_free_of_races(self):
        report = self.simulate()
        self.assertEqual({item["name"] for item in report["left_out"]}, {"cub", "cub_segmented", "npp", "tensor_tiles"})
        wanted = {a["name"] for a in json.loads(self.expect(OK, "list", "algorithms", "--json").stdout)
                  if "simulated" in a["devices"]}
        self.assertEqual({a["name"] for a in report["algorithms"]}, wanted - {"tensor_tiles"}, "which has bytes alone")
        for algorithm in report["algorithms"]:
            with self.subTest(algorithm=algorithm["name"]):
                self.assertTrue(algorithm["equal"], algorithm.get("fault") or algorithm.get("mismatch"))
                self.assertEqual(algorithm["races"], [])
                self.assertGreater(algorithm["coalescing"], 0)

    def test_the_table_fits(self):
        done = self.expect(OK, "simulate", "--size", "64x64", "2r1w", "1r1w_skss_lb", "--schedule", "random:3")
        self.assertEqual(done.stderr, "")
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 140, line)
        for word in ("2r1w", "1r1w_skss_lb", "schedule random:3", "coal", "DMM+UMM", "outstanding", "polls:"):
            self.assertIn(word, done.stdout)

    def test_source_lines(self):
        for algorithm in self.simulate("2r2w", "1r1w_skss_lb", "--lines")["algorithms"]:
            name = algorithm["name"]
            for key in ("read_bytes_per_pixel", "written_bytes_per_pixel", "barriers_per_pixel", "atomics_per_pixel"):
                self.assertAlmostEqual(sum(line[key] for line in algorithm["lines"]), algorithm[key], places=9, msg=name)
            for line in algorithm["lines"]:
                self.assertTrue(line["text"].strip(), line)  # the sources are those of this test
        done = self.expect(OK, "simulate", "--size", "64x64", "2r2w", "--lines")
        self.assertIn("sat_2r2w.cu:", done.stdout)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 140, line)

    def test_parameters_go_to_the_algorithms_that_have_them(self):
        report = self.simulate("2r1w", "2r2w", "--set", "W=64")
        by_name = {a["name"]: a["parameters"] for a in report["algorithms"]}
        self.assertEqual(by_name["2r1w"]["W"], "64")
        self.assertNotIn("W", by_name["2r2w"])

    def test_an_algorithm_that_cannot_be_simulated_does_not_stop_the_others(self):
        report = self.simulate("cub", "2r2w", "cub")
        self.assertEqual([a["name"] for a in report["algorithms"]], ["2r2w"])
        self.assertEqual([item["name"] for item in report["left_out"]], ["cub"])

    def test_to_a_file(self):
        self.assertEqual(self.expect(OK, "simulate", "2r2w", "--size", "8x8", "-o", "s.json").stdout, "")
        self.assertEqual(self.json("s.json")["size"], [8, 8])
        self.expect(OK, "simulate", "2r2w", "--size", "8x8", "-o", "s.txt")
        self.assertIn("2r2w", self.text("s.txt"))
        self.refused(FAILED, "there is no folder nowhere", "simulate", "2r2w", "--size", "8x8", "-o", "nowhere/s.json")

    def test_the_latency_model(self):
        report = self.simulate("--model", "latency")
        self.assertEqual([a["name"] for a in report["algorithms"]], ["scanrow_brlt", "brlt_scanrow", "scanrow_column"])
        self.assertEqual([g["name"] for g in report["gpus"]][:2], ["Tesla P100", "Tesla V100"])
        by_number = {e["number"]: e for e in report["gpus"][0]["equations"]}
        self.assertEqual((by_number[3]["formula"], by_number[4]["formula"], by_number[5]["formula"]), (2304, 6240, 186))
        by_scans = {n: e["scanrow_column"] for n, e in by_number.items()}
        self.assertEqual([n for n, clocks in by_scans.items() if clocks is None], [3, 10])  # nothing is transposed
        # One shuffle more per register than in the formula, for the carry; and partial sums besides the additions.
        self.assertGreaterEqual(by_scans[4], 6240)
        self.assertGreater(by_scans[5], 186)
        self.assertGreaterEqual(by_scans[12], by_number[12]["formula"])
        self.assertEqual(by_scans[13], by_number[13]["formula"])
        occupancy = report["gpus"][0]["occupancy"]
        self.assertEqual((occupancy["warps_per_block"], occupancy["active_warps"]), (32, 56 * 32))
        self.assertAlmostEqual(occupancy["shared_bytes_per_clock_and_warp"], 4, delta=0.01)
        for gpu in report["gpus"]:
            for inequality in gpu["inequalities"]:
                self.assertTrue(inequality["formula"]["holds"], (gpu["name"], inequality))
                self.assertIsNotNone(inequality["counted"])
        text = self.expect(OK, "simulate", "--model", "latency", "--size", "64x64").stdout
        for word in ("eq. 6", "eq. 7-9", "eq. 14", "holds", "Tesla V100"):
            self.assertIn(word, text)
        self.write("gpu.json", json.dumps({"machine": "Mine", "operations": [
            {"operation": name, "latency_clocks": 5, "lanes_per_clock": 32}
            for name in ("shuffle", "shared memory load", "integer addition", "float addition")]}).encode())
        mine = self.simulate("--model", "latency", "--latencies", "gpu.json")["gpus"][-1]
        self.assertEqual((mine["name"], mine["occupancy"]), ("Mine", None))

    def test_ctrl_c_ends_it(self):
        process = subprocess.Popen([PROGRAM, "simulate", "--size", "2048x2048", "--json"], cwd=self.folder.name,
                                   env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        def runs():
            with open(f"/proc/{process.pid}/maps", encoding="utf-8") as file:
                return "libsatscope_observed.so" in file.read()

        self.await_that(runs, process)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, FAILED)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn("interrupted", said)
        self.assertTrue(any(item["reason"] == "interrupted" for item in json.loads(out)["left_out"]))


class Failures(Case):
    """With a library that reports faults that no algorithm really has (faulty_driver.cpp)."""

    def setUp(self):
        super().setUp()
        self.env["SATSCOPE_SIMULATED"] = os.environ["SATSCOPE_FAULTY_DRIVER"]

    def test_every_fault_ends_with_1(self):
        for algorithm, *says in [
            ("2r2w", "2r2w: wrong: (3, 4) is 5, not 6"),
            ("2r1w", "race, global write after read, 3 times", "first:  first.cuh:1", "second: second.cuh:2"),
            ("1r1w", "1r1w: deadlock: no block can continue", "block 0 waits at first.cuh:1"),
            ("prefix_tree", "memory is exhausted"),
        ]:
            with self.subTest(algorithm=algorithm):
                done = self.expect(FAILED, "simulate", algorithm, "--size", "8x8")
                for text in says:
                    self.assertIn(text, done.stdout)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn("failed: " + algorithm, done.stderr)
                self.expect(FAILED, "simulate", algorithm, "--size", "8x8", "--json", "-o", "s.json")
                self.assertEqual(self.json("s.json")["algorithms"][0]["name"], algorithm)
        self.expect(OK, "simulate", "1r1w_skss_lb", "--size", "8x8")

    def test_a_library_of_another_build_is_refused(self):
        self.env["SATSCOPE_SIMULATED"] = os.environ["SATSCOPE_OTHER_DRIVER"]
        done = self.expect(NO_GPU, "simulate", "1r1w_skss_lb", "--size", "8x8")
        self.assertIn("belongs to another build of satscope: rebuild both", done.stderr)

    def test_the_others_run_and_the_json_says_which_failed(self):
        names = ["2r2w", "2r1w", "1r1w", "1r1w_skss_lb"]
        done = self.expect(FAILED, "simulate", *names, "--size", "8x8", "--json")
        wrong, racing, stuck, right = json.loads(done.stdout)["algorithms"]
        self.assertEqual((wrong["equal"], wrong["mismatch"]), (False, "(3, 4) is 5, not 6"))
        self.assertIs(racing["equal"], True)
        self.assertEqual(racing["races"], [{"what": "global write after read", "first": "first.cuh:1",
                                            "second": "second.cuh:2", "times": 3}])
        self.assertIs(stuck["equal"], False)
        self.assertTrue(stuck["fault"].startswith("deadlock"), stuck["fault"])
        self.assertEqual((right["equal"], right["races"]), (True, []))


class Refusals(Case):
    def test_bad_input_is_one_line(self):
        self.write("text.json", b"hello")
        self.write("other.json", b"{}")
        for says, *words in [
            ("host_serial runs on the CPU", "host_serial"),
            ("cub: ", "cub"),
            ("cub: ", "cub", "--set", "W=64"),
            ("no type '9'", "--type", "9"),
            ("no parameter 'V' in the algorithms that run", "2r1w", "--set", "V=1"),
            ("2r1w: ", "2r1w", "--set", "W=31"),
            ("there is no such file", "--model", "latency", "--latencies", "missing.json"),
            ("it is a folder", "--model", "latency", "--latencies", "."),
            ("it is not JSON: wrong at character 1", "--model", "latency", "--latencies", "text.json"),
            ("it is not JSON of that form", "--model", "latency", "--latencies", "other.json"),
        ]:
            with self.subTest(words=words):
                self.refused(USAGE, says, "simulate", *words)

    def test_a_size_that_does_not_fit_into_memory_is_refused(self):
        with open("/proc/meminfo", encoding="ascii") as file:
            kilobytes = next(int(line.split()[1]) for line in file if line.startswith("MemAvailable"))
        if kilobytes > 30e6:
            self.skipTest("the largest possible image fits")
        self.refused(FAILED, "choose a smaller --size", "simulate", "2r2w", "--size", "16384x16384", "--type", "64f64f")

    def test_a_missing_library_is_reported_with_the_way_to_build_it(self):
        os.mkdir(self.path("libraries"))
        self.write("libraries/libsatscope_observed.so", b"not a library")
        self.env["SATSCOPE_SIMULATED"] = self.path("libraries")
        self.refused(NO_GPU, "app/run simulate builds it", "simulate", "2r2w", "--size", "8x8")
        self.env["SATSCOPE_SIMULATED"] = self.path("nowhere")
        self.refused(NO_GPU, "is not in " + self.path("nowhere"), "simulate", "2r2w", "--size", "8x8")

    def test_an_output_that_cannot_be_written_is_reported_before_the_work(self):
        os.mkdir(self.path("folder"))
        self.refused(FAILED, "it is a folder", "simulate", "2r2w", "--size", "8x8", "-o", "folder")


if __name__ == "__main__":
    main()
