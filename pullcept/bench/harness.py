"""Runs bench rows and judges their figures against the limits.

A row is a function `(bench: Bench) -> list[Measured]` named after its row (`room.accept` is
`pullcept.bench.room.accept`). It gives raw samples; only this file turns samples into a value and a verdict.
"""

from __future__ import annotations

import importlib
import json
import logging
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pullcept.bench.limits import LIMITS, Limit, limits_of, row_of

log = logging.getLogger(__name__)

LEAST_SAMPLES = 5
USAGE = "usage: pullcept.py bench [name...] [--json]"


@dataclass(frozen=True, slots=True)
class Bench:
    """What a row may use: a folder of its own that is removed afterwards, and how to start Pullcept's roles."""

    folder: Path
    python: str
    script: Path


@dataclass(frozen=True, slots=True)
class Measured:
    """The raw samples of one figure (a name in `limits.py`).

    For a ratio, `samples` are ours and `peer_samples` the other side's, measured in the same run. `size` is the
    corpus, client or round count really used. `commands` are the command lines of both sides. `skipped` says why
    nothing was measured; a skipped figure is SHORT.
    """

    figure: str
    samples: tuple[float, ...]
    peer_samples: tuple[float, ...] = ()
    size: int = 1
    commands: tuple[str, ...] = ()
    detail: str = ""
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One judged figure; `short` says what it falls short of, and is empty when it holds."""

    limit: Limit
    measured: Measured
    value: float | None
    short: str

    @property
    def line(self) -> str:
        value = "-" if self.value is None else f"{self.value:.4g}"
        verdict = f"SHORT: {self.short}" if self.short else "ok"
        notes = f"  {self.measured.detail}" if self.measured.detail else ""
        return f"{self.limit.figure}  {value} {self.limit.unit}  (limit {self.limit.text})  {verdict}{notes}"


def main(argv: Sequence[str]) -> int:
    """Run the named rows, or all. 0: all hold. 1: something is SHORT. 2: an unknown name or option."""
    names = [name for name in argv if name != "--json"]
    unknown = [name for name in names if name not in row_names()]
    if unknown:
        print(f"unknown: {' '.join(unknown)}\n{USAGE}\nrows: {' '.join(row_names())}", file=sys.stderr)
        return 2
    verdicts: list[Verdict] = []
    for name in names or row_names():
        for verdict in run_row(name):
            verdicts.append(verdict)
            if "--json" not in argv:
                print(verdict.line, flush=True)
    if "--json" in argv:
        print(json.dumps(report(verdicts), indent=2, ensure_ascii=False))
    return 1 if any(verdict.short for verdict in verdicts) else 0


def row_names() -> list[str]:
    """Every row, in the order of the table."""
    return list(dict.fromkeys(row_of(limit.figure) for limit in LIMITS))


def run_row(name: str, find: Callable[[str], Callable[[Bench], Sequence[Measured]]] | None = None) -> list[Verdict]:
    """Measure one row and judge each of its figures. A row that raises is SHORT, with the error as its reason."""
    with tempfile.TemporaryDirectory(prefix="pullcept-bench-", ignore_cleanup_errors=True) as folder:
        script = Path(__file__).resolve().parents[2] / "pullcept.py"
        try:
            measured = list((find or find_row)(name)(Bench(Path(folder), sys.executable, script)))
        except Exception as error:
            log.exception("the bench row %s failed", name)
            measured = [
                Measured(limit.figure, (), skipped=f"{type(error).__name__}: {error}") for limit in limits_of(name)
            ]
    return [judge(limit, measured) for limit in limits_of(name)]


def find_row(name: str) -> Callable[[Bench], Sequence[Measured]]:
    """The function that measures a row. Raises ImportError or AttributeError when nobody wrote it."""
    module, function = name.split(".")
    found: Callable[[Bench], Sequence[Measured]] = getattr(
        importlib.import_module(f"pullcept.bench.{module}"), function
    )
    return found


def judge(limit: Limit, measured: Sequence[Measured]) -> Verdict:
    """The verdict on one figure: SHORT when skipped, missing, of too few samples, too small, or out of its limit."""
    own = next((one for one in measured if one.figure == limit.figure), None)
    if own is None:
        return Verdict(limit, Measured(limit.figure, ()), None, "the row did not measure it")
    if own.skipped:
        return Verdict(limit, own, None, own.skipped)
    counts = [len(own.samples)] + ([len(own.peer_samples)] if limit.of == "ratio" else [])
    if min(counts) < LEAST_SAMPLES:
        return Verdict(limit, own, None, f"{min(counts)} samples of {LEAST_SAMPLES}")
    value = value_of(limit, own)
    if own.size < limit.size:
        return Verdict(limit, own, value, f"size {own.size} of {limit.size}")
    if value is None or not limit.holds(value):
        return Verdict(limit, own, value, "out of its limit")
    return Verdict(limit, own, value, "")


def value_of(limit: Limit, measured: Measured) -> float | None:
    """The figure's value from its samples; None when the peer's median is zero."""
    if limit.of == "largest":
        return max(measured.samples)
    own = statistics.median(measured.samples)
    if limit.of == "median":
        return own
    peer = statistics.median(measured.peer_samples)
    return own / peer if peer else None


def report(verdicts: Sequence[Verdict]) -> dict[str, object]:
    """Everything behind the lines, for `--json`."""
    machine = {"python": platform.python_version(), "system": platform.platform(), "command": sys.argv}
    return {"machine": machine, "figures": [_figure(verdict) for verdict in verdicts]}


def _figure(verdict: Verdict) -> dict[str, object]:
    limit = verdict.limit
    return {
        "name": limit.figure,
        "value": verdict.value,
        "unit": limit.unit,
        "limit": limit.text,
        "of": limit.of,
        "stated_size": limit.size,
        "ok": not verdict.short,
        "short": verdict.short,
        **{key: value for key, value in asdict(verdict.measured).items() if key != "figure"},
    }
