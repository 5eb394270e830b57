"""Sums of boxes of NumPy's arrays: every type, shape, layout and kind of box against a loop; and what is refused."""
import numpy as np
import pytest
from reference import SQUARES, TYPES, boxes_of, random_image, sums_of, table_of, tilted_sums_of, tilted_table_of

import satscope


def same(found, expected):
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("device", (None, "simulated"))
@pytest.mark.parametrize("padded", (False, True))
@pytest.mark.parametrize("type", TYPES)
def test_every_type_and_size(type, padded, device):
    pixels, sums = TYPES[type]
    for shape in ((1, 1), (1, 7), (7, 1), (33, 65)):
        image = random_image(shape, pixels)
        if pixels is not np.uint8:
            image = image % 8
        if type in SQUARES:
            image = image.astype(np.uint64) ** 2  # which the table sums
        table = table_of(image, sums, padded)
        boxes = boxes_of(shape, 100)
        expected = sums_of(image, boxes, sums)
        same(satscope.box_sum(table, boxes, padded, device=device), expected)
        same(satscope.box_sum(table, boxes.astype(np.int32), padded=padded, device=device), expected)


def test_signed_tables():
    image = random_image((20, 30), np.uint8)
    boxes = boxes_of(image.shape)
    same(satscope.box_sum(table_of(image, np.int32), boxes), sums_of(image, boxes, np.int32))
    same(satscope.box_sum(table_of(image, np.int64), boxes), sums_of(image, boxes, np.int64))


def test_a_table_that_has_wrapped_around():
    image = np.full((300, 300), 2**32 - 1, np.uint32)
    image[200, 100] = 77
    same(satscope.box_sum(satscope.integral(image), [[100, 200, 1, 1]]), np.array([77], np.uint32))


def test_more_boxes_than_one_thread_takes():
    image = random_image((50, 60), np.uint8)
    table = satscope.integral(image)
    boxes = boxes_of(image.shape, 1000)
    same(satscope.box_sum(table, np.tile(boxes, (200, 1))), np.tile(sums_of(image, boxes, np.uint32), 200))


def test_numbers_at_the_end_of_their_types():
    image = random_image((20, 30), np.uint8)
    table = satscope.integral(image)
    for dtype in (np.int32, np.int64):
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        boxes = np.array([[0, 0, most, most], [5, 5, most, most], [least, 0, most, 5], [least, least, least, least],
                          [most, most, most, most], [-1, -1, most, most]], dtype)
        expected = [image.sum(), image[5:, 5:].sum(), 0, 0, 0, image.sum()]
        same(satscope.box_sum(table, boxes), np.array(expected, np.uint32))


def test_layouts():
    image = random_image((40, 50), np.uint8)
    boxes = boxes_of(image.shape)
    expected = sums_of(image, boxes, np.uint32)
    wide = np.zeros((40, 70), np.uint32)[:, 3:53]
    satscope.integral(image, out=wide)
    same(satscope.box_sum(wide, boxes), expected)  # rows with a stride
    same(satscope.box_sum(wide, np.repeat(boxes, 2, 0)[::2]), expected)
    same(satscope.box_sum(wide, boxes[::-1]), expected[::-1])
    same(satscope.box_sum(wide, np.asfortranarray(boxes)), expected)
    same(satscope.box_sum(wide, boxes.tolist()), expected)
    same(satscope.box_sum(wide, boxes[:1]), expected[:1])
    same(satscope.box_sum(wide, boxes[:0]), expected[:0])
    with pytest.raises(ValueError, match="copy=True"):
        satscope.box_sum(wide[:, ::2], boxes)
    mirrored = wide[::-1]
    same(satscope.box_sum(mirrored, boxes, copy=True), satscope.box_sum(mirrored.copy(), boxes))
    memory = np.full(2 * len(boxes), 99, np.uint32)
    assert satscope.box_sum(wide, boxes, out=memory[::2]).base is memory
    same(memory[::2].copy(), expected)
    assert (memory[1::2] == 99).all()


def test_batches_and_channels():
    boxes = boxes_of((20, 30))
    images = random_image((2, 3, 20, 30), np.uint8)
    for padded in (False, True):
        table = satscope.integral(images, padded=padded)
        same(satscope.box_sum(table, boxes, padded), sums_of(images, boxes, np.uint32))
        out = np.zeros((2, 3, len(boxes)), np.uint32)
        assert satscope.box_sum(table, boxes, padded, out) is out
        same(out, sums_of(images, boxes, np.uint32))
    colour = random_image((20, 30, 3), np.uint8)
    expected = sums_of(np.moveaxis(colour, -1, 0), boxes, np.uint32).T
    for table in (satscope.integral(colour), np.ascontiguousarray(satscope.integral(colour))):
        same(satscope.box_sum(table, boxes), expected)
        out = np.zeros(expected.shape, np.uint32)
        assert satscope.box_sum(table, boxes, out=out) is out
        same(out, expected)
    same(satscope.box_sum(satscope.integral(images[0]), boxes, layout="NHW"), sums_of(images[0], boxes, np.uint32))
    same(satscope.box_sum(satscope.integral(images[0])[:0], boxes), np.zeros((0, len(boxes)), np.uint32))


@pytest.mark.parametrize("device", (None, "simulated"))
@pytest.mark.parametrize("padded", (False, True))
def test_tilted(padded, device):
    for shape in ((1, 1), (1, 7), (7, 1), (23, 31), (2, 3, 9, 11)):
        image = random_image(shape, np.uint8)
        boxes = boxes_of(shape[-2:], 300)
        boxes[:200, 2:] = boxes[:200, 2:] % 5 - 1  # most of the others reach below the image
        for dtype in (np.uint32, np.int32):
            table = satscope.integral(image, dtype=dtype, padded=padded, tilted=True, device=device)
            same(table, tilted_table_of(image, dtype, padded))
            expected = tilted_sums_of(image, boxes, dtype)
            same(satscope.box_sum(table, boxes, padded, tilted=True, device=device), expected)
            same(satscope.box_sum(table, boxes.astype(np.int32), padded, tilted=True, device=device), expected)
        if shape == (23, 31):
            sums = satscope.box_sum(tilted_table_of(image, float, padded), boxes, padded, tilted=True, device=device)
            expected = expected.astype(float)
            expected[expected == -1] = np.nan
            assert 0 < np.isnan(expected).sum() < 200
            same(sums, expected)
        plan = satscope.Plan(image, padded=padded, tilted=True, device=device)
        assert (plan.algorithm, plan.parameters) == ("tilted", "") and "tilted=True" in repr(plan)
        same(plan(image), tilted_table_of(image, np.uint32, padded))
    for dtype in (np.int32, np.int64):  # numbers at the end of their types
        numbers = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 0, 5], dtype)
        boxes = np.stack(np.meshgrid(*[numbers] * 4), -1).reshape(-1, 4)
        assert len(satscope.box_sum(table, boxes, padded, tilted=True, device=device)[0, 0]) == 256


def test_tilted_tables_of_opencv():
    cv2 = pytest.importorskip("cv2")
    image = random_image((40, 50), np.uint8)
    table = cv2.integral3(image)[2]
    boxes = np.array([[20, 3, 4, 7], [9, 0, 8, 9], [25, 12, 14, 13]])
    x, y, w, h = boxes.T
    same(satscope.box_sum(table, boxes, padded=True, tilted=True),  # as CascadeClassifier adds them up
         table[y, x] - table[y + h, x - h] - table[y + w, x + w] + table[y + w + h, x + w - h])


def test_tables_of_opencv():
    cv2 = pytest.importorskip("cv2")
    image = random_image((40, 50), np.uint8)
    boxes = boxes_of(image.shape)
    same(satscope.box_sum(cv2.integral(image), boxes, padded=True), sums_of(image, boxes, np.int32))
    colour = random_image((40, 50, 3), np.uint8)
    expected = sums_of(np.moveaxis(colour, -1, 0), boxes, np.int32).T
    same(satscope.box_sum(cv2.integral(colour), boxes, padded=True), expected)


image = random_image((20, 30), np.uint8)
table = table_of(image, np.uint32)
boxes = boxes_of(image.shape, 10)


@pytest.mark.parametrize(
    "error, says, call",
    (
        (TypeError, "table is uint8.*integral", lambda: satscope.box_sum(image, boxes)),
        (TypeError, "not list", lambda: satscope.box_sum([[1, 2]], boxes)),
        (TypeError, "not NoneType", lambda: satscope.box_sum(table, None)),
        (ValueError, "two axes", lambda: satscope.box_sum(table[0], boxes)),
        (ValueError, "empty", lambda: satscope.box_sum(table[:0], boxes)),
        (ValueError, "shape \\(N, 4\\).*this is \\(4,\\)", lambda: satscope.box_sum(table, [1, 2, 3, 4])),
        (ValueError, "shape \\(N, 4\\).*this is \\(10, 3\\)", lambda: satscope.box_sum(table, boxes[:, :3])),
        (TypeError, "int32 or int64, not float64", lambda: satscope.box_sum(table, boxes.astype(float))),
        (TypeError, "boxes are int16: boxes have int32", lambda: satscope.box_sum(table, boxes.astype(np.int16))),
        (TypeError, "uint32, and so must out= be, which is float32",
         lambda: satscope.box_sum(table, boxes, out=np.empty(10, np.float32))),
        (ValueError, "shape \\(10,\\), not \\(9,\\)", lambda: satscope.box_sum(table, boxes, out=np.empty(9, np.uint32))),
        (ValueError, "read-only", lambda: satscope.box_sum(table, boxes, out=np.broadcast_to(np.uint32(0), (10,)))),
        (ValueError, "backwards", lambda: satscope.box_sum(table, boxes, out=np.empty(10, np.uint32)[::-1])),
        (satscope.Error, "the sums overlap", lambda: satscope.box_sum(table, boxes, out=table.reshape(-1)[5:15])),
        (ValueError, "overlap", lambda: satscope.box_sum(table[None], boxes, out=table.reshape(1, -1)[:, :10], layout="NHW")),
        (satscope.Error, "padded table", lambda: satscope.box_sum(table[:1], boxes, padded=True)),
        (ValueError, "the table is in the host's memory.*computes on a GPU", lambda: satscope.box_sum(table, boxes, device="cuda")),
        (ValueError, "no device 'tpu'", lambda: satscope.box_sum(table, boxes, device="tpu")),
    ),
)
def test_one_line_with_the_next_step(error, says, call):
    before = table.copy()
    with pytest.raises(error, match=says) as caught:
        call()
    assert caught.type is error and "\n" not in str(caught.value)
    np.testing.assert_array_equal(table, before)


def test_a_list_of_no_boxes():
    table = satscope.integral(random_image((20, 30), np.uint8))
    same(satscope.box_sum(table, []), np.empty(0, np.uint32))
