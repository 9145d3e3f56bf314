"""The Responses API, scripted, for a real Codex."""

import json
from collections.abc import Iterator, Mapping

from tests.real_cli.model_server import Body, ModelServer, Step, ToolCall, say, texts_of

USAGE = {
    "input_tokens": 120,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 12,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 132,
}
KEY_VARIABLE = "SCRIPTED_MODEL_KEY"


class CodexModel(ModelServer):
    """Serves `/v1/responses`. A tool is named `<namespace>/<function>`, or plainly when it has none."""

    def options(self, folder: str) -> tuple[str, ...]:
        """What points the CLI here and keeps it from calling anybody else."""
        provider = (
            f'{{name="scripted",base_url="{self.url}/v1",wire_api="responses",env_key="{KEY_VARIABLE}",'
            "request_max_retries=0,stream_max_retries=0}"
        )
        values = (
            'model="gpt-5.5"',
            'model_provider="scripted"',
            f"model_providers.scripted={provider}",
            "check_for_update_on_startup=false",
            "analytics.enabled=false",
            "feedback.enabled=false",
            "tui.show_tooltips=false",
            "tui.animations=false",
            'notice.model_migrations={"gpt-5.5"="gpt-6-sol"}',
            f'projects={{{json.dumps(folder)}={{trust_level="trusted"}}}}',
        )
        configured = (word for value in values for word in ("-c", value))
        return ("--disable", "plugins", "--disable", "apps", *configured)

    def asks_model(self, path: str) -> bool:
        return path.endswith("/responses")

    def is_turn(self, path: str, headers: Mapping[str, str], body: Body) -> bool:
        title = '"thread_source":"thread_title"' in headers.get("x-codex-turn-metadata", "")
        return self.asks_model(path) and not title

    def side_step(self, body: Body) -> Step:
        return say('{"title":"scripted"}')

    def user_texts(self, body: Body) -> list[str]:
        """One entry per user message, the CLI's own context messages included."""
        return ["".join(texts) for texts in user_blocks(body)]

    def tool_results(self, body: Body) -> list[str]:
        return tool_results(body)

    def other_answer(self, path: str, raw: bytes) -> tuple[int, Body]:
        if path.endswith("/models"):
            return 200, {"object": "list", "data": [], "models": []}
        return 404, {"error": {"message": path, "type": "not_found"}}

    def events(self, step: Step, model: str) -> Iterator[tuple[str, Body]]:
        response: Body = {"id": self.next_id("resp"), "object": "response"}
        yield "response.created", {"type": "response.created", "response": {**response, "status": "in_progress"}}
        items: list[Body] = []
        if not step.text and not step.calls:
            self.pause(step)
        for item, call in self._items(step):
            place = {"output_index": len(items)}
            start = {**item, "content": []} if item["type"] == "message" else item
            yield "response.output_item.added", {"type": "response.output_item.added", **place, "item": start}
            if item["type"] == "message":
                delta = {**place, "item_id": item["id"], "content_index": 0, "delta": step.text}
                yield "response.output_text.delta", {"type": "response.output_text.delta", **delta}
            self.pause(step)
            item = item | ({"arguments": call.arguments_text()} if call else {})
            yield "response.output_item.done", {"type": "response.output_item.done", **place, "item": item}
            items.append(item)
        done = {**response, "status": "completed", "output": items, "usage": USAGE}
        yield "response.completed", {"type": "response.completed", "response": done}

    def _items(self, step: Step) -> Iterator[tuple[Body, ToolCall | None]]:
        if step.text:
            yield self._message(step.text), None
        for each in step.calls:
            yield self._function_call(each), each

    def _message(self, text: str) -> Body:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        base = {"type": "message", "id": self.next_id("msg"), "role": "assistant", "status": "completed"}
        return {**base, "content": content}

    def _function_call(self, each: ToolCall) -> Body:
        namespace, slash, name = each.tool.rpartition("/")
        item: Body = {"type": "function_call", "id": self.next_id("fc"), "call_id": self.next_id("call")}
        item |= {"name": name, "arguments": "", "status": "completed"}
        return {**item, "namespace": namespace} if slash else item


def room_tool(entry: str, tool: str = "say_to_room") -> str:
    """How a model names a tool of the room: Codex writes the server's name with underscores."""
    return f"mcp__{entry.replace('-', '_')}/{tool}"


def user_blocks(body: Body) -> list[list[str]]:
    """The texts of every user message, as the blocks they came in."""
    messages = (item for item in body.get("input", ()) if item.get("type") == "message" and item["role"] == "user")
    return [texts_of(message["content"], ("input_text",)) for message in messages]


def tool_results(body: Body) -> list[str]:
    """The texts of every function result in a request, oldest first."""
    results = (item for item in body.get("input", ()) if item.get("type") == "function_call_output")
    return ["\n".join(texts_of(item.get("output"), ("input_text",))) for item in results]
