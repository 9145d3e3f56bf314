"""The accounts of a run: what changes, what is kept, what is refused."""

import json
from pathlib import Path

import pytest

from pullcept.accounts import Accounts
from pullcept.core.account import Account
from pullcept.core.screen import AccountsListed, ScreenEvent, StatusSaid
from pullcept.store.config import ConfigFile

PERSON = Account("me", "Mio", "admin")
HARU = Account("haru", "Haru", "claude_code", command="claude")


class House:
    """Accounts with their file, and everything they told."""

    def __init__(self, folder: Path) -> None:
        self.told: list[ScreenEvent] = []
        self.renamed: list[Account] = []
        self.path = folder / "config.json"
        file = ConfigFile(self.path)
        self.accounts = Accounts(file.load(lambda: (PERSON, HARU)).accounts, file, self.told.append)
        self.accounts.on_renamed = self.renamed.append

    def written(self) -> list[dict[str, object]]:
        accounts: list[dict[str, object]] = json.loads(self.path.read_text("utf-8"))["accounts"]
        return accounts

    def said(self) -> list[str]:
        return [event.text for event in self.told if isinstance(event, StatusSaid)]


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_a_nickname_counts_at_once_and_is_kept(house: House) -> None:
    house.accounts.set_nickname("haru", " 春\u200b ")
    assert house.accounts.all[1].calling_name == "春"
    assert house.written()[1]["nickname"] == "春"
    assert [(each.calling_name, each.full_name) for each in house.renamed] == [("春", "Haru")]
    listed = [event for event in house.told if isinstance(event, AccountsListed)]
    assert listed[-1].accounts[1].name == "春"
    assert house.said() == ["Haru is called 春 from now on."]


@pytest.mark.parametrize("nickname", ["", "  "])
def test_an_empty_nickname_gives_the_name_back(house: House, nickname: str) -> None:
    house.accounts.set_nickname("haru", "Spring")
    house.accounts.set_nickname("haru", nickname)
    assert house.accounts.all[1].calling_name == "Haru"
    assert "nickname" not in house.written()[1]


@pytest.mark.parametrize("nickname", ["x" * 65, "\u200b\u202e"])
def test_a_nickname_that_nobody_could_call_is_refused_with_its_reason(house: House, nickname: str) -> None:
    house.accounts.set_nickname("haru", nickname)
    assert house.accounts.all[1].nickname is None
    assert not house.renamed
    assert house.said()[0].startswith("This nickname cannot be used: the name is")


def test_an_account_that_is_gone_is_named(house: House) -> None:
    house.accounts.set_nickname("nobody", "x")
    assert house.said() == ["This account is gone."]


def test_a_change_that_cannot_be_saved_counts_in_this_run_and_is_named(house: House) -> None:
    house.path.unlink()
    house.path.mkdir()
    (house.path / "in the way").touch()
    house.accounts.set_nickname("haru", "Spring")
    assert house.accounts.all[1].calling_name == "Spring"
    assert [each.calling_name for each in house.renamed] == ["Spring"]
    assert "config.json" in house.said()[0]
