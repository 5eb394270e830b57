"""The sites in gpu/ where faults are planted, found in the sources: every barrier, wait and fence, and the texts in
listed.py. A text that is no longer found, or a barrier in a file without a run, is an error."""
import re
from dataclasses import dataclass

from listed import FOUND_BY, LISTED, SILENT_SITES

# What a fault removes. Names are KIND.FILE.NUMBER, counted from 1 down the file.
KINDS = {
    "barrier": re.compile(r"__syncthreads\(\);"),
    "warp_barrier": re.compile(r"__syncwarp\(\);"),
    "wait": re.compile(r"\bwait_for_async_copies<[^>;]*>\(\);"),
    "fence": re.compile(r"__threadfence\(\);"),
    "launch_wait": re.compile(r"(?<!::)\bwait_for_previous_launch\(\);"),
}


def unit_of(run):
    """The file below gpu/ that contains the kernels of a run."""
    name = run.split()[0]
    if name.startswith("detect_"):
        return f"vision/{name.removeprefix('detect_')}.cu"
    if name == "box_blur":
        return "effects/effect_box_blur.cu"
    if name == "tilted":
        return "tables/tilted.cu"
    return "tables/tables.cu" if name == "luma" else f"sat/sat_{name.removesuffix('_backward').removesuffix('_impatient')}.cu"


# Not compiled for the simulated GPU; below gpu/. Of sat_cub.cu only what its dry replay needs.
NOT_COMPILED = ("simulated/", "tests/", "benchmarks/", "examples/", "sat/sat_cub.cu")


class SiteError(Exception):
    pass


@dataclass(frozen=True)
class Fault:
    name: str
    file: str       # below gpu/
    changed: str    # the file's text with the fault
    runs: tuple     # arguments of check_kernels, one of which must detect it
    silent: str     # why no run can detect it; empty if one can


def _after_comment(text, position):
    return "//" in text[text.rfind("\n", 0, position) + 1:position]


def _silent_sites(file, text):
    """Sites of redundant barriers and waits: position of the site -> reason."""
    places = {}
    for entry_file, before, site, reason in SILENT_SITES:
        if entry_file != file:
            continue
        if text.count(before + site) != 1:
            raise SiteError(f"{file}: not found exactly once: {before + site!r}")
        places[text.index(before + site) + len(before)] = reason
    return places


def _enumerated(file, text):
    silent = _silent_sites(file, text)
    stem = file.rsplit("/", 1)[-1].rsplit(".", 1)[0].removeprefix("sat_")
    for kind, pattern in KINDS.items():
        sites = [m for m in pattern.finditer(text) if not _after_comment(text, m.start())]
        if sites and file not in FOUND_BY:
            raise SiteError(f"{file} has a {kind.replace('_', ' ')}, and FOUND_BY names no run that detects its loss")
        for number, site in enumerate(sites, 1):
            yield Fault(f"{kind}.{stem}.{number}", file, text[:site.start()] + ";" + text[site.end():],
                        FOUND_BY[file], silent.pop(site.start(), ""))
    if silent:
        raise SiteError(f"{file}: a silent site is neither a barrier nor a wait nor a fence")


def _listed(texts):
    for entry in LISTED:
        text = texts.get(entry.file)
        if text is None:
            raise SiteError(f"{entry.name}: there is no gpu/{entry.file}")
        for old, new in entry.edits:
            if text.count(old) != entry.times:
                raise SiteError(f"{entry.name}: found {text.count(old)} times in {entry.file}, not {entry.times}: {old!r}")
            text = text.replace(old, new)
        runs = entry.runs or FOUND_BY.get(entry.file)
        if not runs and not entry.silent:
            raise SiteError(f"{entry.name}: no run would detect it")
        yield Fault(entry.name, entry.file, text, runs or (), entry.silent)


def all_faults(gpu):
    """All faults, including those that no run can detect, in an order that changes little when one is added."""
    texts = {}
    for path in sorted(p for pattern in ("*.cu", "*.cuh", "*.h") for p in gpu.rglob(pattern)):
        file = path.relative_to(gpu).as_posix()
        if not file.startswith(NOT_COMPILED):
            texts[file] = path.read_text()
    faults = [fault for file, text in texts.items() if file.endswith((".cu", ".cuh")) for fault in _enumerated(file, text)]
    faults += _listed(texts)
    names = [fault.name for fault in faults]
    for name in names:
        if names.count(name) > 1:
            raise SiteError(f"two faults are called {name}")
    for file in {*FOUND_BY, *(entry[0] for entry in SILENT_SITES)} - texts.keys():
        raise SiteError(f"there is no gpu/{file}")
    for fault in faults:
        for run in fault.runs:
            if unit_of(run) not in texts:
                raise SiteError(f"{fault.name}: there is no gpu/{unit_of(run)}")
    return faults
