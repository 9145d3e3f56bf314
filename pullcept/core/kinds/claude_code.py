"""Launch lines of Claude Code. Measured with 2.1.332.

The room's options stand before the person's: a free prompt of theirs stays last, and no option of
ours that takes several values ever stands before free text.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pullcept.core.account import Account
from pullcept.core.kinds.claude_settings import (
    hides_hooks,
    is_inline,
    merge_settings,
    parse_settings,
    room_settings,
    settings_text,
)
from pullcept.core.kinds.line import (
    LaunchLine,
    LaunchRefused,
    LaunchRequest,
    check_id,
    command_of,
    config_folder,
    is_uuid,
    literal_pattern,
)
from pullcept.core.kinds.options import Grammar, Options, read_options, words

_GRAMMAR = Grammar(
    valued=words(
        """
    --agent --agents --append-system-prompt --append-system-prompt-file --autocompact --debug-file --effort
    --environment --fallback-model --input-format --json-schema --max-budget-usd --model -n --name --output-format
    --permission-mode --permission-prompt-tool --permission-prompts --plugin-dir --plugin-url
    --remote-control-session-name-prefix --session-id --setting-sources --settings --system-prompt
    --system-prompt-file --system-prompt-snapshot
    """
    ),
    many_valued=words(
        """
    --add-dir --allowedTools --allowed-tools --betas --disallowedTools --disallowed-tools --file --mcp-config --tools
    """
    ),
    maybe_valued=words(
        """
    -r --resume -d --debug -w --worktree --cloud --from-pr --remote-control --teleport --prompt-suggestions
    """
    ),
)
_NOT_IN_A_TERMINAL = words(
    """
    -p --print --input-format --output-format --bg --background --cloud --desktop --environment
    """
)
_RESUMING = ("--resume", "-r", "--continue", "-c")
_COMMANDS = words(
    """
    agents attach auth auto-mode doctor gateway import install logs mcp plugin plugins purge respawn rm
    setup-token stop kill ultrareview update upgrade
    """
)


@dataclass(frozen=True, slots=True)
class ClaudeCode:
    """Claude Code in its terminal: room registered by a file, conversation named by a UUID of ours."""

    name: str = "claude_code"
    profile: str = "claude_code"
    measured: str | None = "2.1.332"
    reports_idle: bool = False
    tells_conversation: bool = False

    def can_resume(self, account: Account) -> bool:
        return True

    def settings_file(self, account: Account) -> str | None:
        given = read_options(account.args, _GRAMMAR).find("--settings")
        return given.value if given and given.value and not is_inline(given.value) else None

    def launch_line(self, request: LaunchRequest) -> LaunchLine:
        options = read_options(request.account.args, _GRAMMAR)
        _refuse(options)
        settings, settings_notes, blind = _settings(request, options)
        conversation, conversation_id, resumed, notes = _conversation(request, options)
        argv = (
            command_of(request.account),
            *("--mcp-config", request.registration_path),
            *conversation,
            *_system_prompt(request, options),
            *("--settings", settings),
            *options.without("--settings"),
        )
        files = ((request.registration_path, registration_text(request)),)
        return LaunchLine(argv, files, {}, conversation_id, resumed, (*notes, *settings_notes), blind)

    def transcript_globs(self, conversation_id: str, env: Mapping[str, str], home: str) -> tuple[tuple[str, str], ...]:
        root = config_folder(env, "CLAUDE_CONFIG_DIR", home, ".claude")
        return ((root, f"projects/*/{literal_pattern(conversation_id)}.jsonl"),)


def registration_text(request: LaunchRequest) -> str:
    """The registration file. Its tools are in every request from the start; it holds no secret."""
    line = request.sidecar.with_entry(request.entry)
    if any("${" in word for word in line.argv):
        raise LaunchRefused("the path of this program holds ${, which Claude Code would replace; move it elsewhere")
    entry = {"type": "stdio", "command": line.command, "args": list(line.args), "alwaysLoad": True}
    return json.dumps({"mcpServers": {request.entry: entry}}, ensure_ascii=False, indent=2) + "\n"


def _refuse(options: Options) -> None:
    refused = options.find(*_NOT_IN_A_TERMINAL)
    if refused:
        raise LaunchRefused(
            f"the account's option {refused.name} runs without a terminal,"
            f" the room types into one: remove {refused.name}"
        )
    if options.first_word in _COMMANDS:
        raise LaunchRefused(
            f"the account's command {options.first_word} opens no conversation, the room needs one: remove it"
        )
    resuming, given = options.find(*_RESUMING), options.find("--session-id")
    if resuming and given and not options.find("--fork-session"):
        raise LaunchRefused(
            f"the account's options --session-id and {resuming.name} exclude each other: remove one of them"
        )


def _conversation(
    request: LaunchRequest, options: Options
) -> tuple[tuple[str, ...], str | None, bool, tuple[str, ...]]:
    """Options, id, whether the recorded conversation goes on, notes. What the person decided stands."""
    resuming, given = options.find(*_RESUMING), options.find("--session-id")
    fork = options.find("--fork-session")
    if resuming:
        note = f"your option {resuming.name} decides which conversation goes on"
        if given:
            return (), given.value, False, (note,)
        if fork:
            return ("--session-id", request.new_session_id), request.new_session_id, False, (note,)
        return (), resuming.value if is_uuid(resuming.value) else None, False, (note,)
    if request.resume_id is None:
        if given:
            return (), given.value, False, ()
        return ("--session-id", request.new_session_id), request.new_session_id, False, ()
    resume = ("--resume", check_id(request.resume_id))
    if fork and given:
        return resume, given.value, False, ()
    if fork:
        return (*resume, "--session-id", request.new_session_id), request.new_session_id, False, ()
    if given:
        raise LaunchRefused(
            f"the account's option --session-id {given.value} and the room's --resume {request.resume_id}"
            " exclude each other: remove --session-id from the account"
        )
    return resume, request.resume_id, True, ()


def _system_prompt(request: LaunchRequest, options: Options) -> tuple[str, ...]:
    if options.find("--append-system-prompt", "--append-system-prompt-file"):
        return ()
    return ("--append-system-prompt", MANNERS_POINTER.format(entry=request.entry))


MANNERS_POINTER: Final = (
    "You sit in a shared room: input whose first line begins with [pullcept] is a post made there, and it is answered"
    " only with the say_to_room tool, as the instructions of the MCP server {entry} describe."
)


def _settings(request: LaunchRequest, options: Options) -> tuple[str, tuple[str, ...], bool]:
    """The value for `--settings`, notes about it, and whether it keeps the hooks from reporting."""
    ours, given = room_settings(request), options.find("--settings")
    if given is None or given.value is None:
        return settings_text(ours), (), False
    if is_inline(given.value):
        theirs = parse_settings(given.value, "(JSON in the options)")
    elif request.settings_text is None:
        raise LaunchRefused(f"--settings {given.value}: this file cannot be read")
    else:
        theirs = parse_settings(request.settings_text, given.value)
    merged, notes = merge_settings(ours, theirs)
    return settings_text(merged), notes, hides_hooks(ours, merged)
