#!/usr/bin/python3
"""What each action and each setting costs the frames after it: the longest work of the main thread for one of them.
Each is done in a run of its own, offscreen, in the middle of frames.
Usage: action_cost.py PROGRAM [--source SOURCE] [--device DEVICE] [--only WORD] [--rounds N]"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

from interface_cost import frame_work

BEFORE, AFTER = 12, 8  # frames; the first ones of a run open fonts and compile shaders
SKIPPED = {"quit", "open_folder", "edit_kernel", "new_kernel"}  # end the run, or start another program
# What must be there first.
PREPARED = {"stop_record": [{"do": "record", "to": "r.mp4"}], "export_trace": [{"do": "trace"}],
            "export_race": [{"do": "race"}], "swap_sides": [{"set": {"compare": "original,result"}}],
            "study": [{"set": {"study_algorithms": "host_serial"}}],
            "export_study": [{"set": {"study_algorithms": "host_serial"}}, {"do": "study"}],
            "reset rectangle": [{"set": {"rectangle": "10,10,100x50"}}], "resume": [{"do": "pause"}]}
# Of settings whose accepted values are described, not listed.
VALUES = {"source": "synthetic:320x240", "compare": "original,result", "size": "320x240", "pointer": "100,80",
          "rectangle": "10,10,100x50", "matrix": "1,2;3,4", "graph_range": "3-9"}


def listing(program, what):
    return json.loads(subprocess.run([program, "list", what, "--json"], check=True, capture_output=True, text=True).stdout)


def values_of(field):
    """Values other than its own."""
    accepted = field["accepted"]
    if field["path"] in VALUES:
        return [VALUES[field["path"]]]
    if " from " not in accepted:
        return [word for word in accepted.replace(" or ", ", ").split(", ") if word != field.get("default")]
    if accepted.startswith("WxH"):
        return ["31x31"]
    low, high = (float(word) for word in accepted.split(" from ")[1].split(" to "))
    middle = (low + min(high, low + 4)) / 2
    return [str(round(middle)) if "whole" in accepted else f"{middle:g}"]


def steps(program):
    """Name, lines before, and the line that is measured."""
    for action in listing(program, "commands"):
        name = action["name"]
        if name not in SKIPPED:
            takes = {"seek": " 3", "step": " 3"}.get(name, "")
            if takes or "takes" not in action:
                yield name, PREPARED.get(name, []), {"do": name + takes}
    for field in listing(program, "settings"):
        if field["kept"] != "start":
            for value in values_of(field):
                yield f"{field['path']} = {value}", [], {"set": {field["path"]: value}}


def measure(program, options, before, line):
    """The work of ordinary frames and the longest after the line, or why it is refused."""
    with tempfile.TemporaryDirectory(prefix="satscope-actions-") as folder:
        with open(os.path.join(folder, "s.jsonl"), "w", encoding="utf-8") as file:
            for step in ({"frames": BEFORE - 4}, *before, {"frames": 4}, line, {"frames": AFTER}):
                file.write(json.dumps(step) + "\n")
        work, error = frame_work(program, folder, options.source, "--max-speed", "--device", options.device, "--script",
                                 "s.jsonl")
    # After the line there are one or two frames that were under way: ordinary ones.
    return (work[4:BEFORE - 4], 0, error) if error else (work[4:BEFORE - 4], max(work[BEFORE:]), "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--source", default="synthetic:640x360")
    parser.add_argument("--device", default="host")
    parser.add_argument("--only", default="", help="steps whose name has this in it")
    parser.add_argument("--rounds", type=int, default=2, help="of which the best counts: other programs take time, too")
    options = parser.parse_args()
    program, costs, ordinary, refused = os.path.abspath(options.program), [], [], []
    for name, before, line in steps(program):
        if options.only not in name:
            continue
        rounds = [measure(program, options, before, line) for _ in range(options.rounds)]
        ordinary += [work for frames, _, _ in rounds for work in frames]
        errors = [error for _, _, error in rounds if error]
        if errors:
            refused.append(f"{name}: {errors[0]}")
        else:
            costs.append((min(longest for _, longest, _ in rounds), name))
    print(f"| ms, the longest of {AFTER} frames | after |\n|--:|---|")
    for cost, name in sorted(costs, reverse=True):
        print(f"| {cost:.1f} | {name} |")
    if ordinary:
        print(f"\nOrdinary frames: median {statistics.median(ordinary):.1f} ms, longest {max(ordinary):.1f} ms.")
    for line in refused:
        print("not measured:", line)


if __name__ == "__main__":
    main()
