"""Our driver for the outside suites, said in the tools of MCP: what a model reads is all it knows.

An element is a line of the outline, an action one call. The module `driver` comes from the suite that runs us.
"""
from __future__ import annotations

import json
import re

from driver import Driver, Element, Unsupported
from mcp_client import Failed, Mcp

LINE = re.compile(r'^(?P<indent> *)- (?P<role>[\w-]+)(?: (?P<name>"(?:[^"\\]|\\.)*"))?(?P<rest>.*)$')
MARK = re.compile(r" \[(\w+)(?:=([^\]]*))?\]")
#: A long value is cut, and what is missing is counted.
CUT = re.compile(r"…\+\d+$")
#: Everything, with nothing folded.
WHOLE = {"depth": 200, "boxes": True, "tags": True, "output_budget": 200_000}
#: A dialog that asks again and again is answered so often.
ANSWERS = 5


class Dragoman(Driver):
    name = "dragoman-mcp"

    def start(self):
        self.mcp = Mcp(["--caps", "vision"])
        self.boxes = {}                     # ref -> bounds, as the last snapshot told

    def close(self):
        self.mcp.close()

    def open(self, url):
        self._do("browser_navigate", url=url)

    # -- seeing -------------------------------------------------------------------------------------------
    def snapshot(self):
        answer = self._do("browser_snapshot", **WHOLE)
        self.last_snapshot_bytes = answer.bytes
        listed = [e for e in map(element, answer.text.split("\n")) if e]
        for e in listed:
            if e.value and CUT.search(e.value):
                e.value = self._script("(element) => element.value", target=e.id)
        self.boxes = {e.id: e.bounds for e in listed}
        return listed

    def text(self):
        return self._script("() => document.body.innerText")

    # -- acting -------------------------------------------------------------------------------------------
    def click(self, id, button="left", count=1, modifiers=()):
        if count > 2:
            raise Unsupported("a triple click")
        args = {"target": id}
        if button != "left":
            args["button"] = button
        if count == 2:
            args["doubleClick"] = True
        if modifiers:
            args["modifiers"] = list(modifiers)
        self._do("browser_click", **args)

    def type(self, id, text):
        self._do("browser_type", target=id, text=text, slowly=True)

    def fill(self, id, text):
        self._do("browser_type", target=id, text=text)

    def select(self, id, labels):
        self._do("browser_select_option", target=id, values=list(labels))

    def key(self, combo):
        self._do("browser_press_key", key=combo)

    def hover(self, id):
        self._do("browser_hover", target=id)

    def scroll(self, id, dy):
        if id is not None:
            self.hover(id)
        self._do("browser_mouse_wheel", deltaX=0, deltaY=dy)

    def drag(self, id, to_id=None, to_xy=None, offset=(0, 0), from_offset=None):
        if to_id is not None and not any(offset) and not from_offset:
            self._do("browser_drag", startTarget=id, endTarget=to_id)
            return
        start = self._point(id, from_offset or (0, 0))
        end = to_xy if to_id is None else self._point(to_id, offset)
        self._do("browser_mouse_drag_xy", startX=start[0], startY=start[1], endX=end[0], endY=end[1])

    # -- helpers ------------------------------------------------------------------------------------------
    def _point(self, ref, offset):
        box = self.boxes[ref]
        return box["x"] + box["width"] / 2 + offset[0], box["y"] + box["height"] / 2 + offset[1]

    def _script(self, function, **args):
        answer = self._do("browser_evaluate", function=function, output_budget=200_000, **args)
        return json.loads(answer.text.split("\n", 1)[1].rsplit("\n", 1)[0])

    def _do(self, tool, **args):
        """One call. A dialog that it opened, or that stood in its way, is accepted."""
        try:
            answer = self.mcp.tool(tool, **args)
        except Failed as failed:
            if failed.code != "dialog_open":
                raise
            self._accept_dialogs()
            answer = self.mcp.tool(tool, **args)
        if answer.data.get("dialog"):
            self._accept_dialogs()
        return answer

    def _accept_dialogs(self):
        for _ in range(ANSWERS):
            try:
                answer = self.mcp.tool("browser_handle_dialog", accept=True)
            except Failed as failed:
                if failed.code == "no_dialog":
                    return
                raise
            if not answer.data.get("dialog"):
                return


def element(line: str) -> Element | None:
    found = LINE.match(line)
    marks = dict(MARK.findall(found["rest"])) if found else {}
    if "ref" not in marks:
        return None
    role = found["role"]
    value = found["rest"].partition("]: ")[2] or None
    if value and value.startswith('"') and value.endswith('"'):
        value = json.loads(value)
    box = [float(part) for part in marks["box"].split(",")] if "box" in marks else None
    checked = "checked" in marks and marks["checked"] != "mixed"
    return Element(
        id=marks["ref"], role=role, name=json.loads(found["name"]) if found["name"] else "",
        tag=marks.get("tag", "").upper(), value=value,
        checked=checked if role in ("checkbox", "radio", "switch") else None, disabled="disabled" in marks,
        bounds=dict(zip(("x", "y", "width", "height"), box)) if box else None, extra=marks)
