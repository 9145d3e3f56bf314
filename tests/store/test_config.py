"""config.json: accounts and settings, and everything in it that this version does not know."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pullcept.core.account import Account, default_accounts
from pullcept.store.config import Config, ConfigFile
from pullcept.store.settings import FileBroken, NotSaved

ADMIN = {"id": "me", "name": "Aki", "kind": "admin"}
LIN = {"id": "lin", "name": "Lin", "kind": "cli"}


def defaults() -> Callable[[], tuple[Account, ...]]:
    ids = count()
    return lambda: default_accounts("Aki", lambda: f"id{next(ids)}")


def written(tmp_path: Path, obj: object) -> Path:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(obj), encoding="utf-8")
    return path


def loaded(path: Path) -> tuple[ConfigFile, Config]:
    file = ConfigFile(path)
    return file, file.load(defaults())


def refuse(*args: object, **options: object) -> None:
    raise NotSaved("config.json could not be saved: full")


def on_disk(path: Path) -> Any:
    return json.loads(path.read_bytes())


def test_a_first_start_writes_its_accounts_so_that_their_ids_stay(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    _, config = loaded(path)
    assert [account.kind for account in config.accounts] == ["admin", "claude_code", "codex_cli", "cli"]
    file = ConfigFile(path)
    assert file.load(lambda: ()).accounts == config.accounts


def test_a_file_that_has_all_it_needs_is_not_written(tmp_path: Path) -> None:
    path = written(tmp_path, {"accounts": [ADMIN, LIN], "panel": {"open": True}})
    before = path.read_bytes()
    _, config = loaded(path)
    assert [account.name for account in config.accounts] == ["Aki", "Lin"]
    assert path.read_bytes() == before


def test_a_missing_person_is_added_and_no_other_account(tmp_path: Path) -> None:
    _, config = loaded(written(tmp_path, {"accounts": [LIN]}))
    assert [account.kind for account in config.accounts] == ["admin", "cli"]
    _, again = loaded(tmp_path / "config.json")
    assert again == config


def test_an_account_that_cannot_be_read_is_named_and_kept_in_the_file(tmp_path: Path) -> None:
    robot = {"id": "r", "name": "R", "kind": "robot"}
    path = written(tmp_path, {"accounts": [robot, ADMIN, "x", LIN, LIN | {"name": "again"}]})
    file, config = loaded(path)
    assert [account.id for account in config.accounts] == ["me", "lin"]
    assert ["accounts[0]" in config.problems[0], "accounts[2]" in config.problems[1]] == [True, True]
    assert "used before" in config.problems[2]
    file.save_accounts(config.accounts[:1])
    assert on_disk(path)["accounts"] == [ADMIN | on_disk(path)["accounts"][0], robot, "x", LIN | {"name": "again"}]


def test_unknown_keys_survive_every_rewrite(tmp_path: Path) -> None:
    path = written(tmp_path, {"accounts": [ADMIN, LIN | {"later": [1]}], "panel": {"w": 3}, "settings": {"x": 1}})
    file, config = loaded(path)
    file.save_accounts((config.accounts[0], Account("lin", "Lay", "cli")))
    file.save_settings({"language": "ja"})
    obj = on_disk(path)
    assert obj["panel"] == {"w": 3}
    assert obj["settings"] == {"x": 1, "language": "ja"}
    assert obj["accounts"][1]["later"] == [1]
    assert obj["accounts"][1]["name"] == "Lay"
    file.save_settings({"language": None})
    assert on_disk(path)["settings"] == {"x": 1}
    assert on_disk(path)["accounts"] == obj["accounts"]


@pytest.mark.parametrize(
    "text", ["", '{"accounts":[{"id":"a"', "{}{}", '{"accounts":{}}', '{"settings":[]}', '{"accounts":[],"settings":1}']
)
def test_a_broken_file_gives_a_usable_room_and_stays_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    file, config = loaded(path)
    assert len(config.accounts) == 4
    assert config.problems[0] == file.broken
    assert "config.json" in file.broken
    with pytest.raises(FileBroken):
        file.save_accounts(config.accounts)
    with pytest.raises(FileBroken):
        file.save_settings({"a": 1})
    assert path.read_text() == text
    file.set_aside()
    _, fresh = loaded(path)
    assert fresh.problems == ()
    assert path.exists()


def test_a_first_start_on_a_full_disk_still_has_accounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pullcept.store.settings.atomic_write", refuse)
    _, config = loaded(tmp_path / "config.json")
    assert len(config.accounts) == 4
    assert config.problems == ("config.json could not be saved: full",)


def test_a_save_that_failed_changes_nothing_for_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, {"accounts": [ADMIN]})
    file, config = loaded(path)
    with monkeypatch.context() as patch:
        patch.setattr("pullcept.store.settings.atomic_write", refuse)
        with pytest.raises(NotSaved):
            file.save_settings({"lost": 1})
    file.save_accounts(config.accounts)
    assert "settings" not in on_disk(path)
