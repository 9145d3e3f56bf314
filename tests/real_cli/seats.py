"""A real CLI as a seat of the room: its account, its scripted model, and how to read that model's requests."""

import json
from dataclasses import dataclass
from pathlib import Path

from pullcept.core.account import Account, AccountKind, EnvEntry
from tests.real_cli import claude_model, codex_model
from tests.real_cli.binaries import Binary
from tests.real_cli.claude_model import ClaudeModel
from tests.real_cli.codex_model import CodexModel
from tests.real_cli.homes import SeatHome, claude_home, codex_home
from tests.real_cli.model_server import ModelServer, Recorded

ENTRY = "pullcept-room"


@dataclass(frozen=True)
class RealSeat:
    """One CLI with everything a test asks about it. `tool`: how its model names `say_to_room`."""

    account: Account
    model: ModelServer
    home: SeatHome
    tool: str
    session_header: str

    @property
    def name(self) -> str:
        return self.account.name

    def messages(self, turn: Recorded) -> list[list[str]]:
        """The texts of each user message of a request, as the blocks they came in."""
        if isinstance(self.model, ClaudeModel):
            return claude_model.user_blocks(turn.body)
        return codex_model.user_blocks(turn.body)

    def results(self, turn: Recorded) -> list[str]:
        """The texts of the tool results in a request."""
        read = claude_model.tool_results if isinstance(self.model, ClaudeModel) else codex_model.tool_results
        return read(turn.body)

    def knows_the_room(self, turn: Recorded) -> bool:
        """Whether a request offers the room's tools at once and carries its manners."""
        tools = json.dumps(turn.body["tools"])
        whole = json.dumps(turn.body)
        named = self.tool if self.account.kind == "claude_code" else "say_to_room"
        return f'"{named}"' in tools and "in a shared room of people and AI sessions" in whole

    def conversation(self, turn: Recorded) -> str:
        """The id of the conversation a request belongs to."""
        return turn.headers[self.session_header]

    def wait_for_result(self, text: str) -> str:
        """The first tool result that holds `text`."""
        turn = self.model.wait_for_turn(lambda turn: any(text in result for result in self.results(turn)))
        return next(result for result in self.results(turn) if text in result)

    def transcripts(self, conversation_id: str) -> list[Path]:
        """The files in which the CLI keeps a conversation."""
        return [path for path in self.home.config.rglob("*.jsonl") if conversation_id in path.name]


def account_for(home: SeatHome, name: str, kind: AccountKind, *, hue: int | None = 30) -> Account:
    """An account that starts one real CLI in its private home."""
    env = tuple(EnvEntry(key, value) for key, value in home.env.items() if key not in ("TERM", "PATH"))
    return Account(f"id-{name}", name, kind, home.binary.path, home.args, str(home.cwd), hue=hue, env=env)


def claude_seat(root: Path, binary: Binary, model: ClaudeModel, name: str = "Haru") -> RealSeat:
    home = claude_home(root, binary, model)
    account = account_for(home, name, "claude_code")
    return RealSeat(account, model, home, f"mcp__{ENTRY}__say_to_room", "x-claude-code-session-id")


def codex_seat(root: Path, binary: Binary, model: CodexModel, name: str = "Sora") -> RealSeat:
    home = codex_home(root, binary, model)
    account = account_for(home, name, "codex_cli", hue=150)
    return RealSeat(account, model, home, codex_model.room_tool(ENTRY), "session-id")
