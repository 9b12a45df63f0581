#!/usr/bin/env python3
"""Ours against raw CDP doing the same on the same pages, interleaved in one run.

  cargo xtask bench             everything
  cargo xtask bench --quick     fewer samples; the last result is compared with but not replaced
  cargo xtask bench --strict    exit status 1 when a bar is missed (a wrong or failed answer always is one)
  cargo xtask bench --peers     other browser servers beside ours, by the outside benchmark
  bench/run.py --only click     only the cases whose name contains this

$DRAGOMAN_BENCH: the folder with the outside benchmark's pages and floor drivers. $DRAGOMAN_BIN: our program.
$DRAGOMAN_BROWSER: the Chromium both sides use. What is counted on each side is said in sides.py.
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
OUTSIDE = os.environ.get("DRAGOMAN_BENCH") or os.path.join(ROOT, "..", "shared", "bench")
BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")

sys.dont_write_bytecode = True
sys.path[:0] = [OUTSIDE, HERE, os.path.join(ROOT, "suites")]

PAGES = {"login": "10", "search": "100", "table": "1,000", "huge": "10,000"}
#: samples per page and side: the larger the page, the steadier its time
ROUNDS = {"login": 101, "search": 101, "table": 31, "huge": 15}
#: the last element of each page: a snapshot without it is not one
LAST_NAME = {"login": "Help", "search": "Page 10", "table": "Delete 249", "huge": "Quantity 2499"}
#: what a default snapshot over MCP must show: all of a small page, of a large one what is in view
IN_BUDGET = {**LAST_NAME, "table": "Increment", "huge": "Increment"}
TEXT50 = "The quick brown fox jumps over the lazy dog 012345"
LATE_MS = 150
#: what runs with --peers; $BENCH_ONLY and $BENCH_PHASES choose less
PEERS = ("dragoman-native,dragoman-http,ours,floor-cdp,floor-delta,playwright-mcp,playwright-mcp-tuned,chrome-devtools-mcp,"
         "agent-browser-mcp,agent-browser-sock")
PHASES = "cold,pages,actions,form,spinner,concurrent"


class Bench:
    def __init__(self, quick, only, base, site, gate):
        self.quick, self.only, self.base, self.site, self.gate = quick, only, base, site, gate
        self.rows = []
        self.sides = []

    def rounds(self, n):
        return max(3, n // 4) if self.quick else n

    def case(self, name, bar, run, unit="x"):
        """Measure one row. What goes wrong in one case is told and does not end the run."""
        if self.only and self.only not in name:
            return
        row = Row(name, bar, unit)
        self.rows.append(row)
        print(f"  {name} …", end="", flush=True)
        began = time.monotonic()
        try:
            run(row)
        except Exception as e:
            row.error = f"{type(e).__name__}: {e}"
        shown = row.error or f"{number(row.judged, 2)}{'×' if unit == 'x' else ' ' + unit} {row.verdict()}"
        print(f" {shown}  ({time.monotonic() - began:.1f} s)", flush=True)

    # -- cases --------------------------------------------------------------------------------------------
    def cold(self, row):
        """From starting the process to the first snapshot in hand; the first round only warms the disk cache."""
        for i, kind in in_turn([Ours, Raw], self.rounds(12) + 1):
            self.gate()
            began = time.perf_counter()
            side = kind()
            try:
                side.open(f"{self.base}/login")
                sample = side.snapshot()
                if LAST_NAME["login"] not in sample.text:
                    row.wrong.append(f"{side.name}: an incomplete first snapshot")
                if i:
                    row.add(side, (sample.at - began) * 1000)
            finally:
                side.close()

    def snapshot(self, page, wanted=LAST_NAME):
        def run(row):
            for side in self.sides:
                side.open(f"{self.base}/{page}")
                side.snapshot()
            for _, side in in_turn(self.sides, self.rounds(ROUNDS[page])):
                self.gate()
                sample = side.snapshot()
                row.add(side, sample.ms)
                if wanted[page] not in sample.text:
                    row.wrong.append(f"{side.name}: {wanted[page]!r} is not in the snapshot")
        return run

    def click(self, page):
        """Click, and have in hand what changed; `Count: k` must be in it."""
        def run(row):
            refs = {}
            for side in self.sides:
                side.open(f"{self.base}/{page}")
                refs[side] = side.ref("Increment")
            self._clicks(row, refs, self.rounds(ROUNDS[page]), lambda side: side.click(refs[side]))
        return run

    def _clicks(self, row, refs, rounds, click, after=lambda side, sample: None):
        """The first click of each side is a warm-up and is checked like the others."""
        for i, side in in_turn(self.sides, rounds + 1):
            self.gate()
            sample = click(side)
            if not re.search(rf"Count: {i + 1}\b", sample.text):
                row.wrong.append(f"{side.name}: no 'Count: {i + 1}' in {sample.text[:200]}")
            if i:
                row.add(side, sample.ms)
                after(side, sample)

    def type50(self, row):
        refs = {}
        for side in self.sides:
            side.open(f"{self.base}/login")
            refs[side] = side.ref("Username")
        for i, side in in_turn(self.sides, self.rounds(21) + 1):
            side.evaluate("document.getElementById('u').value=''")
            self.gate()
            sample = side.type(refs[side], TEXT50)
            got = side.evaluate("document.getElementById('u').value")
            if got != TEXT50:
                row.wrong.append(f"{side.name}: the field holds {got!r}")
            if i:
                row.add(side, sample.ms)

    def settles(self, kind):
        """A click whose work ends later. Raw knows the page's own promise; ours has to find out."""
        def run(row):
            refs, late = {}, []
            for side in self.sides:
                side.open(f"{self.site}/settle.html?kind={kind}")
                refs[side] = side.ref("Increment")

            def after(side, sample):
                if side.name == "ours":
                    late.append(behind(side, sample, "page.done")[0])
            self._clicks(row, refs, self.rounds(51), lambda side: side.click_when_done(refs[side]), after)
            row.note = f"in hand {number(median(late))} ms after the page was done"
        return run

    def navigates(self, row):
        for i, side in in_turn(self.sides, self.rounds(15) + 1):
            side.open(f"{self.site}/nav.html")
            ref = side.ref("Increment")
            self.gate()
            sample = side.click_to_new_page(ref)
            if "Landed" not in sample.text or "Stay" not in sample.text:
                row.wrong.append(f"{side.name}: not the new page: {sample.text[:200]}")
            if i:
                row.add(side, sample.ms)

    def late(self, row):
        """From the element's appearing, by the page's clock, to the answer in hand."""
        for i, side in in_turn(self.sides, self.rounds(21) + 1):
            side.open(f"{self.site}/late.html")
            self.gate()
            sample = side.wait_for("#late", f"start({LATE_MS})")
            after, appeared = behind(side, sample, "appeared")
            if not appeared or after < -5:
                row.wrong.append(f"{side.name}: answered {-after:.0f} ms before it appeared")
            if sample.ms < LATE_MS / 10:
                row.wrong.append(f"{side.name}: asked too late to measure anything")
            if i:
                row.add(side, max(0.0, after))
        row.note = f"at most {number(max(row.ours))} ms"

    def memory_idle(self, row):
        """Our process alone, a page open, nothing going on."""
        side = Ours()
        try:
            side.open(f"{self.base}/login")
            side.snapshot()
            self.gate()
            row.ours.append(memory_mb(side.pid))
        finally:
            side.close()

    def memory_used(self, count):
        def run(row):
            side = Ours()
            try:
                side.open(f"{self.base}/table")
                for _ in range(count):
                    side.snapshot()
                row.ours.append(memory_mb(side.pid))
                row.note = f"peak {number(memory_mb(side.pid, 'VmHWM'))} MB"
            finally:
                side.close()
        return run

    # -- all ----------------------------------------------------------------------------------------------
    def all(self):
        self.case("cold start to first snapshot", 1.2, self.cold)
        self.sides = [Ours(), Raw()]
        try:
            for page, size in PAGES.items():
                self.case(f"snapshot, {size} elements", 1.5, self.snapshot(page))
            for page, size in PAGES.items():
                self.case(f"click + state, {size} elements", 1.5, self.click(page))
            for kind in ("frame", "timer", "request"):
                self.case(f"click that starts a {kind} + state", 1.5, self.settles(kind))
            self.case("click that navigates + new page", 1.5, self.navigates)
            self.case("type 50 characters + state", 1.5, self.type50)
            self.case("told of a late element after", 10, self.late, "ms")
        finally:
            for side in self.sides:
                side.close()
        self.sides = [OursMcp(), Raw()]
        try:
            for page, size in PAGES.items():
                self.case(f"snapshot by MCP, {size} elements", 1.5, self.snapshot(page, IN_BUDGET))
            for page, size in PAGES.items():
                self.case(f"click + state by MCP, {size} elements", 1.5, self.click(page))
        finally:
            for side in self.sides:
                side.close()
        self.case("a command by socket, above by pipe", 1, lambda row: gateway.round_trip(self, row), "ms")
        self.case("1,000 commands by socket, no page", 500, lambda row: gateway.commands(self, row), "ms")
        self.case("200 sessions × 10 clicks, fake surface", None, lambda row: gateway.sessions(self, row), "ms")
        self.case("click + state in 20 tabs at once", None, lambda row: gateway.tabs(self, row))
        self.case("getState of a prompt, ux/2.0", 1, lambda row: ux.state(self, row), "ms")
        self.case("a batch of 100 reads, ux/2.0", 5, lambda row: ux.batch(self, row), "ms")
        self.case("memory, idle", 12, self.memory_idle, "MB")
        count = 200 if self.quick else 1000
        self.case(f"memory, after {count:,} snapshots", 30, self.memory_used(count), "MB")


def find_browser():
    named = os.environ.get("DRAGOMAN_BROWSER")
    return named or next(filter(None, map(shutil.which, BROWSERS)), None)


def peers(browser, quick):
    """Other servers, by the outside benchmark, with ours among them."""
    from native_client import program
    modules = os.environ.get("BENCH_PEERS") or os.path.join(OUTSIDE, "node_modules")
    if not os.path.isdir(modules):
        print("The peers are not installed: see the README of the outside benchmark, and name their node_modules "
              "folder in $BENCH_PEERS.", file=sys.stderr)
        return 2
    ours = "dragoman_bench:DragomanNative,dragoman_http:DragomanHttp"
    agent_browser = os.path.join(modules, "agent-browser", "bin", "agent-browser-linux-x64")
    env = {"BENCH_AB_NEW": agent_browser, **os.environ, "BENCH_PEERS": modules, "BENCH_CHROMIUM": browser,
           "BENCH_DRIVERS": ours, "BENCH_OURS_CMD": f"{shlex.quote(program())} mcp --journal journal.db",
           "PYTHONPATH": os.pathsep.join([HERE, os.path.join(ROOT, "suites")])}
    only = os.environ.get("BENCH_ONLY") or PEERS
    known = subprocess.run([sys.executable, "-B", os.path.join(OUTSIDE, "bench.py"), "--list"], env=env, text=True,
                           stdout=subprocess.PIPE).stdout
    only = ",".join(n for n in only.split(",") if re.search(rf"^\s*{n}\b(?!-)", known, re.M))
    return subprocess.run([sys.executable, "-B", os.path.join(OUTSIDE, "bench.py"), "--only", only,
                           "--phases", os.environ.get("BENCH_PHASES") or PHASES, *(["--reps", "5"] if quick else [])],
                          env=env).returncode


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--quick", action="store_true")
    ap.add_argument("--strict", action="store_true")
    ap.add_argument("--peers", action="store_true")
    ap.add_argument("--no-gate", action="store_true", help="do not wait for quiet moments")
    ap.add_argument("--only", metavar="TEXT")
    args = ap.parse_args()
    browser = find_browser()
    if not browser:
        print("There is no Chromium: type `dragoman doctor`.", file=sys.stderr)
        return 2
    if args.peers:
        return peers(browser, args.quick)

    gate = Gate(on=not args.no_gate)
    pages_process, base = outside_pages.serve_process()
    site_process, own = site.start()
    bench = Bench(args.quick, args.only, base, own, gate)
    last = read_last()
    try:
        bench.all()
    finally:
        for process in (pages_process, site_process):
            process.stdin.close()
            process.wait(5)

    if not bench.rows:
        print(f"No case is called anything like {args.only!r}.", file=sys.stderr)
        return 2
    print("\n" + table(bench.rows, last))
    if gate.gave_up:
        print(f"\n{gate.gave_up} of {gate.calls} samples were taken while the machine was busy with other things.")
    if not args.quick and not args.only:
        write_last(bench.rows, gate)
    if not all(row.sound for row in bench.rows):
        return 1
    return 1 if args.strict and not all(row.passed for row in bench.rows) else 0


if __name__ == "__main__":
    if not os.path.isfile(os.path.join(OUTSIDE, "drivers", "floor.py")):
        print("Point $DRAGOMAN_BENCH at the folder that holds pages.py and drivers/floor.py.", file=sys.stderr)
        sys.exit(2)
    # the floor drivers read this when they are imported: both sides use one and the same browser
    os.environ.setdefault("BENCH_CHROMIUM", find_browser() or "")
    import gateway
    import ux
    import pages as outside_pages
    import site_pages as site
    from measure import Gate, behind, in_turn, median, memory_mb
    from report import Row, number, read_last, table, write_last
    from sides import Ours, OursMcp, Raw
    sys.exit(main())
