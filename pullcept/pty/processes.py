"""Finding and signalling the processes of a session (POSIX): everything a terminal's process started and kept."""

import os
import signal
import subprocess
import sys

assert sys.platform != "win32"


def session_members(session: int) -> list[int]:
    """The pids whose session id is `session`, zombies left out, job-control process groups included."""
    if os.path.isdir("/proc/self"):
        return [pid for pid, sid, state in _proc_table() if sid == session and state not in "ZX"]
    return [pid for pid in _ps_pids() if _session_of(pid) == session]


def signal_session(session: int, *signals: signal.Signals) -> int:
    """Send signals to every process of a session; returns how many there were."""
    members = session_members(session)
    for pid in members:
        signal_process(pid, *signals)
    return len(members)


def signal_process(pid: int, *signals: signal.Signals) -> None:
    """Send signals to one process, which may be gone already."""
    for each in signals:
        try:
            os.kill(pid, each)
        except (ProcessLookupError, PermissionError):
            return


def _proc_table() -> list[tuple[int, int, str]]:
    table: list[tuple[int, int, str]] = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            entry = _proc_entry(int(name))
            if entry is not None:
                table.append(entry)
    return table


def _proc_entry(pid: int) -> tuple[int, int, str] | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            stat = file.read()
    except OSError:
        return None
    # The name in parentheses may itself hold blanks and parentheses: read on behind the last one.
    fields = stat[stat.rfind(b")") + 1 :].split()
    if len(fields) < 4:
        return None
    return pid, int(fields[3]), fields[0].decode("ascii", "replace")


def _ps_pids() -> list[int]:
    try:
        done = subprocess.run(["ps", "-A", "-o", "pid=,stat="], capture_output=True, timeout=5, check=False)
    except (OSError, subprocess.SubprocessError):
        return []
    rows = [line.split() for line in done.stdout.splitlines()]
    return [int(row[0]) for row in rows if len(row) == 2 and row[0].isdigit() and not row[1].startswith(b"Z")]


def _session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None
