"""`npuprof mcp` and the protocol's own client, the package mcp."""

import os

import pytest
from npuprof import _parser
from outputs import npusim
from peer_tools import install, run

# Runs in the client's environment: prints what the server said, a line each.
_CLIENT = """
import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp", sys.argv[2], "--quiet"])
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            await session.send_ping()
            tools = await session.list_tools()
            print("tools", *sorted(tool.name for tool in tools.tools))
            steps = await session.call_tool("step_time", {"top": 5})
            print("steps", repr(steps.content[0].text))
            kernels = await session.call_tool("sql", {"query": "SELECT count(*) AS n FROM kernel"})
            print("kernels", repr(kernels.content[0].text))
            wrong = await session.call_tool("sql", {"query": "SELECT nowhere"})
            print("wrong", getattr(wrong, "is_error", None) or getattr(wrong, "isError", None),
                  repr(wrong.content[0].text))

asyncio.run(main())
"""


@pytest.fixture(scope="module", name="said")
def _said(tmp_path_factory):
    """What the server said to the client, by the first word of each line."""
    folder = tmp_path_factory.mktemp("mcp")
    npusim("transformer", "--layers", 1, "--steps", 2, "-o", folder / "job")
    python = os.path.join(install("mcp==2.3.0"), "bin", "python")
    script = folder / "client.py"
    script.write_text(_CLIENT, encoding="utf-8")
    done = run(python, script, _parser.binary(), folder / "job", timeout=120)
    assert done.returncode == 0, done.stdout
    return dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)


def test_tools_are_listed(said):
    assert {"step_time", "sql", "list_profiles", "describe_tables"} <= set(said["tools"].split())


def test_modes_answer(said):
    assert "device | step | total_ns" in said["steps"]
    assert "(2 rows)" in said["steps"]


def test_statements_are_answered(said):
    assert "(1 row)" in said["kernels"]


def test_errors_are_results(said):
    assert said["wrong"].startswith("True ")
    assert "no such column" in said["wrong"]
