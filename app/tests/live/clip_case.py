"""What the tests with a video in a real window share: it is paused, and they know which of its frames is shown."""
import os

import cv2

from window_case import ASSETS, WindowCase

CLIP = os.path.join(ASSETS, "clip.mp4")


class ClipCase(WindowCase):
    @classmethod
    def setUpClass(cls):
        video, cls.clip = cv2.VideoCapture(CLIP), []
        for read, frame in iter(video.read, (False, None)):
            cls.clip.append(cv2.resize(frame, (96, 54), interpolation=cv2.INTER_AREA))

    def playing(self, *words):
        """Paused at its first frame."""
        process = self.start_scripted(CLIP, "--no-config", "--device", "host", *words)
        self.ask(process, {"set": {"effect": "none", "compare": "off"}})
        self.ask(process, {"do": "pause"})
        self.ask(process, {"frames": 1})
        self.await_window()
        return process

    def number_shown(self, process):
        """The number of the clip's frame that is shown."""
        self.ask(process, {"frames": 1})
        self.ask(process, {"do": "save_picture", "to": "p.png"})
        saved = cv2.imread(os.path.join(self.folder.name, "p.png"))
        os.remove(os.path.join(self.folder.name, "p.png"))
        small = cv2.resize(saved, (96, 54), interpolation=cv2.INTER_AREA)
        return min(range(len(self.clip)), key=lambda n: cv2.absdiff(self.clip[n], small).sum())
