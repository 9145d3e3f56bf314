"""The bench row of the log measures what its name says."""

from pathlib import Path

import pytest

from pullcept.bench import log
from pullcept.bench.harness import LEAST_SAMPLES, Bench


def test_the_row_gives_samples_of_both_sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "ROWS", 300)
    (measured,) = log.tail(Bench(tmp_path, "python", tmp_path / "pullcept.py"))
    assert (measured.figure, measured.size) == ("log.tail", 300)
    assert len(measured.samples) == len(measured.peer_samples) >= LEAST_SAMPLES


def test_a_log_that_is_short_of_rows_is_no_measurement(tmp_path: Path) -> None:
    log.write_log(tmp_path / "t.jsonl", 5)
    with pytest.raises(RuntimeError):
        log.measure_log_tail(tmp_path / "t.jsonl")
