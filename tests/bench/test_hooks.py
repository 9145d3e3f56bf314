"""The bench row of the hooks measures what its name says, at a small size."""

import sys
from pathlib import Path

import pytest

from pullcept.bench import hooks
from pullcept.bench.harness import Bench


def test_every_report_is_answered_and_handed_on_beside_a_sleeping_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, size in {"SAMPLES": 1, "SECONDS": 0.5, "AFTERWARDS": 0.5}.items():
        monkeypatch.setattr(hooks, name, size)
    answer, lost = hooks.answer(Bench(tmp_path, sys.executable, Path(hooks.__file__).parents[2] / "pullcept.py"))
    assert (answer.figure, answer.size) == ("hooks.answer", 50)
    assert 0 < answer.samples[0] < 5000
    assert (lost.figure, lost.samples) == ("hooks.answer.lost", (0.0,))
