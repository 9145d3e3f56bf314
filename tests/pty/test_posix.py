"""Terminals on POSIX with real programs: reading, writing, exits, and what is left behind."""

import hashlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("POSIX terminals", allow_module_level=True)

from pullcept.pty.posix import PosixTerminals
from pullcept.pty.processes import session_members
from pullcept.pty.terminal import ExitStatus, TerminalEnded, TerminalFailed
from pullcept.term.core import TerminalCore
from tests.pty.live import FAKE, Live, LiveFake, closing, is_running, wait_for


@pytest.fixture(params=[True, False], ids=["pidfd", "polled"])
def terminals(request: pytest.FixtureRequest) -> Iterator[PosixTerminals]:
    yield from closing(PosixTerminals(watch_by_pidfd=request.param))


@pytest.fixture
def one() -> Iterator[PosixTerminals]:
    yield from closing(PosixTerminals())


def test_all_output_and_the_exit_code_arrive_and_the_exit_comes_last(terminals: PosixTerminals, tmp_path: Path) -> None:
    program = LiveFake(terminals, tmp_path, "--print-lines", "5000", "--then-exit", "--exit-code", "7")
    assert program.wait_exit() == ExitStatus(7, None, "exit code 7")
    lines = bytes(program.output).split()
    assert lines[-1] == b"4999"
    assert len(lines) == 10_000
    assert program.exits == 1


def test_an_exit_by_a_signal_is_told_apart(terminals: PosixTerminals, tmp_path: Path) -> None:
    program = Live(terminals, ["/bin/sh", "-c", "kill -9 $$"], tmp_path)
    assert program.wait_exit() == ExitStatus(None, 9, "ended by SIGKILL")


def test_a_grandchild_that_keeps_the_terminal_does_not_delay_the_exit(
    terminals: PosixTerminals, tmp_path: Path
) -> None:
    code = (
        "import os,signal,sys,time\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "if os.fork() == 0:\n"
        "    print('child', os.getpid(), flush=True)\n"
        "    time.sleep(300)\n"
        "time.sleep(0.2)\n"
        "print('last line', flush=True)\n"
        "os._exit(4)\n"
    )
    program = Live(terminals, [sys.executable, "-S", "-c", code], tmp_path)
    program.wait_output(b"last line")
    seen = time.monotonic()
    assert program.wait_exit().code == 4
    assert program.exit_at - seen < 2.0
    child = int(bytes(program.output).split()[1])
    wait_for(lambda: not is_running(child), "the end of what the program left behind")


def test_after_the_exit_nothing_is_written(one: PosixTerminals, tmp_path: Path) -> None:
    program = Live(one, ["/bin/sh", "-c", "exit 0"], tmp_path)
    program.wait_exit()
    assert program.terminal.exited == ExitStatus(0, None, "exit code 0")
    with pytest.raises(TerminalEnded) as ended:
        program.terminal.write(b"rm -rf /\r").result(5)
    assert ended.value.written == 0
    assert program.terminal.is_line_mode() is None
    program.terminal.resize(100, 30)
    program.terminal.end(1)


def test_a_process_that_died_unnoticed_gets_no_byte(one: PosixTerminals, tmp_path: Path) -> None:
    program = Live(one, ["/bin/cat"], tmp_path)
    os.kill(program.terminal.pid, signal.SIGKILL)
    with pytest.raises(TerminalEnded):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            program.terminal.write(b"x").result(5)


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (["no-such-program-here"], "was not found on the PATH"),
        (["/no/such/program"], "was not found"),
        (["/etc/passwd"], "is not a program that may be run"),
        (["/bin"], "is not a program that may be run"),
        ([], "the command is empty"),
        ([""], "the command is empty"),
        (["/bin/echo", "a\0b"], "NUL"),
        (["/bin/echo", "\ud83d"], "cannot be passed on"),
    ],
)
def test_what_cannot_start_is_refused_with_its_reason(
    one: PosixTerminals, tmp_path: Path, argv: list[str], reason: str
) -> None:
    with pytest.raises(TerminalFailed, match=reason):
        Live(one, argv, tmp_path)


def test_a_missing_folder_and_a_broken_program_are_refused(one: PosixTerminals, tmp_path: Path) -> None:
    with pytest.raises(TerminalFailed, match="does not exist"):
        Live(one, ["/bin/cat"], tmp_path / "gone")
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF nothing")
    broken.chmod(0o755)
    with pytest.raises(TerminalFailed, match="could not be started"):
        Live(one, [str(broken)], tmp_path)
    with pytest.raises(TerminalFailed, match="no usable name"):
        Live(one, ["/bin/cat"], tmp_path, env={"A=B": "1"})


def test_a_system_without_free_terminals_is_a_reason_too(
    one: PosixTerminals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*line: object, **more: object) -> None:
        raise OSError("out of pty devices")

    monkeypatch.setattr("pullcept.pty.spawn.PtyProcess.spawn", fail)
    with pytest.raises(TerminalFailed, match="out of pty devices"):
        Live(one, ["/bin/cat"], tmp_path)


def test_arguments_folder_and_environment_arrive_exactly(one: PosixTerminals, tmp_path: Path) -> None:
    code = "import os,sys,json;print('<'+json.dumps([sys.argv[1:],os.getcwd(),dict(os.environ)])+'>')"
    words = ["a b", "$HOME", "`id`", '"q"', "*", "", "漢字", "; exit"]
    env = {"PATH": os.environ["PATH"], "ONLY": "this one", "LC_ALL": "C.UTF-8"}
    program = Live(one, [sys.executable, "-S", "-c", code, *words], tmp_path, env=env, size=(400, 50))
    program.wait_exit()
    said = bytes(program.output).decode().replace("\r\n", "").split("<")[1].split(">")[0]
    assert json.loads(said) == [words, str(tmp_path), env]


def test_a_program_inherits_neither_files_nor_ignored_signals(one: PosixTerminals, tmp_path: Path) -> None:
    code = (
        "import os,signal;print('fds', sorted(f for f in os.listdir('/proc/self/fd') if int(f) > 2)[1:],"
        "[s.name for s in (signal.SIGHUP, signal.SIGTERM) if signal.getsignal(s) != signal.SIG_DFL],"
        "open('/proc/self/status').read().split('SigIgn:')[1].split()[0])"
    )
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        program = Live(one, ["/usr/bin/env", sys.executable, "-S", "-c", code], tmp_path)
        program.wait_exit()
    finally:
        signal.signal(signal.SIGHUP, before)
    words = bytes(program.output).decode().split()
    assert words[1:3] == ["[]", "[]"]
    # Python itself ignores two signals in its children's view; hang-up (bit 0) must not be among them.
    assert int(words[3], 16) & 1 == 0


def test_the_size_is_given_and_changed_and_nonsense_is_ignored(one: PosixTerminals, tmp_path: Path) -> None:
    code = (
        "import os,signal,time\n"
        "show=lambda *a: print('size', *os.get_terminal_size(0), flush=True)\n"
        "signal.signal(signal.SIGWINCH, show)\n"
        "show()\n"
        "while True: time.sleep(1)"
    )
    program = Live(one, [sys.executable, "-S", "-c", code], tmp_path, size=(100, 40))
    program.wait_output(b"size 100 40")
    for size in ((100, 40), (1, 1), (0, 0), (-3, 24), (77, 22)):
        program.terminal.resize(*size)
    program.wait_output(b"size 77 22")
    assert bytes(program.output).split() == b"size 100 40 size 77 22".split()


def test_fifty_kilobytes_reach_a_slow_reader_whole(one: PosixTerminals, tmp_path: Path) -> None:
    program = LiveFake(one, tmp_path, "--slow-read", "2000")
    program.wait_output(b"READY")
    text = "".join(f"{number:05}" for number in range(10_000))
    writes = [program.terminal.write(text[at : at + 7001].encode()) for at in range(0, len(text), 7001)]
    for each in writes:
        each.result(20)
    program.terminal.write(b"\r").result(20)
    turn = program.wait_turns(1)[0]
    assert hashlib.sha256(turn.encode()).digest() == hashlib.sha256(text.encode()).digest()


DEAF = """
import os, signal, tty
tty.setraw(0)
signal.signal(signal.SIGUSR1, lambda *a: None)
print('deaf', flush=True)
signal.pause()
n = 0
while n < 200_000:
    n += len(os.read(0, 65_536))
print('got', n, flush=True)
"""


def test_a_program_that_never_reads_stalls_its_own_terminal_only_and_loses_nothing(
    one: PosixTerminals, tmp_path: Path
) -> None:
    deaf = Live(one, [sys.executable, "-S", "-c", DEAF], tmp_path)
    deaf.wait_output(b"deaf")
    future = deaf.terminal.write(b"x" * 200_000, 0.1)
    wait_for(lambda: deaf.terminal.stalled, "the stall to be noticed")
    other = Live(one, ["/bin/sh", "-c", "read line; echo answer $line"], tmp_path)
    other.terminal.write(b"hi\r").result(5)
    other.wait_output(b"answer hi")
    assert not future.done()
    os.kill(deaf.terminal.pid, signal.SIGUSR1)
    future.result(10)
    deaf.wait_output(b"got 200000")
    assert not deaf.terminal.stalled


def test_writes_that_were_not_taken_fail_with_their_count_when_the_process_ends(
    one: PosixTerminals, tmp_path: Path
) -> None:
    program = LiveFake(one, tmp_path, "--never-read")
    program.wait_output(b"READY")
    half, none = program.terminal.write(b"y" * 100_000), program.terminal.write(b"z")
    program.terminal.end(0)
    with pytest.raises(TerminalEnded) as first:
        half.result(10)
    with pytest.raises(TerminalEnded) as second:
        none.result(10)
    assert 0 < first.value.written < 100_000
    assert second.value.written == 0


def test_line_mode_is_seen(one: PosixTerminals, tmp_path: Path) -> None:
    program = LiveFake(one, tmp_path, "--line-mode")
    program.wait_output(b"READY")
    assert program.terminal.is_line_mode() is True
    (tmp_path / "other").mkdir()
    raw = LiveFake(one, tmp_path / "other")
    raw.wait_output(b"READY")
    assert raw.terminal.is_line_mode() is False


def test_what_a_program_has_not_read_yet_is_counted(one: PosixTerminals, tmp_path: Path) -> None:
    code = (
        "import os,time,tty\ntty.setraw(0)\nprint('up', flush=True)\n"
        "while not os.path.exists('read'): time.sleep(0.01)\n"
        "os.read(0, 99)\ntime.sleep(60)"
    )
    program = Live(one, [sys.executable, "-S", "-c", code], tmp_path)
    program.wait_output(b"up")
    assert program.terminal.unread() == 0
    program.terminal.write(b"12345").result(10)
    wait_for(lambda: program.terminal.unread() == 5, "five unread bytes")
    (tmp_path / "read").touch()
    wait_for(lambda: program.terminal.unread() == 0, "the program to read")
    program.terminal.end(0)
    program.wait_exit()
    assert program.terminal.unread() is None


def test_a_polite_program_ends_by_itself_when_asked(terminals: PosixTerminals, tmp_path: Path) -> None:
    code = (
        "import signal,sys,time\n"
        "signal.signal(signal.SIGHUP, lambda *a: (print('goodbye', flush=True), sys.exit(0)))\n"
        "print('up', flush=True)\nwhile True: time.sleep(60)"
    )
    program = Live(terminals, [sys.executable, "-S", "-c", code], tmp_path)
    program.wait_output(b"up")
    program.terminal.end(10)
    assert program.wait_exit(5).code == 0
    assert b"goodbye" in program.output


def test_members_of_a_session_are_found_without_proc_too(
    one: PosixTerminals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Live(one, ["/bin/sh", "-c", "set -m; sleep 300 & sleep 300 & echo up; sleep 300"], tmp_path)
    program.wait_output(b"up")
    wait_for(lambda: len(session_members(program.terminal.pid)) == 4, "the children")
    expected = set(session_members(program.terminal.pid))
    monkeypatch.setattr("pullcept.pty.processes.os.path.isdir", lambda path: False)
    assert set(session_members(program.terminal.pid)) == expected


STUBBORN = (
    "trap '' HUP TERM INT; set -m; (trap '' HUP TERM; sleep 300; sleep 300) & (trap '' HUP TERM; sleep 300) & "
    "echo up; while :; do sleep 300; done"
)


def test_a_stubborn_tree_with_job_control_is_ended_by_force(terminals: PosixTerminals, tmp_path: Path) -> None:
    program = Live(terminals, ["/bin/sh", "-c", STUBBORN], tmp_path)
    program.wait_output(b"up")
    wait_for(lambda: len(session_members(program.terminal.pid)) >= 4, "the children")
    program.terminal.end(0.3)
    assert program.wait_exit(5).signal == signal.SIGKILL
    wait_for(lambda: not session_members(program.terminal.pid), "the end of the whole tree", 5)


def test_a_stopped_program_ends_too(one: PosixTerminals, tmp_path: Path) -> None:
    program = Live(one, ["/bin/sh", "-c", "echo up; kill -STOP $$; sleep 300"], tmp_path)
    program.wait_output(b"up")
    program.terminal.end(0.5)
    program.wait_exit(5)


def test_closing_ends_every_tree_and_refuses_new_ones(tmp_path: Path) -> None:
    terminals = PosixTerminals()
    programs = [Live(terminals, ["/bin/sh", "-c", STUBBORN], tmp_path) for _ in range(3)]
    for program in programs:
        program.wait_output(b"up")
    guard = terminals._guard.pid
    terminals.close(0.2)
    terminals.close()
    for program in programs:
        assert program.exit is not None
        assert not session_members(program.terminal.pid)
    assert guard is not None
    assert not is_running(guard)
    with pytest.raises(TerminalFailed, match="closing"):
        Live(terminals, ["/bin/cat"], tmp_path)


APP = """
import os, sys, time
from pullcept.pty.posix import PosixTerminals
terminals = PosixTerminals()
terminal = terminals.spawn(sys.argv[2:], sys.argv[1], dict(os.environ), 80, 24, lambda data: None, lambda status: None)
print(terminal.pid, flush=True)
while True: time.sleep(60)
"""


@pytest.mark.parametrize("stubborn", [False, True])
def test_a_killed_app_leaves_no_program_behind(tmp_path: Path, stubborn: bool) -> None:
    fake = f"exec {shlex.join([sys.executable, '-S', str(FAKE)])} {'--ignore-hup' if stubborn else ''}"
    line = f"{'trap "" HUP TERM;' if stubborn else ''} sleep 300 & {fake}"
    root = str(Path(__file__).parents[2])
    app = subprocess.Popen(
        [sys.executable, "-c", APP, str(tmp_path), "/bin/sh", "-c", line],
        cwd=root,
        stdout=subprocess.PIPE,
    )
    assert app.stdout is not None
    session = int(app.stdout.readline())
    wait_for(lambda: len(session_members(session)) >= 2, "program and child")
    app.kill()
    app.wait()
    app.stdout.close()
    wait_for(lambda: not session_members(session), "the end of all", 8)


def test_queries_of_a_program_are_answered_without_any_pane(one: PosixTerminals, tmp_path: Path) -> None:
    screen = TerminalCore(80, 24)
    early: list[bytes] = []
    program: list[LiveFake] = []

    def on_output(data: bytes) -> None:
        replies = screen.feed(data).replies
        if program and replies:
            program[0].terminal.write(replies)
        else:
            early.append(replies)

    queries = [r"\x1b[6n", r"\x1b[c", r"\x1b[>c", r"\x1b[?u", r"\x1b]11;?\x07"]
    options = [option for query in queries for option in ("--ask", query)]
    program.append(LiveFake(one, tmp_path, *options, on_output=on_output))
    program[0].terminal.write(b"".join(early))
    program[0].wait_output(b"READY")
    assert all(entry["reply"] for entry in program[0].records())


def test_twenty_flooding_programs_are_read_and_ended(one: PosixTerminals, tmp_path: Path) -> None:
    programs = [Live(one, ["/bin/sh", "-c", "while :; do echo flood; done"], tmp_path) for _ in range(20)]
    for program in programs:
        program.wait_output(b"flood\r\nflood")
    for program in programs:
        program.terminal.end(0)
    for program in programs:
        assert program.wait_exit().signal == signal.SIGKILL


@pytest.mark.expects_logged_errors
def test_a_callback_that_raises_stops_neither_its_terminal_nor_others(one: PosixTerminals, tmp_path: Path) -> None:
    def fail(data: bytes) -> None:
        raise ValueError("a broken listener")

    program = Live(one, ["/bin/sh", "-c", "echo one; sleep 0.1; echo two"], tmp_path, on_output=fail)
    program.wait_exit()
    assert b"two" in program.output
