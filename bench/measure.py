"""Fair measuring on a machine that is not ours alone: a quiet moment before each sample, sides taken in turn."""
import re
import statistics
import time

#: between time.perf_counter and the wall clock, which is what a page can tell
WALL = time.time() - time.perf_counter()


class Gate:
    """Waits for a quiet moment before a sample: at most `patience` seconds."""

    def __init__(self, limit=0.35, patience=3.0, on=True):
        self.limit, self.patience, self.on, self.gave_up, self.calls = limit, patience, on, 0, 0

    @staticmethod
    def _ticks():
        with open("/proc/stat") as f:
            t = [int(x) for x in f.readline().split()[1:9]]
        return sum(t), t[3] + t[4]

    def __call__(self):
        if not self.on:
            return
        self.calls += 1
        end = time.monotonic() + self.patience
        while True:
            total, idle = self._ticks()
            time.sleep(0.08)
            total2, idle2 = self._ticks()
            if 1 - (idle2 - idle) / max(1, total2 - total) <= self.limit:
                return
            if time.monotonic() > end:
                self.gave_up += 1
                return


def in_turn(sides, rounds):
    """Every side once per round; who goes first rotates."""
    for i in range(rounds):
        k = i % len(sides)
        for side in sides[k:] + sides[:k]:
            yield i, side


def median(values):
    return statistics.median(values) if values else None


def page_clock(side):
    """What to add to the page's clock to get ours, in ms: the midpoint of the quickest of a few round trips."""
    best = None
    for _ in range(5):
        a = time.perf_counter()
        page = side.evaluate("performance.timeOrigin+performance.now()")
        b = time.perf_counter()
        if best is None or b - a < best[0]:
            best = b - a, ((a + b) / 2 + WALL) * 1000 - page
    return best[1]


def behind(side, sample, script):
    """How long after that moment of the page's the answer was in hand, in ms; and the moment."""
    moment = side.evaluate(script)
    return (sample.at + WALL) * 1000 - (moment + page_clock(side)), moment


def memory_mb(pid, field="VmRSS"):
    with open(f"/proc/{pid}/status") as f:
        return int(re.search(rf"{field}:\s+(\d+) kB", f.read()).group(1)) / 1024
