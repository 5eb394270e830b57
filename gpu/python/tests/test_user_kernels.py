"""Kernels of a user's own: judged in a process of their own, and loaded as algorithms."""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from reference import random_image, table_of

import satscope

FILES = pathlib.Path(__file__).parents[2] / "tests/user_kernels/files"
COURSE = pathlib.Path(__file__).parents[2] / "examples/course"
RIGHT = (FILES / "right.cu").read_text()


@pytest.fixture(scope="module", autouse=True)
def compiler(tmp_path_factory):
    file = tmp_path_factory.mktemp("first") / "first.cu"
    file.write_text("not C++")
    try:
        satscope.judge(file)
    except satscope.Error as error:
        pytest.skip(f"no kernel can be compiled: {error}")


def test_a_right_kernel_is_true():
    verdict = satscope.judge(str(FILES / "right.cu"), seconds=30)
    assert verdict and verdict.outcome == verdict.sentence == "right" and verdict.name == "right", verdict
    assert verdict.tables > 10 and verdict.races == [] and verdict.wrong is None and verdict.where == ""
    traffic = verdict.traffic
    assert traffic["launches"] == 2
    assert (traffic["read_bytes_per_pixel"], traffic["written_bytes_per_pixel"]) == (5, 8)
    assert {line["file"] for line in verdict.lines} == {"right.cu"}
    assert sum(line["written_bytes"] for line in verdict.lines) == 8 * np.prod(traffic["shape"])


def test_what_is_wrong_is_said():
    verdict = satscope.judge(FILES / "wrong.cu")
    assert not verdict and verdict.outcome == "wrong" and verdict.where
    wrong = verdict.wrong
    assert wrong["expected"] != wrong["got"] and wrong["count"] > 0
    row, column = wrong["y"] - wrong["top"], wrong["x"] - wrong["left"]
    assert wrong["around_expected"][row][column] == wrong["expected"]
    assert wrong["around_got"][row][column] == wrong["got"]

    verdict = satscope.judge(FILES / "missing_barrier.cu")
    assert not verdict and "race" in verdict.sentence
    race = verdict.races[0]
    lines = (FILES / "missing_barrier.cu").read_text().splitlines()
    assert race["first_file"] == race["second_file"] == "missing_barrier.cu" and race["times"] > 0
    assert all("row[t" in lines[race[which] - 1] for which in ("first_line", "second_line"))

    verdict = satscope.judge(FILES / "syntax_error.cu")
    assert verdict.outcome == "does not compile" and verdict.traffic is None
    assert (verdict.messages[0]["severity"], verdict.messages[0]["line"]) == ("error", 7)


def test_what_misbehaves_costs_only_its_own_process():
    for name, said in (("exit_at_start", "ended itself"), ("host_wild_write", "crashed"), ("endless_run", "does not end within 2 s")):
        verdict = satscope.judge(FILES / f"{name}.cu", seconds=2)
        assert verdict.outcome == "wrong" and said in verdict.sentence, verdict


def test_a_loaded_kernel_is_an_algorithm(tmp_path):
    file = tmp_path / "loaded.cu"
    file.write_text(RIGHT)
    assert satscope.load(file) == "loaded"
    entry = next(a for a in satscope.algorithms("simulated") if a.name == "loaded")
    assert entry.types == ("u8_u32",) and "loaded" not in [a.name for a in satscope.algorithms("host")]
    image = random_image((100, 150), np.uint8)
    for algorithm in ("loaded", entry):
        np.testing.assert_array_equal(satscope.integral(image, algorithm, device="simulated"), table_of(image, np.uint32))
    assert satscope.Plan(image, algorithm="loaded", device="simulated").algorithm == "loaded"
    counted = satscope.simulate("loaded", (64, 64), "u8_u32")
    assert counted["equal"] and counted["launches"] == 2
    with pytest.raises(satscope.Error, match="simulated"):
        satscope.integral(image, "loaded")


def test_loading_again_takes_the_present_version(tmp_path):
    file = tmp_path / "changing.cu"
    file.write_text(RIGHT)
    satscope.load(file)
    image = random_image((64, 64), np.uint8)
    satscope.integral(image, "changing", device="simulated")
    before = satscope.Plan(image, algorithm="changing", device="simulated")
    assert satscope.simulate("changing", (64, 64), "u8_u32")["launches"] == 2
    extra = "__global__ void nothing() {}\n\nvoid run(Image image, Table table) {\n  nothing<<<1, 32>>>();\n"
    file.write_text(RIGHT.replace("void run(Image image, Table table) {\n", extra))
    satscope.load(file)
    assert satscope.simulate("changing", (64, 64), "u8_u32")["launches"] == 3
    for table in (satscope.integral(image, "changing", device="simulated"), before(image)):
        np.testing.assert_array_equal(table, table_of(image, np.uint32))
    # A version that is wrong does not take the place of one that is right.
    file.write_text((FILES / "wrong.cu").read_text())
    with pytest.raises(satscope.Error, match="changing.cu: wrong"):
        satscope.load(file)
    assert satscope.simulate("changing", (64, 64), "u8_u32")["launches"] == 3


def test_what_cannot_be_loaded(tmp_path):
    with pytest.raises(satscope.Error, match="syntax_error.cu:7"):
        satscope.load(FILES / "syntax_error.cu")
    with pytest.raises(satscope.Error):
        satscope.load(tmp_path / "nowhere.cu")
    taken = tmp_path / "2r1w.cu"
    taken.write_text(RIGHT)
    with pytest.raises(satscope.Error):
        satscope.load(taken)
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "twin.cu").write_text(RIGHT)
    satscope.load(tmp_path / "one/twin.cu")
    with pytest.raises(satscope.Error, match="same name"):
        satscope.load(tmp_path / "two/twin.cu")


def test_what_is_not_utf_8_is_replaced(tmp_path):
    file = tmp_path / os.fsdecode(b"caf\xe9.cu")
    file.write_bytes(b"// Rows of a caf\xe9.\n" + RIGHT.encode())
    verdict = satscope.judge(file)
    assert verdict and verdict.name == "caf\ufffd"
    assert {line["file"] for line in verdict.lines} == {file.name}
    for _ in range(2):
        name = satscope.load(file)
        assert name == "caf\ufffd" and satscope.simulate(name, (8, 8), "u8_u32")["launches"] > 0
    file.write_bytes(b"#error caf\xe9\n" + RIGHT.encode())
    message = satscope.judge(file).messages[0]
    assert "caf" in message["text"] and (message["file"], message["line"]) == (os.fspath(file), 1)
    with pytest.raises(satscope.Error, match="caf.*:1"):
        satscope.load(file)


def test_arguments():
    for call in (satscope.judge, satscope.load):
        for wrong in (None, 3, ["mine.cu"]):
            with pytest.raises(TypeError):
                call(wrong)
    file = FILES / "right.cu"
    for wrong in ({"seconds": "10"}, {"memory_bytes": "1"}, {"timed": 1.5}, {"sizes": [3]}):
        with pytest.raises((TypeError, ValueError)):
            satscope.judge(file, **wrong)
    for wrong in ({"seconds": 0}, {"seconds": float("nan")}, {"memory_bytes": 0}, {"sizes": [(3, 4, 5)]}, {"seed": -1}):
        with pytest.raises(ValueError):
            satscope.judge(file, **wrong)


def test_without_its_libraries_it_says_what_is_missing(tmp_path):
    program = f"import satscope\ntry: satscope.judge({str(FILES / 'right.cu')!r})\nexcept satscope.Error as error: print(error)"
    environment = {**os.environ, "SATSCOPE_SIMULATED": str(tmp_path)}
    said = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True).stdout
    assert said.startswith("a user's kernel cannot be compiled: ") and len(said.splitlines()) == 1, said


def test_ctrl_c_ends_it_soon():
    begin = time.monotonic()
    threading.Timer(3, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        satscope.judge(FILES / "endless_run.cu", seconds=600)
    assert time.monotonic() - begin < 300


def test_the_course_is_right():
    for file in sorted(COURSE.glob("*.cu")):
        verdict = satscope.judge(file, seconds=60)  # an upper limit, for a busy machine
        assert verdict, (file.name, verdict)
