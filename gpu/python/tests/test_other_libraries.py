"""Arrays of PyTorch, JAX and of a library that has DLPack and nothing else, in the host's memory."""
import sys

import numpy as np
import pytest
from reference import boxes_of, random_image, sums_of, table_of

import satscope


class Plain:
    """What the array API standard asks of an array, as far as DLPack is concerned."""

    def __init__(self, array):
        self.array, self.dtype = array, array.dtype

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array_namespace__(self):
        return self

    @staticmethod
    def from_dlpack(array):
        return Plain(np.from_dlpack(array))


def test_dlpack_alone():
    image = random_image((40, 60), np.uint8)
    table = satscope.integral(Plain(image), padded=True)
    assert type(table) is Plain
    np.testing.assert_array_equal(table.array, table_of(image, np.uint32, True))
    strided = satscope.integral(Plain(image[::2, 5:50]))
    np.testing.assert_array_equal(strided.array, table_of(image[::2, 5:50], np.uint32))
    out = np.empty((40, 60), np.uint32)
    plan = satscope.Plan(Plain(image))
    wrapped = Plain(out)
    assert plan(Plain(image), out=wrapped) is wrapped
    np.testing.assert_array_equal(out, table_of(image, np.uint32))
    with pytest.raises(ValueError, match="copy=True"):
        satscope.integral(Plain(image[:, ::2]))
    with pytest.raises(TypeError, match="float16"):
        satscope.integral(Plain(image.astype(np.float16)))
    with pytest.raises(ValueError, match="more than 8 axes"):
        satscope.integral(Plain(image.reshape((1,) * 8 + image.shape)))
    for _ in range(3):  # what was exported is given back
        references = sys.getrefcount(image)
        satscope.integral(Plain(image))
        assert sys.getrefcount(image) == references
    boxes = boxes_of(image.shape)
    sums = satscope.box_sum(table, Plain(boxes), padded=True)
    assert type(sums) is Plain
    np.testing.assert_array_equal(sums.array, sums_of(image, boxes, np.uint32))


def test_jax():
    jax = pytest.importorskip("jax")
    cpu = jax.devices("cpu")[0]
    for dtype in (np.uint8, np.float32, np.int32):
        image = random_image((40, 60), dtype)
        on_jax = jax.device_put(image, cpu)
        table = satscope.integral(on_jax)
        assert isinstance(table, jax.Array)
        np.testing.assert_array_equal(np.asarray(table), table_of(image, np.uint32 if dtype is np.uint8 else dtype))
        boxes = boxes_of(image.shape).astype(np.int32)
        sums = satscope.box_sum(table, jax.device_put(boxes, cpu))
        assert isinstance(sums, jax.Array)
        np.testing.assert_array_equal(np.asarray(sums), sums_of(image, boxes, sums.dtype))
    with pytest.raises(TypeError, match="immutable"):
        satscope.integral(on_jax, out=table)
    image = random_image((40, 60, 3), np.uint8)
    table = satscope.integral(jax.device_put(image, cpu))
    np.testing.assert_array_equal(np.asarray(table), image.cumsum(0).cumsum(1))
    np.testing.assert_array_equal(np.asarray(satscope.box_filter(jax.device_put(image, cpu), 5)), satscope.box_filter(image, 5))


def test_torch():
    torch = pytest.importorskip("torch")
    image = random_image((40, 60), np.uint8)
    tensor = torch.from_numpy(image)
    table = satscope.integral(tensor)
    assert isinstance(table, torch.Tensor) and table.dtype == torch.int32
    np.testing.assert_array_equal(table.numpy(), table_of(image, np.int32))
    assert satscope.integral(tensor, dtype=torch.float32).dtype == torch.float32
    if hasattr(torch, "uint32"):
        assert satscope.integral(tensor, dtype=torch.uint32).dtype == torch.uint32
    else:  # before 2.3
        with pytest.raises(TypeError, match="int32"):
            satscope.integral(tensor, dtype="uint32")
    assert satscope.integral(tensor, squares=True).dtype == torch.int64
    out = torch.empty((40, 60), dtype=torch.int32)
    plan = satscope.Plan(tensor)
    assert plan(tensor, out=out) is out and torch.equal(out, table)
    assert plan.dtype == "int32" and satscope.Plan(tensor, "u8_u64").dtype == "int64"
    assert torch.equal(plan(tensor), table)
    part = tensor[::2, 3:50]
    np.testing.assert_array_equal(satscope.integral(part).numpy(), table_of(image[::2, 3:50], np.int32))
    with pytest.raises(ValueError, match="copy=True"):
        satscope.integral(tensor.T)
    np.testing.assert_array_equal(satscope.integral(tensor.T, copy=True).numpy(), table_of(image.T, np.int32))
    batch = torch.from_numpy(random_image((2, 3, 40, 60), np.float32))
    assert torch.equal(satscope.integral(batch), batch.cumsum(-2).cumsum(-1))
    colour = torch.from_numpy(random_image((40, 60, 3), np.uint8))
    assert torch.equal(satscope.integral(colour), colour.int().cumsum(0).cumsum(1).int())
    assert torch.equal(satscope.cv.integral(tensor)[1:, 1:], table)
    boxes = boxes_of(image.shape)
    sums = satscope.box_sum(table, torch.from_numpy(boxes))
    assert isinstance(sums, torch.Tensor) and sums.dtype == torch.int32
    np.testing.assert_array_equal(sums.numpy(), sums_of(image, boxes, np.int32))
    with pytest.raises(ValueError, match="gradient"):
        satscope.integral(torch.zeros((4, 5), requires_grad=True))
    with torch.no_grad():
        satscope.integral(torch.zeros((4, 5), requires_grad=True))
    with pytest.raises(TypeError, match="torch.float16"):
        satscope.integral(tensor.half())
