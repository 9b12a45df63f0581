"""Ours by HTTP as a driver of the outside benchmark, for many sessions at once in one browser:
$BENCH_DRIVERS=dragoman_http:DragomanHttp, with bench/ and suites/ in $PYTHONPATH."""
import os
import re
import subprocess

import procs
from drivers import mcp
from drivers.ours import Ours
from native_client import program


class DragomanHttp(Ours):
    name = "dragoman-http"
    label = "dragoman serve, MCP by streamable HTTP"
    concurrency = "one HTTP server, one browser, a context per client"

    def __init__(self, client=None):
        super().__init__()
        self.c = client

    def start(self):
        if self.c is None:
            self.server, port = serve(self)
            self.c = mcp.Http(port)
        self.c.initialize()

    def close(self):
        self.c.close()
        if getattr(self, "server", None):
            end(self.server)

    @classmethod
    def sessions(cls, n):
        host = cls()
        server, port = serve(host)
        out = [cls(mcp.Http(port)) for _ in range(n)]

        def end_all():
            for d in out:
                d.c.close()
            end(server)
        try:
            for d in out:
                d.c.initialize()
        except Exception:
            end_all()
            procs.reap(host.marker)
            raise
        return out, end_all, [host.marker]


def serve(driver):
    """Started in the driver's name, so that its processes are counted as the driver's."""
    journal = os.path.join(driver.work, "journal.db")
    tokens = os.path.join(driver.work, "tokens.json")
    command = [program(), "serve", "--no-auth", "--port", "0", "--journal", journal]
    server = subprocess.Popen(command, env={**driver.env, "DRAGOMAN_TOKENS": tokens}, cwd=driver.work, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              start_new_session=True)
    line = server.stdout.readline()
    found = re.search(r":(\d+)\b(?=[ /]|$)", line)
    if not found:
        end(server)
        raise RuntimeError(f"the gateway did not start: {line!r}")
    return server, int(found.group(1))


def end(server):
    server.terminate()
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
    server.stdout.close()
