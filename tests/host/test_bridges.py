"""Bridges over the listener: the upgrade, admission, and what happens when one comes back."""

from __future__ import annotations

import asyncio
import socket

import pytest

from pullcept.core.launch import Admissions, Launch
from pullcept.core.lines import MAX_LINE_BYTES, LineTooLong
from pullcept.host import bridges
from pullcept.host.bridge_stream import BridgeStream
from pullcept.host.requests import request_head
from pullcept.host.server import BridgeArrival, GuestClaim
from tests.host.live_host import TOKEN, LiveHost, launch_of, read_to_end, status_of, wait_for
from tests.host.test_bridge_stream import RecordingTransport


def upgrade_request(host: LiveHost, *headers: str, token: str = TOKEN) -> bytes:
    lines = [
        "GET /mcp HTTP/1.1",
        f"Host: 127.0.0.1:{host.port}",
        f"Authorization: Bearer {token}",
        "Connection: Upgrade",
        "Upgrade: pullcept-mcp",
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def launch_headers(launch: Launch, instance: str = "i-1", entry: str = "pullcept-room") -> tuple[str, ...]:
    return (
        f"X-Pullcept-Launch: {launch.launch_secret}",
        f"X-Pullcept-Control: {launch.control_secret}",
        f"X-Pullcept-Entry: {entry}",
        f"X-Pullcept-Instance: {instance}",
    )


def arrive(host: LiveHost, *headers: str, rest: bytes = b"") -> socket.socket:
    """A bridge that was let through to lines."""
    wire = host.raw()
    wire.sendall(upgrade_request(host, *headers) + rest)
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += wire.recv(1)
    assert status_of(answer) == 101
    assert b"pullcept-mcp" in answer
    return wire


def line_of(wire: socket.socket) -> bytes:
    with wire.makefile("rb") as lines:
        return lines.readline()


@pytest.fixture
def launch(host: LiveHost) -> Launch:
    launch = launch_of()
    host.run(host.admissions.add, launch)
    return launch


def test_a_bridge_of_a_launch_is_admitted_and_carries_lines_both_ways(host: LiveHost, launch: Launch) -> None:
    with arrive(host, *launch_headers(launch), rest=b'{"early":1}\n') as wire:
        assert line_of(wire) == b'{"early":1}\n'
        wire.sendall(b'{"later"')
        wire.sendall(b":2}\r\n")
        assert line_of(wire) == b'{"later":2}\n'
    admission = host.arrivals[0].admission
    assert admission.launch == launch
    assert admission.control


def test_a_wrong_control_secret_gives_a_seat_without_control(host: LiveHost, launch: Launch) -> None:
    headers = [line for line in launch_headers(launch) if "Control" not in line]
    with arrive(host, *headers, rest=b"x\n") as wire:
        line_of(wire)
    assert host.arrivals[0].admission.launch == launch
    assert not host.arrivals[0].admission.control


@pytest.mark.parametrize(
    "headers",
    [
        (),
        ("X-Pullcept-Launch: wrong", "X-Pullcept-Entry: pullcept-room", "X-Pullcept-Instance: i-1"),
        ("X-Pullcept-Launch: launch-acc-1-topic-1-1", "X-Pullcept-Entry: other", "X-Pullcept-Instance: i-1"),
        ("X-Pullcept-Launch: launch-acc-1-topic-1-1", "X-Pullcept-Entry: pullcept-room"),
    ],
)
def test_a_bridge_that_is_not_admitted_is_connected_and_told_why(
    host: LiveHost, launch: Launch, headers: tuple[str, ...]
) -> None:
    with arrive(host, *headers, rest=b"x\n") as wire:
        assert line_of(wire) == b"x\n"
    arrival = host.arrivals[0]
    assert arrival.admission.launch is None
    assert arrival.admission.reason
    assert arrival.guest is None


def test_a_second_bridge_of_a_launch_is_not_admitted_while_the_first_lives(host: LiveHost, launch: Launch) -> None:
    with (
        arrive(host, *launch_headers(launch), rest=b"x\n") as first,
        arrive(host, *launch_headers(launch, "i-2"), rest=b"x\n") as second,
    ):
        line_of(first)
        line_of(second)
        assert [arrival.admission.launch for arrival in host.arrivals] == [launch, None]


def test_the_bound_bridge_may_come_back_and_its_old_connection_is_closed(host: LiveHost, launch: Launch) -> None:
    with arrive(host, *launch_headers(launch), rest=b"x\n") as old:
        line_of(old)
        with arrive(host, *launch_headers(launch), rest=b"y\n") as new:
            assert line_of(new) == b"y\n"
            assert read_to_end(old) == b""
            new.sendall(b"z\n")
            assert line_of(new) == b"z\n"
    assert [arrival.admission.launch for arrival in host.arrivals] == [launch, launch]


def test_another_bridge_is_admitted_once_the_bound_one_has_been_gone_for_ten_seconds(
    host: LiveHost, launch: Launch
) -> None:
    with arrive(host, *launch_headers(launch), rest=b"x\n") as first:
        line_of(first)
    wait_for(lambda: host.run(host.server.connections) == 0)
    host.later = 11.0
    with arrive(host, *launch_headers(launch, "i-2"), rest=b"y\n") as second:
        line_of(second)
    assert [arrival.admission.launch for arrival in host.arrivals] == [launch, launch]


def test_a_bridge_with_a_wrong_launch_secret_is_no_guest_either(host: LiveHost) -> None:
    headers = ("X-Pullcept-Launch: wrong", "X-Pullcept-Room: topic-1", "X-Pullcept-Name: Sly")
    with arrive(host, *headers, rest=b"x\n") as wire:
        line_of(wire)
    assert host.arrivals[0].guest is None


def test_a_guest_bridge_names_its_room_and_itself(host: LiveHost) -> None:
    headers = ("X-Pullcept-Room: topic-1", "X-Pullcept-Name: %E8%A8%98%E9%8C%B2%E4%BF%82", "X-Pullcept-Hue: 725")
    with arrive(host, *headers, rest=b"x\n") as wire:
        line_of(wire)
    assert host.arrivals[0].guest == GuestClaim("topic-1", "記録係", 5)
    assert host.arrivals[0].admission.launch is None


@pytest.mark.parametrize("name", ["%ff", "", "%20"])
def test_a_guest_without_a_readable_name_is_no_guest(host: LiveHost, name: str) -> None:
    with arrive(host, "X-Pullcept-Room: topic-1", f"X-Pullcept-Name: {name}", rest=b"x\n") as wire:
        line_of(wire)
    assert host.arrivals[0].guest is None


def test_a_bridge_with_a_wrong_token_gets_no_upgrade(host: LiveHost, launch: Launch) -> None:
    request = upgrade_request(host, *launch_headers(launch), token="wrong")
    with host.raw() as wire:
        wire.sendall(request)
        assert status_of(wire.recv(4096)) == 401
    assert host.arrivals == []


def test_the_bridge_path_without_its_upgrade_says_so(host: LiveHost) -> None:
    assert status_of(host.http("GET", "/mcp", f"Authorization: Bearer {TOKEN}")) == 426
    assert status_of(host.http("GET", "/mcp", f"Authorization: Bearer {TOKEN}", "Upgrade: h2c")) == 426


def test_a_line_over_the_limit_leaves_the_bridge_usable(host: LiveHost, launch: Launch) -> None:
    async def serve(stream: BridgeStream, arrival: BridgeArrival) -> None:
        while True:
            try:
                line = await stream.read_line()
            except LineTooLong as error:
                line = str(error.size).encode()
            if line is None:
                return
            await stream.write_line(line)

    host.serve = serve
    with arrive(host, *launch_headers(launch)) as wire:
        wire.sendall(b"x" * (MAX_LINE_BYTES + 5) + b"\nafter\n")
        with wire.makefile("rb") as lines:
            assert lines.readline() == b"%d\n" % (MAX_LINE_BYTES + 5)
            assert lines.readline() == b"after\n"


def test_an_ended_launch_loses_its_bridges(host: LiveHost, launch: Launch) -> None:
    with arrive(host, *launch_headers(launch), rest=b"x\n") as wire:
        line_of(wire)
        host.run(host.server.drop_launch, launch.launch_secret)
        assert read_to_end(wire) == b""


@pytest.mark.expects_logged_errors
def test_a_server_that_fails_closes_its_bridge_only(host: LiveHost, launch: Launch) -> None:
    async def fail(stream: BridgeStream, arrival: BridgeArrival) -> None:
        raise RuntimeError("no")

    host.serve = fail
    with arrive(host, *launch_headers(launch)) as wire:
        assert read_to_end(wire) == b""
    with host.guest() as guest:
        assert guest.post("m-1")["delivered"] is True


def test_a_bridge_that_never_reads_holds_up_nobody(host: LiveHost, launch: Launch) -> None:
    async def flood(stream: BridgeStream, arrival: BridgeArrival) -> None:
        while True:
            await stream.write_line(b"x" * 100_000)
            await asyncio.sleep(0)

    host.serve = flood
    with arrive(host, *launch_headers(launch)), host.guest() as guest:
        assert guest.post("m-1")["delivered"] is True
    wait_for(lambda: host.run(host.server.connections) == 0)


def test_more_bridges_without_a_launch_than_allowed_are_refused_and_seats_never(
    host: LiveHost, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridges, "MAX_OTHER_BRIDGES", 1)
    with arrive(host, rest=b"x\n") as other:
        line_of(other)
        with host.raw() as second:
            second.sendall(upgrade_request(host))
            assert status_of(second.recv(4096)) == 503
        with arrive(host, *launch_headers(launch), rest=b"y\n") as seat:
            assert line_of(seat) == b"y\n"
            with arrive(host, *launch_headers(launch, "i-2")) as sibling:
                assert read_to_end(sibling) == b""


def test_when_the_app_closes_its_bridges_end(host: LiveHost, launch: Launch) -> None:
    with arrive(host, *launch_headers(launch), rest=b"x\n") as wire:
        line_of(wire)
        host.stop_server()
        assert read_to_end(wire) == b""


def test_a_launch_that_ends_in_the_moment_its_bridge_arrives_seats_nobody() -> None:
    launch, admissions = launch_of(), Admissions()
    admissions.add(launch)
    arrivals: list[BridgeArrival] = []

    async def serve(stream: BridgeStream, arrival: BridgeArrival) -> bool:
        arrivals.append(arrival)
        return True

    async def arrive_and_end() -> None:
        house = bridges.Bridges(admissions, serve, lambda: 0.0)
        headers = [(name, text) for name, _, text in (line.partition(": ") for line in launch_headers(launch))]
        house.open(RecordingTransport(), request_head("GET", "/mcp", headers))
        admissions.end(launch.seat, launch.generation)
        house.drop_launch(launch.launch_secret)
        for _ in range(3):
            await asyncio.sleep(0)

    asyncio.run(arrive_and_end())
    assert [arrival.admission.launch for arrival in arrivals] == [None]
