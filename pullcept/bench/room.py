"""The rows about rooms: posting in memory, over the socket, and blind."""

import json
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pullcept.bench.harness import Bench, Measured
from pullcept.bench.room_house import TOPIC, TS, MemorySeat, open_house, write_posts
from pullcept.core.protocol import PostFrame, PostResult
from pullcept.host.hub import Hub

SEATS = 8
SAMPLES = 7
BODY = "the build is green, details follow. 詳細は続く。" * 2
ACCEPT_POSTS = 5_000
REFUSE_ROUNDS = 200
SOCKET_POSTS = 4_000
CORPUS = 100_000
TOKEN = "bench"
PROCESS_SECONDS = 120


def accept(bench: Bench) -> list[Measured]:
    """Posts a second of eight seats in memory that take turns and have seen everything; each post is in the log."""
    path = bench.folder / "accept.jsonl"
    hub, outside = open_house(path)
    seats = _seats(hub)
    samples = tuple(_accept_rate(seats, f"accept-{number}") for number in range(SAMPLES))
    outside.log.close()
    rows = path.read_bytes().count(b"\n")
    if rows != SAMPLES * ACCEPT_POSTS:
        raise RuntimeError(f"{rows} rows in the log for {SAMPLES * ACCEPT_POSTS} posts")
    return [Measured("room.accept", samples, size=SEATS, detail=f"{SEATS} seats, {rows} posts in the log")]


def refuse(bench: Bench) -> list[Measured]:
    """Rounds in which not exactly one of eight blind posts got through, or a refusal did not carry what was missed."""
    path = bench.folder / "refuse.jsonl"
    hub, outside = open_house(path)
    seats = _seats(hub)
    newest: str | None = None
    samples: list[float] = []
    for sample in range(SAMPLES):
        wrong = 0
        for number in range(REFUSE_ROUNDS):
            accepted = _blind_round(seats, f"{sample}-{number}", newest)
            wrong += accepted is None
            newest = accepted or newest
        samples.append(wrong)
    outside.log.close()
    wrong_rows = abs(path.read_bytes().count(b"\n") - SAMPLES * REFUSE_ROUNDS)
    samples.append(wrong_rows)
    return [Measured("room.refuse", tuple(samples), size=SEATS, detail=f"{SAMPLES * REFUSE_ROUNDS} rounds")]


def socket(bench: Bench) -> list[Measured]:
    """Eight clients of another process against our listener, empty and with 100,000 posts, and against the peer."""
    full_log = bench.folder / "full.jsonl"
    write_posts(full_log, CORPUS)
    peer, empty, full, crowd, peer_crowd = (list[_Run]() for _ in range(5))
    with ExitStack() as stack:
        full_port = stack.enter_context(_served(bench, "ours", full_log))
        for number in range(SAMPLES):
            with (
                _served(bench, "peer", bench.folder / f"peer-{number}.jsonl") as peer_port,
                _served(bench, "ours", bench.folder / f"empty-{number}.jsonl") as port,
            ):
                peer.append(_run_clients(bench, peer_port, "turns"))
                empty.append(_run_clients(bench, port, "turns"))
                full.append(_run_clients(bench, full_port, "turns"))
                crowd.append(_run_clients(bench, port, "all"))
                peer_crowd.append(_run_clients(bench, peer_port, "all"))
    commands = tuple(" ".join(_command(bench, *words)) for words in (("ours",), ("peer",), ("clients",)))
    at_once = f"all at once: {_median_rate(crowd):.0f} answers/s, peer {_median_rate(peer_crowd):.0f}"
    rates = f"{_median_rate(empty):.0f} posts/s, peer {_median_rate(peer):.0f}"
    p99s = tuple(run.p99 for run in empty), tuple(run.p99 for run in peer)
    return [
        Measured("room.socket", _rates(empty), _rates(peer), SEATS, commands, f"{rates}; {at_once}"),
        Measured("room.socket.p99", *p99s, SEATS, commands),
        Measured("room.socket.full", _rates(full), _rates(empty), CORPUS, commands),
    ]


def _seats(hub: Hub) -> list[MemorySeat]:
    return [MemorySeat(hub, number) for number in range(SEATS)]


def _accept_rate(seats: Sequence[MemorySeat], run: str) -> float:
    newest = _catch_up(seats[0], f"{run}-first")
    began = time.perf_counter()
    for number in range(1, ACCEPT_POSTS):
        result = _say(seats[number % len(seats)], f"{run}-{number}", newest)
        if not result.delivered:
            raise RuntimeError(f"a post of somebody who has seen everything was refused: {result}")
        newest = result.message_id
    return (ACCEPT_POSTS - 1) / (time.perf_counter() - began)


def _catch_up(seat: MemorySeat, message_id: str) -> str:
    """Say something whatever was said before; gives its id."""
    result = _say(seat, message_id, None)
    if not result.delivered:
        _say(seat, message_id, result.missed[-1].message_id)
    return message_id


def _say(seat: MemorySeat, message_id: str, last_seen: str | None) -> PostResult:
    seat.connection.receive(PostFrame(message_id, BODY, TS, last_seen=last_seen))
    [answer] = [frame for frame in seat.take() if isinstance(frame, PostResult)]
    return answer


def _blind_round(seats: Sequence[MemorySeat], run: str, newest: str | None) -> str | None:
    """One post of every seat, all with the same `last_seen`; the id that got through when all was right, else None."""
    results = [_say(seat, f"{run}-{number}", newest) for number, seat in enumerate(seats)]
    accepted = [result.message_id for result in results if result.delivered]
    refused = [[item.message_id for item in result.missed] for result in results if not result.delivered]
    is_right = len(accepted) == 1 and len(refused) == len(seats) - 1 and all(missed == accepted for missed in refused)
    return accepted[0] if is_right else None


@dataclass(frozen=True, slots=True)
class _Run:
    """What the clients told of one run: posts a second, and the seconds within which 99 % were answered."""

    rate: float
    p99: float


def _rates(runs: Sequence[_Run]) -> tuple[float, ...]:
    return tuple(run.rate for run in runs)


def _median_rate(runs: Sequence[_Run]) -> float:
    return sorted(_rates(runs))[len(runs) // 2]


def _command(bench: Bench, *words: str) -> list[str]:
    return [bench.python, "-m", "pullcept.bench.room_processes", *words]


@contextmanager
def _served(bench: Bench, kind: str, log: Path) -> Iterator[str]:
    """The port of a server process that lives as long as the block."""
    command = _command(bench, kind, str(log), TOKEN)
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=bench.script.parent
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _run_clients(bench: Bench, port: str, way: str) -> _Run:
    command = _command(bench, "clients", port, TOKEN, way, str(SOCKET_POSTS))
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=bench.script.parent, timeout=PROCESS_SECONDS, check=False
    )
    if done.returncode:
        raise RuntimeError(f"the clients failed: {done.stderr.strip()[-300:]}")
    told = json.loads(done.stdout)
    latencies = sorted(told["latencies"])
    if way == "turns" and told["delivered"] != SOCKET_POSTS:
        raise RuntimeError(f"{told['delivered']} of {SOCKET_POSTS} posts were delivered in {TOPIC}")
    return _Run(len(latencies) / told["seconds"], latencies[int(len(latencies) * 0.99)])
