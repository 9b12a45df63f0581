"""Rows, their bars, the table, and the file that the next run compares with."""
import json
import os
import platform
import time

from measure import median

LAST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "last.json")


class Row:
    """One case. `bar` is the most that ours may be: a ratio to raw ("x"), or an amount ("ms", "MB")."""

    def __init__(self, case, bar, unit="x"):
        self.case, self.bar, self.unit = case, bar, unit
        self.ours, self.raw = [], []
        self.wrong = []         # answers that did not tell the truth
        self.error = None
        self.note = ""

    def add(self, side, value):
        (self.ours if side.name == "ours" else self.raw).append(value)

    @property
    def ratio(self):
        return median(self.ours) / median(self.raw) if self.ours and self.raw and median(self.raw) else None

    @property
    def judged(self):
        return self.ratio if self.unit == "x" else median(self.ours)

    @property
    def sound(self):
        return not self.wrong and not self.error and self.judged is not None

    @property
    def passed(self):
        return self.sound and (self.bar is None or self.judged <= self.bar)

    def verdict(self):
        if self.error:
            return "ERROR"
        if self.wrong:
            return "WRONG"
        if self.judged is None:
            return "no data"
        if self.bar is None:
            return ""
        return "pass" if self.passed else "MISSED"

    def facts(self):
        return {"case": self.case, "unit": self.unit, "bar": self.bar, "ours": median(self.ours), "raw": median(self.raw),
                "ratio": self.ratio, "ours_min": min(self.ours, default=None), "raw_min": min(self.raw, default=None),
                "ours_max": max(self.ours, default=None), "samples": len(self.ours), "verdict": self.verdict(),
                "note": self.note}


def number(value, digits=1):
    return "-" if value is None else f"{value:.{digits}f}"


def change(now, before):
    if now is None or not before:
        return ""
    return f"{(now / before - 1) * 100:+.0f}%"


def table(rows, last):
    """The table as text. `last`: facts of the previous run by case."""
    head = ["case", "ours", "raw CDP", "ratio", "bar", "", "since last", ""]
    lines = [head]
    for row in rows:
        unit = "MB" if row.unit == "MB" else "ms"
        bar = "" if row.bar is None else f"≤ {row.bar:g}{'×' if row.unit == 'x' else ' ' + row.unit}"
        before = last.get(row.case, {})
        ours = median(row.ours)
        note = row.error or (row.wrong[0] if row.wrong else row.note)
        lines.append([row.case, number(ours) + (f" {unit}" if ours is not None else ""),
                      number(median(row.raw)) + (f" {unit}" if row.raw else ""),
                      "" if row.ratio is None else f"{row.ratio:.2f}×", bar, row.verdict(),
                      change(row.ratio if row.unit == "x" else ours, before.get("ratio") if row.unit == "x" else before.get("ours")),
                      note.replace("\n", " ")[:90]])
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    text = []
    for k, line in enumerate(lines):
        cells = [c.ljust(w) if i in (0, 5, 7) else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))]
        text.append("  ".join(cells).rstrip())
        if k == 0:
            text.append("  ".join("─" * w for w in widths[:7]))
    return "\n".join(text)


def read_last():
    try:
        with open(LAST) as f:
            return {row["case"]: row for row in json.load(f)["rows"]}
    except (OSError, ValueError, KeyError):
        return {}


def write_last(rows, gate):
    facts = {"when": time.strftime("%Y-%m-%d %H:%M:%S"), "cores": os.cpu_count(), "system": platform.system(),
             "unquiet_samples": gate.gave_up, "samples": gate.calls, "rows": [row.facts() for row in rows]}
    with open(LAST, "w") as f:
        json.dump(facts, f, indent=1)
        f.write("\n")
