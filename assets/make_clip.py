#!/usr/bin/python3
"""Makes assets/clip.mp4, the video that satscope plays without a source argument.

    /usr/bin/python3 assets/make_clip.py [OUTPUT.mp4]

Needs Debian's python3-numpy, python3-opencv, fonts-dejavu-core and ffmpeg. The same packages produce the same bytes.

Four scenes dissolve into each other, and the last into the first, so that the video loops without a cut. Each has
content for one family of effects:
    portrait  a face, cloth, fine badges      (Haar features, blur)
    page      text under uneven light         (adaptive thresholds)
    shapes    edges of every direction        (Haar features, blur)
    noise     a sign hidden in noise          (blur: the mean over a window shows it)
"""
import pathlib
import subprocess
import sys

import cv2
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
FONTS = pathlib.Path("/usr/share/fonts/truetype/dejavu")
WIDTH, HEIGHT, RATE = 960, 540, 30
DISSOLVE = 24  # frames
LENGTHS = {"portrait": 156, "page": 126, "shapes": 108, "noise": 90}  # 480 frames: 16 s


def smooth(t):
    """Eases from 0 to 1, with zero speed at both ends."""
    t = np.clip(t, 0.0, 1.0)
    return t * t * (3 - 2 * t)


def along(keys, t):
    """The point at time t on a path of (time, point) keys, eased between neighbours."""
    for (start, a), (end, b) in zip(keys, keys[1:]):
        if t <= end:
            return np.array(a) + (np.array(b) - np.array(a)) * smooth((t - start) / (end - start))
    return np.array(keys[-1][1], float)


def load_font(name):
    font = cv2.freetype.createFreeType2()
    font.loadFontData(str(FONTS / name), 0)
    return font


def write(image, font, text, x, baseline, height, colour):
    """Writes text at x with this baseline; returns the x after it."""
    (width, _), _ = font.getTextSize(text, height, -1)
    font.putText(image, text, (int(x), int(baseline)), height, colour, -1, cv2.LINE_AA, True)
    return x + width


class Portrait:
    """A slow camera move over the photograph: from the whole person to the face, then down to the helmet."""

    def __init__(self):
        self.photo = cv2.imread(str(HERE / "astronaut.png"))
        self.path = [(0.0, (256, 158, 508)), (0.5, (232, 138, 320)), (1.0, (300, 340, 400))]  # centre x, y, width

    def frame(self, t):
        x, y, width = along(self.path, t)
        scale = WIDTH / width
        move = np.array([[scale, 0, WIDTH / 2 - scale * x], [0, scale, HEIGHT / 2 - scale * y]])
        picture = cv2.warpAffine(self.photo, move, (WIDTH, HEIGHT), flags=cv2.INTER_CUBIC,
                                 borderMode=cv2.BORDER_REFLECT_101)
        return cv2.addWeighted(picture, 1.5, cv2.GaussianBlur(picture, (0, 0), 2.0), -0.5, 0)


class Page:
    """A printed page, unevenly lit by a lamp and a moving shadow."""

    TITLE = "Summed area tables"
    TEXT = [
        "A summed area table holds, at every pixel, the sum of all",
        "the pixels above it and to its left. Once it is there, the",
        "sum over any upright rectangle takes four reads, however",
        "large the rectangle: add two corners, take away two.",
        "",
        "A blur of a thousand pixels then costs no more than a blur",
        "of nine. A page under bad light is read by comparing each",
        "pixel with the mean around it. A face is found by asking",
        "for dark eyes over bright cheeks, ten thousand times over.",
    ]
    CELLS = np.array([[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]])

    def __init__(self):
        self.paper = np.full((1300, 1700, 3), (222, 238, 244), np.uint8)
        bold, serif, mono = (load_font(f"DejaVu{kind}.ttf") for kind in ("Serif-Bold", "Serif", "Sans"))
        ink = (48, 40, 38)
        write(self.paper, bold, self.TITLE, 150, 215, 74, ink)
        cv2.line(self.paper, (150, 258), (1550, 258), ink, 4, cv2.LINE_AA)
        for line, text in enumerate(self.TEXT):
            if text:
                write(self.paper, serif, text, 150, 335 + 56 * line, 42, ink)
        self.draw_table(mono, self.CELLS, 330, ink)
        self.draw_table(mono, self.CELLS.cumsum(0).cumsum(1), 1010, ink)
        cv2.arrowedLine(self.paper, (760, 1040), (940, 1040), ink, 6, cv2.LINE_AA, 0, 0.2)
        grain = np.random.default_rng(1).normal(0, 2.0, self.paper.shape[:2])
        self.paper = np.clip(self.paper + cv2.GaussianBlur(grain, (0, 0), 1.2)[..., None] * 3, 0, 255).astype(np.uint8)

    def draw_table(self, font, cells, left, ink, top=870, pitch=88):
        for i in range(5):
            cv2.line(self.paper, (left, top + i * pitch), (left + 4 * pitch, top + i * pitch), ink, 3, cv2.LINE_AA)
            cv2.line(self.paper, (left + i * pitch, top), (left + i * pitch, top + 4 * pitch), ink, 3, cv2.LINE_AA)
        for row in range(4):
            for column in range(4):
                text = str(cells[row, column])
                (width, height), _ = font.getTextSize(text, 40, -1)
                write(self.paper, font, text, left + (column + 0.5) * pitch - width / 2,
                      top + (row + 0.5) * pitch + 15, 40, ink)

    def frame(self, t):
        # The page is slightly rotated and scrolls up.
        top = 50 + 340 * smooth(t)
        corners = np.float32([[70, top], [1630, top + 10], [1690, top + 905], [10, top + 890]])
        screen = np.float32([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]])
        page = cv2.warpPerspective(self.paper, cv2.getPerspectiveTransform(corners, screen), (WIDTH, HEIGHT),
                                   flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
        # A moving lamp, and the soft edge of a shadow that crosses the page.
        y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
        lamp_x, lamp_y = 250 + 420 * t, 190 + 110 * np.sin(3 * t)
        light = 0.22 + 0.84 * np.exp(-((x - lamp_x) ** 2 + 1.5 * (y - lamp_y) ** 2) / 330.0 ** 2)
        edge = (x + 0.55 * y - 1240 + 560 * t) / 45
        light *= 1 - 0.5 / (1 + np.exp(-edge))
        tint = np.stack([light ** 1.08, light, light ** 0.95], axis=-1)  # dark parts are warmer
        return np.clip(page * tint, 0, 255).astype(np.uint8)


class Shapes:
    """Moving sharp edges of every direction, drawn at twice the size."""

    INKS = [(92, 94, 240), (84, 182, 250), (122, 196, 98), (206, 148, 74), (214, 116, 168)]

    def __init__(self):
        y, x = np.mgrid[0:2 * HEIGHT, 0:2 * WIDTH].astype(np.float32)
        shade = 1.1 - 0.55 * np.hypot((x - WIDTH) / WIDTH, (y - HEIGHT) / HEIGHT)
        self.ground = np.clip(np.float32([58, 42, 36]) * shade[..., None], 0, 255).astype(np.uint8)

    def frame(self, t):
        image = self.ground.copy()
        turn = 2 * np.pi * t
        self.star(image, (430, 540), 300, turn / 6)
        self.board(image, (1490, 540), 92, -turn / 8)
        for i, ink in enumerate(self.INKS):  # discs that circle the centre
            angle = turn * 0.7 + i * 2 * np.pi / len(self.INKS)
            centre = (int(960 + 300 * np.cos(angle)), int(540 + 300 * np.sin(angle)))
            cv2.circle(image, centre, 62, ink, -1, cv2.LINE_AA)
        self.polygon(image, (960, 540), 150, 3, turn, (226, 232, 236))
        for i in range(3):  # bars and polygons that drift across, at the top and the bottom
            x = int((200 + 620 * i + 520 * t) % 2100) - 90
            cv2.rectangle(image, (x, 70), (x + 180, 110), self.INKS[i], -1, cv2.LINE_AA)
            self.polygon(image, (1920 - x, 990), 58, 3 + i, turn * (1 + i) / 2, self.INKS[4 - i])
        return cv2.resize(image, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)

    def polygon(self, image, centre, radius, corners, angle, colour):
        turns = angle + 2 * np.pi * np.arange(corners) / corners
        points = np.stack([centre[0] + radius * np.cos(turns), centre[1] + radius * np.sin(turns)], axis=1)
        cv2.fillPoly(image, [np.int32(points * 16)], colour, cv2.LINE_AA, 4)

    def star(self, image, centre, radius, angle, rays=18):
        for ray in range(rays):
            a = angle + 2 * np.pi * ray / rays
            b = a + np.pi / rays
            rim = [(centre[0] + radius * np.cos(s), centre[1] + radius * np.sin(s)) for s in np.linspace(a, b, 6)]
            cv2.fillPoly(image, [np.int32(np.array([centre] + rim) * 16)], (226, 232, 236), cv2.LINE_AA, 4)

    def board(self, image, centre, cell, angle):
        c, s = np.cos(angle), np.sin(angle)
        for row in range(-3, 3):
            for column in range(-3, 3):
                if (row + column) % 2:
                    continue
                square = np.array([[column, row], [column + 1, row], [column + 1, row + 1], [column, row + 1]]) * cell
                points = square @ np.array([[c, s], [-s, c]]) + centre
                cv2.fillPoly(image, [np.int32(points * 16)], (226, 232, 236), cv2.LINE_AA, 4)


class Noise:
    """The sign of a sum, faint under noise: hardly visible, except in the mean over a window."""

    def __init__(self):
        self.noise = np.random.default_rng(2).normal(0, 1, (HEIGHT + 400, WIDTH + 400)).astype(np.float32)
        self.noise = cv2.GaussianBlur(self.noise, (0, 0), 0.9)
        self.noise /= self.noise.std()
        sign = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        write(sign, load_font("DejaVuSans-Bold.ttf"), "Σ", 315, 445, 470, (255, 255, 255))
        self.sign = cv2.GaussianBlur(sign[..., 0].astype(np.float32) / 255, (0, 0), 1.5)

    def frame(self, t):
        x = int(200 + 180 * np.sin(5 * t))  # whole pixels: the codec then predicts the noise at low cost
        y = int(200 + 180 * np.cos(4 * t))
        noise = self.noise[y:y + HEIGHT, x:x + WIDTH]
        strength = 24 + 28 * np.sin(np.pi * t) ** 2
        gray = np.clip(112 + strength * noise + 27 * self.sign, 0, 255)
        return (gray[..., None] * np.float32([1.0, 0.98, 0.93])).astype(np.uint8)


def frames():
    """All frames of the video. A scene starts while the previous one dissolves, the first one while the last does."""
    scenes = [(scene(), LENGTHS[scene.__name__.lower()]) for scene in (Portrait, Page, Shapes, Noise)]
    for (scene, length), (following, following_length) in zip(scenes, scenes[1:] + scenes[:1]):
        for frame in range(length):
            picture = scene.frame((frame + DISSOLVE) / (length + DISSOLVE))
            lead = frame - (length - DISSOLVE)
            if lead >= 0:
                blend = smooth((lead + 1) / (DISSOLVE + 1))
                coming = following.frame(lead / (following_length + DISSOLVE))
                picture = cv2.addWeighted(picture, 1 - blend, coming, blend, 0)
            yield picture


def main():
    output = sys.argv[1] if len(sys.argv) > 1 else str(HERE / "clip.mp4")
    # One thread and bit-exact flags: the same bytes every time. BT.601, because OpenCV assumes it.
    encoder = subprocess.Popen(
        ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{WIDTH}x{HEIGHT}",
         "-r", str(RATE), "-i", "-", "-c:v", "libx264", "-preset", "veryslow", "-crf", "25", "-g", "60", "-threads", "1",
         "-pix_fmt", "yuv420p", "-colorspace", "smpte170m", "-color_primaries", "smpte170m", "-color_trc", "smpte170m",
         "-color_range", "tv", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-movflags", "+faststart", output],
        stdin=subprocess.PIPE)
    for picture in frames():
        encoder.stdin.write(picture.tobytes())
    encoder.stdin.close()
    sys.exit(encoder.wait())


if __name__ == "__main__":
    main()
