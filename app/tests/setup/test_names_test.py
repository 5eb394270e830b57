#!/usr/bin/python3
"""How suites and tests are named, so that the tests of a source file are found by its name: the suites of foo_bar_test.cpp are
FooBarTest and FooBar...Test, their tests are in PascalCase too."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("app/tests", "gpu/tests", "gpu/simulated/tests")
TEST = re.compile(r"^(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_SUITE|TEST_SUITE_P)\(\s*(\w+),\s*(\w+)", re.MULTILINE)
PASCAL = re.compile(r"(DISABLED_)?[A-Z][A-Za-z0-9]*")


def pascal(path):
    """FooBar of foo_bar_test.cpp"""
    return "".join(word[:1].upper() + word[1:] for word in path.stem.removesuffix("_test").split("_"))


def named_wrongly(path, text, stems):
    """`stems`: those of all files of tests."""
    stem = pascal(path)
    for macro, suite, name in TEST.findall(text):
        plain = suite.removeprefix("DISABLED_")
        if not re.fullmatch(stem + r"([A-Z0-9][A-Za-z0-9]*)?Test", plain):
            yield f"{path.name}: suite {suite} is not named {stem}Test or {stem}...Test"
        for other in stems:
            if len(other) > len(stem) and plain.startswith(other):
                yield f"{path.name}: suite {suite} is named like those of another file, {other}"
        if macro != "TYPED_TEST_SUITE" and not PASCAL.fullmatch(name):
            yield f"{path.name}: {suite}.{name} is not in PascalCase"


class Names(unittest.TestCase):
    def test_every_suite_and_test(self):
        paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*_test.c[pu]*"))]
        self.assertGreater(len(paths), 100)
        found = []
        for top in "app", "gpu":  # programs of their own
            own = [path for path in paths if path.relative_to(ROOT).parts[0] == top]
            stems = {pascal(path) for path in own}
            found += [wrong for path in own for wrong in named_wrongly(path, path.read_text(), stems)]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_what_is_wrong(self):
        path, stems = Path("foo_bar_test.cpp"), {"FooBar", "FooBarList"}
        for text in ("TEST(FooBarTest, Works) {}", "TEST_F(FooBarDeathTest, Ends8u32f) {}", "TEST_F(FooBar2Test, Is) {}",
                     "TYPED_TEST_SUITE(FooBarTest, types);", "TEST(DISABLED_FooBarTest, DISABLED_Is) {}"):
            self.assertEqual(list(named_wrongly(path, text, stems)), [], text)
        for text in ("TEST(FooTest, Works) {}", "TEST(FooBar, Works) {}", "TEST(foo_bar, Works) {}", "TEST(FooBarsTest, Is) {}",
                     "TEST(FooBarListTest, Works) {}", "TEST_P(FooBarTest, it_works) {}", "TYPED_TEST(FooBarTest, works) {}"):
            self.assertEqual(len(list(named_wrongly(path, text, stems))), 1, text)


if __name__ == "__main__":
    unittest.main()
