"""Who is let in at all: origins, hosts, tokens, and requests that make no sense."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest
from websockets.exceptions import InvalidStatus

from pullcept.host import entrance, http_door, room_socket, server
from tests.host.live_host import TOKEN, LiveHost, launch_of, read_to_end, status_of, wait_for

UPGRADE = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)
AUTHORIZATION = f"Authorization: Bearer {TOKEN}"


def test_the_listener_is_on_the_ipv4_loopback_address_only(host: LiveHost) -> None:
    assert host.server.port > 0
    bound = host.run(lambda: [found.getsockname() for found in host.server.sockets()])
    assert bound == [("127.0.0.1", host.port)]


@pytest.mark.parametrize("path", ["/room", "/mcp", "/hooks/status/t/a", "/nothing"])
def test_a_foreign_origin_is_forbidden_before_anything_else(host: LiveHost, path: str) -> None:
    assert status_of(host.http("GET", path, AUTHORIZATION, "Origin: https://evil.invalid")) == 403


@pytest.mark.parametrize("path", ["/room", "/mcp", "/hooks/status/t/a", "/nothing"])
def test_a_foreign_host_is_forbidden_before_anything_else(host: LiveHost, path: str) -> None:
    assert status_of(host.http("GET", path, AUTHORIZATION, host="evil.invalid")) == 403


def test_a_web_page_with_the_right_token_does_not_get_a_socket(host: LiveHost) -> None:
    with pytest.raises(InvalidStatus) as refused:
        host.client(Origin="https://evil.invalid")
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("token", ["", "Bearer wrong", f"Bearer {TOKEN}x", f"Basic {TOKEN}"])
def test_a_wrong_token_is_unauthorized_before_the_upgrade(host: LiveHost, token: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        host.client(Authorization=token)
    assert refused.value.response.status_code == 401
    assert refused.value.response.headers["WWW-Authenticate"] == "Bearer"


def test_the_room_without_an_upgrade_says_that_it_needs_one(host: LiveHost) -> None:
    assert status_of(host.http("GET", "/room", AUTHORIZATION)) == 426
    assert status_of(host.http("GET", "/room?x=1", AUTHORIZATION)) == 426


@pytest.mark.parametrize(
    ("request_start", "status"),
    [
        (b"GET /roomy HTTP/1.1\r\n", 404),
        (b"GET / HTTP/1.1\r\n", 404),
        (b"POST /room HTTP/1.1\r\nContent-Length: 2\r\n", 404),
        (b"HEAD /room HTTP/1.1\r\n", 404),
        (b"OPTIONS * HTTP/1.1\r\n", 404),
        (b"CONNECT 127.0.0.1:80 HTTP/1.1\r\n", 404),
    ],
)
def test_what_is_not_served_gets_a_clear_status(host: LiveHost, request_start: bytes, status: int) -> None:
    request = request_start + f"Host: 127.0.0.1:{host.port}\r\nConnection: close\r\n\r\n".encode()
    assert status_of(host.exchange(request)) == status


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"hello\r\n\r\n",
        b"GET /mcp HTTP/9.9\r\nConnection: close\r\n\r\n",
        b"GET  /mcp HTTP/1.1\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST /hooks/status/t/a HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /hooks/status/t/a HTTP/1.1\r\nContent-Length: 1, 2\r\n\r\n",
        b"POST /hooks/status/t/a HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"GET /room HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET /room HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"GET /room HTTP/9.9\r\n\r\n",
        b"GET /room\r\n\r\n",
    ],
)
def test_malformed_requests_are_answered_and_not_crashed_on(host: LiveHost, request_bytes: bytes) -> None:
    assert status_of(host.exchange(request_bytes)) in (400, 403, 501, 505)


@pytest.mark.parametrize("path", [b"/mcp", b"/room"])
def test_headers_without_end_are_cut_off_with_a_status(host: LiveHost, path: bytes) -> None:
    flood = b"GET " + path + b" HTTP/1.1\r\n" + b"".join(b"X-%d: %s\r\n" % (n, b"y" * 900) for n in range(300))
    assert status_of(host.exchange(flood)) == 431


def test_a_handshake_with_a_bad_key_is_a_bad_request(host: LiveHost) -> None:
    request = b"GET /room HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n" % (host.port, AUTHORIZATION.encode())
    bad = UPGRADE.replace(b"AAAAAAAAAAAAAAAAAAAAAA==", b"short")
    assert status_of(host.exchange(request + bad + b"\r\n")) == 400


def test_the_first_line_may_arrive_one_byte_at_a_time(host: LiveHost) -> None:
    request = b"GET /room HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n" % (host.port, AUTHORIZATION.encode())
    with host.raw() as wire:
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in request + UPGRADE + b"\r\n":
            wire.sendall(bytes([byte]))
        assert status_of(wire.recv(4096)) == 101


def test_a_client_that_says_nothing_is_let_go(host: LiveHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "FIRST_BYTES_SECONDS", 0.05)
    assert host.exchange(b"GET /ro") == b""


def test_a_client_that_never_ends_its_headers_is_told_that_it_took_too_long(
    host: LiveHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_door, "REQUEST_SECONDS", 0.05)
    monkeypatch.setattr(room_socket, "OPENING_SECONDS", 0.05)
    assert status_of(host.exchange(b"GET /mcp HTTP/1.1\r\nHost: ")) == 408
    assert status_of(host.exchange(b"GET /room HTTP/1.1\r\nHost: ")) == 408


def test_many_silent_strangers_never_keep_a_seat_out(host: LiveHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_UNADMITTED", 8)
    launch = launch_of()
    host.run(host.admissions.add, launch)
    strangers = [host.raw() for _ in range(40)]
    try:
        with host.guest() as guest:
            assert guest.post("m-1")["delivered"] is True
        wait_for(lambda: host.run(host.server.connections) <= 9)
    finally:
        for stranger in strangers:
            stranger.close()


def test_more_room_clients_than_allowed_get_a_clear_status(host: LiveHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_ROOM_CLIENTS", 1)
    with host.guest():
        with pytest.raises(InvalidStatus) as refused:
            host.client()
        assert refused.value.response.status_code == 503


def test_small_answers_are_not_held_back_by_the_system(host: LiveHost) -> None:
    with host.guest() as guest:
        guest.post("m-1")
        found = host.run(
            lambda: [wire.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for wire in host.server.peers()]
        )
    assert found
    assert all(found)


def test_random_bytes_at_the_door_leave_the_listener_usable(host: LiveHost) -> None:
    for start in (b"", b"GET /room HTTP/1.1\r\n", b"POST /hooks/status/t/a HTTP/1.1\r\n"):
        for _ in range(40):
            with host.raw() as wire:
                wire.sendall(start + os.urandom(200))
                wire.shutdown(socket.SHUT_WR)
                read_to_end(wire)
    with host.guest() as guest:
        assert guest.post("m-1")["delivered"] is True


def test_a_web_server_of_the_standard_library_can_be_asked_by_any_http_client(host: LiveHost) -> None:
    code = (
        "import sys, urllib.request, urllib.error\n"
        "try: urllib.request.urlopen(sys.argv[1], data=b'{}', timeout=10)\n"
        "except urllib.error.HTTPError as error: print(error.code)\n"
    )
    target = f"http://127.0.0.1:{host.port}/hooks/status/t/a"
    told = subprocess.run([sys.executable, "-c", code, target], capture_output=True, text=True, timeout=30, check=True)
    assert told.stdout.strip() == "401"
