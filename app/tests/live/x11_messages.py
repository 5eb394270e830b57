"""What a window manager or a file manager sends to a window, and xdotool cannot: the request to close, the question whether it
still answers, and files dropped on it (XDND, version 5)."""
import contextlib
import ctypes
import select
import subprocess
import time

CLIENT_MESSAGE, SELECTION_REQUEST, SELECTION_NOTIFY = 33, 30, 31
X = ctypes.CDLL("libX11.so.6")
SUBSTRUCTURE = 1 << 19  # what is sent to the root window
PATIENCE = 120  # seconds until a program counts as stuck, on however busy a machine
X.XOpenDisplay.restype = X.XDefaultRootWindow.restype = X.XCreateSimpleWindow.restype = X.XInternAtom.restype = ctypes.c_ulong
LONG = ctypes.c_ulong


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", LONG), ("send_event", ctypes.c_int), ("display", LONG),
                ("window", LONG), ("message_type", LONG), ("format", ctypes.c_int), ("data", ctypes.c_long * 5)]


class Selection(ctypes.Structure):  # SelectionRequest
    _fields_ = [("type", ctypes.c_int), ("serial", LONG), ("send_event", ctypes.c_int), ("display", LONG), ("owner", LONG),
                ("requestor", LONG), ("selection", LONG), ("target", LONG), ("property", LONG), ("time", LONG)]


class Answer(ctypes.Structure):  # SelectionNotify
    _fields_ = [("type", ctypes.c_int), ("serial", LONG), ("send_event", ctypes.c_int), ("display", LONG),
                ("requestor", LONG), ("selection", LONG), ("target", LONG), ("property", LONG), ("time", LONG)]


class Event(ctypes.Union):
    _fields_ = [("type", ctypes.c_int), ("client", ClientMessage), ("selection", Selection), ("answer", Answer),
                ("pad", ctypes.c_long * 24)]


# Xlib's own handler would end this process, but a window may be closed at any time.
IGNORE_ERRORS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda display, error: 0)
X.XSetErrorHandler(IGNORE_ERRORS)


class Connection:
    def __init__(self):
        self.display = LONG(X.XOpenDisplay(None))
        self.window = X.XCreateSimpleWindow(self.display, LONG(X.XDefaultRootWindow(self.display)), 0, 0, 1, 1, 0, LONG(0),
                                            LONG(0))

    def atom(self, name):
        return X.XInternAtom(self.display, name.encode(), 0)

    def send(self, window, message, *data):
        event = Event()
        event.client = ClientMessage(CLIENT_MESSAGE, 0, 1, self.display.value, window, self.atom(message), 32,
                                     (ctypes.c_long * 5)(*data))
        X.XSendEvent(self.display, LONG(window), 0, ctypes.c_long(0), ctypes.byref(event))
        X.XFlush(self.display)

    def wait_for(self, kind, seconds=PATIENCE):
        event, end = Event(), time.monotonic() + seconds
        while time.monotonic() < end:
            if not X.XPending(self.display):
                select.select([X.XConnectionNumber(self.display)], [], [], 0.1)
                continue
            X.XNextEvent(self.display, ctypes.byref(event))
            if event.type == kind:
                return event
        raise TimeoutError(f"no event of type {kind}")

    def is_open(self, window):
        attributes = (ctypes.c_char * 256)()  # more than an XWindowAttributes
        return X.XGetWindowAttributes(self.display, LONG(window), attributes) != 0

    def give_selection(self, text):
        """Answers the request for the selection that this connection owns."""
        asked = self.wait_for(SELECTION_REQUEST).selection
        X.XChangeProperty(self.display, LONG(asked.requestor), LONG(asked.property), LONG(asked.target), 8, 0, text, len(text))
        event = Event()
        event.answer = Answer(SELECTION_NOTIFY, 0, 1, self.display.value, asked.requestor, asked.selection, asked.target,
                              asked.property, asked.time)
        X.XSendEvent(self.display, LONG(asked.requestor), 0, ctypes.c_long(0), ctypes.byref(event))
        X.XFlush(self.display)


@contextlib.contextmanager
def connection():
    opened = Connection()
    try:
        yield opened
    finally:
        X.XCloseDisplay(opened.display)


def satscope_window():
    found = subprocess.run(["xdotool", "search", "--sync", "--onlyvisible", "--name", "satscope"], check=True,
                           capture_output=True, text=True, timeout=PATIENCE).stdout
    return int(found.split()[0])


def let_turn(window, turns):
    """Returns when the program has looked for input that many times from now on, or its window is closed. GLFW answers such
    a question when it comes to it among the window's events."""
    with connection() as x:
        root = X.XDefaultRootWindow(x.display)
        X.XSelectInput(x.display, LONG(root), ctypes.c_long(SUBSTRUCTURE))
        ping = x.atom("_NET_WM_PING")
        for turn in range(turns):
            x.send(window, "WM_PROTOCOLS", ping, turn, window)
            end = time.monotonic() + PATIENCE
            while x.is_open(window):
                with contextlib.suppress(TimeoutError):
                    answer = x.wait_for(CLIENT_MESSAGE, 0.2).client
                    if answer.data[0] == ping and answer.data[1] == turn:
                        break
                assert time.monotonic() < end, "the program no longer looks for input"


def close(window):
    """As the cross in the title bar does."""
    with connection() as x:
        x.send(window, "WM_PROTOCOLS", x.atom("WM_DELETE_WINDOW"), 0)


def drop_files(window, *paths):
    """Files are dragged onto the middle of the window and dropped there."""
    with connection() as x:
        selection, copy = x.atom("XdndSelection"), x.atom("XdndActionCopy")
        X.XSetSelectionOwner(x.display, LONG(selection), LONG(x.window), LONG(0))
        x.send(window, "XdndEnter", x.window, 5 << 24, x.atom("text/uri-list"), 0, 0)
        x.send(window, "XdndPosition", x.window, 0, 640 << 16 | 400, 0, copy)
        x.wait_for(CLIENT_MESSAGE)  # XdndStatus: it takes files
        x.send(window, "XdndDrop", x.window, 0, 0)
        x.give_selection("".join(f"file://{path}\r\n" for path in paths).encode())
        x.wait_for(CLIENT_MESSAGE)  # XdndFinished
