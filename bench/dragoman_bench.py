"""Ours as a driver of the outside benchmark: $BENCH_DRIVERS=dragoman_bench:DragomanNative, with bench/ and suites/ in
$PYTHONPATH. What it returns as text is the outcome as it came over the wire."""
import base64
import os

from drivers.base import Driver
from native_client import Native, check

LIMIT = 200_000
FIELD = "(?:button|link|textbox|searchbox|combobox|checkbox|radio|spinbutton)"


class DragomanNative(Driver):
    name = "dragoman-native"
    label = "dragoman pipe --dialect native, JSON lines over stdio"
    click_returns = "receipt + what changed"
    # a field before its label, which has the same name and is listed too
    ref_patterns = tuple(rf'"ref":(\d+),(?:"id":"[^"]*",)?"role":"{role}","name":"NAME"' for role in (FIELD, '[^"]*'))

    def start(self):
        self.native = Native(journal=os.path.join(self.work, "journal.db"), env=self.env)

    def close(self):
        self.native.close()

    def _ask(self, cmd, **args):
        line = self.native.ask(cmd, **args)
        text = line.raw.decode()
        if '"status":"done"' not in text[:400]:
            check(line.parse())
        return self.got(text)

    @staticmethod
    def _at(ref):
        return {"ref": int(ref)}

    def open(self, url):
        return self._ask("navigate", url=url, until="complete")

    def snapshot(self):
        return self._ask("snapshot", limit=LIMIT)

    def click(self, ref):
        return self._ask("click", target=self._at(ref))

    def click_snapshot(self, ref):
        return self.click(ref)

    def observe(self):
        return self._ask("changes")

    def fill(self, ref, text):
        return self._ask("replace_text", target=self._at(ref), text=text)

    def type_keys(self, ref, text):
        return self._ask("type", target=self._at(ref), text=text)

    def select(self, ref, value):
        return self._ask("select", target=self._at(ref), options=[{"label": value}])

    def wait_text(self, text):
        return self._ask("wait", until={"text": text})

    def screenshot(self):
        return len(base64.b64decode(self.native.reply("screenshot", "image")["data"]))

    def ping(self):
        return self._ask("evaluate", script="1+1")

    def batch_form(self, items):
        return self._ask("batch", steps=[self._step(kind, ref, value) for kind, ref, _, value in items])

    def _step(self, kind, ref, value):
        target = self._at(ref)
        return {"fill": {"cmd": "replace_text", "target": target, "text": value},
                "select": {"cmd": "select", "target": target, "options": [{"label": value}]},
                "check": {"cmd": "check", "target": target},
                "click": {"cmd": "click", "target": target}}[kind]
