"""Hook POSTs: who may report, what a report may be, and that nobody waits for anybody."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time

import pytest

from pullcept.core.launch import Launch
from pullcept.host import http_door
from pullcept.host.http_door import MAX_HOOK_BYTES
from tests.host.live_host import WAIT, LiveHost, launch_of, status_of, wait_for

PATH = "/hooks/status/topic-1/acc-1"


@pytest.fixture
def launch(host: LiveHost) -> Launch:
    launch = launch_of()
    host.run(host.admissions.add, launch)
    return launch


def auth(launch: Launch) -> str:
    return f"Authorization: Bearer {launch.launch_secret}"


def test_a_status_report_is_answered_with_an_empty_object_and_handed_on(host: LiveHost, launch: Launch) -> None:
    answer = host.http("POST", PATH, auth(launch), body=b'{"model": "x"}')
    assert status_of(answer) == 200
    assert answer.endswith(b"\r\n\r\n{}")
    wait_for(lambda: host.statuses)
    assert host.statuses == [(launch.seat, 1, {"model": "x"})]


def test_an_activity_report_carries_its_event(host: LiveHost, launch: Launch) -> None:
    assert status_of(host.http("POST", "/hooks/activity/Stop/topic-1/acc-1?x=1", auth(launch), body=b"{}")) == 200
    wait_for(lambda: host.activities)
    assert host.activities == [(launch.seat, 1, "Stop", {})]


def test_ids_in_the_path_are_percent_encoded(host: LiveHost) -> None:
    launch = launch_of("アカ/1", "t 1")
    host.run(host.admissions.add, launch)
    target = "/hooks/status/t%201/%E3%82%A2%E3%82%AB%2F1"
    answer = host.http("POST", target, f"Authorization: Bearer {'x'}", body=b"{}")
    assert status_of(answer) == 401
    secret = launch_of("acc-9", "t 9")
    host.run(host.admissions.add, secret)
    assert status_of(host.http("POST", "/hooks/status/t%209/acc%2D9", auth(secret), body=b"{}")) == 200


@pytest.mark.parametrize(
    ("method", "target", "status"),
    [
        ("GET", PATH, 405),
        ("PUT", PATH, 405),
        ("POST", "/hooks/status/topic-1/acc-2", 403),
        ("POST", "/hooks/status/topic-2/acc-1", 403),
        ("POST", "/hooks/activity/Invented/topic-1/acc-1", 404),
        ("POST", "/hooks/activity/stop/topic-1/acc-1", 404),
        ("POST", "/hooks/status/topic-1", 404),
        ("POST", "/mcp", 405),
    ],
)
def test_other_requests_get_a_clear_status_and_change_nothing(
    host: LiveHost, launch: Launch, method: str, target: str, status: int
) -> None:
    assert status_of(host.http(method, target, auth(launch), body=b"{}")) == status
    assert (host.statuses, host.activities) == ([], [])


def test_an_unknown_secret_is_unauthorized_and_an_ended_launch_is_gone(host: LiveHost, launch: Launch) -> None:
    assert status_of(host.http("POST", PATH, "Authorization: Bearer no", body=b"{}")) == 401
    assert status_of(host.http("POST", PATH, body=b"{}")) == 401
    host.run(host.admissions.end, launch.seat, 1)
    assert status_of(host.http("POST", PATH, auth(launch), body=b"{}")) == 410
    assert status_of(host.http("POST", "/hooks/status/topic-1/acc-2", auth(launch), body=b"{}")) == 403
    assert host.statuses == []


def test_the_room_token_is_no_launch_secret(host: LiveHost, launch: Launch) -> None:
    assert status_of(host.http("POST", PATH, "Authorization: Bearer room-token-of-a-test", body=b"{}")) == 401


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"1", b"{", b"\xff", b'{"a": NaN}', b"[" * 100_000, b'{"a":' * 50_000, b"\xef\xbb\xbf{}"]
)
def test_a_body_that_is_no_json_object_is_a_bad_request(host: LiveHost, launch: Launch, body: bytes) -> None:
    assert status_of(host.http("POST", PATH, auth(launch), body=body)) == 400
    assert host.statuses == []


def test_a_chunked_body_and_an_awaited_continue_are_served(host: LiveHost, launch: Launch) -> None:
    with host.raw() as wire:
        head = f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{host.port}\r\n{auth(launch)}\r\nConnection: close\r\n"
        wire.sendall(f"{head}Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n".encode())
        assert status_of(wire.recv(4096)) == 100
        wire.sendall(b'5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n')
        assert status_of(wire.recv(4096)) == 200
    wait_for(lambda: host.statuses)
    assert host.statuses[0][2] == {"a": 1}


def test_a_refused_client_is_not_asked_for_its_body(host: LiveHost) -> None:
    with host.raw() as wire:
        head = f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{host.port}\r\nContent-Length: 2\r\n"
        wire.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
        assert status_of(wire.recv(4096)) == 401


def test_one_connection_may_report_many_times_even_without_waiting(host: LiveHost, launch: Launch) -> None:
    request = f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{host.port}\r\n{auth(launch)}\r\nContent-Length: 2\r\n\r\n{{}}"
    last = request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
    answers = host.exchange((request * 9 + last).encode())
    assert answers.count(b"HTTP/1.1 200") == 10
    wait_for(lambda: len(host.statuses) == 10)


def test_a_refusal_without_a_body_keeps_the_connection(host: LiveHost, launch: Launch) -> None:
    lost = f"GET /lost HTTP/1.1\r\nHost: 127.0.0.1:{host.port}\r\n\r\n"
    assert (
        host.exchange((lost + lost.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")).encode()).count(b" 404 ") == 2
    )


def test_the_largest_body_passes_and_one_byte_more_does_not(host: LiveHost, launch: Launch) -> None:
    frame = json.dumps({"a": ""}).encode()
    fits = frame[:-2] + b"x" * (MAX_HOOK_BYTES - len(frame)) + frame[-2:]
    assert status_of(host.http("POST", PATH, auth(launch), body=fits)) == 200
    assert status_of(host.http("POST", PATH, auth(launch), body=b" " + fits)) == 413


def test_ten_megabytes_are_refused_also_in_chunks_and_the_answer_arrives(host: LiveHost, launch: Launch) -> None:
    big = b"x" * (10 * 1024 * 1024)
    assert status_of(host.http("POST", PATH, auth(launch), body=big)) == 413
    head = (
        f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{host.port}\r\n{auth(launch)}\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    with host.raw() as wire:
        wire.sendall(head.encode())
        wire.sendall(b"%x\r\n%s\r\n0\r\n\r\n" % (len(big), big))
        assert status_of(wire.recv(4096)) == 413
    assert host.statuses == []


def test_a_client_that_asks_first_is_never_asked_for_ten_megabytes(host: LiveHost, launch: Launch) -> None:
    with host.raw() as wire:
        head = f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{host.port}\r\n{auth(launch)}\r\nContent-Length: 10485760\r\n"
        wire.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
        assert status_of(wire.recv(4096)) == 413


def test_a_client_of_one_byte_a_while_is_cut_off_with_a_status(
    host: LiveHost, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_door, "REQUEST_SECONDS", 0.3)
    head = f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{host.port}\r\n{auth(launch)}\r\nContent-Length: 1000\r\n\r\n"
    with host.raw() as wire:
        wire.sendall(head.encode())
        wire.settimeout(0.05)
        began = time.monotonic()
        answer = b""
        while not answer and time.monotonic() - began < 10:
            wire.sendall(b" ")
            try:
                answer = wire.recv(4096)
            except TimeoutError:
                continue
    assert status_of(answer) == 408
    assert host.statuses == []


def test_half_a_request_is_answered_as_that(host: LiveHost, launch: Launch) -> None:
    with host.raw() as wire:
        wire.sendall(f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{host.port}\r\nContent-Length: 9\r\n".encode())
        wire.shutdown(socket.SHUT_WR)
        assert status_of(wire.recv(4096)) == 400


@pytest.mark.expects_logged_errors
def test_a_taker_that_fails_does_not_reach_the_reporter(host: LiveHost, launch: Launch) -> None:
    host.statuses = None  # type: ignore[assignment]
    assert status_of(host.http("POST", PATH, auth(launch), body=b"{}")) == 200


def test_a_slow_reporter_keeps_nobody_waiting(host: LiveHost, launch: Launch) -> None:
    with host.raw() as slow:
        slow.sendall(f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{host.port}\r\n{auth(launch)}\r\n".encode())
        assert status_of(host.http("POST", PATH, auth(launch), body=b"{}")) == 200


PERMISSION = "/hooks/activity/PermissionRequest/topic-1/acc-1"


def test_a_question_is_answered_only_when_what_was_given_back_is_over(host: LiveHost, launch: Launch) -> None:
    go, gone = asyncio.Event(), threading.Event()

    async def hold() -> None:
        await go.wait()
        gone.set()

    host.hold = hold
    with host.raw() as wire:
        head = f"POST {PERMISSION} HTTP/1.1\r\nHost: 127.0.0.1:{host.port}\r\n{auth(launch)}\r\nContent-Length: 2"
        rest = f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{host.port}\r\n{auth(launch)}\r\nContent-Length: 2"
        wire.sendall(f"{head}\r\n\r\n{{}}{rest}\r\nConnection: close\r\n\r\n{{}}".encode())
        wait_for(lambda: host.activities)
        assert status_of(host.http("POST", PATH, auth(launch), body=b"{}")) == 200
        assert len(host.statuses) == 1
        assert not gone.is_set()
        host.run(go.set)
        answers = b""
        while piece := wire.recv(4096):
            answers += piece
    assert gone.is_set()
    assert answers.count(b"HTTP/1.1 200") == 2
    wait_for(lambda: len(host.statuses) == 2)


def test_a_question_is_answered_at_once_when_nothing_was_given_back(host: LiveHost, launch: Launch) -> None:
    assert status_of(host.http("POST", PERMISSION, auth(launch), body=b"{}")) == 200
    assert host.activities == [(launch.seat, 1, "PermissionRequest", {})]


def test_an_answer_that_is_held_too_long_goes_out_all_the_same(
    host: LiveHost, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_door, "ANSWER_LIMIT", 0.05)
    host.hold = lambda: asyncio.sleep(WAIT * 10)
    assert host.http("POST", PERMISSION, auth(launch), body=b"{}").endswith(b"\r\n\r\n{}")


def test_a_reporter_that_has_gone_is_waited_for_no_longer(host: LiveHost, launch: Launch) -> None:
    cancelled = threading.Event()

    async def hold() -> None:
        try:
            await asyncio.sleep(WAIT * 10)
        finally:
            cancelled.set()

    host.hold = hold
    with host.raw() as wire:
        head = f"POST {PERMISSION} HTTP/1.1\r\nHost: 127.0.0.1:{host.port}\r\n{auth(launch)}\r\nContent-Length: 2"
        wire.sendall(f"{head}\r\n\r\n{{}}".encode())
        wait_for(lambda: host.activities)
    assert cancelled.wait(WAIT)


@pytest.mark.expects_logged_errors
def test_a_wait_that_fails_is_answered_all_the_same(host: LiveHost, launch: Launch) -> None:
    async def hold() -> None:
        raise RuntimeError("broken")

    host.hold = hold
    assert status_of(host.http("POST", PERMISSION, auth(launch), body=b"{}")) == 200
