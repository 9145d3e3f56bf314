"""What a request must show before it is let in."""

import pytest

from pullcept.core.launch import same_secret
from pullcept.host.requests import (
    HookPath,
    RequestHead,
    bearer,
    hook_path,
    refuse_stranger,
    refuse_token,
    request_head,
)

PORT = 4711


def head(*headers: tuple[str, str]) -> RequestHead:
    return request_head("GET", "/room", headers)


@pytest.mark.parametrize("host", ["127.0.0.1:4711", "localhost:4711", "LOCALHOST:4711"])
def test_our_own_hosts_are_let_in(host: str) -> None:
    assert refuse_stranger(head(("Host", host)), PORT) is None


@pytest.mark.parametrize(
    "host", ["", "127.0.0.1", "127.0.0.1:4712", "evil.invalid", "evil.invalid:4711", "[::1]:4711", "127.0.0.1:4711."]
)
def test_any_other_host_is_refused(host: str) -> None:
    refused = refuse_stranger(head(("Host", host)), PORT)
    assert refused is not None
    assert refused.status == 403


def test_a_missing_or_doubled_host_is_refused() -> None:
    twice = head(("Host", "127.0.0.1:4711"), ("Host", "127.0.0.1:4711"))
    assert refuse_stranger(head(), PORT) is not None
    assert refuse_stranger(twice, PORT) is not None


@pytest.mark.parametrize("origin", ["https://evil.invalid", "null", "", "http://127.0.0.1:4711"])
def test_any_origin_is_refused_even_our_own(origin: str) -> None:
    refused = refuse_stranger(head(("Host", "127.0.0.1:4711"), ("Origin", origin)), PORT)
    assert refused is not None
    assert refused.status == 403


def test_the_bearer_is_read_whatever_the_case_of_its_scheme() -> None:
    assert bearer(head(("Authorization", "bearer  abc "))) == "abc"
    assert bearer(head(("Authorization", "Basic abc"))) == ""
    assert bearer(head(("Authorization", "Bearer a"), ("Authorization", "Bearer a"))) == ""


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer ", "Bearer wrong", "tok", "Bearer tok tok", "Bearer t\xf6k"])
def test_a_wrong_token_is_unauthorized(given: str) -> None:
    refused = refuse_token(head(("Authorization", given)), "tok")
    assert refused is not None
    assert refused.status == 401


def test_an_empty_secret_is_never_right() -> None:
    assert not same_secret("", "")
    assert same_secret("a", "a")


def test_hook_paths_are_read_segment_by_segment_after_splitting() -> None:
    assert hook_path("/hooks/status/t%2F1/a%20b?x=1") == HookPath("status", "t/1", "a b")
    assert hook_path("/hooks/activity/Stop/t/%E4%BA%BA") == HookPath("activity", "t", "人", "Stop")


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "*",
        "/hooks",
        "/hooks/status/t",
        "/hooks/status/t/",
        "/hooks/status//a",
        "/hooks/status/t/a/b",
        "/hooks/activity/Stop/t",
        "/hooks/other/t/a",
        "/hooks/status/t/%ff",
        "//hooks/status/t/a",
        "http://127.0.0.1:4711/hooks/status/t/a",
        "/hooks/status/t/a/../b",
    ],
)
def test_every_other_path_leads_nowhere(target: str) -> None:
    assert hook_path(target) is None
