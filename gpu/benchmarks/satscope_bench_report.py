#!/usr/bin/python3
"""The reports of satscope-bench, from the JSON that it writes with --json F: text for a terminal, Markdown, CSV, a chart."""
import argparse
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

# Overheads over a copy, in percent, of the paper's own implementations of 32f32f on its GPU. Of the papers behind the
# algorithms only Emoto et al. state any. Bugetti (2024) gives times without that of a copy, Chen et al. (2018) and Ha et al.
# (2012) give diagrams of speed-ups, Nakano (2013) no measurements.
PUBLISHED_SOURCE = "Emoto et al. 2018, Table III: NVIDIA TITAN V, best W, over cudaMemcpy"
PUBLISHED_SIDES = (256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
PUBLISHED = {
    "2r2w": (1659.8, 2619.9, 1948.5, 1465.9, 984.4, 813.7, 561.2, 492.5),
    "2r2w_optimal": (337.5, 264.8, 183.0, 110.9, 101.7, 100.6, 103.8, 104.1),
    "2r1w": (214.5, 211.1, 196.4, 118.6, 83.1, 65.0, 57.5, 55.1),
    "1r1w": (487.9, 963.5, 1075.8, 523.3, 265.4, 117.9, 68.8, 42.9),
    "1_plus_r_r1w": (784.8, 803.9, 390.3, 191.5, 118.1, 72.6, 57.5, 40.1),
    "1r1w_skss": (482.0, 479.8, 267.3, 92.2, 34.6, 23.0, 13.3, 10.2),
    "1r1w_skss_lb": (146.1, 121.5, 26.1, 16.7, 8.9, 5.7, 6.2, 7.5),
}
CSV_FIELDS = ("row", "arguments", "type", "width", "height", "median_us", "min_us", "p90_us", "live_us", "samples",
              "runs_per_sample", "gb_s", "overhead_percent", "read_bytes", "written_bytes", "launches", "over_own_traffic",
              "published_overhead_percent", "failure")


class ReportError(Exception):
    """A file that cannot be used, or a report that it does not give. One line."""


def number(value):
    """3 significant digits: "12.3", "0.65", "1242"."""
    return f"{value:.{0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2}f}"


def size_text(size):
    """"1920x1080"; squares: "4096²"."""
    return f"{size[0]}²" if size[0] == size[1] else f"{size[0]}x{size[1]}"


def size_of(item):
    return item["width"], item["height"]


def published_overhead(row, kind, size):
    """In percent; None if the paper has none. The row's name may have parameters."""
    sides = PUBLISHED.get(row.split(" ")[0])
    known = sides and kind == "32f32f" and size[0] == size[1] and size[0] in PUBLISHED_SIDES
    return sides[PUBLISHED_SIDES.index(size[0])] if known else None


# ---- Tables as text. A grid's first line holds the columns' names, its first column the rows'.

def aligned(grid):
    widths = [max(map(len, column)) for column in zip(*grid)]
    return "".join("  ".join([line[0].ljust(widths[0])] + [text.rjust(width) for text, width in zip(line[1:], widths[1:])])
                   + "\n" for line in grid)


def piped(grid):
    rows = [f"| `{line[0]}` |" + "".join(f" {text} |" for text in line[1:]) for line in grid[1:]]
    return "\n".join(["|" + "".join(f" {text} |" for text in grid[0]), "|---|" + "--:|" * (len(grid[0]) - 1), *rows]) + "\n"


def as_text(header, sections):
    """A section is its title, a grid and a note; title and note may be empty."""
    return "".join(f"{line}\n" for line in header) + "".join(
        "\n" + (title and title + "\n") + aligned(grid) + (note and note + "\n") for title, grid, note in sections)


def as_markdown(header, sections):
    return "".join(f"{line}  \n" for line in header) + "".join(
        "\n" + (title and f"**{title}**\n\n") + piped(grid) + (note and f"\n{note}\n") for title, grid, note in sections)


# ---- Files with times of other programs, which satscope-bench-host --csv F writes.

def peer_lines(file, form, parse):
    """What `parse` makes of the fields of each line, as many as `form` names; the last one may contain commas."""
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ReportError(f"cannot read {file}") from error
    found = []
    for count, line in enumerate(lines, 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split(",", form.count(","))
        try:
            if len(fields) <= form.count(","):
                raise ValueError(f"is not {form}")
            found.append(parse(*fields))
        except ValueError as error:
            raise ReportError(f"{file}, line {count} {error}") from error
    return found


def whole(field, least=1):
    if not re.fullmatch("[0-9]+", field) or int(field) < least:
        raise ValueError(f"has '{field}' instead of a whole number from {least}")
    return int(field)


def real(field):
    try:
        value = float(field)
    except ValueError:
        value = 0
    if not 0 < value < math.inf:
        raise ValueError(f"has '{field}' instead of a number above 0")
    return value


def read_peer_times(file):
    """As cells of tables."""
    def parse(row, kind, width, height, time):
        if not re.fullmatch(r"\d+[uf]\d+[uf](_\w+)?", kind):
            raise ValueError(f"has an unknown type: '{kind}'")
        cell = {"row": row, "type": kind, "width": whole(width), "height": whole(height), "bound": False, "samples": 1}
        return cell | dict.fromkeys(("median_us", "min_us", "p90_us"), real(time))
    return peer_lines(file, "name,type,width,height,microseconds", parse)


def read_peer_detections(file):
    """Detection by OpenCV, scale factor 1.1, 3 neighbours; "opencv" is the elapsed time in milliseconds."""
    def parse(scene, width, height, cascade, detections, ours, ours_cpu, opencv, opencv_cpu, version, processor):
        for time in ours, ours_cpu, opencv, opencv_cpu:
            real(time)
        return {"picture": scene, "width": whole(width), "height": whole(height), "cascade": cascade,
                "detections": whole(detections, 0), "opencv": real(opencv), "origin": f"OpenCV {version} on {processor}"}
    return peer_lines(file, "scene,width,height,cascade,detections,our ms,our CPU ms,OpenCV's ms,OpenCV's CPU ms,"
                      "OpenCV's version,CPU", parse)


# ---- Tables of all algorithms: satscope-bench, also with --traffic.

class Tables:
    """`peers` are cells of other runs and programs, over which speed-ups are computed."""

    def __init__(self, run, peers=()):
        self.run = run
        self.types = list(run["decisive_bounds"])
        self.sizes = [tuple(size) for size in run["sizes"]]
        self.cells = run["cells"]
        for cell in self.cells:
            if "median_us" in cell and (theirs := published_overhead(cell["row"], cell["type"], size_of(cell))) is not None:
                cell["published_overhead_percent"] = theirs
        self.peers = list(peers)
        self.found = {}
        for cell in [*self.cells, *self.peers]:
            self.found.setdefault((cell["type"], size_of(cell), cell["row"]), cell)

    def grid(self, kind, corner, show):
        """Rows without a single entry are left out."""
        lines = []
        for row in self.run["rows"]:
            cells = [self.found.get((kind, size, row)) for size in self.sizes]
            line = [show(cell) if cell else "" for cell in cells]
            if any(line):
                lines.append([row, *line])
        return [[corner, *map(size_text, self.sizes)], *lines]

    def time(self, cell):
        if "failure" in cell:
            return "FAILED"
        if "median_us" not in cell:
            return ""
        over = cell.get("overhead_percent")
        is_bound = cell["bound"] and over == 0
        return number(cell["median_us"]) + ("" if over is None or is_bound else f" ({rounded(over)}%)")

    def sections(self, over=()):
        found = []
        for kind in self.types:
            found += [(title and f"{kind}: {title}", self.grid(kind, corner or kind, show), "")
                      for title, corner, show in self.views(kind)]
        return [section for section in found if len(section[1]) > 1] + self.speed_ups(over)

    def views(self, kind):
        """Titles, corners, and what is shown of a cell."""
        def of(name):
            return lambda cell: number(cell[name]) if cell.get(name) is not None else ""

        def theirs(cell):
            both = cell.get("overhead_percent"), cell.get("published_overhead_percent")
            return "" if None in both else f"{number(both[0])}% / {number(both[1])}%"

        if not any("median_us" in cell or "failure" in cell for cell in self.cells):
            return [("", "", stated_traffic)]
        views = [(f"median time in us (overhead over {self.run['decisive_bounds'][kind]})", "us", self.time),
                 ("median time in us of one run that is launched on an idle GPU, without a graph", "us", of("live_us")),
                 ("GB/s of the bytes that must move", "GB/s", of("gb_s")),
                 ("GB/s of the bytes that threads request", "GB/s", of("requested_gb_s")),
                 ("time over own traffic (that of a copy of the bytes that threads request)", "times", of("over_own_traffic")),
                 (f"overhead, ours / published ({PUBLISHED_SOURCE})", "ours / published", theirs)]
        # With --all-parameters the rows' names have them.
        if any(cell["type"] == kind and cell["arguments"] and " " not in cell["row"] for cell in self.cells):
            views.append(("the fastest parameters, used above", "parameters", lambda cell: cell.get("arguments", "")))
        return views

    def speed_ups(self, over):
        """As the papers 001 (over the sequential program) and 003 (over libraries) show their results: a table per peer and
        size at which the peer was measured."""
        known = {cell["row"] for cell in [*self.cells, *self.peers]}
        sections = []
        for peer in over:
            if peer not in known:
                raise ReportError(f"no peer '{peer}': it is neither a row of these results nor named in --peer-times")
            for size in self.sizes:
                def factor(kind, row):
                    times = [self.found.get((kind, size, name), {}).get("median_us") for name in (peer, row)]
                    return "" if None in times else number(times[0] / times[1]) + "x"
                lines = [[row, *(factor(kind, row) for kind in self.types)] for row in self.run["rows"] if row != peer]
                lines = [line for line in lines if any(line[1:])]
                if lines:
                    grid = [[f"faster than {peer}", *self.types], *lines]
                    sections.append((f"speed-up over {peer}, {size_text(size)}", grid, ""))
        return sections

    def failures(self):
        return "".join(f"\nFAILED: {cell['row']}{cell['arguments'] and ' (' + cell['arguments'] + ')'}, {cell['type']}, "
                       f"{size_text(size_of(cell))}: {cell['failure']}\n" for cell in self.cells if "failure" in cell)

    def csv(self):
        def field(cell, name):
            value = cell.get(name)
            if name == "failure" and value is not None:
                return json.dumps(value, ensure_ascii=False)
            return "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
        return ",".join(CSV_FIELDS) + "\n" + "".join(
            ",".join(field(cell, name) for name in CSV_FIELDS) + "\n" for cell in [*self.cells, *self.peers])


def rounded(value):
    """Halves away from zero."""
    return int(value + math.copysign(0.5, value))


def stated_traffic(cell):
    """"1.12 + 4.06, 2": bytes per pixel that threads read and write, and launches."""
    pixels = cell["width"] * cell["height"]
    return f"{number(cell['read_bytes'] / pixels)} + {number(cell['written_bytes'] / pixels)}, {cell['launches']}"


# ---- The chart: overhead over the bound against the table's size, a line per algorithm, a panel per type.

WIDTH, PANEL, LEFT, RIGHT, TOP, BOTTOM = 900, 460, 80, 210, 56, 56
# One per algorithm; rows of more parameters repeat them, with another dash.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#7f4fc9", "#444444", "#3f0df6", "#fd0663",
           "#21ad05", "#f903e8", "#6d0c03", "#6d7207", "#67034d", "#bf8a69", "#064812", "#6d9ea7", "#c62293",
           "#192d7a", "#0416ab", "#c45257", "#ee051a", "#6c491c", "#3f89fc", "#96b400", "#a5b478",
           "#f487f4", "#a7a9ed", "#af46fb", "#0b7f22")
DASHES = ("", "6 3", "2 3")
COLOURS_PER_DASH = 12


def pen(index):
    return COLOURS[index % len(COLOURS)], DASHES[index // COLOURS_PER_DASH % len(DASHES)]


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def label(x, y, anchor, text, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escaped(text)}</text>\n'


def rule(x1, y1, x2, y2, colour):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>\n'


class Panel:
    """Of one type. Both axes are logarithmic. Overheads below 1% are drawn at 1%."""

    def __init__(self, tables, kind, offset):
        self.tables, self.kind, self.offset = tables, kind, offset
        self.sizes = sorted(tables.sizes, key=lambda size: size[0] * size[1])
        self.cells = [cell for cell in tables.cells if cell["type"] == kind and cell.get("overhead_percent") is not None]
        self.most = max([1, *(math.ceil(math.log10(cell["overhead_percent"])) for cell in self.cells
                              if not cell["bound"] and cell["overhead_percent"] > 1)])
        bounds = {cell["row"] for cell in tables.cells if cell["bound"]}
        self.rows = [row for row in tables.run["rows"] if row not in bounds]

    def x(self, size):
        least, most, side = (math.log2(one[0] * one[1]) for one in (self.sizes[0], self.sizes[-1], size))
        return LEFT + ((side - least) / (most - least) if most > least else 0.5) * (WIDTH - LEFT - RIGHT)

    def y(self, percent):
        return self.offset + PANEL - BOTTOM - math.log10(max(percent, 1)) / self.most * (PANEL - TOP - BOTTOM)

    def axes(self):
        run, low = self.tables.run, self.offset + PANEL - BOTTOM
        title = f"{self.kind}, {run['machine']}, {run['buffers']}"
        title += f", batches of {run['batch']}" if run["batch"] > 1 else ""
        title += f", rows {run['layout']}" if run["layout"] != "pitched" else ""
        text = label(LEFT, self.offset + 24, "start", title, 'font-size="16"')
        text += label(LEFT, self.offset + 42, "start", f"overhead over {run['decisive_bounds'][self.kind]}, percent")
        for percent in (step * 10**decade for decade in range(self.most + 1) for step in (1, 2, 5)):
            if percent <= 10**self.most:
                y, colour = self.y(percent), "#bbb" if str(percent)[0] == "1" else "#eee"
                text += rule(LEFT, y, WIDTH - RIGHT, y, colour) + label(LEFT - 8, y + 4, "end", f"{percent}%")
        last = -math.inf
        for size in self.sizes:
            x = self.x(size)
            near = x - last < 60  # a label too close to its neighbour is one line lower
            text += rule(x, self.offset + TOP, x, low, "#eee")
            text += label(x, low + (32 if near else 18), "middle", size_text(size))
            last = last if near else x
        return text

    def curve(self, row, colour, dash):
        points = dots = ""
        for size in self.sizes:
            cell = self.tables.found.get((self.kind, size, row), {})
            percent = cell.get("overhead_percent")
            if percent is None:
                continue
            x, y = f"{self.x(size):.1f}", f"{self.y(percent):.1f}"
            points += f"{x},{y} "
            title = escaped(f"{row}, {size_text(size)}: {number(cell['median_us'])} us, {number(percent)}%")
            dots += f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"><title>{title}</title></circle>\n'
        line = f'<polyline fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}" points="{points}"/>\n'
        return line + dots if points else ""

    def legend(self):
        """Rows in the order of their lines at the largest size that each has, the slowest on top."""
        largest = {}
        for cell in self.cells:
            pixels = cell["width"] * cell["height"]
            if cell["row"] in self.rows and pixels >= largest.get(cell["row"], (0,))[0]:
                largest[cell["row"]] = pixels, cell["overhead_percent"]
        return sorted(largest, key=lambda row: (-largest[row][1], row))

    def draw(self):
        text, x, y = self.axes(), WIDTH - RIGHT, self.offset + TOP + 12
        for row in self.legend():
            colour, dash = pen(self.rows.index(row))
            text += self.curve(row, colour, dash)
            text += (f'<line x1="{x + 16:.1f}" y1="{y - 4:.1f}" x2="{x + 40:.1f}" y2="{y - 4:.1f}" stroke-width="2" '
                     f'stroke="{colour}" stroke-dasharray="{dash}"/>\n' + label(x + 46, y, "start", row))
            y += 18
        return text


def svg_text(tables):
    height = PANEL * len(tables.types)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.1f}" height="{height:.1f}" '
            f'viewBox="0 0 {WIDTH:.1f} {height:.1f}" font-family="sans-serif" font-size="12" fill="#222">\n'
            '<rect width="100%" height="100%" fill="#fff"/>\n'
            + "".join(Panel(tables, kind, PANEL * i).draw() for i, kind in enumerate(tables.types)) + "</svg>\n")


# ---- One frame of the program, part by part: satscope-bench --frame.

def frame_sections(parts):
    sections = {}
    for part in parts:
        title = f"{size_text(size_of(part))}, {part['algorithm']}" + (
            "" if part["right"] else f": WRONG TABLE, {part['failure']}")
        grid = sections.setdefault(title, [["us", "graph", "live", "GB/s"]])
        grid.append([part["part"], number(part["graph_us"]), number(part["live_us"]),
                     number(part["bytes"] / part["graph_us"] / 1000)])
    return ["One frame without its upload, and what frames with other effects have besides: medians; graph: many runs in one; "
            "live: launched on an idle device; GB/s: of the bytes that must move"], [(*item, "") for item in sections.items()]


# ---- Detection by cascades: satscope-bench --detect.

HOW_TO_GET_PEERS = ("satscope-bench-host --detect --csv F --scenes FOLDER writes them for --peer-times F, and the pictures "
                    "for satscope-bench --detect --pictures FOLDER")


def measure_opencv(costs):
    """OpenCV's times of the same files, by satscope-bench-host of the same build or installation, or of the PATH."""
    here = Path(__file__).parent  # not of the file that a build's link leads to
    program = shutil.which("satscope-bench-host", path=f"{here}:{here}/../app:{os.environ.get('PATH', '')}")
    if not program:
        raise ReportError("there is no satscope-bench-host beside this program or in PATH; " + HOW_TO_GET_PEERS)
    pictures = sorted({cost["picture_file"] for cost in costs if cost["picture_file"]})
    if not pictures:
        raise ReportError("OpenCV can be measured on files only: satscope-bench --detect --pictures F")
    with tempfile.TemporaryDirectory() as folder:
        words = [program, "--detect", "--csv", f"{folder}/times"]
        for cascade in sorted({cost["cascade_file"] for cost in costs}):
            words += ["--cascade", cascade]
        for i, picture in enumerate(pictures):  # whatever their names contain, and whether two are equal
            os.symlink(picture, f"{folder}/{i}.pgm")
            words += ["--pictures", f"{folder}/{i}.pgm"]
        if subprocess.run(words, stdout=subprocess.DEVNULL, check=False).returncode:
            raise ReportError(f"{program} has failed")
        peers = read_peer_detections(f"{folder}/times")
        return [peer | {"picture_file": pictures[int(peer["picture"])]} for peer in peers]


def find_peer(peers, cost):
    for peer in peers:
        key = "picture_file" if "picture_file" in peer else "picture"
        if peer[key] == cost[key] and size_of(peer) == size_of(cost) and peer["cascade"] == cost["cascade"]:
            return peer
    return None


def opencv_text(cost, peer):
    """A picture of the same name in which OpenCV found something else is another one, unless what was found here is wrong."""
    if not peer:
        return ""
    if not cost["failure"] and peer["detections"] != cost["detections"]:
        return "of another picture"
    return f"{number(peer['opencv'])} ({number(peer['opencv'] * 1000 / cost['median_us'])}x)"


def detection_sections(costs, peers, hint):
    """`hint`: says how to get OpenCV's times where there are none."""
    beside = [find_peer(peers, cost) for cost in costs]
    grid = [["picture", "size", "cascade", "windows", "found", "detections", "ms", "least"] + ["OpenCV, CPU"] * any(beside)]
    for cost, peer in zip(costs, beside):
        wrong = f" WRONG: {cost['failure']}" if cost["failure"] else ""
        grid.append([cost["picture"], size_text(size_of(cost)), cost["cascade"], str(cost["windows"]), str(cost["found"]),
                     f"{cost['detections']}{wrong}", number(cost["median_us"] / 1000), number(cost["least_us"] / 1000)]
                    + [opencv_text(cost, peer)] * any(beside))
    note = f"OpenCV's times beside these: --opencv measures them; {HOW_TO_GET_PEERS}" if hint else ""
    if any(beside):
        origins = "; ".join(dict.fromkeys(peer["origin"] for peer in beside if peer))
        note = f"OpenCV, CPU: ms, and how many times as long as here; {origins}"
    sections = [("", grid, note)]
    names = list(dict.fromkeys(name for cost in costs for name in cost["parts"]))
    if names:  # a column for each part that any of them has
        sections.append(("", [["us", "cascade", *names]] + [
            [f"{cost['picture']} {size_text(size_of(cost))}", cost["cascade"],
             *(number(cost["parts"][name]) if name in cost["parts"] else "" for name in names)] for cost in costs], ""))
    return ["Detection, scale factor 1.1, 3 neighbours: from gray pixels in the device's memory to detections on the host, "
            "medians"], sections


def detection_peers(options, costs):
    if options.opencv:
        return measure_opencv(costs)
    if not options.peer_times:
        return []
    peers = read_peer_detections(options.peer_times)
    if not any(find_peer(peers, cost) for cost in costs):
        raise ReportError(f"{options.peer_times} has no times of these pictures and cascades: {HOW_TO_GET_PEERS}")
    return peers


# ---- The command line.

def read_run(file):
    try:
        return json.loads(sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise ReportError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise ReportError(f"{'the standard input' if file == '-' else file} is not what satscope-bench --json writes: "
                          f"{error}") from error


def report(options, runs):
    """Text of the first run; the tables of others are its peers."""
    run = runs[0]
    are_tables = all(isinstance(one, dict) and "cells" in one for one in runs)
    if not are_tables and (options.form in ("csv", "svg") or options.over or len(runs) > 1):
        raise ReportError("only tables of algorithms give CSV, charts and speed-ups: what satscope-bench --json writes "
                          "without --frame, --detect and --latencies")
    render = as_markdown if options.form == "markdown" else as_text
    if are_tables:
        peers = [cell for other in runs[1:] for cell in other["cells"] if not cell["bound"]]
        tables = Tables(run, peers + (read_peer_times(options.peer_times) if options.peer_times else []))
        if options.form in ("csv", "svg"):
            return tables.csv() if options.form == "csv" else svg_text(tables)
        return render(run["header"], tables.sections(options.over)) + (tables.failures() if render is as_text else "")
    first = run[0] if isinstance(run, list) and run else {}
    if "part" in first:
        return render(*frame_sections(run))
    if "detections" in first:
        return render(*detection_sections(run, detection_peers(options, run), render is as_text))
    raise ReportError("it has neither tables of algorithms, nor frames, nor detections: there is nothing to report")


def parse(words):
    parser = argparse.ArgumentParser(prog="satscope-bench-report", description=__doc__)
    parser.add_argument("files", nargs="*", default=["-"], metavar="F",
                        help="what satscope-bench --json F has written; none: the standard input. Of tables also more: their "
                        "algorithms are peers of those of the first, such as host_serial of a run with --device host")
    form = parser.add_mutually_exclusive_group()
    for name, what in (("text", "tables for a terminal (the default)"), ("markdown", "the same as Markdown"),
                       ("csv", "a line per row, type and size"),
                       ("svg", "a chart: overhead over the bound against the size, a line per algorithm, a panel per type")):
        form.add_argument(f"--{name}", action="store_const", dest="form", const=name, default="text", help=what)
    parser.add_argument("--over", default=[], metavar="P,Q,...", type=lambda text: list(filter(None, text.split(","))),
                        help="tables of speed-ups over these peers, types side by side: rows of the tables, or names of "
                        "--peer-times")
    parser.add_argument("--peer-times", metavar="T", help="times of other programs, from satscope-bench-host --csv T "
                        "(cv::integral); of detections OpenCV's, from satscope-bench-host --detect --csv T")
    parser.add_argument("--opencv", action="store_true",
                        help="of detections: has satscope-bench-host measure OpenCV on the same pictures and cascades now")
    return parser.parse_args(words)


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # for readers that end early
    sys.stdout.reconfigure(encoding="utf-8")
    options = parse(sys.argv[1:])
    try:
        sys.stdout.write(report(options, [read_run(file) for file in options.files]))
    except ReportError as error:
        sys.exit(f"satscope-bench-report: {error}")
    except KeyError as error:
        sys.exit(f"satscope-bench-report: this is not what this version of satscope-bench writes: it lacks {error}")


if __name__ == "__main__":
    main()
