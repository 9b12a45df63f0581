"""A small client of native/1: starts `dragoman pipe --dialect native` and talks JSON lines to it.

    with Native() as d:
        d.call("navigate", url="https://example.com")
        for node in d.call("snapshot")["reply"]["snapshot"]["nodes"]: ...

`call` waits for the outcome and raises `Fault` when the command failed. `ask` does the same but hands
over the raw line and the moment it was complete, so that a benchmark need not count Python's parsing.

$DRAGOMAN_BIN names the program (default: target/release/dragoman of this project). Standard library only.
"""
from __future__ import annotations

import json
import os
import re
import select
import subprocess
import tempfile
import time
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEAD = re.compile(rb'^\{"type":"(\w+)"(?:,"session":"[^"]*")?(?:,"id":(\d+))?[,}]')


class Fault(Exception):
    """A command that failed, or a line that was refused."""

    def __init__(self, fault: dict, outcome: dict | None = None):
        self.code = fault.get("code", "internal")
        self.message = fault.get("message", "")
        self.suggestion = fault.get("suggestion", "")
        self.candidates = fault.get("candidates", [])
        self.receipt = (outcome or {}).get("receipt") or {}
        super().__init__(f"{self.code}: {self.message} ({self.suggestion})")


class Gone(Exception):
    """The program ended, or never began."""


class NoAnswer(Exception):
    """No outcome came in time; the program promises that this never happens."""


@dataclass
class Line:
    """One line from the program, and when its last byte was in hand (time.perf_counter)."""
    raw: bytes
    at: float

    def parse(self) -> dict:
        return json.loads(self.raw)


def program() -> str:
    return os.environ.get("DRAGOMAN_BIN") or os.path.join(ROOT, "target", "release", "dragoman")


class Native:
    def __init__(self, args=(), journal=":memory:", env=None):
        command = [program(), "pipe", "--dialect", "native", "--journal", journal, *args]
        self.log = tempfile.TemporaryFile()
        try:
            self.proc = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=self.log, bufsize=0, env=env)
        except OSError as e:
            raise Gone(f"cannot start {command[0]}: {e}") from e
        self.pid = self.proc.pid
        self.out = self.proc.stdout.fileno()
        self.parts: list[bytes] = []        # of the line that is still coming in
        self.ready: list[Line] = []         # complete lines that nobody has asked for yet
        self.events: list[dict] = []
        self.hello: dict | None = None
        self.last_id = 0
        self.last_bytes = 0                 # on the wire, of the last outcome that `call` returned

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # -- asking -------------------------------------------------------------------------------------------
    def send(self, cmd: str, **args) -> int:
        """Write a request and do not wait. The id is the handle for `answer`."""
        self.last_id += 1
        line = json.dumps({"id": self.last_id, "cmd": cmd, **args}, separators=(",", ":"))
        try:
            self.proc.stdin.write(line.encode() + b"\n")
        except OSError as e:
            raise Gone(self._why()) from e
        return self.last_id

    def answer(self, request: int, timeout: float = 90.0) -> Line:
        """The line with the outcome of a request, unparsed. Events that come first are kept in `events`."""
        end = time.monotonic() + timeout
        while True:
            line = self._line(end)
            kind, number = self._head(line)
            if number == request and kind == "outcome":
                return line
            self._set_aside(kind, number, request, line)

    def ask(self, cmd: str, timeout: float = 90.0, **args) -> Line:
        return self.answer(self.send(cmd, **args), timeout)

    def call(self, cmd: str, timeout: float = 90.0, **args) -> dict:
        """The whole outcome, parsed; raises `Fault` unless it is `done`."""
        line = self.ask(cmd, timeout, **args)
        self.last_bytes = len(line.raw)
        return check(line.parse())

    def reply(self, cmd: str, kind: str, **args):
        """Only what was asked for: the part of the reply called `kind`."""
        outcome = self.call(cmd, **args)
        try:
            return outcome["reply"][kind]
        except (KeyError, TypeError):
            raise Fault({"code": "internal", "message": f"{cmd} answered without {kind}: {str(outcome)[:200]}"}) from None

    # -- the end ------------------------------------------------------------------------------------------
    def close(self):
        """End of input ends the program, and with it the browser."""
        try:
            self.proc.stdin.close()
        except OSError:
            pass
        for stop in (None, self.proc.terminate, self.proc.kill):
            if stop:
                stop()
            try:
                self.proc.wait(5)
                break
            except subprocess.TimeoutExpired:
                continue
        self.proc.stdout.close()
        self.log.close()

    # -- reading ------------------------------------------------------------------------------------------
    def _line(self, end: float) -> Line:
        while not self.ready:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.out], [], [], left)[0]:
                raise NoAnswer("no outcome in time\n" + self._log_tail())
            chunk = os.read(self.out, 1 << 20)
            if not chunk:
                raise Gone(self._why())
            *whole, rest = chunk.split(b"\n")
            if whole:
                at = time.perf_counter()
                self.parts.append(whole[0])
                self.ready.append(Line(b"".join(self.parts), at))
                self.ready.extend(Line(raw, at) for raw in whole[1:])
                self.parts = []
            if rest:
                self.parts.append(rest)
        return self.ready.pop(0)

    @staticmethod
    def _head(line: Line):
        """(type, id) from the first bytes; only an unusual line is parsed for it."""
        m = HEAD.match(line.raw)
        if m and (m.group(2) or m.group(1) == b"event"):
            return m.group(1).decode(), int(m.group(2) or 0)
        said = line.parse()
        return said.get("type"), said.get("id")

    def _set_aside(self, kind, number, request, line: Line):
        if kind == "hello":
            self.hello = line.parse()
        elif kind == "event":
            self.events.append(line.parse())
        elif kind == "fault" and number in (None, request):
            raise Fault(line.parse().get("fault", {}))

    def _why(self) -> str:
        try:
            code = self.proc.wait(5)
        except subprocess.TimeoutExpired:
            code = "still running"
        return f"dragoman closed its pipe (exit status {code})\n{self._log_tail()}"

    def _log_tail(self) -> str:
        size = self.log.seek(0, os.SEEK_END)
        self.log.seek(max(0, size - 2000))
        return self.log.read().decode(errors="replace")


def check(outcome: dict) -> dict:
    if outcome.get("status") == "done":
        return outcome
    fault = outcome.get("fault") or {"code": outcome.get("status", "internal"), "message": outcome.get("reason", "")}
    raise Fault(fault, outcome)
