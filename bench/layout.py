#!/usr/bin/env python3
"""Writes crates/dragoman/layout.ld: which functions a process that drives a browser runs, so that they lie together.

    cargo build --release && python3 bench/layout.py

The program is run as an operator would run it, with a breakpoint on each of its functions that is taken away when it is
met. What was met is written down as patterns of names, without what changes from build to build. When it has started and
done everything once, the breakpoints come back: what is met again is what every command runs, and lies first, in the order
it is met in. Needed again when idle memory has grown (`cargo xtask bench --only memory`); an old file does no harm.
x86-64 Linux; needs `nm`.
"""
import ctypes
import os
import re
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SCRIPT = os.path.join(ROOT, "crates", "dragoman", "layout.ld")
sys.path[:0] = [HERE, os.path.join(ROOT, "suites")]

# Of the bytes that a pattern stands for, so many must be run for it to stand there.
WORTH = 0.7
HEAD = """\
/* Written by bench/layout.py: the functions that a process runs which drives a browser. The system maps code in pieces of
   64 KiB as soon as one byte of a piece is run, so what is run lies together and apart from what is not: an idle
   process is little more than the pages of its program. What every command runs lies first: after a pause the processor
   has forgotten where it is, and finds it again page by page. Without this file everything works as well. */
"""


# -- the functions of the program -----------------------------------------------------------------------------
def functions(program):
    """{address: (size, name)}"""
    found = {}
    for line in subprocess.run(["nm", "-S", "-n", program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        parts = line.split(" ", 3)
        if len(parts) == 4 and len(parts[1]) == 16 and parts[2] in "tTwW":
            found.setdefault(int(parts[0], 16), (int(parts[1], 16), parts[3]))
    return found


def pattern(name):
    """A name without its crates' hashes, references back, and the number of a copy."""
    name = re.sub(r"\.llvm\.\d+$", "", name)
    if not name.startswith("_R"):
        return name
    name = re.sub(r"Cs[0-9A-Za-z]+_", "Cs*_", name)
    return re.sub(r"B[0-9A-Za-z]{1,4}_", "B*_", name)


def exact(name):
    """The same, for this function and its copies alone."""
    return pattern(name) + ("*" if ".llvm." in name else "")


class Names:
    """A tree of names, letter by letter: how many bytes are below, and how many of them are run."""

    def __init__(self):
        self.below, self.all, self.run = {}, 0, 0

    def add(self, name, size, run):
        node = self
        for letter in name:
            node = node.below.setdefault(letter, Names())
            node.all += size
            node.run += size if run else 0

    def worth(self, so_far=""):
        """The shortest beginnings that stand for little else than what is run."""
        for letter, node in sorted(self.below.items()):
            name = so_far + letter
            if not node.run:
                continue
            ends = node.all > sum(deeper.all for deeper in node.below.values())
            if node.run >= WORTH * node.all and len(name) > 3 and not name.endswith("*"):
                yield name if ends and not node.below else name + "*"
            elif node.below and not (ends and node.run > sum(deeper.run for deeper in node.below.values())):
                yield from node.worth(name)
            else:
                yield name
                yield from node.worth(name)


# -- what is run ----------------------------------------------------------------------------------------------
def operate():
    """What operators do most: look, click, type; by JSON lines and by MCP."""
    import site_pages
    from mcp_client import Mcp
    from native_client import Native
    site, base = site_pages.start()
    page = f"{base}/settle.html"
    try:
        with tempfile.TemporaryDirectory() as folder:
            with Mcp(journal=os.path.join(folder, "mcp.db")) as mcp:
                mcp.request("tools/list", {})
                mcp.tool("browser_navigate", url=page)
                text = mcp.tool("browser_snapshot").text
                button = re.search(r"- button .*?\[ref=(\w+)\]", text)[1]
                mcp.tool("browser_click", target=button)
                from_now_on(mcp.proc.pid)
                mcp.tool("browser_snapshot")
                mcp.tool("browser_click", target=button)
            with Native(journal=os.path.join(folder, "native.db")) as native:
                native.call("navigate", url=page, until="complete")
                nodes = native.call("snapshot")["reply"]["snapshot"]["nodes"]
                button = next(node for node in nodes if node["role"] == "button")
                native.call("click", target={"ref": button["ref"]})
                from_now_on(native.pid)
                native.call("snapshot")
                native.call("click", target={"ref": button["ref"]})
    finally:
        site.stdin.close()
        site.wait(5)


def from_now_on(tracer):
    """What is met from now on is met again."""
    os.kill(tracer, signal.SIGUSR1)
    while not os.path.exists(f"{os.environ['DRAGOMAN_BIN']}.again.{tracer}"):
        time.sleep(0.01)


TRACEME, CONT, GETREGS, SETREGS, DETACH, SETOPTIONS = 0, 7, 12, 13, 17, 0x4200
# forks, vforks, clones and execs are told; whoever is traced ends with us
OPTIONS = 0x2 | 0x4 | 0x8 | 0x10 | 0x100000
EXEC = 4
WALL = 0x40000000
REGISTERS = struct.Struct("27Q")
AT = 16     # the instruction pointer among them
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def trace(program, arguments, met, again_at):
    """Run the program in our place, and write the addresses of the functions it runs to a file."""
    addresses = sorted(functions(program))
    child = os.fork()
    if not child:
        libc.ptrace(TRACEME, 0, None, None)
        os.execv(program, [program, *arguments])
    os.waitpid(child, 0)
    libc.ptrace(SETOPTIONS, child, None, OPTIONS)
    with open(f"/proc/{child}/maps") as maps:
        base = int(maps.readline().split("-")[0], 16)
    was = bytearray()
    first, last = addresses[0], addresses[-1] + 1
    with open(f"/proc/{child}/mem", "r+b", buffering=0) as memory:
        memory.seek(base + first)
        while len(was) < last - first:
            was += memory.read(last - first - len(was))
        code = bytearray(was)
        for address in addresses:
            code[address - first] = 0xCC
        memory.seek(base + first)
        memory.write(code)
    known, mark = set(addresses), [""]

    def again(*_):
        mark[0] = " again"
        with open(f"/proc/{child}/mem", "r+b", buffering=0) as memory:
            memory.seek(base + first)
            memory.write(code)
        open(f"{again_at}.again.{os.getpid()}", "w").close()

    signal.signal(signal.SIGUSR1, again)
    registers = ctypes.create_string_buffer(REGISTERS.size)
    with open(met, "a", buffering=1) as out:
        libc.ptrace(CONT, child, None, None)
        while True:
            thread, status = os.waitpid(-1, WALL)
            if not os.WIFSTOPPED(status):
                if thread == child:
                    return os.waitstatus_to_exitcode(status)
                continue
            which, event = os.WSTOPSIG(status), status >> 16
            if event == EXEC and thread != child:
                libc.ptrace(DETACH, thread, None, None)     # the browser
                continue
            if which == signal.SIGTRAP and not event:
                libc.ptrace(GETREGS, thread, None, registers)
                values = list(REGISTERS.unpack(registers.raw))
                address = values[AT] - 1 - base
                if address in known:
                    with open(f"/proc/{thread}/mem", "r+b", buffering=0) as memory:
                        memory.seek(base + address)
                        memory.write(was[address - first:address - first + 1])
                    values[AT] -= 1
                    registers.raw = REGISTERS.pack(*values)
                    libc.ptrace(SETREGS, thread, None, registers)
                    print(f"{address:x}{mark[0]}", file=out)
            passed_on = 0 if which in (signal.SIGTRAP, signal.SIGSTOP) else which
            libc.ptrace(CONT, thread, None, passed_on)


# -- the file -------------------------------------------------------------------------------------------------
def main():
    from native_client import program
    real = os.path.abspath(program())
    with tempfile.TemporaryDirectory() as folder:
        met = os.path.join(folder, "met")
        instead = os.path.join(folder, "dragoman")
        with open(instead, "w") as script:
            words = [sys.executable, "-B", os.path.abspath(__file__), "--trace", met, instead, real]
            script.write(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        os.chmod(instead, 0o755)
        os.environ["DRAGOMAN_BIN"] = instead
        operate()
        run, again = set(), {}
        with open(met) as file:
            for words in map(str.split, file):
                run.add(int(words[0], 16))
                if words[1:]:
                    again.setdefault(int(words[0], 16))
    names, all_bytes, run_bytes = Names(), 0, 0
    for address, (size, name) in functions(real).items():
        names.add(pattern(name), size, address in run)
        all_bytes += size
        run_bytes += size if address in run else 0
    patterns = list(names.worth())
    named = functions(real)
    first = list(dict.fromkeys(exact(named[address][1]) for address in again))
    again_bytes = sum(named[address][0] for address in again)
    with open(SCRIPT, "w") as file:
        file.write(HEAD + "SECTIONS\n{\n  .text.near : {\n")
        file.writelines(f"    *(.text.{name})\n" for name in first)
        file.writelines(f"    *(.text.{name})\n" for name in patterns)
        # those that the compiler takes for rare ones: few, and every process meets some of them
        file.write("    *(.text.unlikely.*)\n  }\n}\nINSERT AFTER .text;\n")
    print(f"{len(run)} functions are run, {run_bytes >> 10} of {all_bytes >> 10} KiB: {len(patterns)} patterns; "
          f"{len(again)} of them by every command, {again_bytes >> 10} KiB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--trace"]:
        sys.exit(trace(sys.argv[4], sys.argv[5:], sys.argv[2], sys.argv[3]))
    main()
