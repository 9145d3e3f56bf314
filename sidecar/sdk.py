"""The official SDK's low-level server over a bridge's lines. Both eras of the protocol; loads slowly."""

import json
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import anyio
import mcp_types as types
from anyio.abc import AsyncResource
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

import pullcept
from pullcept.core.lines import LineTooLong
from sidecar.server import ServerForm, Stream
from sidecar.tools import ToolAnswer, ToolSpec

log = logging.getLogger(__name__)

SERVER_NAME = "pullcept-room"
DISCOVER = "server/discover"
Context = ServerRequestContext[Any, Any]


async def run_server(stream: Stream, form: ServerForm) -> bool:
    """Serve one client until its stream ends. A stream that breaks is a client that left.

    False: all it ever asked for was `server/discover`.
    """
    server = make_server(form)
    asked: set[str] = set()
    inward, to_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    from_server, outward = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_pump, partial(_read_in, stream, inward, asked), inward)
            group.start_soon(_pump, partial(_write_out, stream, outward), outward)
            await server.run(to_server, from_server, server.create_initialization_options())
            group.cancel_scope.cancel()
    except* ConnectionError:
        log.debug("a bridge left while it was written to")
    return asked != {DISCOVER}


def make_server(form: ServerForm) -> Server[Any]:
    """The SDK's server for one form."""

    async def list_tools(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        form.on_listed()
        return types.ListToolsResult(tools=[_tool(spec) for spec in form.tools.specs()] if form.tools else [])

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        form.on_meta(dict(ctx.meta or {}))
        return _result(await _call(form, params.name, params.arguments or {}))

    return Server(
        SERVER_NAME,
        version=pullcept.__version__,
        title=form.title,
        instructions=form.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _call(form: ServerForm, name: str, arguments: dict[str, Any]) -> ToolAnswer:
    if form.tools is None:
        return ToolAnswer("This server has no tools: the process that started it has no seat in a room.", is_error=True)
    try:
        return await form.tools.call(name, arguments)
    except Exception:
        log.exception("the tool %s failed", name)
        return ToolAnswer(
            "The tool failed inside the app. If this was a post, it may or may not have been made: read the history.",
            is_error=True,
        )


def _tool(spec: ToolSpec) -> types.Tool:
    annotations = types.ToolAnnotations(read_only_hint=True) if spec.reads_only else None
    return types.Tool(name=spec.name, description=spec.description, input_schema=spec.schema, annotations=annotations)


def _result(answer: ToolAnswer) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=answer.text)]
    return types.CallToolResult(content=content, is_error=answer.is_error)


async def _pump(run: Callable[[], Awaitable[None]], end: AsyncResource) -> None:
    """Run one direction; however it ends, its side of the server is closed."""
    try:
        async with end:
            await run()
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        log.debug("the server ended before its bridge")


async def _read_in(stream: Stream, inward: MemoryObjectSendStream[SessionMessage | Exception], asked: set[str]) -> None:
    while True:
        try:
            line = await stream.read_line()
        except LineTooLong as error:
            await stream.write_line(_error_line(None, types.INVALID_REQUEST, str(error)))
            continue
        if line is None:
            return
        message = _parse(line)
        if isinstance(message, bytes):
            await stream.write_line(message)
        else:
            if isinstance(message, types.JSONRPCRequest):
                asked.add(message.method)
            await inward.send(SessionMessage(message))


async def _write_out(stream: Stream, outward: MemoryObjectReceiveStream[SessionMessage]) -> None:
    async for item in outward:
        await stream.write_line(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode("utf-8"))


def _parse(line: bytes) -> types.JSONRPCMessage | bytes:
    """The message of a line, or the error to answer it with. Half characters of a cut text are replaced."""
    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        pass
    try:
        message = json.loads(line)
        whole = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return _error_line(None, types.PARSE_ERROR, "not a JSON message")
    try:
        return types.jsonrpc_message_adapter.validate_json(whole, by_name=False)
    except ValueError:
        asked = message.get("id") if isinstance(message, dict) else None
        known = asked if isinstance(asked, str | int) and not isinstance(asked, bool) else None
        return _error_line(known, types.INVALID_REQUEST, "not a JSON-RPC message")


def _error_line(asked: str | int | None, code: int, text: str) -> bytes:
    error = types.JSONRPCError(jsonrpc="2.0", id=asked, error=types.ErrorData(code=code, message=text))
    return error.model_dump_json(by_alias=True, exclude_unset=True).encode("utf-8")
