"""A small client of MCP on standard input and output: starts `dragoman mcp` and calls its tools.

    with Mcp() as m:
        m.tool("browser_navigate", url="https://example.com")
        print(m.tool("browser_snapshot").text)

`tool` raises `Failed` when the call failed. Standard library only; the program is named as in native_client.
"""
from __future__ import annotations

import json
import re
import subprocess
import tempfile
from dataclasses import dataclass, field

from native_client import Gone, program

VERSION = "2025-06-18"


@dataclass
class Answer:
    text: str
    data: dict = field(default_factory=dict)
    bytes: int = 0


class Failed(Exception):
    """A call that failed. The text begins with `Error` and a stable code."""

    def __init__(self, text: str):
        found = re.match(r"Error (\w+)", text)
        self.code = found.group(1) if found else "refused"
        super().__init__(text[:600])


class Mcp:
    def __init__(self, args=(), journal=":memory:", env=None):
        self.log = tempfile.TemporaryFile()
        command = [program(), "mcp", "--journal", journal, *args]
        try:
            self.proc = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, env=env)
        except OSError as e:
            raise Gone(f"cannot start {command[0]}: {e}") from e
        self.last_id = 0
        self.notices: list[dict] = []
        self.about = self.request("initialize", {"protocolVersion": VERSION, "capabilities": {},
                                                 "clientInfo": {"name": "suites", "version": "1"}})
        self.notify("notifications/initialized")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def tool(self, name: str, **args) -> Answer:
        result = self.request("tools/call", {"name": name, "arguments": args})
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        if result.get("isError"):
            raise Failed(text)
        return Answer(text, result.get("structuredContent") or {}, self.last_bytes)

    def request(self, method: str, params: dict) -> dict:
        self.last_id += 1
        self._write({"id": self.last_id, "method": method, "params": params})
        while True:
            line = self.proc.stdout.readline()
            if not line:
                raise Gone(self._why())
            message = json.loads(line)
            if message.get("id") == self.last_id:
                self.last_bytes = len(line)
                if "error" in message:
                    raise Failed(message["error"]["message"])
                return message["result"]
            self.notices.append(message)

    def notify(self, method: str, params: dict | None = None):
        self._write({"method": method, "params": params or {}})

    def close(self):
        """End of input ends the program, and with it the browser."""
        try:
            self.proc.stdin.close()
        except OSError:
            pass
        try:
            self.proc.wait(20)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            self.proc.wait()
        self.proc.stdout.close()
        self.log.close()

    def _write(self, message: dict):
        line = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":"))
        try:
            self.proc.stdin.write(line.encode() + b"\n")
            self.proc.stdin.flush()
        except OSError as e:
            raise Gone(self._why()) from e

    def _why(self) -> str:
        self.log.seek(0)
        said = self.log.read().decode(errors="replace").strip()
        return f"the program ended: {said[-600:] or 'without a word'}"
