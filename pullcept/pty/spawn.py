"""Starting one program in a pseudo terminal (POSIX). All that can be refused is refused before the fork."""

import contextlib
import gc
import os
import shutil
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence

from ptyprocess import PtyProcess

from pullcept.pty.terminal import TerminalFailed

assert sys.platform != "win32"

_ONE_AT_A_TIME = threading.Lock()
_DEFAULT_SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGPIPE", "SIGXFSZ", "SIGHUP", "SIGINT", "SIGTERM", "SIGQUIT", "SIGTSTP", "SIGTTIN", "SIGTTOU")
    if hasattr(signal, name)
)


def spawn_process(
    argv: Sequence[str], cwd: str, env: Mapping[str, str], columns: int, rows: int
) -> tuple[PtyProcess, int]:
    """Start `argv` and return its process with the non-blocking master. Raises `TerminalFailed`."""
    line = checked_line(argv, cwd, env)
    with _ONE_AT_A_TIME, _no_collection(), warnings.catch_warnings():
        # Python warns of any fork in a program with threads; the child only runs `_prepare` and then exec.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            process = PtyProcess.spawn(
                line, env=dict(env), preexec_fn=lambda: _prepare(cwd), dimensions=(rows, columns)
            )
        except OSError as error:
            raise TerminalFailed(f"{argv[0]} could not be started: {_reason(error)}") from error
    os.set_blocking(process.fd, False)
    return process, process.fd


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    # A collection between fork and exec would run finalizers of the whole app in the child, Tk's among them.
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def release_process(process: PtyProcess) -> None:
    """Close the master without any of the waiting and killing the library would do by itself."""
    process.closed = True
    try:
        process.fileobj.close()
    except OSError:
        pass


def _prepare(cwd: str) -> None:
    # Runs in the child. Whatever the app ignores or blocks must not be inherited; an error here reaches the parent.
    for each in _DEFAULT_SIGNALS:
        signal.signal(each, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.chdir(cwd)


def checked_line(argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> list[str]:
    """`argv` with the command's full path. Raises `TerminalFailed` for all that can be known before a fork."""
    if not argv or not argv[0]:
        raise TerminalFailed("the command is empty")
    _check_texts("an argument", argv)
    _check_texts("the folder", (cwd,))
    _check_texts("an environment entry", [*env.keys(), *env.values()])
    if any(not key or "=" in key for key in env):
        raise TerminalFailed("an environment entry has no usable name")
    if not os.path.isdir(cwd):
        raise TerminalFailed(f"the folder {cwd} does not exist")
    if not os.access(cwd, os.X_OK):
        raise TerminalFailed(f"the folder {cwd} cannot be entered")
    return [_found_command(argv[0], cwd, env), *argv[1:]]


def _check_texts(what: str, texts: Sequence[str]) -> None:
    for text in texts:
        try:
            raw = os.fsencode(text)
        except UnicodeEncodeError:
            raise TerminalFailed(f"{what} holds text that cannot be passed on") from None
        if b"\0" in raw:
            raise TerminalFailed(f"{what} holds a NUL character")


def _found_command(command: str, cwd: str, env: Mapping[str, str]) -> str:
    if os.sep in command:
        path = os.path.join(cwd, command)
        if not os.path.exists(path):
            raise TerminalFailed(f"{command} was not found")
        if os.path.isdir(path) or not os.access(path, os.X_OK):
            raise TerminalFailed(f"{command} is not a program that may be run")
        return path
    found = shutil.which(command, path=env.get("PATH", os.defpath))
    if found is None:
        raise TerminalFailed(f"{command} was not found on the PATH")
    return os.path.join(cwd, found)


def _reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else str(error)
