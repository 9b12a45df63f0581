"""Our driver for the outside suites, said in command/1: an assistant that writes one command a reply and reads what it is told.

It knows nothing that a chat would not: elements are the lines of the last `<browsing_context>`, and there are only
clicks and keys. What needs more (page text, hovering, dragging, boxes) is Unsupported. The module `driver` comes from
the suite that runs us.
"""
from __future__ import annotations

import html
import json
import queue
import re
import subprocess
import threading
import time

from driver import Driver, Element, NotFound, Unsupported
from native_client import Gone, program

KEYWORD = "[END:suite-suite-1]"
LINE = re.compile(r'^<([a-z0-9-]+) id="(\d+)"((?: [a-z]+="[^"]*")*)>(?:(.*)</\1>)?$')
ATTRIBUTE = re.compile(r' ([a-z]+)="([^"]*)"')
INPUT_ROLES = {"checkbox": "checkbox", "radio": "radio", "submit": "button", "button": "button", "reset": "button",
               "image": "button", "range": "slider", "number": "spinbutton", "search": "searchbox"}
ROLES = {"a": "link", "button": "button", "textarea": "textbox", "select": "combobox", "summary": "button"}
#: An action without a visible effect is answered by nothing for fifteen seconds. A tool that does not exist is answered
#: at once, after everything before it, together with what has changed by then.
NO_TOOL = "No such tool"
ANSWER = 30.0


class Dragoman(Driver):
    name = "dragoman-command"

    def start(self):
        command = [program(), "pipe", "--dialect", "command", "--framed", "--keyword", KEYWORD, "--max-tabs", "1",
                   "--journal", ":memory:"]
        self.proc = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.messages: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.elements: list[Element] = []
        self.asked = 0
        self._next(ANSWER)                  # the prompt

    def close(self):
        self.proc.stdin.close()
        try:
            self.proc.wait(20)
        except subprocess.TimeoutExpired:
            self.proc.kill()

    def open(self, url):
        self.elements = []
        self._say({"action": "open_tab", "url": url})
        wanted = url.split("#")[0]
        end = time.monotonic() + ANSWER
        while wanted not in self._next(end - time.monotonic()):
            pass

    # -- seeing -------------------------------------------------------------------------------------------
    def snapshot(self):
        self._settle()
        return [Element(**vars(e)) for e in self.elements]

    # -- acting -------------------------------------------------------------------------------------------
    def click(self, id, button="left", count=1, modifiers=()):
        if button != "left" or count != 1 or modifiers:
            raise Unsupported("command/1 has plain clicks only")
        self._act({"action": "click", "id": id})

    def type(self, id, text):
        self._act({"action": "type", "id": id, "value": text})

    # -- helpers ------------------------------------------------------------------------------------------
    def _act(self, command):
        self._say(command)
        self._settle()

    def _settle(self):
        """Until all that was said has been answered; an error among it is raised."""
        self.asked += 1
        name = f"{NO_TOOL} {self.asked}"
        self._say({"action": "open_tool", "name": name})
        failed = None
        while True:
            said = self._next(ANSWER)
            for line in said.split("\n"):
                if line.startswith("System Error: ") and NO_TOOL not in line:
                    failed = line.removeprefix("System Error: ")
            if name in said:
                break
        if failed:
            raise (NotFound if "not found" in failed else RuntimeError)(failed)

    def _say(self, command):
        text = f"<tool_code>{json.dumps(command)}</tool_code>\n{KEYWORD}"
        line = json.dumps({"role": "assistant", "text": text})
        self.proc.stdin.write(line.encode() + b"\n")
        self.proc.stdin.flush()

    def _read(self):
        for line in self.proc.stdout:
            self.messages.put(json.loads(line)["text"])
        self.messages.put(None)

    def _next(self, timeout):
        said = self.messages.get(timeout=max(0.0, timeout))
        if said is None:
            raise Gone("the program ended")
        self._take(said)
        return html.unescape(said)

    def _take(self, said):
        """Of several contexts in one message the last one counts: there is one tab."""
        for context in re.findall(r"<browsing_context>\n(.*?)</browsing_context>", said, re.S):
            self.last_snapshot_bytes = len(context.encode())
            self.elements = [e for e in map(element, context.split("\n")) if e]


def element(line):
    found = LINE.match(line)
    if not found:
        return None
    tag, number, attributes, text = found.groups()
    attributes = {name: html.unescape(value) for name, value in ATTRIBUTE.findall(attributes)}
    kind = attributes.get("type", "text")
    role = INPUT_ROLES.get(kind, "textbox") if tag == "input" else ROLES.get(tag, "generic")
    value = attributes.get("value")
    checked = {"checked": True, "unchecked": False}.get(value) if role in ("checkbox", "radio") else None
    name = html.unescape(text or "") or attributes.get("label") or attributes.get("placeholder") or ""
    if role == "button" and tag == "input":
        name = value or name
    return Element(id=int(number), role=role, name=name, tag=tag.upper(), value=value, checked=checked,
                   disabled="disabled" in attributes, extra=attributes)
