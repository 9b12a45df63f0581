"""The client's half of a WebSocket (RFC 6455), as little of it as the benchmark needs. Standard library only."""
import base64
import json
import os
import socket


class WebSocket:
    def __init__(self, at, path, token):
        host, port = at.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: {at}\r\nAuthorization: Bearer {token}\r\nConnection: Upgrade\r\n"
                             f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        self.unread = b""
        while b"\r\n\r\n" not in self.unread:
            self._more()
        head, self.unread = self.unread.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise RuntimeError("no WebSocket: " + head.split(b"\r\n")[0].decode())

    def fileno(self):
        return self.socket.fileno()

    def send(self, text):
        self.socket.sendall(frame(text))

    def _more(self):
        chunk = self.socket.recv(1 << 20)
        if not chunk:
            raise RuntimeError("the gateway ended the connection")
        self.unread += chunk

    def _take(self):
        """One whole frame off what was read, or None."""
        if len(self.unread) < 2:
            return None
        kind, size, at = self.unread[0] & 15, self.unread[1] & 127, 2
        if size >= 126:
            at = 4 if size == 126 else 10
            if len(self.unread) < at:
                return None
            size = int.from_bytes(self.unread[2:at], "big")
        if len(self.unread) < at + size:
            return None
        body, self.unread = self.unread[at:at + size], self.unread[at + size:]
        return kind, body

    def texts(self):
        """What has come, after one read that waits for something."""
        self._more()
        out = []
        while (got := self._take()) is not None:
            kind, body = got
            if kind == 9:
                self.socket.sendall(frame(body.decode(), 10))
            elif kind == 8:
                raise RuntimeError(f"the gateway closed the socket: {body[2:].decode()}")
            elif kind == 1:
                out.append(body)
        return out

    def recv(self):
        while True:
            got = self._take()
            if got is None:
                self._more()
            elif got[0] == 1:
                return got[1]
            elif got[0] == 9:
                self.socket.sendall(frame(got[1].decode(), 10))
            elif got[0] == 8:
                raise RuntimeError("the gateway closed the socket")

    def until(self, kind, request=None):
        """The next message of this type (and id), parsed."""
        while True:
            said = json.loads(self.recv())
            if said.get("type") == kind and (request is None or said.get("id") == request):
                return said
            if said.get("type") == "fault":
                raise RuntimeError(str(said))

    def close(self):
        self.socket.close()


def frame(text, kind=1):
    """Masked with zeros: a mask is required, what it hides from is not here."""
    body = text.encode()
    size = len(body)
    head = bytes([128 | kind])
    if size < 126:
        head += bytes([128 | size])
    elif size < 65536:
        head += bytes([128 | 126]) + size.to_bytes(2, "big")
    else:
        head += bytes([128 | 127]) + size.to_bytes(8, "big")
    return head + b"\0\0\0\0" + body
