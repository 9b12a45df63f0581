"""ux/2.0 on a prompt: one question, and many in a batch. No browser, nothing on disk."""
import json
import time

from measure import median
from ux_client import Ux

CHOICES = 1000
READS = 100
ASK = {"type": "arg", "id": "bench", "placeholder": "Pick", "choices": [f"Choice {n}" for n in range(CHOICES)]}


def prompt():
    return Ux(["--surface", "prompt", "--ask", json.dumps(ASK)])


def state(bench, row):
    """getState, from the question to the answer."""
    with prompt() as ux:
        for i in range(bench.rounds(400) + 20):
            began = time.perf_counter()
            told = ux.ask({"type": "getState"})[0]
            if i >= 20:
                row.ours.append((time.perf_counter() - began) * 1000)
            if told["choiceCount"] != CHOICES:
                row.wrong.append(f"{told['choiceCount']} choices")


def batch(bench, row):
    """A hundred reads in one message."""
    commands = [{"type": "getState"}] * READS
    with prompt() as ux:
        for i in range(bench.rounds(200) + 20):
            began = time.perf_counter()
            told = ux.ask({"type": "batch", "commands": commands})[0]
            if i >= 20:
                row.ours.append((time.perf_counter() - began) * 1000)
            if len(told["results"]) != READS or told["results"][-1]["value"]["choiceCount"] != CHOICES:
                row.wrong.append("not every read was answered")
    row.note = f"{READS / median(row.ours) * 1000:,.0f} commands a second"
