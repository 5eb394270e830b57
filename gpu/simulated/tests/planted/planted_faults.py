#!/usr/bin/env python3
"""Plants faults in kernels, one at a time, and checks that runs under observation detect them.

  planted_faults.py --list                       the faults that a run has to detect, one per line
  planted_faults.py --silent                     those that no run can detect, and why
  planted_faults.py --check-sites                checks that all sites are found; changes nothing
  planted_faults.py --fault NAME --build FOLDER  plants one; fails if it is not detected
  planted_faults.py --unchanged --build FOLDER   the same runs without a fault; fails if one is detected

The build folder needs compile_commands.json and a built check_kernels."""
import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from sites import SiteError, all_faults, unit_of  # noqa: E402

ROOT = Path(__file__).resolve().parents[4]
TARGETS = ("observed_kernels", "observed_simulator", "check_kernels")
COMPILE_SECONDS, RUN_SECONDS = 600, 120
RIGHT, DETECTED, COULD_NOT_RUN = 0, 1, 2  # exit statuses of check_kernels


class Failure(Exception):
    pass


class Build:
    def __init__(self, folder):
        self.folder = folder
        self.commands = {}  # object file -> words
        for entry in json.loads((folder / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            target = words[words.index("-o") + 1]
            if any(f"/{name}.dir/" in target for name in TARGETS):
                self.commands[target] = words

    def object_of(self, unit):
        end = f"/observed_kernels.dir/__/{unit}.o"
        found = [name for name in self.commands if name.endswith(end)]
        if len(found) != 1:
            raise Failure(f"{len(found)} objects of {unit} in compile_commands.json")
        return found[0]

    def run(self, words, seconds):
        return subprocess.run(words, cwd=self.folder, timeout=seconds, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace")


def narrowed(text, run):
    """A source of gpu/ that instantiates only what `run` needs, so that it compiles faster: its type, and one value of
    each parameter it sets."""
    name, type_name, *others = run.split()
    if name in ("luma", "tilted", "box_blur") or name.startswith("detect_"):
        return text, 0
    number, letter = r"(\d+)(u|f)", {"u": "u", "f": "f"}
    (in_bits, in_kind), (sum_bits, sum_kind) = re.findall(number, type_name)
    enumerator = f"{letter[in_kind]}{in_bits}_{letter[sum_kind]}{sum_bits}"
    text, cases = re.subn(rf"\n    case SatType::(?!{enumerator}:)\w+: return f\(image\.as<[^\n]*", "", text)
    for name, value in (word.split("=") for word in others if "=" in word):
        text = re.sub(rf"visit_constant<[\d, ]+>\(arguments\.integer\(\"{name}\"\)",
                      f'visit_constant<{value}>(arguments.integer("{name}")', text)
    return text, cases


def build_faulty(build, fault, run, scratch):
    """The program check_kernels with the fault in the algorithm of `run`."""
    unit = unit_of(run)
    # Changed files lie in the scratch folder under the same names; all others are included from their usual place.
    files = {"sat.h": (ROOT / "gpu/sat.h").read_text(), unit: (ROOT / "gpu" / unit).read_text(), fault.file: fault.changed}
    for file, text in files.items():
        path = scratch / "gpu" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        text, cases = narrowed(text, run)
        if file == "sat.h" and cases == 0 and unit.startswith("sat/"):
            raise Failure("gpu/sat.h: the types in visit_sat_type() were not found")
        path.write_text(text)

    faulty = build.object_of(unit)
    words = build.commands[faulty].copy()
    words[words.index("-c") + 1] = str(scratch / "gpu" / unit)
    words[words.index("-o") + 1] = str(scratch / "faulty.o")
    words[1:1] = [f"-I{scratch}", "-w"]
    compiled = build.run(words, COMPILE_SECONDS)
    if compiled.returncode:
        raise Failure(f"{fault.name} does not compile:\n{compiled.stdout}")

    # The faulty object comes first: of templates that several objects define, the linker takes the first.
    program = scratch / "check_kernels"
    objects = [str(scratch / "faulty.o"), *(name for name in build.commands if name != faulty)]
    linked = build.run([words[0], "-o", str(program), *objects, "-pthread", "-ldl"], COMPILE_SECONDS)
    if linked.returncode:
        raise Failure(f"{fault.name} does not link:\n{linked.stdout}")
    return program


def detected(build, program, run):
    """What a run reports about the program; empty if all is correct."""
    try:
        ran = build.run([str(program), *run.split()], RUN_SECONDS)
    except subprocess.TimeoutExpired:
        return f"does not end within {RUN_SECONDS} seconds"
    if ran.returncode == COULD_NOT_RUN:
        raise Failure(f"{run}: {ran.stdout}")
    if ran.returncode == RIGHT:
        return ""
    return ran.stdout.strip() if ran.returncode == DETECTED else f"ends with status {ran.returncode}\n{ran.stdout}"


def plant(build, fault):
    scratch = build.folder / "planted" / fault.name
    shutil.rmtree(scratch, ignore_errors=True)
    for run in fault.runs:
        found = detected(build, build_faulty(build, fault, run, scratch), run)
        if found:
            print(f"{fault.name}: detected by {run}\n{found}")
            shutil.rmtree(scratch)
            return
    raise Failure(f"{fault.name}: not detected by {'; '.join(fault.runs)}\n(the faulty program is {scratch}/check_kernels)")


def run_unchanged(build, faults):
    program = [folder / "check_kernels" for folder in (build.folder / "gpu/simulated", build.folder)]
    program = next((path for path in program if path.exists()), None)
    if program is None:
        raise Failure("check_kernels is not built")
    wrong = []
    for run in sorted({run for fault in faults for run in fault.runs}):
        found = detected(build, program, run)
        print(f"{run}: {found or 'correct'}", flush=True)
        if found:
            wrong.append(run)
    if wrong:
        raise Failure(f"without a fault, something is detected in {len(wrong)} runs")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    for name in ("--list", "--silent", "--check-sites", "--unchanged"):
        what.add_argument(name, action="store_true")
    what.add_argument("--fault", metavar="NAME")
    parser.add_argument("--build", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    if (asked.fault or asked.unchanged) and not asked.build:
        parser.error("--build is missing")

    faults = all_faults(ROOT / "gpu")
    detectable = [fault for fault in faults if not fault.silent]
    if asked.list:
        print("\n".join(fault.name for fault in detectable))
    elif asked.silent:
        print("\n".join(f"{fault.name}: {fault.silent}" for fault in faults if fault.silent))
    elif asked.check_sites:
        print(f"{len(detectable)} detectable faults, {len(faults) - len(detectable)} that no run can detect")
    elif asked.unchanged:
        run_unchanged(Build(asked.build.resolve()), detectable)
    else:
        chosen = [fault for fault in faults if fault.name == asked.fault]
        if not chosen:
            raise Failure(f"there is no fault {asked.fault}")
        plant(Build(asked.build.resolve()), chosen[0])


if __name__ == "__main__":
    try:
        main()
    except (Failure, SiteError, subprocess.TimeoutExpired) as error:
        sys.exit(f"planted_faults: {error}")
