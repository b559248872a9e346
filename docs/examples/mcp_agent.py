# SPDX-License-Identifier: GPL-3.0-or-later
"""What a coding agent does with `cudal1 mcp`, by the official `mcp` package: reads a task, has a file judged, sees the progress.

    python mcp_agent.py 1/12 candidate.py [cudal1 mcp --device cpu …]
"""
import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(task, file, command):
    async def progress(done, total, message):
        print(f"{100 * done / (total or 1):.0f} % {message}", file=sys.stderr)

    with open(file) as candidate:
        source = candidate.read()
    # The package hands on no other variables of the environment than these.
    ours = {name: value for name, value in os.environ.items() if name.startswith(("CUDAL1_", "XDG_"))}
    server = StdioServerParameters(command=command[0], args=command[1:], env=ours)
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        shown = await session.call_tool("show_task", {"task": task})
        reference = json.loads(shown.content[0].text)["source"]
        judged = await session.call_tool("evaluate", {"task": task, "source": source, "preset": "quick"}, progress_callback=progress)
        text = judged.content[0].text
        print(json.dumps({"tools": tools, "reference_lines": len(reference.splitlines()),
                          "judged": json.loads(text) if text.startswith("{") else text}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:] or ["cudal1", "mcp"]))
