"""The Messages API, scripted, for a real Claude Code."""

from collections.abc import Iterator, Mapping

from tests.real_cli.model_server import Body, ModelServer, Step, say, texts_of

DUMMY_KEY = "sk-ant-dummy-pullcept-tests-0123456789abcdef"


class ClaudeModel(ModelServer):
    """Serves `/v1/messages`. A turn is a request that offers tools."""

    def environment(self) -> dict[str, str]:
        """What points the CLI here and keeps it from calling anybody else."""
        return {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": DUMMY_KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "NO_PROXY": "127.0.0.1,localhost",
        }

    def asks_model(self, path: str) -> bool:
        return path == "/v1/messages"

    def is_turn(self, path: str, headers: Mapping[str, str], body: Body) -> bool:
        return self.asks_model(path) and bool(body.get("tools"))

    def side_step(self, body: Body) -> Step:
        return say("ok")

    def user_texts(self, body: Body) -> list[str]:
        """One entry per user message: its texts without the reminders that the CLI itself adds."""
        return ["".join(texts) for texts in user_blocks(body) if texts]

    def tool_results(self, body: Body) -> list[str]:
        return tool_results(body)

    def other_answer(self, path: str, raw: bytes) -> tuple[int, Body]:
        if path.endswith("/count_tokens"):
            return 200, {"input_tokens": len(raw) // 4 + 1}
        return 404, {"type": "error", "error": {"type": "not_found_error", "message": path}}

    def events(self, step: Step, model: str) -> Iterator[tuple[str, Body]]:
        usage = {"input_tokens": 10, "output_tokens": 1}
        message: Body = {"id": self.next_id("msg"), "type": "message", "role": "assistant", "model": model}
        message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        yield "message_start", {"type": "message_start", "message": message}
        for index, (block, delta) in enumerate(self._blocks(step)):
            yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": block}
            yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
            yield "content_block_stop", {"type": "content_block_stop", "index": index}
        reason = "tool_use" if step.calls else "end_turn"
        end = {"delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 12}}
        yield "message_delta", {"type": "message_delta", **end}
        yield "message_stop", {"type": "message_stop"}

    def _blocks(self, step: Step) -> Iterator[tuple[Body, Body]]:
        if step.text:
            yield {"type": "text", "text": ""}, {"type": "text_delta", "text": step.text}
        self.pause(step)
        for each in step.calls:
            block = {"type": "tool_use", "id": self.next_id("toolu"), "name": each.tool, "input": {}}
            yield block, {"type": "input_json_delta", "partial_json": each.arguments_text()}


def user_blocks(body: Body) -> list[list[str]]:
    """The text blocks of every user message, without the reminders that the CLI itself adds."""
    messages = (message for message in body.get("messages", ()) if message.get("role") == "user")
    blocks = (texts_of(message.get("content"), ("text",)) for message in messages)
    return [[text for text in texts if not text.startswith("<system-reminder>")] for texts in blocks]


def tool_results(body: Body) -> list[str]:
    """The texts of every tool result in a request, oldest first."""
    contents = (message.get("content") for message in body.get("messages", ()))
    blocks = (block for content in contents if isinstance(content, list) for block in content)
    results = (block for block in blocks if block.get("type") == "tool_result")
    return ["".join(texts_of(block.get("content"), ("text",))) for block in results]
