"""The app is killed at random moments while several clients post: what was reported delivered is in the log, once."""

import json
import random
import threading
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from tests.e2e.console_process import ConsoleProcess, GuestLine, all_gone, demo_account, write_config

KILLS = 20
CLIENTS = 4
SEED = 20_261


@dataclass
class Ledger:
    """What one client has sent and been told, over all runs of the app. `flying`: a post whose result is not here."""

    name: str
    delivered: list[str] = field(default_factory=list)
    undecided: list[tuple[str, str]] = field(default_factory=list)
    flying: tuple[str, str] | None = None
    last_seen: str | None = None
    trouble: list[str] = field(default_factory=list)


class Poster(threading.Thread):
    """One client: posts as fast as the room answers, until the connection ends or it is told to stop."""

    def __init__(self, ledger: Ledger, guest: GuestLine) -> None:
        super().__init__(name=f"poster {ledger.name}", daemon=True)
        self.ledger = ledger
        self._guest = guest
        self.stopped = threading.Event()

    def run(self) -> None:
        headers = {"Authorization": f"Bearer {self._guest.token}"}
        try:
            with connect(self._guest.url, additional_headers=headers, open_timeout=10) as room:
                self._say(room, {"type": "hello", "protocol": 11, "name": self.ledger.name, "room": self._guest.room})
                self._talk(room)
        except (WebSocketException, OSError, EOFError):
            pass
        if self.ledger.flying:
            self.ledger.undecided.append(self.ledger.flying)
            self.ledger.flying = None

    def _talk(self, room: ClientConnection) -> None:
        again, self.ledger.undecided = self.ledger.undecided, []
        number = 0
        while not self.stopped.is_set():
            number += 1
            fresh = (str(uuid.uuid4()), f"{self.ledger.name} says {number} 日本語🚀")
            self._post(room, *(again.pop() if again else fresh))

    def _post(self, room: ClientConnection, message_id: str, text: str) -> None:
        ledger = self.ledger
        ledger.flying = (message_id, text)
        frame = {"type": "post", "message_id": message_id, "content": text, "ts": "2026-11-30T09:00:00Z"}
        if ledger.last_seen:
            frame["last_seen"] = ledger.last_seen
        self._say(room, frame)
        answer = json.loads(room.recv(timeout=10))
        if answer.get("error"):
            ledger.trouble.append(str(answer))
        elif answer["delivered"]:
            ledger.delivered.append(message_id)
            ledger.last_seen = message_id
        else:
            ledger.last_seen = answer["missed"][-1]["message_id"]
        ledger.flying = None

    @staticmethod
    def _say(room: ClientConnection, frame: dict[str, object]) -> None:
        room.send(json.dumps(frame))


def logged_ids(folder: Path) -> list[str]:
    """The ids of every whole row of the one topic, in order."""
    (log,) = (folder / "logs" / "main").glob("*.jsonl")
    ids = []
    for line in log.read_bytes().split(b"\n"):
        try:
            ids.append(json.loads(line)["message_id"])
        except ValueError:
            continue
    return ids


def test_nothing_that_was_reported_delivered_is_lost_or_doubled_by_kills(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    print(f"seed {SEED}")
    write_config(tmp_path, [demo_account("aki", "Aki")])
    ledgers = [Ledger(f"client {number}") for number in range(CLIENTS)]
    kills_in_flight = 0
    for round_number in range(KILLS):
        kills_in_flight += run_and_kill(tmp_path, ledgers, chance, first=round_number == 0)
    print(f"{KILLS} kills, {kills_in_flight} of them between a post and its result")
    assert kills_in_flight > 0
    assert not [trouble for ledger in ledgers for trouble in ledger.trouble]
    ids = logged_ids(tmp_path)
    assert len(ids) == len(set(ids))
    delivered = [message_id for ledger in ledgers for message_id in ledger.delivered]
    assert len(delivered) > KILLS
    assert set(delivered) <= set(ids)
    assert len(delivered) == len(set(delivered))


def run_and_kill(folder: Path, ledgers: list[Ledger], chance: random.Random, *, first: bool) -> bool:
    """One life of the app. Returns whether it was killed between a post and its result."""
    with ConsoleProcess(folder) as console:
        console.wait_for("/help")
        if not first:
            newest = logged_ids(folder)[-1]
            console.type("/open 1")
            console.wait_for("says" if newest else "==")
        console.type("/start Aki")
        console.wait_for("Aki: Running")
        posters = [Poster(ledger, console.guest(ledger.name)) for ledger in ledgers]
        below = console.descendants()
        assert below, "the demo agent's process was not found"
        for poster in posters:
            poster.start()
        time.sleep(chance.uniform(0.02, 0.35))
        in_flight = any(ledger.flying for ledger in ledgers)
        console.kill()
        for poster in posters:
            poster.stopped.set()
            poster.join(15)
            assert not poster.is_alive()
        in_flight = in_flight and any(ledger.undecided for ledger in ledgers)
        assert not all_gone(below), "processes were left behind"
    return in_flight
