"""Accounts: reading is strict about known keys, writing keeps everything it does not own."""

from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.account import (
    APP_COMMAND,
    SIGHTLESS,
    Account,
    AccountError,
    EnvEntry,
    account_object,
    default_accounts,
    parse_account,
)

SMALL: dict[str, Any] = {"id": "a1", "name": "Lin", "kind": "cli"}


def test_an_account_needs_only_id_name_and_kind() -> None:
    assert parse_account(SMALL) == Account("a1", "Lin", "cli")


def test_every_key_is_read() -> None:
    account = parse_account(
        SMALL
        | {
            "nickname": "L", "command": "x", "args": ["-a", ""], "cwd": "/w", "hue": 400.5, "avatar": True,
            "character": "calm", "resume_command": "x -r {session_id}", "env": [{"name": "K", "value": "v"}],
            "server": "s", "typing_profile": "slow",
        }
    )  # fmt: skip
    assert account.nickname == "L"
    assert account.args == ("-a", "")
    assert account.hue == 40
    assert account.env == (EnvEntry("K", "v"),)
    assert account.typing_profile == "slow"


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"id": None}, "id"),
        ({"id": 5}, "id"),
        ({"name": " \u200b"}, "name"),
        ({"kind": "robot"}, "kind"),
        ({"kind": ["cli"]}, "kind"),
        ({"command": 3}, "command"),
        ({"command": "a\0b"}, "command"),
        ({"args": "-a"}, "args"),
        ({"args": ["a", 1]}, "args"),
        ({"hue": True}, "hue"),
        ({"hue": "red"}, "hue"),
        ({"hue": float("nan")}, "hue"),
        ({"hue": float("inf")}, "hue"),
        ({"nickname": []}, "nickname"),
        ({"name": "🚀" * 33}, "name"),
        ({"nickname": "n" * 65}, "nickname"),
        ({"env": {}}, "env"),
        ({"env": ["K=v"]}, "env[0].name"),
        ({"env": [{"name": "K", "value": 1}]}, "env[0].value"),
        ({"env": [{"name": "K", "value": "a\0"}]}, "env[0].value"),
        ({"env": [{"name": "A B", "value": "1"}]}, "env[0].name"),
        ({"env": [{"name": "", "value": "1"}]}, "env[0].name"),
        ({"env": [{"name": "A=B", "value": "1"}]}, "env[0].name"),
        ({"env": [{"name": "Key", "value": "1"}, {"name": "KEY", "value": "2"}]}, "env[1].name"),
        ({"env": [{"name": "pullcept_room_token", "value": "1"}]}, "env[0].name"),
    ],
)
def test_a_wrong_key_is_named(change: dict[str, Any], key: str) -> None:
    with pytest.raises(AccountError) as caught:
        parse_account(SMALL | change)
    assert caught.value.key == key


def test_the_account_of_a_person_with_a_long_login_name_can_be_read_again() -> None:
    person = default_accounts("🚀" * 40, iter("abcd").__next__)[0]
    assert parse_account(account_object(person)) == person


@pytest.mark.parametrize("obj", [None, [], "x", 1])
def test_what_is_no_object_is_no_account(obj: object) -> None:
    with pytest.raises(AccountError):
        parse_account(obj)


def test_null_counts_as_absent_and_stays_as_it_was_written() -> None:
    original = SMALL | {"hue": None, "nickname": None, "args": None, "env": None, "avatar": None}
    account = parse_account(original)
    assert (account.hue, account.nickname, account.args) == (None, None, ())
    assert {key: value for key, value in account_object(account, original).items() if key in original} == original


def test_unknown_keys_and_untouched_values_survive_a_change() -> None:
    original = SMALL | {"future": {"x": [1]}, "hue": 400.5, "avatar": "lin.png", "args": ["a"]}
    changed = account_object(Account("a1", "Lay", "cli", args=("a",), hue=40, avatar=True), original)
    assert changed["name"] == "Lay"
    assert (changed["future"], changed["hue"], changed["avatar"]) == ({"x": [1]}, 400.5, "lin.png")


def test_an_option_that_is_taken_away_loses_its_key() -> None:
    assert "nickname" not in account_object(Account("a1", "Lin", "cli"), SMALL | {"nickname": "L"})


def test_a_sealed_value_keeps_its_form_when_another_value_changes() -> None:
    original = SMALL | {"env": [{"name": "SECRET", "sealed": "c2VhbA=="}, {"name": "PLAIN", "value": "1"}]}
    account = parse_account(original)
    assert account.env[0] == EnvEntry("SECRET", None)
    changed = account_object(
        Account("a1", "Lin", "cli", env=(EnvEntry("SECRET", None), EnvEntry("PLAIN", "2"))), original
    )
    assert changed["env"] == [{"name": "SECRET", "sealed": "c2VhbA=="}, {"name": "PLAIN", "value": "2"}]


def test_values_of_the_environment_are_not_in_the_printed_form() -> None:
    assert "hunter2" not in repr(Account("a", "n", "cli", env=(EnvEntry("K", "hunter2"),)))


def test_the_calling_name_is_the_nickname_when_there_is_one() -> None:
    assert Account("a", " Lin ", "cli").calling_name == "Lin"
    assert Account("a", "Lin", "cli").full_name is None
    account = Account("a", "Lin", "cli", nickname=" L ")
    assert (account.calling_name, account.full_name) == ("L", "Lin")


def test_a_first_start_has_the_person_two_clis_and_the_demo_agent() -> None:
    ids = count()
    accounts = default_accounts("  Aki ", lambda: f"id{next(ids)}")
    assert [account.kind for account in accounts] == ["admin", "claude_code", "codex_cli", "cli"]
    assert accounts[0].name == "Aki"
    assert accounts[3].command == APP_COMMAND
    assert [account.startable for account in accounts] == [False, True, True, True]
    assert len({account.id for account in accounts}) == 4


def test_a_person_without_a_name_is_still_named() -> None:
    assert default_accounts("\u202e", lambda: "x")[0].name == "User"


texts = st.text(st.characters(exclude_characters="\0"), max_size=8)
accounts = st.builds(
    Account,
    id=texts.map(lambda text: "i" + text),
    name=texts.map(lambda text: "n" + text),
    kind=st.sampled_from(["admin", "claude_code", "codex_cli", "cli", "mcp"]),
    command=texts,
    args=st.lists(texts, max_size=3).map(tuple),
    cwd=texts,
    nickname=st.none() | texts.map(lambda text: "n" + text),
    hue=st.none() | st.integers(0, 359),
    avatar=st.booleans(),
    env=st.lists(st.builds(EnvEntry, st.from_regex(r"[a-z]{1,5}", fullmatch=True), texts), unique_by=lambda e: e.name)
    .map(tuple),
)  # fmt: skip


@given(accounts, accounts)
def test_an_account_is_read_as_it_was_written_over_any_other(account: Account, before: Account) -> None:
    assert parse_account(account_object(account)) == account
    assert parse_account(account_object(account, account_object(before) | {"later": 1})) == account


@pytest.mark.parametrize("decision", SIGHTLESS)
def test_what_was_decided_for_sessions_without_sight_is_kept(decision: str) -> None:
    account = Account("a", "Haru", "claude_code", sightless=decision)
    assert parse_account(account_object(account)) == account


def test_a_decision_of_a_later_version_counts_as_none_and_stays_in_the_file() -> None:
    written = {"id": "a", "name": "Haru", "kind": "claude_code", "sightless": "ask_a_friend"}
    account = parse_account(written)
    assert account.sightless is None
    assert account_object(account, written)["sightless"] == "ask_a_friend"
