#!/usr/bin/python3
"""Compares the machine code of kernels in two builds: whether an option that a template parameter switches off costs
anything when it is off.

  compare_kernels.py BEFORE AFTER [--without NAME]

BEFORE and AFTER: object files that nvcc wrote, or folders of them (build/release/gpu/CMakeFiles/satscope_kernels.dir/sat of
two checkouts). Kernels are matched by their names; the template argument NAME (NoTrace) and the parameter of that type are
left out of them. Prints registers, shared memory and bytes of code of each file's kernels, and lists those that differ. Ends
with 1 if a kernel of BEFORE is missing or uses other registers, or if no kernel was compared."""
import argparse
import re
import struct
import subprocess
import sys
from pathlib import Path

FATBIN, ELF_ENTRY = b"\x50\xed\x55\xba", 2
# In .nv.info: an attribute with a value of so many bytes; the registers of a kernel, which a symbol names.
WITH_SIZE, REGISTERS = 4, 0x2F


def cubins(data):
    """The device's ELF files in an object file. (Compressed ones are an error: build with --no-compress.)"""
    at = data.find(FATBIN)
    while at >= 0:
        header, size = struct.unpack_from("<6xHQ", data, at)
        entry, end = at + header, at + header + size
        while entry < end:
            kind, header, size = struct.unpack_from("<H2xIQ", data, entry)
            if kind == ELF_ENTRY:
                cubin = data[entry + header:entry + header + size]
                if not cubin.startswith(b"\x7fELF"):
                    sys.exit("compressed machine code: build with nvcc --no-compress")
                yield cubin
            entry += header + size
        at = data.find(FATBIN, end)


def registers_of(cubin, by_name):
    """Mangled name -> registers per thread."""
    info, symbols, strings = (by_name[name] for name in (".nv.info", ".symtab", ".strtab"))
    at, end, found = info[4], info[4] + info[5], {}
    while at < end:
        form, attribute, size = struct.unpack_from("<BBH", cubin, at)
        at += 4
        if form == WITH_SIZE and attribute == REGISTERS:
            symbol, count = struct.unpack_from("<II", cubin, at)
            start = strings[4] + struct.unpack_from("<I", cubin, symbols[4] + 24 * symbol)[0]
            found[cubin[start:cubin.index(b"\0", start)].decode()] = count
        at += size if form == WITH_SIZE else 0
    return found


def kernels(data):
    """Mangled name -> (registers, bytes of static shared memory, code)."""
    found = {}
    for cubin in cubins(data):
        table, = struct.unpack_from("<Q", cubin, 0x28)
        size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
        sections = [struct.unpack_from("<IIQQQQIIQQ", cubin, table + i * size) for i in range(count)]
        strings = sections[names][4]
        by_name = {}
        for section in sections:
            start = strings + section[0]
            by_name[cubin[start:cubin.index(b"\0", start)].decode()] = section
        registers = registers_of(cubin, by_name)
        for name, section in by_name.items():
            if not name.startswith(".text."):
                continue
            shared = by_name.get(".nv.shared." + name[6:])
            code = cubin[section[4]:section[4] + section[5]]
            found[name[6:]] = registers[name[6:]], shared[5] if shared else 0, code
    return found


def demangled(names):
    lines = subprocess.run(["c++filt"], input="\n".join(names), stdout=subprocess.PIPE, text=True, check=True).stdout
    return dict(zip(names, lines.splitlines()))


def read(path, without):
    objects = sorted(path.glob("*.o")) if path.is_dir() else [path]
    result = {}
    for file in objects:
        found = kernels(file.read_bytes())
        words = demangled(list(found))
        for mangled, facts in found.items():
            name = re.sub(r"^void ", "", words[mangled]).replace("(anonymous namespace)::", "")
            if without:
                name = re.sub(rf"(, )?[\w:]*\b{without}\b", "", name)
            result[file.name, name] = facts
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--without", default="NoTrace")
    words = parser.parse_args()
    before, after = read(words.before, words.without), read(words.after, words.without)
    wrong, same, files = 0, 0, {}
    for (file, name), (registers, shared, code) in before.items():
        if (file, name) not in after:
            if any(other == file for other, _ in after):
                print(f"{file}: missing: {name}")
                wrong += 1
            continue
        now = after[file, name]
        files.setdefault(file, []).append((registers, now[0], code == now[2]))
        if (registers, shared) != now[:2]:
            wrong += 1
            print(f"{file}: {registers} -> {now[0]} registers, {shared} -> {now[1]} bytes shared: {name}")
        elif code == now[2]:
            same += 1
        else:
            print(f"{file}: {registers} registers as before, {len(code)} -> {len(now[2])} bytes of other code: {name}")
    for file, rows in sorted(files.items()):
        print(f"{file}: {len(rows)} kernels, {min(r for r, _, _ in rows)} to {max(r for r, _, _ in rows)} registers before, "
              f"{min(n for _, n, _ in rows)} to {max(n for _, n, _ in rows)} after, {sum(s for _, _, s in rows)} equal byte for byte")
    compared = sum(len(rows) for rows in files.values())
    print(f"{compared} kernels compared, {same} equal byte for byte, {wrong} wrong")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
