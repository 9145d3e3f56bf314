"""The bench row of typing measures what its name says, at a small size."""

import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("POSIX terminals", allow_module_level=True)

from pullcept.bench import delivery
from pullcept.bench.harness import Bench


def test_a_post_is_timed_until_the_last_program_has_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("SEATS", 2), ("RUNS", 2), ("POSTS", 2)):
        monkeypatch.setattr(delivery, name, size)
    bench = Bench(tmp_path, sys.executable, Path(delivery.__file__).parents[2] / "pullcept.py")
    (fanout,) = delivery.fanout(bench)
    assert len(fanout.samples) == 2
    assert all(0 < sample < 1000 for sample in fanout.samples)
    assert fanout.size == 2
    assert "tmux" in fanout.detail
