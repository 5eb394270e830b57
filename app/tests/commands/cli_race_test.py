#!/usr/bin/python3
"""--race and the race in scripts: a table on the standard output, the rows in the exported JSON, and the exit code."""
import json
import os
import signal
import subprocess

from cli_case import ASSETS, FAILED, Case, OK, PATIENCE, PROGRAM, USAGE, main

SMALL = ("synthetic:96x64", "--no-config")
HOST = (*SMALL, "--device", "host")


class Race(Case):
    def check_rows(self, rows, names, ranked_by="us"):
        self.assertEqual({row["name"] for row in rows}, names)
        for row in rows:
            self.assertTrue(row["equal"], row)
            self.assertGreater(row["us"], 0)
            self.assertGreaterEqual(row["runs"], 5)
            self.assertIsInstance(row["parameters"], dict)
        self.assertEqual([row[ranked_by] for row in rows], sorted(row[ranked_by] for row in rows))

    def algorithms(self, device):
        listed = json.loads(self.expect(OK, "list", "algorithms", "--json").stdout)
        return {one["name"] for one in listed if device in one["devices"]}

    def racers(self):
        return self.algorithms("host") | {"opencv"}

    def test_on_the_host(self):
        done = self.expect(OK, *HOST, "--race", "--export", "e.json")
        self.assertEqual(done.stderr, "")
        report = self.json("e.json")
        self.check_rows(report["race"], self.racers())
        self.assertEqual(report["race_bound"]["name"], "memset")
        for row in report["race"]:
            self.assertAlmostEqual(row["over_bound"], row["us"] / report["race_bound"]["us"], delta=0.05 * row["over_bound"])
            self.assertGreater(row["gb_per_s"], 0)
        self.assertEqual(report["frames"], 1)
        # Without a settings file, too, it starts with what an offscreen run does, not with a new window's comparison.
        self.assertIsNone(report["compare"])
        self.assertRegex(done.stdout, r"not in the race:\n(.*\n)?  \d+ algorithms: only on a GPU, or on the simulated GPU\n(.*\n)?--")
        for word in ("host_serial", "host_parallel", "opencv", "memset", "equal", "not in the race", "96x64",
                     "--device simulated"):
            self.assertIn(word, done.stdout)

    def test_after_some_frames(self):
        self.expect(OK, *HOST, "--race", "--frames", "3", "--export", "e.json")
        report = self.json("e.json")
        self.assertEqual((report["frames"], len(report["race"])), (3, 5))

    def test_as_csv_the_export_is_the_race(self):
        self.expect(OK, *HOST, "--race", "--export", "e.csv")
        with open(self.path("e.csv")) as file:
            text = file.read()
        for name in self.racers() | {"equal"}:
            self.assertIn(name, text)

    def test_a_source_that_ends_before_the_frame(self):
        done = self.expect(OK, os.path.join(ASSETS, "clip.mp4"), "--no-config", "--device", "host", "--race",
                           "--frames", "481", "--export", "e.json")
        self.assertIn("the source ended before frame 481: the race is on frame 480, its last one", done.stderr)
        self.assertEqual(self.json("e.json")["last_frame"], 480)

    def test_an_effect_whose_tables_the_algorithm_computes(self):
        faces = (os.path.join(ASSETS, "astronaut.png"), "--no-config", "--device", "host", "--race", "--effect", "faces")
        done = self.expect(OK, *faces, "--set", "faces.tables=global", "--export", "e.json")
        report = self.json("e.json")
        self.assertEqual((report["race_effect"]["name"], report["race_effect"]["parameters"]["tables"]), ("faces", "global"))
        self.check_rows(report["race"], self.racers())
        for row in report["race"]:
            if row["name"] == "opencv":
                self.assertEqual((row["effect_us"], row["effect_runs"]), (None, 0))
            else:
                self.assertGreater(row["effect_us"], 0)
                self.assertGreaterEqual(row["effect_runs"], 5)
        self.assertRegex(done.stdout, r"\n +over memset +Faces\n")
        self.assertRegex(done.stdout, r"\nFaces: from .+ us with host_\w+ to .+ us with host_\w+: the choice is worth .+ us "
                                      r"per frame\n")
        done = self.expect(OK, *faces, "--export", "e.json")
        report = self.json("e.json")
        self.assertNotIn("race_effect", report)
        self.assertNotIn("effect_us", report["race"][0])
        self.assertNotIn("Faces", done.stdout)

    def test_without_a_race_the_report_has_none(self):
        self.expect(OK, *HOST, "--offscreen", "--frames", "1", "--export", "e.json")
        self.assertNotIn("race", self.json("e.json"))

    def test_what_does_not_go_together(self):
        self.refused(USAGE, "--race has no window", *HOST, "--race", "--viewer", "highgui")
        self.refused(USAGE, '{"do": "race"}', *HOST, "--race", "--script", self.script({"frames": 1}))

    def test_in_a_script(self):
        self.expect(OK, *HOST, "--offscreen", "--script",
                    self.script({"do": "start_race"}, {"do": "export_race", "to": "r.json"},
                                {"do": "export_race", "to": "r.csv"}, {"do": "export", "to": "e.json"}))
        race = self.json("r.json")
        self.check_rows(race["race"], self.racers())
        self.assertEqual((race["size"], race["device"]), ([96, 64], "host"))
        self.assertIn("2r1w", {one["name"] for one in race["absent"]})
        self.assertEqual((self.json("e.json")["race"], self.json("e.json")["race_finished"]), (race["race"], True))
        lines = self.text("r.csv").splitlines()
        rows = [line.split(",") for line in lines if not line.startswith("#")]
        self.assertEqual(rows[0][:6], ["name", "parameters", "us", "over_bound", "gb_per_s", "equal"])
        self.assertEqual({row[0] for row in rows[1:] if row[5]}, self.racers())

    def test_a_change_starts_it_anew_and_stopping_keeps_what_ran(self):
        with subprocess.Popen([PROGRAM, "--script", "-", "--offscreen", *HOST], cwd=self.folder.name, env=self.env, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            def ask(line):
                program.stdin.write(json.dumps(line) + "\n")
                program.stdin.flush()
                return json.loads(program.stdout.readline())

            self.assertEqual(ask({"do": "start_race"}), {"ok": True})
            self.assertEqual(ask({"set": {"source": "synthetic:128x32"}}), {"ok": True})
            self.assertEqual(ask({"frames": 2}), {"ok": True})
            self.assertEqual(ask({"do": "start_race"}), {"ok": True})
            self.assertEqual(ask({"do": "export_race", "to": "r.json"}), {"ok": True})
            self.assertEqual((self.json("r.json")["size"], self.json("r.json")["finished"]), ([128, 32], True))
            self.assertEqual(ask({"do": "toggle_race"}), {"ok": True})
            self.assertEqual(ask({"do": "stop_race"}), {"ok": True})
            program.stdin.close()
            self.assertEqual(program.wait(PATIENCE), OK)

    def test_on_the_simulated_gpu(self):
        info = json.loads(self.expect(OK, "info", "--json").stdout)
        if not info["simulated"]["available"]:
            self.skipTest("there is no simulated GPU")
        done = self.expect(OK, *SMALL, "--device", "simulated", "--set", "box_blur.colour=on", "--race", "--export", "e.json")
        report = self.json("e.json")
        self.check_rows(report["race"], self.algorithms("simulated"), "bytes_per_pixel")
        self.assertIn("say nothing about a GPU", done.stdout)
        for row in report["race"]:
            self.assertEqual((row["over_bound"], row["gb_per_s"]), (None, None))
            self.assertIsNone(row["effect_us"], "the effect, box_blur, is not run there")
            self.assertGreater(row["effect_bytes_per_pixel"], row["bytes_per_pixel"], "of three channels")
        self.assertIsNone(report["race_bound"])
        self.assertIn("cub: its scan is made of", done.stdout)

    def test_interrupted(self):
        info = json.loads(self.expect(OK, "info", "--json").stdout)
        if not info["simulated"]["available"]:
            self.skipTest("there is no simulated GPU")
        with subprocess.Popen([PROGRAM, "synthetic:1920x1080", "--no-config", "--device", "simulated", "--race", "--log",
                               "l.csv"], cwd=self.folder.name, env=self.env, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as program:
            self.await_that(lambda: self.lines_of("l.csv") > 1, program)  # the frame that the race is about
            program.send_signal(signal.SIGINT)
            out, error = program.communicate(timeout=PATIENCE)
        self.assertEqual(program.returncode, FAILED)
        self.assertIn("the race was interrupted", error)
        self.assertNotIn("0x0", out)


if __name__ == "__main__":
    main()
