"""Launch lines of Codex. Measured with 0.171.0.

Nothing is written anywhere: the room's server stands on the line. The room's options stand before
the person's, so theirs win where a value is given twice, and a free prompt of theirs stays last.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pullcept.core.account import Account
from pullcept.core.kinds.line import (
    LaunchLine,
    LaunchRefused,
    LaunchRequest,
    TomlValue,
    check_id,
    command_of,
    config_folder,
    literal_pattern,
)
from pullcept.core.kinds.options import Grammar, Options, read_options, words
from pullcept.core.launch import ROOM_NAMES

_GRAMMAR = Grammar(
    valued=words(
        """
    -c --config --enable --disable --remote --remote-auth-token-env -m --model --local-provider
    -p --profile -s --sandbox -C --cd --add-dir -a --ask-for-approval
    """
    ),
    many_valued=words("-i --image"),
)
_COMMANDS = words(
    """
    agents exec e review login logout mcp plugin app-server remote-control completion update doctor sandbox
    debug apply a queue archive delete migrate-rollouts migrate-nfs-db unarchive cloud exec-server features
    help
    """
)
_OWN_CONVERSATION = ("resume", "fork")


@dataclass(frozen=True, slots=True)
class CodexCli:
    """Codex in its terminal: its conversation id is known only after its first turn."""

    name: str = "codex_cli"
    profile: str = "codex_cli"
    measured: str | None = "0.171.0"
    reports_idle: bool = True
    tells_conversation: bool = True

    def can_resume(self, account: Account) -> bool:
        return True

    def settings_file(self, account: Account) -> str | None:
        return None

    def launch_line(self, request: LaunchRequest) -> LaunchLine:
        options = read_options(request.account.args, _GRAMMAR)
        configured = _configured(options)
        _refuse(options, configured, request.entry)
        room = _room_options(request, options, configured)
        command = command_of(request.account)
        own = options.first_word if options.first_word in _OWN_CONVERSATION else None
        if request.resume_id is None:
            return LaunchLine((command, *room, *options.args))
        if own:
            note = f"your command {own} decides which conversation goes on"
            return LaunchLine((command, *room, *options.args), notes=(note,))
        argv = (command, "resume", check_id(request.resume_id), *room, *options.args)
        return LaunchLine(argv, conversation_id=request.resume_id, resumed=True)

    def transcript_globs(self, conversation_id: str, env: Mapping[str, str], home: str) -> tuple[tuple[str, str], ...]:
        root = config_folder(env, "CODEX_HOME", home, ".codex")
        return ((root, f"sessions/**/rollout-*-{literal_pattern(conversation_id)}.jsonl"),)


def _refuse(options: Options, configured: frozenset[str], entry: str) -> None:
    if options.first_word in _COMMANDS:
        raise LaunchRefused(
            f"the account's command {options.first_word} opens no conversation in a terminal, the room types into one:"
            f" remove {options.first_word}"
        )
    if options.find("--remote"):
        raise LaunchRefused(
            "the account's option --remote leaves the session to another process,"
            " the room's server must start beside it (--no-daemon): remove --remote"
        )
    for key in ("mcp_servers", f"mcp_servers.{entry}"):
        if key in configured:
            raise LaunchRefused(f"the account's option -c {key}=… and the room's server {entry} exclude each other")


def _configured(options: Options) -> frozenset[str]:
    """The keys that the person's `-c key=value` options set."""
    given = (option.value or "" for option in options.options if option.name in ("-c", "--config"))
    return frozenset(value.partition("=")[0].strip() for value in given)


def _room_options(request: LaunchRequest, options: Options, configured: frozenset[str]) -> tuple[str, ...]:
    write = request.toml_value
    room = ["-c", f"mcp_servers.{request.entry}={server_table(request, write)}"]
    room += ["-c", "notice.hide_rate_limit_model_nudge=true"]
    if request.account.character and "developer_instructions" not in configured:
        room += ["-c", f"developer_instructions={write(request.account.character)}"]
    if not options.find("--no-daemon"):
        room += ["--no-daemon"]
    if not options.find("--no-alt-screen") and "tui.alternate_screen" not in configured:
        room += ["--no-alt-screen"]
    return tuple(room)


def server_table(request: LaunchRequest, write: Callable[[TomlValue], str]) -> str:
    """The room's server as one inline TOML table."""
    line = request.sidecar.with_entry(request.entry)
    values: dict[str, TomlValue] = {
        "command": line.command,
        "args": line.args,
        "env_vars": ROOM_NAMES,
        "required": True,
        "startup_timeout_sec": 20,
        "default_tools_approval_mode": "approve",
        "omit_tools_from": ("deferred", "code_mode"),
    }
    return "{" + ", ".join(f"{key} = {write(value)}" for key, value in values.items()) + "}"
