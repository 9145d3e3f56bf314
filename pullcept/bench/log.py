"""The row `log.tail`: the newest rows of a long log against reading all of it."""

import time
from collections.abc import Callable
from pathlib import Path

from pullcept.bench.harness import Bench, Measured
from pullcept.core.post import Post
from pullcept.core.row import row_line
from pullcept.store.topic_log import TopicLog

ROWS = 100_000
NEWEST = 200
ROUNDS = 7


def tail(bench: Bench) -> list[Measured]:
    """Seconds for the newest 200 rows and for every row of a log of 100,000."""
    path = bench.folder / "topic.jsonl"
    write_log(path, ROWS)
    samples, peer_samples = measure_log_tail(path)
    detail = f"{NEWEST} rows of {ROWS}, {path.stat().st_size / 1e6:.0f} MB"
    return [Measured("log.tail", samples, peer_samples, size=ROWS, detail=detail)]


def write_log(path: Path, rows: int) -> None:
    """A log of ordinary posts, some of them Japanese."""
    with path.open("wb") as file:
        file.writelines(row_line(_post(number)) for number in range(rows))


def measure_log_tail(path: Path) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Seconds of each round for the newest rows, and for reading the whole log."""
    rounds = [(_seconds(lambda: _newest(path)), _seconds(lambda: _all(path))) for _ in range(ROUNDS)]
    return tuple(ours for ours, _ in rounds), tuple(theirs for _, theirs in rounds)


def _newest(path: Path) -> None:
    if len(TopicLog(path).tail(NEWEST).posts) != NEWEST:
        raise RuntimeError("the tail is short of rows")


def _all(path: Path) -> None:
    if sum(post is not None for post in TopicLog(path).posts()) != ROWS:
        raise RuntimeError("the log is short of rows")


def _seconds(action: Callable[[], None]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _post(number: int) -> Post:
    content = f"{number}: the build is green, ログは末尾から読む。" + "details follow " * (number % 7)
    return Post(
        f"{number:032x}", f"Seat {number % 5}", content, "2026-10-09T08:07:06.543Z", account=f"acc-{number % 5}"
    )
