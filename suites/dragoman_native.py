"""Our driver for the outside suites: their abstract `Driver`, said in native/1.

It decides nothing: an element is what a snapshot says it is, an action is one command. The module `driver` comes from
the suite that runs us.
"""
from __future__ import annotations

from driver import Driver, Element, Unsupported
from native_client import Fault, Native

CHECKED = {"yes": True, "no": False, "mixed": None}
EXTRA = ("type", "description", "placeholder", "href", "level", "expanded", "selected", "covered", "in_view")


class Dragoman(Driver):
    name = "dragoman-native"

    def start(self):
        self.native = Native()
        self.boxes = {}                     # ref -> bounds, as the last snapshot told

    def close(self):
        self.native.close()

    def open(self, url):
        self._do("navigate", url=url)

    # -- seeing -------------------------------------------------------------------------------------------
    def snapshot(self):
        outcome = self._do("snapshot", interactive=True)
        nodes = outcome["reply"]["snapshot"]["nodes"]
        self.last_snapshot_bytes = self.native.last_bytes
        listed = [n for n in nodes if n.get("interactive") and "ref" in n]
        self.boxes = {n["ref"]: n.get("bounds") for n in listed}
        return [element(n) for n in listed]

    def text(self):
        return self._do("text")["reply"]["text"]["text"]

    # -- acting -------------------------------------------------------------------------------------------
    def click(self, id, button="left", count=1, modifiers=()):
        args = {"target": {"ref": id}}
        if button != "left":
            args["button"] = button
        if count != 1:
            args["count"] = count
        if modifiers:
            args["modifiers"] = [m.lower() for m in modifiers]
        self._do("click", **args)

    def type(self, id, text):
        self._do("type", target={"ref": id}, text=text)

    def fill(self, id, text):
        self._do("replace_text", target={"ref": id}, text=text)

    def select(self, id, labels):
        self._do("select", target={"ref": id}, options=[{"label": l} for l in labels])

    def key(self, combo):
        self._do("press", keys=combo)

    def hover(self, id):
        self._do("hover", target={"ref": id})

    def scroll(self, id, dy):
        args = {} if id is None else {"target": {"ref": id}}
        self._do("scroll_by", dx=0, dy=dy, **args)

    def drag(self, id, to_id=None, to_xy=None, offset=(0, 0), from_offset=None):
        args = {"target": {"ref": id}}
        if from_offset:
            args["position"] = self._from_centre(id, from_offset)
        if to_id is not None:
            args["to"] = {"ref": to_id}
            if any(offset):
                args["to_position"] = self._from_centre(to_id, offset)
        else:
            args["to"] = {"point": {"x": to_xy[0], "y": to_xy[1]}}
        self._do("drag", **args)

    # -- helpers ------------------------------------------------------------------------------------------
    def _from_centre(self, ref, offset):
        """The suite counts from an element's centre, native/1 from its top left corner."""
        box = self.boxes.get(ref) or {"width": 0, "height": 0}
        return {"x": box["width"] / 2 + offset[0], "y": box["height"] / 2 + offset[1]}

    def _do(self, cmd, **args):
        """One command. A dialog that it opened, or that stood in its way, is accepted."""
        try:
            outcome = self._call(cmd, **args)
        except Fault as fault:
            if fault.code != "dialog_open":
                raise
            self._accept_dialogs()
            outcome = self._call(cmd, **args)
        if (outcome.get("receipt") or {}).get("dialog"):
            self._accept_dialogs()
        return outcome

    def _accept_dialogs(self):
        """A page may ask again as soon as it was answered; a few times is enough."""
        for _ in range(5):
            try:
                receipt = self._call("dialog", answer="accept").get("receipt") or {}
            except Fault as fault:
                if fault.code == "no_dialog":
                    return
                raise
            if not receipt.get("dialog"):
                return

    def _call(self, cmd, **args):
        try:
            return self.native.call(cmd, **args)
        except Fault as fault:
            if fault.code == "unsupported":
                raise Unsupported(str(fault)) from fault
            raise


def element(node: dict) -> Element:
    extra = {key: node[key] for key in EXTRA if key in node}
    return Element(
        id=node["ref"], role=node.get("role", ""), name=node.get("name", ""), tag=node.get("tag", "").upper(),
        value=node.get("value"), checked=CHECKED.get(node.get("checked")), disabled=node.get("disabled", False),
        bounds=node.get("bounds"), extra=extra)
