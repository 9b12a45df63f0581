"""A backend as somebody else would write one: the document's example flow, with the `websockets` package.

    backend.py URL

The page at the other end has a login button. $TOKEN is the token. Each message is told on standard output.
"""
import asyncio
import json
import os
import sys

from websockets.asyncio.client import connect


async def flow(url):
    bearer = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
    async with connect(url, additional_headers=bearer, proxy=None) as socket:

        async def heard(kind, fits=lambda data: True):
            while True:
                message = json.loads(await asyncio.wait_for(socket.recv(), 30))
                print(json.dumps(message), flush=True)
                if message["type"] == kind and fits(message["data"]):
                    return message["data"]

        def button(name):
            return lambda data: any(e["role"] == "button" and e["name"] == name for e in data["tree"])

        # 1. The user asks: "Click the login button." 2. The extension sends a Snapshot.
        snapshot = await heard("Snapshot", button("Login"))
        login = next(e for e in snapshot["tree"] if e["name"] == "Login")
        assert set(login) == {"id", "role", "name", "tag", "bounds"}, login
        assert (login["id"], login["tag"]) == (1, "BUTTON"), login
        assert set(login["bounds"]) == {"x", "y", "width", "height"}, login
        # 3. and 4. The backend decides to click ref 1 and sends an ActionCommand.
        command = {"type": "ActionCommand", "data": {"type": "click_element", "ref": login["id"]}}
        await socket.send(json.dumps(command))
        # 5. The extension clicks and returns an ActionResult; what is there now is pushed.
        result = await heard("ActionResult")
        assert result["success"] is True and result["error"] is None and "data" in result, result
        await heard("Snapshot", button("Log out"))


asyncio.run(flow(sys.argv[1]))
