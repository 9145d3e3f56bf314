"""A launch request for tests, with paths that would break any shell line."""

from dataclasses import replace
from typing import Any

import tomli_w
from hypothesis import strategies

from pullcept.core.account import Account
from pullcept.core.kinds import LaunchRequest
from pullcept.core.kinds.line import TomlValue
from pullcept.core.launch import SidecarLine

NEW_ID = "11111111-2222-4333-8444-555555555555"
OLD_ID = "99999999-8888-4777-8666-555555555555"
ODD_FOLDER = '/srv/お部屋 & 🚀\'s "x" %PATH%'

words = strategies.text(strategies.characters(exclude_categories=["Cs"], exclude_characters="\0"))
hard_words = words | strategies.sampled_from(
    ["a b", "日本語", "👩‍💻", "&", '"', "'", "\\", "$HOME", "`x`", "%A%", "\n", "#", "--"]
)


def toml_value(value: TomlValue) -> str:
    """One value on one line, as the app writes it."""
    if isinstance(value, str | bool | int):
        return tomli_w.dumps({"v": value}).removeprefix("v = ").removesuffix("\n")
    return "[" + ",".join(toml_value(item) for item in value) + "]"


def request_for(kind: str, *args: str, **changes: Any) -> LaunchRequest:
    """A request for an account whose options are `args`; `character`, `resume_command` and `command` are its own."""
    own = {key: changes.pop(key) for key in ("character", "resume_command", "command") if key in changes}
    account = Account("a-1", "Haru", kind, own.pop("command", "/opt/c l i/tool"), args, **own)  # type: ignore[arg-type]
    request = LaunchRequest(
        account=account,
        topic_id="t-1",
        sidecar=SidecarLine(f"{ODD_FOLDER}/python", (f"{ODD_FOLDER}/pullcept.py", "sidecar")),
        entry="pullcept-room",
        registration_path=f"{ODD_FOLDER}/launch/t-1-a-1.json",
        attachments_dir=f"{ODD_FOLDER}/attachments/t-1",
        new_session_id=NEW_ID,
        toml_value=toml_value,
    )
    return replace(request, **changes)
