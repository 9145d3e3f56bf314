"""A stdio MCP server of a few lines: notes its environment and what it is asked, and answers `say_to_room`.

Run as `python probe_server.py <file> [arguments of a registration]`; each line of the file is one JSON object.
"""

import json
import os
import sys
from typing import Any

TOOL = {
    "name": "say_to_room",
    "description": "Says something.",
    "inputSchema": {"type": "object", "properties": {"content": {"type": "string"}}},
}


def answer(message: dict[str, Any]) -> dict[str, Any] | None:
    """The result for a request, None for a method this server does not know."""
    match message["method"]:
        case "initialize":
            version = message["params"]["protocolVersion"]
            server = {"name": "probe", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
        case "tools/list":
            return {"tools": [TOOL]}
        case "tools/call":
            return {"content": [{"type": "text", "text": "said: " + message["params"]["arguments"]["content"]}]}
        case _:
            return None


def main(path: str) -> None:
    """Serve until stdin closes."""
    with open(path, "a", encoding="utf-8", buffering=1) as notes:
        notes.write(json.dumps({"argv": sys.argv[2:], "environment": dict(os.environ)}) + "\n")
        for line in sys.stdin.buffer:
            message = json.loads(line)
            notes.write(json.dumps({"asked": message}) + "\n")
            if "id" not in message or "method" not in message:
                continue
            result = answer(message)
            outcome = {"result": result} if result is not None else {"error": {"code": -32601, "message": "unknown"}}
            reply = {"jsonrpc": "2.0", "id": message["id"], **outcome}
            sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
