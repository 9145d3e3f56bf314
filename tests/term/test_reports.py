"""Structured reports are found in any stream, cut anywhere, and nothing piles up."""

from hypothesis import given
from hypothesis import strategies as st

from pullcept.term.reports import REPORT_LIMIT, OscScanner, Report

STREAM = (
    b"hello\x1b]7501;state=idle:app=codex\x1b\\text\x1b]0;title\x07"
    b"\x1b]7501;state=blocked:app=codex:kind=permission\x07\x1b[31mred\x1b]7501;app=codex\x07"
    b"\x1b]7501;state=cut\x1b[0m\x1b]7501;state=done:app=codex\x1b\\"
)
REPORTS = (
    Report("idle", "codex"),
    Report("blocked", "codex", "permission"),
    Report("done", "codex"),
)


def test_reports_are_found_in_order() -> None:
    assert OscScanner().feed(STREAM) == REPORTS


def test_a_stream_cut_at_every_byte_gives_the_same_reports() -> None:
    for cut in range(len(STREAM) + 1):
        scanner = OscScanner()
        assert scanner.feed(STREAM[:cut]) + scanner.feed(STREAM[cut:]) == REPORTS, cut


def test_a_stream_in_single_bytes_gives_the_same_reports() -> None:
    scanner = OscScanner()
    assert tuple(r for i in range(len(STREAM)) for r in scanner.feed(STREAM[i : i + 1])) == REPORTS


def test_a_report_without_end_is_given_up_and_the_next_one_is_found() -> None:
    scanner = OscScanner()
    for _ in range(200):
        assert scanner.feed(b"\x1b]7501;state=" + b"x" * 1000) == ()
        assert len(scanner._kept) <= REPORT_LIMIT + 1000
    assert scanner.feed(b"\x1b]7501;state=idle\x07")[-1] == Report("idle")


def test_after_a_reset_the_rest_of_a_begun_report_means_nothing() -> None:
    scanner = OscScanner()
    scanner.feed(b"\x1b]7501;state=id")
    scanner.reset()
    assert scanner.feed(b"le\x07") == ()


pieces = st.lists(
    st.sampled_from([b"\x1b", b"]", b"7501;", b"state=", b"idle", b":", b"\\", b"\x07", b"x", b"\xff", b"\x18", STREAM])
)


@given(pieces, st.lists(st.integers(0, 400)))
def test_any_bytes_cut_anywhere_give_what_they_give_whole(parts: list[bytes], cuts: list[int]) -> None:
    data = b"".join(parts)
    whole = OscScanner().feed(data)
    scanner, found, at = OscScanner(), (), 0
    for cut in [*sorted(cuts), len(data)]:
        found += scanner.feed(data[at:cut])
        at = max(at, cut)
    assert found == whole
