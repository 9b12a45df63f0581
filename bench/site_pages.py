#!/usr/bin/env python3
"""Serves bench/pages on loopback, and /slow?ms=N, which answers after that time.

It runs as a process of its own, so that it shares no interpreter lock with the benchmark, and ends when its
standard input ends.
"""
import http.server
import os
import subprocess
import sys
import threading
import time
import urllib.parse

PAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pages")


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True      # else a small answer waits for the browser's delayed acknowledgement

    def __init__(self, *args):
        super().__init__(*args, directory=PAGES)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path != "/slow":
            return super().do_GET()
        time.sleep(int(urllib.parse.parse_qs(url.query)["ms"][0]) / 1000)     # the page's work, not ours
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_):
        pass


def start():
    """(process, base address)"""
    site = subprocess.Popen([sys.executable, "-B", __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    return site, site.stdout.readline().decode().strip()


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    sys.stdin.read()
