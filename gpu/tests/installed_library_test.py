#!/usr/bin/python3
"""The installed library: its files, the names that it exports, and programs that are built against it outside the tree; and the
same library as a subproject. Usage: installed_library_test.py BUILD_FOLDER [with_cuda]"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSION = re.search(r"project\(satscope VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
BUILD, WITH_CUDA = None, False  # set below
API = re.compile(r"((typeinfo( name)?|vtable) for )?satscope::(?!\w+::State|\w+::state)")


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}")
    return done.stdout


def defined_names(*options):
    """Demangled, of `nm`."""
    lines = run("nm", "--demangle", "--defined-only", *options).splitlines()
    return [found[1] for line in lines if (found := re.match(r"[0-9a-f]+ [A-Zuvw] (.*)", line))]


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", BUILD, "--component", "development", "--prefix", cls.prefix)
        cls.library = next(cls.prefix.rglob("libsatscope.so"))
        cls.environment = {**os.environ, "PKG_CONFIG_PATH": str(cls.library.parent / "pkgconfig")}
        picture = cls.folder / "picture.pgm"
        picture.write_bytes(b"P5\n3 2\n255\n" + bytes([1, 2, 3, 4, 5, 6]))
        cls.picture = picture

    def test_without_it_other_folders_are_installed(self):
        self.assertNotIn("return()", (Path(BUILD) / "gpu/cmake_install.cmake").read_text())

    def test_it_is_refused_before_it_is_built(self):
        rules = (Path(BUILD) / "gpu/installed/cmake_install.cmake").read_text()
        script = self.folder / "cmake_install.cmake"
        script.write_text(rules.replace("/libsatscope.a\"", "/nowhere/libsatscope.a\""))
        install = ["cmake", f"-DCMAKE_INSTALL_PREFIX={self.folder}/nothing", "-P", script]
        self.assertNotIn("Installing", run(*install))
        with self.assertRaisesRegex(AssertionError, r"build the\s+targets satscope_shared and\s+satscope_archive"):
            run(*install[:1], "-DCMAKE_INSTALL_COMPONENT=development", *install[1:])
        self.assertFalse((self.folder / "nothing").exists())

    def test_its_files(self):
        files = sorted(path.name for path in self.prefix.rglob("*") if not path.is_dir())
        self.assertEqual(files, sorted(["LICENSE", "libsatscope.a", "libsatscope.so", "libsatscope.so." + VERSION.rsplit(".", 1)[0],
                                        "libsatscope.so." + VERSION, "satscope-config-version.cmake", "satscope-config.cmake",
                                        "satscope.h", "satscope.pc"]))

    def test_it_names_no_folder_of_this_machine(self):
        for path in self.prefix.rglob("*"):
            if path.is_file():
                self.assertNotIn(str(ROOT).encode() + b"/", path.read_bytes(), path)

    def test_only_the_interface_is_exported(self):
        for names in (defined_names("--dynamic", self.library), defined_names("--extern-only", self.library.with_suffix(".a"))):
            self.assertIn("satscope::Plan::~Plan()", names)
            self.assertEqual([name for name in names if not API.match(name) and name != "SATSCOPE"], [])

    def test_what_it_needs(self):
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", self.library))
        usual = re.compile(r"(lib(c|m|stdc\+\+|gcc_s|pthread|dl|rt)|ld-linux.*)\.so")
        self.assertEqual([name for name in needed if not usual.match(name)], [])

    def expect_table(self, program, environment=None):
        table = self.folder / "table.npy"
        table.unlink(missing_ok=True)
        self.assertIn("the sum of all pixels is 21", run(program, self.picture, table, env=environment))
        content = table.read_bytes()
        self.assertEqual(content[:6], b"\x93NUMPY")
        self.assertIn(b"'shape': (3, 4)", content[:128])
        self.assertEqual(struct.unpack("<12I", content[-48:]), (0, 0, 0, 0, 0, 1, 3, 6, 0, 5, 12, 21))

    def test_examples_by_find_package(self):
        build = self.folder / "examples"
        run("cmake", "-S", ROOT / "gpu/examples", "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
        run("cmake", "--build", build)
        for program in "table_of_file", "table_of_file_static":
            self.expect_table(build / program)
        self.expect_refusals(build)
        for graph in build.glob("graph*"):  # there is a toolkit
            done = subprocess.run([graph], capture_output=True, text=True)
            self.assertRegex(done.stdout + done.stderr, r"^(100 tables by \w+ in a graph|no GPU: .*)\n$")
        for opengl in build.glob("opengl_box_filter"):
            done = subprocess.run([opengl, self.picture, self.folder / "blurred.ppm"], capture_output=True, text=True)
            # On a GPU of a machine without OpenGL the reason is EGL's or CUDA's.
            self.assertRegex(done.stdout + done.stderr, r"^(3x2 pixels drawn into a texture|no GPU: .*|.*(EGL|OpenGL).*)\n$")

    def expect_refusals(self, build):
        short, huge, nowhere = (self.folder / name for name in ("short.pgm", "huge.pgm", "nowhere/table.npy"))
        short.write_bytes(b"P5\n3 2\n255\nabc")
        huge.write_bytes(b"P5\n2000000000 2000000000\n255\nabc")
        for says, code, *command in (
            ("usage: table_of_file PICTURE.pgm TABLE.npy", 2, "table_of_file", self.picture),
            (f"{nowhere} cannot be read", 1, "table_of_file", nowhere, "t.npy"),
            (f"{self.picture.parent} is not a binary PGM file of 8 bits", 1, "table_of_file", self.picture.parent, "t.npy"),
            (f"{short} is truncated", 1, "table_of_file", short, "t.npy"),
            (f"not enough memory for {huge}", 1, "table_of_file", huge, "t.npy"),
            (f"{nowhere} cannot be written", 1, "table_of_file", self.picture, nowhere),
            ("usage: plan_cost [threads], from 1 to 1024", 2, "plan_cost", "-1"),
            ("usage: plan_cost [threads], from 1 to 1024", 2, "plan_cost", "2x"),
        ):
            done = subprocess.run([build / command[0], *command[1:]], capture_output=True, text=True, cwd=self.folder)
            self.assertEqual((done.stdout + done.stderr, done.returncode), (says + "\n", code), command)

    def test_pkg_config_and_the_oldest_standard(self):
        for options, static in (["--cflags", "--libs"], False), (["--static", "--cflags", "--libs"], True):
            flags = run("pkg-config", *options, "satscope", env=self.environment).split()
            if static:  # the linker takes a shared library first
                flags = [str(self.library.with_suffix(".a")) if flag == "-lsatscope" else flag for flag in flags]
            program = self.folder / "by_pkg_config"
            run("g++", "-std=c++14", "-pedantic", "-Wall", "-Wextra", "-Werror", ROOT / "gpu/examples/table_of_file.cpp",
                "-o", program, *flags)
            self.expect_table(program, {**os.environ, "LD_LIBRARY_PATH": str(self.library.parent)})

    def test_found_through_a_link(self):
        """As /lib is one to usr/lib."""
        root, project = self.folder / "root", self.folder / "linked"
        root.mkdir()
        project.mkdir()
        config = next(self.prefix.rglob("satscope-config.cmake")).parent.relative_to(self.prefix)
        (root / "usr").symlink_to(self.prefix)
        (root / config.parts[0]).symlink_to(Path("usr") / config.parts[0])
        (project / "main.cpp").write_text("#include <satscope.h>\nint main() { return satscope::filters().empty(); }\n")
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.18)\nproject(p CXX)\n"
                                                "find_package(satscope REQUIRED)\nadd_executable(p main.cpp)\n"
                                                "target_link_libraries(p satscope::satscope)\n")
        run("cmake", "-S", project, "-B", project / "build", "-G", "Ninja", f"-Dsatscope_DIR={root / config}")
        run("cmake", "--build", project / "build")
        run(project / "build/p")

    def test_another_version_is_refused(self):
        project = self.folder / "other"
        project.mkdir()
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.18)\nproject(p CXX)\n"
                                                "find_package(satscope 0.2 REQUIRED)\n")
        with self.assertRaisesRegex(AssertionError, "compatible with requested version"):
            run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")


class Subproject(unittest.TestCase):
    """Parents with and without satscope differ in nothing but its targets and its own variables."""
    PARENT = """cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES C CXX)
%s
add_executable(mine main.cpp)
%s
get_cmake_property(variables VARIABLES)
list(FILTER variables EXCLUDE REGEX "^CMAKE_(BINARY|SOURCE|PROJECT|CURRENT|MATCH)|^variables$")
get_property(options DIRECTORY PROPERTY COMPILE_OPTIONS)
file(WRITE variables.txt "${options}\n")
foreach(name IN LISTS variables)
  file(APPEND variables.txt "${name}=${${name}}\n")
endforeach()
"""

    def configured(self, folder, adds, links, *options):
        folder.mkdir()
        (folder / "main.cpp").write_text("#include <satscope.h>\nint main() {}\n")
        (folder / "CMakeLists.txt").write_text(self.PARENT % (adds, links))
        run("cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options)
        commands = json.loads((folder / "build/compile_commands.json").read_text())
        variables = (folder / "variables.txt").read_text().replace(str(folder), "")
        cache = {line for line in (folder / "build/CMakeCache.txt").read_text().replace(str(folder), "").splitlines()
                 if re.match(r"CMAKE_(?!PROJECT_VERSION)\w+:(?!INTERNAL)", line)}
        return commands, set(variables.splitlines()), cache

    def test_it_builds_itself_alone_and_sets_nothing(self):
        for cuda in ["off"] + ["on"] * WITH_CUDA:
            with self.subTest(cuda=cuda), tempfile.TemporaryDirectory() as folder:
                folder = Path(folder)
                adds, links = (f"add_subdirectory({ROOT} satscope)", "target_link_libraries(mine PRIVATE satscope::satscope)")
                commands, variables, cache = self.configured(folder / "with", adds, links, f"-DSATSCOPE_CUDA={cuda}")
                _, plain_variables, plain_cache = self.configured(folder / "without", "", "", f"-DSATSCOPE_CUDA={cuda}")
                self.assertEqual({line for line in cache - plain_cache if "_CUDA_" not in line}, set())
                self.assertEqual({line for line in variables - plain_variables
                                  if not re.match(r"(?i)satscope|(CMAKE_)?CUDA|CMAKE_HAVE_|FIND_PACKAGE_MESSAGE", line)}, set())
                mine = next(entry["command"] for entry in commands if entry["file"].endswith("main.cpp"))
                self.assertEqual(re.findall(r" (-[^oIc]\S*)", mine), [])
                files = [entry["file"].removeprefix(str(ROOT) + "/") for entry in commands]
                self.assertEqual([file for file in files if re.search(r"^app/|/(tests|benchmarks|observed)/", file)], [])
                targets = re.findall(r"^(\S+): (?:CXX|CUDA|C)_(?:EXECUTABLE|SHARED|STATIC|MODULE)\w*",
                                     run("ninja", "-C", folder / "with/build", "-t", "targets", "all"), re.M)
                names = sorted(Path(target).name for target in targets)
                self.assertEqual(names, ["libsatscope.so." + VERSION, "libsatscope_gpu.a", "libsatscope_kernels.a", "mine"])
                install = run("cmake", "--install", folder / "with/build", "--prefix", folder / "prefix")
                self.assertFalse((folder / "prefix").exists(), install)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    BUILD, WITH_CUDA = sys.argv[1], sys.argv[2:] == ["with_cuda"]
    unittest.main(argv=sys.argv[:1])
