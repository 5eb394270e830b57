#!/usr/bin/python3
"""No secret of an address is printed, logged, exported or answered, whether its source plays or fails."""
import http.server
import os
import threading
import unittest

from cli_case import ASSETS, OK, SOURCE, Case, main

SECRET = "Q7secretQ"


class Handler(http.server.BaseHTTPRequestHandler):
    """The clip, to whoever asks."""
    clip = b""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "video/mp4")
        self.send_header("Content-Length", str(len(self.clip)))
        self.end_headers()
        try:
            self.wfile.write(self.clip)
        except OSError:  # who has read enough
            pass

    def log_message(self, *words):
        pass


class Secrets(Case):
    def setUp(self):
        super().setUp()
        with open(os.path.join(ASSETS, "clip.mp4"), "rb") as file:
            Handler.clip = file.read()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.place = f"127.0.0.1:{self.server.server_port}"

    def nothing_told(self, done, *files):
        for text in (done.stdout, done.stderr, *(self.text(name) for name in files)):
            self.assertNotIn(SECRET, text)
        for folder, _, names in os.walk(self.folder.name):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    if name not in ("s.jsonl", "in.jsonl"):
                        self.assertNotIn(SECRET.encode(), file.read(), name)

    def test_of_a_source_that_plays(self):
        for address in (f"http://{self.place}/clip.mp4?apikey={SECRET}", f"http://admin:{SECRET}@{self.place}/clip.mp4"):
            shown = address.replace(SECRET, "***")
            done = self.expect(OK, address, "--offscreen", "--frames", "3", "--device", "host", "--log", "log.csv",
                               "--export", "times.json")
            self.nothing_told(done, "log.csv", "times.json")
            self.assertIn(shown, self.text("log.csv"))
            self.assertIn(shown, self.text("times.json"))
            lines = ('{"set": {"source": "%s"}}' % address, '{"frames": 2}', '{"get": ["source", "settings.source"]}',
                     '{"do": "save_picture to %s"}' % address, '{"set": {"effect": "%s"}}' % address,
                     '{"do": "open %s"}' % shown, '{"frames": 2}', '{"get": ["source.problem"]}')
            done = self.run_program("--offscreen", "--device", "host", "--script", "-", stdin=None, input="\n".join(lines) + "\n")
            self.nothing_told(done)
            self.assertIn(f'"settings.source":"{shown}"', done.stdout)
            self.assertIn('{"source.problem":""}', done.stdout, "what was shown opens the source, too")

    def test_of_a_file_whose_name_looks_like_an_address(self):
        for name in ("10:30 me@home.mp4", "clip?v=1.mp4"):
            with open(self.path(name), "wb") as file:
                file.write(Handler.clip)
            lines = '{"frames": 2}\n{"get": ["source", "settings.source"]}\n'
            done = self.run_program(name, "--offscreen", "--device", "host", "--log", "log.csv", "--script", "-", stdin=None, input=lines)
            self.assertIn(f'"settings.source":"{name}"', done.stdout)
            self.assertIn(name, self.text("log.csv"))
            for text in (done.stdout, done.stderr, self.text("log.csv")):
                self.assertNotIn("***", text)
            os.remove(self.path("log.csv"))

    def test_of_sources_that_fail(self):
        for address in (f"http://127.0.0.1:9/clip.mp4?apikey={SECRET}", f"http://127.0.0.1:9/?{SECRET}",
                        f"srt://127.0.0.1:9?passphrase={SECRET}", f"rtsp://user:pa/{SECRET}@127.0.0.1:9/",
                        f"rtsp://user:12/{SECRET}@127.0.0.1:9/", f"rtsp://user:{SECRET}@[::1]:9/", f"http://:{SECRET}@127.0.0.1:9/x",
                        f"rtsp//user:{SECRET}@127.0.0.1:9/", f"rtsp:user:{SECRET}@127.0.0.1", f"user:{SECRET}@127.0.0.1/x",
                        f"user:pa/{SECRET}@127.0.0.1/x",
                        f"foo://user:{SECRET}@h/x?sig={SECRET}", f"file://user:{SECRET}@h/x", f"cache:http://u:{SECRET}@127.0.0.1:9/"):
            with self.subTest(address):
                done = self.expect(SOURCE, address, "--offscreen", "--frames", "2", "--device", "host")
                self.nothing_told(done)
                self.assertIn("***", done.stderr)
                for words in (("detect", address), ("sat", address, "-o", "a.npy"), ("apply", address, "-o", "a.png"), (address, "more")):
                    self.nothing_told(self.run_program(*words))


if __name__ == "__main__":
    main()
