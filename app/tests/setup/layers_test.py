#!/usr/bin/python3
"""The folders of app/ and gpu/ are layers: no include points up, in app/ from a test neither. No two files of app/ and gpu/ share a
name. What the map of the folders names exists."""
import re
import sys
import unittest
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LAYERS = ("support", "capture", "control", "pipeline", "gl", "display", "output", "session", "ui", "live", "highgui",
          "commands")  # lowest first
# Of gpu/, lowest first: folders, and the files at the top by their stems. A header at the top can be the face of a folder.
LAYERS_OF_GPU = (("simulated/", "without_cuda/", "execution/child_process"), ("cuda/",), ("image",), ("parameter",),
                 ("execution/", "context"), ("pictures/",),
                 ("sat",), ("sat/block/",), ("sat/",), ("sat_runner",), ("choice/",), ("checks/",), ("tables/",), ("vision/",),
                 ("effect", "user_kernels/kernel_version"), ("effects/",), ("installed/", "satscope"),
                 ("simulated/observed/", "simulated/exports", "user_kernels/", "python/", "examples/", "benchmarks/"))
# The tables of descriptors, which those who look one up include below what the descriptors are of.
TABLES_OF_GPU = "user_kernels/kernel_version.h"
# Of Dear ImGui 1.86, what 1.87 to 1.91 made obsolete. 1.86 cannot refuse it, and later libraries leave it out or change it.
OBSOLETE_IMGUI = ("KeyMap", "KeysDown", "KeysDownDuration", "NavInputs", "GetKeyIndex", r"ImGuiKey_Mod\w+", "ImGuiKey_COUNT",
                  "ImGuiKey_KeyPadEnter", "CaptureKeyboardFromApp", "CaptureMouseFromApp", r"P\w+AllowKeyboardFocus",
                  "SetItemAllowOverlap", r"\w+_AllowItemOverlap", "ImageButton", r"\w+ChildFrame", r"ListBox(Header|Footer)",
                  "ShowStackToolWindow", "ImGuiWindowFlags_AlwaysUseWindowPadding", r"ImGuiCol_Tab(Active|Unfocused\w*)",
                  "ImGuiCol_NavHighlight", r"Get(Window)?ContentRegionM(ax|in)", "ImGuiSelectableFlags_DontClosePopups",
                  r"P\w+ButtonRepeat", "SetWindowFontScale", "FontGlobalScale", "ImDrawCornerFlags")
# Functions of <filesystem> that throw where they are given no std::error_code: for a folder that may not be entered, links in a
# circle, a name that is too long.
THROWING = ("absolute", "canonical", "weakly_canonical", "copy", "copy_file", "create_directory", "create_directories",
            "create_symlink", "current_path", "equivalent", "exists", "file_size", "is_directory", "is_empty", "is_regular_file",
            "is_symlink", "last_write_time", "permissions", "read_symlink", "relative", "proximate", "remove", "remove_all",
            "rename", "resize_file", "space", "status", "symlink_status", "temp_directory_path", "directory_iterator",
            "recursive_directory_iterator")
CONTRIBUTING = ROOT / ".github/CONTRIBUTING.md"
SOURCES = {".cpp", ".h", ".cu", ".cuh"}


def sources(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SOURCES and "tests" not in path.parts:
                yield path


def layer_of_gpu(file):
    """The number of the layer of a file, which is named below gpu/; None: it has none."""
    stem = file.rsplit(".", 1)[0]
    ranks = {name: rank for rank, names in enumerate(LAYERS_OF_GPU) for name in names}
    folders = [stem[:at + 1] for at, letter in enumerate(stem) if letter == "/"]
    return ranks.get(next((name for name in (stem, *reversed(folders)) if name in ranks), None))


def app_includes(path, known=None):
    """The headers of app/ that a test includes, also by way of headers of tests."""
    known = set() if known is None else known
    for name in re.findall(r'#include "(app/[\w/.]+)"', path.read_text()):
        if name not in known:
            known.add(name)
            if name.startswith("app/tests/"):
                app_includes(ROOT / name, known)
    return {name for name in known if not name.startswith("app/tests/")}


def contributors_files(page):
    """The paths and the names of files among what a page shows as code."""
    words = [code.split()[0] for code in re.findall(r"`([^`\n]+)`", page)]
    paths = [word for word in words if re.fullmatch(r"[\w.][\w.-]*(/[\w.-]+)*/?", word) and "/" in word
             and word.split("/")[0] not in ("build", "bin")]
    return paths, [word for word in words if re.fullmatch(r"\w[\w.-]*\.(cpp|h|cu|cuh|py|sh)", word)]


def is_there(path):
    return path.exists() or any(path.parent.glob(path.name + ".*"))


def last_argument(text, start):
    """Of the call whose arguments begin there."""
    depth, begin, at = 1, start, start
    while depth and at < len(text):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[at], 0)
        begin = at + 1 if depth == 1 and text[at] == "," else begin
        at += 1
    return text[begin:at - 1].strip()


def throwing_calls(text):
    """Calls of those functions without an error code. A status that was asked for, and the end of an iteration, cannot fail."""
    call = re.compile(r"(?:filesystem|fs)::(" + "|".join(THROWING) + r")\b(?: \w+)?\(")
    for match in call.finditer(text):
        last = last_argument(text, match.end())
        if last and not re.fullmatch(r"error|ignored|unseen|unknown|none|circle|there|status|fs::(symlink_)?status\(.*\)", last):
            yield match[0] + last
    for match in re.finditer(r"\b(?:entry|at)(?:->|\.)(?:is_directory|is_regular_file|is_symlink|exists|file_size|last_write_time)\(\)", text):
        yield match[0]


class Layers(unittest.TestCase):
    def test_no_include_points_up(self):
        upwards = []
        for path in sources(*(f"app/{layer}" for layer in LAYERS)):
            layer = path.relative_to(ROOT / "app").parts[0]
            for included in re.findall(r'#include "app/(\w+)/', path.read_text()):
                if LAYERS.index(included) > LAYERS.index(layer):
                    upwards.append(f"{path.relative_to(ROOT)} includes from {included}/")
        self.assertEqual(upwards, [])

    # The build with ThreadSanitizer contains the lower layers and their tests alone.
    def test_no_include_of_a_test_points_up(self):
        upwards = []
        for layer in LAYERS:
            # The context that tests of gl/ need is display/'s.
            allowed = LAYERS[: LAYERS.index("display" if layer == "gl" else layer) + 1]
            for path in sorted((ROOT / "app/tests" / layer).glob("*_test.cpp")):
                upwards += [f"{path.relative_to(ROOT)} includes {name}" for name in sorted(app_includes(path))
                            if name.split("/")[1] not in allowed]
        self.assertEqual(upwards, [])

    def test_every_folder_is_a_layer(self):
        folders = {path.name for path in (ROOT / "app").iterdir() if path.is_dir()}
        self.assertEqual(folders - {"tests", "benchmarks"}, set(LAYERS))

    def test_no_include_of_gpu_points_up(self):
        upwards = []
        for path in sources("gpu"):
            file = path.relative_to(ROOT / "gpu").as_posix()
            self.assertIsNotNone(layer_of_gpu(file), f"gpu/{file} is in no layer")
            for included in re.findall(r'#include "gpu/([\w/.]+)"', path.read_text()):
                if included == TABLES_OF_GPU:
                    continue
                if layer_of_gpu(included) is None or layer_of_gpu(included) > layer_of_gpu(file):
                    upwards.append(f"gpu/{file} includes {included}")
        self.assertEqual(upwards, [])
        self.assertLess(layer_of_gpu("simulated/block.h"), layer_of_gpu("simulated/observed/simulate.h"))

    def test_every_layer_of_gpu_is_there(self):
        files = {path.relative_to(ROOT / "gpu").as_posix() for path in sources("gpu")}
        gone = [name for names in LAYERS_OF_GPU for name in names
                if not any(file.startswith(name if name.endswith("/") else name + ".") for file in files)]
        self.assertEqual(gone, [])

    def test_gpu_does_not_include_app(self):
        self.assertEqual([str(path) for path in sources("gpu") if '#include "app/' in path.read_text()], [])

    def test_the_contributors_page_names_every_folder(self):
        page = CONTRIBUTING.read_text()
        folders = {path.relative_to(ROOT).as_posix() for pattern in ("app/*/", "gpu/*/") for path in ROOT.glob(pattern)
                   if path.is_dir() and path.name not in ("tests", "benchmarks")}
        folders |= {path.parent.relative_to(ROOT).as_posix() for path in sources("app", "gpu") if "benchmarks" not in path.parts}
        self.assertGreater(len(folders), 20)
        self.assertEqual([folder for folder in sorted(folders) if f"`{folder}/`" not in page], [])

    # A path begins at the top or in app/ and may lack its ending, `output/recorder`; a name alone is that of a file anywhere.
    def test_what_the_contributors_page_names_exists(self):
        paths, names = contributors_files(CONTRIBUTING.read_text())
        self.assertGreater(len(paths), 40)
        self.assertGreater(len(names), 8)
        files = {path.name for pattern in ("app/**/*", "gpu/**/*", "third_party/*") for path in ROOT.glob(pattern)}
        self.assertEqual([path for path in paths if not any(is_there(top / path) for top in (ROOT, ROOT / "app"))], [])
        self.assertEqual([name for name in names if name not in files], [])

    def test_a_wrong_name_on_the_contributors_page_is_found(self):
        text = "`app/gone.h`, `app/test`, `output/gone`, `gone.cpp`, `.cpp`, `app/gone.py PROGRAM`, `build/release`, `--ab cd/ef`"
        paths, names = contributors_files(text)
        self.assertEqual(paths, ["app/gone.h", "app/test", "output/gone", "app/gone.py"])
        self.assertEqual(names, ["gone.cpp"])
        self.assertEqual([path for path in paths if is_there(ROOT / path)], ["app/test"])

    def test_no_obsolete_imgui(self):
        name = re.compile(r"\b(" + "|".join(OBSOLETE_IMGUI) + r")\b")
        found = [f"{path.relative_to(ROOT)}: {match[0]}" for path in sorted((ROOT / "app").rglob("*"))
                 if path.suffix in SOURCES and path.name != "imgui_keys.h" for match in name.finditer(path.read_text())]
        self.assertEqual(found, [])

    def test_no_name_makes_the_library_throw(self):
        self.assertEqual(list(throwing_calls("fs::exists(a, b); fs::exists(f(a), error); fs::directory_iterator x(a)")),
                         ["fs::exists(b", "fs::directory_iterator x(a"])
        self.assertEqual([f"{path.relative_to(ROOT)}: {call}" for path in sources("app") if "benchmarks" not in path.parts
                          for call in throwing_calls(path.read_text())], [])

    def test_nothing_but_tests_includes_tests(self):
        self.assertEqual([str(path) for path in sources("app", "gpu")
                          if re.search(r'#include "(app|gpu)/(\w+/)*tests/', path.read_text())], [])

    def test_no_two_files_share_a_name(self):
        places = defaultdict(set)  # a header and its source count as one
        for path in sources("app", "gpu"):
            places[path.stem].add(path.parent.relative_to(ROOT).as_posix())
        self.assertEqual({name: sorted(where) for name, where in places.items() if len(where) > 1}, {})


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
