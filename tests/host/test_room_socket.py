"""The room's public way in, spoken by clients that know nothing of this program."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import websocket
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from pullcept.core.protocol import MAX_FRAME_BYTES, MAX_POST_BYTES
from pullcept.host import room_socket, server
from tests.host.live_host import TOKEN, TOPIC, LiveHost, RoomClient, read_to_end, wait_for

type MakeClient = Callable[..., websocket.WebSocket]
TS = "2026-11-30T00:00:00Z"


@pytest.fixture
def foreign_client(host: LiveHost) -> Iterator[MakeClient]:
    """Makes clients of another library, unmodified; they send no Origin when told so."""
    with contextlib.ExitStack() as stack:

        def make(name: str = "") -> websocket.WebSocket:
            client = websocket.create_connection(
                f"ws://127.0.0.1:{host.port}/room",
                header=[f"Authorization: Bearer {TOKEN}"],
                suppress_origin=True,
                socket=stack.enter_context(host.raw()),
            )
            if name:
                client.send(json.dumps({"type": "hello", "protocol": 11, "name": name, "room": TOPIC}))
            return client

        yield make


def test_a_foreign_client_holds_a_conversation(host: LiveHost, foreign_client: MakeClient) -> None:
    client = foreign_client()
    other = foreign_client()

    def ask(wire: websocket.WebSocket, **frame: Any) -> dict[str, Any]:
        wire.send(json.dumps(frame))
        heard: dict[str, Any] = json.loads(wire.recv())
        return heard

    client.send(json.dumps({"type": "hello", "protocol": 11, "name": "Ann", "room": TOPIC, "hue": 40}))
    other.send(json.dumps({"type": "hello", "protocol": 11, "name": "Ben", "room": TOPIC}))
    assert ask(other, type="history", request_id="r-0")["posts"] == []
    said = ask(client, type="post", message_id="m-1", content="@Ben hello 人", ts=TS)
    assert said == {"type": "post_result", "message_id": "m-1", "delivered": True, "missed": []}
    late = ask(other, type="post", message_id="m-2", content="first!", ts=TS)
    assert late["delivered"] is False
    assert [(item["message_id"], item["speaker"], item["to"]) for item in late["missed"]] == [("m-1", "Ann", ["Ben"])]
    assert ask(other, type="post", message_id="m-2", content="second", ts=TS, last_seen="m-1")["delivered"] is True
    told = ask(client, type="history", request_id="r-1", limit=1)
    assert [item["content"] for item in told["posts"]] == ["second"]
    assert told["has_more"] is True
    assert told["participants"] == ['"Ann" (guest, connected)', '"Ben" (guest, connected)']
    assert ask(client, type="usage", request_id="r-2")["error"]
    assert "not available yet" in ask(client, type="session_list", request_id="r-3")["error"]
    assert [post.role for post in host.outside.logs[TOPIC]] == ["unknown", "unknown"]
    client.close()
    other.close()
    wait_for(lambda: host.run(host.hub.participants, TOPIC) == ())


def test_a_client_that_names_its_origin_as_web_pages_do_is_kept_out(host: LiveHost) -> None:
    with host.raw() as wire, pytest.raises(websocket.WebSocketBadStatusException) as refused:
        websocket.create_connection(
            f"ws://127.0.0.1:{host.port}/room", header=[f"Authorization: Bearer {TOKEN}"], socket=wire
        )
    assert refused.value.status_code == 403


@pytest.mark.parametrize("account", ["acc-person", "acc-1", None])
def test_a_token_holder_that_claims_an_account_is_a_guest(host: LiveHost, account: str | None) -> None:
    with host.client() as wire:
        client = RoomClient(wire)
        claim = {"account_id": account} if account else {}
        client.say({"type": "hello", "protocol": 11, "name": "Person", "room": TOPIC, **claim})
        assert client.post("m-1")["delivered"] is True
        assert client.ask({"type": "usage", "request_id": "r"})["error"]
        assert client.ask({"type": "session_control", "request_id": "r", "operation_id": "o", "operation": {}})["error"]
    post = host.outside.logs[TOPIC][0]
    assert (post.role, post.account) == ("unknown", None)


def test_a_frame_of_two_mebibytes_is_answered_and_the_connection_stays(host: LiveHost) -> None:
    with host.guest() as guest:
        assert "content" in guest.post("m-1", "x" * (2 * 1024 * 1024))["error"]
        assert guest.post("m-2", "x" * MAX_POST_BYTES)["delivered"] is True
        assert "content" in guest.post("m-3", "x" * (MAX_POST_BYTES + 1))["error"]
        assert guest.post("m-4", "人" * (MAX_POST_BYTES // 3 + 1))["error"]
        assert guest.post("m-5")["delivered"] is True
    assert [post.message_id for post in host.outside.logs[TOPIC]] == ["m-2", "m-5"]


def test_a_message_over_the_transport_limit_ends_its_own_connection_only(host: LiveHost) -> None:
    with host.guest("Other") as other, host.guest() as guest:
        with pytest.raises(ConnectionClosed) as closed:
            guest.post("m-1", "x" * (MAX_FRAME_BYTES + 1))
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
        assert other.post("m-2")["delivered"] is True


def test_a_message_in_many_fragments_is_one_message(host: LiveHost) -> None:
    with host.client() as wire:
        client = RoomClient(wire)
        wire.send(iter(json.dumps({"type": "hello", "protocol": 11, "name": "Frag", "room": TOPIC})))
        wire.send(
            iter(json.dumps({"type": "post", "message_id": "m-1", "content": "人", "ts": TS}, ensure_ascii=False))
        )
        assert client.hear()["delivered"] is True
    assert host.outside.logs[TOPIC][0].content == "人"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"type": 1}',
        '{"type": "unknown", "x": 1}',
        '{"type": "post"}',
        '{"type": "post", "message_id": 1}',
        '{"type": "identity", "name": "x", "full_name": "y"}',
        "[" * 100_000,
        '{"type": "hello", "protocol": ' + "9" * 5000 + "}",
        '{"type": "post", "message_id": "\\ud800"}',
        "NaN",
    ],
)
def test_a_message_that_makes_no_sense_leaves_the_connection_usable(host: LiveHost, text: str) -> None:
    with host.guest() as guest:
        guest.wire.send(text)
        guest.say({"type": "usage", "request_id": "r-last"})
        while guest.hear().get("request_id") != "r-last":
            continue
        assert guest.post("m-1")["delivered"] is True


def test_a_post_with_a_wrong_key_is_answered_with_its_name(host: LiveHost) -> None:
    with host.guest() as guest:
        answer = guest.ask({"type": "post", "message_id": "m-1", "content": 5, "ts": TS})
        assert answer["type"] == "post_result"
        assert answer["message_id"] == "m-1"
        assert "content" in answer["error"]


def test_a_text_message_that_is_not_utf8_ends_its_connection_with_the_right_code(
    host: LiveHost, foreign_client: MakeClient
) -> None:
    client = foreign_client()
    client.send(b"\xff\xfe", opcode=websocket.ABNF.OPCODE_TEXT)
    assert client.recv_data() == (websocket.ABNF.OPCODE_CLOSE, b"\x03\xefa text message is not UTF-8")
    client.close()
    with host.guest() as guest:
        assert guest.post("m-1")["delivered"] is True


@pytest.mark.parametrize("raw", [b"\x81\x05hello", b"\xff\x80\x00\x00\x00\x00", b"\x80\x80\x00\x00\x00\x00"])
def test_broken_framing_ends_its_own_connection_only(host: LiveHost, raw: bytes) -> None:
    with host.guest() as broken, host.guest() as guest:
        broken.wire.socket.sendall(raw)
        with pytest.raises(ConnectionClosed) as closed:
            broken.hear()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1002
        assert guest.post("m-1")["delivered"] is True


def test_a_connection_that_dies_is_taken_off_the_roster(host: LiveHost) -> None:
    with host.guest("Doomed") as guest:
        wait_for(lambda: host.run(host.hub.participants, TOPIC))
        guest.wire.socket.shutdown(socket.SHUT_RDWR)
        wait_for(lambda: host.run(host.hub.participants, TOPIC) == ())


def test_of_fifty_posts_at_once_with_one_last_seen_exactly_one_is_accepted_each_round(host: LiveHost) -> None:
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(host.client()) for _ in range(50)]
        for number, wire in enumerate(clients):
            RoomClient(wire).say({"type": "hello", "protocol": 11, "name": f"C{number}", "room": TOPIC})
        last_seen = ""
        for round_number in range(3):
            last_seen = check_round(clients, f"r{round_number}", last_seen)
    assert len(host.outside.logs[TOPIC]) == 3


def check_round(clients: list[ClientConnection], prefix: str, last_seen: str) -> str:
    """All post at once; exactly one gets through and everybody else is shown that one. Gives its id."""
    barrier = threading.Barrier(len(clients))
    answers: list[dict[str, Any]] = []
    threads = [
        threading.Thread(target=post_at_once, args=(wire, barrier, f"{prefix}-{number}", last_seen, answers))
        for number, wire in enumerate(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    accepted = [answer["message_id"] for answer in answers if answer["delivered"]]
    refused = [answer["missed"] for answer in answers if not answer["delivered"]]
    assert len(accepted) == 1
    assert len(refused) == len(clients) - 1
    assert all([item["message_id"] for item in missed] == accepted for missed in refused)
    return str(accepted[0])


def post_at_once(
    wire: ClientConnection, barrier: threading.Barrier, message_id: str, last_seen: str, answers: list[dict[str, Any]]
) -> None:
    client = RoomClient(wire)
    barrier.wait(20)
    answers.append(client.post(message_id, **({"last_seen": last_seen} if last_seen else {})))


def test_two_hundred_long_posts_of_history_come_in_pages_that_fit(host: LiveHost) -> None:
    with host.guest() as guest:
        for number in range(200):
            assert guest.post(f"m-{number}", f"{number} " + "x" * 20_000)["delivered"] is True
        read: list[str] = []
        before: dict[str, str] = {}
        while True:
            guest.say({"type": "history", "request_id": "r", "limit": 200, **before})
            text = guest.wire.recv(timeout=10)
            assert len(text) <= 900 * 1024
            page = json.loads(text)
            read[:0] = [item["message_id"] for item in page["posts"]]
            if not page["has_more"]:
                break
            before = {"before": page["posts"][0]["message_id"]}
        assert read == [f"m-{number}" for number in range(200)]


def test_history_before_an_unknown_post_says_so(host: LiveHost) -> None:
    with host.guest() as guest:
        assert "before" in guest.ask({"type": "history", "request_id": "r", "before": "nope"})["error"]


def test_a_client_that_never_reads_stalls_nobody_and_is_dropped(
    host: LiveHost, foreign_client: MakeClient, caplog: pytest.LogCaptureFixture
) -> None:
    with host.guest("Writer") as writer:
        for number in range(60):
            writer.post(f"m-{number}", "x" * 20_000)
        wire = foreign_client("Deaf")
        for number in range(40):
            wire.send(json.dumps({"type": "history", "request_id": f"r-{number}", "limit": 200}))
        wait_for(lambda: any(client.holds_back for client in host.run(host.server.clients)))
        assert writer.post("m-last")["delivered"] is True
        assert len(host.run(host.hub.participants, TOPIC)) == 2
        assert host.outside.histories_read < 40
        for _ in range(room_socket.STALLED_BEATS):
            host.run(host.server.beat, slept=False)
        wait_for(lambda: len(host.run(host.hub.participants, TOPIC)) == 1)
        assert writer.post("m-after")["delivered"] is True
    assert any("does not read its answers" in record.message for record in caplog.records)


def test_a_client_that_pipelines_a_flood_keeps_no_other_waiting(host: LiveHost) -> None:
    with host.guest("Flood") as flood, host.guest("Calm") as calm:
        frames = [json.dumps({"type": "usage", "request_id": f"r-{number}"}) for number in range(3000)]
        sender = threading.Thread(target=lambda: deque(map(flood.wire.send, frames)))
        sender.start()
        assert calm.ask({"type": "usage", "request_id": "c"})["request_id"] == "c"
        heard = [flood.hear()["request_id"] for _ in range(3000)]
        sender.join(20)
    assert heard == [f"r-{number}" for number in range(3000)]


def test_pings_are_answered_both_ways(host: LiveHost) -> None:
    with host.guest() as guest:
        assert guest.wire.ping().wait(10)
        for _ in range(room_socket.STALLED_BEATS):
            host.run(host.server.beat, slept=False)
        assert guest.post("m-1")["delivered"] is True


def test_a_client_without_a_sign_of_life_is_dropped(host: LiveHost, foreign_client: MakeClient) -> None:
    foreign_client("Dead")
    wait_for(lambda: host.run(host.hub.participants, TOPIC))
    for _ in range(20):
        host.run(host.server.beat, slept=False)
    wait_for(lambda: host.run(host.hub.participants, TOPIC) == ())


def test_after_a_long_pause_no_client_is_dropped_for_being_late(host: LiveHost, foreign_client: MakeClient) -> None:
    for number in range(6):
        foreign_client(f"C{number}")
    wait_for(lambda: len(host.run(host.hub.participants, TOPIC)) == 6)
    for _ in range(15):
        host.run(host.server.beat, slept=False)
    host.run(host.server.beat, slept=True)
    rosters = host.outside.rosters
    for _ in range(10):
        host.run(host.server.beat, slept=False)
    assert len(host.run(host.hub.participants, TOPIC)) == 6
    assert host.outside.rosters == rosters


def test_when_the_app_closes_its_clients_are_told(
    host: LiveHost, foreign_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "FAREWELL_SECONDS", 0.1)
    client = foreign_client("Last")
    wait_for(lambda: host.run(host.hub.participants, TOPIC))
    host.stop_server()
    assert client.recv_data() == (websocket.ABNF.OPCODE_CLOSE, b"\x03\xe9the app is closing")
    client.close()


def text_frame(frame: dict[str, Any]) -> bytes:
    """One masked text frame as it stands on the wire."""
    data = json.dumps({**frame, "padding": "x" * 126}).encode()
    return b"\x81\xfe%s\x00\x00\x00\x00%s" % (len(data).to_bytes(2), data)


def handshake(host: LiveHost) -> bytes:
    """A whole handshake request."""
    lines = [
        "GET /room HTTP/1.1",
        f"Host: localhost:{host.port}",
        f"Authorization: Bearer {TOKEN}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ]
    return "\r\n".join([*lines, "", ""]).encode()


HASTY_HELLO = {"type": "hello", "protocol": 11, "name": "Hasty", "room": TOPIC}


def post_frame(number: int) -> bytes:
    return text_frame({"type": "post", "message_id": f"m-{number}", "content": "x" * 300, "ts": TS})


def test_a_post_that_comes_with_the_handshake_is_taken_after_it(host: LiveHost) -> None:
    with host.raw() as wire:
        wire.sendall(handshake(host) + text_frame(HASTY_HELLO) + post_frame(1))
        heard = b""
        while b"m-1" not in heard:
            heard += wire.recv(4096)
    assert heard.startswith(b"HTTP/1.1 101 ")
    assert len(host.outside.logs[TOPIC]) == 1


def test_what_was_said_right_before_leaving_was_said(host: LiveHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room_socket, "TURN_SECONDS", 0.0)
    posts = b"".join(post_frame(number) for number in range(400))
    goodbye = b"\x88\x80\x00\x00\x00\x00"
    with host.raw() as wire:
        wire.sendall(handshake(host) + text_frame(HASTY_HELLO) + posts + goodbye)
        read_to_end(wire)
    wait_for(lambda: host.run(host.hub.participants, TOPIC) == ())
    assert len(host.outside.logs[TOPIC]) == 400
