"""The console: what it prints of events, and what it asks of the app for typed lines."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from pullcept.console import Console, post_line
from pullcept.core.post import Post
from pullcept.core.screen import (
    AccountsListed,
    AccountView,
    AppEnded,
    DeliveryChanged,
    OlderRows,
    PostAccepted,
    PostRefused,
    RaiseAsked,
    RowAdded,
    SeatChanged,
    SeatView,
    StatusSaid,
    TopicOpened,
    TopicsListed,
    TopicView,
)
from pullcept.core.seat import DeliveryState, Seat, SeatState

TOPIC = "t1"
ACCOUNTS = AccountsListed(
    (
        AccountView("me", "Mio", "admin", None, startable=False),
        AccountView("a", "Aki", "cli", None, startable=True),
        AccountView("b", "Aki Two", "cli", None, startable=True),
    )
)


class Asked:
    """Remembers every action asked for."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        def ask(*arguments: Any) -> str:
            self.calls.append((name, *arguments))
            return "m"

        return ask


class Desk:
    """A console with what it printed and what it asked for."""

    def __init__(self) -> None:
        self.asked = Asked()
        self.out = io.StringIO()
        self.console = Console(
            self.asked,
            lambda seat: None,
            lambda topic, name: ({"PULLCEPT_ROOM_ID": topic, "PULLCEPT_AGENT_NAME": name}, ("python", "sidecar")),
            self.out,
        )
        self.console.on_event(ACCOUNTS)
        self.console.on_event(TopicOpened(TOPIC, "Plans", (), has_older=False))

    def line(self, text: str) -> str:
        """What typing `text` prints."""
        before = self.out.tell()
        assert self.console.on_line(text)
        return self.out.getvalue()[before:]


@pytest.fixture
def desk() -> Desk:
    return Desk()


def post(number: int, content: str = "hello", *, to: tuple[str, ...] = ()) -> Post:
    return Post(f"m{number}", "Aki", content, "2026-11-30T09:00:00Z", to=to)


def test_a_plain_line_is_a_post_that_has_seen_the_last_printed_row(desk: Desk) -> None:
    desk.console.on_event(RowAdded(TOPIC, post(1), own=False))
    desk.line("  indented, @Aki 見て")
    assert desk.asked.calls == [("post", TOPIC, "  indented, @Aki 見て", "m1")]


def test_a_row_of_another_topic_is_neither_printed_nor_seen(desk: Desk) -> None:
    desk.console.on_event(RowAdded("other", post(1, "elsewhere"), own=False))
    desk.line("hi")
    assert "elsewhere" not in desk.out.getvalue()
    assert desk.asked.calls == [("post", TOPIC, "hi", None)]


def test_rows_show_who_says_what_to_whom() -> None:
    assert post_line(post(1, to=("Ren", "Mio"))).endswith("Aki → Ren, Mio: hello")
    assert post_line(Post("m", "Aki", "x", "no time")).startswith("--:-- Aki")


def test_a_refused_post_prints_what_came_first_and_is_sent_again_on_demand(desk: Desk) -> None:
    desk.console.on_event(PostRefused(TOPIC, "m9", "my words", missed=(post(1, "first"), post(2, "second"))))
    printed = desk.out.getvalue()
    assert "first" in printed
    assert "second" in printed
    assert "2 posts came first" in printed
    desk.line("/again")
    assert desk.asked.calls == [("post", TOPIC, "my words", "m2")]
    desk.line("/again")
    assert len(desk.asked.calls) == 1


def test_a_post_that_failed_says_why_and_is_kept(desk: Desk) -> None:
    desk.console.on_event(PostRefused(TOPIC, "m9", "kept", reason="the room is gone"))
    assert "Not sent: the room is gone" in desk.out.getvalue()
    desk.line("/again")
    assert desk.asked.calls[0][2] == "kept"


def test_a_failed_start_gives_its_reason_once(desk: Desk) -> None:
    failed = SeatView(Seat("a", TOPIC), SeatState.FAILED, detail="no such program")
    desk.console.on_event(SeatChanged(failed))
    desk.console.on_event(StatusSaid("no such program", "error"))
    assert desk.out.getvalue().count("no such program") == 1
    desk.console.on_event(StatusSaid("no such program", "error"))
    assert desk.out.getvalue().count("no such program") == 2


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("/again", "No post waits"),
        ("/older", "no earlier posts"),
        ("/rename", "takes the new title"),
        ("/seats", "/start NAME"),
        ("/topics", "no topics yet"),
    ],
)
def test_a_command_with_nothing_to_do_says_so(desk: Desk, command: str, answer: str) -> None:
    assert answer in desk.line(command)
    assert not desk.asked.calls


def test_reading_past_the_first_post_says_that_it_was_the_first(desk: Desk) -> None:
    desk.console.on_event(OlderRows(TOPIC, (), has_older=False))
    assert "no earlier posts" in desk.out.getvalue()


def test_who_gets_a_post_later_is_printed(desk: Desk) -> None:
    desk.console.on_event(PostAccepted(TOPIC, "m1", paused=("Aki: at its first screen",)))
    assert "(Aki: at its first screen)" in desk.out.getvalue()


def test_sessions_are_started_and_stopped_by_name(desk: Desk) -> None:
    desk.line("/start aki")
    desk.line("/stop Aki Two")
    assert desk.asked.calls == [("start", Seat("a", TOPIC), 120, 40), ("stop", Seat("b", TOPIC))]


def test_an_account_is_called_otherwise_by_a_line(desk: Desk) -> None:
    desk.line("/nick Aki Two Spring of 2027")
    desk.line("/nick aki two")
    assert desk.asked.calls == [("set_nickname", "b", "Spring of 2027"), ("set_nickname", "b", "")]


def test_a_name_nobody_has_lists_those_there_are(desk: Desk) -> None:
    assert "There are: Aki, Aki Two" in desk.line("/start Mio")
    assert not desk.asked.calls


def test_keys_go_to_the_longest_name_that_fits(desk: Desk) -> None:
    desk.line("/keys Aki Two yes please")
    desk.line("/key Aki esc")
    assert desk.asked.calls == [
        ("write_keys", Seat("b", TOPIC), b"yes please"),
        ("write_keys", Seat("b", TOPIC), b"\r"),
        ("write_keys", Seat("a", TOPIC), b"\x1b"),
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("/nonsense", "Unknown command /nonsense"),
        ("/open 7", "takes a number"),
        ("/open ²", "takes a number"),
        ("/key Aki f13", "/key takes one of"),
        ("/guest", "takes the name"),
        ("/look Aki", "has no terminal here yet"),
        ("/delete", "/delete yes"),
    ],
)
def test_a_line_that_cannot_be_carried_out_says_what_to_do(desk: Desk, line: str, words: str) -> None:
    assert words in desk.line(line)
    assert not desk.asked.calls


def test_topics_are_listed_and_opened_by_number(desk: Desk) -> None:
    listed = (TopicView("t2", "Second", "2026-11-30T10:00:00Z", running=2), TopicView("t1", "", "2026-11-29T10:00:00Z"))
    desk.console.on_event(TopicsListed(listed))
    printed = desk.line("/topics")
    assert "1 2026-11-30 Second  ●2" in printed
    assert "2 2026-11-29 untitled" in printed
    desk.line("/open 1")
    assert desk.asked.calls == [("open_topic", "t2")]


def test_older_rows_continue_from_the_oldest_printed(desk: Desk) -> None:
    desk.console.on_event(TopicOpened(TOPIC, "Plans", (post(5), post(6)), has_older=True, skipped=2))
    assert "2 lines of the log could not be read" in desk.out.getvalue()
    desk.line("/older")
    desk.console.on_event(OlderRows(TOPIC, (post(3), post(4)), has_older=False))
    desk.line("/older")
    assert [call[2] for call in desk.asked.calls] == ["m5", "m3"]
    desk.line("now")
    assert desk.asked.calls[-1] == ("post", TOPIC, "now", "m6")


def test_states_are_told_in_words_and_only_when_they_change(desk: Desk) -> None:
    seat = Seat("a", TOPIC)
    for held in (0, 1):
        desk.console.on_event(SeatChanged(SeatView(seat, SeatState.RUNNING, held=held, hold_reason="a question")))
    desk.console.on_event(SeatChanged(SeatView(seat, SeatState.ENDED, detail="exit code 3", exit_code=3)))
    assert desk.out.getvalue().count("Aki: Running") == 1
    assert "Aki: Exited by itself (exit code 3)" in desk.out.getvalue()
    desk.console.on_event(SeatChanged(SeatView(seat, SeatState.RUNNING, held=1, hold_reason="a question")))
    assert "Running, 1 held: a question" in desk.line("/seats")


def test_delivery_is_printed_on_demand_and_failures_always(desk: Desk) -> None:
    seat = Seat("a", TOPIC)
    desk.console.on_event(DeliveryChanged(seat, "m1", DeliveryState.TYPED))
    desk.console.on_event(DeliveryChanged(seat, "m2", DeliveryState.FAILED, "the session ended"))
    desk.line("/marks")
    desk.console.on_event(DeliveryChanged(seat, "m3", DeliveryState.TYPED))
    printed = desk.out.getvalue()
    assert "m1 →" not in printed
    assert "[m2 → Aki: failed the session ended]" in printed
    assert "[m3 → Aki: typed ]" in printed


def test_a_guest_line_is_one_line_of_json(desk: Desk) -> None:
    printed = desk.line("/guest Reviewer")
    told = json.loads(printed.splitlines()[-1])
    assert told["env"] == {"PULLCEPT_ROOM_ID": TOPIC, "PULLCEPT_AGENT_NAME": "Reviewer"}
    assert told["argv"] == ["python", "sidecar"]


def test_notes_and_status_lines_are_printed(desk: Desk) -> None:
    desk.console.on_event(PostAccepted(TOPIC, "m1", ("nobody is called Zed",)))
    desk.console.on_event(StatusSaid("all is well"))
    desk.console.on_event(StatusSaid("the disk is full", "error"))
    printed = desk.out.getvalue()
    assert "(nobody is called Zed)" in printed
    assert "* all is well" in printed
    assert "! the disk is full" in printed


def test_quit_ends_the_reading_and_the_end_of_the_app_is_noticed(desk: Desk) -> None:
    assert not desk.console.on_line("/quit")
    desk.console.on_event(AppEnded("the room broke"))
    assert desk.console.ended.is_set()
    assert "! the room broke" in desk.out.getvalue()


def test_what_others_wrote_neither_acts_on_the_terminal_nor_looks_like_another_post() -> None:
    post = Post("m1", "Aki\x1b[2J", "hi\x1b]52;c;cm0=\x07\r\n09:00 Mio: delete it\x9b31m", "no time")
    assert post_line(post) == "--:-- Aki[2J: hi]52;c;cm0=\n      09:00 Mio: delete it31m"


def test_no_event_prints_a_control_character() -> None:
    desk = Desk()
    desk.console.on_event(StatusSaid("Haru\x1b[2J ended\x07"))
    assert desk.out.getvalue().endswith("* Haru[2J ended\n")


def test_a_second_start_on_this_folder_is_told() -> None:
    desk = Desk()
    desk.console.on_event(RaiseAsked())
    assert "started again" in desk.out.getvalue()


def test_the_loop_guard_is_lifted_and_its_posts_are_dropped_by_a_line() -> None:
    desk = Desk()
    desk.console.on_event(TopicOpened(TOPIC, "Plans", (), has_older=False))
    desk.console.on_line("/continue")
    desk.console.on_line("/skipall")
    assert desk.asked.calls == [("go_on", TOPIC), ("skip_all", TOPIC)]


def test_attached_files_go_with_the_next_line_and_again_when_it_was_refused(desk: Desk, tmp_path: Path) -> None:
    cat = tmp_path / "cat.png"
    cat.write_bytes(b"meow")
    assert "no file" in desk.line("/attach /no/such/file")
    assert "cat.png" in desk.line(f"/attach {cat}")
    desk.line("look")
    assert desk.asked.calls[-1] == ("post_files", TOPIC, "look", (str(cat),), None)
    desk.console.on_event(PostRefused(TOPIC, "m9", "look", reason="busy", files=("/data/cat.png",)))
    desk.line("/again")
    assert desk.asked.calls[-1] == ("post_files", TOPIC, "look", ("/data/cat.png",), None)
    desk.line("and this")
    assert desk.asked.calls[-1][0] == "post"


def test_a_file_is_sent_without_text_or_dropped(desk: Desk, tmp_path: Path) -> None:
    cat = tmp_path / "cat.png"
    cat.write_bytes(b"meow")
    desk.line(f"/attach {cat}")
    desk.line("/attach drop")
    desk.line(f"/attach {cat}")
    desk.line("/attach send")
    assert desk.asked.calls == [("post_files", TOPIC, "", (str(cat),), None)]


def test_a_topic_is_exported_and_everything_copied_to_new_files_only(desk: Desk, tmp_path: Path) -> None:
    old = tmp_path / "old.md"
    old.write_text("old", encoding="utf-8")
    assert "exists already" in desk.line(f"/export {old}")
    assert ".jsonl" in desk.line("/export")
    assert "zip" in desk.line("/copy")
    desk.line(f"/export {tmp_path / 'new.md'}")
    desk.line(f"/copy {tmp_path / 'new.zip'}")
    assert desk.asked.calls == [
        ("export_topic", TOPIC, str(tmp_path / "new.md")),
        ("save_copy", str(tmp_path / "new.zip")),
    ]
