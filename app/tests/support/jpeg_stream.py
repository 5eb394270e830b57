"""An HTTP camera on the loopback interface: it streams gray JPEG pictures to its first visitor, and refuses later ones."""
import contextlib
import http.server
import threading
import time

import cv2
import numpy as np


class JpegStream:
    """With `with`: runs until the end of the block. `url`: of the stream; `visits`: how often it was opened."""

    def __init__(self, pictures, width=320, height=240):
        jpeg = cv2.imencode(".jpg", np.full((height, width, 3), 90, np.uint8))[1].tobytes()
        part = b"--x\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n" % (len(jpeg), jpeg)
        stream = self
        self.visits = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                stream.visits += 1
                if stream.visits > 1:
                    return self.send_error(503)
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=x")
                self.end_headers()
                with contextlib.suppress(ConnectionError):  # a client that leaves
                    for _ in range(pictures):
                        self.wfile.write(part)
                        time.sleep(0.04)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/camera.mjpg"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
