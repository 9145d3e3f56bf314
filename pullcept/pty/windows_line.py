"""Command lines on Windows: which file a command is, and how its arguments are written so that they arrive exactly.

Pure rules. Programs get the quoting of the C runtime. Batch files (npm's `.cmd` launchers) are read by cmd.exe, which
has other rules: its arguments are quoted so that nothing in them is expanded or run, or the line is refused.
"""

import ntpath
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pullcept.pty.terminal import TerminalFailed

DEFAULT_PATHEXT = ".COM;.EXE;.BAT;.CMD"
BATCH_LIMIT = 8_000
LINE_LIMIT = 32_000

_BATCH, _PROGRAMS, _SCRIPT = (".bat", ".cmd"), (".exe", ".com"), ".ps1"
_PLAIN = frozenset("#$*+-./:?@\\_")


@dataclass(frozen=True, slots=True)
class WindowsLine:
    """`program`: quoted path that begins the line; `arguments`: the rest of it, ready for the system."""

    program: str
    arguments: str


def windows_line(argv: Sequence[str], cwd: str, env: Mapping[str, str], is_file: Callable[[str], bool]) -> WindowsLine:
    """The line that starts `argv`. `is_file` says whether a path is a file. Raises `TerminalFailed`."""
    if not argv or not argv[0]:
        raise TerminalFailed("the command is empty")
    if any("\0" in word for word in argv):
        raise TerminalFailed("an argument holds a NUL character")
    path = found_command(argv[0], cwd, env, is_file)
    suffix = ntpath.splitext(path)[1].lower()
    if suffix in _BATCH:
        return _batch_line(path, argv[1:], env)
    if suffix == _SCRIPT:
        return _script_line(path, argv[1:], env)
    if suffix not in _PROGRAMS:
        raise TerminalFailed(f"{argv[0]} is no program that can be started ({suffix or 'no ending'})")
    return _limited(WindowsLine(_quoted_path(path), subprocess.list2cmdline(argv[1:])), LINE_LIMIT)


def found_command(command: str, cwd: str, env: Mapping[str, str], is_file: Callable[[str], bool]) -> str:
    """The path of the file a command names, looked up like a shell does but never in the working folder."""
    endings = [ending.lower() for ending in value_of(env, "PATHEXT", DEFAULT_PATHEXT).split(";") if ending]
    endings = [ending for ending in endings if ending in (*_BATCH, *_PROGRAMS)] or [".exe", ".cmd"]
    for base in _bases(command, cwd, env):
        # A file without a known ending is npm's script for other shells: never that one.
        if ntpath.splitext(base)[1].lower() in (*_BATCH, *_PROGRAMS, _SCRIPT) and is_file(base):
            return base
        for ending in endings:
            if is_file(base + ending):
                return base + ending
    raise TerminalFailed(f"{command} was not found" + ("" if _is_path(command) else " on the PATH"))


def environment_block(env: Mapping[str, str]) -> str:
    """`K=V` entries, each ended by NUL; of names differing in case only the last counts. Raises `TerminalFailed`."""
    entries: dict[str, str] = {}
    for key, value in env.items():
        if not key or "=" in key or "\0" in key + value:
            raise TerminalFailed("an environment entry cannot be passed on")
        entries[key.upper()] = f"{key}={value}\0"
    return "".join(entries[key] for key in sorted(entries)) or "\0"


def value_of(env: Mapping[str, str], name: str, default: str = "") -> str:
    """An environment value; names are the same in any case."""
    return next((value for key, value in env.items() if key.upper() == name and value), default)


def batch_argument(argument: str) -> str:
    """One argument as cmd.exe and the batch file's program read it back. Raises `TerminalFailed` for line breaks."""
    if "\r" in argument or "\n" in argument:
        raise TerminalFailed("an argument with a line break cannot be passed to a batch file")
    if argument and not argument.endswith("\\") and all(_is_plain(char) for char in argument):
        return argument
    written, backslashes = "", 0
    for char in argument:
        if char == '"':
            written += "\\" * backslashes + '"'
        elif char == "%":
            # An empty substring of a variable that always exists: the two signs can name no other variable.
            written += "%%cd:~,"
        backslashes = backslashes + 1 if char == "\\" else 0
        written += char
    return f'"{written}{"\\" * backslashes}"'


def _is_plain(char: str) -> bool:
    return (char.isascii() and char.isalnum()) or char in _PLAIN


def _is_path(command: str) -> bool:
    return "\\" in command or "/" in command or bool(ntpath.splitdrive(command)[0])


def _bases(command: str, cwd: str, env: Mapping[str, str]) -> list[str]:
    if _is_path(command):
        return [ntpath.normpath(ntpath.join(cwd, command))]
    folders = [folder.strip('"') for folder in value_of(env, "PATH").split(";")]
    return [ntpath.join(folder, command) for folder in folders if ntpath.isabs(folder)]


def _quoted_path(path: str) -> str:
    if '"' in path:
        raise TerminalFailed(f"{path} is no usable path")
    return f'"{path}"'


def _batch_line(path: str, arguments: Sequence[str], env: Mapping[str, str]) -> WindowsLine:
    if "%" in path:
        raise TerminalFailed(f"{path} cannot be started: its path holds a percent sign")
    inner = " ".join([_quoted_path(path), *map(batch_argument, arguments)])
    line = WindowsLine(_quoted_path(_system_file(env, "cmd.exe")), f'/d /e:ON /v:OFF /s /c "{inner}"')
    return _limited(line, BATCH_LIMIT)


def _script_line(path: str, arguments: Sequence[str], env: Mapping[str, str]) -> WindowsLine:
    shell = _system_file(env, "WindowsPowerShell\\v1.0\\powershell.exe")
    words = ["-NoLogo", "-NoProfile", "-File", path, *arguments]
    return _limited(WindowsLine(_quoted_path(shell), subprocess.list2cmdline(words)), LINE_LIMIT)


def _system_file(env: Mapping[str, str], name: str) -> str:
    return ntpath.join(value_of(env, "SYSTEMROOT", "C:\\Windows"), "System32", name)


def _limited(line: WindowsLine, limit: int) -> WindowsLine:
    if len(line.program) + len(line.arguments) > limit:
        raise TerminalFailed(f"the launch line is longer than {limit:,} characters")
    return line
