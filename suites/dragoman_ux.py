"""Our driver for the outside suites: their abstract `Driver`, said in ux/2.0.

It decides nothing: an element is what getElements says it is, an action is one message. The module `driver` comes from
the suite that runs us.
"""
from __future__ import annotations

from driver import Driver, Element, Unsupported
from ux_client import Failed, Ux

WINDOW = "window:main"
LOOK = {"type": "getElements", "filter": {"interactive": True}, "limit": 1000, "chunked": True, "chunkSize": 500,
        "include": ["semanticId", "text", "value", "bounds", "state"]}
#: A dialog that asks again and again is answered so often.
ANSWERS = 5


class Dragoman(Driver):
    name = "dragoman-ux"

    def start(self):
        self.ux = Ux()
        self.boxes = {}                     # id -> bounds, as the last look told

    def close(self):
        self.ux.close()

    def open(self, url):
        self._act(WINDOW, "navigate", url)

    # -- seeing -------------------------------------------------------------------------------------------
    def snapshot(self):
        told = [e for answer in self._ask(LOOK) for e in answer["elements"]]
        self.last_snapshot_bytes = self.ux.last_bytes
        self.boxes = {e["semanticId"]: e.get("bounds") for e in told}
        return [element(e) for e in told]

    def text(self):
        return self._act(WINDOW, "text")["value"]

    # -- acting -------------------------------------------------------------------------------------------
    def click(self, id, button="left", count=1, modifiers=()):
        value = {}
        if button != "left":
            value["button"] = button
        if count != 1:
            value["count"] = count
        if modifiers:
            value["modifiers"] = [m.lower() for m in modifiers]
        self._act(id, "click", value or None)

    def type(self, id, text):
        self._act(id, "type", text)

    def fill(self, id, text):
        self._act(id, "replaceText", text)

    def select(self, id, labels):
        self._act(id, "select", list(labels))

    def key(self, combo):
        self._act(WINDOW, "press", combo)

    def hover(self, id):
        self._act(id, "hover")

    def scroll(self, id, dy):
        self._act(WINDOW if id is None else id, "scrollBy", {"dx": 0, "dy": dy})

    def drag(self, id, to_id=None, to_xy=None, offset=(0, 0), from_offset=None):
        value = {}
        if from_offset:
            value["position"] = self._from_centre(id, from_offset)
        if to_id is not None:
            value["to"] = to_id
            if any(offset):
                value["toPosition"] = self._from_centre(to_id, offset)
        else:
            value["to"] = {"point": {"x": to_xy[0], "y": to_xy[1]}}
        self._act(id, "drag", value)

    # -- helpers ------------------------------------------------------------------------------------------
    def _from_centre(self, id, offset):
        """The suite counts from an element's centre, the catalog from its top left corner."""
        box = self.boxes.get(id) or {"width": 0, "height": 0}
        return {"x": box["width"] / 2 + offset[0], "y": box["height"] / 2 + offset[1]}

    def _act(self, target, action, value=None):
        """One action. A dialog that it opened, or that stood in its way, is accepted."""
        message = {"type": "action", "target": target, "action": action}
        if value is not None:
            message["value"] = value
        answer = self._ask(message)[0]
        if (answer.get("receipt") or {}).get("dialog"):
            self._accept_dialogs()
        return answer

    def _accept_dialogs(self):
        for _ in range(ANSWERS):
            try:
                answer = self.ux.ask({"type": "action", "target": WINDOW, "action": "dialog", "value": "accept"})[0]
            except Failed as failed:
                if failed.code == "NO_DIALOG":
                    return
                raise
            if not (answer.get("receipt") or {}).get("dialog"):
                return

    def _ask(self, message):
        try:
            return self.ux.ask(message)
        except Failed as failed:
            if failed.code == "UNSUPPORTED":
                raise Unsupported(str(failed)) from failed
            if failed.code != "DIALOG_OPEN":
                raise
        self._accept_dialogs()
        return self.ux.ask(message)


def element(told: dict) -> Element:
    state = told.get("state") or {}
    checked = state.get("checked")
    return Element(
        id=told["semanticId"], role=state.get("role", ""), name=state.get("name", ""),
        tag=state.get("tag", "").upper(), value=told.get("value"),
        checked=checked if isinstance(checked, bool) else None, disabled=state.get("disabled", False),
        bounds=told.get("bounds"), extra=state)
