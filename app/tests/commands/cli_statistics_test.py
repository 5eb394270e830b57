#!/usr/bin/python3
"""Every exported figure equals the one computed from the log, to the last digit; whatever changes the work starts them anew.
The rules are those of app/output/README.md, written once more."""
import csv
import json
import math
from fractions import Fraction

from cli_case import OK, Case, main

OFFSCREEN = ("--offscreen", "--no-config", "--device", "host", "synthetic:320x240")
UNITS = {"frame_ms": 10**6, "work_ms": 10**6, "kernels_total_us": 1000, "transfer_us": 1000, "waiting_us": 1000}


def nanoseconds(text):
    """Of microseconds with three decimals."""
    value = Fraction(str(text)) * 1000
    assert value.denominator == 1, text
    return int(value)


def half_up(value):
    return math.floor(value + Fraction(1, 2))


def percentile(values, permille):
    """By nearest rank."""
    return sorted(values)[max(1, -(-len(values) * permille // 1000)) - 1]


def figures(values):
    """In whole nanoseconds."""
    if not values:
        return dict.fromkeys(("mean", "p50", "p90", "p99", "p99.9", "max"), 0)
    return {"mean": half_up(Fraction(sum(values), len(values))), "p50": percentile(values, 500),
            "p90": percentile(values, 900), "p99": percentile(values, 990), "p99.9": percentile(values, 999),
            "max": max(values)}


def fps(intervals, permille=1000):
    """Of the slowest intervals, their number rounded up; in hundredths."""
    slowest = sorted(intervals)[len(intervals) - -(-len(intervals) * permille // 1000):]
    return half_up(Fraction(len(slowest) * 10**11, sum(slowest))) / 100 if slowest else 0


class Statistics(Case):
    def rows(self, name):
        """Of the log: a list of frames since the work last changed, and all of them."""
        lines = [json.loads(line) for line in self.text(name).splitlines()[1:]]
        last = max(i for i, line in enumerate(lines) if line["of_work"] == 1)
        return lines[last:], lines

    def check(self, report, rows):
        self.assertEqual(report["frames"], len(rows))
        self.assertEqual((report["first_frame"], report["last_frame"]), (rows[0]["id"], rows[-1]["id"]))
        self.assertEqual(report["untimed"], sum(row["kernels_us"] is None for row in rows))
        self.assertEqual(report["dropped"], sum(row["dropped_before"] for row in rows))
        intervals = [nanoseconds(row["interval_us"]) for row in rows if row["interval_us"] > 0]
        self.assertEqual(report["fps"], fps(intervals))
        self.assertEqual(report["low_1_percent_fps"], fps(intervals, 10))
        self.assertEqual(report["low_0.1_percent_fps"], fps(intervals, 1))
        timed = [row for row in rows if row["kernels_us"] is not None]
        values = {"frame_ms": intervals, "work_ms": [nanoseconds(row["work_us"]) for row in rows],
                  "kernels_total_us": [nanoseconds(row["kernels_us"]) for row in timed],
                  "transfer_us": [nanoseconds(row["transfer_us"]) for row in timed],
                  "waiting_us": [nanoseconds(row["waiting_us"]) for row in timed]}
        for name, of in values.items():
            expected = {key: value / UNITS[name] for key, value in figures(of).items()}
            self.assertEqual(report[name], {"frames": len(of), **expected}, name)
        self.check_timing(report, rows, timed)
        stages = {}
        for row in timed:
            for path, time in row["stages"].items():
                stages.setdefault(path, [])
                if path not in row["lost"]:
                    stages[path].append(nanoseconds(time))
        lost = [sum(nanoseconds(time) for path, time in row["lost"].items() if "/" not in path) for row in timed]
        values = figures([time for time in lost if time])
        self.assertEqual(report["lost_us"], {"frames": sum(time > 0 for time in lost),
                                             **{key: value / 1000 for key, value in values.items()}})
        exported = {row["name"]: row for row in report["kernels"] + report["groups"]}
        self.assertEqual(set(exported), set(stages))
        for path, of in stages.items():
            row = exported[path]
            self.assertEqual(row["frames"], len(of))
            self.assertEqual({key: row[key] for key in figures(of)}, {key: value / 1000 for key, value in figures(of).items()},
                             path)
        computing = [row for row in report["kernels"] if row["kind"] == "compute"]
        whole = sum(row["mean"] for row in computing)
        for row in computing:
            self.assertAlmostEqual(row["share"], row["mean"] / whole, delta=1e-5)

    def check_timing(self, report, rows, timed):
        """What the timing cost."""
        cost = [nanoseconds(row["timing_us"]) for row in timed]
        timing = report["timing"]
        if timed:
            self.assertEqual(timing["points_per_frame"], sum(row["points"] for row in timed) / len(timed))
        self.assertEqual(timing["us_per_frame"],
                         {"frames": len(cost), **{key: value / 1000 for key, value in figures(cost).items()}})
        mean = lambda name, of: figures([nanoseconds(row[name]) for row in of])["mean"]
        device = sum(mean(name, timed) for name in ("kernels_us", "transfer_us", "waiting_us"))
        intervals = [row for row in rows if nanoseconds(row["interval_us"]) > 0]
        frame = max(mean("interval_us", intervals), mean("work_us", rows), device)
        share = figures(cost)["mean"] * len(cost) / len(rows) / frame if frame else 0
        self.assertAlmostEqual(timing["share_of_frame"], share, delta=1e-5)
        self.assertEqual(report["checked"], sum(row["table"] is not None for row in rows))
        self.assertEqual(report["wrong"], sum(row["table"] == "wrong" for row in rows))

    def test_figures_are_those_of_the_log(self):
        self.expect(OK, *OFFSCREEN, "--max-speed", "--set", "window_width=320", "--set",
                    "window_height=240", "--frames", "234", "--log", "l.jsonl", "--export", "e.json")
        rows, all_rows = self.rows("l.jsonl")
        self.assertEqual(len(all_rows), 234)
        report = self.json("e.json")
        self.assertEqual(report["frames"], 234)
        self.check(report, rows)

    def test_a_range_has_the_figures_of_its_frames(self):
        script = self.script({"frames": 40}, {"set": {"effect": "sat_view"}}, {"frames": 60},
                             {"do": "export", "to": "all.json"}, {"set": {"graph_range": "52-71"}},
                             {"do": "export", "to": "range.json"}, {"do": "export_csv", "to": "range.csv"},
                             {"do": "export_frames", "to": "frames.csv"}, {"do": "export_timeline", "to": "trace.json"},
                             {"set": {"graph_range": "30-45"}}, {"do": "export", "to": "both.json"},
                             {"set": {"graph_range": "10-20"}}, {"do": "export", "to": "before.json"},
                             {"set": {"graph_range": "10-20"}}, {"do": "clear_frames"}, {"do": "export", "to": "again.json"},
                             {"set": {"graph_range": "50-60"}}, {"frames": 1}, {"set": {"box_blur.passes": 2,
                                                                                      "effect": "box_blur"}},
                             {"frames": 7}, {"do": "export", "to": "anew.json"})
        self.expect(OK, *OFFSCREEN, "--effect", "none", "--set", "max_speed=on", "--script", script, "--log", "l.jsonl")
        _, rows = self.rows("l.jsonl")
        of = lambda first, last: [row for row in rows if first <= row["id"] <= last]
        changed = next(row["id"] for row in rows if row["of_work"] == 1 and row["id"] > 1)
        self.assertIn("sat_view", of(changed, changed)[0]["selection"])
        report = self.json("range.json")
        self.assertEqual(report["selected"], True)
        self.check(report, of(52, 71))
        self.check(self.json("both.json"), of(changed, 45))  # those of the later work alone
        before = self.json("before.json")
        self.check(before, of(10, 20))
        self.assertEqual(before["effect"], "none")
        self.assertEqual(self.json("all.json")["selected"], False)
        self.check(self.json("all.json"), of(changed, self.json("all.json")["last_frame"]))
        self.assertEqual(self.json("again.json")["selected"], False)
        # Whatever changes the work starts the statistics anew: the range is gone.
        anew = self.json("anew.json")
        self.assertEqual((anew["selected"], anew["effect"]), (False, "box_blur"))
        self.assertGreaterEqual(anew["frames"], 7)
        self.assertLess(anew["frames"], 12)
        self.assertFalse(any("sat_view" in row["name"] or row["name"] == "none" for row in anew["kernels"]))
        self.check(anew, of(anew["first_frame"], anew["last_frame"]))
        self.same_csv(report)
        self.same_frames(of(52, 71))
        self.trace_has(of(52, 71))

    def same_csv(self, report):
        lines = [line for line in self.text("range.csv").splitlines() if not line.startswith("#")]
        rows = {row["name"]: row for row in csv.DictReader(lines)}
        self.assertEqual(int(rows["main thread"]["frames"]), report["frames"])
        for kernel in report["kernels"]:
            row = rows[kernel["name"]]
            self.assertEqual([float(row[name]) for name in ("frames", "mean_us", "p50_us", "p99.9_us", "max_us")],
                             [kernel[name] for name in ("frames", "mean", "p50", "p99.9", "max")])
        self.assertIn(f"# frames: {report['frames']} from 52 to 71, selected", self.text("range.csv"))

    def same_frames(self, rows):
        lines = [line for line in self.text("frames.csv").splitlines() if not line.startswith("#")]
        frames = list(csv.DictReader(lines))
        self.assertEqual([int(frame["id"]) for frame in frames], [row["id"] for row in rows])
        for frame, row in zip(frames, rows):
            for name in ("interval_us", "work_us", "kernels_us", "transfer_us", "waiting_us"):
                self.assertEqual(float(frame[name]), row[name])
            self.assertEqual((frame["selection"], frame["source"]), (row["selection"], row["source"]))
            stages = dict(stage.split("=") for stage in frame["stages"].split(";"))
            self.assertEqual({path: float(time) for path, time in stages.items()}, row["stages"])

    def trace_has(self, rows):
        trace = self.json("trace.json")
        self.assertEqual(trace["otherData"]["frames"], len(rows))
        slices = [event for event in trace["traceEvents"] if event["ph"] == "X" and event["tid"] == 3]
        for row in rows:
            own = {}
            for event in slices:
                if event["args"]["frame"] == row["id"]:
                    path = event["args"]["path"]
                    own[path] = own.get(path, 0) + event["dur"]
            self.assertEqual(set(own), set(row["stages"]))
            for path, time in row["stages"].items():
                self.assertAlmostEqual(own[path], time, delta=0.001)
        names = [event["name"] for event in trace["traceEvents"] if event["ph"] == "b"]
        self.assertIn(f"frame {rows[0]['id']}", names)

    def test_a_wrong_range_is_refused(self):
        for text in ("7", "9-7", "a-b", "1-2-3"):
            script = self.script({"set": {"graph_range": text}})
            self.refused(2, "takes FIRST-LAST", *OFFSCREEN, "--script", script)

    def test_a_still_picture_has_figures_too(self):
        script = self.script({"frames": 5}, {"do": "export", "to": "e.json"})
        self.expect(OK, "--offscreen", "--no-config", "--device", "host", "--script", script, "--log", "l.jsonl",
                    self.write("p.pgm", b"P5\n16 12\n255\n" + bytes(range(192))))
        rows, _ = self.rows("l.jsonl")
        self.check(self.json("e.json"), [row for row in rows if row["id"] <= self.json("e.json")["last_frame"]])


if __name__ == "__main__":
    main()
