"""Any other CLI: the person's line, to which nothing is added but the environment.

`{session_id}` stands for the id of the conversation, `{sidecar}` for the room's sidecar as JSON
(`{"command": …, "args": […]}`) and `{sidecar:shell}` for the same as one shell line.
"""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from pullcept.core.account import Account
from pullcept.core.kinds.line import LaunchLine, LaunchRefused, LaunchRequest, check_id, command_of

SESSION_ID = "{session_id}"
SIDECAR_JSON = "{sidecar}"
SIDECAR_SHELL = "{sidecar:shell}"


@dataclass(frozen=True, slots=True)
class Cli:
    """A CLI we know nothing about; it can be resumed when the person wrote a line for it."""

    name: str = "cli"
    profile: str = "raw"
    measured: str | None = None
    reports_idle: bool = False
    tells_conversation: bool = False

    def can_resume(self, account: Account) -> bool:
        return SESSION_ID in (account.resume_command or "")

    def settings_file(self, account: Account) -> str | None:
        return None

    def launch_line(self, request: LaunchRequest) -> LaunchLine:
        if request.resume_id is not None:
            words, conversation_id = _resume_words(request.account), check_id(request.resume_id)
            argv = tuple(_expand(word, request, conversation_id) for word in words)
            return LaunchLine(argv, conversation_id=request.resume_id, resumed=True)
        words = (command_of(request.account), *request.account.args)
        named = any(SESSION_ID in word for word in words)
        argv = tuple(_expand(word, request, request.new_session_id) for word in words)
        return LaunchLine(argv, conversation_id=request.new_session_id if named else None)

    def transcript_globs(self, conversation_id: str, env: Mapping[str, str], home: str) -> tuple[tuple[str, str], ...]:
        return ()


def split_line(line: str) -> tuple[str, ...]:
    """The words of a line; quotes hold words together, a backslash is just a backslash (Windows paths)."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    try:
        return tuple(lexer)
    except ValueError as error:
        raise LaunchRefused(f"the resume line has a quote without its end: {line}") from error


def _resume_words(account: Account) -> tuple[str, ...]:
    line = account.resume_command or ""
    words = split_line(line)
    if SESSION_ID not in line or not words:
        raise LaunchRefused(f"the account {account.name} has no resume line with {SESSION_ID}")
    return words


def _expand(word: str, request: LaunchRequest, session_id: str) -> str:
    line = request.sidecar.with_entry(request.entry)
    sidecar = json.dumps({"command": line.command, "args": line.args}, ensure_ascii=False)
    word = word.replace(SESSION_ID, session_id)
    word = word.replace(SIDECAR_SHELL, _shell_line(line.argv))
    return word.replace(SIDECAR_JSON, sidecar)


def _shell_line(words: tuple[str, ...]) -> str:
    windows = words[0][1:2] == ":" or words[0].startswith("\\\\")
    return " ".join(_windows_word(word) for word in words) if windows else shlex.join(words)


def _windows_word(word: str) -> str:
    """Our own paths and names hold no double quote on Windows; a backslash before the last quote is doubled."""
    if word and not set(word) & set(" \t&()^%!;,='`"):
        return word
    return f'"{word}\\"' if word.endswith("\\") else f'"{word}"'
