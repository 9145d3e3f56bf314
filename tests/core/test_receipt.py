"""Receipts: what counts as taken, when Enter is repeated and when the person is asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.receipt import (
    CLAUDE_EVIDENCE,
    CODEX_EVIDENCE,
    NO_EVIDENCE,
    Around,
    Do,
    Evidence,
    Next,
    Progress,
    Receipt,
    Turn,
)
from pullcept.core.submit import Match

TYPED = '[pullcept] {"from":"Lin","message_id":"m-1"}\nbody of the post'
IDLE, BUSY, ERROR = Around(Turn.IDLE), Around(Turn.BUSY), Around(Turn.ERROR)


class Seat:
    """A seat that does what the receipt says, and counts it."""

    def __init__(self, evidence: Evidence, *, entered: bool = True) -> None:
        self.receipt = Receipt("m-1", evidence)
        self.now = 0.0
        self.presses: list[float] = []
        self.typings: list[float] = []
        self.receipt.on_typing(TYPED)
        if entered:
            self.receipt.on_entered(0.0)

    def run(self, until: float, around: Around = IDLE, *, step: float = 0.25) -> Progress:
        while self.now < until:
            self.now += step
            self.follow(around)
        return self.receipt.progress

    def follow(self, around: Around) -> None:
        do = self.receipt.look(self.now, around).do
        if do is Do.PRESS_ENTER:
            self.presses.append(self.now)
            self.receipt.on_entered(self.now)
        elif do is Do.TYPE_AGAIN:
            self.typings.append(self.now)
            self.receipt.on_typing(TYPED, again=True)
            self.receipt.on_entered(self.now)


def test_a_post_goes_from_queued_over_typed_to_taken() -> None:
    receipt = Receipt("m-1", CLAUDE_EVIDENCE)
    seen = [receipt.progress]
    receipt.on_typing(TYPED)
    seen.append(receipt.progress)
    receipt.on_entered(5.0)
    seen.append(receipt.progress)
    assert not receipt.is_settled
    assert receipt.on_submit(TYPED) is Match.WHOLE
    assert [*seen, receipt.progress] == [Progress.QUEUED, Progress.TYPING, Progress.TYPED, Progress.TAKEN]
    assert receipt.is_settled
    assert receipt.look(99.0, IDLE) == Next(Do.WAIT)


def test_a_submit_with_the_id_but_not_the_text_is_taken_and_marked_as_cut() -> None:
    seat = Seat(CLAUDE_EVIDENCE)
    seat.receipt.on_submit(TYPED[:-5])
    assert (seat.receipt.progress, seat.receipt.match) == (Progress.TAKEN, Match.CUT)
    assert seat.run(60) is Progress.TAKEN
    assert not seat.presses
    assert not seat.typings


def test_other_submits_are_no_evidence() -> None:
    seat = Seat(CODEX_EVIDENCE)
    assert seat.receipt.on_submit("hello") is Match.NOT_OURS
    assert seat.receipt.progress is Progress.TYPED


# --- Claude Code ------------------------------------------------------------------------------------------------


def test_claude_code_gets_three_early_enters_one_second_apart_busy_or_not() -> None:
    seat = Seat(CLAUDE_EVIDENCE)
    seat.run(13, BUSY)
    assert seat.presses == [1.0, 2.0, 3.0]


def test_claude_code_gets_late_enters_only_while_idle_and_is_not_taken_within_fifteen_seconds() -> None:
    seat = Seat(CLAUDE_EVIDENCE)
    assert seat.run(15) is Progress.NOT_TAKEN
    assert seat.presses == [1.0, 2.0, 3.0, 5.0, 10.0]
    assert not seat.receipt.is_settled
    seat.run(100)
    assert len(seat.presses) == 5


def test_any_submit_behind_our_enter_ends_the_extra_enters() -> None:
    seat = Seat(CLAUDE_EVIDENCE)
    seat.run(1.5)
    seat.receipt.on_submit("a line of the person")
    assert seat.run(15) is Progress.NOT_TAKEN
    assert seat.presses == [1.0]


def test_no_enter_is_pressed_while_a_question_may_be_open() -> None:
    seat = Seat(CLAUDE_EVIDENCE)
    seat.run(30, Around(Turn.BUSY, question=True))
    assert not seat.presses
    assert seat.receipt.progress is Progress.TYPED
    seat.run(31.5, BUSY)
    assert seat.presses == [31.25]


def test_no_enter_is_pressed_while_a_person_has_unsent_text() -> None:
    seat = Seat(CLAUDE_EVIDENCE)
    assert seat.run(20, Around(Turn.IDLE, unsent=True)) is Progress.NOT_TAKEN
    assert not seat.presses


def test_evidence_that_comes_late_still_counts() -> None:
    seat = Seat(CLAUDE_EVIDENCE)
    seat.run(20)
    seat.receipt.on_submit(TYPED)
    assert seat.receipt.progress is Progress.TAKEN


def test_after_a_wait_inside_the_post_enter_alone_is_sent_first() -> None:
    seat = Seat(CLAUDE_EVIDENCE, entered=False)
    seat.receipt.on_wait_opened(-0.1)
    seat.receipt.on_entered(0.0)
    seat.run(30, Around(Turn.BUSY, question=True))
    seat.run(31, BUSY)
    assert seat.presses == [30.25]
    seat.receipt.on_submit(TYPED)
    assert seat.run(60) is Progress.TAKEN
    assert not seat.typings


def test_a_post_that_a_question_swallowed_is_typed_once_more_and_never_twice() -> None:
    seat = Seat(CLAUDE_EVIDENCE, entered=False)
    seat.receipt.on_wait_opened(-0.1)
    seat.receipt.on_entered(0.0)
    seat.run(10, Around(Turn.BUSY, question=True))
    seat.run(15, BUSY)
    assert (seat.presses, seat.typings) == ([10.25], [])
    seat.run(15.5, BUSY)
    assert seat.typings == [15.25]
    seat.receipt.on_wait_opened(15.25)
    seat.run(20, Around(Turn.BUSY, question=True))
    assert seat.run(60) is Progress.NOT_TAKEN
    assert len(seat.typings) == 1


def test_enter_after_a_wait_waits_for_the_unsent_text_of_a_person() -> None:
    seat = Seat(CLAUDE_EVIDENCE, entered=False)
    seat.receipt.on_wait_opened(-0.1)
    seat.receipt.on_entered(0.0)
    seat.run(5, Around(Turn.BUSY, question=True))
    seat.run(9, Around(Turn.BUSY, unsent=True))
    assert not seat.presses
    seat.run(10, BUSY)
    assert seat.presses == [9.25]


def test_a_wait_that_opens_later_has_swallowed_nothing() -> None:
    seat = Seat(CLAUDE_EVIDENCE)
    seat.receipt.on_wait_opened(0.5)
    seat.run(60, BUSY)
    assert not seat.typings


# --- Codex ------------------------------------------------------------------------------------------------------


def test_codex_gets_two_enters_five_seconds_apart_while_idle() -> None:
    seat = Seat(CODEX_EVIDENCE)
    assert seat.run(15) is Progress.NOT_TAKEN
    assert seat.presses == [5.0, 10.0]


def test_codex_is_given_all_the_time_of_a_running_turn() -> None:
    seat = Seat(CODEX_EVIDENCE)
    assert seat.run(300, BUSY) is Progress.TYPED
    assert not seat.presses
    seat.run(304, IDLE)
    assert not seat.presses
    assert seat.run(315, IDLE) is Progress.NOT_TAKEN
    assert seat.presses == [305.25, 310.25]


@pytest.mark.parametrize("around", [ERROR, Around()])
def test_no_enter_after_an_error_or_in_an_unknown_state(around: Around) -> None:
    seat = Seat(CODEX_EVIDENCE)
    assert seat.run(15, around) is Progress.NOT_TAKEN
    assert not seat.presses


def test_work_that_begins_soon_after_enter_shows_probably_and_only_stops_enter() -> None:
    seat = Seat(CODEX_EVIDENCE)
    seat.receipt.on_working(1.9)
    assert seat.receipt.probably
    assert seat.receipt.progress is Progress.TYPED
    assert seat.run(15) is Progress.NOT_TAKEN
    assert not seat.presses


def test_work_that_begins_later_says_nothing() -> None:
    seat = Seat(CODEX_EVIDENCE)
    seat.receipt.on_working(2.1)
    assert not seat.receipt.probably


def test_a_codex_post_is_never_typed_again() -> None:
    seat = Seat(CODEX_EVIDENCE, entered=False)
    seat.receipt.on_wait_opened(0.0)
    seat.receipt.on_entered(0.0)
    seat.run(100)
    assert not seat.typings


# --- other kinds, the person ----------------------------------------------------------------------------------------


def test_other_kinds_get_one_enter_and_hold_nothing_up() -> None:
    seat = Seat(NO_EVIDENCE)
    assert seat.receipt.is_settled
    assert seat.run(120) is Progress.TYPED
    assert not seat.presses
    seat.receipt.on_reached()
    assert seat.receipt.progress is Progress.TAKEN


def test_an_answer_that_comes_before_the_write_is_seen_to_be_done_counts() -> None:
    receipt = Receipt("m-1", NO_EVIDENCE)
    receipt.on_typing("text")
    receipt.on_reached()
    receipt.on_entered(1.0)
    assert receipt.progress is Progress.TAKEN


def test_having_spoken_is_no_evidence_where_there_is_better() -> None:
    seat = Seat(CLAUDE_EVIDENCE)
    seat.receipt.on_reached()
    assert seat.receipt.progress is Progress.TYPED


def test_the_person_may_press_enter_and_gets_an_answer_again() -> None:
    seat = Seat(CLAUDE_EVIDENCE)
    seat.run(20)
    seat.receipt.on_entered(20.0, by_person=True)
    assert seat.receipt.progress is Progress.TYPED
    assert seat.run(24.5) is Progress.TYPED
    assert seat.run(26) is Progress.NOT_TAKEN
    assert len(seat.presses) == 5


def test_the_person_may_send_it_again() -> None:
    seat = Seat(CODEX_EVIDENCE)
    seat.run(20)
    seat.receipt.on_typing(TYPED)
    seat.receipt.on_entered(20.0)
    assert not seat.receipt.is_settled
    seat.receipt.on_submit(TYPED)
    assert seat.receipt.progress is Progress.TAKEN


def test_the_person_may_skip_it_and_the_next_post_follows() -> None:
    seat = Seat(CODEX_EVIDENCE)
    seat.run(20)
    seat.receipt.skip()
    assert seat.receipt.progress is Progress.SKIPPED
    assert seat.receipt.is_settled


def test_keys_are_kept_until_the_early_enters_are_over() -> None:
    seat = Seat(CLAUDE_EVIDENCE, entered=False)
    assert seat.receipt.keeps_keys(99.0)
    seat.receipt.on_entered(0.0)
    assert seat.receipt.keeps_keys(2.0)
    assert not seat.receipt.keeps_keys(2.0, question=True)
    seat.run(3.0)
    assert seat.receipt.keeps_keys(3.5)
    assert not seat.receipt.keeps_keys(4.0)


def test_keys_are_passed_on_after_the_receipt() -> None:
    seat = Seat(CLAUDE_EVIDENCE)
    seat.receipt.on_submit(TYPED)
    assert not seat.receipt.keeps_keys(0.1)


@pytest.mark.parametrize("evidence", [CODEX_EVIDENCE, NO_EVIDENCE])
def test_other_kinds_keep_keys_for_a_moment_only(evidence: Evidence) -> None:
    seat = Seat(evidence)
    assert seat.receipt.keeps_keys(0.2)
    assert not seat.receipt.keeps_keys(0.3)


def test_keys_are_never_kept_for_long_although_nobody_looks() -> None:
    assert not Seat(CLAUDE_EVIDENCE).receipt.keeps_keys(5.0)


# --- properties -----------------------------------------------------------------------------------------------------

AROUNDS = st.builds(Around, st.sampled_from(Turn), st.booleans(), st.booleans())
EVENTS = st.sampled_from(["look", "wait", "submit", "working", "other"])
PLAYS = st.lists(st.tuples(EVENTS, AROUNDS, st.floats(0.01, 3.0)), max_size=60)


@given(PLAYS, st.sampled_from([CLAUDE_EVIDENCE, CODEX_EVIDENCE, NO_EVIDENCE]), st.booleans())
def test_enter_is_repeated_within_bounds_and_never_into_a_question_or_a_persons_text(
    play: list[tuple[str, Around, float]], evidence: Evidence, wait_inside: bool
) -> None:
    seat = Seat(evidence, entered=False)
    if wait_inside:
        seat.receipt.on_wait_opened(0.0)
    seat.receipt.on_entered(0.0)
    for event, around, later in play:
        seat.now += later
        if event == "wait":
            seat.receipt.on_wait_opened(seat.now)
        elif event == "working":
            seat.receipt.on_working(seat.now)
        elif event == "submit":
            seat.receipt.on_submit("something of the person")
        before = len(seat.presses) + len(seat.typings)
        seat.follow(around)
        if len(seat.presses) + len(seat.typings) > before:
            assert not around.question
            assert not around.unsent
            assert evidence is CLAUDE_EVIDENCE or around.turn is Turn.IDLE
    typings = 1 + len(seat.typings)
    assert len(seat.typings) <= (1 if evidence.can_swallow else 0)
    assert len(seat.presses) <= (evidence.early + evidence.late + 1) * typings
    assert seat.receipt.progress in (Progress.TYPED, Progress.NOT_TAKEN)


@given(PLAYS, st.sampled_from([CLAUDE_EVIDENCE, CODEX_EVIDENCE]))
def test_without_evidence_the_person_is_always_asked_in_the_end(
    play: list[tuple[str, Around, float]], evidence: Evidence
) -> None:
    seat = Seat(evidence)
    for _, around, later in play:
        seat.now += later
        seat.follow(around)
    assert seat.run(seat.now + 60, step=0.5) is Progress.NOT_TAKEN


@given(PLAYS, st.integers(0, 59))
def test_evidence_makes_it_taken_at_any_time_and_nothing_is_pressed_afterwards(
    play: list[tuple[str, Around, float]], when: int
) -> None:
    seat = Seat(CLAUDE_EVIDENCE)
    for number, (_, around, later) in enumerate(play):
        seat.now += later
        if number == when:
            seat.receipt.on_submit(TYPED)
            seat.presses.clear()
            seat.typings.clear()
        seat.follow(around)
    if when < len(play):
        assert seat.receipt.progress is Progress.TAKEN
        assert not seat.presses
        assert not seat.typings
