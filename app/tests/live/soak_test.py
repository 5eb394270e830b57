#!/usr/bin/python3
"""Thousands of frames with everything switched at random, by a script: no error, no memory that grows, and the last picture
is right. Usage: soak_test.py PROGRAM [--frames N] [--seed S] [--devices host,simulated,cuda] [--any-growth]"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import cv2
import numpy

# A device whose frames take milliseconds instead of microseconds gets fewer of them.
SHARE = {"host": 8, "cuda": 8, "simulated": 1}
# Settings of the run itself, of files, and those that have a list of values below.
LEFT_ALONE = {"source", "algorithm", "cuda_algorithm", "host_algorithm", "effect", "device", "viewer", "max_speed", "vsync",
              "window_width", "window_height", "size", "fps", "loop", "matrix", "compare"}
MOST_GROWTH = 24 << 20  # bytes; what allocators keep differs by some megabytes from time to time


def listing(program, what):
    return json.loads(subprocess.run([program, "list", what, "--json"], check=True, capture_output=True, text=True).stdout)


class Choices:
    """Random changes of settings that are valid on this machine."""

    def __init__(self, program, devices, sources):
        self.random = random.Random()
        self.devices, self.sources = devices, sources
        self.algorithms = listing(program, "algorithms")
        self.effects = listing(program, "effects")
        self.fields = [f for f in listing(program, "settings") if f["path"] not in LEFT_ALONE and f["kept"] != "at_start"
                       and "." not in f["path"]]
        self.device = devices[0]

    def parameter(self, owner):
        choose = self.random
        parameter = choose.choice(owner["parameters"])
        kind = parameter["kind"]
        if kind in ("choice", "toggle"):
            value = choose.choice(parameter["choices"])
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
            value = choose.choice(accepted.replace(" or ", ", ").split(", "))
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

    def step(self):
        choose = self.random
        roll = choose.random()
        if roll < 0.3:
            algorithm = self.algorithm()
            change = {"algorithm": algorithm["name"], "device": self.device}
            if algorithm["parameters"] and choose.random() < 0.5:
                change |= self.parameter(algorithm)
            return change
        if roll < 0.6:
            effect = choose.choice(self.effects)
            change = {"effect": effect["name"]}
            if effect["parameters"] and choose.random() < 0.7:
                change |= self.parameter(effect)
            return change
        if roll < 0.72:
            self.device = choose.choices(self.devices, [SHARE[d] for d in self.devices])[0]
            return {"compare": "off", "device": self.device, "algorithm": self.algorithm()["name"]}
        if roll < 0.77:
            return self.compare()
        if roll < 0.87:
            return {"source": choose.choice(self.sources)(), "loop": True}
        return self.field()


def make_sources(folder, choose):
    """Sources of many sizes, none larger than 320x240."""
    rng = numpy.random.default_rng(1)
    image = os.path.join(folder, "still.png")
    cv2.imwrite(image, rng.integers(0, 256, (113, 191, 3), dtype=numpy.uint8))
    one = os.path.join(folder, "one.png")
    cv2.imwrite(one, numpy.full((1, 1, 3), 77, dtype=numpy.uint8))
    video = os.path.join(folder, "short.avi")
    writer = cv2.VideoWriter(video, cv2.VideoWriter_fourcc(*"MJPG"), 30, (160, 120))
    for i in range(20):
        writer.write(numpy.full((120, 160, 3), i * 12, dtype=numpy.uint8))
    writer.release()
    return [lambda: f"synthetic:{choose.randint(1, 320)}x{choose.randint(1, 240)}", lambda: "synthetic:320x240",
            lambda: image, lambda: one, lambda: video]


class Program:
    def __init__(self, program, folder):
        self.errors = open(os.path.join(folder, "errors.txt"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [program, "synthetic:320x240", "--offscreen", "--no-config", "--max-speed", "--script", "-"], cwd=folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True, bufsize=1)

    def say(self, line):
        try:
            self.process.stdin.write(json.dumps(line) + "\n")
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.errors.seek(0)
            sys.exit(f"ended with {self.process.wait()} at {line}\n{self.errors.read()}")
        return json.loads(answer)

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


def check_growth(what, samples, any_growth):
    """The first half fills caches and workspaces; after it nothing may grow."""
    half = len(samples) // 2
    before, after = max(samples[half // 2:half + 1]), min(samples[-max(2, half // 2):])
    print(f"{what}: {samples[0] >> 20} MiB at the start, {before >> 20} MiB at half time, {samples[-1] >> 20} MiB at the end")
    if after > before + MOST_GROWTH and not any_growth:
        sys.exit(f"{what} grows: {[sample >> 20 for sample in samples]} MiB")


def check_last_picture(program, run, refused, folder):
    """The last picture equals the one that another process computes with the simplest algorithm. `refused`: some lines of the
    script were, which the exit code says."""
    still = os.path.join(folder, "still.png")
    values = {p["name"]: str(p["initial"]) for e in listing(program, "effects") if e["name"] == "box_blur"
              for p in e["parameters"]} | {"window": "15x15"}
    of_effect = {f"box_blur.{name}": value for name, value in values.items()}
    answers = [run.say({"set": {"compare": "off", "source": still, "effect": "box_blur"} | of_effect}),
               run.say({"frames": 1}), run.say({"do": "save_picture", "to": "last.png"}), run.say({"do": "quit"})]
    if not all("ok" in answer for answer in answers):
        sys.exit(f"the last picture: {answers}")
    code = run.process.wait(timeout=120)
    run.errors.seek(0)
    if code != (2 if refused else 0):
        sys.exit(f"ended with {code}: {run.errors.read()}")
    return values


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--frames", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--devices", default="host")
    parser.add_argument("--any-growth", action="store_true", help="memory is shown, but may grow")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory(prefix="satscope-soak-") as folder:
        choose = random.Random(options.seed)
        choices = Choices(program, options.devices.split(","), make_sources(folder, choose))
        choices.random = choose
        run = Program(program, folder)
        frames, next_sample, refused, host, device = 0, 0, 0, [], []
        while frames < options.frames:
            changes = choices.step()
            answer = run.say({"set": changes}) if changes else {"ok": True}
            if "ok" not in answer:
                sys.exit(f"{changes}: {answer}")
            count = choose.randint(1, 12 if choices.device != "simulated" else 3)
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
        check_growth("host memory", host, options.any_growth)
        if any(device):
            check_growth("device memory", device, options.any_growth)
        values = check_last_picture(program, run, refused, folder)
        words = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
        subprocess.run([program, "apply", "still.png", "--effect", "box_blur", "--algorithm", "host_serial", "--device", "host",
                        *words, "-o", "expected.png"], cwd=folder, check=True)
        last, expected = (cv2.imread(os.path.join(folder, name), cv2.IMREAD_COLOR) for name in ("last.png", "expected.png"))
        if last is None or last.shape != expected.shape or (last != expected).any():
            sys.exit("the last picture is wrong")
        print(f"{frames} frames, {refused} refused selections, and the last picture is right")


if __name__ == "__main__":
    main()
