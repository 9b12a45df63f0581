"""The gateway's rows: what a socket adds to a pipe, how many commands it bears, many sessions at once.

A session without a page is one that was never told to go anywhere: its commands end in the engine. A fake surface is an
executor that this file plays at /action/executor: it answers at once and has one button."""
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

from measure import median, memory_mb
from native_client import Native, program
from report import number
from web_socket import WebSocket

SESSIONS, EACH, TABS = 200, 10, 20


class Served:
    """A gateway of our own, with a token of its own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="dragoman-bench-")
        env = {**os.environ, "DRAGOMAN_TOKENS": os.path.join(self.folder, "tokens.json")}
        # One for those who act and one for what they act on: a token has so many sockets and no more.
        self.tokens = {name: subprocess.check_output([program(), "token", "new", name], env=env, text=True,
                                                     stderr=subprocess.DEVNULL).strip() for name in ("bench", "surface")}
        self.process = subprocess.Popen([program(), "serve", "--port", "0", "--journal", os.path.join(self.folder, "journal.db")],
                                        env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.at = self.process.stdout.readline().split("http://")[1].split()[0]
        self.sockets = []

    def open(self, path, token="bench"):
        socket = WebSocket(self.at, path, self.tokens[token])
        self.sockets.append(socket)
        return socket

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for socket in self.sockets:
            socket.close()
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def round_trip(bench, row):
    """The same command by socket and by pipe, in turn; what counts is the difference."""
    with Served() as served, Native(journal=os.path.join(served.folder, "pipe.db")) as pipe:
        socket = served.open("/native")
        by_pipe = []
        for i in range(bench.rounds(300) + 10):
            began = time.perf_counter()
            pipe.ask("list_tabs")
            between = time.perf_counter()
            socket.send(json.dumps({"id": i, "cmd": "list_tabs"}))
            socket.until("outcome", i)
            if i >= 10:
                by_pipe.append((between - began) * 1000)
                row.ours.append((time.perf_counter() - between) * 1000 - by_pipe[-1])
        row.note = f"by pipe {number(median(by_pipe), 2)} ms, by socket {number(median(by_pipe) + median(row.ours), 2)} ms"


def commands(bench, row):
    """How long 1,000 commands take that are sent without waiting."""
    with Served() as served:
        socket = served.open("/native")
        socket.until("hello")
        for k in range(bench.rounds(12)):
            wanted = {1000 * k + i for i in range(1000)}
            began = time.perf_counter()
            for i in sorted(wanted):
                socket.send('{"id":%d,"cmd":"list_tabs"}' % i)
                # What has been answered is read meanwhile, as a client would.
                if i % 50 == 49:
                    answered(socket, wanted, wait=False)
            while wanted:
                answered(socket, wanted, wait=True)
            if k:
                row.ours.append((time.perf_counter() - began) * 1000)
        row.note = f"{1000 / median(row.ours) * 1000:,.0f} commands a second"


def answered(socket, wanted, wait):
    if wait or select.select([socket], [], [], 0)[0]:
        for text in socket.texts():
            said = json.loads(text)
            if said.get("type") == "outcome":
                wanted.discard(said["id"])


class FakeSurface:
    """An executor with one button, which counts how often it was pressed."""

    def __init__(self, served, name):
        self.socket = served.open(f"/action/executor?session={name}", "surface")
        self.count = 0
        self.show()

    def show(self):
        self.socket.send(json.dumps({"type": "Snapshot", "data": {"tree": [
            {"id": 1, "role": "button", "name": "Press", "tag": "BUTTON", "bounds": {"x": 1, "y": 1, "width": 80, "height": 20}}]}}))

    def turn(self):
        for text in self.socket.texts():
            said = json.loads(text)
            action = said.get("data") or said.get("command") or {}
            if action.get("type") == "click_element":
                self.count += 1
            reply = {"type": "ActionResult", "data": {"success": True, "error": None, "data": {}}}
            if "request_id" in said:
                reply["request_id"] = said["request_id"]
            self.socket.send(json.dumps(reply))


def sessions(bench, row):
    """So many sessions press a button so often, all at once; each must have been pressed exactly so often."""
    with Served() as served:
        idle = memory_mb(served.process.pid)
        surfaces = [FakeSurface(served, f"fake-{k}") for k in range(SESSIONS)]
        clients = []
        for k in range(SESSIONS):
            client = served.open(f"/native?session=fake-{k}")
            client.until("hello")
            clients.append(client)
        refs = {}
        run(surfaces, clients, lambda client: [{"id": 1, "cmd": "snapshot"}],
            lambda client, said: refs.__setitem__(client, next(n["ref"] for n in said["reply"]["snapshot"]["nodes"] if n["name"] == "Press")))
        for _ in range(bench.rounds(4)):
            before = [s.count for s in surfaces]
            began = time.perf_counter()
            run(surfaces, clients, lambda client: [{"cmd": "click", "target": {"ref": refs[client]}}] * EACH, lambda client, said: None)
            row.ours.append((time.perf_counter() - began) * 1000)
            wrong = sum(s.count - b != EACH for s, b in zip(surfaces, before))
            if wrong:
                row.wrong.append(f"{wrong} sessions were not pressed {EACH} times")
        each = SESSIONS * EACH / median(row.ours) * 1000
        row.note = f"{each:,.0f} commands a second; {number(memory_mb(served.process.pid))} MB, {number(idle)} MB before"


def run(surfaces, clients, asks, told):
    """Send to all, and turn whoever has something to say until all has been answered."""
    open_ = 0
    for client in clients:
        for ask in asks(client):
            client.send(json.dumps(ask))
            open_ += 1
    poll = select.poll()
    by_fd = {}
    for one in [*[s.socket for s in surfaces], *clients]:
        by_fd[one.fileno()] = one
        poll.register(one, select.POLLIN)
    fakes = {s.socket: s for s in surfaces}
    end = time.monotonic() + 60
    while open_:
        if time.monotonic() > end:
            raise RuntimeError(f"{open_} commands were not answered")
        for fd, _ in poll.poll(1000):
            one = by_fd[fd]
            if one in fakes:
                fakes[one].turn()
                continue
            for text in one.texts():
                said = json.loads(text)
                if said.get("type") == "fault" or said.get("status") == "failed":
                    raise RuntimeError(str(said)[:300])
                if said.get("type") == "outcome":
                    open_ -= 1
                    told(one, said)


def tabs(bench, row):
    """A click in each of so many real tabs at once, and the new state of every one in hand; raw CDP likewise."""
    from drivers.floor import FloorDelta
    raw, end, _ = FloorDelta.sessions(TABS)
    try:
        with Served() as served:
            ours = [served.open("/native") for _ in range(TABS)]
            refs = {}
            run([], ours, lambda c: [{"cmd": "navigate", "url": f"{bench.base}/login", "until": "complete"}], lambda c, said: None)
            run([], ours, lambda c: [{"cmd": "snapshot"}], lambda c, said: refs.__setitem__(
                c, next(n["ref"] for n in said["reply"]["snapshot"]["nodes"] if n["name"] == "Increment")))
            marks = {}
            for d in raw:
                d.open(f"{bench.base}/login")
                marks[d] = d.ref(d.snapshot(), "Increment")
            for i in range(bench.rounds(9) + 1):
                bench.gate()
                began = time.perf_counter()
                run([], ours, lambda c: [{"cmd": "click", "target": {"ref": refs[c]}}],
                    lambda c, said: None if f"Count: {i + 1}" in json.dumps(said) else row.wrong.append("ours: no new count"))
                took = (time.perf_counter() - began) * 1000
                bench.gate()
                began = time.perf_counter()
                for text in pipelined(raw, marks):
                    if f"Count: {i + 1}" not in text:
                        row.wrong.append("raw CDP: no new count")
                if i:
                    row.ours.append(took)
                    row.raw.append((time.perf_counter() - began) * 1000)
            row.note = f"{number(memory_mb(served.process.pid))} MB"
    finally:
        end()


def pipelined(raw, marks):
    """The same on every tab, each step of all tabs sent before the first answer is waited for."""
    points = [d.cdp.send("Runtime.evaluate", {"expression": f"__bench.point({json.dumps(marks[d])})", "returnByValue": True}, d.s) for d in raw]
    points = [d.cdp.wait(p)["result"]["value"] for d, p in zip(raw, points)]
    sent = []
    for d, (x, y, _) in zip(raw, points):
        for kind, button in (("mouseMoved", "none"), ("mousePressed", "left"), ("mouseReleased", "left")):
            sent.append((d, d.cdp.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": button,
                                                                    "clickCount": 0 if button == "none" else 1}, d.s)))
    for d, one in sent:
        d.cdp.wait(one)
    looks = [d.cdp.send("Runtime.evaluate", {"expression": "__bench.delta()", "returnByValue": True}, d.s) for d in raw]
    return [d.cdp.wait(look)["result"]["value"] for d, look in zip(raw, looks)]
