"""The sides that are measured: ours over native/1 and over MCP, and raw CDP doing the same by hand.

What is counted, on each side, is the time until an operator could read the answer:
- ours: from before the request line is written until the outcome's last byte is in hand. The outcome is a text for
  an operator; parsing it is the operator's business, and Python's speed at it is not ours.
- ours over MCP: the same, and until the text is decoded out of the message, which is a text wrapped in a text too.
- raw: from before the CDP message is written until the page's string is decoded out of the CDP envelope (json.loads),
  because until then it is a text wrapped in a text. On our side that same decoding happens inside our process.
Both speak to their Chromium over its pipe, both are driven by one Python thread, both run in this same run.
Our journal is a file on disk, as it is in use.
"""
import json
import os
import re
import shutil
import tempfile
import time

from drivers.floor import FloorDelta
from mcp_client import Mcp
from native_client import Native, check

#: more than any page here has, so that nothing is left out
LIMIT = 200_000
KEYS = ("mouseMoved", "none", 0), ("mousePressed", "left", 1), ("mouseReleased", "left", 1)


class Sample:
    """One measured answer: how long it took, when it was in hand (time.perf_counter), what it says."""

    def __init__(self, began, ended, text):
        self.ms, self.at, self.text = (ended - began) * 1000, ended, text


class Ours:
    name = "ours"

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="dragoman-bench-")
        self.native = Native(journal=os.path.join(self.folder, "journal.db"))
        self.pid = self.native.pid

    def close(self):
        self.native.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _ask(self, cmd, **args):
        began = time.perf_counter()
        line = self.native.ask(cmd, **args)
        sample = Sample(began, line.at, line.raw.decode())
        if '"status":"done"' not in sample.text[:400]:
            check(json.loads(sample.text))
        return sample

    def open(self, url):
        self.native.call("navigate", url=url, until="complete")

    def snapshot(self):
        return self._ask("snapshot", limit=LIMIT)

    def ref(self, name):
        """The ref of the element of that name, from a snapshot that is not measured."""
        snapshot = json.loads(self.snapshot().text)["reply"]["snapshot"]
        if snapshot.get("omitted"):
            raise RuntimeError(f"{snapshot['omitted']} nodes were left out")
        called = [n for n in snapshot["nodes"] if n.get("name") == name and n.get("interactive")]
        if not called:
            raise RuntimeError(f"nothing is called {name!r}")
        # a field before its label, which has the same name and is listed too
        return min(called, key=lambda n: n.get("tag", "").upper() == "LABEL")["ref"]

    def click(self, ref):
        return self._ask("click", target={"ref": ref})

    def type(self, ref, text):
        return self._ask("type", target={"ref": ref}, text=text)

    def evaluate(self, script):
        return self.native.reply("evaluate", "value", script=script)

    def wait_for(self, css, start):
        """Set the page's own timer going, then wait until the element shows."""
        self.evaluate(start)
        return self._ask("wait", until={"visible": {"css": css}})

    def click_to_new_page(self, ref):
        """Click a link and have the new page's state in hand."""
        click = self.click(ref)
        receipt = json.loads(click.text).get("receipt") or {}
        if not receipt.get("navigated"):
            raise RuntimeError("the receipt knows of no navigation: " + click.text[:300])
        snapshot = self.snapshot()
        return Sample(click.at - click.ms / 1000, snapshot.at, snapshot.text)

    click_when_done = click


class OursMcp:
    """As a client of MCP meets us: default arguments, on standard input and output."""
    name = "ours"

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="dragoman-bench-")
        self.mcp = Mcp(journal=os.path.join(self.folder, "journal.db"))
        self.pid = self.mcp.proc.pid

    def close(self):
        self.mcp.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _call(self, tool, **args):
        began = time.perf_counter()
        text = self.mcp.tool(tool, **args).text
        return Sample(began, time.perf_counter(), text)

    def open(self, url):
        self._call("browser_navigate", url=url)

    def snapshot(self):
        return self._call("browser_snapshot")

    def ref(self, name):
        found = re.search(rf'^\s*- (?!text\b)[\w-]+ "{re.escape(name)}"(?: \[[^\]]*\])*? \[ref=(\w+)\]', self.snapshot().text, re.M)
        if not found:
            raise RuntimeError(f"nothing is called {name!r}")
        return found.group(1)

    def click(self, ref):
        return self._call("browser_click", target=ref)


class Raw(FloorDelta):
    """floor-delta over the pipe, with the walk that reads box and cursor of every element."""
    name = "raw CDP"
    transport = "pipe"

    def __init__(self):
        super().__init__()
        self.start()

    def close(self):
        super().close()
        shutil.rmtree(self.work, ignore_errors=True)

    def _sample(self, do):
        began = time.perf_counter()
        text = do()
        return Sample(began, time.perf_counter(), text)

    def snapshot(self):
        return self._sample(lambda: self.ev("__bench.snapRich()"))

    def ref(self, name):
        return super().ref(self.snapshot().text, name)

    def click(self, ref):
        return self._sample(lambda: self.click_snapshot(ref))

    def click_snapshot(self, ref):
        self._press(ref)
        return self.ev("__bench.delta()")

    def _press(self, ref):
        """As floor-delta clicks: one look for the point, then one pipelined burst."""
        super().click(ref)

    def type(self, ref, text):
        return self._sample(lambda: self._type(ref, text))

    def _type(self, ref, text):
        """The click that gives the focus and all the keys in one burst, then what changed."""
        x, y, _ = self.ev(f"__bench.point({json.dumps(ref)})")
        sent = [self._event("Mouse", type=kind, x=x, y=y, button=button, clickCount=count) for kind, button, count in KEYS]
        for char in text:
            sent.append(self._event("Key", type="keyDown", text=char, key=char))
            sent.append(self._event("Key", type="keyUp", key=char))
        for one in sent:
            self.cdp.wait(one)
        return self.ev("__bench.delta()")

    def _event(self, kind, **params):
        return self.cdp.send(f"Input.dispatch{kind}Event", params, self.s)

    def evaluate(self, script):
        return self.ev(script, wait=True)

    def wait_for(self, css, start):
        """One promise in the page, kept by a MutationObserver, made before the timer is set going."""
        script = ("new Promise(ok=>{const q=()=>document.querySelector(%s);const o=new MutationObserver(()=>{if(q())"
                  "{o.disconnect();ok('seen');}});o.observe(document,{childList:true,subtree:true});%s})"
                  % (json.dumps(css), start))
        return self._sample(lambda: self.ev(script, wait=True))

    def click_when_done(self, ref):
        """The best there can be: a client that knows the page's own promise of being done."""
        self.ev("arm()")

        def do():
            self._press(ref)
            return self.ev("window.next.then(()=>__bench.delta())", wait=True)
        return self._sample(do)

    def click_to_new_page(self, ref):
        self.cdp.events.clear()
        self.cdp.keep_events = True

        def do():
            self._press(ref)
            self.cdp.wait_event("Page.loadEventFired", lambda e: e.get("sessionId") == self.s)
            return self.ev("__bench.snapRich()")
        sample = self._sample(do)
        self.cdp.keep_events = False
        self.cdp.events.clear()
        return sample
