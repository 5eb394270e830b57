"""Tables of NumPy's arrays on the CPU: every type, shape and layout against exact sums, OpenCV and scikit-image."""
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from reference import SQUARES, TYPES, random_image, table_of

import satscope


def same(found, expected):
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("padded", (False, True))
@pytest.mark.parametrize("type", TYPES)
def test_every_type_and_size(type, padded):
    pixels, sums = TYPES[type]
    squares = type in SQUARES
    for shape in ((1, 1), (1, 7), (7, 1), (2, 3), (33, 65), (130, 257)):
        image = random_image(shape, pixels)
        expected = table_of(image, sums, padded, squares)
        same(satscope.integral(image, dtype=sums, padded=padded, squares=squares), expected)
        plan = satscope.Plan(shape, type, padded=padded, device="host")
        assert (plan.type, plan.shape, plan.table_shape, plan.dtype) == (type, shape, expected.shape, expected.dtype.name)
        same(plan(image), expected)


def test_sums_of_uint8_by_name():
    image = random_image((20, 30), np.uint8)
    for dtype in ("uint32", "int32", "float32", np.uint32, np.dtype("int32"), np.float32):
        same(satscope.integral(image, dtype=dtype), table_of(image, np.dtype(dtype)))
    same(satscope.integral(image), table_of(image, np.uint32))
    same(satscope.integral(image, squares=True), table_of(image, np.uint64, squares=True))
    same(satscope.integral(image, dtype="int64", squares=True), table_of(image, np.int64, squares=True))


def test_signed_and_bool_images():
    image = random_image((20, 30), np.int32)
    same(satscope.integral(image), table_of(image, np.int32))  # modulo 2^32
    mask = random_image((20, 30), np.uint8) > 99
    same(satscope.integral(mask), table_of(mask, np.uint32))


def test_floats_within_the_bound():
    image = np.random.default_rng(3).standard_normal((300, 500)).astype(np.float32)
    exact = image.astype(np.float64).cumsum(0).cumsum(1)
    bound = (800 + 64) * np.finfo(np.float32).eps * np.abs(image.astype(np.float64)).cumsum(0).cumsum(1)
    assert (np.abs(satscope.integral(image) - exact) <= bound).all()


def test_rows_with_strides_are_taken_as_they_are():
    whole = random_image((50, 100), np.uint8)
    for image in (whole[3:40, 5:77], whole[::2], whole[:, :1], whole[7:8, ::-1][:, :1]):
        same(satscope.integral(image), table_of(image, np.uint32))
    wide = random_image((50, 100), np.float64)[:, 1:50]
    same(satscope.integral(wide), table_of(wide, np.float64))
    read_only = whole[:]
    read_only.flags.writeable = False
    same(satscope.integral(read_only), table_of(whole, np.uint32))
    memory = memoryview(whole)
    same(satscope.integral(memory), table_of(whole, np.uint32))


def test_other_layouts_are_refused_or_copied():
    whole = random_image((50, 100), np.uint32)
    unaligned = np.frombuffer(b"x" + whole.tobytes(), np.uint8)[1:].view(np.uint32).reshape(whole.shape)
    for image in (whole[:, ::2], whole[:, ::-1], whole[::-1], whole.T, np.broadcast_to(whole[0], (5, 100)), unaligned):
        with pytest.raises(ValueError, match="copy=True"):
            satscope.integral(image)
        same(satscope.integral(image, copy=True), table_of(image, np.uint32))


def test_batches():
    for shape in ((3, 20, 30), (0, 20, 30), (2, 3, 20, 30)):
        images = random_image(shape, np.uint8)
        for padded in (False, True):
            same(satscope.integral(images, padded=padded), table_of(images, np.uint32, padded))
    whole = random_image((4, 5, 20, 30), np.uint8)
    memory = np.zeros((4, 5, 20, 30), np.uint32)
    for part in np.s_[::2], np.s_[:, ::2], np.s_[::-1], np.s_[:, :1], np.s_[:1, 3:]:
        same(satscope.integral(whole[part]), table_of(whole[part], np.uint32))
        same(satscope.integral(whole[part], out=memory[part]).copy(), table_of(whole[part], np.uint32))
    repeated = np.broadcast_to(whole[0, 0], (6, 20, 30))
    same(satscope.integral(repeated), table_of(repeated, np.uint32))
    images = random_image((4, 20, 30), np.float32)
    same(satscope.integral(images[::-2]), table_of(images[::-2], np.float32))
    plan = satscope.Plan(images)
    out = np.empty((4, 20, 30), np.float32)
    assert plan(images, out=out) is out
    same(out, table_of(images, np.float32))
    narrow = random_image((5, 6, 3), np.uint8)
    same(satscope.integral(narrow, layout="NHW"), table_of(narrow, np.uint32))


def test_a_batch_of_no_images_overlaps_nothing():
    memory = np.full((4, 20, 30), 99, np.uint32)
    for first in range(5):
        for second in range(5):
            out = memory[second:second]
            assert satscope.integral(memory.view(np.uint8)[first:first, :, :30], out=out) is out
            assert satscope.box_sum(memory[first:first], [[0, 0, 5, 5]], out=memory[second:second, 0, :1]).shape == (0, 1)
    assert (memory == 99).all()


def slices(count):
    """Of that many elements of a longer axis: side by side, in the middle, every second, and backwards."""
    return [np.s_[:count], np.s_[1:count + 1], np.s_[:2 * count:2], np.s_[count - 1::-1]]


def test_planes_of_images_and_tables_lie_apart_from_each_other():
    # Each in memory of its own shape, of which it is a slice of its own: distances of planes differ, and are round in one of both only.
    shape = (2, 3, 20, 30)
    for images_at in range(16):
        for tables_at in range(16):
            memory = random_image((5, 7, 20, 30), np.uint8, images_at)
            images = memory[slices(2)[images_at // 4], slices(3)[images_at % 4]]
            tables = np.full((5, 7, 20, 30), 99, np.uint32)
            out = tables[slices(2)[tables_at // 4], slices(3)[tables_at % 4]]
            assert images.shape == out.shape == shape
            assert satscope.integral(images, out=out) is out
            same(out.copy(), table_of(images, np.uint32))
            out[...] = 99
            assert (tables == 99).all(), (images_at, tables_at)
    images = random_image((3, 2, 20, 30), np.uint8)
    tables = np.full((3, 4, 20, 30), 99, np.uint32)
    same(satscope.integral(images, out=tables[:, :2]).copy(), table_of(images, np.uint32))
    assert (tables[:, 2:] == 99).all()


@pytest.mark.parametrize("type", TYPES)
def test_rows_of_images_and_tables_lie_apart_from_each_other(type):
    """At multiples of 1, 2, 4, 8 and 16 bytes, as far as elements allow: beginning and distance, of each on its own."""
    pixels, sums = TYPES[type]
    high, wide = 21, 37

    def rows(dtype, step, fill):
        size = np.dtype(dtype).itemsize
        step = max(step, size)
        memory = np.full(40000, fill, np.uint8)
        begin = (-memory.ctypes.data) % 64 + step
        pitch = -(-(wide + 1) * size // step) * step + step
        view = np.ndarray((high + 1, wide + 1), dtype, memory.data, begin, (pitch, size))
        return memory, view

    plans = {padded: satscope.Plan((high, wide), type, padded=padded, device="host") for padded in (False, True)}
    for image_step in (1, 2, 4, 8, 16):
        for table_step in (1, 2, 4, 8, 16):
            for padded in (False, True):
                _, image = rows(pixels, image_step, 0)
                image = image[:high, :wide]
                image[...] = random_image((high, wide), pixels, image_step)
                memory, table = rows(sums, table_step, 0xCD)
                before = memory.copy()
                table = table[:high + padded, :wide + padded]
                assert plans[padded](image, out=table) is table
                same(table.copy(), table_of(image, sums, padded, type in SQUARES))
                table.view(np.uint8)[...] = 0xCD
                assert (memory == before).all()


def threads_of_this_process():
    return len(list(Path("/proc/self/task").iterdir()))


def test_few_plans_are_kept_and_share_their_threads():
    satscope._core.clear_plans()
    assert satscope._core.kept_plans() == 0
    satscope.integral(random_image((8, 8), np.uint8))
    before = threads_of_this_process()
    for width in range(1, 60):
        image = random_image((33, width), np.uint8)
        for _ in range(2):
            same(satscope.integral(image), table_of(image, np.uint32))
        assert satscope._core.kept_plans() == min(width + 1, 8)
    assert threads_of_this_process() <= before
    # Those that were used last are there, and give what new ones would.
    for width in (59, 55, 52, 3):
        image = random_image((33, width), np.uint8, width)
        same(satscope.integral(image), table_of(image, np.uint32))
    assert satscope._core.kept_plans() == 8
    satscope._core.clear_plans()
    assert satscope._core.kept_plans() == 0


def test_a_kept_plan_is_for_what_it_was_made():
    image, other, batch = (random_image(shape, np.uint8) for shape in ((20, 30), (20, 31), (2, 20, 30)))
    calls = [lambda: satscope.integral(image), lambda: satscope.integral(image, padded=True), lambda: satscope.integral(other),
             lambda: satscope.integral(image, dtype="float32"), lambda: satscope.integral(image, squares=True),
             lambda: satscope.integral(image, tilted=True), lambda: satscope.integral(image, tilted=True, padded=True),
             lambda: satscope.integral(image, "host_serial"), lambda: satscope.integral(image, "host_parallel"),
             lambda: satscope.integral(image, "host_parallel", "threads=1"), lambda: satscope.integral(image, device="simulated"),
             lambda: satscope.box_filter(image, 3), lambda: satscope.box_filter(image, 5),
             lambda: satscope.box_filter(image, 3, "constant"), lambda: satscope.box_filter(image, (3, 5))]
    expected = []
    for number, call in enumerate(calls):
        satscope._core.clear_plans()
        expected.append(call())
        assert satscope._core.kept_plans() == 1
        calls[number - 1]()
        assert satscope._core.kept_plans() == 2, number  # it needs one of its own
        call(), calls[number - 1]()
        assert satscope._core.kept_plans() == 2, number  # and finds it again
    for number in np.random.default_rng(5).integers(0, len(calls), 300):
        same(calls[number](), expected[number])
    satscope._core.clear_plans()
    satscope.integral(image), satscope.integral(batch)  # of one size
    assert satscope._core.kept_plans() == 1


def test_a_plan_that_has_failed_is_not_kept():
    memory = np.zeros((20, 30), np.uint32)
    satscope._core.clear_plans()
    for _ in range(2):
        with pytest.raises(satscope.Error, match="overlap"):
            satscope.integral(memory.view(np.uint8)[:, :30], out=memory)
        assert satscope._core.kept_plans() == 0


def test_plans_give_each_time_what_new_ones_would():
    shapes = ((20, 30), (3, 20, 30), (20, 30, 3))
    plans = {(shape, type): satscope.Plan(shape, type, device="host") for shape in shapes for type in TYPES}
    for seed in range(3):
        for (shape, type), plan in plans.items():
            image = random_image(shape, TYPES[type][0], seed)
            same(plan(image), satscope.Plan(shape, type, device="host")(image))


def test_a_plan_sums_each_image_as_its_type_asks():
    def of(pixels, seed):
        return random_image((7, 11), np.uint32 if pixels == np.uint32 else np.int32, seed).astype(pixels)

    for made_for in (np.int32, np.uint32):
        for padded in (False, True):
            plan = satscope.Plan(of(made_for, 0), padded=padded)
            for seed, pixels in enumerate((np.uint32, np.int32, np.int32, np.uint32), 1):
                image = of(pixels, seed)
                same(plan(image), satscope.Plan(image, padded=padded)(image))
                out = np.zeros(plan(image).shape, pixels)
                same(plan(image, out=out), table_of(image, pixels, padded))


def test_what_a_plan_says_of_its_sums():
    for pixels, sums in ((np.uint8, "uint32"), (np.int32, "int32"), (np.uint32, "uint32"), (np.float64, "float64")):
        image = random_image((5, 6), pixels)
        plan = satscope.Plan(image)
        assert plan.dtype == plan(image).dtype.name == sums


def test_channels():
    for channels in (1, 2, 3, 4):
        image = random_image((21, 34, channels), np.uint8)
        for padded in (False, True):
            expected = np.moveaxis(table_of(np.moveaxis(image, -1, 0), np.uint32, padded), 0, -1)
            same(satscope.integral(image, padded=padded), expected)
            out = np.zeros(expected.shape, np.uint32)
            assert satscope.integral(image, padded=padded, out=out) is out
            same(out, expected)
            planes = np.zeros(np.moveaxis(expected, -1, 0).shape, np.uint32).transpose(1, 2, 0)
            assert satscope.integral(image, padded=padded, out=planes) is planes
            same(planes, expected)
            plan = satscope.Plan(image, padded=padded)
            assert plan.table_shape == expected.shape
            same(plan(image), expected)
    many = random_image((21, 34, 7), np.float32)
    same(satscope.integral(many, layout="HWC"), many.cumsum(0).cumsum(1))


def test_out_of_other_layouts():
    image = random_image((20, 30), np.uint8)
    memory = np.full((22, 40), 99, np.uint32)
    out = memory[1:21, 3:33]
    assert satscope.integral(image, out=out) is out
    same(out.copy(), table_of(image, np.uint32))
    memory[1:21, 3:33] = 99
    assert (memory == 99).all()
    assert satscope.integral(image, out=np.empty((20, 30), np.float32)).dtype == np.float32


def test_as_opencv():
    cv2 = pytest.importorskip("cv2")
    for shape in ((31, 47), (31, 47, 3), (1, 1)):
        image = random_image(shape, np.uint8)
        same(satscope.cv.integral(image), cv2.integral(image))
        for found, expected in zip(satscope.cv.integral2(image), cv2.integral2(image)):
            same(found, expected)
        for depth in (cv2.CV_32S, cv2.CV_32F, cv2.CV_64F):
            same(satscope.cv.integral(image, depth), cv2.integral(image, sdepth=depth))
    for shape in ((31, 47), (2, 1), (1, 2), (1, 1)):
        image = random_image(shape, np.uint8)
        for found, expected in zip(satscope.cv.integral3(image), cv2.integral3(image)):
            same(found, expected)
    for dtype in (np.float32, np.float64):
        image = random_image((31, 47), dtype)
        same(satscope.cv.integral(image), cv2.integral(image))
        for found, expected in zip(satscope.cv.integral2(image), cv2.integral2(image)):
            same(found, expected)


def test_box_filter_as_opencv():
    cv2 = pytest.importorskip("cv2")
    borders = {"reflect101": cv2.BORDER_REFLECT_101, "reflect": cv2.BORDER_REFLECT, "replicate": cv2.BORDER_REPLICATE,
               "constant": cv2.BORDER_CONSTANT}
    for shape in ((64, 80), (64, 80, 3)):
        image = random_image(shape, np.uint8)
        for size in (1, 3, 15, (5, 9)):
            for border, constant in borders.items():
                window = (size, size) if isinstance(size, int) else size
                same(satscope.box_filter(image, size, border), cv2.blur(image, window, borderType=constant))
    images = random_image((2, 30, 40), np.uint8)
    out = np.empty_like(images)
    assert satscope.box_filter(images, 3, out=out) is out
    same(out, np.stack([cv2.blur(image, (3, 3)) for image in images]))


def test_a_window_that_is_automatic():
    for shape, window in (((64, 80), (15, 15)), ((1, 700), (15, 1)), ((8, 40), (15, 3)), ((64, 80, 3), (15, 15))):
        image = random_image(shape, np.uint8)
        for size in (0, (0, 0), (window[0], 0), (0, window[1])):
            np.testing.assert_array_equal(satscope.box_filter(image, size), satscope.box_filter(image, window))


def test_as_scikit_image():
    transform = pytest.importorskip("skimage.transform")
    image = random_image((40, 50), np.uint8)
    np.testing.assert_array_equal(satscope.integral(image), transform.integral_image(image.astype(np.uint32)))
    table = satscope.integral(image).astype(np.int64)
    assert transform.integrate(table, (3, 4), (10, 20)) == image[3:11, 4:21].sum()


def test_threads():
    images = [random_image((70 + i, 90), np.uint8, i) for i in range(4)]
    plan = satscope.Plan((70, 90), "u8_u32", device="host")
    wrong = []

    def work(i):
        for _ in range(50):
            if not (satscope.integral(images[i]) == table_of(images[i], np.uint32)).all():
                wrong.append(i)
            if not (plan(images[0]) == table_of(images[0], np.uint32)).all():  # shared: one waits for the other
                wrong.append("plan")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_other_threads_run_meanwhile():
    image = np.zeros((3000, 3000), np.float64)
    plan = satscope.Plan(image, threads=1)
    out = plan(image)
    count, stop = [0], threading.Event()

    def run():
        while not stop.is_set():
            plan(image, out=out)
            count[0] += 1

    thread = threading.Thread(target=run)
    thread.start()
    steps = 0
    while count[0] < 3:
        steps += 1  # with the GIL held this would advance only between the calls
    stop.set()
    thread.join()
    assert steps > 10000


FORK = """
import os
import numpy as np
import satscope
image = np.ones((100, 200), np.uint8)
satscope.integral(image)  # a kept plan, with threads
plan = satscope.Plan(image)
child = os.fork()
if child == 0:
    code = 1
    if satscope.integral(image)[-1, -1] == 20000:
        try:
            plan(image)
        except satscope.Error as error:
            code = 0 if "forked" in str(error) else 2
    del plan
    os._exit(code)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert plan(image)[-1, -1] == 20000
"""


def test_a_forked_process_makes_plans_of_its_own():
    # In a process of its own, which no other library has given threads.
    result = subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr


def test_algorithms():
    known = satscope.algorithms()
    names = [a.name for a in known]
    assert names == sorted(names) and {"2r1w", "host_parallel", "1r1w_skss_lb"} <= set(names)
    assert all(a.paper and a.idea and a.year > 1970 and a.types for a in known)
    assert {a.device for a in satscope.algorithms("host")} == {"host"}
    assert "cub" not in [a.name for a in satscope.algorithms("simulated")]
    assert str(known[0]) == known[0].name
    image = random_image((50, 60), np.uint8)
    for algorithm in satscope.algorithms("host", "u8_u32"):
        same(satscope.integral(image, algorithm), table_of(image, np.uint32))
        same(satscope.integral(image, algorithm.name), table_of(image, np.uint32))


def test_a_call_costs_little():
    image = random_image((8, 8), np.uint8)
    plan = satscope.Plan(image, algorithm="host_serial")
    table = plan(image)
    begin = time.perf_counter()
    for _ in range(1000):
        plan(image, out=table)
    assert time.perf_counter() - begin < 1  # a millisecond per call, which only a gross fault exceeds


def test_parameters_and_what_a_plan_says():
    image = random_image((50, 60), np.uint8)
    plan = satscope.Plan(image, algorithm="host_parallel", parameters={"threads": 1}, threads=2)
    assert plan.parameters == "threads=1" and plan.algorithm == "host_parallel" and plan.device == "host"
    assert "host_parallel" in repr(plan) and plan.memory_bytes >= 0
    same(satscope.integral(image, "host_parallel", "threads=1"), table_of(image, np.uint32))


def test_a_tuned_plan():
    image = random_image((50, 60), np.uint8)
    plan = satscope.Plan(image)
    plan.tune()
    assert plan.origin
    same(plan(image), table_of(image, np.uint32))
    with pytest.raises(satscope.Error, match="tuned"):
        satscope.Plan(image, device="simulated").tune()


def test_race():
    results = satscope.race(random_image((200, 300), np.uint8), runs=3)
    assert {r.algorithm for r in results} == {"host_ehsan", "host_parallel", "host_serial", "host_wavefront"}
    assert results == sorted(results, key=lambda r: r.microseconds) and all(r.least > 0 and not r.problem for r in results)
