"""The settings the room gives to Claude Code, merged with the person's own."""

import json
from typing import Any
from urllib.parse import quote

from pullcept.core.activity import ACTIVITY_EVENTS, PERMISSION_EVENT
from pullcept.core.kinds.line import ROOM_TOOLS, LaunchRefused, LaunchRequest
from pullcept.core.waits import HOOK_TIMEOUT

Settings = dict[str, Any]

SECRET_NAME = "PULLCEPT_LAUNCH"
REPORT_TIMEOUT = 5
STATUS_EVERY = 5


def room_settings(request: LaunchRequest) -> Settings:
    """The room's part: its tools run without a question, the topic's attachments may be read,
    and what the session does is reported."""
    settings: Settings = {
        "permissions": {
            "allow": [f"mcp__{request.entry}__{tool}" for tool in ROOM_TOOLS],
            "additionalDirectories": [request.attachments_dir],
        }
    }
    if request.account.character:
        settings["outputStyle"] = request.account.character
    if request.status_command:
        settings["statusLine"] = {
            "type": "command",
            "command": request.status_command,
            "padding": 0,
            "refreshInterval": STATUS_EVERY,
        }
    if request.hooks_url:
        settings["hooks"] = {event: [{"hooks": [_hook(request, event)]}] for event in ACTIVITY_EVENTS}
    return settings


def _hook(request: LaunchRequest, event: str) -> Settings:
    seat = "/".join(quote(part, safe="") for part in (request.topic_id, request.account.id))
    return {
        "type": "http",
        "url": f"{request.hooks_url}/hooks/activity/{event}/{seat}",
        "timeout": HOOK_TIMEOUT if event == PERMISSION_EVENT else REPORT_TIMEOUT,
        "headers": {"Authorization": f"Bearer ${{{SECRET_NAME}}}"},
        "allowedEnvVars": [SECRET_NAME],
    }


def hides_hooks(ours: Settings, merged: Settings) -> bool:
    """Whether merged settings keep a hook of ours from reporting."""
    if "hooks" not in ours:
        return False
    hooks = merged.get("hooks")
    if merged.get("disableAllHooks") or not isinstance(hooks, dict):
        return True
    return not all(hook in (hooks.get(event) or ()) for event, (hook,) in ours["hooks"].items())


def is_inline(value: str) -> bool:
    """Whether a `--settings` value is the JSON itself and not the name of a file."""
    return value.strip().startswith("{") and value.strip().endswith("}")


def parse_settings(text: str, source: str) -> Settings:
    """The person's settings; raises `LaunchRefused` naming the source and the place of the fault."""
    try:
        settings = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise LaunchRefused(
            f"--settings {source}: not JSON, line {error.lineno} column {error.colno}: {error.msg}"
        ) from error
    except (RecursionError, ValueError) as error:
        raise LaunchRefused(f"--settings {source}: not JSON that can be read") from error
    if not isinstance(settings, dict):
        raise LaunchRefused(f"--settings {source}: not a JSON object")
    return settings


def merge_settings(ours: Settings, theirs: Settings) -> tuple[Settings, tuple[str, ...]]:
    """Lists are joined, single values are theirs. The notes name every part of ours that is replaced."""
    merged, notes = dict(ours), list[str]()
    _merge_into(merged, theirs, "", notes)
    return merged, (*notes, *_switched_off(ours, theirs))


def settings_text(settings: Settings) -> str:
    """The value for `--settings`, on one line."""
    return json.dumps(settings, ensure_ascii=False, separators=(",", ":"))


def _merge_into(target: Settings, theirs: Settings, path: str, notes: list[str]) -> None:
    for key, value in theirs.items():
        mine = target.get(key)
        if isinstance(mine, dict) and isinstance(value, dict):
            target[key] = dict(mine)
            _merge_into(target[key], value, f"{path}{key}.", notes)
        elif isinstance(mine, list) and isinstance(value, list):
            target[key] = mine + [item for item in value if item not in mine]
        else:
            target[key] = value
            if key in theirs and mine is not None and mine != value:
                notes.append(f"your settings replace the room's {path}{key}")


def _switched_off(ours: Settings, theirs: Settings) -> list[str]:
    """Rules of theirs that outrank the room's: a refused or asked tool stays refused or asked."""
    off = ["your settings switch the room's hooks and status line off (disableAllHooks)"]
    notes = off if "hooks" in ours and theirs.get("disableAllHooks") else []
    permissions = theirs.get("permissions")
    if not isinstance(permissions, dict):
        return notes
    allowed: list[str] = ours["permissions"]["allow"]
    return notes + [
        f"your settings {list_name} the room's tool {rule}"
        for list_name in ("deny", "ask")
        for rule in permissions.get(list_name) or ()
        if isinstance(rule, str) and any(_covers(rule, tool) for tool in allowed)
    ]


def _covers(rule: str, tool: str) -> bool:
    prefix = rule.removesuffix("*")
    return rule == tool or tool.startswith(f"{rule}__") or (prefix != rule and tool.startswith(prefix))
