"""Launch lines of Codex."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.kinds import LaunchLine, LaunchRefused, kind_for
from pullcept.core.launch import ROOM_NAMES, SidecarLine
from tests.core.kinds_support import ODD_FOLDER, OLD_ID, hard_words, request_for

CODEX = kind_for("codex_cli")


def line_for(*args: str, **changes: Any) -> LaunchLine:
    return CODEX.launch_line(request_for("codex_cli", *args, **changes))


def configured(line: LaunchLine) -> dict[str, Any]:
    """All `-c` values, read back as TOML."""
    values = [line.argv[at + 1] for at, word in enumerate(line.argv) if word == "-c"]
    return tomllib.loads("\n".join(values))


def test_the_rooms_server_stands_on_the_line() -> None:
    line = line_for()
    assert configured(line)["mcp_servers"] == {
        "pullcept-room": {
            "command": f"{ODD_FOLDER}/python",
            "args": [f"{ODD_FOLDER}/pullcept.py", "sidecar", "--entry", "pullcept-room"],
            "env_vars": list(ROOM_NAMES),
            "required": True,
            "startup_timeout_sec": 20,
            "default_tools_approval_mode": "approve",
            "omit_tools_from": ["deferred", "code_mode"],
        }
    }
    assert configured(line)["notice"] == {"hide_rate_limit_model_nudge": True}
    assert {"--no-daemon", "--no-alt-screen"} <= set(line.argv)
    assert line.files == ()
    assert line.conversation_id is None


def test_options_that_may_stand_only_once_are_not_repeated() -> None:
    line = line_for("--no-alt-screen", "--no-daemon")
    assert line.argv.count("--no-alt-screen") == line.argv.count("--no-daemon") == 1


def test_the_screen_mode_of_the_person_stands() -> None:
    assert "--no-alt-screen" not in line_for("-c", 'tui.alternate_screen="always"').argv


def test_a_character_is_given_as_developer_instructions() -> None:
    text = 'Speak as "俳人".\nBriefly.'
    assert configured(line_for(character=text))["developer_instructions"] == text


def test_developer_instructions_of_the_person_replace_the_character() -> None:
    line = line_for("-c", 'developer_instructions="theirs"', character="ours")
    assert configured(line)["developer_instructions"] == "theirs"


def test_resuming_gives_the_same_options_again() -> None:
    fresh, resumed = line_for("-m", "gpt-x", "hello"), line_for("-m", "gpt-x", "hello", resume_id=OLD_ID)
    assert resumed.argv == (fresh.argv[0], "resume", OLD_ID, *fresh.argv[1:])
    assert resumed.conversation_id == OLD_ID
    assert resumed.resumed


def test_a_resume_command_of_the_person_decides_and_is_said() -> None:
    line = line_for("resume", "--last", resume_id=OLD_ID)
    assert OLD_ID not in line.argv
    assert not line.resumed
    assert "resume" in line.notes[0]


@pytest.mark.parametrize("args", [["exec", "do it"], ["-m", "x", "e"], ["review"], ["mcp", "list"], ["app-server"]])
def test_commands_without_a_terminal_are_refused_by_name(args: list[str]) -> None:
    with pytest.raises(LaunchRefused) as refused:
        line_for(*args)
    assert next(word for word in args if word not in ("-m", "x")) in str(refused.value)
    assert "room" in str(refused.value)


@pytest.mark.parametrize("args", [["--remote", "ws://127.0.0.1:1"], ["--remote=unix://"]])
def test_a_remote_session_is_refused_naming_both_sides(args: list[str]) -> None:
    with pytest.raises(LaunchRefused) as refused:
        line_for(*args)
    assert "--remote" in str(refused.value)
    assert "--no-daemon" in str(refused.value)


@pytest.mark.parametrize(
    "args", [["-c", "mcp_servers={}"], ["-cmcp_servers={}"], ["--config", 'mcp_servers.pullcept-room={command="x"}']]
)
def test_replacing_the_rooms_server_is_refused(args: list[str]) -> None:
    with pytest.raises(LaunchRefused, match="pullcept-room"):
        line_for(*args)


@pytest.mark.parametrize(
    "args",
    [
        ["-C", "/w d", "-p", "work", "-s", "read-only", "-a", "never", "--add-dir", "exec", "hello"],
        ["-i", "a.png", "exec", "--", "exec"],
        ["-c", "mcp_servers.other.command=x"],
        ["--profile=exec"],
    ],
)
def test_the_options_of_the_person_pass_through_behind_the_rooms(args: list[str]) -> None:
    assert list(line_for(*args).argv[-len(args) :]) == args


@given(hard_words, st.lists(hard_words, max_size=3), hard_words.filter(bool))
def test_every_word_survives_in_the_toml(command: str, args: list[str], character: str) -> None:
    line = line_for(sidecar=SidecarLine(f"/{command}", tuple(args)), character=character)
    server = configured(line)["mcp_servers"]["pullcept-room"]
    assert server["command"] == f"/{command}"
    assert server["args"] == [*args, "--entry", "pullcept-room"]
    assert configured(line)["developer_instructions"] == character


@pytest.mark.parametrize(
    "path", ["C:\\Apps (x86)\\Pull cept & Co\\日本\\pullcept.exe", "\\\\host\\share\\p.exe", "E:\\"]
)
def test_windows_paths_survive_in_the_toml(path: str) -> None:
    assert configured(line_for(sidecar=SidecarLine(path, ())))["mcp_servers"]["pullcept-room"]["command"] == path


def test_transcripts_are_looked_up_by_id_at_any_depth() -> None:
    globs = CODEX.transcript_globs(OLD_ID, {"CODEX_HOME": "/c"}, "/home/h")
    assert globs == (("/c", f"sessions/**/rollout-*-{OLD_ID}.jsonl"),)
    assert CODEX.transcript_globs("*", {}, "/home/h") == (("/home/h/.codex", "sessions/**/rollout-*-[*].jsonl"),)
