"""config.json: the accounts and the settings. What this version does not know survives every rewrite."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pullcept.core.account import Account, AccountError, account_object, parse_account
from pullcept.store.settings import JsonFile, NotSaved


@dataclass(frozen=True, slots=True)
class Config:
    """What config.json says. `problems`: texts for the person, the reason of a broken file first."""

    accounts: tuple[Account, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


class ConfigFile:
    """The accounts and settings on disk. While `broken` says something, nothing is written."""

    def __init__(self, path: Path) -> None:
        self._file = JsonFile(path)
        self._obj: dict[str, Any] = {}

    @property
    def broken(self) -> str:
        """Why the file cannot be used; empty when it can."""
        return self._file.broken

    def load(self, defaults: Callable[[], tuple[Account, ...]]) -> Config:
        """Read the file. Accounts of a first start, or a missing person, come from `defaults` and are saved at once."""
        self._obj = self._file.load()
        items, settings = self._obj.get("accounts"), self._obj.get("settings")
        if not isinstance(items, list | None):
            self._file.refuse("accounts is not a list")
        if not isinstance(settings, dict | None):
            self._file.refuse("settings is not an object")
        accounts, problems = _parse_accounts(items if isinstance(items, list) else [])
        if self.broken:
            problems = (self.broken, *problems)
        whole = _complete(accounts, first=items is None or bool(self.broken), defaults=defaults)
        if whole != accounts and not self.broken:
            try:
                self.save_accounts(whole)
            except NotSaved as error:
                problems = (*problems, str(error))
        return Config(whole, dict(settings) if isinstance(settings, dict) else {}, problems)

    def save_accounts(self, accounts: tuple[Account, ...]) -> None:
        """Write the accounts in this order; items that could not be read stay behind them. Raises `NotSaved`."""
        items = self._obj.get("accounts")
        readable, unreadable = _sort_items(items if isinstance(items, list) else [])
        written = [account_object(account, readable.get(account.id)) for account in accounts]
        self._save({**self._obj, "accounts": [*written, *unreadable]})

    def save_settings(self, settings: Mapping[str, Any]) -> None:
        """Write the settings: given keys are set, others stay as they are, None removes one. Raises `NotSaved`."""
        before = self._obj.get("settings")
        merged = {**(before if isinstance(before, dict) else {}), **settings}
        self._save({**self._obj, "settings": {key: value for key, value in merged.items() if value is not None}})

    def set_aside(self) -> Path:
        """Give a broken file another name, so that the next `load` begins anew. Raises `NotSaved`."""
        return self._file.set_aside()

    def _save(self, obj: dict[str, Any]) -> None:
        self._file.save(obj)
        self._obj = obj


def _complete(
    accounts: tuple[Account, ...], *, first: bool, defaults: Callable[[], tuple[Account, ...]]
) -> tuple[Account, ...]:
    """All the defaults at a first start; later only a person, when there is none."""
    if first:
        return defaults()
    if any(account.kind == "admin" for account in accounts):
        return accounts
    return (*(account for account in defaults() if account.kind == "admin"), *accounts)


def _parse_accounts(items: list[Any]) -> tuple[tuple[Account, ...], tuple[str, ...]]:
    accounts: dict[str, Account] = {}
    problems = []
    for index, item in enumerate(items):
        try:
            account = parse_account(item)
        except AccountError as error:
            problems.append(f"config.json: accounts[{index}] is left out: {error}")
            continue
        if account.id in accounts:
            problems.append(f"config.json: accounts[{index}] is left out: its id is used before")
        else:
            accounts[account.id] = account
    return tuple(accounts.values()), tuple(problems)


def _sort_items(items: list[Any]) -> tuple[dict[str, dict[str, Any]], list[Any]]:
    """The items that accounts were made of, by id, and the rest."""
    readable: dict[str, dict[str, Any]] = {}
    unreadable = []
    for item in items:
        try:
            account_id = parse_account(item).id
        except AccountError:
            unreadable.append(item)
            continue
        if account_id in readable:
            unreadable.append(item)
        else:
            readable[account_id] = item
    return readable, unreadable
