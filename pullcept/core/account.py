"""An account: a saved way to take part. This file reads and writes its JSON form in config.json.

Reading is strict about the keys it knows and keeps the ones it does not. A key that is null counts as
absent, because earlier data folders wrote options that way.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from pullcept.core.names import MAX_NAME_UNITS, calling_name, clean_name
from pullcept.core.text import utf16_units

AccountKind = Literal["admin", "claude_code", "codex_cli", "cli", "mcp"]
ACCOUNT_KINDS: tuple[AccountKind, ...] = get_args(AccountKind)

APP_COMMAND = "{pullcept}"
"""Stands for this app itself in `Account.command`; the first of `args` is then the role."""

OWNED_PREFIX = "PULLCEPT_"
"""Environment names that begin so belong to the app; no account may set them."""


class AccountError(ValueError):
    """An account that cannot be used. `key` names the part that is wrong, as in `env[2].name`."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(f"{key}: {message}")
        self.key = key
        self.message = message


TYPE_ANYWAY, BY_HAND = SIGHTLESS = ("type_anyway", "by_hand")


@dataclass(frozen=True, slots=True)
class EnvEntry:
    """One environment value of an account. `value` is None when the file holds it in a form not readable here."""

    name: str
    value: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Account:
    """A saved way to take part.

    `name` is the original name, `nickname` the one to be called by when given. `hue`: degrees, 0-359.
    `avatar`: a picture of this account is stored. `server`: entry of mcp-servers.json, for kind `mcp`.
    `sightless`: what the person decided for sessions that cannot show whether they ask something: one of `SIGHTLESS`.
    `listens`: this CLI cannot be given the room's tools; it only listens, and its posts end at *typed*.
    """

    id: str
    name: str
    kind: AccountKind
    command: str = ""
    args: tuple[str, ...] = ()
    cwd: str = ""
    nickname: str | None = None
    hue: int | None = None
    avatar: bool = False
    character: str | None = None
    resume_command: str | None = None
    env: tuple[EnvEntry, ...] = ()
    server: str | None = None
    typing_profile: str | None = None
    listens: bool = False
    sightless: str | None = None

    @property
    def calling_name(self) -> str:
        """The name others use in the room."""
        return calling_name(self.name, self.nickname)

    @property
    def full_name(self) -> str | None:
        """The original name when a nickname hides it."""
        name = clean_name(self.name)
        return None if name == self.calling_name else name

    @property
    def startable(self) -> bool:
        """Whether this account runs a CLI in a terminal."""
        return self.kind in {"claude_code", "codex_cli", "cli"}


def parse_account(obj: object) -> Account:
    """Read the JSON form. Raises `AccountError` naming the key."""
    if not isinstance(obj, dict):
        raise AccountError("account", "is not an object")
    reader = _Reader(cast("dict[str, Any]", obj))
    kind = reader.text("kind")
    if kind not in ACCOUNT_KINDS:
        raise AccountError("kind", f"{kind[:40]!r} is not known to this version")
    return Account(
        id=reader.filled("id"),
        name=reader.name(),
        kind=kind,
        command=reader.text("command", ""),
        args=reader.texts("args"),
        cwd=reader.text("cwd", ""),
        nickname=reader.nickname(),
        hue=reader.hue(),
        avatar=bool(reader.obj.get("avatar")),
        character=reader.option("character"),
        resume_command=reader.option("resume_command"),
        env=parse_env(reader.obj.get("env")),
        server=reader.option("server"),
        typing_profile=reader.option("typing_profile"),
        listens=bool(reader.obj.get("listens")),
        sightless=reader.one_of("sightless", SIGHTLESS),
    )


def parse_env(value: object) -> tuple[EnvEntry, ...]:
    """Read the `env` list. Raises `AccountError` for a bad, repeated or owned name."""
    if value is None:
        return ()
    if not isinstance(value, list):
        raise AccountError("env", "is not a list")
    entries = tuple(_parse_env_entry(f"env[{index}]", item) for index, item in enumerate(value))
    check_env_names(entry.name for entry in entries)
    return entries


def check_env_names(names: Iterable[str]) -> None:
    """Raise `AccountError` for the first name that no environment can hold, that repeats, or that the app owns."""
    seen: set[str] = set()
    for index, name in enumerate(names):
        key = f"env[{index}].name"
        if not name or "=" in name or any(char.isspace() or not char.isprintable() for char in name):
            raise AccountError(key, "is empty or holds a blank, an equals sign or a control character")
        if name.upper().startswith(OWNED_PREFIX):
            raise AccountError(key, f"{name} belongs to the app")
        if name.upper() in seen:
            raise AccountError(key, f"{name} is given twice")
        seen.add(name.upper())


def account_object(account: Account, original: dict[str, Any] | None = None) -> dict[str, Any]:
    """The JSON form. Whatever `original` says that this account does not change stays as it was written."""
    fresh = _plain_object(account)
    if original is None:
        return fresh
    try:
        before = _plain_object(parse_account(original))
    except AccountError:
        before = {}
    written = dict(original)
    for key in before.keys() | fresh.keys():
        if before.get(key) == fresh.get(key) and key in before:
            continue
        if key in fresh:
            written[key] = fresh[key]
        else:
            written.pop(key, None)
    if before.get("env") != fresh.get("env") and "env" in fresh:
        written["env"] = _merge_env(account.env, original.get("env"))
    return written


def default_accounts(user_name: str, new_id: Callable[[], str]) -> tuple[Account, ...]:
    """The accounts of a first start: the person, Claude Code, Codex and the bundled demo agent."""
    return (
        Account(id=new_id(), name=clean_name(user_name)[: MAX_NAME_UNITS // 2] or "User", kind="admin", hue=250),
        Account(id=new_id(), name="Claude Code", kind="claude_code", command="claude", hue=20),
        Account(id=new_id(), name="Codex", kind="codex_cli", command="codex", hue=150),
        Account(
            id=new_id(),
            name="Demo agent",
            kind="cli",
            command=APP_COMMAND,
            args=("demo-agent", "--sidecar", "{sidecar}"),
            hue=280,
        ),
    )


class _Reader:
    """Reads one JSON object key by key; null counts as absent."""

    def __init__(self, obj: dict[str, Any]) -> None:
        self.obj = obj

    def text(self, key: str, default: str | None = None) -> str:
        value = self.obj.get(key)
        if value is None:
            value = default
        if not isinstance(value, str):
            raise AccountError(key, "is missing" if value is None else "is not a text")
        if "\0" in value:
            raise AccountError(key, "holds a NUL character")
        return value

    def filled(self, key: str) -> str:
        value = self.text(key)
        if not clean_name(value):
            raise AccountError(key, "is empty")
        return value

    def name(self) -> str:
        return self._short("name", self.filled("name"))

    def nickname(self) -> str | None:
        value = self.option("nickname")
        return None if value is None else self._short("nickname", value)

    def _short(self, key: str, value: str) -> str:
        if utf16_units(clean_name(value)) > MAX_NAME_UNITS:
            raise AccountError(key, f"is longer than {MAX_NAME_UNITS} UTF-16 units")
        return value

    def option(self, key: str) -> str | None:
        return self.text(key, "") or None

    def one_of(self, key: str, known: tuple[str, ...]) -> str | None:
        """A word that this version does not know counts as absent."""
        value = self.option(key)
        return value if value in known else None

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.obj.get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise AccountError(key, "is not a list of texts")
        if any("\0" in item for item in value):
            raise AccountError(key, "holds a NUL character")
        return tuple(value)

    def hue(self) -> int | None:
        value = self.obj.get("hue")
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e9:
            raise AccountError("hue", "is not a number of degrees")
        return int(value) % 360


def _parse_env_entry(key: str, item: object) -> EnvEntry:
    if not isinstance(item, dict) or not isinstance(item.get("name"), str):
        raise AccountError(f"{key}.name", "is missing or not a text")
    value = item.get("value")
    if value is not None and (not isinstance(value, str) or "\0" in value):
        raise AccountError(f"{key}.value", "is not a text an environment can hold")
    return EnvEntry(item["name"], value)


def _plain_object(account: Account) -> dict[str, Any]:
    """Every key this version writes; options that are not set are left out."""
    whole: dict[str, Any] = {
        "id": account.id,
        "name": account.name,
        "nickname": account.nickname,
        "kind": account.kind,
        "command": account.command,
        "args": list(account.args),
        "cwd": account.cwd,
        "hue": account.hue,
        "avatar": account.avatar,
        "character": account.character,
        "resume_command": account.resume_command,
        "env": [_env_object(entry) for entry in account.env],
        "server": account.server,
        "typing_profile": account.typing_profile,
        "listens": account.listens or None,
        "sightless": account.sightless,
    }
    return {key: value for key, value in whole.items() if value is not None}


def _env_object(entry: EnvEntry) -> dict[str, Any]:
    return {"name": entry.name} if entry.value is None else {"name": entry.name, "value": entry.value}


def _merge_env(entries: tuple[EnvEntry, ...], original: object) -> list[dict[str, Any]]:
    """Entries whose value is unchanged keep their written form, a sealed one included."""
    written: dict[str, dict[str, Any]] = {}
    for item in original if isinstance(original, list) else ():
        if isinstance(item, dict) and isinstance(item.get("name"), str):
            written[item["name"]] = item
    merged = []
    for entry in entries:
        old = written.get(entry.name)
        merged.append(old if old is not None and old.get("value") == entry.value else _env_object(entry))
    return merged
