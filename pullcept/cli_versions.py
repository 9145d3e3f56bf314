"""Asks each CLI program once for its version, and an older one also for the options it knows."""

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping

from pullcept.core.cli_version import CliVersion, options_in, version_in

log = logging.getLogger(__name__)

LIMIT = 5.0
"""Seconds a program may take to answer; a slow disk makes the first start of a CLI slow."""

if sys.platform == "win32":
    _NO_WINDOW = subprocess.CREATE_NO_WINDOW
else:
    _NO_WINDOW = 0

Identity = tuple[str, int, int]


class CliVersions:
    """What is known of the programs of this computer. `ask` blocks and belongs on a worker thread; both never raise."""

    def __init__(self, print_of: Callable[[str, str, Mapping[str, str]], str] | None = None) -> None:
        """`print_of(program, option, environment)`: what the program prints. Raises OSError or SubprocessError."""
        self._print_of = print_of or printed
        self._known: dict[Identity, CliVersion] = {}
        self._asking = threading.Lock()

    def known(self, program: str) -> CliVersion | None:
        """What this program told; None when it was not asked since it was installed."""
        identity = _identity(program)
        return self._known.get(identity) if identity else None

    def ask(self, program: str, measured: str, environment: Mapping[str, str]) -> CliVersion:
        """Ask, unless this very file was asked before."""
        identity = _identity(program)
        if identity is None:
            return CliVersion()
        with self._asking:
            if identity not in self._known:
                self._known[identity] = self._asked(program, measured, environment)
            return self._known[identity]

    def _asked(self, program: str, measured: str, environment: Mapping[str, str]) -> CliVersion:
        try:
            told = CliVersion(version_in(self._print_of(program, "--version", environment)))
            if told.is_older_than(measured):
                return CliVersion(told.version, options_in(self._print_of(program, "--help", environment)))
            return told
        except (OSError, subprocess.SubprocessError) as error:
            log.warning("%s does not tell its version: %s", os.path.basename(program), error)
            return CliVersion()


def printed(program: str, option: str, environment: Mapping[str, str], limit: float = LIMIT) -> str:
    """What a program prints when it is started with one option, within `limit` s.

    Raises OSError or SubprocessError.
    """
    done = subprocess.run(
        [program, option],
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=limit,
        check=True,
        creationflags=_NO_WINDOW,
    )
    return done.stdout


def _identity(program: str) -> Identity | None:
    try:
        status = os.stat(program)
    except OSError:
        return None
    return os.path.realpath(program), status.st_mtime_ns, status.st_size
