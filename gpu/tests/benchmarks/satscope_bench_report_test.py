#!/usr/bin/python3
"""What satscope_bench_report.py makes of JSON, and of what satscope-bench writes. Usage: satscope_bench_report_test.py
[SATSCOPE_BENCH]"""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "gpu/benchmarks/satscope_bench_report.py"
sys.dont_write_bytecode = True
sys.path.insert(0, str(PROGRAM.parent))
import satscope_bench_report as bench  # noqa: E402

BENCH = None
PATIENCE = 300
BOUNDS = "the fastest of copy, convert_copy and convert_words"
MEBI = 1024 * 1024


def cell(row, median, size=(1024, 1024), kind="32f32f", **more):
    return {"row": row, "arguments": "", "type": kind, "width": size[0], "height": size[1], "bound": False,
            "median_us": median, "min_us": median, "p90_us": median, "samples": 1, "runs_per_sample": 20, "graph": True,
            "live_us": None, "gb_s": 1.0, "overhead_percent": (median / 10 - 1) * 100} | more


def tables(cells, **more):
    """Of 32f32f on a GPU, unless it is said otherwise."""
    rows = dict.fromkeys(one["row"] for one in cells)
    return {"device": "cuda", "machine": "GPU", "buffers": "cold", "layout": "pitched", "batch": 1, "header": ["a GPU"],
            "rows": list(rows), "sizes": [[1024, 1024], [1000, 1000]], "decisive_bounds": {"32f32f": BOUNDS},
            "cells": cells} | more


def run():
    """A copy takes 10 us; 2r1w requests twice as many bytes as its time lets it move."""
    return tables([cell("copy", 10.0, bound=True),
                   cell("2r1w", 60.0, over_own_traffic=2.0, read_bytes=16 * MEBI, written_bytes=8 * MEBI, launches=3,
                        requested_gb_s=419.43),
                   cell("1r1w_skss_lb W=64", 12.0), cell("cub", 80.0)])


def cost(**more):
    return {"picture": "mix", "picture_file": "/p/mix.pgm", "cascade": "c", "cascade_file": "/c.xml", "failure": "",
            "width": 32, "height": 24, "levels": 1, "windows": 9, "found": 4, "detections": 3, "median_us": 1000.0,
            "least_us": 900.0, "parts": {}} | more


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        (self.folder / name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return str(self.folder / name)

    def call(self, *words, given=None, program=PROGRAM):
        return subprocess.run([program, *words], input=given, capture_output=True, encoding="utf-8", timeout=PATIENCE)

    def report(self, *words, given=None):
        done = self.call(*words, given=given if given is None or isinstance(given, str) else json.dumps(given))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, says, *words, given=None):
        done = self.call(*words, given=json.dumps(given))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual((done.stderr.count("\n"), done.stdout), (1, ""))


class TablesTest(ReportTest):
    def test_numbers_have_three_digits(self):
        for value, text in ((0, "0.00"), (9.99, "9.99"), (10, "10.0"), (99.9, "99.9"), (100, "100"), (-100, "-100"),
                            (-10, "-10.0"), (1234.5, "1234")):
            self.assertEqual(bench.number(value), text)
        self.assertEqual([bench.rounded(value) for value in (0.5, -0.5, 1.49, -1.5, 0)], [1, -1, 1, -2, 0])

    def test_published_overheads_are_of_square_float_tables_only(self):
        for row, kind, size, percent in (
                ("1r1w_skss_lb", "32f32f", (4096, 4096), 8.9), ("2r2w", "32f32f", (256, 256), 1659.8),
                ("1r1w", "32f32f", (32768, 32768), 42.9), ("1r1w_skss_lb", "8u32u", (4096, 4096), None),
                ("1r1w_skss_lb", "32f32f", (1920, 1080), None), ("cub", "32f32f", (4096, 4096), None),
                ("1r1w_skss_lb", "32f32f", (4096, 1080), None)):
            self.assertEqual(bench.published_overhead(row, kind, size), percent)

    def test_text_and_markdown_have_every_table(self):
        text, markdown = self.report(given=run()), self.report("--markdown", given=run())
        for one in text, markdown:
            for part in (f"32f32f: median time in us (overhead over {BOUNDS})", "32f32f: GB/s of the bytes that must move",
                         "32f32f: GB/s of the bytes that threads request", "32f32f: time over own traffic",
                         "500% / 196%",  # Table III: 196.4%
                         "20.0% / 26.1%",  # of a row with its parameters in the name
                         bench.PUBLISHED_SOURCE, "60.0 (500%)"):
                self.assertIn(part, one)
            self.assertNotIn("(0%)", one, "of the bound itself")
            self.assertNotIn("without a graph", one, "no run was timed so")
            self.assertNotIn("parameters", one)
        self.assertTrue(text.startswith(
            f"a GPU\n\n32f32f: median time in us (overhead over {BOUNDS})\n"
            "us                       1024²  1000²\ncopy                      10.0       \n"), text)
        self.assertTrue(markdown.startswith(f"a GPU  \n\n**32f32f: median time in us (overhead over {BOUNDS})**\n\n"
                                            "| us | 1024² | 1000² |\n|---|--:|--:|\n| `copy` | 10.0 |  |\n"), markdown)

    def test_a_line_of_csv_has_as_many_fields_as_the_first(self):
        given = run()
        given["cells"].append(cell("cub", 0, (1000, 1000), failure='a "b"'))
        del given["cells"][-1]["median_us"]
        lines = self.report("--csv", given=given).splitlines()
        self.assertEqual(len(lines), 6)
        self.assertEqual({line.count(",") for line in lines}, {lines[0].count(",")})
        self.assertEqual(lines[2], "2r1w,,32f32f,1024,1024,60.000,60.000,60.000,,1,20,1.000,500.000,16777216,8388608,3,2.000,"
                         "196.400,")
        self.assertTrue(lines[5].endswith(',"a \\"b\\""'), lines[5])

    def test_what_failed_is_named(self):
        given = run()
        given["cells"].insert(1, {key: value for key, value in cell("2r1w", 0, failure="sum is 3", arguments="W=32").items()
                                  if not key.endswith("_us")})
        text = self.report(given=given)
        self.assertIn("\nFAILED: 2r1w (W=32), 32f32f, 1024²: sum is 3\n", text)
        self.assertRegex(text, r"\n2r1w +FAILED")
        self.assertNotIn("FAILED: ", self.report("--markdown", given=given))

    # A column of parameters is that of the types of which some were chosen.
    def test_parameters_are_those_of_their_type(self):
        given = run()
        given["cells"].append(given["cells"][1] | {"type": "8u32u", "arguments": "W=64"})
        given["decisive_bounds"]["8u32u"] = BOUNDS
        text = self.report(given=given)
        self.assertNotIn("32f32f: the fastest parameters", text)
        self.assertIn("8u32u: the fastest parameters", text)

    # A peer is no row of its own table.
    def test_a_row_is_compared_with_other_rows(self):
        text = self.report("--over", "2r1w", "--markdown", given=run())
        self.assertIn("**speed-up over 2r1w, 1024²**\n\n| faster than 2r1w | 32f32f |\n|---|--:|\n| `copy` | 6.00x |\n"
                      "| `1r1w_skss_lb W=64` | 5.00x |\n| `cub` | 0.75x |\n", text)
        self.assertNotIn("speed-up over 2r1w, 1000²", text)
        self.assertNotIn("speed-up", self.report(given=run()))

    def test_peers_are_other_programs_and_runs(self):
        times = self.file("t.csv", "# a comment\n\ncv::integral,32f32f,1024,1024,600\n")
        ours = self.file("ours.json", run())
        host = self.file("host.json", tables([cell("memset", 5.0, bound=True), cell("host_serial", 120.0)]))
        words = ours, host, "--over", "cv::integral,host_serial", "--peer-times", times
        text = self.report(*words)
        self.assertRegex(text, r"speed-up over cv::integral, 1024²\n.*\n(.*\n)*2r1w +10.0x\n")
        self.assertRegex(text, r"speed-up over host_serial, 1024²\n.*\n(.*\n)*2r1w +2.00x\n")
        self.assertNotIn("memset", text)
        rows = [line.split(",")[0] for line in self.report(*words, "--csv").splitlines()[5:]]
        self.assertEqual(rows, ["host_serial", "cv::integral"])

    def test_traffic_has_a_table_of_its_own(self):
        given = tables([{key: one[key] for key in ("row", "arguments", "type", "width", "height", "bound", "read_bytes",
                                                  "written_bytes", "launches")} for one in run()["cells"][1:2]])
        self.assertEqual(self.report("--markdown", given=given),
                         "a GPU  \n\n| 32f32f | 1024² | 1000² |\n|---|--:|--:|\n| `2r1w` | 16.0 + 8.00, 3 |  |\n")


def lines_of(svg):
    """The points of each line, in the order of the text."""
    return [[tuple(map(float, point.split(","))) for point in points.split()] for points in re.findall(' points="(.*?)"', svg)]


def lab(colour):
    """CIELAB, 1976: a distance of 2 can just be told apart beside each other."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
              for c in (int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5))]
    x, y, z = (sum(a * b for a, b in zip(row, linear)) / white for row, white in (
        ((0.4124, 0.3576, 0.1805), 0.9505), ((0.2126, 0.7152, 0.0722), 1), ((0.0193, 0.1192, 0.9505), 1.089)))
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


class ChartTest(ReportTest):
    def test_every_algorithm_has_its_own_colour(self):
        names = [path.stem[4:] for path in (ROOT / "gpu/sat").glob("sat_*.c*")]
        self.assertGreater(len(names), 20)
        svg = self.report("--svg", given=tables([cell("copy", 10.0, bound=True), *(cell(name, 20.0) for name in names)]))
        colours = re.findall('<polyline fill="none" stroke="(#.{6})"', svg)
        self.assertEqual(len(colours), len(names))
        for i, one in enumerate(colours):
            for other in colours[:i]:
                self.assertGreater(math.dist(lab(one), lab(other)), 20, (one, other))

    # Sides and overheads by their logarithms, what is below 1% at 1%, whatever the order of the sizes; a panel for each type,
    # below the one before; and the slowest at the largest size first in the legend.
    def test_it_shows_every_overhead_at_its_place(self):
        sizes = [(1024, 1024), (256, 256), (4096, 4096)]
        falling = 11, 20, 10.05  # 10%, 100% and less than 1%
        svg = self.report("--svg", given=tables(
            [cell(row, float(median), size, kind, bound=median == 10) for kind in ("32f32f", "8u32u")
             for size, fall in zip(sizes, falling) for row, median in (("copy", 10), ("falls", fall), ("a<b&c", 100))],
            sizes=sizes, decisive_bounds={"32f32f": BOUNDS, "8u32u": BOUNDS}))
        ElementTree.fromstring(svg)
        lines = lines_of(svg)
        self.assertEqual(len(lines), 4, "two lines in each panel, none of a bound")
        for slow, falls in (lines[:2], lines[2:]):
            self.assertEqual((len(slow), len(falls)), (3, 3))
            for line in slow, falls:
                self.assertLess(line[0][0], line[1][0])
                self.assertAlmostEqual(line[1][0] - line[0][0], line[2][0] - line[1][0], delta=0.2)
            self.assertAlmostEqual(falls[1][1] - falls[0][1], falls[2][1] - falls[1][1], delta=0.2)
            self.assertGreater(falls[1][1], falls[0][1])
            self.assertLess(slow[0][1], falls[0][1])
            self.assertEqual(slow[0][1], slow[2][1])
        height = float(re.search('height="(.*?)"', svg)[1])
        self.assertAlmostEqual(lines[3][0][1] - lines[1][0][1], height / 2, delta=0.2)
        self.assertLess(svg.index(">a&lt;b&amp;c</text>"), svg.index(">falls</text>"))
        self.assertIn("<title>falls, 256²: 20.0 us, 100%</title>", svg)


class FramesTest(ReportTest):
    def test_each_frame_has_a_table(self):
        part = {"width": 64, "height": 48, "algorithm": "a", "part": "luma", "graph_us": 2.0, "live_us": 3.0, "bytes": 8000,
                "right": True, "failure": ""}
        wrong = part | {"algorithm": "b", "right": False, "failure": "at 1, 2"}
        given = [part, part | {"part": "frame"}, wrong]
        text, markdown = self.report(given=given), self.report("--markdown", given=given)
        self.assertIn("\n64x48, a\nus     graph  live  GB/s\nluma    2.00  3.00  4.00\nframe   2.00  3.00  4.00\n", text)
        self.assertIn("\n64x48, b: WRONG TABLE, at 1, 2\n", text)
        self.assertIn("\n**64x48, a**\n\n| us | graph | live | GB/s |\n|---|--:|--:|--:|\n| `luma` | 2.00 | 3.00 | 4.00 |\n",
                      markdown)


PEER = "mix,32,24,c,3,1,2,250000,480000,4.6.0,Atom, 2 threads\n"
HOW = "satscope-bench-host --detect --csv F --scenes FOLDER writes them"


class DetectionsTest(ReportTest):
    def test_they_are_printed_beside_opencvs(self):
        given = [cost(), cost(picture="dark"), cost(picture="wide", width=48, height=16)]
        text = self.report(given=given)
        self.assertIn(HOW, text)
        self.assertNotIn("OpenCV, CPU", text)
        self.assertIn("| `mix` | 32x24 | c | 9 | 4 | 3 | 1.00 | 0.90 |", self.report("--markdown", given=given))
        self.assertNotIn(HOW, self.report("--markdown", given=given), "it is published")
        # Of one picture; of another size; of a picture in which something else was found.
        times = self.file("t.csv", "# named fields\n\n" + PEER + PEER.replace("mix", "wide") + PEER.replace(
            "mix", "dark").replace(",3,", ",4,").replace("4.6.0", "4.10.0"))
        text = self.report("--peer-times", times, given=given)
        self.assertEqual([text.count(part) for part in ("OpenCV, CPU", " 250000 (250000x)", "of another picture", HOW)],
                         [2, 1, 1, 0])
        self.assertIn("; OpenCV 4.6.0 on Atom, 2 threads; OpenCV 4.10.0 on Atom, 2 threads\n", text)
        self.assertIn("| OpenCV, CPU |", self.report("--peer-times", times, "--markdown", given=given))

    def test_a_wrong_result_is_no_other_picture(self):
        times = self.file("t.csv", PEER)
        for failure, others in (("", 1), ("other windows than on the host", 0)):
            text = self.report("--peer-times", times, given=[cost(detections=2, failure=failure)])
            self.assertEqual(text.count("of another picture"), others)
            self.assertEqual(text.count("2 WRONG: other windows"), 1 - others)

    def test_parts_have_a_column_each(self):
        text = self.report(given=[cost(parts={"quads": 15.0}), cost(picture="dark", parts={"tiles": 558.0, "quads": 1.0})])
        self.assertIn("\nus          cascade  quads  tiles\nmix 32x24         c   15.0       \n"
                      "dark 32x24        c   1.00    558\n", text)

    # A stand-in for satscope-bench-host, which has these times of the first picture.
    def test_opencv_is_measured_by_the_program_beside_this_one(self):
        picture = self.file("a, b.pgm", "P5 pixels")
        given = [cost(picture="a, b", picture_file=picture)]
        for place in "bin/satscope-bench-host", "app/satscope-bench-host":
            (self.folder / place).parent.mkdir(exist_ok=True)
            link = self.folder / "bin/satscope-bench-report"
            if not link.exists():
                link.symlink_to(PROGRAM)
            for last, code, says in ((f"echo '{PEER.strip().replace('mix', '0')}' >\"$3\"", 0, " 250000 (250000x)"),
                                     ("echo why >&2; exit 1", 1, "why\nsatscope-bench-report: "),
                                     ("echo 9,32 >\"$3\"", 1, " is not scene,")):
                script = self.file(place, f"#!/bin/sh\necho \"$@\" >'{self.folder}/words'\ncmp \"$7\" '{picture}' || exit 1\n"
                                   f"echo its table\n{last}\n")
                os.chmod(script, 0o700)
                done = self.call("--opencv", given=json.dumps(given), program=link)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(says, done.stdout + done.stderr)
                self.assertNotIn("its table", done.stdout)
                self.assertIn("--cascade /c.xml --pictures /", (self.folder / "words").read_text())
            os.remove(script)

    def test_opencv_needs_files_and_its_program(self):
        self.refused("OpenCV can be measured on files only" if shutil.which("satscope-bench-host") else
                     "there is no satscope-bench-host", "--opencv", given=[cost(picture_file="")])


class RefusedTest(ReportTest):
    def test_each_is_one_line(self):
        detections, frames = [cost(picture="wide")], [{"part": "luma"}]
        bad = self.file("bad.csv", "cv::integral,8u32u,64,64,1000\ncv::integral,8u32u,sixty,64,1000\n")
        for given, says, *words in (
                (run(), "no peer 'nobody': it is neither a row of these results nor named in --peer-times", "--over",
                 "nobody"),
                (run(), "cannot read absent.csv", "--peer-times", "absent.csv"),
                (run(), f"cannot read {self.folder}", "--peer-times", str(self.folder)),
                (run(), "bad.csv, line 2 has 'sixty' instead of a whole number from 1", "--peer-times", bad),
                (run(), "t.csv, line 1 has an unknown type: '8u'", "--peer-times", self.file("t.csv", "a,8u,1,1,1\n")),
                (run(), "is not name,type,width,height,microseconds", "--peer-times", self.file("f.csv", "a,8u32u,1,1\n")),
                *((detections, f"has no times of these pictures and cascades: {HOW}", "--peer-times", self.file(name, text))
                  for name, text in (("e.csv", "# none\n"), ("o.csv", PEER + PEER.replace("mix,32,24,c", "wide,32,24,d")))),
                (detections, "line 1 is not scene,width,height,cascade,", "--peer-times", bad),
                (detections, "line 2 has 'sixteen' instead of a whole number from 1", "--peer-times",
                 self.file("w.csv", PEER + "wide,48,sixteen,c,0,1,2,3,4,4.6.0,Atom\n")),
                (detections, "line 1 has '0' instead of a number above 0", "--peer-times",
                 self.file("z.csv", "wide,48,16,c,0,1,2,0,4,4.6.0,Atom\n")),
                (frames, "only tables of algorithms give CSV", "--csv"), (frames, "only tables of algorithms", "--svg"),
                (detections, "only tables of algorithms", "--over", "cub"),
                ({"machine": "GPU", "operations": []}, "there is nothing to report"), ([], "there is nothing to report"),
                ({"cells": []}, "it lacks 'decisive_bounds'"), (None, "is not what satscope-bench --json writes: ", bad),
                (None, "cannot read absent.json: No such file or directory", "absent.json")):
            with self.subTest(says):
                self.refused(says, *words, given=given)


class BenchTest(ReportTest):
    """What satscope-bench writes, on the host."""

    def setUp(self):
        super().setUp()
        if not BENCH:
            self.skipTest("satscope-bench is not built")

    def measured(self, *words):
        done = subprocess.run([BENCH, "--samples", "2", "--json", "-", *words], capture_output=True, encoding="utf-8",
                              timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_every_type_in_every_form(self):
        types = "8u32u,8u32f,32u32u,32f32f,64f64f,8u64u,16u32u,32f64f_squares"
        given = self.measured("--device", "host", "--types", types, "--sizes", "64,100x37")
        types = types.split(",")
        rows, stages = 7, len(types) * 2  # three bounds and four algorithms; types and sizes
        csv, markdown, svg = (self.report(form, given=given) for form in ("--csv", "--markdown", "--svg"))
        for kind in types:
            for size in ",64,64,", ",100,37,":
                self.assertEqual(csv.count("," + kind + size), rows)
        self.assertEqual(csv.count("\n"), 1 + stages * rows)
        self.assertEqual(markdown.count("overhead over memset"), len(types))
        self.assertEqual(markdown.count("| `host_parallel` |"), 3 * len(types))  # times, GB/s, fastest parameters
        self.assertEqual(svg.count("<polyline"), len(types) * 4)  # types and algorithms
        self.assertIn("every result verified before and after it was timed", markdown)
        # The tables of both programs are the same.
        file = self.file("t.json", given)
        done = subprocess.run([BENCH, "--device", "host", "--types", "8u32u", "--sizes", "64", "--samples", "2", "--json",
                               file], capture_output=True, encoding="utf-8", timeout=PATIENCE)
        theirs, ours = (re.sub("[-0-9.%() ]", "", text) for text in (done.stdout, self.report(file)))
        self.assertGreater(theirs.count("\n"), rows)
        self.assertTrue(ours.startswith(theirs), ours)

    def test_traffic(self):
        given = self.measured("--traffic", "--types", "8u32u", "--sizes", "1920x1080")
        self.assertIn("| `2r2w` | 5.00 + 8.00, 2 |", self.report("--markdown", given=given))

    def test_frames(self):
        given = self.measured("--frame", "--device", "host", "--sizes", "64x48")
        self.assertEqual(self.report("--markdown", given=given).count("| `frame` |"), 2)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        BENCH = sys.argv.pop(1)
    unittest.main()
