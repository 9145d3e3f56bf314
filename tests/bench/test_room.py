"""The rows about rooms measure what they say, at a small size."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pullcept.bench import room
from pullcept.bench.harness import Bench, Measured


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    for name, size in {"SAMPLES": 1, "ACCEPT_POSTS": 40, "REFUSE_ROUNDS": 5, "SOCKET_POSTS": 160, "CORPUS": 50}.items():
        monkeypatch.setattr(room, name, size)
    return Bench(tmp_path, sys.executable, Path(room.__file__).parents[2] / "pullcept.py")


def figures(measured: list[Measured]) -> dict[str, tuple[float, ...]]:
    return {one.figure: one.samples for one in measured}


def test_every_post_of_the_memory_row_is_in_the_log(bench: Bench) -> None:
    assert figures(room.accept(bench))["room.accept"][0] > 0
    assert len((bench.folder / "accept.jsonl").read_bytes().splitlines()) == 40


def test_no_blind_round_is_wrong(bench: Bench) -> None:
    assert figures(room.refuse(bench)) == {"room.refuse": (0, 0)}


def test_the_socket_row_measures_both_sides_in_processes_of_their_own(bench: Bench) -> None:
    measured = room.socket(bench)
    assert list(figures(measured)) == ["room.socket", "room.socket.p99", "room.socket.full"]
    assert all(one.samples[0] > 0 and one.peer_samples[0] > 0 for one in measured)
    assert len((bench.folder / "empty-0.jsonl").read_bytes().splitlines()) >= 160
