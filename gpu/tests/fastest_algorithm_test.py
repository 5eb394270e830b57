#!/usr/bin/python3
"""The tables of gpu/choice/fastest_algorithm.cpp are those of assets/benchmark-*.md: of every size the fastest that is not NVIDIA's."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OTHERS = {"copy", "convert_copy", "convert_words", "cub", "cub_segmented", "npp"}


def measured(text, table):
    """The fastest algorithm by size, of a page's table of times."""
    lines = text[text.index(f"**{table}"):].split("\n\n")[1].splitlines()
    cells = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines]
    rows = [row for row in cells[2:] if row[0] not in OTHERS]
    sizes = [re.sub(r"^(\d+)²$", r"\1x\1", size) for size in cells[0][1:]]
    return {size: min((float(row[i].split()[0]), row[0]) for row in rows if row[i])[1] for i, size in enumerate(sizes, 1)}


class Fastest(unittest.TestCase):
    def test_it_is_what_was_measured(self):
        source = (ROOT / "gpu/choice/fastest_algorithm.cpp").read_text()
        for gpu in "h200", "h100":
            text = (ROOT / f"assets/benchmark-{gpu}.md").read_text()
            for kind in "32f32f", "8u32u":
                body = re.search(rf"{gpu}_{kind}\[\] = {{(.*?)}};", source, re.S)[1]
                rows = re.findall(r'{{(\d+), (\d+)}, "(\w+)", "(\w+)"}', body)
                for column, table in enumerate((f"{kind}: median time in us (overhead over",
                                                f"{kind}: median time in us of one run that is launched on an idle GPU")):
                    found = {f"{row[0]}x{row[1]}": row[2 + column] for row in rows}
                    self.assertEqual(found, measured(text, table), f"{gpu}, {table}")


if __name__ == "__main__":
    unittest.main()
