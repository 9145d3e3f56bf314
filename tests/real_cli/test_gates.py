"""Posts that meet an open question, a half-typed line or a busy model in a real CLI."""

import contextlib
import threading
import time
from collections.abc import Callable
from pathlib import Path

from pullcept.core.post import Post
from pullcept.core.screen import DeliveryChanged, SeatChanged
from pullcept.core.seat import DeliveryState
from tests.host.live_host import wait_for
from tests.real_cli.model_server import LIMIT, Step, call, say
from tests.real_cli.room import RealRoom
from tests.real_cli.seats import RealSeat

QUESTION = "a question is open in the terminal"
UNSENT = "unsent text in the terminal"
QUESTIONS = ("Do you want to proceed?", "Would you like to run the following command?")


def wait_held(room: RealRoom, reason: str) -> None:
    """Until a seat shows that it holds one post for this reason."""
    room.wait_for(
        lambda event: isinstance(event, SeatChanged) and event.view.held == 1 and event.view.hold_reason == reason,
        reason,
    )


def wait_state(room: RealRoom, post: Post, state: DeliveryState) -> None:
    room.wait_for(
        lambda event: (
            isinstance(event, DeliveryChanged) and event.message_id == post.message_id and event.state is state
        ),
        f"{post.content}: {state}",
    )


def screen_text(room: RealRoom, seat: RealSeat) -> str:
    core = room.app.screen_of(room.seat(seat.account))
    return core.text() if core is not None else ""


def wait_for_question(room: RealRoom, seat: RealSeat) -> None:
    """Until the question stands on the screen."""
    wait_for(lambda: is_asked(room, seat), LIMIT)


def answer_question(room: RealRoom, seat: RealSeat, key: bytes) -> None:
    """Answer once the program listens to keys, and once more when it did not: both ignore keys for a moment."""
    unsent = room.app._seats._sessions[room.seat(seat.account)]._gates.unsent
    wait_for(lambda: unsent.keys_go_to_question(time.monotonic()), LIMIT)
    for _attempt in range(10):
        room.app.write_keys(room.seat(seat.account), key)
        with contextlib.suppress(AssertionError):
            wait_for(lambda: not is_asked(room, seat), 2.0)
            return
    raise AssertionError(screen_text(room, seat))


def is_asked(room: RealRoom, seat: RealSeat) -> bool:
    return any(word in screen_text(room, seat) for word in QUESTIONS)


def a_question_is_left_to_the_person(root: Path, seat: RealSeat, step: Callable[[str], Step], answer: bytes) -> None:
    made = seat.home.cwd / "made"
    with RealRoom(root, [seat.account]) as room:
        room.start(seat.account)
        seat.model.script(step(f"touch {made}"))
        first = room.say("Please make the file.")
        seat.model.wait_for_text(first.message_id)
        wait_for_question(room, seat)
        second = room.say("Said while the question is open.")
        wait_held(room, QUESTION)
        assert second.message_id not in room.typed_into(seat.account)
        assert not made.exists()
        assert is_asked(room, seat)
        answer_question(room, seat, answer)
        wait_for(made.exists, LIMIT)
        turn = seat.model.wait_for_turn(lambda turn: second.message_id in str(turn.body))
        assert second.content in str(turn.body)
        assert room.typed_into(seat.account).count(second.message_id) == 1
        wait_state(room, second, DeliveryState.TYPED)


def a_half_typed_line_stays_the_persons(root: Path, seat: RealSeat) -> None:
    with RealRoom(root, [seat.account]) as room:
        room.start(seat.account)
        first = room.say("hello")
        seat.model.wait_for_text(first.message_id)
        wait_state(room, first, DeliveryState.TYPED)
        for key in "half a line":
            room.app.write_keys(room.seat(seat.account), key.encode())
        wait_for(lambda: "half a line" in screen_text(room, seat), LIMIT)
        post = room.say("Said over a half-typed line.")
        wait_held(room, UNSENT)
        assert post.message_id not in room.typed_into(seat.account)
        room.app.write_keys(room.seat(seat.account), b"\r")
        seat.model.wait_for_turn(lambda turn: "half a line" in str(turn.body))
        turn = seat.model.wait_for_text(post.message_id)
        texts = [text for blocks in seat.messages(turn) for text in blocks]
        assert [text for text in texts if "half a line" in text] == ["half a line"]
        (arrived,) = [text for text in texts if post.message_id in text]
        assert arrived.startswith("[pullcept] {")
        assert arrived.endswith(post.content)


def a_post_is_taken_while_the_model_works(root: Path, seat: RealSeat) -> None:
    gate = threading.Event()
    with RealRoom(root, [seat.account]) as room:
        room.start(seat.account)
        working = say("I am at it.", gate=gate)
        seat.model.script(working)
        first = room.say("a long task")
        seat.model.wait_for_text(first.message_id)
        assert working.begun.wait(LIMIT)
        wait_state(room, first, DeliveryState.TAKEN)
        second, third = room.say("one more thing"), room.say("and another")
        wait_state(room, second, DeliveryState.TAKEN if seat.account.kind == "claude_code" else DeliveryState.TYPED)
        assert third.message_id not in room.typed_into(seat.account), "one prompt in the queue at most"
        gate.set()
        wait_state(room, third, DeliveryState.TAKEN)
        turn = seat.model.wait_for_turn(lambda turn: third.message_id in str(turn.body))
        order = [str(turn.body).find(post.message_id) for post in (first, second, third)]
        assert order == sorted(order)
        assert -1 not in order


def test_claude_f_is_asked_something_and_a_post_waits_for_the_persons_answer(tmp_path: Path, claude: RealSeat) -> None:
    a_question_is_left_to_the_person(
        tmp_path, claude, lambda command: call("Bash", {"command": command, "description": "make it"}), b"1"
    )


def test_claude_g_holds_a_post_until_a_half_typed_line_is_sent(tmp_path: Path, claude: RealSeat) -> None:
    a_half_typed_line_stays_the_persons(tmp_path, claude)


def test_claude_h_takes_a_post_while_its_model_works(tmp_path: Path, claude: RealSeat) -> None:
    a_post_is_taken_while_the_model_works(tmp_path, claude)


def test_codex_f_is_asked_something_and_a_post_waits_for_the_persons_answer(tmp_path: Path, codex: RealSeat) -> None:
    a_question_is_left_to_the_person(tmp_path, codex, escalated, b"y")


def escalated(command: str) -> Step:
    """A command that Codex asks about."""
    wanted = {"cmd": command, "sandbox_permissions": "require_escalated", "justification": "need it"}
    return call("exec_command", wanted)


def test_codex_g_holds_a_post_until_a_half_typed_line_is_sent(tmp_path: Path, codex: RealSeat) -> None:
    a_half_typed_line_stays_the_persons(tmp_path, codex)


def test_codex_h_takes_a_post_while_its_model_works(tmp_path: Path, codex: RealSeat) -> None:
    a_post_is_taken_while_the_model_works(tmp_path, codex)
