#!/usr/bin/python3
"""satscope detect: OpenCV's rectangles in every form, from images and videos, and what it refuses."""
import csv
import json
import os
import re
import resource
import signal
import socket
import subprocess

import cv2
import numpy as np

from cli_case import ASSETS, Case, FAILED, OK, PATIENCE, PROGRAM, SOURCE, USAGE, main

FACE = os.path.join(ASSETS, "astronaut.png")
CASCADES = "/usr/share/opencv4/haarcascades/haarcascade_"
LBP_CASCADES = "/usr/share/opencv4/lbpcascades/lbpcascade_"
MEMBERS = ("x", "y", "width", "height", "neighbors")


def opencv_finds(picture, cascade="frontalface_alt2", scale_factor=1.1, min_neighbors=3, **more):
    """Rows of x, y, width and height."""
    file = LBP_CASCADES + cascade[4:] if cascade.startswith("lbp_") else CASCADES + cascade
    found = cv2.CascadeClassifier(file + ".xml").detectMultiScale(
        cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), scale_factor, min_neighbors, **more)
    return sorted(tuple(int(value) for value in row) for row in found)


def rectangles(picture):
    return sorted(tuple(found[member] for member in MEMBERS[:4]) for found in picture["detections"])


class Detect(Case):
    def found(self, *words, **more):
        """The objects of --json."""
        return [json.loads(line) for line in self.expect(OK, "detect", "--json", *words, **more).stdout.splitlines()]

    def video(self, name, frames, size=(96, 72)):
        """Noise, with the face in every other frame; returns what a decoder makes of it."""
        face = cv2.resize(cv2.imread(FACE)[40:200, 150:310], (64, 64))
        rng = np.random.default_rng(7)
        writer = cv2.VideoWriter(self.path(name), cv2.CAP_FFMPEG, cv2.VideoWriter_fourcc(*"MJPG"), 25, size)
        for number in range(frames):
            picture = rng.integers(100, 140, (size[1], size[0], 3), dtype=np.uint8)
            if number % 2 == 0:
                picture[4:68, 16:80] = face
            writer.write(picture)
        writer.release()
        video, pictures = cv2.VideoCapture(self.path(name), cv2.CAP_FFMPEG), []
        while (read := video.read())[0]:
            pictures.append(read[1])
        self.assertEqual(len(pictures), frames)
        return pictures

    def test_a_face_is_found_as_opencv_finds_it(self):
        picture, = self.found(FACE)
        self.assertEqual((picture["source"], picture["frame"]), (FACE, 0))
        self.assertEqual(rectangles(picture), opencv_finds(cv2.imread(FACE)))
        self.assertEqual(len(picture["detections"]), 1)
        self.assertGreater(picture["detections"][0]["neighbors"], 3)
        us = picture["us"]
        self.assertEqual(sorted(us), ["detection", "gray", "read", "total"])
        self.assertTrue(all(time > 0 for time in us.values()), us)
        self.assertAlmostEqual(us["total"], us["read"] + us["gray"] + us["detection"], delta=0.01)

    def test_options_mean_what_opencvs_parameters_mean(self):
        face = cv2.imread(FACE)
        for words, parameters in [
            (["--cascade", "eye"], {"cascade": "eye"}),
            (["--cascade", "lbp_frontalface"], {"cascade": "lbp_frontalface"}),
            (["--cascade", LBP_CASCADES + "frontalface_improved.xml"], {"cascade": "lbp_frontalface_improved"}),
            (["--cascade", "lbpcascade_profileface", "--min-neighbors", "0"],
             {"cascade": "lbp_profileface", "min_neighbors": 0}),
            (["--scale-factor", "1.3", "--min-neighbors", "0"], {"scale_factor": 1.3, "min_neighbors": 0}),
            (["--min-size", "90", "--max-size", "110x120"], {"minSize": (90, 90), "maxSize": (110, 120)}),
            (["--min-size", "600"], {"minSize": (600, 600)}),
        ]:
            with self.subTest(words=words):
                self.assertEqual(rectangles(self.found(FACE, *words)[0]), opencv_finds(face, **parameters))

    def test_raw_windows_are_not_grouped(self):
        grouped, = self.found(FACE)
        raw, = self.found(FACE, "--raw")
        single, = self.found(FACE, "--min-neighbors", "0")
        self.assertGreaterEqual(len(raw["detections"]), sum(found["neighbors"] for found in grouped["detections"]))
        self.assertEqual({found["neighbors"] for found in raw["detections"]}, {1})
        self.assertEqual(rectangles(raw), rectangles(single), "none reaches over an edge here")

    def test_a_cascade_has_one_file_and_three_names(self):
        listed = {item["name"]: item for item in json.loads(self.expect(OK, "list", "cascades", "--json").stdout)}
        self.assertTrue(all(item["available"] for item in listed.values()), listed)
        eye = listed["eye"]
        self.assertEqual((eye["file"], eye["window"], eye["stages"]), (CASCADES + "eye.xml", "20x20", 24))
        pattern = listed["lbp_profileface"]
        self.assertEqual(pattern["file"], LBP_CASCADES + "profileface.xml")
        self.assertEqual((pattern["window"], pattern["kind"]), ("20x34", "LBP"))
        self.assertEqual((eye["kind"], listed["profileface"]["kind"]), ("Haar", "Haar"))
        text = self.expect(OK, "list", "cascades").stdout
        self.assertIn("windows of 20x20, 24 stages", text)
        self.assertIn("windows of 20x34, 16 stages, 129 LBP features\n", text)
        wanted = rectangles(self.found(FACE, "--cascade", eye["file"])[0])
        for name in "eye", "haarcascade_eye", "haarcascade_eye.xml":
            self.assertEqual(rectangles(self.found(FACE, "--cascade", name)[0]), wanted)
        self.write("eye", b"<opencv_storage/>")
        self.assertEqual(rectangles(self.found(FACE, "--cascade", "eye")[0]), wanted, "a name means the cascade")
        self.refused(USAGE, "eye: line 1: ", "detect", FACE, "--cascade", "./eye")

    def test_every_frame_of_several_sources_in_every_form(self):
        pictures = self.video("v.avi", 4)
        sources = [FACE, "v.avi", "plain, \"gray\".png"]
        cv2.imwrite(self.path(sources[2]), np.full((40, 50), 128, np.uint8))
        found = self.found(*sources)
        self.assertEqual([(one["source"], one["frame"]) for one in found],
                         [(FACE, 0)] + [("v.avi", n) for n in range(4)] + [(sources[2], 0)])
        for one, picture in zip(found[1:], pictures):
            self.assertEqual(rectangles(one), opencv_finds(picture))
        self.assertEqual([len(one["detections"]) for one in found], [1, 1, 0, 1, 0, 0])

        def rows(of):
            """Of a table: one per detection, or one without."""
            return [[one["source"], str(one["frame"])] + ([str(detection[member]) for member in MEMBERS] if detection else [None] * 5)
                    for one in of for detection in one["detections"] or [None]]

        done = self.expect(OK, "detect", *sources)
        self.assertEqual(done.stderr, "")
        head, *lines = done.stdout.splitlines()
        self.assertEqual(head.split(), ["source", "frame", *MEMBERS, "total", "us"])
        table = [re.fullmatch(r"(.*?) +(\d+)" + r" +(\d+|-)" * 5 + r"( +[\d.\u2009]+)?", line).groups() for line in lines]
        self.assertEqual([[None if cell == "-" else cell for cell in row[:7]] for row in table], rows(found))

        self.assertEqual(self.expect(OK, "detect", *sources, "-o", "f.csv").stdout, "")
        with open(self.path("f.csv"), newline="") as file:
            cells = list(csv.DictReader(file))
        self.assertEqual(list(cells[0]), ["source", "frame", *MEMBERS, "read_us", "gray_us", "detection_us", "total_us", "device"])
        self.assertEqual([[row[name] or None for name in ("source", "frame", *MEMBERS)] for row in cells], rows(found))

        def timeless(of):
            return [{key: value for key, value in one.items() if key != "us"} for one in of]

        self.expect(OK, "detect", *sources, "-o", "f.json")
        self.assertEqual(timeless(self.json("f.json")), timeless(found))
        for name, *more in ["f.jsonl"], ["f.out", "--json"]:
            self.expect(OK, "detect", *sources, "-o", name, *more)
            self.assertEqual(timeless(json.loads(line) for line in self.text(name).splitlines()), timeless(found))

    def test_csv_and_json_name_a_file_as_it_is_called(self):
        name = "two\nlines,\ta \"tab\".png"
        cv2.imwrite(self.path(name), np.full((40, 50), 128, np.uint8))
        self.expect(OK, "detect", name, "-o", "f.csv")
        with open(self.path("f.csv"), newline="") as file:
            row, = csv.DictReader(file)
        self.assertEqual(row["source"], name)
        self.assertEqual(self.found(name)[0]["source"], name)

    def test_a_source_that_fails_does_not_cost_the_others(self):
        self.write("text.png", b"hello\n")
        done = self.expect(SOURCE, "detect", "--json", "missing.png", FACE, "text.png")
        self.assertEqual([json.loads(line)["source"] for line in done.stdout.splitlines()], [FACE])
        self.assertEqual([line.split(": ")[0] for line in done.stderr.splitlines()], ["satscope"] * 2)
        self.refused(SOURCE, "there is no file", "detect", "missing.png", "-o", "f.json")
        self.assertFalse(os.path.exists(self.path("f.json")))

    def test_what_is_refused(self):
        os.mkdir(self.path("dir"))
        os.mkfifo(self.path("pipe"))
        self.write("empty.xml", b"")
        self.write("text.xml", b"hello\n")
        with open(CASCADES + "eye.xml", "rb") as file:
            cascade = file.read()
        self.write("cut.xml", cascade[:100000])
        self.write("lines.xml", cascade.replace(b"<width>20</width>", b"<width>-20</width>", 1))
        line = cascade[:cascade.index(b"<width>20</width>")].count(b"\n") + 1
        with open(LBP_CASCADES + "frontalface.xml", "rb") as file:
            self.write("codes.xml", file.read().replace(b"<maxCatCount>256", b"<maxCatCount>128", 1))
        for says, *words in [
            ("neither an image nor a video", "synthetic:64x48"), ("neither an image nor a video", "matrix:8x8"),
            ("neither an image nor a video", "0"),
            ("no cascade 'frontalfce_alt' (did you mean 'frontalface_alt'?)", FACE, "--cascade", "frontalfce_alt"),
            ("satscope list cascades prints", FACE, "--cascade", "zebra"), ("no cascade ''", FACE, "--cascade", ""),
            ("there is no cascade file './eye.xml'", FACE, "--cascade", "./eye.xml"),
            ("is not a file", FACE, "--cascade", "./dir"), ("is not a file", FACE, "--cascade", "./pipe"),
            ("empty.xml: ", FACE, "--cascade", "empty.xml"), ("text.xml: line 1: ", FACE, "--cascade", "text.xml"),
            ("cut.xml: line ", FACE, "--cascade", "cut.xml"), (f"lines.xml: line {line}: ", FACE, "--cascade", "lines.xml"),
            ("codes.xml: line ", FACE, "--cascade", "codes.xml"),
            ("astronaut.png: line 1", FACE, "--cascade", FACE),
        ]:
            with self.subTest(words=words):
                self.refused(USAGE, says, "detect", *words)
        for code, says, *words in [(SOURCE, "folder", "dir"), (SOURCE, "not a file; name an image, a video or a URL", "pipe"),
                                   (SOURCE, "name a video, an image or a URL\n", "text.xml"),
                                   (SOURCE, "missing.mp4'; check the path\n", "missing.mp4"),
                                   (SOURCE, "sythetic'; check the path\n", "sythetic"),
                                   (FAILED, "there is no folder nowhere", FACE, "-o", "nowhere/f.csv"),
                                   (FAILED, "it is a folder", FACE, "-o", "dir")]:
            with self.subTest(words=words):
                self.refused(code, says, "detect", *words)
                self.assertNotIn("camera", self.run_program("detect", *words).stderr)

    def test_a_result_never_replaces_what_is_read(self):
        self.video("v.avi", 2)
        before = os.path.getsize(self.path("v.avi"))
        os.link(self.path("v.avi"), self.path("other.json"))
        os.symlink("v.avi", self.path("link.csv"))
        for name in "v.avi", "other.json", "link.csv":
            self.refused(USAGE, f"{name} is the source itself", "detect", FACE, "v.avi", "-o", name)
        with open(CASCADES + "eye.xml", "rb") as file:
            self.write("eye.xml", file.read())
        self.refused(USAGE, "eye.xml is a file that this run reads", "detect", FACE, "--cascade", "eye.xml", "-o", "eye.xml")
        self.assertEqual(os.path.getsize(self.path("v.avi")), before)

    def test_a_full_disk_is_reported_in_one_line(self):
        os.symlink("/dev/full", self.path("full.json"))
        self.refused(FAILED, "cannot write full.json", "detect", FACE, "-o", "full.json")

    def test_a_result_that_is_removed_meanwhile_is_a_failure(self):
        self.video("v.avi", 60)
        for name in "f.csv", "f.json":
            with subprocess.Popen([PROGRAM, "detect", *["v.avi"] * 100, "-o", name], cwd=self.folder.name, env=self.env,
                                  stderr=subprocess.PIPE, text=True) as program:
                self.await_that(lambda: self.lines_of(name) > 3, program)
                os.remove(self.path(name))
                program.send_signal(signal.SIGINT)
                _, error = program.communicate(timeout=PATIENCE)
            self.assertEqual(program.returncode, FAILED)
            self.assertIn(f"{name} was removed while it was written; run again\n", error)

    def test_what_a_full_disk_takes_is_whole(self):
        self.video("v.avi", 60)
        for name in "f.json", "f.csv":
            for limit in (5000, *range(5001, 5400, 57)):  # in a row, in what follows the last one
                self.refused(FAILED, f"cannot write {name}: File too large", "detect", *["v.avi"] * 4, "-o", name,
                             preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                self.assertGreater(os.path.getsize(self.path(name)), limit - 600)
                frames = ([one["frame"] for one in self.json(name)] if name == "f.json" else
                          [int(line.split(",")[1]) for line in self.text(name).splitlines()[1:]])
                self.assertEqual(frames, [number % 60 for number in range(len(frames))])

    def test_json_without_a_whole_row_is_json(self):
        self.refused(FAILED, "cannot write f.json: File too large", "detect", FACE, "-o", "f.json",
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual(self.json("f.json"), [])

    def test_a_source_that_is_being_opened_is_interrupted(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            silent.settimeout(PATIENCE)
            process = subprocess.Popen([PROGRAM, "detect", f"http://127.0.0.1:{silent.getsockname()[1]}/a.jpg"],
                                       cwd=self.folder.name, env=self.env, stderr=subprocess.PIPE, text=True)
            asked, _ = silent.accept()  # and never answered
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=PATIENCE)[1]
            asked.close()
        self.assertEqual((process.returncode, said), (FAILED, "satscope: interrupted; 0 pictures searched\n"))

    def test_an_interrupted_run_keeps_what_is_written(self):
        self.video("v.avi", 60)
        with subprocess.Popen([PROGRAM, "detect", *["v.avi"] * 100, "-o", "f.json"], cwd=self.folder.name, env=self.env,
                              stderr=subprocess.PIPE, text=True) as program:
            self.await_that(lambda: self.lines_of("f.json") > 3, program)
            program.send_signal(signal.SIGINT)
            _, error = program.communicate(timeout=PATIENCE)
        self.assertEqual(program.returncode, FAILED)
        said = re.search(r"^satscope: interrupted; ([\d\u2009]+) pictures searched\n\Z", error, re.MULTILINE)  # the last line
        self.assertTrue(said, error)
        found = self.json("f.json")
        self.assertEqual(str(len(found)), said[1].replace("\u2009", ""))
        self.assertEqual(found[-1]["frame"], (len(found) - 1) % 60)

    def test_the_benchmarks_understand_each_other(self):
        def run(program, *words, on=()):
            done = subprocess.run([*on, program, "--detect", "--cascade", CASCADES + "eye.xml", *words],
                                  cwd=self.folder.name, capture_output=True, text=True, timeout=PATIENCE)
            self.assertLessEqual(done.stderr.count("\n"), 1, done.stderr)
            return done
        host = [PROGRAM + "-bench-host", "--seconds", "0.1", "--pictures", "scenes/photo480.pgm"]
        one_core = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
        done = run(*host, "--csv", "d.csv", "--scenes", "scenes", on=one_core)
        self.assertEqual(done.returncode, OK)
        self.assertIn(" with 1 thread\n", done.stdout)
        self.assertNotIn("1 threads", done.stdout)
        comment, line = self.text("d.csv").splitlines()
        self.assertTrue(line.endswith(", 1 thread"), line)
        scene, width, height, cascade, detections = line.split(",")[:5]
        self.assertEqual((comment[0], scene, width, height, cascade), ("#", "photo480", "640", "480", "haarcascade_eye"))
        sizes = {name: cv2.imread(self.path("scenes/" + name), cv2.IMREAD_UNCHANGED).shape
                 for name in os.listdir(self.path("scenes"))}
        self.assertEqual(sizes, {"photo480.pgm": (480, 640), "mix2160.pgm": (2160, 3840)} | {
            name + "1080.pgm": (1080, 1920) for name in ("mix", "crowd", "face", "noise")})
        for says, *words in [("there is no folder", "--csv", "no/such/f"), ("cannot write", "--csv", "/dev/full"),
                             ("cannot write d.csv/photo480.pgm", "--scenes", "d.csv")]:
            done = run(*host, *words)
            self.assertEqual(done.returncode, FAILED)
            self.assertIn(says, done.stderr)
        self.assertEqual(self.text("d.csv").splitlines()[1], line, "of a run that failed nothing is left")
        bench = os.path.join(os.path.dirname(PROGRAM), "../gpu/satscope-bench")
        if not os.path.exists(bench):
            self.skipTest("satscope-bench is not built")
        done = run(bench, "--device", "host", "--samples", "1", "--pictures", "scenes/photo480.pgm", "--json", "d.json")
        self.assertEqual(done.returncode, OK)
        for words in ["--peer-times", "d.csv"], ["--opencv"]:  # read, or measured by the program of the same build
            done = subprocess.run([bench + "-report", "d.json", *words], cwd=self.folder.name, capture_output=True, text=True,
                                  timeout=PATIENCE)
            self.assertRegex(done.stdout, rf"photo480 .*haarcascade_eye .* {detections} .*x\)")
            self.assertIn("\nOpenCV, CPU: ms, ", done.stdout)

    def test_a_reader_that_ends_early_ends_the_run(self):
        self.video("v.avi", 20)
        with subprocess.Popen([PROGRAM, "detect", *["v.avi"] * 1000], cwd=self.folder.name, env=self.env,
                              stdout=subprocess.PIPE) as program:
            self.assertTrue(program.stdout.readline().startswith(b"source"))
            program.stdout.close()
            self.assertNotEqual(program.wait(PATIENCE), OK)


if __name__ == "__main__":
    main()
