"""An executor as somebody else would write one: a page in memory that speaks action/1 over a WebSocket.

    executor.py URL [--echo] [--queries] [--shuffle] [--slow MS] [--silent] [--drop]

Plain, it knows only what the document says: it pushes a Snapshot when it has connected and after each change,
numbered from 1 anew each time, and answers each ActionCommand in order. $TOKEN is the token.

    --echo      sends request_id back
    --queries   answers get_interactive_elements and get_page_content too, and understands action_request
    --shuffle   puts its elements into another order before every snapshot
    --slow MS   takes so long for each command
    --silent    pushes nothing by itself
    --drop      ends the connection in the middle of the first click
    --address   tells the page's address and title with a snapshot

What happens to the page is told on standard output, one JSON object a line; on standard input, one a line, it
is told what the page does by itself: {"add": NAME}, {"remove": NAME}, {"rename": [OLD, NEW]}, {"push": true},
{"say": TEXT} (sent as it is), {"bytes": N} (so many bytes in one text message).
"""
import argparse
import asyncio
import json
import os
import random
import sys

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed


class Page:
    """Buttons that count, a field that holds text, a link that leads on."""

    def __init__(self, shuffle):
        self.shuffle = shuffle
        self.random = random.Random(7)
        self.url = "https://example.com/"
        self.elements = [
            ("link", "More", "A"),
            ("button", "Save", "BUTTON"),
            ("button", "Delete", "BUTTON"),
            ("textbox", "Name", "INPUT"),
        ]
        self.text = {}
        self.clicks = {}
        self.numbered = {}

    def tree(self):
        if self.shuffle:
            self.random.shuffle(self.elements)
        self.numbered = dict(enumerate(self.elements, start=1))
        return [
            {"id": id, "role": role, "name": name, "tag": tag,
             "bounds": {"x": 10, "y": 20 * id, "width": 100, "height": 18}}
            for id, (role, name, tag) in self.numbered.items()
        ]

    def content(self):
        words = [name for _, name, _ in self.elements]
        words += [f"{name} was clicked {times} times." for name, times in self.clicks.items()]
        return f"You are at {self.url}\n" + "\n".join(words)

    def click(self, id):
        role, name, _ = self.numbered[id]
        self.clicks[name] = self.clicks.get(name, 0) + 1
        tell(clicked=name)
        if role == "link":
            self.go(self.url.rstrip("/") + "/more")
        if name == "Delete":
            self.elements = [element for element in self.elements if element[1] != "More"]

    def type(self, id, text):
        role, name, _ = self.numbered[id]
        if role != "textbox":
            raise ValueError("this is no field")
        self.text[name] = text
        tell(typed=[name, text])

    def go(self, url):
        self.url = url
        self.elements = [("button", "Back", "BUTTON"), ("textbox", "Search", "INPUT")]
        tell(went=url)

    def change(self, told):
        if "add" in told:
            self.elements.insert(0, ("button", told["add"], "BUTTON"))
        if "remove" in told:
            self.elements = [element for element in self.elements if element[1] != told["remove"]]
        if "rename" in told:
            old, new = told["rename"]
            self.elements = [(role, new if name == old else name, tag) for role, name, tag in self.elements]


class Executor:
    def __init__(self, socket, options):
        self.socket = socket
        self.options = options
        self.page = Page(options.shuffle)

    async def send(self, message):
        await self.socket.send(json.dumps(message))

    async def push(self):
        data = {"tree": self.page.tree()}
        if self.options.address:
            data.update(url=self.page.url, title="A page")
        await self.send({"type": "Snapshot", "data": data})

    async def heard(self, text):
        message = json.loads(text)
        tell(heard=message)
        if message["type"] == "Ping":
            return await self.send({"type": "Pong"})
        command = message.get("data") or message.get("command")
        if command["type"].startswith("get_") and not self.options.queries:
            return
        await asyncio.sleep(self.options.slow / 1000)
        if self.options.drop and command["type"] == "click_element":
            self.socket.transport.abort()
            return
        result = {"success": True, "error": None, "data": {}}
        try:
            result["data"] = self.act(command)
        except Exception as error:
            result = {"success": False, "error": f"{type(error).__name__}: {error}", "data": None}
        answer = {"type": "ActionResult", "data": result}
        if self.options.echo and "request_id" in message:
            answer["request_id"] = message["request_id"]
        await self.send(answer)
        if not command["type"].startswith("get_") and not self.options.silent:
            await self.push()

    def act(self, command):
        kind = command["type"]
        if kind == "navigate_to":
            self.page.go(command["url"])
        elif kind == "click_element":
            self.page.click(command["ref"])
        elif kind == "type_text":
            self.page.type(command["ref"], command["text"])
        elif kind == "scroll_to":
            tell(scrolled=[command["x"], command["y"]])
        elif kind == "get_interactive_elements":
            return {"tree": self.page.tree()[: command.get("limit")]}
        elif kind == "get_page_content":
            content = self.page.content()
            most = command.get("max_length", len(content))
            return {"content": content[:most], "truncated": len(content) > most}
        else:
            raise ValueError(f"no such command: {kind}")
        return {}

    async def page_does(self, told):
        if "say" in told:
            return await self.socket.send(told["say"])
        if "bytes" in told:
            return await self.socket.send("x" * told["bytes"])
        self.page.change(told)
        await self.push()


def tell(**what):
    print(json.dumps(what), flush=True)


async def lines():
    reader = asyncio.StreamReader(limit=1 << 26)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield json.loads(line)


async def run(options):
    bearer = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
    async with connect(options.url, additional_headers=bearer, max_size=None, proxy=None) as socket:
        executor = Executor(socket, options)
        tell(connected=True)
        if not options.silent:
            await executor.push()

        async def listen():
            async for text in socket:
                await executor.heard(text)

        async def obey():
            async for told in lines():
                await executor.page_does(told)

        tasks = [asyncio.create_task(listen()), asyncio.create_task(obey())]
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    for flag in ["echo", "queries", "shuffle", "silent", "drop", "address"]:
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("--slow", type=float, default=0)
    try:
        asyncio.run(run(parser.parse_args()))
    except ConnectionClosed as closed:
        tell(closed=closed.rcvd.code if closed.rcvd else None)


if __name__ == "__main__":
    main()
