"""What only Windows' terminals have to bear, against the measured behaviour of pywinpty."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("these tests play Windows on POSIX", allow_module_level=True)

from pullcept.pty.terminal import TerminalEnded, TerminalFailed, WriteUnsure
from pullcept.pty.windows import WindowsTerminals, _rest, _status
from pullcept.pty.windows_line import WindowsLine
from tests.pty.fake_winpty import FakeJob, FakePty, WinptyError
from tests.pty.live import Live, closing, wait_for

PYTHON = [sys.executable, "-S", "-c"]
WAITS = [*PYTHON, "import time; time.sleep(300)"]


class OddPty(FakePty):
    """A pseudo console with one more quirk, set by the test."""

    taken: "int | Exception | None" = None
    hangs = False

    def write(self, to_write: str) -> int:
        if isinstance(self.taken, Exception):
            raise self.taken
        if self.taken is not None:
            return self.taken
        return super().write(to_write)


class Stage:
    def __init__(self) -> None:
        self.ptys: list[OddPty] = []
        self.terminals = WindowsTerminals(self._make, FakeJob, self._line)

    def _make(self, columns: int, rows: int) -> OddPty:
        self.ptys.append(OddPty(columns, rows))
        return self.ptys[-1]

    @staticmethod
    def _line(argv: object, cwd: object, env: object) -> WindowsLine:
        import subprocess

        words = list(argv)  # type: ignore[call-overload]
        return WindowsLine(f'"{words[0]}"', subprocess.list2cmdline(words[1:]))


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    for _ in closing(made.terminals):
        yield made


@pytest.mark.parametrize(
    ("text", "count", "rest"),
    [
        ("abc", 0, "abc"),
        ("abc", -1, "abc"),
        ("abc", 3, ""),
        ("abc", 99, ""),
        ("abc", 2, "c"),
        ("漢字", 6, ""),
        ("漢字", 2, ""),
        ("漢字", 3, ""),
        ("漢字", 1, None),
        ("a漢字bcd", 4, None),
    ],
)
def test_the_rest_of_a_write_is_repeated_only_where_it_is_known(text: str, count: int, rest: str | None) -> None:
    assert _rest(text, count) == rest


def test_a_part_that_cannot_be_told_is_unsure_and_not_repeated(stage: Stage, tmp_path: Path) -> None:
    program = Live(stage.terminals, WAITS, tmp_path)
    stage.ptys[0].taken = 1
    with pytest.raises(WriteUnsure):
        program.terminal.write("漢字漢字".encode()).result(10)


def test_an_error_of_the_library_in_a_write_is_unsure_while_the_process_lives(stage: Stage, tmp_path: Path) -> None:
    program = Live(stage.terminals, WAITS, tmp_path)
    stage.ptys[0].taken = WinptyError("pipe")
    with pytest.raises(WriteUnsure):
        program.terminal.write(b"x").result(10)


def test_a_console_that_takes_nothing_stalls_and_goes_on_later(stage: Stage, tmp_path: Path) -> None:
    program = Live(stage.terminals, [*PYTHON, "print('got', input(), flush=True)"], tmp_path)
    stage.ptys[0].taken = 0
    future = program.terminal.write(b"hello\r", 0.05)
    wait_for(lambda: program.terminal.stalled, "the stall")
    stage.ptys[0].taken = None
    future.result(10)
    program.wait_output(b"got hello")
    assert not program.terminal.stalled


def test_writes_behind_one_that_hangs_fail_when_the_process_ends(stage: Stage, tmp_path: Path) -> None:
    program = Live(stage.terminals, WAITS, tmp_path)
    stage.ptys[0].taken = 0
    first, second = program.terminal.write(b"a"), program.terminal.write(b"b")
    program.terminal.end(0)
    for future in (first, second):
        with pytest.raises(TerminalEnded) as ended:
            future.result(10)
        assert ended.value.written == 0


def test_the_reader_ends_although_no_end_of_file_comes(stage: Stage, tmp_path: Path) -> None:
    program = Live(stage.terminals, [*PYTHON, "print('bye')"], tmp_path)
    program.wait_exit()
    name = f"terminal {program.terminal.pid} output"
    wait_for(lambda: name not in {thread.name for thread in threading.enumerate()}, "the end of the reader")


def test_a_library_that_cannot_start_the_program_gives_a_reason(tmp_path: Path) -> None:
    class Unable(FakePty):
        def spawn(self, appname: str, cmdline: object = None, cwd: object = None, env: object = None) -> bool:
            raise WinptyError("The system cannot find the file specified.")

    for terminals in closing(WindowsTerminals(Unable, FakeJob, Stage._line)):
        with pytest.raises(TerminalFailed, match="cannot find the file"):
            Live(terminals, WAITS, tmp_path)


def test_without_a_job_object_the_process_itself_still_ends(tmp_path: Path) -> None:
    def no_job(pid: int) -> FakeJob:
        raise OSError("access denied")

    for terminals in closing(WindowsTerminals(FakePty, no_job, Stage._line)):
        program = Live(terminals, WAITS, tmp_path)
        program.terminal.end(1)
        program.wait_exit()


def test_halves_of_a_character_in_two_reads_are_joined(tmp_path: Path) -> None:
    class Halving(FakePty):
        def spawn(self, *line: object, **more: object) -> bool:
            done = super().spawn(*line, **more)  # type: ignore[arg-type]
            for part in ("\ud83d", "\ude80", "x\ud83d", "y"):
                self._output.put(part)
            return done

    for terminals in closing(WindowsTerminals(Halving, FakeJob, Stage._line)):
        program = Live(terminals, WAITS, tmp_path)
        program.wait_output("🚀x\ufffdy".encode())


def test_exit_codes_of_the_system_are_shown_as_such() -> None:
    assert _status(0xC000013A).text == "exit code 0xC000013A"
    assert _status(3).text == "exit code 3"
