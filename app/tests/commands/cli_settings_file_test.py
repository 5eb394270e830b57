#!/usr/bin/python3
"""Settings files that are missing, not the program's or damaged: one line each, and nothing of the user's is lost."""
import json
import os

from cli_case import Case, OK, USAGE, main


class SettingsFile(Case):
    def test_one_that_the_user_named_is_left_alone(self):
        self.write("photo.png", b"no settings")
        self.refused(USAGE, "--config takes", "--offscreen", "synthetic:64x48", "--frames", "1",
                     "--config", "photo.png")
        self.assertTrue(os.path.exists(self.path("photo.png")))

    def test_a_cascade_that_is_not_there(self):
        text = b'{"version": 1, "effect": "none", "faces.cascade": "/nope.xml"}'
        live = ("--offscreen", "synthetic:64x48", "--frames", "1")
        self.write("c.json", text)
        self.refused(USAGE, "settings c.json: faces.cascade: there is no cascade file '/nope.xml': check the path", *live,
                     "--config", "c.json")
        os.makedirs(self.path("config", "satscope"))
        self.write("config/satscope/settings.json", text)
        self.assertIn("it is ignored", self.expect(OK, *live).stderr)

    def test_one_that_is_not_there(self):
        for words in (["--offscreen"], ["--race"], ["--script", self.script({"frames": 1})]):
            with self.subTest(words=words):
                self.refused(USAGE, "there is no settings file 'none.json', and only a window without a script creates one",
                             "synthetic:64x48", "--config", "none.json", *words)
        self.refused(USAGE, "and no folder 'nowhere' for a new one; check --config, or create the folder", "synthetic:64x48",
                     "--config", "nowhere/none.json")
        self.refused(USAGE, "not an empty text", "synthetic:64x48", "--config", "")
        # Without a display it is no window after all, and there is nothing to save.
        self.expect(OK, "synthetic:64x48", "--config", "new.json", "--device", "host", "--effect", "none", "--frames", "1")
        self.assertFalse(os.path.exists(self.path("nowhere")))

    def test_the_windows_comparison_is_not_that_of_files(self):
        os.makedirs(self.path("config", "satscope"))
        self.write("config/satscope/settings.json", b'{"version": 1, "compare": "original,result"}')
        self.write("c.json", b'{"version": 1, "compare": "original,result"}')
        for compares, words in ((False, []), (True, ["--compare", "original,result"]), (True, ["--config", "c.json"])):
            with self.subTest(words=words):
                self.expect(OK, "--offscreen", "synthetic:64x48", "--device", "host", "--effect", "box_blur", "--frames", "1",
                            "--export", "e.json", *words)
                with open(self.path("e.json"), encoding="utf-8") as file:
                    self.assertEqual(json.load(file)["compare"] is not None, compares)

    def test_a_hostile_one(self):
        os.makedirs(self.path("config", "satscope"))
        for text in (b"{", b"\xff\x00", b'{"version": 2}', b"[" * 100_000):
            self.write("config/satscope/settings.json", text)
            done = self.expect(OK, "--offscreen", "synthetic:64x48", "--frames", "1")
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("correct the file or remove it", done.stderr)
            self.assertTrue(os.path.exists(self.path("config/satscope/settings.json")), "this run writes no other")
        self.write("config/satscope/settings.json", b'{"version": 1, "effect": "none such"}')
        done = self.expect(OK, "--offscreen", "synthetic:64x48", "--frames", "1")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("no effect 'none such'; satscope list effects prints them; it is ignored", done.stderr)
        self.assertTrue(os.path.exists(self.path("config/satscope/settings.json")))


if __name__ == "__main__":
    main()
