#!/usr/bin/python3
"""The documents agree with the program: their tables are what it prints, and what they name exists. Usage: documents_test.py
SATSCOPE"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "assets"))
import make_documents  # noqa: E402

LEFT_OUT = {"build", ".git", ".cuda", ".python", "satscope-out"}
DOCUMENTS = sorted(path for path in ROOT.rglob("*.md") if not LEFT_OUT & set(path.relative_to(ROOT).parts))


def name(path):
    return path.relative_to(ROOT).as_posix()


def fences(text):
    return re.findall(r"^ *```\w*\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)


def anchors(path):
    """Those that a forge gives to headings."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    titles = [title.replace("`", "").lower() for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


class Documents(unittest.TestCase):
    def test_there_are_documents(self):
        self.assertGreater(len(DOCUMENTS), 8)

    def test_the_readme_is_for_two_minutes(self):
        text = (ROOT / "README.md").read_text()
        self.assertLessEqual(len(text.splitlines()), 130)

    def test_the_algorithms_are_as_many_as_is_said(self):
        listed = make_documents.Program(PROGRAM).listing("algorithms")
        count = len(listed)
        self.assertIn(f"Compare {count} algorithms", (ROOT / "README.md").read_text())
        self.assertIn(f"<li>{count} algorithms", (ROOT / "assets/satscope.metainfo.xml").read_text())
        manual = (ROOT / "app/README.md").read_text().replace("\n", " ")
        on_host = re.search(r"On the CPU four algorithms race \(([^)]*)\)", manual)[1]
        self.assertEqual(set(re.findall(r"`(\w+)`", on_host)), {item["name"] for item in listed if item["device"] == "host"})

    def test_the_newest_release_is_this_version(self):
        version = re.search(r"^project\(satscope VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
        said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(said.stdout, f"satscope {version}\n")
        releases = ElementTree.parse(ROOT / "assets/satscope.metainfo.xml").findall("releases/release")
        self.assertEqual(releases[0].get("version"), version)
        self.assertEqual([release.get("version") for release in releases if not release.findtext("description/p")], [])

    def test_the_desktop_entry_has_the_types_of_openable_files(self):
        globs = pathlib.Path("/usr/share/mime/globs2")
        if not globs.exists():
            self.skipTest("shared-mime-info is not installed")
        types = {}
        for line in globs.read_text().splitlines():
            if found := re.fullmatch(r"\d+:([^:]+):\*\.(\w+)", line):
                types.setdefault(found[2], set()).add(found[1])
        entry = (ROOT / "assets/satscope.desktop").read_text()
        offered = set(re.search(r"^MimeType=(.*);$", entry, re.MULTILINE)[1].split(";"))
        endings = re.search(r"endings\[\]\{(.*?)\};", (ROOT / "app/capture/folder_reader.cpp").read_text(), re.DOTALL)[1]
        endings = re.findall(r'"(\w+)"', endings)
        self.assertGreater(len(endings), 30)
        self.assertEqual([one for one in endings if one in types and not types[one] & offered], [])

    def test_links_lead_somewhere(self):
        broken = []
        for path in DOCUMENTS:
            for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
                if "://" in link:
                    continue
                file, _, anchor = link.partition("#")
                target = path.parent / file if file else path
                if not target.exists() or anchor and anchor not in anchors(target):
                    broken.append(f"{name(path)}: {link}")
        self.assertEqual(broken, [])

    def test_named_files_exist(self):
        missing = []
        for path in DOCUMENTS:
            for code in re.findall(r"`([^`\n]+)`", path.read_text()) + fences(path.read_text()):
                for file in re.findall(r"(?<![\w./])(?:app|gpu|assets|shaders|third_party)/[\w./-]*[\w/](?![\w<*])", code):
                    if not (ROOT / file).exists() and file != "third_party/.cuda":
                        missing.append(f"{name(path)}: {file}")
        self.assertEqual(missing, [])

    def test_tables_are_what_the_program_prints(self):
        made = subprocess.run([sys.executable, "-B", ROOT / "assets/make_documents.py", "--check", PROGRAM],
                              capture_output=True, text=True)
        self.assertEqual((made.returncode, made.stdout + made.stderr), (0, ""))

    def test_named_options_and_settings_exist(self):
        program = make_documents.Program(PROGRAM)
        known = {command: {option for names, *_ in program.options(command) for option in names.split(",")}
                 for command in make_documents.COMMANDS}
        settings = {item["path"] for item in program.listing("settings")}
        settings |= {path.split(".", 1)[1] for path in settings if "." in path}
        unknown, tried = [], 0
        for path in DOCUMENTS:
            text = path.read_text()
            lines = [line for block in fences(text) for line in block.replace("\\\n", "").splitlines()]
            for line in lines + re.findall(r"`([^`\n]+)`", text):
                if not (said := re.match(r"(?:satscope|app/run|build/release/app/satscope) +([^#]*)", line)) or "[" in line:
                    continue
                words = said[1].split()
                command = words[0] if words and words[0] in known else "live"
                tried += 1
                unknown += [f"{name(path)}: {line}: {word}" for word in words
                            if word.startswith("-") and word.split("=")[0] not in known[command] and word != "-"]
                for key, _ in re.findall(r"--set ([\w.]+)=(\S*)", line):
                    if key not in settings:
                        unknown.append(f"{name(path)}: {line}: {key}")
        self.assertEqual(unknown, [])
        self.assertGreater(tried, 30)

    def test_columns_and_members_of_files_are_described(self):
        with tempfile.TemporaryDirectory() as folder:
            log, export = (pathlib.Path(folder) / file for file in ("log.csv", "export.json"))
            subprocess.run([PROGRAM, "synthetic:64x64", "--device", "host", "--offscreen", "--frames", "3", "--no-config",
                            "--log", log, "--export", export], check=True)
            columns = next(line for line in log.read_text().splitlines() if not line.startswith("#")).split(",")
            figures = json.loads(export.read_text())
        names = set(columns) | set(figures) | set(figures["timing"]) | set(figures["kernels"][0]) - {"name"}
        self.assertGreater(len(names), 40)
        text = (ROOT / "app/output/README.md").read_text()
        self.assertEqual([one for one in sorted(names) if f"`{one}`" not in text], [])

    def test_the_man_page_has_no_faults(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-B", ROOT / "assets/make_documents.py", "--manual", folder, "--version", "1.2.3"],
                           check=True)
            page = pathlib.Path(folder) / "satscope.1"
            self.assertIn('"satscope 1.2.3"', page.read_text().splitlines()[0])
            if not shutil.which("groff"):
                self.skipTest("groff is not installed")
            made = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-k", page], capture_output=True, text=True)
            self.assertEqual(made.stderr, "")
            text = re.sub(".\x08", "", made.stdout)
            for title in ("NAME", "DESCRIPTION", "KEYS", "EXIT CODES", "LOG"):
                self.assertRegex(text, rf"(?m)^{title}$")
            self.assertRegex(text, r"(?m)^SYNOPSIS\n +satscope \[live\]")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
