"""The whole loop with a real Codex."""

import json
import subprocess
from pathlib import Path
from typing import Any

import psutil

from pullcept.core.launch import ROOM_NAMES
from tests.real_cli import scenes
from tests.real_cli.binaries import CODEX_VERSION
from tests.real_cli.room import RealRoom
from tests.real_cli.seats import ENTRY, RealSeat


def is_the_measured_version(codex: RealSeat) -> bool:
    return codex.home.binary.version == f"codex-cli {CODEX_VERSION}"


def test_codex_a_gets_a_short_and_a_long_post_as_one_exact_message_each(tmp_path: Path, codex: RealSeat) -> None:
    scenes.posts_arrive_whole(tmp_path, codex)
    assert not (codex.home.config / "packages").exists(), "a background server was installed"
    assert is_the_measured_version(codex)


def test_codex_b_says_something_and_it_appears_once_everywhere(
    tmp_path: Path, claude: RealSeat, codex: RealSeat
) -> None:
    scenes.an_answer_is_a_row_everywhere_once(tmp_path, codex, claude)
    assert is_the_measured_version(codex)


def test_codex_c_answers_too_late_is_refused_and_resends_its_draft(
    tmp_path: Path, claude: RealSeat, codex: RealSeat
) -> None:
    scenes.the_second_of_two_answers_is_refused_and_resent(tmp_path, claude, codex)
    assert is_the_measured_version(codex)


def test_codex_d_goes_on_with_its_conversation_or_says_that_it_is_gone(tmp_path: Path, codex: RealSeat) -> None:
    scenes.a_conversation_goes_on_or_begins_anew(tmp_path, codex)
    assert is_the_measured_version(codex)


def test_codex_is_called_by_its_new_nickname_from_the_next_post_on(tmp_path: Path, codex: RealSeat) -> None:
    scenes.a_new_nickname_counts_at_once(tmp_path, codex)


def test_codex_e_hands_its_sidecar_every_variable_and_a_nested_one_gets_an_empty_server(
    tmp_path: Path, codex: RealSeat
) -> None:
    with RealRoom(tmp_path, [codex.account]) as room:
        room.say("said before anybody came")
        room.start(codex.account)
        sidecar = the_sidecar()
        environment, line = sidecar.environ(), sidecar.cmdline()
        assert [name for name in ROOM_NAMES if not environment.get(name)] == []
        assert environment["PULLCEPT_ROOM_URL"] == room.app.room_url
        assert environment["PULLCEPT_AGENT_NAME"] == codex.name
        assert environment["PULLCEPT_ROOM_ID"] == room.topic_id
        assert line[-2:] == ["--entry", ENTRY]
        for nested in (line, [*line[:-1], "another-registration"]):
            assert asked_as_a_client(nested, environment) == ([], None)
        post = room.say("still there?")
        codex.model.wait_for_text(post.message_id)
        scenes.spoken_turn(room, codex, "and you can speak?")
    assert is_the_measured_version(codex)


def the_sidecar() -> psutil.Process:
    """The one sidecar process below this test."""
    (found,) = [each for each in psutil.Process().children(recursive=True) if "--entry" in line_of(each)]
    return found


def line_of(process: psutil.Process) -> list[str]:
    """The command line of a process; empty for one that has just ended."""
    try:
        return list(process.cmdline())
    except psutil.NoSuchProcess:
        return []


def asked_as_a_client(line: list[str], environment: dict[str, str]) -> tuple[list[Any], str | None]:
    """Start an MCP server, shake hands, list its tools: (tools, instructions)."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "nested", "version": "1"}}
    messages: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    with subprocess.Popen(line, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        answers = {}
        for message in messages:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            if "id" in message:
                answer = json.loads(process.stdout.readline())
                answers[answer["id"]] = answer
        process.stdin.close()
        process.wait(10)
    tools = answers[2].get("result", {}).get("tools", [])
    return tools, answers[1]["result"].get("instructions")
