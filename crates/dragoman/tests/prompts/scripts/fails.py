#!/usr/bin/env python3
"""A script that breaks."""

import json
import sys

print("careful", file=sys.stderr, flush=True)
print(json.dumps({"type": "arg", "id": "1", "placeholder": "Ask"}), flush=True)
raise ValueError(json.loads(sys.stdin.readline())["value"] + " is wrong")
