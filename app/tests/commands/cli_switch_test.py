#!/usr/bin/python3
"""Whatever is switched, at most two more frames are made with what was chosen before, and the first one after them is right.
The lines of a script follow each other between two frames: what a line finds is known, however fast the machine is."""
import itertools
import json
import os
import subprocess

from cli_case import ASSETS, OK, PATIENCE, PROGRAM, Case, main

MOST = 2  # frames
CLIP, IMAGE = os.path.join(ASSETS, "clip.mp4"), os.path.join(ASSETS, "astronaut.png")
# Each changes the work, and starts from what those before it chose.
ALGORITHMS = [{"algorithm": "host_serial"}, {"algorithm": "host_parallel"}, {"host_parallel.threads": 1},
              {"algorithm": "host_serial"}]
EFFECTS = [{"effect": "haar"}, {"haar.type": "type-2-y"}, {"effect": "box_blur"}, {"box_blur.window": "31x31"},
           {"effect": "adaptive_threshold"}, {"effect": "sat_view"}, {"effect": "none"}]
COMPARISONS = [{"compare": "original,box_blur"}, {"compare": "host_serial,host_parallel"}, {"compare": "box_blur,original"},
               {"compare": "off"}]
SOURCES = [{"size": "200x150"}, {"source": CLIP}, {"source": IMAGE}, {"source": "synthetic", "size": "64x48"},
           {"source": "matrix:8x8"}]


class Switches(Case):
    def rows_after(self, switches, first_lines, *words):
        """The rows of the log that have the same work, for each work: the first one's, and each switch's."""
        lines = [*first_lines, {"frames": 3}]
        for switch in switches:
            lines += [{"set": switch}, {"frames": 1}]
        self.expect(OK, "--script", self.script(*lines), "--offscreen", "--no-config", "--set", "check=on", "--log", "l.jsonl",
                    *words)
        rows = [json.loads(line) for line in self.text("l.jsonl").splitlines()[1:]]
        return [list(group) for _, group in itertools.groupby(
            rows, lambda row: (row["selection"], row["size"], row["source"]))]

    def check_switches(self, switches, *words, first_lines=()):
        groups = self.rows_after(switches, first_lines, *words)
        self.assertEqual(len(groups), len(switches) + 1, [(group[0]["selection"], group[0]["source"]) for group in groups])
        for number, (switch, before, after) in enumerate(zip(switches, groups, groups[1:])):
            with self.subTest(switch=switch, number=number):
                self.assertLessEqual(self.frames_between(switch, before, 1 if number else 3, after[0]), MOST)
                self.assertEqual(after[0]["table"], "right")

    @staticmethod
    def frames_between(switch, before, asked_for, first):
        """How many more frames have the work before. Those that a line asked for come before the switch. While a source is
        opened, the one before plays on: then, how many of it follow the first frame of the new one."""
        if "source" in switch or "size" in switch:
            return sum(row["taken_us"] > first["captured_us"] for row in before)
        return len(before) - asked_for

    def test_while_a_source_plays(self):
        self.check_switches(ALGORITHMS + EFFECTS + COMPARISONS, "synthetic:320x240", "--max-speed", "--device", "host")

    def test_while_a_video_is_paused(self):
        self.check_switches(ALGORITHMS + EFFECTS + COMPARISONS, CLIP, "--device", "host", first_lines=[{"do": "pause"}])

    def test_of_a_still_image(self):
        self.check_switches(ALGORITHMS + EFFECTS + COMPARISONS, IMAGE, "--device", "host")

    def test_of_sources_and_sizes(self):
        for words in ("--max-speed",), ():
            self.check_switches(SOURCES, "synthetic", "--size", "320x240", "--device", "host", "--effect", "none", "--loop",
                                *words)

    def devices(self):
        info = json.loads(subprocess.run([PROGRAM, "info", "--json"], check=True, capture_output=True, timeout=PATIENCE).stdout)
        return ["cuda"] * info["gpu"]["available"] + ["simulated"] * info["simulated"]["available"]

    def test_of_devices(self):
        devices = self.devices()
        if not devices:
            self.skipTest("there is neither a GPU here nor the simulated one")
        for device in devices:
            switches = [{"device": "host"}, {"device": device}, {"algorithm": "2r1w"}, {"2r1w.W": 32}, {"effect": "haar"},
                        {"algorithm": "host_serial"}, {"algorithm": "1r1w_skss_lb", "device": device},
                        {"compare": "2r1w,1r1w"}, {"device": "host", "compare": "off"}]
            self.check_switches(switches, "synthetic:320x240", "--max-speed", "--device", device)


if __name__ == "__main__":
    main()
