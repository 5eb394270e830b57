"""The program as a user runs it, for the tests of the command line: each in a folder of its own, with no settings and
no display. Usage of those tests: NAME_test.py SATSCOPE ASSETS [unittest options]"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, ASSETS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
HAS_GPU = os.path.exists("/dev/nvidiactl")
PATIENCE = 300  # seconds until a program counts as stuck, on however busy a machine
# Whoever started the tests may have these ignored, which programs would inherit; with a handler here, they do not.
for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(ignored) == signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)
OK, FAILED, USAGE, NO_DISPLAY, SOURCE, NO_GPU = range(6)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="satscope-cli-")
        self.addCleanup(self.folder.cleanup)
        self.env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        self.env["XDG_CONFIG_HOME"] = self.path("config")

    def path(self, *names):
        return os.path.join(self.folder.name, *names)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return name

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def json(self, name):
        return json.loads(self.text(name))

    def script(self, *lines):
        """The file that --script reads."""
        return self.write("s.jsonl", "".join(json.dumps(line) + "\n" for line in lines).encode())

    def run_program(self, *words, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("env", self.env)
        return subprocess.run([PROGRAM, *words], cwd=self.folder.name, capture_output=True, text=True,
                              timeout=PATIENCE, **more)

    def await_that(self, what, process):
        """Until `what()`, of what the process does."""
        end = time.monotonic() + PATIENCE
        while not what():
            self.assertIsNone(process.poll(), "it has ended")
            self.assertLess(time.monotonic(), end, "it does not come")
            time.sleep(0.05)

    def says_once(self, what, *words):
        """A program that goes on, and has no terminal, which would have a bar."""
        with open(self.path("says"), "wb") as says:
            process = subprocess.Popen([PROGRAM, *words], cwd=self.folder.name, env=self.env, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=says)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.await_that(lambda: what in self.text("says"), process)
        self.assertEqual(self.text("says").count(what), 1)

    def lines_of(self, name):
        """How many whole ones a file has that is being written."""
        return self.text(name).count("\n") if os.path.exists(self.path(name)) else 0

    def expect(self, code, *words, **more):
        done = self.run_program(*words, **more)
        self.assertEqual(done.returncode, code, f"{words}: {done.stderr}")
        return done

    def refused(self, code, says, *words, **more):
        done = self.expect(code, *words, **more)
        self.assertEqual(done.stderr.count("\n"), 1, f"{words}: {done.stderr!r}")
        self.assertIn(says, done.stderr)
        self.assertNotRegex(done.stderr, r"[?:;,][;,?]", "sentences that are put together")
        self.assertTrue(done.stderr.startswith("satscope: "), done.stderr)
        return done


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
