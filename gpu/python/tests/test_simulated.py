"""The GPU's algorithms on the CPU: their tables are the host's, and their counts are those of `satscope simulate`."""
import numpy as np
import pytest
from reference import SQUARES, TYPES, USUAL, random_image, table_of

import satscope

ALGORITHMS = [a.name for a in satscope.algorithms("simulated")]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_same_table(algorithm):
    image = random_image((100, 150), np.uint8)
    for padded in (False, True):
        table = satscope.integral(image, algorithm, device="simulated", padded=padded)
        np.testing.assert_array_equal(table, table_of(image, np.uint32, padded))


def test_every_type_and_a_plan():
    for type, (pixels, sums) in TYPES.items():
        image = random_image((70, 90), pixels)
        by = {"algorithm": "1r1w_skss_lb", "parameters": {"W": 64}} if type in USUAL else {}
        plan = satscope.Plan(image, type, **by, device="simulated", padded=True)
        assert plan.device == "simulated" and ("W=64" in plan.parameters or not by)
        np.testing.assert_array_equal(plan(image), table_of(image, sums, True, type in SQUARES))
        out = np.zeros((3, 71, 91), sums)
        images = np.stack([image, image[::-1], image])
        satscope.integral(images, dtype=sums, padded=True, out=out, device="simulated", squares=type in SQUARES)
        np.testing.assert_array_equal(out, table_of(images, sums, True, type in SQUARES))
    assert satscope.Plan((70, 90), "u8_u32", device="simulated").algorithm in ALGORITHMS


def test_counts_of_2r1w():
    result = satscope.simulate("2r1w", (256, 256))
    assert result["equal"] and result["races"] == [] and result["launches"] == 3
    assert 8 < result["read_bytes_per_pixel"] < 9 and 4 < result["written_bytes_per_pixel"] < 5
    assert result["umm_units"] > 0 and result["dmm_umm_units"] > 0 and result["parameters"]["W"] == "64"
    assert satscope.simulate("2r1w", (256, 256)) == result
    assert satscope.simulate("2r1w", (256, 256), seed=3)["equal"]
    assert satscope.simulate("2r1w", np.zeros((64, 64), np.uint8))["type"] == "u8_u32"
    assert satscope.simulate("prefix_doubling", (64, 64))["formula"]


def test_each_argument_of_a_simulation_counts():
    usual = satscope.simulate("1r1w_skss_lb", (256, 256))
    assert satscope.simulate("1r1w_skss_lb", (256, 256), width=8)["umm_units"] > usual["umm_units"]
    assert satscope.simulate("1r1w_skss_lb", (256, 256), latency=800)["umm_units"] > usual["umm_units"]
    assert satscope.simulate("1r1w_skss_lb", (256, 256), blocks=1)["umm_units"] > usual["umm_units"]
    assert satscope.simulate("1r1w_skss_lb", (256, 256), parameters={"W": 32})["parameters"]["W"] == "32"
    wide = satscope.simulate("2r1w", (64, 96), "f64_f64")
    assert wide["type"] == "f64_f64" and wide["shape"] == (64, 96) and wide["equal"]
    assert wide["written_bytes_per_pixel"] > 8
    of_image = satscope.simulate("2r1w", np.zeros((64, 96), np.float64))
    assert of_image == wide
    assert "formula" not in usual and usual["formula_units"] is None
    assert satscope.simulate("1r1w_skss_lb", (256, 256)) == usual  # whatever was simulated between
