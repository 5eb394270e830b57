"""What is wrong is one exception of one line, which says the cause and the next step; and nothing is written."""
import numpy as np
import pytest
from reference import random_image

import satscope

image = random_image((20, 30), np.uint8)


class NoTensor:
    """What has DLPack's methods, and no tensor."""

    def __init__(self, device=1):
        self.device = device

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self):
        return None


@pytest.mark.parametrize(
    "error, says, call",
    (
        (TypeError, "not list: numpy.asarray", lambda: satscope.integral([[1, 2]])),
        (TypeError, "not NoneType", lambda: satscope.integral(None)),
        (TypeError, "float16", lambda: satscope.integral(image.astype(np.float16))),
        (TypeError, "uint16, uint32", lambda: satscope.integral(image.astype(np.int16))),
        (TypeError, ">u4", lambda: satscope.integral(image.astype(">u4"))),
        (TypeError, "complex128", lambda: satscope.integral(image.astype(complex))),
        (TypeError, "masked", lambda: satscope.integral(np.ma.masked_array(image))),
        (ValueError, "two axes", lambda: satscope.integral(image[0])),
        (ValueError, "two axes", lambda: satscope.integral(np.uint8(3).reshape(()))),
        (ValueError, "empty", lambda: satscope.integral(image[:0])),
        (ValueError, "copy=True", lambda: satscope.integral(image[:, ::-1])),
        (ValueError, "more than 8 axes", lambda: satscope.integral(image.reshape((1,) * 8 + image.shape))),
        (ValueError, "HWC", lambda: satscope.integral(image, layout="HWC")),
        (ValueError, "layout", lambda: satscope.integral(image, layout="CHW")),
        (TypeError, "uint32, int32", lambda: satscope.integral(image, dtype="int8")),
        (TypeError, "there are no float64 tables of uint16", lambda: satscope.integral(image.astype(np.uint16), dtype="float64")),
        (TypeError, "squares", lambda: satscope.integral(image.astype(np.float64), squares=True)),
        (TypeError, "squares .* float32 of uint8", lambda: satscope.integral(image, squares=True, dtype="float32")),
        (satscope.Error, "2r1w: does not support 16u32u: decoupled_fallback, host_ehsan",
         lambda: satscope.integral(image.astype(np.uint16), "2r1w", device="simulated")),
        (TypeError, "the table is uint16", lambda: satscope.box_sum(image.astype(np.uint16), [[0, 0, 1, 1]])),
        (TypeError, "tilted tables .* not f32_f32", lambda: satscope.integral(image.astype(np.float32), tilted=True)),
        (TypeError, "tilted tables .* not u8_u64", lambda: satscope.integral(image, squares=True, tilted=True)),
        (TypeError, "tilted tables .* not u8_f32",
         lambda: satscope.integral(image, out=np.empty((20, 30), np.float32), tilted=True)),
        (ValueError, "tilted tables have an algorithm", lambda: satscope.integral(image, "2r1w", tilted=True)),
        (ValueError, "tilted tables have an algorithm", lambda: satscope.Plan(image, parameters="W=64", tilted=True)),
        (ValueError, "shape \\(20, 30\\), not \\(30, 20\\)", lambda: satscope.integral(image, out=np.empty((30, 20), np.uint32))),
        (ValueError, "shape \\(21, 31\\)", lambda: satscope.integral(image, padded=True, out=np.empty((20, 30), np.uint32))),
        (TypeError, "int32, and the table has uint32",
         lambda: satscope.integral(image, dtype="int32", out=np.empty((20, 30), np.uint32))),
        (TypeError, "no uint8 tables", lambda: satscope.integral(image, out=np.empty((20, 30), np.uint8))),
        (ValueError, "read-only", lambda: satscope.integral(image, out=np.broadcast_to(np.uint32(0), (20, 30)))),
        (ValueError, "out= needs contiguous rows", lambda: satscope.integral(image, out=np.empty((20, 60), np.uint32)[:, ::2])),
        (satscope.Error, "overlap", lambda: satscope.integral(*overlapping())),
        (satscope.Error, "no algorithm 'nope'", lambda: satscope.integral(image, "nope")),
        (satscope.Error, "did you mean 2r1w", lambda: satscope.integral(image, "2r1x")),
        (satscope.Error, "device=\"simulated\"", lambda: satscope.integral(image, "2r1w")),
        (TypeError, "algorithms", lambda: satscope.integral(image, 7)),
        (satscope.Error, "no parameter 'W'", lambda: satscope.integral(image, parameters="W=64")),
        (satscope.Error, "NAME=VALUE", lambda: satscope.integral(image, parameters="W")),
        (TypeError, "parameters", lambda: satscope.integral(image, parameters=3)),
        (ValueError, "cupy.asarray", lambda: satscope.integral(image, device="cuda")),
        (ValueError, "no device 'tpu'", lambda: satscope.integral(image, device="tpu")),
        (TypeError, "stream", lambda: satscope.integral(image, stream="fast")),
        (TypeError, "needs a type", lambda: satscope.Plan((20, 30))),
        (ValueError, "no type 'u9'", lambda: satscope.Plan((20, 30), "u9")),
        (ValueError, "empty", lambda: satscope.Plan((0, 30), "u8_u32", device="host")),
        (ValueError, "2\\^30", lambda: satscope.Plan((2, 2**31), "u8_u32", device="host")),
        (ValueError, "for images of the shape \\(20, 30\\)", lambda: satscope.Plan(image)(image[1:])),
        (TypeError, "for uint8 images", lambda: satscope.Plan(image)(image.astype(np.float32))),
        (TypeError, "sums are uint32", lambda: satscope.Plan(image)(image, out=np.empty((20, 30), np.float32))),
        (ValueError, "runs", lambda: satscope.Plan(image).time(image, runs=0)),
        (TypeError, "uint8", lambda: satscope.box_filter(image.astype(np.float32), 3)),
        (ValueError, "window", lambda: satscope.box_filter(image, -1)),
        (ValueError, "window", lambda: satscope.box_filter(image, 2048)),
        (ValueError, "border", lambda: satscope.box_filter(image, 3, "wrap")),
        (ValueError, "sdepth", lambda: satscope.cv.integral(image, 3)),
        (TypeError, "uint16", lambda: satscope.cv.integral(image.astype(np.uint16))),
        (TypeError, "tilted", lambda: satscope.cv.integral3(image.astype(np.float32))),
        (satscope.Error, "runs on the CPU", lambda: satscope.simulate("host_serial", image)),
        (satscope.Error, "does not run on the simulated GPU", lambda: satscope.simulate("cub", image)),
        (satscope.Error, "cub does not run on the simulated GPU", lambda: satscope.integral(image, "cub", device="simulated")),
        (satscope.Error, "runs on the CPU", lambda: satscope.Plan(image, algorithm="host_serial", device="simulated")),
        (satscope.Error, "can be tuned", lambda: satscope.Plan(image, device="simulated", tilted=True).tune()),
        (TypeError, "gives no tensor of DLPack", lambda: satscope.integral(NoTensor())),
        (TypeError, "neither on the CPU nor on an NVIDIA GPU", lambda: satscope.integral(NoTensor(device=8))),
        (ValueError, "width", lambda: satscope.simulate("2r1w", image, width=3)),
        (ValueError, "one image", lambda: satscope.simulate("2r1w", (2, 3, 4))),
        (TypeError, "algorithm: a name", lambda: satscope.simulate(None, image)),
        (TypeError, "latency: an integer, not float", lambda: satscope.simulate("2r1w", image, latency=1.5)),
        (ValueError, "blocks: from 1", lambda: satscope.simulate("2r1w", image, blocks=0)),
        (TypeError, "seed: an integer, not str", lambda: satscope.simulate("2r1w", image, seed="3")),
        (TypeError, "a side of the shape: an integer, not list", lambda: satscope.simulate("2r1w", [[1, 2], [3, 4]])),
        (TypeError, "padded: True or False, not NoneType", lambda: satscope.integral(image, padded=None)),
        (TypeError, "padded: True or False, not list", lambda: satscope.box_sum(image, [], padded=[])),
        (ValueError, "squares: from 0 to 1", lambda: satscope.integral(image, squares=2)),
        (TypeError, "copy: True or False, not str", lambda: satscope.box_filter(image, 3, copy="no")),
        (TypeError, "layout: a text, not int", lambda: satscope.integral(image, layout=3)),
        (TypeError, "border: a text, not NoneType", lambda: satscope.box_filter(image, 3, None)),
        (TypeError, "size: an integer, not numpy.ndarray", lambda: satscope.box_filter(image, image)),
        (TypeError, "dtype: .* not numpy.ndarray", lambda: satscope.integral(image, dtype=image)),
        (ValueError, "handle of a stream: from 0", lambda: satscope.integral(image, stream=-1)),
        (ValueError, "handle of a stream: from 0", lambda: satscope.integral(image, stream=2**64)),
        (TypeError, "a side of the shape: an integer, not float", lambda: satscope.Plan((20, 30.5), "u8_u32")),
        (TypeError, "a side of the shape: an integer, not list", lambda: satscope.Plan(image.tolist(), "u8_u32")),
        (ValueError, "a side of the shape: from", lambda: satscope.Plan((2**70, 30), "u8_u32")),
        (TypeError, "type: a text, not int", lambda: satscope.Plan(image, 32)),
        (ValueError, "threads: from 0", lambda: satscope.Plan(image, threads=-1)),
        (TypeError, "runs: an integer, not NoneType", lambda: satscope.Plan(image).time(image, runs=None)),
        (TypeError, "copy: True or False", lambda: satscope.Plan(image)(image, copy=image)),
        (TypeError, "not list: numpy.asarray", lambda: satscope.cv.integral([[1, 2]])),
        (TypeError, "not memoryview: numpy.asarray", lambda: satscope.cv.integral2(memoryview(image))),
        (ValueError, "sqdepth.*not array", lambda: satscope.cv.integral2(image, sqdepth=image)),
        (ValueError, "the sums are read-only",
         lambda: satscope.box_sum(image.astype(np.uint32), [[0, 0, 1, 1]], out=np.broadcast_to(np.uint32(0), (1,)))),
    ),
)
def test_one_line_with_the_next_step(error, says, call):
    with pytest.raises(error, match=says) as caught:
        call()
    assert caught.type is error and "\n" not in str(caught.value)


def test_truth_of_numpy_and_integers_of_any_kind():
    expected = satscope.integral(image, padded=True)
    for true in (np.True_, 1):
        np.testing.assert_array_equal(satscope.integral(image, padded=true), expected)
        assert satscope.Plan(image, padded=true).padded
    assert not satscope.Plan(image, padded=np.False_).padded
    assert satscope.Plan((np.int64(20), np.uint8(30)), "u8_u32").shape == (20, 30)
    np.testing.assert_array_equal(satscope.box_filter(image, (np.int32(3), 5)), satscope.box_filter(image, (3, 5)))


def overlapping():
    memory = np.zeros((40, 30), np.uint32)
    return memory.view(np.uint8)[:20, :30], None, None, None, False, memory[:20]


def test_without_a_gpu():
    why = satscope.gpu_is_missing()
    if why is None:
        pytest.skip("there is a GPU")
    with pytest.raises(satscope.Error, match="no GPU: .*device=\"host\""):
        satscope.Plan((20, 30), "u8_u32", device="cuda")
    assert satscope.Plan((20, 30), "u8_u32").device == "host"


def test_an_error_leaves_the_next_call_alone():
    for _ in range(3):
        with pytest.raises(satscope.Error):
            satscope.integral(image, parameters="threads=0")
        assert satscope.integral(image)[-1, -1] == image.sum()
