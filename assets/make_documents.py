#!/usr/bin/python3
"""Writes what the documents take from the program, between lines <!-- NAME: ... --> and <!-- end -->, and makes the manual.

assets/make_documents.py SATSCOPE           writes the tables that the program prints anew (build/release/app/satscope)
assets/make_documents.py --check SATSCOPE   writes nothing, and ends with 1 if a table is not what the program prints
assets/make_documents.py --manual FOLDER --version V
                                            manual.txt, which `satscope help` prints, and satscope.1, the man page; the
                                            build calls this, so it needs nothing but the Markdown files
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
MANUAL = [ROOT / "app/README.md", ROOT / "app/output/README.md"]
COMMANDS = ("live", "sat", "apply", "detect", "list", "info", "simulate", "judge", "new", "tune", "help")
WIDTH = 80  # of manual.txt
BOLD = "\x01"


# What the program prints, as Markdown.

class Program:
    def __init__(self, path):
        self.path = path

    def says(self, *words):
        # Without a GPU: the traffic of one_wave is then that of a GPU with 132 multiprocessors, on every machine.
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        return subprocess.run([self.path, *words], env=environment, check=True, capture_output=True, text=True).stdout

    def listing(self, what):
        return json.loads(self.says("list", what, "--json"))

    def options(self, command):
        """(name, type, required, help) of each, from --help."""
        found = []
        for line in self.says(command, "--help").splitlines():
            if match := re.match(r"  (?! )(-?\S.*?)(?:  +(.*))?$", line):
                if re.match(r"\w+ .*  ", line[2:]) and line[2].islower():
                    break  # the list of commands
                name, _, kind = match[1].partition(" ")
                required = kind.endswith("REQUIRED")
                kind = kind.removesuffix("REQUIRED").strip().removesuffix("...").strip()
                found.append([name, "" if kind == "TEXT" else kind, required, match[2] or ""])
            elif found and line.startswith(" " * 20):
                found[-1][3] = (found[-1][3] + " " + line.strip()).strip()
            elif found and line and not line.startswith(" ") and not line.lower().startswith("options"):
                break
        return found


def code(text):
    return "`" + text.replace("|", "\\|") + "`" if text else ""


def table(head, rows, align=None):
    lines = [head, align or ["---"] * len(head)] + rows
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def synopsis(program):
    lines = []
    for command in COMMANDS:
        words = ["satscope", "[live]" if command == "live" else command]
        for name, kind, required, text in program.options(command):
            if name in ("-h,--help", "--version"):
                continue
            if command == "list" and name == "WHAT":
                name = "|".join(re.split(", | or ", text))
            many = name == "ALGORITHM" or (command, name) in (("detect", "SOURCE"), ("judge", "FILE"))
            word = name + ("..." if many else "") + (" " + kind if kind else "")
            words.append(word if required else f"[{word}]" + ("..." if name == "--set" else ""))
        line = words[0]
        for word in words[1:]:
            if len(line.rsplit("\n", 1)[-1] + word) > 71:
                line += "\n        "
            line += " " + word
        lines.append(line)
    return "```\n" + "\n".join(lines) + "\n```"


def options(program):
    parts = []
    for command in COMMANDS:
        listed = [option for option in program.options(command) if command == "live" or option[0] not in
                  ("-h,--help", "--version")]
        rows = [[", ".join(code((one + " " + kind).strip()) for one in name.split(",")), text]
                for name, kind, _, text in listed]
        parts.append(f"### satscope {command}\n\n" + table(["option", "meaning"], rows))
    return "\n\n".join(parts)


def keys(program):
    rows = []
    for action in sorted(program.listing("commands"), key=lambda action: not action["keys"]):
        endings = " or ".join(code(ending) for ending in action.get("endings", []))
        line = action["name"] + (" " + action["takes"] if "takes" in action else "")
        more = f" (`to FILE`, which ends in {endings})" if endings else ""
        rows.append([", ".join(map(code, action["keys"])), code(line), action["help"] + more])
    return table(["key", "command", "what it does"], rows)


def settings(program):
    rows = []
    for item in program.listing("settings"):
        accepted = item["accepted"]
        if accepted.count(", ") > 15 and "2r1w" in accepted:
            accepted = "the name of an algorithm"
        kept = {"saved": "", "run": "not saved", "start": "read at the start"}[item["kept"]]
        rows.append([code(item["path"]), code(item.get("default", "")), accepted.replace("|", "\\|"),
                     code(item.get("flag", "")), kept, item["help"].replace("|", "\\|")])
    return table(["setting", "default", "values", "option", "kept", "meaning"], rows)


def exit_codes(program):
    text = program.says("--help")
    rows = re.findall(r"^  (\d+) +(.*)$", text[text.index("Exit codes:"):], re.MULTILINE)
    return table(["exit code", "meaning"], [list(row) for row in rows], ["--:", "---"])


def three_digits(value):
    return f"{value:.3g}" if value == 0 else f"{value:.{max(0, 2 - len(str(int(value))) + 1)}f}"


def algorithms(program):
    items = program.listing("algorithms")
    families = re.findall(r"^([A-Z][^:\n]*): (.*)\n\n", program.says("list", "algorithms"), re.MULTILINE)
    rows = []
    for family, description in families:
        rows.append([f"**{family}**", "", description, "", "", ""])
        members = [item for item in items if item.get("family") == family]
        for item in sorted(members, key=lambda item: item["year"]):
            traffic = item.get("traffic")
            cost = (f"{three_digits(traffic['read_bytes_per_pixel'])} + {three_digits(traffic['written_bytes_per_pixel'])}, "
                    f"{traffic['launches']}") if traffic else ""
            reads, writes = item["reads"], item["writes"]
            known = reads != "?" and item["device"] != "host"
            rows.append([code(item["name"]), str(item["year"]), item["idea"], item["paper"],
                         f"{reads} / {'the same' if reads == writes and len(reads) > 3 else writes}" if known else "", cost])
    return table(["name", "year", "idea", "paper", "reads / writes per pixel", "bytes per pixel read + written, launches"], rows)


def effects(program):
    papers = lambda item: "; ".join(f"{paper['title']}, doi:{paper['doi']}" for paper in item["papers"])
    rows = [[code(item["name"]), item["idea"], papers(item), f"![{item['name']}](../../assets/effect_{item['name']}.jpg)"]
            for item in program.listing("effects")]
    return table(["effect", "what it draws", "papers", "`satscope apply assets/astronaut.png`"], rows)


# Where each table stands.
TABLES = {"app/README.md": (synopsis, options, keys, settings, exit_codes),
          "gpu/sat/README.md": (algorithms,),
          "gpu/effects/README.md": (effects,)}


def fill(text, name, made):
    pattern = re.compile(rf"(<!-- {name}: [^\n]* -->\n).*?(<!-- end -->)", re.DOTALL)
    if not pattern.search(text):
        sys.exit(f"no lines <!-- {name}: ... --> and <!-- end -->")
    return pattern.sub(lambda match: match[1] + "\n" + made + "\n\n" + match[2], text)


def measured(path):
    """The first table of satscope-bench in such a document, of bytes: {name, title, device, how, source, sizes, bound, us}."""
    lines = path.read_text().splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("**8u32u: median time in us (overhead"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in lines[head + 2:lines.index("", head + 2)]]
    sizes = [[int(side) for side in re.match(r"(\d+)(?:x(\d+)|²)", cell).group(1, 2) if side] for cell in rows[0][1:]]
    times = {row[0].strip("`"): [float(cell.split()[0]) if cell else None for cell in row[1:]] for row in rows[2:]}
    bounds = [times.pop(name) for name in ("copy", "convert_copy", "convert_words")]
    device = next(line for line in lines if line.startswith("NVIDIA ")).strip()
    title = re.match(r"NVIDIA ([^\s,]+)", device)[1]
    return {"name": title.lower(), "title": title, "device": device,
            "how": "; ".join(line.strip() for line in lines[:head] if line.startswith(("cold:", "every result", "Note:"))),
            "source": path.relative_to(ROOT).as_posix(), "sizes": [size * (3 - len(size)) for size in sizes],
            "bound": [min(column) for column in zip(*bounds)], "us": times}


def measured_times():
    """What the program shows beside a study: app/control/measured_times.json, a line per member and per algorithm."""
    def lines(value, indent):
        if not isinstance(value, dict):
            return json.dumps(value, ensure_ascii=False)
        members = [f"{indent} {json.dumps(name)}: {lines(member, indent + ' ')}" for name, member in value.items()]
        return "{\n" + ",\n".join(members) + "\n" + indent + "}"
    cards = [lines(measured(path), "  ") for path in sorted((ROOT / "assets").glob("benchmark-*.md"))]
    return '{"cards": [\n  ' + ",\n  ".join(cards) + "\n]}\n"


def write_tables(program, check):
    old = []
    shipped = ROOT / "app/control/measured_times.json"
    if not shipped.exists() or shipped.read_text() != measured_times():
        old.append("app/control/measured_times.json")
        if not check:
            shipped.write_text(measured_times())
    for file, makers in TABLES.items():
        before = after = (ROOT / file).read_text()
        for maker in makers:
            after = fill(after, maker.__name__.replace("_", "-"), maker(program))
        if after != before:
            old.append(file)
            if not check:
                (ROOT / file).write_text(after)
    for file in old:
        print(f"{file}: " + ("its tables are not what the program prints: run assets/make_documents.py SATSCOPE" if check
                             else "written"))
    return 1 if check and old else 0


# The manual: Markdown as it is used in these documents, as text and as a man page.

def blocks(markdown):
    """(kind, value): heading (level, text), code [line], table [[cell]], item text, paragraph text."""
    lines = re.sub(r"<!--.*?-->", "", markdown, flags=re.DOTALL).splitlines()
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        at += 1
        if not line or line.startswith("!["):
            continue
        if line.startswith("```"):
            end = next(i for i in range(at, len(lines)) if lines[i].strip() == "```")
            yield "code", textwrap.dedent("\n".join(lines[at:end])).splitlines()
            at = end + 1
        elif heading := re.match(r"(#+) (.*)", line):
            yield "heading", (len(heading[1]), heading[2])
        elif line.startswith("|"):
            rows = [line]
            while at < len(lines) and lines[at].strip().startswith("|"):
                rows.append(lines[at].strip())
                at += 1
            split = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.strip("|"))]
                     for row in (row[1:-1] for row in rows)]
            yield "table", [split[0]] + split[2:]
        else:
            item = re.match(r"(- |\d+\. )(.*)", line)
            words = [item[2] if item else line]
            while at < len(lines) and lines[at].strip() and not re.match(r"\s*(- |\d+\. |\||```|#|!\[)", lines[at]):
                words.append(lines[at].strip())
                at += 1
            yield ("item", (item[1], " ".join(words))) if item else ("paragraph", " ".join(words))


def inline(text):
    """Without pictures and links inside the documents, other links with their address; and ** as a control character."""
    text = re.sub(r"!\[[^]]*\]\([^)]*\)", "", text)
    text = re.sub(r"(`[^`]*`)|\*\*", lambda match: match[1] or BOLD, text)
    return re.sub(r"\[([^]]*)\]\(([^)]*)\)", lambda link: f"{link[1]} ({link[2]})" if "://" in link[2] else link[1], text)


def topic_of(title):
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def wrapped(text, indent=0, first=None):
    return textwrap.fill(text.replace(BOLD, ""), WIDTH, initial_indent=" " * indent if first is None else first,
                         subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


def described(head, row):
    """The middle cells of a row of a table that is too wide, each with its title."""
    return "; ".join(f"{title}: {cell}" for title, cell in zip(head[1:-1], row[1:-1]) if cell)


def text_table(rows):
    rows = [[inline(cell).replace("`", "").replace(BOLD, "") for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    left = sum(widths) + 2 * len(widths)
    if left <= WIDTH - 36:
        return "\n".join(wrapped(row[-1], left, "".join(cell.ljust(width) + "  " for cell, width in zip(row, widths)))
                         .rstrip() for row in rows)
    lines = []
    for row in rows[1:]:
        lines.append(wrapped(row[0] or "(no " + rows[0][0] + ")"))
        lines += [wrapped(text, 4) for text in (described(rows[0], row), row[-1]) if text]
    return "\n".join(lines)


def as_text(sections):
    """Each section after a line "# topic", a tab, and its first sentence."""
    out = []
    for title, parts in sections:
        first = next(value for kind, value in parts if kind == "paragraph")
        sentence = inline(re.match(r".*?[.:](?= |$)", first)[0]).replace("`", "").rstrip(".:")
        out.append(f"# {topic_of(title)}\t{sentence}\n{title.upper()}")
        for kind, value in parts:
            if kind == "heading":
                out.append(value[1].replace("`", ""))
            elif kind == "code":
                out.append("\n".join("    " + line for line in value))
            elif kind == "table":
                out.append(text_table(value))
            elif kind == "item":
                out.append(wrapped(inline(value[1]), 2 if value[0] == "- " else 3, value[0]))
            else:
                out.append(wrapped(inline(value)))
    return "\n\n".join(out) + "\n"


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(rf"`([^`]*)`|{BOLD}([^{BOLD}]*){BOLD}", lambda match: f"\\fB{match[1] or match[2]}\\fR", text)
    return re.sub(r"^([.'])", r"\\&\1", text)


def as_man(name, intro, sections, version):
    out = [f'.TH SATSCOPE 1 "" "satscope {version}" "User Commands"', ".nh", ".SH NAME", roff(name), ".SH SYNOPSIS"]
    synopsis_lines = next(value for _, parts in sections for kind, value in parts
                          if kind == "code" and value[0].startswith("satscope [live]"))
    out += [".nf"] + [roff(line) for line in synopsis_lines] + [".fi", ".SH DESCRIPTION"]
    out.append("\n.PP\n".join(roff(inline(value)) for kind, value in intro if kind == "paragraph"))
    for title, parts in sections:
        out.append(f".SH {roff(title.upper())}")
        for kind, value in parts:
            if kind == "heading":
                out.append(f".SS {roff(value[1].replace('`', ''))}")
            elif kind == "code":
                if value != synopsis_lines:
                    out += [".PP", ".nf", ".RS 4"] + [roff(line) for line in value] + [".RE", ".fi"]
            elif kind == "table":
                for row in value[1:]:
                    row = [roff(inline(cell)) for cell in row]
                    middle = described(value[0], row)
                    out += [".TP", row[0] or row[1]] + ([middle + ".", ".br"] if middle else []) + [row[-1] or "\\&"]
            elif kind == "item":
                out += [f".IP {chr(92) + '(bu' if value[0] == '- ' else value[0].strip()} 4", roff(inline(value[1]))]
            else:
                out += [".PP", roff(inline(value))]
    return "\n".join(out) + "\n"


def write_manual(folder, version):
    intro, sections = [], []
    for number, file in enumerate(MANUAL):
        parts = None if number else intro
        for kind, value in blocks(file.read_text()):
            if kind == "heading" and value[0] == 2:
                parts = []
                sections.append((value[1], parts))
            elif kind != "heading" or value[0] > 2:
                if parts is not None:
                    parts.append((kind, value))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manual.txt").write_text(as_text(sections))
    (folder / "satscope.1").write_text(as_man("satscope - live summed area tables, and the cost of every kernel", intro,
                                              sections, version))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", metavar="SATSCOPE")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--manual", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--version", default="")
    arguments = parser.parse_args()
    if arguments.manual:
        return write_manual(arguments.manual, arguments.version)
    if not arguments.program:
        parser.error("name the program: build/release/app/satscope")
    return write_tables(Program(arguments.program), arguments.check)


if __name__ == "__main__":
    sys.exit(main())
