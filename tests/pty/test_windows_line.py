"""Command lines on Windows: the right file is found and the arguments arrive exactly, or the line is refused."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.pty.terminal import TerminalFailed
from pullcept.pty.windows_line import WindowsLine, environment_block, found_command, windows_line
from tests.pty.windows_rules import argv_of, batch_argv

ENV = {"Path": 'C:\\Windows;"C:\\Program Files\\nodejs";.;C:\\bin', "SystemRoot": "C:\\Windows"}
HARD = [
    "a b",
    "50%",
    "x&y",
    '"q"',
    "^",
    "",
    "%PATH%",
    "a\\",
    'b\\"c',
    "!x!",
    "| more",
    "(1)",
    "漢字",
    "%cd%%",
    'x" & calc "',
]


def files(*paths: str) -> Callable[[str], bool]:
    known = {path.lower() for path in paths}
    return lambda path: path.lower() in known


NPM = "C:\\Program Files\\nodejs\\"


def test_the_launcher_for_windows_is_found_beside_the_script_for_other_shells() -> None:
    disk = files(NPM + "claude", NPM + "claude.cmd", NPM + "claude.ps1")
    assert found_command("claude", "C:\\work", ENV, disk) == NPM + "claude.cmd"


def test_a_program_comes_before_a_batch_file_and_earlier_folders_before_later_ones() -> None:
    disk = files(NPM + "tool.cmd", NPM + "tool.exe", "C:\\bin\\tool.exe")
    assert found_command("tool", "C:\\work", ENV, disk) == NPM + "tool.exe"
    assert found_command("tool.cmd", "C:\\work", ENV, disk) == NPM + "tool.cmd"


def test_the_working_folder_is_never_searched() -> None:
    disk = files("C:\\work\\claude.exe", ".\\claude.exe")
    with pytest.raises(TerminalFailed, match="was not found on the PATH"):
        found_command("claude", "C:\\work", ENV, disk)
    assert found_command(".\\claude", "C:\\work", ENV, disk) == "C:\\work\\claude.exe"


def test_a_program_is_quoted_because_the_library_does_not() -> None:
    disk = files(NPM + "node.exe")
    line = windows_line(["node", *HARD], "C:\\work", ENV, disk)
    assert line.program == f'"{NPM}node.exe"'
    assert argv_of(f"{line.program} {line.arguments}") == [NPM + "node.exe", *HARD]


def test_a_batch_file_gets_every_argument_exactly_and_runs_nothing_else() -> None:
    disk = files(NPM + "codex.cmd")
    line = windows_line(["codex", *HARD], "C:\\work", ENV, disk)
    assert line.program == '"C:\\Windows\\System32\\cmd.exe"'
    assert batch_argv(line.arguments, {"PATH": "SECRET", "x": "SECRET"}) == (NPM + "codex.cmd", HARD)


@given(
    st.lists(st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]), max_size=12), max_size=5)
)
def test_any_arguments_reach_a_batch_file_exactly(arguments: list[str]) -> None:
    line = windows_line(["codex", *arguments], "C:\\work", ENV, files(NPM + "codex.cmd"))
    assert batch_argv(line.arguments, {"PATH": "SECRET"}) == (NPM + "codex.cmd", arguments)


@given(
    st.lists(
        st.text(st.sampled_from('"\\% &|^<>()!a:~,cd'), max_size=10),
        max_size=4,
    )
)
def test_awkward_arguments_reach_batch_files_and_programs_exactly(arguments: list[str]) -> None:
    batch = windows_line(["codex", *arguments], "C:\\work", ENV, files(NPM + "codex.cmd"))
    assert batch_argv(batch.arguments, {"PATH": "SECRET", "a": "SECRET"})[1] == arguments
    program = windows_line(["node", *arguments], "C:\\work", ENV, files(NPM + "node.exe"))
    assert argv_of(f"{program.program} {program.arguments}")[1:] == arguments


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        ([], "the command is empty"),
        (["missing"], "was not found on the PATH"),
        (["C:\\bin\\missing"], "was not found"),
        (["codex", "two\nlines"], "line break"),
        (["codex", "two\rlines"], "line break"),
        (["codex", "nul\0"], "NUL"),
        (["codex", "x" * 8000], "longer than"),
        (["C:\\50%\\tool.cmd"], "percent"),
    ],
)
def test_what_cannot_be_passed_on_is_refused(argv: list[str], reason: str) -> None:
    disk = files(NPM + "codex.cmd", "C:\\50%\\tool.cmd")
    with pytest.raises(TerminalFailed, match=reason):
        windows_line(argv, "C:\\work", ENV, disk)


def test_a_script_runs_through_powershell() -> None:
    line = windows_line(["C:\\bin\\tool.ps1", "a b"], "C:\\work", ENV, files("C:\\bin\\tool.ps1"))
    assert line == WindowsLine(
        '"C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe"',
        '-NoLogo -NoProfile -File C:\\bin\\tool.ps1 "a b"',
    )


def test_the_environment_is_one_block_with_each_name_once() -> None:
    assert environment_block({"b": "2", "Path": "x", "PATH": "y"}) == "b=2\0PATH=y\0"
    assert environment_block({}) == "\0"
    for broken in ({"": "x"}, {"a=b": "x"}, {"a": "x\0y"}):
        with pytest.raises(TerminalFailed):
            environment_block(broken)
