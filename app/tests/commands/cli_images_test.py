#!/usr/bin/python3
"""satscope sat and satscope apply: tables and pictures equal those of NumPy and OpenCV, whatever their size, and within their
budget of memory."""
import json
import os
import re
import resource
import struct
import subprocess
import zlib

import cv2
import numpy as np

from cli_case import ASSETS, Case, FAILED, OK, PATIENCE, PROGRAM, SOURCE, USAGE, main


class Images(Case):
    def picture(self, shape, dtype=np.uint8, name="in.png"):
        rng = np.random.default_rng(sum(shape))
        pixels = rng.integers(0, np.iinfo(dtype).max, size=shape, endpoint=True, dtype=dtype)
        self.assertTrue(cv2.imwrite(self.path(name), pixels))
        return pixels

    def table(self, *words):
        self.expect(OK, "sat", "in.png", "--device", "host", "-o", "t.npy", *words)
        return np.load(self.path("t.npy"), allow_pickle=False)

    def test_tables_are_numpys(self):
        types = {"8u32u": np.uint32, "8u32f": np.float32, "32u32u": np.uint32, "32f32f": np.float32, "64f64f": np.float64,
                 "8u64u": np.uint64, "16u32u": np.uint32, "16u64u": np.uint64, "8u64f": np.float64, "32f64f": np.float64,
                 "8u64u_plain": np.uint64, "16u64u_squares": np.uint64, "32f64f_squares": np.float64}
        for shape, of_types in ((37, 53), types), ((1, 1), ["8u32u"]), ((1, 400), ["8u64u"]), ((400, 1), ["64f64f"]):
            gray = self.picture(shape).astype(np.uint64)
            for type_name in of_types:
                terms = gray * gray if type_name == "8u64u" or "squares" in type_name else gray
                for algorithm in "host_serial", "host_parallel":
                    with self.subTest(shape=shape, algorithm=algorithm, type=type_name):
                        table = self.table("--type", type_name, "--algorithm", algorithm)
                        self.assertEqual(table.dtype, types[type_name])
                        np.testing.assert_array_equal(table, terms.cumsum(0).cumsum(1).astype(types[type_name]))

    def test_exclusive_is_opencvs_integral(self):
        gray = self.picture((37, 53))
        table = self.table("--exclusive")
        np.testing.assert_array_equal(table, cv2.integral(gray).astype(np.uint32))

    def test_colour_and_alpha_become_opencvs_gray(self):
        for channels in (3, 4):
            pixels = self.picture((20, 30, channels))
            gray = cv2.cvtColor(pixels[..., :3], cv2.COLOR_BGR2GRAY).astype(np.uint32)
            np.testing.assert_array_equal(self.table(), gray.cumsum(0).cumsum(1))

    def test_sixteen_bits_are_kept_and_need_a_type_that_has_room(self):
        pixels = self.picture((20, 30), np.uint16)
        exact = pixels.astype(np.uint64).cumsum(0).cumsum(1)
        np.testing.assert_array_equal(self.table("--type", "32u32u"), exact)
        np.testing.assert_array_equal(self.table("--type", "64f64f"), exact)
        for name in "16u32u", "16u64u":
            np.testing.assert_array_equal(self.table("--type", name), exact)
        squares = np.square(pixels.astype(np.uint64)).cumsum(0).cumsum(1)
        np.testing.assert_array_equal(self.table("--type", "16u64u_squares"), squares)
        for name in "8u32u", "8u64u", "8u64u_plain":
            self.refused(USAGE, "has 16-bit pixels: choose --type 16u32u", "sat", "in.png", "--device", "host", "-o",
                         "t.npy", "--type", name)

    def test_entries_that_are_not_the_sums_are_noted(self):
        cv2.imwrite(self.path("in.png"), np.full((300, 300), 65535, np.uint16))
        words = ["sat", "in.png", "--device", "host", "-o", "t.npy", "--type"]
        for name, entries in [("32u32u", "are modulo 2^32"), ("16u32u", "are modulo 2^32"), ("32f32f", "above 2^24 are rounded")]:
            self.assertEqual(self.expect(OK, *words, name).stderr,
                             f"satscope: sums reach 5898150000: entries {entries}; --type 16u64u holds them\n")
        self.assertEqual(self.expect(OK, *words, "16u64u").stderr, "")
        self.refused(USAGE, "has 16-bit pixels: choose --type 16u32u, or 16u64u, which holds their sum\n", *words, "8u32u")
        self.assertEqual(self.expect(OK, *words, "64f64f").stderr, "")
        self.picture((300, 200))
        self.assertEqual(self.expect(OK, *words, "8u32u").stderr, "")

    def frames_of(self, name):
        video, frames = cv2.VideoCapture(self.path(name), cv2.CAP_FFMPEG), 0
        while video.read()[0]:
            frames += 1
        return frames

    def test_what_only_the_decoder_of_videos_reads(self):
        gray = self.picture((20, 30))
        # Uncompressed, from the top; and a GIF of one black pixel, once and twice.
        self.write("a.tga", bytes([0, 0, 3] + 9 * [0] + [30, 0, 20, 0, 8, 0x20]) + gray.tobytes())
        head, picture = bytes.fromhex("47494638396101000100800000000000ffffff"), bytes.fromhex("2c000000000100010000020244010000")
        self.write("one.gif", head + picture[:-1] + b";")
        self.write("two.gif", head + 2 * picture[:-1] + b";")
        self.expect(OK, "sat", "a.tga", "--device", "host", "-o", "t.npy")
        np.testing.assert_array_equal(np.load(self.path("t.npy")), gray.astype(np.uint32).cumsum(0).cumsum(1))
        self.expect(OK, "apply", "a.tga", "--effect", "none", "--device", "host", "-o", "a.png")
        np.testing.assert_array_equal(cv2.imread(self.path("a.png"), cv2.IMREAD_GRAYSCALE), gray)
        self.expect(OK, "sat", "one.gif", "--device", "host", "-o", "t.npy")
        self.assertEqual(np.load(self.path("t.npy")).shape, (1, 1))
        # One that says that it has three, and from which one can be decoded, as from two.gif by FFmpeg 7.
        video = cv2.VideoWriter(self.path("three.avi"), cv2.VideoWriter_fourcc(*"MJPG"), 25, (64, 48))
        for level in 0, 90, 180:
            video.write(np.full((48, 64, 3), level, np.uint8))
        video.release()
        with open(self.path("three.avi"), "rb") as file:
            whole = file.read()
        self.write("cut.avi", whole[:whole.index(b"00dc", whole.index(b"00dc", whole.index(b"movi")) + 4)])
        self.assertEqual(self.frames_of("three.avi"), 3)
        self.assertEqual(self.frames_of("cut.avi"), 1)
        for name in "two.gif", "three.avi", "cut.avi", os.path.join(ASSETS, "clip.mp4"):
            self.refused(SOURCE, "has more than one picture; save the one that is meant as PNG or JPEG", "sat", name,
                         "--device", "host", "-o", "t.npy")

    def test_formats_that_are_not_read_are_named(self):
        box = lambda kind, content: struct.pack(">I", 8 + len(content)) + kind + content
        size = box(b"ispe", bytes(4) + struct.pack(">II", 64, 48))
        self.write("a.heic", box(b"ftyp", b"heic" + bytes(4) + b"mif1heic") +
                   box(b"meta", bytes(4) + box(b"iprp", box(b"ipco", size))) + box(b"mdat", bytes(100)))
        for words in (["sat", "a.heic", "-o", "t.npy"], ["apply", "a.heic", "--effect", "none", "-o", "o.png"],
                      ["detect", "a.heic"], ["--offscreen", "--no-config", "a.heic"]):
            self.refused(SOURCE, "a.heic' is a picture in HEIC, which is not read; convert it to PNG or JPEG, e.g. heif-convert "
                         "IN.heic OUT.png", *words, "--device", "host")

    def test_floating_point_images(self):
        pixels = (np.arange(600, dtype=np.float32).reshape(20, 30) % 7) / 8
        for name, dtype in [("f.tiff", np.float32), ("d.tiff", np.float64), ("p.pfm", np.float32)]:
            with self.subTest(name=name):
                cv2.imwrite(self.path(name), pixels.astype(dtype))
                self.expect(OK, "sat", name, "--device", "host", "--type", "64f64f", "-o", "f.npy")
                np.testing.assert_array_equal(np.load(self.path("f.npy")), pixels.astype(np.float64).cumsum(0).cumsum(1))
                done = self.expect(USAGE, "sat", name, "--device", "host", "-o", "x.npy")
                self.assertIn("choose --type 32f32f or 64f64f", done.stderr)

    def test_signed_pixels_need_floating_point(self):
        for dtype in np.int8, np.int16, np.int32:
            cv2.imwrite(self.path("s.tiff"), np.full((3, 4), -5, dtype))
            self.refused(SOURCE, "which are not supported; convert them to floating point", "sat", "s.tiff", "-o", "s.npy")

    def test_what_is_cut_of_floating_point_images_is_said(self):
        pixels = np.full((20, 30), 0.5, np.float32)
        pixels[3, :10] = 200
        cv2.imwrite(self.path("f.tiff"), pixels)
        for words in (["apply", "f.tiff", "--effect", "none", "-o", "o.png"], ["detect", "f.tiff", "-o", "d.csv"],
                      ["--offscreen", "--no-config", "f.tiff"]):
            with self.subTest(words=words):
                self.assertEqual(self.expect(OK, *words, "--device", "host").stderr,
                                 f"satscope: '{self.path('f.tiff')}': 0 is black and 1 is white: 10 of 600 values lie beyond, "
                                 "or are NaN, and are cut (NaN to black); scale them to 0 to 1, or replace them\n")

    def test_sixteen_bits_are_shown_by_a_window_of_values(self):
        level = lambda v, a, b: (510 * (np.clip(v.astype(np.int64), a, b) - a) + (b - a)) // (2 * (b - a))
        for name, shape in ("depth.png", (61, 83)), ("depth.tiff", (61, 83)), ("colour.png", (9, 31, 3)):
            values = 900 + self.picture(shape, np.uint16, name).astype(np.int64) // 30
            values[0, 0] = 65535  # a hot pixel, which the automatic window leaves out
            self.assertTrue(cv2.imwrite(self.path(name), values.astype(np.uint16)))
            ordered = np.sort(values.ravel())
            out = values.size // 1000
            automatic = (ordered[out], ordered[-1 - out]) if out else (ordered[0], ordered[-1])
            for given, window in ([], automatic), (["--values", "1000-2500"], (1000, 2500)), (["--values", "65534-65535"], (65534, 65535)):
                with self.subTest(name=name, window=window):
                    self.expect(OK, "apply", name, "-o", "o.png", "--effect", "none", "--device", "host", *given)
                    np.testing.assert_array_equal(cv2.imread(self.path("o.png"), cv2.IMREAD_UNCHANGED), level(values, *window))
        for wrong in "5-5", "9-5", "0-65536", "500":
            for words in ["apply", name, "--effect", "none", "-o", "n.png"], ["detect", name], ["--offscreen", "--no-config", name]:
                self.refused(USAGE, f"FROM-TO, whole numbers from 0 to 65535 of which TO is the greater, or nothing: the automatic choice, "
                             f"not '{wrong}'", *words, "--device", "host", "--values", wrong)
        # Live: each window of a still image is another picture, which a script saves.
        script = self.script({"set": {"effect": "none"}}, {"get": ["values"]}, {"do": "save_picture", "to": "first.png"},
                             {"set": {"values": "1000-2500"}}, {"do": "save_picture", "to": "second.png"}, {"get": ["values"]})
        done = self.expect(OK, "--offscreen", "--no-config", "depth.png", "--device", "host", "--script", script)
        self.assertIn('"1000-2500"', done.stdout)
        values = cv2.imread(self.path("depth.png"), cv2.IMREAD_UNCHANGED)
        ordered = np.sort(values.ravel())
        out = values.size // 1000
        for file, window in ("first.png", (int(ordered[out]), int(ordered[-1 - out]))), ("second.png", (1000, 2500)):
            np.testing.assert_array_equal(cv2.imread(self.path(file), cv2.IMREAD_UNCHANGED), level(values, *window), err_msg=file)

    def test_effects_on_images(self):
        gray = self.picture((60, 80))
        blur = ["apply", "in.png", "--device", "host", "--effect", "box_blur", "-o", "o.png", "--set", "window=5x3"]
        self.expect(OK, *blur, "colour=off")
        shown = cv2.imread(self.path("o.png"), cv2.IMREAD_UNCHANGED)
        self.assertEqual(shown.shape, gray.shape)  # one channel
        np.testing.assert_array_equal(shown, cv2.blur(gray, (5, 3)))
        colour = self.picture((60, 80, 3))
        self.expect(OK, *blur)
        np.testing.assert_array_equal(cv2.imread(self.path("o.png"), cv2.IMREAD_UNCHANGED), cv2.blur(colour, (5, 3)))
        self.expect(OK, "apply", "in.png", "--device", "host", "--effect", "none", "-o", "o.png")
        np.testing.assert_array_equal(cv2.imread(self.path("o.png"), cv2.IMREAD_UNCHANGED), colour)

    def test_a_gray_picture_stays_gray(self):
        image = lambda: cv2.imread(self.path("o.png"), cv2.IMREAD_UNCHANGED)
        apply = lambda effect, *words: self.expect(OK, "apply", "in.png", "--device", "host", "--effect", effect, "-o",
                                                   "o.png", *words)
        for dtype in np.uint8, np.uint16:
            gray = self.picture((60, 80), dtype)
            eight = gray if dtype == np.uint8 else np.round(gray / 257).astype(np.uint8)
            apply("box_blur", "--set", "window=5x3", "values=0-65535")
            np.testing.assert_array_equal(image(), cv2.blur(eight, (5, 3)))
            apply("none", "--values", "0-65535")
            np.testing.assert_array_equal(image(), eight)
        apply("haar", "--set", "width=12", "height=9")
        self.assertEqual(image().shape, (60, 80, 3), "rectangles in colours")
        apply("sat_view", "--set", "map=viridis")
        self.assertEqual(image().shape, (60, 80, 3))
        pixels = self.picture((60, 80, 3))
        apply("box_blur", "--set", "window=1x1")
        np.testing.assert_array_equal(image(), pixels)
        cv2.imwrite(self.path("in.png"), np.repeat(gray.astype(np.uint8)[..., None], 3, 2))
        apply("box_blur")
        self.assertEqual(image().shape, (60, 80, 3), "a file in colour keeps its channels")

    def test_what_is_saved_and_recorded_of_a_gray_picture_is_gray(self):
        gray = self.picture((60, 80))
        colour = self.picture((60, 80, 3), name="colour.png")
        lines = []
        for name, *changes in (("blurred", "in.png", "box_blur"), ("rectangles", "in.png", "haar"), ("wipe", "in.png", "box_blur"),
                               ("black", "colour.png", "adaptive_threshold"), ("coloured", "colour.png", "box_blur")):
            source, effect = changes
            lines += [{"set": {"haar.width": 12, "haar.height": 9}}, {"set": {"source": self.path(source), "effect": effect, "compare": "original,result" if name == "wipe" else "off"}},
                      {"frames": 1}, {"do": "save_picture", "to": name + ".png"}]
        self.expect(OK, "--offscreen", "--no-config", "--device", "host", "in.png", "--script", self.script(*lines))
        saved = {name: cv2.imread(self.path(name + ".png"), cv2.IMREAD_UNCHANGED)
                 for name in ("blurred", "rectangles", "wipe", "black", "coloured")}
        self.assertEqual({name: pixels.ndim for name, pixels in saved.items()},
                         {"blurred": 2, "rectangles": 3, "wipe": 2, "black": 2, "coloured": 3})
        np.testing.assert_array_equal(saved["blurred"], cv2.blur(gray, (15, 15)))
        np.testing.assert_array_equal(saved["coloured"], cv2.blur(colour, (15, 15)))
        self.expect(OK, "--offscreen", "--no-config", "--device", "host", "in.png", "--effect", "box_blur", "--frames", "3",
                    "--record", "r.mp4")
        video = cv2.VideoCapture(self.path("r.mp4"), cv2.CAP_FFMPEG)
        read, frame = video.read()
        self.assertTrue(read)
        self.assertTrue((frame == frame[..., :1]).all(), "no chroma")

    def test_pictures_larger_than_any_texture(self):
        for shape in (1, 70000), (70000, 2):
            gray = self.picture(shape)
            np.testing.assert_array_equal(self.table("--type", "8u64u"),
                                          np.square(gray.astype(np.uint64)).cumsum(0).cumsum(1))
            for exclusive in False, True:
                table = self.table(*["--exclusive"] * exclusive)
                np.testing.assert_array_equal(table[exclusive:, exclusive:], gray.astype(np.uint32).cumsum(0).cumsum(1))
            self.expect(OK, "apply", "in.png", "--device", "host", "--effect", "box_blur", "--set", "window=5x3", "-o", "o.png")
            np.testing.assert_array_equal(cv2.imread(self.path("o.png"), cv2.IMREAD_UNCHANGED), cv2.blur(gray, (5, 3)))
            self.expect(OK, "detect", "in.png", "--device", "host", "-o", "d.json")
            self.assertEqual(self.json("d.json")[0]["detections"], [])
        face = cv2.resize(cv2.imread(os.path.join(ASSETS, "astronaut.png"), 0)[:300, 100:400], (100, 100))
        searched = np.tile(face, (1, 720))
        searched[:, 300:71000] = 128
        for picture in searched.T.copy(), searched:
            self.assertTrue(cv2.imwrite(self.path("searched.png"), picture))
            self.expect(OK, "detect", "searched.png", "--device", "host", "-o", "d.json")
        places = [detection["x"] for detection in self.json("d.json")[0]["detections"]]
        self.assertTrue(min(places) < 300 and max(places) > 71000, places)
        said = self.expect(OK, "--offscreen", "--no-config", "--device", "host", "in.png", "--frames", "1", "--export", "e.json")
        self.assertEqual(said.stderr.count("\n"), 1, said.stderr)
        scaled = re.search(r"is 2x70000, and is scaled to 1x(\d+): a texture here has at most (\d+) pixels per side", said.stderr)
        self.assertTrue(scaled, said.stderr)
        self.assertEqual(*scaled.groups())
        self.assertIn("1x" + scaled[1], self.json("e.json")["source"])
        # What fits a texture is computed whole, however long it is.
        side = min(int(scaled[1]), 10000)
        self.assertGreater(side, 8192, "OpenGL's own limit")
        gray = self.picture((3, side))
        said = self.expect(OK, "--offscreen", "--no-config", "--device", "host", "in.png", "--effect", "none", "--script",
                           self.script({"set": {"rectangle": f"{side - 4},0,4x3", "pointer": f"{side - 1},2"}}, {"frames": 1},
                                       {"do": "undo"}, {"do": "redo"}, {"frames": 1}, {"get": ["source", "rectangle"]},
                                       {"do": "save_picture", "to": "whole.png"}))
        self.assertEqual(said.stderr, "")
        np.testing.assert_array_equal(cv2.imread(self.path("whole.png"), cv2.IMREAD_UNCHANGED), gray)

    def test_a_picture_beyond_opencvs_own_limits(self):
        width = 2 ** 20 + 1  # the longest side that it reads by itself is one less
        row = np.arange(width, dtype=np.uint8)
        self.write("in.pgm", b"P5\n%d 1\n255\n" % width + row.tobytes())
        self.expect(OK, "sat", "in.pgm", "--device", "host", "-o", "t.npy")
        np.testing.assert_array_equal(np.load(self.path("t.npy"))[0], row.astype(np.uint32).cumsum(dtype=np.uint32))
        # OpenCV has read its limits when it is opened later.
        script = self.script({"set": {"source": self.path("in.pgm")}}, {"frames": 1})
        said = "more than OpenCV decodes: start satscope with OPENCV_IO_MAX_IMAGE_WIDTH set to more, or make the picture smaller"
        self.refused(SOURCE, f"is 1048577x1, gray: {said}", "--offscreen", "--no-config",
                     "synthetic:64x48", "--device", "host", "--script", script)
        self.refused(SOURCE, "reading it takes 7 MB of memory, and the budget is 5 MB", "apply", "in.pgm", "--effect", "none",
                     "--device", "host", "--memory-budget", "5", "-o", "o.png")
        # The user's own limits hold, and lift no other one.
        for options in (("sat", "in.pgm", "-o", "t.npy"), ("--offscreen", "--no-config", "synthetic:64x48", "--script", script)):
            self.refused(SOURCE, said, *options, "--device", "host", env={**self.env, "OPENCV_IO_MAX_IMAGE_WIDTH": "1000"})
        self.refused(SOURCE, "start satscope with OPENCV_IO_MAX_IMAGE_PIXELS set to more", "sat", "in.pgm", "-o", "t.npy",
                     "--device", "host", env={**self.env, "OPENCV_IO_MAX_IMAGE_PIXELS": "1000"})
        self.expect(OK, "sat", "in.pgm", "--device", "host", "-o", "t.npy",
                    env={**self.env, "OPENCV_IO_MAX_IMAGE_PIXELS": str(2 * width)})

    def test_a_picture_beyond_libpngs_limit(self):
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for width, height in (1_000_000, 1), (1_000_001, 1), (1, 1_000_001):
            rows = b"".join(b"\0" + bytes(width) for _ in range(height))
            self.write("in.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
                       chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
            self.write("in.pgm", b"P5\n%d %d\n255\n" % (width, height) + bytes(width * height))
            script = self.script({"set": {"source": self.path("in.png")}}, {"frames": 1})
            commands = (("apply", "in.png", "--effect", "none", "-o", "o.png"), ("sat", "in.png", "-o", "t.npy"),
                        ("detect", "in.png"), ("--offscreen", "--no-config", "synthetic:64x48", "--script", script))
            write = ("apply", "in.pgm", "--effect", "none", "-o", "o.png")
            if max(width, height) <= 1_000_000:
                for command in commands + (write,):
                    self.expect(OK, *command, "--device", "host")
                continue
            for command in commands:
                self.refused(SOURCE, f"is {width}x{height}: libpng reads at most 1000000 pixels per side; convert it to TIFF",
                             *command, "--device", "host")
            self.refused(FAILED, f"cannot write o.png: its picture is {width}x{height}, and libpng writes at most 1000000 pixels "
                         "per side", *write, "--device", "host")

    def peak_of(self, *words):
        """The exit status, what it said, and the most memory that it had, in MB."""
        with open(self.path("said"), "wb") as said:
            process = subprocess.Popen([PROGRAM, *words], cwd=self.folder.name, env=self.env, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, self.text("said"), usage.ru_maxrss / 1000

    def big_tiff(self, name, side, samples, bits):
        """One strip of zeros per 50 rows, as BigTIFF: about a thousandth of its pixels' bytes."""
        strip = zlib.compress(bytes(50 * side * samples * bits // 8), 9)
        strips = side // 50
        places = 16 + len(strip)  # every strip is the same one
        fields = [(256, 4, 1, side), (257, 4, 1, side), (258, 3, samples, bits if samples == 1 else None), (259, 3, 1, 8),
                  (262, 3, 1, 1 if samples == 1 else 2), (273, 16, strips, places), (277, 3, 1, samples), (278, 4, 1, 50),
                  (279, 16, strips, places + 8 * strips)]
        bits_each = struct.pack("<4H", *([bits] * samples + [0] * (4 - samples)))
        entries = b"".join(struct.pack("<HHQ", tag, kind, count) + (bits_each if value is None else struct.pack("<Q", value))
                           for tag, kind, count, value in fields)
        data = struct.pack("<2sHHHQ", b"II", 43, 8, 0, places + 16 * strips) + strip
        data += struct.pack(f"<{strips}Q", *[16] * strips) + struct.pack(f"<{strips}Q", *[len(strip)] * strips)
        return self.write(name, data + struct.pack("<Q", len(fields)) + entries + bytes(8))

    def test_memory_is_that_of_the_budget_at_most(self):
        self.big_tiff("small.tif", 100, 4, 16)
        self.assertEqual(cv2.imread(self.path("small.tif"), cv2.IMREAD_UNCHANGED).shape, (100, 100, 4))
        idle = self.peak_of("apply", "small.tif", "--effect", "none", "--device", "host", "-o", "o.png")[2]
        for name, samples, bits, needs in ("gray.tif", 1, 8, "5.4 GB"), ("deep.tif", 4, 16, "14 GB"):
            self.big_tiff(name, 30000, samples, bits)
            for words in (["apply", name, "--effect", "none", "-o", "o.png"], ["detect", name],
                          ["--offscreen", "--no-config", name, "--frames", "1"]):
                code, said, peak = self.peak_of(*words, "--device", "host", "--memory-budget", "4000")
                self.assertEqual((code, said.count("\n")), (SOURCE, 1), said)
                self.assertIn(f"reading it takes {needs} of memory, and the budget is 4.0 GB; make it smaller, or raise the "
                              "budget: --memory-budget", said)
                self.assertLess(peak, idle + 200, words)
        # What is read takes no more than it was counted for: 16-bit colour with alpha, and its 8-bit copy.
        self.big_tiff("read.tif", 3000, 4, 16)
        code, said, peak = self.peak_of("apply", "read.tif", "--effect", "none", "--device", "host", "-o", "o.png",
                                        "--memory-budget", "150")
        self.assertEqual(code, OK, said)
        self.assertLess(peak, idle + 150 + 150, "the picture, and what apply makes of it")

    def test_tables_that_do_not_fit_are_refused_with_the_figures(self):
        cv2.imwrite(self.path("in.png"), np.zeros((8000, 8000), np.uint8))
        limit = lambda space: {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (space, space))}
        apply = ["apply", "in.png", "-o", "o.png", "--device", "host", "--effect"]
        blur = "computing 8000x8000 pixels with box_blur takes "
        for space, what, *words in ((1_400_000_000, blur, *apply, "box_blur"),
                                    (1_000_000_000, "the table of 'in.png' takes ", "sat", "in.png", "-o", "t.npy", "--device",
                                     "host", "--type", "64f64f"),
                                    (1_600_000_000, blur, "--offscreen", "--no-config", "in.png", "--device", "host",
                                     "--effect", "box_blur", "--frames", "1")):
            done = self.refused(FAILED, what, *words, **limit(space))
            self.assertRegex(done.stderr, r"takes [0-9.]+ [MG]B of memory, and [0-9.]+ [MG]B are available: choose a smaller picture")
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["in.png"])
        self.expect(OK, *apply, "none", **limit(2_500_000_000))

    def test_a_parameter_that_has_no_part_in_the_picture_is_refused(self):
        self.picture((20, 30))
        words = ["apply", "in.png", "--effect", "adaptive_threshold", "--device", "host", "-o", "a.png", "--set"]
        self.refused(USAGE, "uses t only with method=bradley: leave out t, or give --set adaptive_threshold.method=bradley",
                     *words, "t=20")
        self.refused(USAGE, "uses c only with method=mean_c", *words, "effect.c=2", "--set", "method=bradley")
        self.expect(OK, *words, "t=20", "--set", "adaptive_threshold.method=bradley")

    def test_annotations_mark_the_picture_and_are_written(self):
        gray = self.picture((60, 80))
        self.expect(OK, "apply", "in.png", "--device", "host", "--effect", "haar", "-o", "o.png", "--annotations", "a.json",
                    "--set", "type=type-2-x", "x=10", "y=20", "width=12", "height=9")
        with open(self.path("a.json")) as file:
            written = json.load(file)
        self.assertEqual(written["size"], [80, 60])
        *rectangles, outline, label = written["annotations"]
        self.assertEqual([(r["from"], r["to"]) for r in rectangles], [([10, 20], [22, 29]), ([22, 20], [34, 29])])
        self.assertEqual((outline["kind"], outline["from"], outline["to"]), ("rectangle", [10, 20], [34, 29]))
        values = gray.astype(int)
        self.assertEqual((label["kind"], label["value"]),
                         ("label", values[20:29, 22:34].sum() - values[20:29, 10:22].sum()))
        shown = cv2.imread(self.path("o.png"))
        self.assertTrue((shown[20:29, 9] == 255).all(), "the outline")
        self.assertTrue((shown[24, 10:22, 0] >= shown[24, 10:22, 2]).all(), "blue is taken away")
        np.testing.assert_array_equal(shown[:18, :, 1], gray[:18])

    def test_annotations_of_faces_have_the_size_of_the_detections(self):
        image = os.path.join(ASSETS, "astronaut.png")
        self.expect(OK, "apply", image, "--device", "host", "--effect", "faces", "-o", "o.png", "--annotations", "a.json")
        self.expect(OK, "detect", image, "--device", "host", "-o", "d.json")
        rectangles = [a for a in self.json("a.json")["annotations"] if a["kind"] == "rectangle"]
        found = self.json("d.json")[0]["detections"]
        self.assertTrue(found)
        self.assertEqual([(*r["from"], r["to"][0] - r["from"][0], r["to"][1] - r["from"][1]) for r in rectangles],
                         [(d["x"], d["y"], d["width"], d["height"]) for d in found])

    def test_an_older_result_is_replaced_completely(self):
        self.picture((4, 4))
        self.write("t.npy", b"old" * 10000)
        self.assertEqual(self.table().shape, (4, 4))
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["in.png", "t.npy"])


if __name__ == "__main__":
    main()
