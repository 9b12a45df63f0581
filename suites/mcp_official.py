"""The official Python SDK of MCP as a client of ours (packages: mcp, jsonschema).

  mcp_official.py stdio COMMAND ARGUMENTS…
  mcp_official.py http http://127.0.0.1:PORT/mcp

Every tool's schema is sound, wrong calls are errors and no more than that, and a page is seen and acted on.
"""
import asyncio
import sys
from contextlib import asynccontextmanager

from jsonschema import Draft202012Validator
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

PAGE = "data:text/html,<title>Suite</title><button onclick=\"this.textContent='Done'\">Go</button>"
PATIENCE = 60


@asynccontextmanager
async def transport(way, to):
    if way == "stdio":
        async with stdio_client(StdioServerParameters(command=to[0], args=to[1:])) as (read, write):
            yield read, write
    else:
        async with streamable_http_client(to[0]) as streams:
            yield streams[0], streams[1]


async def fails(session, tool, args):
    """Whether it is refused: as an error of the protocol, or as a call that failed."""
    try:
        return (await session.call_tool(tool, args)).is_error
    except Exception as e:
        return type(e).__name__ in ("McpError", "MCPError")


async def check(session):
    about = await session.initialize()
    assert about.server_info.name == "dragoman", about
    await session.send_ping()
    tools = (await session.list_tools()).tools
    for tool in tools:
        Draft202012Validator.check_schema(tool.input_schema)
        assert tool.description and tool.input_schema["type"] == "object", tool.name
        for name, about in tool.input_schema.get("properties", {}).items():
            assert about.get("description") or about.get("enum"), f"{tool.name}.{name}"
    assert await fails(session, "no_such_tool", {})
    assert await fails(session, "browser_navigate", {"url": {"not": "a string"}})
    assert await fails(session, "browser_navigate", {})
    assert not await fails(session, "browser_navigate", {"url": PAGE})
    seen = await session.call_tool("browser_snapshot", {})
    assert 'button "Go"' in seen.content[0].text, seen
    clicked = await session.call_tool("browser_click", {"target": "text=Go", "element": "the button"})
    assert "Done" in clicked.content[0].text, clicked
    picture = await session.call_tool("browser_take_screenshot", {})
    assert any(part.type == "image" for part in picture.content), picture
    page = await session.read_resource("dragoman://page")
    assert "Done" in page.contents[0].text, page
    lists = await asyncio.gather(*[session.list_tools() for _ in range(20)])
    assert all(len(one.tools) == len(tools) for one in lists)
    return len(tools), about.protocol_version


async def main(way, *to):
    async with transport(way, to) as (read, write), ClientSession(read, write) as session:
        count, version = await asyncio.wait_for(check(session), PATIENCE)
    print(f"  by {way}: {count} tools, protocol {version}")


asyncio.run(main(*sys.argv[1:]))
