#!/usr/bin/python3
"""The program in a real window, with a real mouse on the picture: a feature, the rectangle, the wipe, the wheel.
Usage: window_picture_test.py SATSCOPE ASSETS"""
import os

import cv2
import numpy as np

from window_case import ASSETS, LEFT_EDGE, NOWHERE, PICTURE, SIDE, TOP, WindowCase, difference, main, picture, screen, xdotool

ASTRONAUT = os.path.join(ASSETS, "astronaut.png")
MIDDLE, SMOOTH = (700, 400), (560, 250)  # in the picture; the face has no edge there


class WindowPicture(WindowCase):
    def test_a_click_places_the_feature_and_its_handles_resize_it(self):
        process = self.start_scripted(ASTRONAUT, "--effect", "haar", "--device", "host", "--compare", "off")
        self.ask(process, {"set": {"effect.width": 40, "effect.height": 60, "effect.type": "type-2-x"}})
        self.ask(process, {"frames": 1})
        self.await_window()
        self.steady()
        self.click(MIDDLE)
        self.click((MIDDLE[0] + 3, MIDDLE[1]))
        placed = self.steady()
        scale = SIDE / cv2.imread(ASTRONAUT).shape[0]
        right = (round(MIDDLE[0] + 40 * scale), MIDDLE[1])
        self.drag(right, (right[0] + 40, right[1]))
        self.assertTrue(self.wait_for(lambda: difference(picture(), placed) > 0.2))
        self.steady()
        parameters = self.report_of(process)["effect_parameters"]
        self.assertAlmostEqual(int(parameters["width"]), 40 + 20 / scale, delta=2)
        self.assertEqual(int(parameters["height"]), 60)

    def test_with_the_rectangle_tool_the_sides_of_the_feature_and_the_wipe_are_dragged(self):
        process = self.start_scripted(ASTRONAUT, "--effect", "haar", "--device", "host", "--compare", "original,result")
        self.ask(process, {"set": {"effect.width": 80, "effect.height": 60, "effect.type": "type-2-x",
                                   "pointer": "276,226", "rectangle_tool": "on"}})
        self.ask(process, {"frames": 1})
        self.await_window()
        before = self.steady()
        scale, left, top = SIDE / cv2.imread(ASTRONAUT).shape[0], LEFT_EDGE, TOP
        right, y = round(left + 436 * scale), round(top + 256 * scale)
        self.drag((right, y), (right + 40, y))
        self.assertTrue(self.wait_for(lambda: difference(picture(), before) > 0.1))
        x = left + SIDE // 2
        self.drag((x, 640), (x + 80, 640))
        self.assertTrue(self.wait_for(lambda: self.line_is_at(x + 80)))
        self.assertFalse(self.places_of("D - B - C + A"))
        self.drag((x, 560), (x + 40, 600))  # where the line was
        self.assertTrue(self.sees("D - B - C + A"))
        parameters = self.report_of(process)["effect_parameters"]
        self.assertAlmostEqual(int(parameters["width"]), 80 + 20 / scale, delta=2)

    def test_wheel_drag_and_fit(self):
        process = self.start("--effect", "none", "--device", "host", "--compare", "off")
        fitted = self.steady()
        xdotool("mousemove", *SMOOTH)
        for _ in range(5):
            xdotool("click", 4)
        self.assertTrue(self.wait_for(lambda: difference(picture(), fitted) > 5))
        xdotool("mousemove", *NOWHERE)  # the pixel under the mouse is marked
        enlarged = self.steady()
        # The point under the mouse stays there.
        y, x = SMOOTH[1] - PICTURE[0].start, SMOOTH[0] - PICTURE[1].start
        near = (slice(y - 2, y + 3), slice(x - 2, x + 3))
        self.assertLess(difference(enlarged[near], fitted[near]), 25)

        self.drag(SMOOTH, (SMOOTH[0] + 40, SMOOTH[1]))
        # 40 pixels to the right, nothing else.
        self.assertTrue(self.wait_for(lambda: difference(picture()[:, 40:], enlarged[:, :-40]) < 1))

        xdotool("key", "w")
        self.assertTrue(self.wait_for(lambda: difference(picture(), fitted) == 0))
        self.quit(process)

    def sides(self, now):
        """What is left and right of the middle: 'original', 'blurred' or neither."""
        images = {"original": cv2.imread(ASTRONAUT), "blurred": self.blurred}
        fitted = {name: cv2.resize(image, (SIDE, SIDE), interpolation=cv2.INTER_LINEAR).astype(int)
                  for name, image in images.items()}
        rows, top, left = slice(140, 320), TOP, LEFT_EDGE  # neither the names at the top nor the handle in the middle
        found = []
        for columns in slice(310, 430), slice(700, 970):
            part = now[rows, columns]
            found.append([name for name, image in fitted.items() if difference(
                part, image[rows.start - top:rows.stop - top, columns.start - left:columns.stop - left]) < 6])
        return found

    def test_the_first_start_compares_in_colour_and_the_wipe_is_dragged(self):
        self.blurred = self.expected("box_blur", "--set", "window=31x31")
        process = self.start("--device", "host", "--set", "box_blur.window=31x31")
        self.steady()
        self.assertEqual(self.sides(screen()), [["original"], ["blurred"]])

        x, y = 640, 600  # on the line, below its handle
        self.drag((x, y), (x - 160, y))
        self.assertTrue(self.wait_for(lambda: self.line_is_at(x - 160)))
        self.assertEqual(self.sides(screen()), [["original"], ["blurred"]])  # the picture itself was not moved

        for key, sides in (("shift+c", [["blurred"], ["original"]]), ("c", [["blurred"], ["blurred"]]),
                           ("c", [["blurred"], ["original"]])):
            xdotool("key", key)
            self.assertTrue(self.wait_for(lambda: self.sides(screen()) == sides), key)
        self.assertEqual(self.quit(process)["compare"], {"a": "box_blur", "b": "original", "mode": "wipe"})
        saved = self.saved()
        self.assertAlmostEqual(saved["wipe"], (480 - LEFT_EDGE) / SIDE, delta=0.02)
        self.assertEqual(saved["compare"], "result,original")
        self.assertFalse({"zoom", "box_blur.colour"} & saved.keys(), "no view; and colour is the default")

    @staticmethod
    def line_is_at(x):
        pixels = screen()[140:320, x - 5:x + 5]
        return np.abs(pixels.max(axis=1) - pixels.min(axis=1)).mean() > 30


if __name__ == "__main__":
    main()
