"""A source checkout prepares itself: find Python 3.13 or later, make a virtual environment, start again there.

Runs on Python 3.8 (and older ones that can still read it), so nothing newer than that is used here. It asks nothing
and says what it does, and where, on standard error.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Iterator

from pullcept import find_python

DEVELOPMENT_ROLES = ("test", "bench", "build")
READY = "pullcept-ready.txt"
READY_FOR_DEVELOPMENT = "pullcept-ready-for-development.txt"
WAIT_LIMIT = 1800.0
MISLEADING = (
    "PIP_PREFIX",
    "PIP_REQUIRE_HASHES",
    "PIP_REQUIREMENT",
    "PIP_TARGET",
    "PIP_USER",
    "PYTHONHOME",
    "PYTHONPATH",
    "__PYVENV_LAUNCHER__",
)


class SetupFailed(Exception):
    """The environment could not be made; the text says why and what to do."""


def prepare(script: str, argv: list[str]) -> int | None:
    """Make sure that `script` runs in an environment that has what its role needs.

    None: it does, go on. A number: the role has run elsewhere, or could not; this is the exit code.
    On POSIX a start elsewhere replaces this process. PULLCEPT_ENVIRONMENT=own uses the present Python as it is.
    """
    checkout = os.path.dirname(script)
    for_development = bool(argv) and argv[0] in DEVELOPMENT_ROLES
    settled = os.environ.get("PULLCEPT_ENVIRONMENT") == "own" or _is_ready(sys.prefix, checkout, for_development)
    if settled and sys.version_info >= find_python.LEAST:
        return None
    try:
        python = environment_python(checkout, for_development)
    except SetupFailed as failure:
        say(str(failure))
        return 1
    except KeyboardInterrupt:
        say("interrupted; the next start goes on from here")
        return 130
    return start_again(python, script, argv)


def say(text: str) -> None:
    """One line for the person, on standard error (standard output belongs to the role)."""
    print("pullcept: " + text, file=sys.stderr, flush=True)


def start_again(python: str, script: str, argv: list[str]) -> int:
    """Run the script under `python`: instead of this process on POSIX, as a child with its exit code on Windows."""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONHOME", "__PYVENV_LAUNCHER__")}
    command = [python, script, *argv]
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name != "nt":
        os.execve(python, command, environment)
    return run_child(command, environment)


def run_child(command: list[str], environment: dict[str, str]) -> int:
    """Run a child to its end and return its exit code. Ctrl+C reaches the child itself; we go on waiting for it."""
    import signal

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return subprocess.Popen(command, env=environment).wait()
    finally:
        signal.signal(signal.SIGINT, before)


def environment_python(checkout: str, for_development: bool) -> str:
    """The Python of the environment for this checkout, made now when it is missing. Raises SetupFailed."""
    folder = environment_folder(checkout)
    if not _is_ready(folder, checkout, for_development):
        with only_one(folder + ".lock"):
            if not _is_ready(folder, checkout, False):
                _make(folder, checkout)
            if for_development and not _is_ready(folder, checkout, True):
                say("adding what tests and measurements need")
                _install(folder, os.path.join(checkout, "requirements-dev.lock"))
                _mark(folder, READY_FOR_DEVELOPMENT, _fingerprint(checkout, True))
    return python_of(folder)


def environment_folder(checkout: str) -> str:
    """Where the environment of this checkout is: inside it, or in the user's cache when it cannot be written."""
    name = "venv-" + _fingerprint(checkout, False)[:12]
    inside = os.path.join(checkout, "." + name)
    if os.path.isdir(inside) or _can_write(checkout):
        return inside
    cache = user_cache()
    try:
        os.makedirs(cache, exist_ok=True)
    except OSError as error:
        raise SetupFailed(
            "neither {} nor {} can be written ({}); copy the checkout to a folder of your own, and start it "
            "there".format(checkout, cache, error)
        ) from error
    return os.path.join(cache, name)


def user_cache() -> str:
    """The folder for what can be made again, of this user."""
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        return os.path.join(
            os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local"), "Pullcept", "cache"
        )
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Caches", "pullcept")
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache"), "pullcept")


def python_of(folder: str) -> str:
    """The interpreter inside an environment."""
    inside = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    return os.path.join(folder, *inside)


def _can_write(folder: str) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _fingerprint(checkout: str, for_development: bool) -> str:
    """A hash of the locked packages: another lock, another environment."""
    name = "requirements-dev.lock" if for_development else "requirements.lock"
    with open(os.path.join(checkout, name), "rb") as lock:
        return hashlib.sha256(lock.read().replace(b"\r\n", b"\n")).hexdigest()


def _is_ready(folder: str, checkout: str, for_development: bool) -> bool:
    """Whether the environment was made to its end, from these locks, and its Python is still there."""
    if for_development and not _is_ready(folder, checkout, False):
        return False
    marker = os.path.join(folder, READY_FOR_DEVELOPMENT if for_development else READY)
    return _first_line(marker) == _fingerprint(checkout, for_development) and _stands(folder)


def _first_line(path: str) -> str:
    """The first line of a small text file, empty when it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _stands(folder: str) -> bool:
    """Whether the Python an environment was made from is still installed: a removed one leaves a broken shell."""
    try:
        with open(os.path.join(folder, "pyvenv.cfg"), encoding="utf-8") as file:
            settings = dict(line.partition("=")[::2] for line in file)
    except (OSError, UnicodeDecodeError):
        return False
    home = {key.strip(): value.strip() for key, value in settings.items()}.get("home", "")
    return os.path.isdir(home) and os.path.exists(python_of(folder))


def _mark(folder: str, name: str, fingerprint: str) -> None:
    """Write a marker whole or not at all: the fingerprint of the lock that was installed."""
    path = os.path.join(folder, name)
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(fingerprint + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


def _make(folder: str, checkout: str) -> None:
    python = find_python.best()
    if python is None:
        raise SetupFailed(find_python.advice())
    if not python.has_tk:
        say("{} has no tkinter, so there is no window. {}".format(python.path, find_python.tk_advice()))
    if os.path.isdir(folder):
        say("an earlier set-up was interrupted; starting it again")
        _remove(folder)
    say("first start: making an environment in {} with Python {}".format(folder, python.version_text))
    _run([python.path, "-m", "venv", folder], "the environment could not be made")
    say("installing the packages listed in requirements.lock; this takes about a minute")
    _install(folder, os.path.join(checkout, "requirements.lock"))
    _mark(folder, READY, _fingerprint(checkout, False))
    say("ready")


def _remove(folder: str) -> None:
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise SetupFailed(
            "{} is left from an earlier set-up and cannot be removed: {}".format(folder, error)
        ) from error


def _install(folder: str, lock: str) -> None:
    options = ["--require-hashes", "--no-input", "--quiet", "--disable-pip-version-check"]
    _run(
        [python_of(folder), "-m", "pip", "install", *options, "-r", lock],
        "the packages could not be installed (is there a network?)",
    )


def _run(command: list[str], failure: str) -> None:
    """Run one step of the set-up without asking anything. Raises SetupFailed with the end of its output."""
    environment = {key: value for key, value in os.environ.items() if key not in MISLEADING}
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            close_fds=False,  # the lock goes with it, so that nobody starts again beside a step we left behind
            check=False,
        )
    except OSError as error:
        raise SetupFailed("{}: {}: {}".format(failure, command[0], error)) from error
    if done.returncode:
        shown = done.stdout.decode("utf-8", "replace").strip().split("\n")[-12:]
        raise SetupFailed("{}:\n{}\n(command: {})".format(failure, "\n".join(shown), " ".join(command)))


@contextlib.contextmanager
def only_one(path: str) -> Iterator[None]:
    """Hold an OS lock, so that one first start makes the environment and the others wait. Freed when we end."""
    try:
        lock = open(path, "a+b")  # noqa: SIM115 - closed below; only opening it may be refused
    except OSError as error:
        raise SetupFailed("{} cannot be written: {}".format(path, error)) from error
    with lock:
        _wait_for(lock.fileno())
        os.set_inheritable(lock.fileno(), True)
        yield


def _wait_for(number: int) -> None:
    deadline = time.monotonic() + WAIT_LIMIT
    told = False
    while not _try_lock(number):
        if not told:
            say("another start is making the environment; waiting for it")
            told = True
        if time.monotonic() > deadline:
            raise SetupFailed("another start has been making the environment for too long; end it and try again")
        time.sleep(0.2)


def _try_lock(number: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(number, 0, os.SEEK_SET)
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
