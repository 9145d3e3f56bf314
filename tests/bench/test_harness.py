"""The bench harness: what makes a figure hold, and what makes it SHORT."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest

from pullcept.bench import harness
from pullcept.bench.harness import Bench, Measured, judge, main, row_names, run_row
from pullcept.bench.limits import Limit, row_of

AT_MOST = Limit("some.figure", "at most", 10, "ms", 4)
AT_LEAST = Limit("some.figure", "at least", 10, "posts/s", 4)
RATIO = Limit("some.figure", "at most", 0.5, "ratio", 1, "ratio")
LARGEST = Limit("some.figure", "at most", 0, "wrong rounds", 1, "largest")

type Row = Callable[[Bench], Sequence[Measured]]


def measured(*samples: float, peer: Sequence[float] = (), size: int = 4, skipped: str = "") -> Measured:
    return Measured("some.figure", samples, tuple(peer), size=size, skipped=skipped)


@pytest.mark.parametrize(
    ("limit", "own", "value"),
    [
        (AT_MOST, measured(1, 2, 10, 99, 99), 10),
        (AT_LEAST, measured(1, 1, 10, 99, 99), 10),
        (RATIO, measured(1, 1, 1, 1, 1, peer=[2, 2, 2, 2, 2]), 0.5),
        (LARGEST, measured(0, 0, 0, 0, 0), 0),
    ],
)
def test_a_figure_at_its_limit_holds(limit: Limit, own: Measured, value: float) -> None:
    verdict = judge(limit, [own])
    assert (verdict.value, verdict.short) == (value, "")


@pytest.mark.parametrize(
    ("limit", "given", "short"),
    [
        (AT_MOST, measured(1, 2, 11, 99, 99), "out of its limit"),
        (AT_LEAST, measured(1, 1, 9, 99, 99), "out of its limit"),
        (RATIO, measured(2, 2, 2, 2, 2, peer=[2, 2, 2, 2, 2]), "out of its limit"),
        (RATIO, measured(1, 1, 1, 1, 1, peer=[0, 0, 0, 0, 0]), "out of its limit"),
        (RATIO, measured(1, 1, 1, 1, 1, peer=[2, 2]), "2 samples of 5"),
        (RATIO, measured(1, 1, 1, 1, 1), "0 samples of 5"),
        (LARGEST, measured(0, 0, 0, 0, 1), "out of its limit"),
        (AT_MOST, measured(1, 1, 1, 1), "4 samples of 5"),
        (AT_MOST, measured(1, 1, 1, 1, 1, size=3), "size 3 of 4"),
        (AT_MOST, measured(1, 1, 1, 1, 1, skipped="node is missing"), "node is missing"),
        (AT_MOST, measured(float("nan"), *[float("nan")] * 4), "out of its limit"),
    ],
)
def test_a_figure_is_short_and_says_of_what(limit: Limit, given: Measured, short: str) -> None:
    verdict = judge(limit, [given])
    assert verdict.short == short
    assert f"SHORT: {short}" in verdict.line


def test_a_figure_its_row_forgot_is_short() -> None:
    assert judge(AT_MOST, []).short == "the row did not measure it"


@pytest.mark.expects_logged_errors
def test_a_row_that_raises_makes_each_of_its_figures_short() -> None:
    def broken(bench: Bench) -> Sequence[Measured]:
        raise RuntimeError("no disk")

    verdicts = run_row("room.socket", lambda name: broken)
    assert [verdict.limit.figure for verdict in verdicts] == ["room.socket", "room.socket.p99", "room.socket.full"]
    assert {verdict.short for verdict in verdicts} == {"RuntimeError: no disk"}


def test_a_row_gets_a_folder_that_is_removed_afterwards() -> None:
    seen: list[Bench] = []

    def row(bench: Bench) -> Sequence[Measured]:
        (bench.folder / "log").write_text("x", encoding="utf-8")
        seen.append(bench)
        return []

    run_row("log.tail", lambda name: row)
    assert seen[0].script.is_file()
    assert not seen[0].folder.exists()


def test_an_unknown_name_exits_2_and_measures_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness, "run_row", pytest.fail)
    assert main(["log.tail", "log.nose"]) == 2
    assert "unknown: log.nose" in capsys.readouterr().err


def use(monkeypatch: pytest.MonkeyPatch, own: Measured) -> None:
    monkeypatch.setattr(harness, "find_row", lambda name: lambda bench: [own])


def test_the_exit_code_is_1_when_anything_is_short(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, Measured("log.tail", (1.0,) * 5, (1.0,) * 5, size=100_000))
    assert main(["log.tail"]) == 1
    assert capsys.readouterr().out == "log.tail  1 ratio  (limit ≤ 0.02)  SHORT: out of its limit\n"


def test_json_gives_every_raw_sample_and_the_command_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Measured("log.tail", (1.0,) * 5, (100.0,) * 5, size=100_000, commands=("a b",))
    use(monkeypatch, own)
    assert main(["log.tail", "--json"]) == 0
    figure = json.loads(capsys.readouterr().out)["figures"][0]
    assert (figure["name"], figure["ok"], figure["value"]) == ("log.tail", True, 0.01)
    assert (figure["samples"], figure["peer_samples"]) == ([1.0] * 5, [100.0] * 5)
    assert (figure["size"], figure["commands"]) == (100_000, ["a b"])


def test_each_figure_belongs_to_a_row() -> None:
    assert row_of("room.socket.p99") == "room.socket"
    rooms = ["room.accept", "room.socket", "room.refuse"]
    assert row_names() == ["sidecar.ready", "sidecar.memory", *rooms, "hooks.answer", "delivery.fanout", "log.tail"]
