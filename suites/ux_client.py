"""A small client of ux/2.0 on a pipe; standard library only."""
from __future__ import annotations

import itertools
import json
import subprocess

from native_client import program


class Failed(Exception):
    def __init__(self, answer):
        self.code = answer.get("errorCode") or answer.get("code") or ""
        super().__init__(f"{self.code}: {answer.get('error') or answer.get('message')}")


class Ux:
    def __init__(self, arguments=()):
        command = [program(), "pipe", "--dialect", "ux", "--journal", ":memory:", *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ids = itertools.count(1)
        self.last_bytes = 0

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=20)
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def ask(self, message):
        """Every answer to one message: there are several where they come in pieces."""
        id = f"m{next(self.ids)}"
        line = json.dumps({**message, "requestId": id}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        answers, self.last_bytes = [], 0
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the program ended")
            answer = json.loads(line)
            if answer.get("requestId") != id:
                continue
            self.last_bytes += len(line)
            if answer["type"] == "error" or answer.get("success") is False:
                raise Failed(answer)
            answers.append(answer)
            if not answer.get("hasMore"):
                return answers
