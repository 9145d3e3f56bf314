"""What waits in the window goes on when the computer's clock is set back."""

import sys

import pytest

from pullcept.ui.clock_steps import ClockSteps
from tests.ui.conftest import Room

pytestmark = [pytest.mark.display, pytest.mark.skipif(sys.platform == "win32", reason="Tk cannot be woken there")]


class Clock:
    offset = 1_000.0

    def __call__(self) -> float:
        return self.offset


def test_a_clock_set_back_does_not_keep_waiting_timers_from_running(room: Room) -> None:
    clock, ran = Clock(), list[str]()
    steps = ClockSteps(room.window.root, offset=clock, look=0.01)
    steps.start()
    try:
        room.window.root.after(3_600_000, lambda: ran.append("late"))
        clock.offset -= 3_600
        room.until(lambda: ran, "the timer")
    finally:
        steps.stop()
    assert ran == ["late"]


def test_a_clock_set_forward_or_by_a_trifle_hurries_nothing(room: Room) -> None:
    clock, ran = Clock(), list[str]()
    steps = ClockSteps(room.window.root, offset=clock, look=0.001)
    steps.start()
    try:
        timer = room.window.root.after(3_600_000, lambda: ran.append("early"))
        looks = list[int]()
        room.window.root.after(30, lambda: looks.append(1))
        clock.offset += 3_600
        clock.offset -= 0.1
        room.until(lambda: looks, "a moment")
        room.window.root.after_cancel(timer)
    finally:
        steps.stop()
    assert ran == []
