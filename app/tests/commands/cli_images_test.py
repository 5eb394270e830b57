#!/usr/bin/python3
"""satscope sat and satscope apply: tables and pictures equal those of NumPy and OpenCV."""
import json
import os

import cv2
import numpy as np

from cli_case import ASSETS, Case, OK, SOURCE, USAGE, main


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
                 "8u64u": np.uint64}
        for shape, of_types in ((37, 53), types), ((1, 1), ["8u32u"]), ((1, 400), ["8u64u"]), ((400, 1), ["64f64f"]):
            gray = self.picture(shape).astype(np.uint64)
            for type_name in of_types:
                terms = gray * gray if type_name == "8u64u" else gray
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
        for name in "8u32u", "8u64u":
            self.refused(USAGE, "has 16-bit pixels: choose --type 32u32u", "sat", "in.png", "--device", "host", "-o",
                         "t.npy", "--type", name)

    def test_entries_that_are_not_the_sums_are_noted(self):
        cv2.imwrite(self.path("in.png"), np.full((300, 300), 65535, np.uint16))
        words = ["sat", "in.png", "--device", "host", "-o", "t.npy", "--type"]
        for name, entries in [("32u32u", "are modulo 2^32"), ("32f32f", "above 2^24 are rounded")]:
            self.assertEqual(self.expect(OK, *words, name).stderr,
                             f"satscope: sums reach 5898150000: entries {entries}; --type 64f64f holds them\n")
        self.assertEqual(self.expect(OK, *words, "64f64f").stderr, "")
        self.picture((300, 200))
        self.assertEqual(self.expect(OK, *words, "8u32u").stderr, "")

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
        for name in "two.gif", os.path.join(ASSETS, "clip.mp4"):
            self.refused(SOURCE, "has more than one picture; save the one that is meant as PNG or JPEG", "sat", name,
                         "--device", "host", "-o", "t.npy")

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
            self.refused(SOURCE, "of which no table is made; convert them to floating point", "sat", "s.tiff", "-o", "s.npy")

    def test_what_is_cut_of_floating_point_images_is_said(self):
        pixels = np.full((20, 30), 0.5, np.float32)
        pixels[3, :10] = 200
        cv2.imwrite(self.path("f.tiff"), pixels)
        for words in (["apply", "f.tiff", "--effect", "none", "-o", "o.png"], ["detect", "f.tiff", "-o", "d.csv"],
                      ["--offscreen", "--no-config", "f.tiff"]):
            with self.subTest(words=words):
                self.assertEqual(self.expect(OK, *words, "--device", "host").stderr,
                                 f"satscope: '{self.path('f.tiff')}': 0 is black and 1 is white: 10 of 600 values, which go from "
                                 "0.5 to 200, are cut; scale them to 0 to 1\n")

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
