#!/usr/bin/env python3
"""Runs gpu_tests in several processes that share the GPU.

A process runs a handful of tests. It is ended when a test takes too long, as a look-back that waits forever does, or fails,
because every later test fails where a kernel has accessed wrong memory; the rest of its tests then runs in a new process. Tests
that take most of the GPU's memory run in one process. Needs a GPU and gpu_tests, but no other file of the sources.

Prints what failed and what was skipped, the slowest tests, and a last line with the totals.
Exit status: 0 all tests that ran passed, 1 a test failed, 2 no test ran.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOUND_IN = [HERE / "gpu_tests", Path("gpu_tests"), HERE / "../../build/release/gpu/gpu_tests"]
MOST_MEMORY = "SatLarge"
MARK = re.compile(r"\[ +(RUN|OK|FAILED|SKIPPED) +\] ([^\s,]+\.[^\s,]+)")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gpu_tests", nargs="?", help="looked for beside this script, in this folder, and in build/release/gpu")
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count()),
                        help="processes (4). A GPU runs the kernels of one process at a time: while some wait, others use it")
    parser.add_argument("--limit", type=float, default=120, help="seconds that one test may take (120)")
    parser.add_argument("--filter", default="*", help="which tests, as in --gtest_filter")
    parser.add_argument("--log", type=argparse.FileType("w"), help="file for the time and the result of every test")
    return parser.parse_args()


def stop(why):
    print(f"run_gpu_tests.py: {why}", file=sys.stderr)
    sys.exit(2)


def listed(program, names):
    """The tests that the filter selects and that are not disabled."""
    try:
        asked = subprocess.run([program, "--gtest_list_tests", f"--gtest_filter={names}"], capture_output=True, text=True,
                               timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        stop(error)
    tests, suite = [], ""
    for line in asked.stdout.splitlines():
        word = line.split("#")[0].strip()
        if not line.startswith(" "):
            suite = word
        elif "DISABLED_" not in suite + word:
            tests.append(suite + word)
    return tests


class Run:
    def __init__(self, program, limit, jobs, log, tests):
        self.program, self.limit, self.jobs, self.log = program, limit, jobs, log
        self.lock = threading.Lock()
        self.results = {}  # test -> (result, seconds, output)
        self.most_memory = [test for test in tests if MOST_MEMORY in test]
        self.waiting = [test for test in tests if MOST_MEMORY not in test]
        # Neighbours in the list take about equally long: mixed, every process gets some of each.
        random.Random(1).shuffle(self.waiting)

    def handful(self):
        """The next tests for one process: ever fewer, so that all processes end at about the same time."""
        with self.lock:
            if self.most_memory:
                tests, self.most_memory = self.most_memory, []
                return tests
            count = max(1, len(self.waiting) // (4 * self.jobs))
            tests, self.waiting = self.waiting[:count], self.waiting[count:]
            return tests

    def note(self, test, result, seconds, output):
        with self.lock:
            self.results[test] = (result, seconds, "".join(output))
            if self.log:
                print(f"{seconds:8.3f} {result:7} {test}", file=self.log, flush=True)
            if result in ("FAILED", "ENDED"):
                print(f"--- {test} failed\n{''.join(output)}", flush=True)

    def work(self):
        while tests := self.handful():
            while tests:
                done = self.process(tests)
                tests = [test for test in tests if test not in done]

    def process(self, tests):
        """Runs tests until one fails. Returns those with a result, one at least."""
        process = subprocess.Popen([self.program, "--gtest_filter=" + ":".join(tests), "--gtest_color=no"], text=True,
                                   errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        done, running, failed, output, started, late = [], None, False, [], time.monotonic(), threading.Event()

        def too_late():
            late.set()
            process.kill()

        def watch():
            watching = threading.Timer(self.limit, too_late)
            watching.start()
            return watching

        timer = watch()  # also of the start, and of the end
        for line in process.stdout:
            mark = MARK.match(line)
            if not mark or mark[2] not in tests or mark[2] in done:
                output.append(line)
                continue
            timer.cancel()
            timer = watch()
            if mark[1] == "RUN":
                running, output, started = mark[2], [], time.monotonic()
                continue
            self.note(mark[2], mark[1], time.monotonic() - started, output)
            done.append(mark[2])
            running, output = None, []
            if mark[1] == "FAILED":
                failed = True
                process.kill()
                break
        process.stdout.close()
        status = process.wait()
        timer.cancel()
        if not failed and (status != 0 or running or not done):
            why = f"no result within {self.limit:g} s" if late.is_set() else f"the process ended with status {status}"
            test = running or (done[-1] if done else tests[0])
            self.note(test, "ENDED", time.monotonic() - started, [*output, why, "" if running else ", outside of a test", "\n"])
            if test not in done:
                done.append(test)
        return done


def main():
    options = arguments()
    program = options.gpu_tests or next((str(path) for path in FOUND_IN if os.access(path, os.X_OK)), None)
    if not program or not os.access(program, os.X_OK):
        stop("no gpu_tests: cmake --build build/release --target gpu_tests makes it")
    program = os.path.abspath(program)
    tests = listed(program, options.filter)
    if not tests:
        stop(f"{program} has no test {options.filter}")
    jobs = options.jobs
    run = Run(program, options.limit, jobs, options.log, tests)
    start = time.monotonic()
    workers = [threading.Thread(target=run.work) for _ in range(jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    seconds = time.monotonic() - start

    by_result = {"OK": [], "FAILED": [], "SKIPPED": [], "ENDED": []}
    for test in tests:
        by_result[run.results[test][0]].append(test)
    reasons = {}
    for test in by_result["SKIPPED"]:
        reasons.setdefault(run.results[test][2].strip().split("\n")[-1] or "no reason given", []).append(test)
    for reason, of in reasons.items():
        print(f"skipped: {reason}: {of[0]}" + (f" and {len(of) - 1} others" if len(of) > 1 else ""))
    slowest = sorted(tests, key=lambda test: -run.results[test][1])
    print("slowest: " + ", ".join(f"{test} {run.results[test][1]:.1f} s" for test in slowest[:5]))
    failed = by_result["FAILED"] + by_result["ENDED"]
    for test in failed:
        print(f"failed: {test}")
    print(f"{len(by_result['OK'])} tests passed, {len(failed)} failed, {len(by_result['SKIPPED'])} skipped, in {seconds:.0f} s "
          f"with {jobs} processes")
    sys.exit(1 if failed else 0 if by_result["OK"] else 2)


if __name__ == "__main__":
    main()
