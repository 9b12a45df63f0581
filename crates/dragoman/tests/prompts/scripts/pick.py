#!/usr/bin/env python3
"""A script that asks: what it wants goes out on stdout, the answers come in on stdin."""

import json
import sys


def say(**what):
    print(json.dumps(what), flush=True)


def ask(**what):
    say(**what)
    return json.loads(sys.stdin.readline())["value"]


fruit = ask(
    type="arg",
    id="fruit",
    placeholder="Pick a fruit",
    choices=["apple", {"name": "Banana", "value": "banana", "description": "yellow"}],
)
if fruit is None:
    print("nothing")
    sys.exit(3)
say(type="hud", text=f"you like {fruit}")
names = json.loads(ask(type="fields", id="who", fields=["First", {"name": "Last", "value": "Lovelace"}]))
print(" ".join(names), "likes", fruit)
