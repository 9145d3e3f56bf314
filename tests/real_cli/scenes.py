"""What every real CLI must show in the room; the test files name the CLIs that play."""

import json
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pullcept.core.post import Post
from tests.real_cli.model_server import LIMIT, Recorded, call
from tests.real_cli.room import RealRoom
from tests.real_cli.seats import RealSeat

THREE_LINES = "おはようございます。🌅\n「設計」と'実装'を分けて考えましょう — A & B。\n三行目です。"
_PARAGRAPH = (
    '部屋の壁だけを持つ。 The room owns only its walls: 100 % of "what" was said, in order & whole. 👩‍💻✅\n\n'
    "- 一、二、三。\n"
)
LONG = (_PARAGRAPH * 100)[:4999].replace("\n\n\n", "\n\n").ljust(4999, "長") + "。"


def post_arrives_whole(room: RealRoom, seat: RealSeat, body: str) -> None:
    """A post of the person is one user message: the tag, then exactly what was said."""
    post = room.say(body)
    turn = seat.model.wait_for_text(post.message_id)
    (message,) = [blocks for blocks in seat.messages(turn) if any(post.message_id in text for text in blocks)]
    assert seat.knows_the_room(turn)
    assert len(message) == 1
    tag, _, text = message[0].partition("\n")
    assert tag.startswith("[pullcept] {")
    said = json.loads(tag.removeprefix("[pullcept] "))
    assert (said["role"], said["from"], said["message_id"]) == ("admin", "Mio", post.message_id)
    assert text == body, first_difference(text, body)


def first_difference(arrived: str, said: str) -> str:
    """Where two texts part, short enough to read."""
    at = next((at for at, pair in enumerate(zip(arrived, said, strict=False)) if pair[0] != pair[1]), 0)
    return (
        f"{len(arrived)} of {len(said)} characters, from {at}: {arrived[at : at + 120]!r} not {said[at : at + 120]!r}"
    )


def posts_arrive_whole(root: Path, seat: RealSeat) -> None:
    assert len(LONG) == 5000
    with RealRoom(root, [seat.account]) as room:
        room.start(seat.account)
        post_arrives_whole(room, seat, THREE_LINES)
        post_arrives_whole(room, seat, LONG)


def an_answer_is_a_row_everywhere_once(root: Path, speaker: RealSeat, listener: RealSeat) -> None:
    answer = "部屋への返事です。\nSecond line."
    with RealRoom(root, [speaker.account, listener.account]) as room:
        room.start(speaker.account, listener.account)
        script = Answers(speaker)
        script.say(answer)
        question = room.say("@Haru @Sora: who is here?")
        script.go(question)
        row = room.wait_for_row(speaker.name)
        heard = listener.model.wait_for_text(row.message_id)
        told = speaker.wait_for_result(row.message_id)
        typed = room.typed_into(listener.account)
        assert "Delivered to the room" in told
        assert row.content == answer
        assert [line["content"] for line in room.log() if line["message_id"] == row.message_id] == [answer]
        assert [shown.message_id for shown in room.rows()].count(row.message_id) == 1
        assert typed.count(row.message_id) == 1
        assert row.message_id not in room.typed_into(speaker.account)
        tag = json.loads(message_with(listener, heard, row).partition("\n")[0].removeprefix("[pullcept] "))
        assert (tag["from"], tag["role"]) == (speaker.name, speaker.account.kind)


def the_second_of_two_answers_is_refused_and_resent(root: Path, first: RealSeat, second: RealSeat) -> None:
    with RealRoom(root, [first.account, second.account]) as room:
        room.start(first.account, second.account)
        early, late, again = Answers(first), Answers(second, first=True), Answers(second)
        early.say("I was first.")
        late.say("I was second.")
        again.say(None)
        question = room.say("One answer is enough.")
        early.wait_until_begun()
        late.wait_until_begun()
        early.go(question)
        winner = room.wait_for_row(first.name)
        late.go(question)
        refused = second.wait_for_result("Not said")
        assert missed_ids(refused) == [winner.message_id]
        assert "I was first." in refused
        assert [row.speaker for row in room.rows()] == ["Mio", first.name]
        again.go(winner)
        resent = room.wait_for_row(second.name)
        assert resent.content == "I was second."
        assert f"message_id: {resent.message_id}" in second.wait_for_result("Delivered to the room")
        assert [line["speaker"] for line in room.log()] == ["Mio", first.name, second.name]


def a_conversation_goes_on_or_begins_anew(root: Path, seat: RealSeat) -> None:
    with RealRoom(root, [seat.account]) as room:
        room.start(seat.account)
        conversation = spoken_turn(room, seat, "the word is umbrella")
        topic = room.topic_id
        room.stop(seat.account)
    with RealRoom(root, [seat.account]) as room:
        room.open(topic)
        room.start(seat.account)
        post = room.say("which word?")
        turn = seat.model.wait_for_text(post.message_id)
        assert seat.conversation(turn) == conversation
        assert "the word is umbrella" in json.dumps(seat.messages(turn))
        assert any("resumes" in line for line in room.status_lines())
        room.stop(seat.account)
        for path in seat.transcripts(conversation):
            path.unlink()
        room.start(seat.account)
        fresh = spoken_turn(room, seat, "and now?")
        assert fresh != conversation
        assert any("fresh" in line and "gone" in line for line in room.status_lines())
        assert "umbrella" not in json.dumps(seat.messages(seat.model.turns()[-1]))
        assert json.loads(room.folder.index.read_text("utf-8"))["topics"][0]["sessions"] == {seat.account.id: fresh}


def spoken_turn(room: RealRoom, seat: RealSeat, text: str) -> str:
    """Say something, let the seat answer through the room; the id of its conversation."""
    script = Answers(seat)
    script.say(f"heard: {text}")
    post = room.say(text)
    script.go(post)
    row = room.wait_for_row(seat.name, text)
    seat.wait_for_result(row.message_id)
    return seat.conversation(seat.model.wait_for_text(post.message_id))


def a_new_nickname_counts_at_once(root: Path, seat: RealSeat) -> None:
    with RealRoom(root, [seat.account]) as room:
        room.start(seat.account)
        spoken_turn(room, seat, "before")
        room.app.set_nickname(seat.account.id, "春 & Spring")
        script = Answers(seat)
        script.say("I heard my new name.")
        post = room.say("@春 & Spring: who are you?")
        script.go(post)
        turn = seat.model.wait_for_text(post.message_id)
        tag = json.loads(message_with(seat, turn, post).partition("\n")[0].removeprefix("[pullcept] "))
        assert (tag["to"], tag["you"], tag["your_full_name"]) == (["春 & Spring"], "春 & Spring", seat.name)
        row = room.wait_for_row("春 & Spring", "I heard my new name.")
        assert row.full_name == seat.name
        seat.wait_for_result(row.message_id)
        history = call(seat.tool.replace("say_to_room", "read_room_history"), {"limit": 5}, match="and the list")
        seat.model.script(history)
        room.say("@春 & Spring: and the list of names?")
        assert "春 & Spring" in seat.wait_for_result("before")


class Answers:
    """One scripted call of `say_to_room` that waits until the test says which post it has seen.

    It waits in the middle of the call: Codex takes a request back when a post comes before the first word of an
    answer or between two of its parts. On a busy machine that may still be so; `first` then answers once more.
    """

    def __init__(self, seat: RealSeat, *, first: bool = False) -> None:
        self._seat = seat
        self._times = 2 if first else 1
        self._gate = threading.Event()
        self._arguments: dict[str, Any] = {}
        self._step = call(seat.tool, self._given, first=first, gate=self._gate)

    def say(self, content: str | None) -> None:
        """Script the call; without content it sends the kept draft."""
        self._arguments = {} if content is None else {"content": content}
        self._seat.model.script(*[self._step] * self._times)

    def wait_until_begun(self) -> None:
        """Until the first words of the answer have been sent."""
        assert self._step.begun.wait(LIMIT), f"{self._seat.name} never began to answer"

    def go(self, seen: Post) -> None:
        """Let the model answer, having seen this post."""
        self._arguments["last_seen"] = seen.message_id
        self._gate.set()

    def _given(self) -> Mapping[str, Any]:
        return self._arguments


def message_with(seat: RealSeat, turn: Recorded, post: Post) -> str:
    """The user text that holds a post."""
    (text,) = [text for blocks in seat.messages(turn) for text in blocks if post.message_id in text]
    return text


def missed_ids(refusal: str) -> list[str]:
    """The ids of the posts that a refusal shows."""
    return re.findall(r"^\[([^\]]+)\] ", refusal, re.MULTILINE)
