#!/usr/bin/python3
"""sanitize_gpu.sh relies on a tool only if it finds the fault planted for it and prints a summary. The tool and gpu_tests
are stand-ins here."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).with_name("sanitize_gpu.sh")

# Like compute-sanitizer: reports as many errors as FOUND (for tests) or PLANTED (for a planted fault) says.
SANITIZER = """#!/bin/bash
tool=$2; shift 2
"$@"; status=$?
case "$*" in *SanitizerFaults*) said=$PLANTED ;; *) said=$FOUND ;; esac
[ -n "$said" ] || exit $status
if [ $tool = racecheck ]; then echo "========= RACECHECK SUMMARY: $said hazards displayed ($said errors, 0 warnings)"
else echo "========= ERROR SUMMARY: $said errors"; fi
exit $status
"""
# Every part of it passes TESTS of its LISTED tests; the last part exits with STATUS.
GPU_TESTS = """#!/bin/bash
case "$*" in
  *list_tests*) echo "A."; for ((i = 0; i < LISTED; ++i)); do echo "  Test$i"; done; exit 0 ;;
  *SanitizerFaults*) echo "[==========] 1 test from 1 test suite ran."; echo "[  PASSED  ] 1 test."; exit 0 ;;
esac
echo "[==========] $TESTS tests from 1 test suite ran."; echo "[  PASSED  ] $TESTS tests."
[ $GTEST_SHARD_INDEX -ne $((GTEST_TOTAL_SHARDS - 1)) ] || exit $STATUS
"""


class SanitizeGpu(unittest.TestCase):
    def run_with(self, *arguments, planted="1", found="0", tests="3", listed="1", status="0"):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("sanitizer", SANITIZER), ("gpu_tests", GPU_TESTS)):
                path = Path(folder) / name
                path.write_text(text)
                path.chmod(0o755)
            ended = subprocess.run(
                [SCRIPT, "--gpu-tests", f"{folder}/gpu_tests", *arguments], capture_output=True, text=True, timeout=600,
                env={**os.environ, "COMPUTE_SANITIZER": f"{folder}/sanitizer", "PLANTED": planted, "FOUND": found,
                     "TESTS": tests, "LISTED": listed, "STATUS": status})
        return ended.returncode, ended.stdout + ended.stderr

    def test_clean_runs_of_all_four_tools(self):
        code, said = self.run_with("*A*", "*B*")
        self.assertEqual(code, 0, said)
        self.assertEqual(said.count("finds its planted fault"), 4)
        self.assertEqual(said.count(": 3 tests, nothing found"), 8)

    def test_parts(self):
        for jobs, listed, passed in ((3, 5, 9), (3, 2, 6)):
            code, said = self.run_with("--jobs", str(jobs), listed=str(listed))
            self.assertEqual(code, 0, said)
            self.assertEqual(said.count(f": {passed} tests, nothing found"), 4, said)
        self.assertEqual(self.run_with("--jobs", "3", listed="5", status="1")[0], 1)

    def test_logs_are_kept(self):
        with tempfile.TemporaryDirectory() as logs:
            self.run_with("--tools", "memcheck", "--logs", logs)
            self.assertIn("ERROR SUMMARY: 0", (Path(logs) / "memcheck.0.0").read_text())

    def test_what_a_tool_finds(self):
        code, said = self.run_with("--tools", "racecheck", found="2")
        self.assertEqual(code, 1, said)
        self.assertIn("2 found", said)

    def test_a_failing_test(self):
        self.assertEqual(self.run_with("--tools", "memcheck", status="1")[0], 1)

    def test_a_tool_that_finds_no_planted_fault(self):
        code, said = self.run_with(planted="0")
        self.assertEqual(code, 2, said)
        self.assertIn("did not find the fault", said)

    def test_a_tool_without_a_summary(self):
        self.assertEqual(self.run_with(planted="")[0], 2)
        self.assertEqual(self.run_with(found="")[0], 2)

    def test_a_filter_that_matches_nothing(self):
        code, said = self.run_with("--tools", "initcheck", tests="0")
        self.assertEqual(code, 2, said)
        self.assertIn("no test ran", said)
        self.assertEqual(self.run_with("--tools", "initcheck", listed="0")[0], 2)

    def test_what_is_left_out_is_there(self):
        """A test that became one with parameters, "Name/of_x", would no longer be left out by "*Name"."""
        tests = "".join(path.read_text() for path in SCRIPT.parent.rglob("*_test.cu"))
        left_out = re.search(r"filters=\('[^'-]*-([^']*)'", SCRIPT.read_text())[1].split(":")
        self.assertIn("*HaveNotStarted*", left_out)
        for pattern in left_out:
            if pattern == "*npp*":  # a name of the table of algorithms
                continue
            self.assertTrue(pattern.endswith("*"), pattern)
            self.assertIn(pattern.split(".")[-1].strip("*"), tests)

    def test_no_program(self):
        ended = subprocess.run([SCRIPT, "--gpu-tests", "/nowhere"], capture_output=True, text=True, timeout=600)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("no gpu_tests", ended.stderr)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
