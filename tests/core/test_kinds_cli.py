"""Launch lines of any other CLI."""

import json
import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.kinds import LaunchLine, LaunchRefused, kind_for
from pullcept.core.launch import SidecarLine
from tests.core.kinds_support import NEW_ID, ODD_FOLDER, OLD_ID, hard_words, request_for

CLI = kind_for("cli")


def line_for(*args: str, **changes: Any) -> LaunchLine:
    return CLI.launch_line(request_for("cli", *args, **changes))


@given(st.lists(hard_words.filter(lambda word: "{" not in word), max_size=4))
def test_nothing_is_added_to_the_line(args: list[str]) -> None:
    line = line_for(*args)
    assert line == LaunchLine(("/opt/c l i/tool", *args))


def test_a_new_session_id_is_given_and_recorded() -> None:
    line = line_for("--id={session_id}")
    assert line.argv[1] == f"--id={NEW_ID}"
    assert line.conversation_id == NEW_ID


def test_a_resume_line_replaces_the_whole_line() -> None:
    line = line_for("--fresh", resume_id=OLD_ID, resume_command="'/opt/c l i/tool' back {session_id} \"two words\"")
    assert line.argv == ("/opt/c l i/tool", "back", OLD_ID, "two words")
    assert line.resumed
    assert line.conversation_id == OLD_ID


def test_a_backslash_of_a_resume_line_is_just_a_backslash() -> None:
    line = line_for(resume_id=OLD_ID, resume_command='"C:\\My Apps\\t.exe" \\\\host\\x {session_id}#1')
    assert line.argv == ("C:\\My Apps\\t.exe", "\\\\host\\x", f"{OLD_ID}#1")


@pytest.mark.parametrize("resume_command", [None, "", "tool --continue", "tool '{session_id}"])
def test_resuming_without_a_usable_line_is_refused(resume_command: str | None) -> None:
    with pytest.raises(LaunchRefused):
        line_for(resume_id=OLD_ID, resume_command=resume_command)


@pytest.mark.parametrize(("line", "can"), [("t {session_id}", True), ("t", False), (None, False)])
def test_only_a_resume_line_with_an_id_makes_an_account_resumable(line: str | None, can: bool) -> None:
    assert CLI.can_resume(request_for("cli", resume_command=line).account) is can


def test_the_sidecar_expands_to_json_that_fits_into_more_json() -> None:
    line = line_for("--mcp", '{"mcpServers":{"room":{sidecar}}}')
    assert json.loads(line.argv[2])["mcpServers"]["room"] == {
        "command": f"{ODD_FOLDER}/python",
        "args": [f"{ODD_FOLDER}/pullcept.py", "sidecar", "--entry", "pullcept-room"],
    }


@given(hard_words.filter(bool), st.lists(hard_words, max_size=3))
def test_the_sidecar_expands_to_a_shell_line_that_splits_back(command: str, args: list[str]) -> None:
    line = line_for("{sidecar:shell}", sidecar=SidecarLine(f"/{command}", tuple(args)))
    assert shlex.split(line.argv[1]) == [f"/{command}", *args, "--entry", "pullcept-room"]


def test_a_windows_shell_line_quotes_what_needs_it() -> None:
    line = line_for("{sidecar:shell}", sidecar=SidecarLine("C:\\Pull cept & Co\\p.exe", ("E:\\x y\\", "sidecar")))
    assert line.argv[1] == '"C:\\Pull cept & Co\\p.exe" "E:\\x y\\\\" sidecar --entry pullcept-room'


def test_an_account_without_a_command_is_refused_by_name() -> None:
    with pytest.raises(LaunchRefused, match="Haru"):
        line_for(command="")


def test_no_place_is_known_where_transcripts_lie() -> None:
    assert CLI.transcript_globs(OLD_ID, {}, "/home/h") == ()
