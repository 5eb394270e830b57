#!/usr/bin/python3
"""run_gpu_tests.py gives every test a result, whatever another one does to its process. gpu_tests is a stand-in here."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).with_name("run_gpu_tests.py")

# As gpu_tests prints. A test does what its name says; the file `ran` has a line per process, with its tests.
GPU_TESTS = """#!/usr/bin/python3 -u
import os, sys, time
tests = {tests}
names = sys.argv[-1] if "list" in sys.argv[1] else sys.argv[1]
names = names.split("=")[1]
chosen = tests if names == "*" else [test for test in tests if test in names.split(":")]
if "list" in sys.argv[1]:
    for test in chosen:
        print(test.split(".")[0] + ".\\n  " + test.split(".")[1] + "  # GetParam() = 1")
    sys.exit()
open("{ran}", "a").write(" ".join(chosen) + "\\n")
for test in chosen:
    print("[ RUN      ] " + test)
    does = test.split(".")[1]
    if "Hangs" in does:
        time.sleep(600)
    if "Crashes" in does:
        os.abort()
    if "Fails" in does:
        print("file.cu:7: Failure\\nwrong in 1 entry\\n[  FAILED  ] " + test + ", where GetParam() = 1 (3 ms)")
        time.sleep(600)
    elif "Skips" in does:
        print("file.cu:7: Skipped\\nno GPU\\n\\n[  SKIPPED ] " + test + " (0 ms)")
    else:
        print("[       OK ] " + test + " (3 ms)")
if "ThenCrash" in names:
    os.abort()
"""


class RunGpuTests(unittest.TestCase):
    def run_with(self, tests, *options):
        with tempfile.TemporaryDirectory() as folder:
            program, ran, log = (Path(folder) / name for name in ("gpu_tests", "ran", "log"))
            program.write_text(GPU_TESTS.format(tests=tests, ran=ran))
            program.chmod(0o755)
            ended = subprocess.run([SCRIPT, program, "--jobs", "2", "--log", log, *options], capture_output=True, text=True,
                                   timeout=600)
            self.processes = ran.read_text().splitlines() if ran.exists() else []
            self.results = {words[2]: words[1] for words in map(str.split, log.read_text().splitlines())} if log.exists() else {}
        return ended.returncode, ended.stdout + ended.stderr

    def test_all_pass(self):
        tests = [f"Every/Suite.Passes/{i}" for i in range(40)]
        code, said = self.run_with(tests)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"(?m)^40 tests passed, 0 failed, 0 skipped, in \d+ s with 2 processes$")
        self.assertEqual(sorted(" ".join(self.processes).split()), sorted(tests))

    def test_a_failure_ends_its_process_only(self):
        code, said = self.run_with(["A.Fails"] + [f"A.Passes{i}" for i in range(30)])
        self.assertEqual(code, 1, said)
        self.assertRegex(said, "--- A.Fails failed\nfile.cu:7: Failure\nwrong in 1 entry")
        self.assertRegex(said, "(?m)^failed: A.Fails$")
        self.assertIn("30 tests passed, 1 failed, 0 skipped", said)

    def test_a_test_that_hangs(self):
        # The limit includes the start of a process, which takes seconds on a busy machine.
        code, said = self.run_with(["A.Hangs"] + [f"A.Passes{i}" for i in range(30)], "--limit", "20")
        self.assertEqual(code, 1, said)
        self.assertIn("no result within 20 s", said)
        self.assertEqual(self.results["A.Hangs"], "ENDED")
        self.assertIn("30 tests passed, 1 failed, 0 skipped", said)

    def test_a_crash(self):
        code, said = self.run_with(["A.Crashes", "A.Passes"])
        self.assertEqual(code, 1, said)
        self.assertIn("the process ended with status -6", said)
        self.assertIn("1 tests passed, 1 failed, 0 skipped", said)
        code, said = self.run_with(["A.PassesThenCrash"])
        self.assertEqual(code, 1, said)
        self.assertIn("status -6, outside of a test", said)

    def test_what_is_skipped_is_said(self):
        code, said = self.run_with(["A.Skips1", "A.Skips2", "A.Passes"])
        self.assertEqual(code, 0, said)
        self.assertRegex(said, "skipped: no GPU: A.Skips1 and 1 others")
        self.assertIn("1 tests passed, 0 failed, 2 skipped", said)
        self.assertEqual(self.run_with(["A.Skips"])[0], 2)

    def test_those_that_take_most_memory_follow_one_another(self):
        large = [f"Every/SatLarge.Passes/{i}" for i in range(3)]
        self.run_with([f"A.Passes{i}" for i in range(9)] + large)
        self.assertIn(" ".join(large), self.processes)

    def test_no_program_and_no_test(self):
        ended = subprocess.run([SCRIPT, "/nowhere"], capture_output=True, text=True, timeout=600)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("no gpu_tests", ended.stderr)
        self.assertEqual(self.run_with([])[0], 2)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
