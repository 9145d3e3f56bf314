"""The launch lines of `core/kinds`, given to the real programs with an MCP server of a few lines."""

import json
import sys
import time
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

from pullcept.core.account import Account
from pullcept.core.kinds import ROOM_SERVER, LaunchLine, LaunchRequest, kind_for
from pullcept.core.launch import ROOM_NAMES, SidecarLine
from pullcept.store.toml_values import toml_value
from pullcept.store.transcripts import conversation_exists
from tests.real_cli.bare_terminal import BareTerminal
from tests.real_cli.binaries import CLAUDE_VERSION, CODEX_VERSION, Binary
from tests.real_cli.claude_model import ClaudeModel
from tests.real_cli.claude_model import tool_results as claude_results
from tests.real_cli.codex_model import CodexModel, room_tool
from tests.real_cli.codex_model import tool_results as codex_results
from tests.real_cli.homes import SeatHome, claude_home, codex_home
from tests.real_cli.model_server import call, say

TAG = '[pullcept] {"role":"admin","from":"Mio","message_id":"m-1"}\n'
PASTE = "\x1b[200~{}\x1b[201~\r"
PROBE = Path(__file__).with_name("probe_server.py")
IDLE = "\x1b]7501;state=idle"


def request_for(kind: str, home: SeatHome, notes: Path, **changes: Any) -> LaunchRequest:
    account = Account("a-1", "Haru", kind, home.binary.path, home.args, str(home.cwd))  # type: ignore[arg-type]
    attachments = notes.parent / "添付 & more"
    attachments.mkdir(exist_ok=True)
    request = LaunchRequest(
        account=account,
        topic_id="t-1",
        sidecar=SidecarLine(sys.executable, (str(PROBE), str(notes))),
        entry=ROOM_SERVER,
        registration_path=str(notes.parent / "部屋 & 🚀's room.json"),
        attachments_dir=str(attachments),
        new_session_id=str(uuid.uuid4()),
        toml_value=toml_value,
    )
    return replace(request, **changes)


def start(line: LaunchLine, home: SeatHome) -> BareTerminal:
    for path, text in line.files:
        Path(path).write_text(text, encoding="utf-8")
    secrets = {name: f"value of {name}" for name in ROOM_NAMES}
    return BareTerminal(line.argv, str(home.cwd), home.env | dict(line.env) | secrets)


def wait_for_notes(notes: Path, method: str, limit: float = 30.0) -> list[dict[str, Any]]:
    """What the server noted, once it was asked for `method`."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        lines = [json.loads(line) for line in notes.read_text("utf-8").splitlines()] if notes.exists() else []
        if any(line.get("asked", {}).get("method") == method for line in lines):
            return lines
        time.sleep(0.05)
    raise AssertionError(f"the server was never asked for {method}")


def environment_seen(notes: list[dict[str, Any]]) -> dict[str, str]:
    return dict(notes[0]["environment"])


def test_claude_starts_with_the_line_and_calls_the_tool_without_a_question(
    tmp_path: Path, claude_binary: Binary, claude_model: ClaudeModel
) -> None:
    home, notes = claude_home(tmp_path, claude_binary, claude_model), tmp_path / "notes.jsonl"
    request = request_for("claude_code", home, notes)
    line = kind_for("claude_code").launch_line(request)
    claude_model.script(call(f"mcp__{ROOM_SERVER}__say_to_room", {"content": "やあ"}), say("done"))
    with start(line, home) as terminal:
        seen = wait_for_notes(notes, "tools/list")
        terminal.wait_for(lambda text: "❯" in text)
        type_slowly(terminal, TAG, "こんにちは")
        first = claude_model.wait_for_text("こんにちは")
        then = claude_model.wait_for_turn(lambda turn: bool(claude_results(turn.body)))
    assert claude_binary.version.startswith(CLAUDE_VERSION)
    assert claude_model.newest_text(first.body) == TAG + "こんにちは"
    assert f"mcp__{ROOM_SERVER}__say_to_room" in [tool["name"] for tool in first.body["tools"]]
    assert "say_to_room" in json.dumps(first.body["system"])
    assert claude_results(then.body) == ["said: やあ"]
    assert seen[0]["argv"] == ["--entry", ROOM_SERVER]
    assert {name: environment_seen(seen)[name] for name in ROOM_NAMES} == {
        name: f"value of {name}" for name in ROOM_NAMES
    }
    globs = kind_for("claude_code").transcript_globs(request.new_session_id, home.env, home.env["HOME"])
    assert conversation_exists(globs) is True


def test_claude_asks_about_a_server_of_the_project_first_and_the_rooms_comes_up_behind_the_answer(
    tmp_path: Path, claude_binary: Binary, claude_model: ClaudeModel
) -> None:
    home, notes = claude_home(tmp_path, claude_binary, claude_model), tmp_path / "notes.jsonl"
    theirs = {"mcpServers": {"other": {"command": "no-such-program", "env": {"X": "${X}"}}}}
    (home.cwd / ".mcp.json").write_text(json.dumps(theirs), encoding="utf-8-sig")
    line = kind_for("claude_code").launch_line(request_for("claude_code", home, notes))
    with start(line, home) as terminal:
        terminal.wait_for(lambda text: "confirm" in text and "other" in text)
        assert not notes.exists()
        end = time.monotonic() + 30.0
        # A key that comes too early is swallowed; one too many does nothing in the empty input.
        while not notes.exists() and time.monotonic() < end:
            terminal.write(b"\r")
            time.sleep(0.5)
        wait_for_notes(notes, "tools/list")
    assert (home.cwd / ".mcp.json").read_bytes() == b"\xef\xbb\xbf" + json.dumps(theirs).encode()


def test_claude_takes_the_options_of_the_person_beside_the_rooms(
    tmp_path: Path, claude_binary: Binary, claude_model: ClaudeModel
) -> None:
    home, notes = claude_home(tmp_path, claude_binary, claude_model), tmp_path / "notes.jsonl"
    mine = {"command": sys.executable, "args": [str(PROBE), str(tmp_path / "mine.jsonl")], "alwaysLoad": True}
    theirs = ("--mcp-config", json.dumps({"mcpServers": {"mine": mine}}), "--append-system-prompt", "PROMPT-OF-MINE")
    settings = ("--settings", json.dumps({"env": {"MINE": "1"}, "permissions": {"allow": ["mcp__mine"]}}))
    home = replace(home, args=(*theirs, *settings, *home.args, "まず挨拶して -- please"))
    line = kind_for("claude_code").launch_line(request_for("claude_code", home, notes))
    claude_model.script(call("mcp__mine__say_to_room", {"content": "1"}))
    claude_model.script(call(f"mcp__{ROOM_SERVER}__say_to_room", {"content": "2"}))
    with start(line, home):
        first = claude_model.wait_for_text("まず挨拶して -- please")
        claude_model.wait_for_turn(lambda turn: claude_results(turn.body) == ["said: 1", "said: 2"])
    assert "PROMPT-OF-MINE" in json.dumps(first.body["system"])
    assert environment_seen(wait_for_notes(notes, "tools/list"))["MINE"] == "1"


def test_codex_starts_with_the_line_and_calls_the_tool_without_a_question(
    tmp_path: Path, codex_binary: Binary, codex_model: CodexModel
) -> None:
    home, notes = codex_home(tmp_path, codex_binary, codex_model), tmp_path / "notes.jsonl"
    line = kind_for("codex_cli").launch_line(request_for("codex_cli", home, notes))
    codex_model.script(call(room_tool(ROOM_SERVER), {"content": "やあ"}), say("done"))
    with start(line, home) as terminal:
        terminal.wait_for(lambda text: IDLE in text)
        terminal.write(PASTE.format(TAG + "こんにちは ").encode())
        first = codex_model.wait_for_text("こんにちは")
        then = codex_model.wait_for_turn(lambda turn: bool(codex_results(turn.body)))
        seen = wait_for_notes(notes, "tools/call")
    assert codex_binary.version == f"codex-cli {CODEX_VERSION}"
    assert codex_model.newest_text(first.body) == TAG + "こんにちは"

    names = [tool["name"] for tool in first.body["tools"] if tool["type"] == "namespace"]
    assert names == [room_tool(ROOM_SERVER).partition("/")[0]]
    assert "said: やあ" in codex_results(then.body)[0]
    assert seen[0]["argv"] == ["--entry", ROOM_SERVER]
    assert {name: environment_seen(seen)[name] for name in ROOM_NAMES} == {
        name: f"value of {name}" for name in ROOM_NAMES
    }
    called = next(line["asked"] for line in seen if line.get("asked", {}).get("method") == "tools/call")
    globs = kind_for("codex_cli").transcript_globs(called["params"]["_meta"]["sessionId"], home.env, home.env["HOME"])
    assert conversation_exists(globs) is True


def test_codex_takes_a_prompt_of_the_person_and_goes_on_with_a_conversation(
    tmp_path: Path, codex_binary: Binary, codex_model: CodexModel
) -> None:
    home, notes = codex_home(tmp_path, codex_binary, codex_model), tmp_path / "notes.jsonl"
    with_prompt = replace(home, args=(*home.args, "まず挨拶して & 'go'"))
    fresh = request_for("codex_cli", with_prompt, notes)
    with start(kind_for("codex_cli").launch_line(fresh), home) as terminal:
        first = codex_model.wait_for_text("まず挨拶して & 'go'")
        terminal.wait_for(lambda text: "state=done" in text)
    conversation = first.headers["session-id"]
    again = request_for("codex_cli", home, notes, resume_id=conversation)
    with start(kind_for("codex_cli").launch_line(again), home) as terminal:
        terminal.wait_for(lambda text: IDLE in text)
        terminal.write(PASTE.format(TAG + "still there? ").encode())
        then = codex_model.wait_for_text("still there?")
    assert then.headers["session-id"] == conversation
    assert "まず挨拶して & 'go'" in codex_model.user_texts(then.body)


def test_codex_refuses_a_line_with_a_key_it_does_not_know(
    tmp_path: Path, codex_binary: Binary, codex_model: CodexModel
) -> None:
    home, notes = codex_home(tmp_path, codex_binary, codex_model), tmp_path / "notes.jsonl"
    line = kind_for("codex_cli").launch_line(request_for("codex_cli", home, notes))
    wrong = [word.replace("startup_timeout_sec", "startup_timeout_secs") for word in line.argv]
    with start(replace(line, argv=tuple(wrong)), home) as terminal:
        assert "startup_timeout_secs" in terminal.wait_for_exit()


def type_slowly(terminal: BareTerminal, tag: str, body: str) -> None:
    """The measured way of typing into Claude Code, with its pauses."""
    for part in (tag, body):
        terminal.write(part.encode())
        time.sleep(0.2)
    terminal.write(b"\r")
