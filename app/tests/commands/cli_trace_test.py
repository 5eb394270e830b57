#!/usr/bin/python3
"""Tile traces as a user asks for them: satscope sat --trace, and a script's trace and export_trace."""
import math

import cv2
import numpy as np

from cli_case import Case, OK, SOURCE, USAGE, main

SIZE = (150, 107)  # pixels
TILED = ("2r1w", "1r1w", "1_plus_r_r1w", "1r1w_skss", "1r1w_skss_lb", "2r2w_optimal", "ha_blocks")
PASSES = {"2r1w": 2, "2r2w_optimal": 2, "ha_blocks": 2}


class Trace(Case):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(7)
        cv2.imwrite(self.path("in.png"), rng.integers(0, 256, size=(SIZE[1], SIZE[0]), dtype=np.uint8))

    def tiles_of(self, name):
        """The slices of tiles, by pass and place; each once."""
        tiles = {}
        for event in self.json(name)["traceEvents"]:
            if event["ph"] == "X" and event["name"].startswith("tile "):
                key = event["cat"], event["args"]["row"], event["args"]["column"]
                self.assertNotIn(key, tiles)
                tiles[key] = event
        return tiles

    def test_every_tile_is_traced_once_and_the_table_is_the_same(self):
        self.expect(OK, "sat", "in.png", "-o", "host.npy", "--device", "host")
        for algorithm in TILED:
            with self.subTest(algorithm=algorithm):
                side = "b" if algorithm == "ha_blocks" else "W"
                self.expect(OK, "sat", "in.png", "-o", "t.npy", "--device", "simulated", "--algorithm", algorithm, "--set",
                            f"{side}=32", "--trace", "t.json")
                np.testing.assert_array_equal(np.load(self.path("t.npy")), np.load(self.path("host.npy")))
                tiles, places = self.tiles_of("t.json"), {(I, J) for I in range(4) for J in range(5)}
                self.assertEqual((math.ceil(SIZE[1] / 32), math.ceil(SIZE[0] / 32)), (4, 5))
                passes = {key[0] for key in tiles}
                self.assertEqual(len(passes), 2 if algorithm == "1_plus_r_r1w" else PASSES.get(algorithm, 1))
                for name in passes - ({"tile sums"} if algorithm == "1_plus_r_r1w" else set()):
                    self.assertEqual({key[1:] for key in tiles if key[0] == name}, places)
                for event in tiles.values():
                    self.assertLessEqual(event["args"]["wait_us"], event["dur"])

    def test_tiles_need_not_be_square(self):
        self.expect(OK, "sat", "in.png", "-o", "host.npy", "--device", "host")
        self.expect(OK, "sat", "in.png", "-o", "t.npy", "--device", "simulated", "--algorithm", "one_wave", "--set",
                    "tile=8x4", "--trace", "t.json")  # 128 columns, 32 rows
        np.testing.assert_array_equal(np.load(self.path("t.npy")), np.load(self.path("host.npy")))
        self.assertEqual({key[1:] for key in self.tiles_of("t.json")}, {(I, J) for I in range(4) for J in range(2)})

    def test_tiles_may_have_a_side_that_nobody_chooses(self):
        self.expect(OK, "sat", "in.png", "-o", "host.npy", "--device", "host")
        self.expect(OK, "sat", "in.png", "-o", "t.npy", "--device", "simulated", "--algorithm", "decoupled_fallback",
                    "--trace", "t.json")  # 128 x 128
        np.testing.assert_array_equal(np.load(self.path("t.npy")), np.load(self.path("host.npy")))
        self.assertEqual({key[1:] for key in self.tiles_of("t.json")}, {(0, 0), (0, 1)})

    def test_what_has_no_tiles_is_refused(self):
        self.refused(USAGE, "2r2w records no tiles; these do, on a GPU or the simulated GPU: ", "sat", "in.png", "-o", "t.npy",
                     "--device", "simulated", "--algorithm", "2r2w", "--trace", "t.json")
        self.refused(USAGE, "host_parallel records no tiles", "sat", "in.png", "-o", "t.npy", "--device", "host", "--trace",
                     "t.json")
        self.refused(USAGE, "of --type 8u32u only", "sat", "in.png", "-o", "t.npy", "--device", "simulated", "--algorithm",
                     "1r1w", "--type", "32f32f", "--trace", "t.json")

    def test_a_script_traces_the_next_picture_and_saves_it(self):
        run = ("--offscreen", "--no-config", "--effect", "none", "--device", "simulated", "in.png")
        self.expect(OK, "--script", self.script(
            {"set": {"algorithm": "1r1w", "1r1w.W": 32, "trace_play": False}}, {"do": "trace"},
            {"do": "export_trace", "to": "t.json"}, {"do": "screenshot", "to": "end.png"},
            {"set": {"trace_at": 0.5}}, {"frames": 1}, {"do": "screenshot", "to": "half.png"},
            {"set": {"trace_at": 0.5, "trace_colour": "state"}}, {"frames": 1}, {"do": "screenshot", "to": "state.png"}), *run)
        tiles = self.tiles_of("t.json")
        self.assertEqual(len(tiles), 5 * 4)
        for (_, row, column), event in tiles.items():  # a kernel per diagonal
            self.assertEqual(event["args"]["launch"], row + column + 1)
        end, half, state = (cv2.imread(self.path(name)).astype(int) for name in ("end.png", "half.png", "state.png"))
        self.assertGreater(abs(end - half).mean(), 0.5)
        self.assertGreater(abs(half - state).mean(), 0.5)

    def test_a_script_is_told_what_cannot_be_traced(self):
        run = ("--offscreen", "--no-config", "synthetic:64x48")
        self.refused(USAGE, "s.jsonl:4: 2r2w records no tiles", "--script",
                     self.script({"frames": 1}, {"set": {"device": "simulated", "algorithm": "2r2w"}},
                                 {"set": {"device": "host"}}, {"do": "trace"}), *run)
        tiled = {"set": {"device": "simulated", "algorithm": "1r1w"}}
        self.refused(USAGE, "s.jsonl:5: 2r2w records no tiles", "--script",
                     self.script({"frames": 1}, tiled, {"do": "trace"}, {"set": {"algorithm": "2r2w"}},
                                 {"do": "export_trace", "to": "t.json"}), *run)
        self.refused(USAGE, "s.jsonl:3: the feature's", "--script",
                     self.script(tiled, {"set": {"effect": "haar", "haar.width": 500}}, {"do": "trace"}), *run)
        self.refused(SOURCE, "s.jsonl:2: there is no file", "--script", self.script(tiled, {"do": "trace"}), *run[:-1],
                     "missing.png")
        self.refused(SOURCE, "s.jsonl:2: there is no file", "--script",
                     self.script({"do": "trace"}, {"do": "export_trace", "to": "t.json"}), *run[:-1], "--device", "simulated",
                     "--algorithm", "1r1w", "missing.png")
        self.refused(USAGE, "s.jsonl:1: there is no tile trace yet", "--script",
                     self.script({"do": "export_trace", "to": "t.json"}), "--device", "host", *run)


if __name__ == "__main__":
    main()
