"""What every kind of terminal promises: the same tests against real PTYs and against pywinpty's measured behaviour."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("the contract of real ConPTY terminals needs programs of its own", allow_module_level=True)

import subprocess
import time

from pullcept.pty.posix import PosixTerminals
from pullcept.pty.spawn import checked_line
from pullcept.pty.terminal import TerminalEnded, TerminalFailed, Terminals
from pullcept.pty.windows import WindowsTerminals
from pullcept.pty.windows_line import WindowsLine
from tests.pty.fake_winpty import FakeJob, FakePty
from tests.pty.live import Live, closing, is_running, wait_for


def posix_line(argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> WindowsLine:
    path, *rest = checked_line(argv, cwd, env)
    return WindowsLine(f'"{path}"', subprocess.list2cmdline(rest))


def windows_terminals(**quirks: object) -> WindowsTerminals:
    return WindowsTerminals(lambda *size: FakePty(*size, **quirks), FakeJob, posix_line)  # type: ignore[arg-type]


@pytest.fixture(params=["posix", "windows", "windows-refusing", "windows-counting-characters"])
def terminals(request: pytest.FixtureRequest) -> Iterator[Terminals]:
    made: Terminals = {
        "posix": PosixTerminals,
        "windows": windows_terminals,
        "windows-refusing": lambda: windows_terminals(refuse=3),
        "windows-counting-characters": lambda: windows_terminals(counts="chars"),
    }[request.param]()
    yield from closing(made)


def test_output_comes_whole_and_the_exit_last(terminals: Terminals, tmp_path: Path) -> None:
    code = "for n in range(3000): print(n, '漢字')\nraise SystemExit(7)"
    program = Live(terminals, [sys.executable, "-S", "-X", "utf8", "-c", code], tmp_path)
    status = program.wait_exit()
    assert (status.code, status.signal) == (7, None)
    assert bytes(program.output).decode().split()[-2:] == ["2999", "漢字"]
    assert program.exits == 1


def test_what_is_written_arrives_in_order(terminals: Terminals, tmp_path: Path) -> None:
    code = "import sys\nfor line in sys.stdin: print('got', ascii(line), flush=True)"
    program = Live(terminals, [sys.executable, "-S", "-X", "utf8", "-c", code], tmp_path, size=(400, 50))
    for text in ("漢字 👨‍👩‍👧", " and ", "more", "\r"):
        program.terminal.write(text.encode()).result(10)
    program.wait_output(b"got " + ascii("漢字 👨‍👩‍👧 and more\n").encode())


def test_a_character_cut_between_two_writes_arrives_whole(terminals: Terminals, tmp_path: Path) -> None:
    code = "import sys\nprint('got', ascii(sys.stdin.readline()), flush=True)"
    program = Live(terminals, [sys.executable, "-S", "-X", "utf8", "-c", code], tmp_path)
    for part in (b"\xe6", b"\xbc\xa2", b"\r"):
        program.terminal.write(part).result(10)
    program.wait_output(ascii("漢\n").encode())


def test_a_write_after_the_exit_fails_and_nothing_raises(terminals: Terminals, tmp_path: Path) -> None:
    program = Live(terminals, [sys.executable, "-S", "-c", "pass"], tmp_path)
    program.wait_exit()
    assert program.terminal.exited is not None
    with pytest.raises(TerminalEnded) as ended:
        program.terminal.write(b"x").result(10)
    assert ended.value.written == 0
    program.terminal.resize(90, 30)
    program.terminal.end(0.1)


def test_a_missing_command_or_folder_is_refused_with_a_reason(terminals: Terminals, tmp_path: Path) -> None:
    with pytest.raises(TerminalFailed, match="not found"):
        Live(terminals, ["no-such-program-here"], tmp_path)
    with pytest.raises(TerminalFailed, match="does not exist"):
        Live(terminals, [sys.executable], tmp_path / "gone")


def test_ending_ends_the_whole_tree(terminals: Terminals, tmp_path: Path) -> None:
    code = (
        "import subprocess,sys,time\n"
        "child = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(300)'])\n"
        "print('child', child.pid, flush=True)\ntime.sleep(300)"
    )
    program = Live(terminals, [sys.executable, "-S", "-c", code], tmp_path)
    program.wait_output(b"\n")
    child = int(bytes(program.output).split()[1])
    program.terminal.end(0.2)
    program.wait_exit(5)
    wait_for(lambda: not is_running(child), "the end of the child")


def test_an_exit_is_told_soon_though_a_grandchild_holds_the_terminal(terminals: Terminals, tmp_path: Path) -> None:
    code = (
        "import subprocess,sys,os\n"
        "subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(300)'])\n"
        "print('last line', flush=True)\nos._exit(3)"
    )
    program = Live(terminals, [sys.executable, "-S", "-c", code], tmp_path)
    program.wait_output(b"last line")
    seen = time.monotonic()
    assert program.wait_exit().code == 3
    assert program.exit_at - seen < 2.0


def test_sizes_that_make_no_screen_are_ignored(terminals: Terminals, tmp_path: Path) -> None:
    program = Live(terminals, [sys.executable, "-S", "-c", "input()"], tmp_path)
    for size in ((0, 0), (1, 1), (-1, 24), (100, 30), (100, 30)):
        program.terminal.resize(*size)
    pty = getattr(program.terminal, "_pty", None)
    if isinstance(pty, FakePty):
        assert pty.sizes == [(80, 24), (100, 30)]
    program.terminal.write(b"\r").result(10)
    assert program.wait_exit().code == 0


def test_closing_ends_all_and_refuses_more(terminals: Terminals, tmp_path: Path) -> None:
    program = Live(
        terminals, [sys.executable, "-S", "-c", "import time; print('up', flush=True); time.sleep(300)"], tmp_path
    )
    program.wait_output(b"up")
    terminals.close(0.1)
    assert program.exit is not None
    with pytest.raises(TerminalFailed, match="closing"):
        Live(terminals, [sys.executable], tmp_path)
