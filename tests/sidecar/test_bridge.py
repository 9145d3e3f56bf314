"""The bridge as a process: what a CLI sees of it, and what it survives."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pullcept.core import launch as launch_rules
from pullcept.core.launch import sidecar_line
from sidecar.relay import LOST
from tests.host.live_host import WAIT, wait_for
from tests.sidecar.seats import ENVELOPE, PULLCEPT, BridgeProcess, SeatHouse, text

POST = {"content": "hello everybody"}
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


@contextlib.contextmanager
def silent_listener() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def test_a_seat_gets_its_tools_and_its_post_reaches_the_room(house: SeatHouse) -> None:
    launch = house.seat("Lin")
    with BridgeProcess(house.environment(launch)) as bridge:
        result = bridge.shake_hands()
        assert result["serverInfo"]["name"] == "pullcept-room"
        assert '"Lin"' in result["serverInfo"]["title"]
        assert result["instructions"].startswith('You are "Lin"')
        assert bridge.tools() == ["say_to_room", "read_room_history"]
        said = bridge.call("say_to_room", POST)
    assert not said["isError"]
    assert text(said).startswith("Delivered to the room. message_id: ")
    assert [post.content for post in house.outside.logs["topic-1"]] == ["hello everybody"]
    assert house.outside.logs["topic-1"][0].speaker == "Lin"


def test_the_new_era_is_served_without_any_handshake(house: SeatHouse) -> None:
    with BridgeProcess(house.environment(house.seat())) as bridge:
        found = bridge.ask(1, "server/discover", {"_meta": ENVELOPE})["result"]
        assert found["instructions"].startswith('You are "Cody"')
        said = bridge.ask(2, "tools/call", {"name": "say_to_room", "arguments": POST, "_meta": ENVELOPE})
    assert "Delivered" in text(said["result"])
    assert json.loads(house.first_lines[0])["method"] == "server/discover"


def test_the_conversation_id_of_a_call_is_told_once(house: SeatHouse) -> None:
    with BridgeProcess(house.environment(house.seat())) as bridge:
        bridge.shake_hands()
        for number in (1, 2):
            call = {"name": "read_room_history", "arguments": {}, "_meta": {"sessionId": "thread-7"}}
            bridge.ask(number, "tools/call", call)
    assert house.conversations == ["thread-7"]


def test_a_second_process_of_the_same_session_gets_an_empty_server(house: SeatHouse) -> None:
    environ = house.environment(house.seat())
    with BridgeProcess(environ) as bridge:
        bridge.shake_hands()
        with BridgeProcess(environ) as nested:
            assert "instructions" not in nested.shake_hands()
            assert nested.tools() == []
            assert nested.call("say_to_room", POST)["isError"]
    assert house.outside.logs == {}


def test_a_process_started_after_the_first_one_takes_its_place_when_that_has_been_gone_for_long(
    house: SeatHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch_rules, "GONE_SECONDS", 1.0)
    environ = house.environment(house.seat())
    with BridgeProcess(environ) as bridge:
        bridge.shake_hands()
    with BridgeProcess(environ) as restarted:
        restarted.shake_hands()
        assert restarted.tools() == ["say_to_room", "read_room_history"]


def test_a_process_that_only_asks_what_there_is_leaves_the_seat_to_the_next(house: SeatHouse) -> None:
    environ = house.environment(house.seat())
    with BridgeProcess(environ) as probe:
        assert "instructions" in probe.ask(1, "server/discover", {"_meta": ENVELOPE})["result"]
        probe.end_input()
    with BridgeProcess(environ) as bridge:
        assert bridge.ask(1, "tools/list", {"_meta": ENVELOPE})["result"]["tools"] != []


def test_a_registration_of_another_name_gets_an_empty_server(house: SeatHouse) -> None:
    with BridgeProcess(house.environment(house.seat()), entry="other") as bridge:
        bridge.shake_hands()
        assert bridge.tools() == []


def test_a_guest_joins_by_name(house: SeatHouse) -> None:
    with BridgeProcess(house.guest_environment("客 @人")) as bridge:
        bridge.shake_hands()
        assert "Delivered" in text(bridge.call("say_to_room", POST))
    assert house.outside.logs["topic-1"][0].speaker == "客 @人"


def test_without_an_address_there_is_a_valid_server_with_nothing() -> None:
    with BridgeProcess({"PATH": os.environ.get("PATH", "")}) as bridge:
        assert "instructions" not in bridge.shake_hands()
        assert bridge.tools() == []


@pytest.mark.parametrize(
    "url", ["${PULLCEPT_ROOM_URL}", "ws://10.0.0.1:80/room", "ws://127.0.0.1:/room", "ws://127.0.0.1:99999"]
)
def test_an_address_that_is_none_is_named_by_the_tools(url: str) -> None:
    with BridgeProcess({"PULLCEPT_ROOM_URL": url, "PULLCEPT_AGENT_NAME": "Lin"}) as bridge:
        assert bridge.shake_hands()["instructions"].startswith('You are "Lin"')
        assert bridge.tools() == ["say_to_room", "read_room_history"]
        said = bridge.call("say_to_room", POST)
    assert said["isError"]
    assert text(said).startswith("room not reachable: PULLCEPT_ROOM_URL is not an address on this computer")


def test_a_closed_app_is_named_by_the_tools_in_both_eras() -> None:
    environ = {"PULLCEPT_ROOM_URL": f"ws://127.0.0.1:{closed_port()}/room", "PULLCEPT_ROOM_TOKEN": "t"}
    with BridgeProcess(environ) as bridge:
        begun = time.monotonic()
        assert "say_to_room" in bridge.ask(1, "server/discover", {"_meta": ENVELOPE})["result"]["instructions"]
        assert time.monotonic() - begun < 5
        call = {"name": "read_room_history", "arguments": {}, "_meta": ENVELOPE}
        assert text(bridge.ask(2, "tools/call", call)["result"]).startswith(
            "room not reachable: nothing listens at port"
        )


def test_without_the_sdk_every_request_gets_an_error_that_says_so() -> None:
    code = (
        "import sys\n"
        f"sys.path.insert(0, {str(Path(PULLCEPT).parent)!r})\n"
        "sys.modules['mcp.server'] = None\n"
        "from sidecar.bridge import main\n"
        "main([])\n"
    )
    environ = {"PULLCEPT_ROOM_URL": f"ws://127.0.0.1:{closed_port()}/room"}
    with BridgeProcess(environ, command=[sys.executable, "-I", "-S", "-c", code]) as bridge:
        for number in (1, 2):
            message = bridge.ask(number, "initialize")["error"]["message"]
            assert message.startswith("room not reachable: nothing listens at port")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_hundred_thousand_lines_of_anything_are_answered_and_take_no_memory(house: SeatHouse) -> None:
    chance = random.Random(7)
    pieces = [b'{"jsonrpc":"2.0","id":', b"1", b'"a"', b',"method":"', b"tools/list", b'"}', b"[", b"{", b"\xff", b"\0"]
    with BridgeProcess(house.environment(house.seat())) as bridge:
        bridge.shake_hands()
        before = resident(bridge)
        for number in range(1000):
            lines = [b"".join(chance.choices(pieces, k=chance.randrange(8))) for _ in range(100)]
            bridge.send_bytes(b"\n".join(lines) + b"\n")
            bridge.send({"jsonrpc": "2.0", "id": f"end-{number}", "method": "ping"})
            while bridge.read().get("id") != f"end-{number}":
                pass
        assert bridge.tools() != []
        assert resident(bridge) < before + 4 * 1024


def resident(bridge: BridgeProcess) -> int:
    """Kilobytes the process holds."""
    status = Path(f"/proc/{bridge.process.pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0])


def test_the_token_of_another_run_is_refused_and_said(house: SeatHouse) -> None:
    environ = {**house.environment(house.seat()), "PULLCEPT_ROOM_TOKEN": "${PULLCEPT_ROOM_TOKEN}"}
    with BridgeProcess(environ) as bridge:
        bridge.shake_hands()
        assert "started by another run of the app" in text(bridge.call("say_to_room", POST))


def test_the_end_of_input_ends_it_at_once(house: SeatHouse) -> None:
    with BridgeProcess(house.environment(house.seat())) as bridge:
        bridge.shake_hands()
        assert bridge.end_input() < 3


def test_the_end_of_input_ends_it_while_a_listener_does_not_answer() -> None:
    with silent_listener() as port:
        with BridgeProcess({"PULLCEPT_ROOM_URL": f"http://127.0.0.1:{port}"}) as bridge:
            bridge.send({"jsonrpc": "2.0", "id": 1, "method": "initialize"})
            assert bridge.end_input() < 3


def test_a_listener_that_does_not_answer_does_not_hold_the_handshake_up() -> None:
    with silent_listener() as port:
        with BridgeProcess({"PULLCEPT_ROOM_URL": f"http://127.0.0.1:{port}"}) as bridge:
            assert "say_to_room" in bridge.shake_hands()["instructions"]
            assert text(bridge.call("say_to_room", POST)).startswith("room not reachable: ")


def test_a_request_that_ends_with_the_input_is_still_answered(house: SeatHouse) -> None:
    environ = house.environment(house.seat())
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    command = [sys.executable, PULLCEPT, "sidecar", "--entry", "pullcept-room"]
    done = subprocess.run(command, input=request.encode(), capture_output=True, env=environ, timeout=WAIT, check=True)
    assert json.loads(done.stdout)["id"] == 1


def test_odd_folders_of_app_and_project_do_no_harm(house: SeatHouse, tmp_path: Path) -> None:
    app, project = tmp_path / "Apps (x86)" / "Pull cept & Co" / "日本", tmp_path / "My Work"
    project.mkdir()
    for package in ("pullcept", "sidecar"):
        shutil.copytree(Path(PULLCEPT).parent / package, app / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PULLCEPT, app)
    line = sidecar_line(sys.executable, str(app / "pullcept.py")).with_entry("pullcept-room")
    with BridgeProcess(house.environment(house.seat()), command=line.argv, cwd=project) as bridge:
        bridge.shake_hands()
        assert bridge.tools() == ["say_to_room", "read_room_history"]
    assert list(project.iterdir()) == []


@posix_only
def test_it_ends_when_its_parent_is_gone_even_if_the_pipe_stays_open(house: SeatHouse) -> None:
    reading, writing = os.pipe()
    command = [sys.executable, PULLCEPT, "sidecar", "--entry", "pullcept-room"]
    parent = f"import subprocess; print(subprocess.Popen({command!r}, stdin={reading}).pid, flush=True); input()"
    starter = subprocess.Popen(
        [sys.executable, "-c", parent],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[reading],
        env=house.environment(house.seat()),
    )
    with starter:
        assert starter.stdin is not None
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        wait_for(lambda: house.streams)
        starter.stdin.write(b"\n")
    wait_for(lambda: not _is_alive(pid))
    os.close(reading)
    os.close(writing)


def _is_alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    if sys.platform == "linux":
        return stat.exists() and stat.read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@posix_only
def test_an_interrupt_of_the_terminal_does_not_end_it(house: SeatHouse) -> None:
    with BridgeProcess(house.environment(house.seat())) as bridge:
        bridge.shake_hands()
        bridge.process.send_signal(signal.SIGINT)
        assert bridge.tools() != []


def test_a_mark_before_the_first_message_and_carriage_returns_do_no_harm(house: SeatHouse) -> None:
    with BridgeProcess(house.environment(house.seat())) as bridge:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        bridge.send_bytes(b"\xef\xbb\xbf" + message.encode() + b"\r\n\r\n")
        assert bridge.read()["id"] == 1


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{nonsense", -32700),
        (b"\xff\xfe", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe', -32700),
        (b"[" * 100_000, -32700),
        (b'{"id":' + b"9" * 5000 + b"}", -32700),
        (b"[]", -32600),
        (b"null", -32600),
        (b'{"jsonrpc":"2.0","id":[1],"method":"tools/list"}', -32600),
        (b'{"jsonrpc":"2.0"}', -32600),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"x"}', -32700),
        (b'{"jsonrpc":"2.0","id":1e400,"method":"x"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"x"}', -32600),
    ],
)
def test_a_line_that_is_no_message_is_answered_and_the_next_one_works(house: SeatHouse, line: bytes, code: int) -> None:
    with BridgeProcess(house.environment(house.seat())) as bridge:
        bridge.send_bytes(line + b"\n")
        answer = bridge.read()
        assert (answer["id"], answer["error"]["code"]) == (None, code)
        bridge.shake_hands()
        assert bridge.tools() != []


def test_half_a_character_in_a_post_does_not_lose_the_post(house: SeatHouse) -> None:
    with BridgeProcess(house.environment(house.seat())) as bridge:
        bridge.shake_hands()
        bridge.send_bytes(
            b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"say_to_room",'
            b'"arguments":{"content":"cut \\ud83d here"}}}\n'
        )
        assert "Delivered" in text(bridge.read()["result"])
    assert house.outside.logs["topic-1"][0].content in ("cut ? here", "cut \ufffd here")


def test_ten_megabytes_get_a_clear_error_and_the_next_post_works(house: SeatHouse) -> None:
    with BridgeProcess(house.environment(house.seat())) as bridge:
        bridge.shake_hands()
        said = bridge.call("say_to_room", {"content": "x" * 10_000_000})
        assert said["isError"]
        assert "10000000 bytes" in text(said)
        assert "Delivered" in text(bridge.call("say_to_room", POST))


def test_a_message_over_the_limit_of_a_line_is_answered_and_the_next_one_works(house: SeatHouse) -> None:
    with BridgeProcess(house.environment(house.seat())) as bridge:
        bridge.shake_hands()
        bridge.send_bytes(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (17 * 1024 * 1024) + b'"}\n')
        assert "too long" in bridge.read()["error"]["message"]
        assert bridge.tools() != []


@pytest.mark.parametrize("encoding", ["cp932", "cp1252"])
def test_the_code_page_of_the_system_changes_nothing(house: SeatHouse, encoding: str) -> None:
    environ = {**house.environment(house.seat()), "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C"}
    said = "日本語🚀—\u00a0"
    command = [sys.executable, PULLCEPT, "sidecar", "--entry", "pullcept-room"]
    with BridgeProcess(environ, command=command) as bridge:
        bridge.shake_hands()
        assert "Delivered" in text(bridge.call("say_to_room", {"content": said}))
        assert said.strip() in text(bridge.call("read_room_history"))
    assert house.outside.logs["topic-1"][0].content == said


def test_nothing_but_the_protocol_reaches_the_output(house: SeatHouse, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import atexit, threading, time, sys\n"
        "def shout():\n"
        "    while 'sidecar.bridge' not in sys.modules: time.sleep(0.01)\n"
        "    time.sleep(0.2); print('x', flush=True)\n"
        "    import os; os.system('echo y')\n"
        "threading.Thread(target=shout, daemon=True).start()\n",
        encoding="utf-8",
    )
    environ = {**house.environment(house.seat()), "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, PULLCEPT, "sidecar", "--entry", "pullcept-room"]
    with BridgeProcess(environ, command=command) as bridge:
        bridge.shake_hands()
        wait_for(lambda: b"x\n" in bridge.errors and b"y\n" in bridge.errors)
        assert bridge.has_read_nothing()
        assert bridge.tools() != []


def test_a_lost_connection_comes_back_with_name_place_and_draft(house: SeatHouse) -> None:
    launch = house.seat("Lin")
    with BridgeProcess(house.environment(launch)) as bridge, house.guest("Other") as other:
        bridge.shake_hands()
        assert "Delivered" in text(bridge.call("say_to_room", POST))
        other.post("o-1", "something new", last_seen=house.outside.logs["topic-1"][0].message_id)
        assert "o-1" in text(bridge.call("say_to_room", {"content": "my draft"}))
        house.run(house.streams[-1].close)
        wait_for(lambda: len(house.streams) == 2)
        assert "Delivered" in text(bridge.call("say_to_room", {"last_seen": "o-1"}))
        assert bridge.has_read_nothing()
    posts = house.outside.logs["topic-1"]
    assert [post.content for post in posts] == ["hello everybody", "something new", "my draft"]
    assert [line for line in house.first_lines if b'"initialize"' in line] != []


def test_the_draft_outlives_the_process_of_the_clis_server(house: SeatHouse) -> None:
    launch = house.seat("Lin")
    with house.guest("Other") as other:
        with BridgeProcess(house.environment(launch)) as bridge:
            bridge.shake_hands()
            other.post("o-1", "something new")
            assert bridge.call("say_to_room", {"content": "my draft", "last_seen": "unknown"})["isError"]
        draft = house.memory(launch).draft
    assert draft is not None
    assert draft.content == "my draft"


def test_a_call_whose_connection_breaks_is_answered_with_the_doubt(house: SeatHouse) -> None:
    with BridgeProcess(house.environment(house.seat())) as bridge:
        bridge.shake_hands()

        def append_and_break(*_: object) -> bool:
            house.streams[-1]._transport.abort()
            raise OSError("the app is killed in the middle")

        house.outside.append = append_and_break  # type: ignore[method-assign]
        bridge.send(
            {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "say_to_room", "arguments": POST}}
        )
        result = bridge.read()["result"]
        assert result["isError"]
        assert LOST.partition("}")[2].strip() in text(result)
        assert bridge.tools() != []


test_a_call_whose_connection_breaks_is_answered_with_the_doubt = pytest.mark.expects_logged_errors(
    test_a_call_whose_connection_breaks_is_answered_with_the_doubt
)


def test_the_room_coming_up_later_takes_over_from_the_error(house: SeatHouse) -> None:
    environ = house.environment(house.seat())
    port = closed_port()
    with BridgeProcess({**environ, "PULLCEPT_ROOM_URL": f"ws://127.0.0.1:{port}/room"}) as bridge:
        bridge.shake_hands()
        assert text(bridge.call("say_to_room", POST)).startswith("room not reachable")
        with forwarded(port, house.port):
            assert "Delivered" in text(bridge.call("say_to_room", POST))
    assert len(house.outside.logs["topic-1"]) == 1


@contextlib.contextmanager
def forwarded(port: int, to: int) -> Iterator[None]:
    """One connection to `port` goes to `to`, with the address in its head changed."""
    import threading

    listener = socket.create_server(("127.0.0.1", port))

    def carry() -> None:
        inner, _ = listener.accept()
        outer = socket.create_connection(("127.0.0.1", to))
        head = inner.recv(65536).replace(f"127.0.0.1:{port}".encode(), f"127.0.0.1:{to}".encode())
        outer.sendall(head)
        back = threading.Thread(target=_copy, args=(outer, inner))
        back.start()
        _copy(inner, outer)
        back.join()
        inner.close()
        outer.close()

    thread = threading.Thread(target=carry)
    thread.start()
    try:
        yield
    finally:
        listener.close()
    thread.join(0)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


SHORT_JUMP = (
    "import sys\n"
    f"sys.path.insert(0, {str(Path(PULLCEPT).parent)!r})\n"
    "import sidecar.relay\n"
    "sidecar.relay.JUMP_SECONDS = 1.5\n"
    "from sidecar.bridge import main\n"
    "main(['--entry', 'pullcept-room'])\n"
)
"""The bridge, except that a pause of 1.5 s counts as the long sleep that 30 s are."""


@posix_only
def test_a_process_that_was_stopped_for_long_connects_anew_and_posts_once(house: SeatHouse) -> None:
    command = [sys.executable, "-I", "-S", "-c", SHORT_JUMP]
    with BridgeProcess(house.environment(house.seat()), command=command) as bridge:
        bridge.shake_hands()
        bridge.process.send_signal(signal.SIGSTOP)
        call = {"name": "say_to_room", "arguments": POST}
        bridge.send({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call})
        stopped = time.monotonic()
        wait_for(lambda: time.monotonic() - stopped > 2.5)
        bridge.process.send_signal(signal.SIGCONT)
        assert "Delivered" in text(bridge.read(5)["result"])
        assert bridge.tools() == ["say_to_room", "read_room_history"]
    assert len(house.streams) == 2
    assert len(house.outside.logs["topic-1"]) == 1


def test_a_bridge_killed_at_any_moment_of_a_post_loses_and_doubles_nothing(
    house: SeatHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch_rules, "GONE_SECONDS", 0.0)
    environ, chance, delivered = house.environment(house.seat()), random.Random(20_261), 0
    for number in range(16):
        before = len(house.outside.logs.get("topic-1", []))
        with BridgeProcess(environ) as bridge:
            bridge.shake_hands()
            call = {"name": "say_to_room", "arguments": {"content": f"post {number}"}}
            bridge.send({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call})
            threading.Event().wait(chance.uniform(0.0, 0.004))
            bridge.process.kill()
            bridge.process.wait(WAIT)
            answered = "Delivered" in str(bridge.read_if_any())
        delivered += answered
        wait_for(lambda: not house.run(house.hub.participants, "topic-1"))
        said = [post.content for post in house.outside.logs.get("topic-1", [])[before:]]
        assert said in ([f"post {number}"], *([] if answered else [[]]))
    print(f"{delivered} of 16 were answered before the kill")


def test_a_frozen_room_loses_none_of_its_seats_and_nobody_leaves_or_joins(house: SeatHouse) -> None:
    seats = [house.seat(f"S{number}", account=f"acc-{number}") for number in range(6)]
    with contextlib.ExitStack() as stack:
        bridges = [stack.enter_context(BridgeProcess(house.environment(seat))) for seat in seats]
        for bridge in bridges:
            bridge.shake_hands()
        rosters = house.outside.rosters
        house.loop.call_soon_threadsafe(time.sleep, 1.5)
        for bridge in bridges:
            call = {"name": "read_room_history", "arguments": {}}
            bridge.send({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call})
        house.run(house.server.beat, slept=True)
        assert all("S5" in text(bridge.read()["result"]) for bridge in bridges)
        assert (len(house.streams), house.outside.rosters) == (6, rosters)


def test_it_starts_without_anything_heavy(house: SeatHouse) -> None:
    """Asked of a bridge that has answered: it prints what it has loaded when its input ends."""
    code = (
        "import sys\n"
        f"sys.path.insert(0, {str(Path(PULLCEPT).parent)!r})\n"
        "import sidecar.bridge as bridge\n"
        "end = bridge._end_process\n"
        "bridge._end_process = lambda: (sys.stderr.write(' '.join(sys.modules)), sys.stderr.flush(), end())\n"
        "bridge.main(['--entry', 'pullcept-room'])\n"
    )
    with BridgeProcess(house.environment(house.seat()), command=[sys.executable, "-I", "-S", "-c", code]) as bridge:
        bridge.shake_hands()
        assert bridge.tools() != []
        bridge.end_input()
        wait_for(lambda: b"sidecar.bridge" in bridge.errors)
    loaded = set(bridge.errors.decode().split())
    assert (
        loaded
        & {"mcp", "pydantic", "asyncio", "websockets", "tkinter", "ssl", "http", "email", "typing", "dataclasses"}
        == set()
    )


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_it_stays_small_while_the_room_is_there(house: SeatHouse) -> None:
    with BridgeProcess(house.environment(house.seat())) as bridge:
        bridge.shake_hands()
        bridge.call("say_to_room", POST)
        size = resident(bridge)
        maps = Path(f"/proc/{bridge.process.pid}/maps").read_text(encoding="utf-8")
    assert size < 15 * 1024
    assert "pydantic" not in maps
