#!/usr/bin/python3
"""The table of gpu/fastest_algorithm.cpp is that of assets/benchmark-h100.md: of every size the fastest that is not NVIDIA's."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OTHERS = {"copy", "convert_copy", "convert_words", "cub", "npp"}


def measured(text, kind):
    """The fastest algorithm by size, of the first table of times of a kind."""
    lines = text[text.index(f"**{kind}: median time in us (overhead over"):].split("\n\n")[1].splitlines()
    cells = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines]
    rows = [row for row in cells[2:] if row[0] not in OTHERS]
    sizes = [re.sub(r"^(\d+)²$", r"\1x\1", size) for size in cells[0][1:]]
    return {size: min((float(row[i].split()[0]), row[0]) for row in rows if row[i])[1] for i, size in enumerate(sizes, 1)}


class Fastest(unittest.TestCase):
    def test_it_is_what_was_measured(self):
        source = (ROOT / "gpu/fastest_algorithm.cpp").read_text()
        text = (ROOT / "assets/benchmark-h100.md").read_text()
        for kind in "32f32f", "8u32u":
            body = re.search(rf"h100_{kind}\[\] = {{(.*?)}};", source, re.S)[1]
            found = {f"{w}x{h}": name for w, h, name in re.findall(r'{{(\d+), (\d+)}, "(\w+)"}', body)}
            self.assertEqual(found, measured(text, kind), kind)


if __name__ == "__main__":
    unittest.main()
