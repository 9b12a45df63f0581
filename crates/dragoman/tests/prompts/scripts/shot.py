#!/usr/bin/env python3
"""A script that wants to know what is on the screen while it asks."""

import json
import sys


def say(**what):
    print(json.dumps(what), flush=True)


say(type="arg", id="1", placeholder="Pick", choices=["apple", "banana"])
say(type="captureScreenshot", requestId="shot")
shot = json.loads(sys.stdin.readline())
say(type="setInput", text="app")
answer = json.loads(sys.stdin.readline())
seen = "▸ apple" in shot["data"] and "banana" in shot["data"]
print(shot["type"], shot["requestId"], shot["mime"], shot["width"], shot["height"], seen, answer["value"])
