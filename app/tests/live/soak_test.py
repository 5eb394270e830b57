#!/usr/bin/python3
"""Thousands of frames with everything switched at random, by a script: no error, no memory that grows, and the last picture
is right. Needs NumPy, but not OpenCV, which a machine with a GPU may not have.
Usage: soak_test.py PROGRAM [--frames N] [--seed S] [--devices host,simulated,cuda] [--most-growth MIB] [--wrap COMMAND]"""
import argparse
import collections
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile

import numpy

from png_file import read_png, write_png

# A device whose frames take milliseconds instead of microseconds gets fewer of them.
SHARE = {"host": 8, "cuda": 8, "simulated": 1}
# How often each is switched, in percent. What only a few frames would meet by chance has a share of its own.
STEPS = {"algorithm": 26, "effect": 26, "device": 12, "compare": 6, "interop": 4, "timing": 4, "source": 10, "field": 12}
# Settings of the run itself, of files, and those that have steps of their own.
LEFT_ALONE = {"source", "algorithm", "cuda_algorithm", "host_algorithm", "effect", "device", "viewer", "max_speed", "vsync",
              "window_width", "window_height", "size", "fps", "loop", "matrix", "compare", "interop", "timing"}
MOST_GROWTH = 24  # MiB; what allocators keep differs by some of them from time to time
# glibc gives large blocks back at once, so that what grows is what is kept, not holes between blocks.
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072", "MALLOC_ARENA_MAX": "2"}
NO_ERRORS = "ERROR SUMMARY: 0 errors"  # the last words of compute-sanitizer and of valgrind


def listing(program, what):
    return json.loads(subprocess.run([program, "list", what, "--json"], check=True, capture_output=True, text=True).stdout)


def alternatives(field):
    """The values of a setting whose help lists them: "auto, on or off"."""
    return field["accepted"].replace(" or ", ", ").split(", ")


class Choices:
    """Random changes of settings that are valid on this machine."""

    def __init__(self, program, choose, devices, sources):
        self.random = choose
        self.devices, self.sources = devices, sources
        self.algorithms = listing(program, "algorithms")
        self.effects = listing(program, "effects")
        fields = listing(program, "settings")
        self.fields = [f for f in fields if f["path"] not in LEFT_ALONE and f["kept"] != "start" and "." not in f["path"]]
        self.values = {f["path"]: alternatives(f) for f in fields if f["path"] in ("interop", "timing")}
        self.device = devices[0]

    def parameter(self, owner):
        choose = self.random
        parameter = choose.choice(owner["parameters"])
        kind = parameter["kind"]
        if kind in ("choice", "toggle"):
            value = choose.choice(parameter["choices"])
        elif kind == "file":
            value = choose.choice(parameter["known"])
        elif kind == "size":
            low, high = int(parameter["minimum"]), min(int(parameter["maximum"]), 60)
            value = f"{choose.randint(low, high)}x{choose.randint(low, high)}"
        else:
            low, high = parameter["minimum"], min(parameter["maximum"], 60)
            value = choose.uniform(low, high)
            value = str(round(value)) if kind == "integer" else f"{value:.3f}"
        return {f"{owner['name']}.{parameter['name']}": value}

    def field(self):
        choose = self.random
        field = choose.choice(self.fields)
        accepted = field["accepted"]
        if accepted.startswith("a number from ") or accepted.startswith("a whole number from "):
            low, high = (float(word) for word in accepted.split(" from ")[1].split(" to "))
            value = choose.uniform(low, min(high, low + 10))
            value = str(round(value)) if "whole" in accepted else f"{value:.3f}"
        elif " or " in accepted and " from " not in accepted:
            value = choose.choice(alternatives(field))
        else:
            return {}
        return {field["path"]: value}

    def compare(self):
        own = [a["name"] for a in self.algorithms if self.device in a["devices"]]
        effects = [e["name"] for e in self.effects]
        sides = self.random.sample(self.random.choice((own, effects, ["original", "result"])), 2)
        return {"compare": self.random.choice(("off", ",".join(sides)))}

    def algorithm(self):
        own = "host" if self.device == "host" else "cuda"
        fits = [a for a in self.algorithms if a["device"] == own and self.device in a["devices"]]
        return self.random.choice(fits)

    def switch_algorithm(self):
        algorithm = self.algorithm()
        change = {"algorithm": algorithm["name"], "device": self.device}
        if algorithm["parameters"] and self.random.random() < 0.5:
            change |= self.parameter(algorithm)
        return change

    def switch_effect(self):
        effect = self.random.choice(self.effects)
        change = {"effect": effect["name"]}
        if effect["parameters"] and self.random.random() < 0.7:
            change |= self.parameter(effect)
        return change

    def switch_device(self):
        self.device = self.random.choices(self.devices, [SHARE[d] for d in self.devices])[0]
        return {"compare": "off", "device": self.device, "algorithm": self.algorithm()["name"]}

    def step(self):
        """What is switched, and the changes."""
        choose = self.random
        what = choose.choices(list(STEPS), list(STEPS.values()))[0]
        if what == "source":
            return what, {"source": choose.choice(self.sources)(), "loop": True}
        if what in self.values:
            return what, {what: choose.choice(self.values[what])}
        steps = {"algorithm": self.switch_algorithm, "effect": self.switch_effect, "device": self.switch_device,
                 "compare": self.compare, "field": self.field}
        return what, steps[what]()


def make_sources(program, folder, choose):
    """Sources of many sizes, none larger than 320x240."""
    rng = numpy.random.default_rng(1)
    image = os.path.join(folder, "still.png")
    write_png(image, rng.integers(0, 256, (113, 191, 3), dtype=numpy.uint8))
    one = os.path.join(folder, "one.png")
    write_png(one, numpy.full((1, 1, 3), 77, dtype=numpy.uint8))
    video = os.path.join(folder, "short.mp4")
    subprocess.run([program, "synthetic:160x120", "--offscreen", "--no-config", "--device", "host", "--frames", "20",
                    "--record", video], check=True, stdout=subprocess.DEVNULL)
    return [lambda: f"synthetic:{choose.randint(1, 320)}x{choose.randint(1, 240)}", lambda: "synthetic:320x240",
            lambda: image, lambda: one, lambda: video]


class Program:
    def __init__(self, program, folder, wrap):
        self.errors = open(os.path.join(folder, "errors.txt"), "w+", encoding="utf-8")
        self.said = ""  # by the wrapping command, between the program's answers
        self.process = subprocess.Popen(
            [*wrap, program, "synthetic:320x240", "--offscreen", "--no-config", "--max-speed", "--script", "-"], cwd=folder,
            env=os.environ | ALLOCATOR, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True, bufsize=1)

    def say(self, line):
        try:
            self.process.stdin.write(json.dumps(line) + "\n")
            answer = self.process.stdout.readline()
            while answer and not answer.startswith("{"):
                self.said += answer
                answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            sys.exit(f"ended with {self.process.wait()} at {line}\n{self.all_said()}")
        return json.loads(answer)

    def all_said(self):
        """Once it has ended."""
        self.errors.seek(0)
        return self.said + self.process.stdout.read() + self.errors.read()

    def bytes(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def device_bytes():
    """Of the GPU, by all programs; 0 without one."""
    try:
        text = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "--id=0"],
                              capture_output=True, text=True, check=True).stdout
        return int(text) << 20
    except (OSError, subprocess.CalledProcessError, ValueError):
        return 0


def check_growth(what, samples, most):
    """The first half fills caches and workspaces; after it nothing may grow."""
    half = len(samples) // 2
    before, after = max(samples[half // 2:half + 1]), min(samples[-max(2, half // 2):])
    print(f"{what}: {samples[0] >> 20} MiB at the start, {before >> 20} MiB at half time, {samples[-1] >> 20} MiB at the end")
    if after > before + (most << 20):
        sys.exit(f"{what} grows: {[sample >> 20 for sample in samples]} MiB")


def save_last_picture(program, run, folder):
    """The last picture of the run, and the same one from another process, by the simplest algorithm."""
    values = {p["name"]: str(p["initial"]) for e in listing(program, "effects") if e["name"] == "box_blur"
              for p in e["parameters"]} | {"window": "15x15", "colour": "on"}  # auto: the simulated GPU draws gray
    of_effect = {f"box_blur.{name}": value for name, value in values.items()}
    source = os.path.join(folder, "still.png")
    answers = [run.say({"set": {"compare": "off", "source": source, "effect": "box_blur"} | of_effect}),
               run.say({"frames": 1}), run.say({"do": "save_picture", "to": "last.png"}), run.say({"do": "quit"})]
    if not all("ok" in answer for answer in answers):
        sys.exit(f"the last picture: {answers}")
    words = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
    subprocess.run([program, "apply", "still.png", "--effect", "box_blur", "--algorithm", "host_serial", "--device", "host",
                    *words, "-o", "expected.png"], cwd=folder, check=True)
    return [read_png(os.path.join(folder, name)) for name in ("last.png", "expected.png")]


def check_end(run, refused, wrapped):
    """`refused`: some lines of the script were, which the exit code says."""
    code = run.process.wait(timeout=120)
    said = run.all_said()
    if code != (2 if refused else 0):
        sys.exit(f"ended with {code}: {said}")
    if wrapped and NO_ERRORS not in said:
        sys.exit(f"not the end of a run without errors, '{NO_ERRORS}': {said}")


def soak(run, choices, options):
    """Frames with random changes; measures memory between them. The number of frames, and of changes that did not fit."""
    frames, next_sample, refused, host, device, switched = 0, 0, 0, [], [], collections.Counter()
    while frames < options.frames:
        what, changes = choices.step()
        switched[what] += 1
        answer = run.say({"set": changes}) if changes else {"ok": True}
        if "ok" not in answer:
            sys.exit(f"{changes}: {answer}")
        count = choices.random.randint(1, 12 if choices.device != "simulated" else 3)
        answer = run.say({"frames": count})
        # An effect's arguments may not fit a small picture: that is a refusal in one line, and the picture stays.
        if "ok" not in answer:
            if "do not fit the frame" not in str(answer):
                sys.exit(f"after {changes}: {answer}")
            refused += 1
        frames += count
        if frames >= next_sample:
            # Fonts of four times the size take a hundred megabytes, which are no growth.
            run.say({"set": {"ui_scale": 1}})
            run.say({"frames": 2})
            host.append(run.bytes())
            device.append(device_bytes())
            next_sample += max(1, options.frames // 16)
    print("switched:", ", ".join(f"{what} {switched[what]} times" for what in STEPS))
    if not options.wrap:  # whose memory is not the program's
        check_growth("host memory", host, options.most_growth)
        if any(device):
            check_growth("device memory", device, options.most_growth)
    return frames, refused


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--frames", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--devices", default="host")
    parser.add_argument("--most-growth", type=int, default=MOST_GROWTH, help="of memory, in MiB")
    parser.add_argument("--wrap", default="", help="a command before the program, which looks for errors of memory: "
                        "'compute-sanitizer --tool memcheck --error-exitcode 9'. Growth is not judged then.")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory(prefix="satscope-soak-") as folder:
        choose = random.Random(options.seed)
        choices = Choices(program, choose, options.devices.split(","), make_sources(program, folder, choose))
        run = Program(program, folder, shlex.split(options.wrap))
        frames, refused = soak(run, choices, options)
        last, expected = save_last_picture(program, run, folder)
        check_end(run, refused, options.wrap)
        if last.shape != expected.shape or (last != expected).any():
            sys.exit("the last picture is wrong")
        print(f"{frames} frames, {refused} refused selections, and the last picture is right")


if __name__ == "__main__":
    main()
