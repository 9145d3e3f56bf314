"""Finds the structured state reports (OSC 7501) in what a program prints, however the stream is cut."""

import re
from dataclasses import dataclass

REPORT_LIMIT = 1024

_BEGIN = b"\x1b]7501;"
_CONTROL = re.compile(rb"[\x00-\x1f]")


@dataclass(frozen=True, slots=True)
class Report:
    """One report. `state` is never empty; `app` and `kind` are empty when they were not said."""

    state: str
    app: str = ""
    kind: str = ""


class OscScanner:
    """Feed it the stream piece by piece. It keeps at most `REPORT_LIMIT` bytes."""

    def __init__(self) -> None:
        self._kept = b""

    def feed(self, data: bytes) -> tuple[Report, ...]:
        """The reports that are complete now, in their order. Never raises."""
        if not self._kept and b"\x1b" not in data:
            return ()
        data = self._kept + data
        reports: list[Report] = []
        at = 0
        while (begin := data.find(_BEGIN, at)) >= 0:
            payload, at = _payload(data, begin + len(_BEGIN))
            if payload is None:
                if len(data) - begin <= REPORT_LIMIT:
                    self._kept = data[begin:]
                    return tuple(reports)
                continue
            report = parse_report(payload)
            if report is not None:
                reports.append(report)
        self._kept = _begun(data[at:])
        return tuple(reports)

    def reset(self) -> None:
        """Forget a report that was begun: its program is gone."""
        self._kept = b""


def parse_report(payload: bytes) -> Report | None:
    """The report in `state=idle:app=codex:kind=…`, or None when it names no state."""
    fields = dict(part.partition("=")[::2] for part in payload.decode("ascii", "replace").split(":"))
    state = fields.get("state", "")
    return Report(state, fields.get("app", ""), fields.get("kind", "")) if state else None


def _payload(data: bytes, start: int) -> tuple[bytes | None, int]:
    """The text up to the end mark and where to go on; None when the end has not come (or the report was broken off)."""
    found = _CONTROL.search(data, start)
    if found is None:
        return None, start
    end = found.start()
    if data[end] == 0x07:
        return _short(data[start:end]), end + 1
    if data[end : end + 2] == b"\x1b\\":
        return _short(data[start:end]), end + 2
    if data[end] == 0x1B and end + 1 == len(data):
        return None, start
    return b"", end


def _short(payload: bytes) -> bytes:
    return payload if len(payload) <= REPORT_LIMIT else b""


def _begun(data: bytes) -> bytes:
    """The longest end of `data` that may be the beginning of a report."""
    for length in range(min(len(_BEGIN) - 1, len(data)), 0, -1):
        if _BEGIN.startswith(data[-length:]):
            return data[-length:]
    return b""
