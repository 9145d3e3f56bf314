"""The whole window on a real display, with a fake app behind it."""

import tkinter as tk

import pytest

from pullcept.core import screen
from pullcept.core.seat import DeliveryState, Seat, SeatState
from pullcept.term.core import TerminalCore
from pullcept.ui import window
from pullcept.ui.dialogs.confirm import ConfirmDialog
from pullcept.ui.texts import use_language
from tests.ui import fakes
from tests.ui.conftest import Room
from tests.ui.fakes import TOPIC, post, stamp

pytestmark = pytest.mark.display
HARU = Seat("haru", TOPIC)


def dialog(room: Room) -> ConfirmDialog:
    found = [child for child in room.window.root.winfo_children() if isinstance(child, ConfirmDialog)]
    assert len(found) == 1
    return found[0]


def test_an_opened_topic_shows_its_rows_and_the_newest_is_in_sight(full_room: Room) -> None:
    page = full_room.page()
    assert "Reproduced." in page
    assert "納品書も同じ直し方で。" in page
    assert full_room.window.conversation.at_bottom()
    assert full_room.window.root.title() == f"{fakes.topics()[0].title} — Pullcept"


def test_markup_in_a_post_stays_text(full_room: Room) -> None:
    assert "<script>alert(1)</script> <b>not bold</b> &amp; <img src=file:///etc/passwd>" in full_room.page()


def test_emoji_and_rare_kanji_are_kept(full_room: Room) -> None:
    assert "🙂" in full_room.page()
    assert "𠮷" in full_room.page()


def test_enter_posts_what_was_written_with_the_newest_row_as_last_seen(full_room: Room) -> None:
    full_room.type("hello\nthere ")
    full_room.press("Return")
    assert full_room.actions.named("post") == [("post", TOPIC, "hello\nthere ", "m9")]
    assert full_room.window.composer.written() == ""


def test_shift_enter_is_a_new_line_and_white_space_is_not_posted(full_room: Room) -> None:
    full_room.press("Return", state=1)
    full_room.press("Return")
    assert full_room.window.composer.written() == "\n"
    assert full_room.actions.named("post") == []


def test_nothing_is_sent_while_an_input_method_composes(full_room: Room) -> None:
    full_room.type("かんじ")
    full_room.window.composer.text.event_generate("<<TkStartIMEMarkedText>>")
    full_room.press("Return")
    assert full_room.actions.named("post") == []
    assert full_room.window.composer.written() == "かんじ"


def test_a_refused_post_comes_back_as_written_with_the_missed_rows_drawn_once(full_room: Room) -> None:
    missed = (post("m9", "known", "美咲"), post("n1", "I was first", "Ren", ts=stamp(1)))
    full_room.tell(screen.PostRefused(TOPIC, "own-1", "my words\n  kept", missed))
    assert full_room.window.composer.written() == "my words\n  kept"
    assert full_room.page().count("I was first") == 1
    assert "2 posts came first" in str(full_room.window.composer._refusal.cget("text"))
    full_room.press("Return")
    assert full_room.actions.named("post")[-1] == ("post", TOPIC, "my words\n  kept", "n1")


def test_text_written_meanwhile_stays_behind_a_returned_text(full_room: Room) -> None:
    full_room.type("newer")
    full_room.tell(screen.PostRefused(TOPIC, "own-1", "older", reason="no such room"))
    assert full_room.window.composer.written() == "older\n\nnewer"


def test_a_new_row_is_followed_at_the_bottom_and_counted_elsewhere(full_room: Room) -> None:
    view, conversation = full_room.window.conversation.view, full_room.window.conversation
    full_room.tell(*(screen.RowAdded(TOPIC, post(f"a{n}", f"row {n}"), own=False) for n in range(30)))
    assert conversation.at_bottom()
    view.html.yview_moveto(0)
    full_room.until(lambda: not conversation.at_bottom())
    full_room.tell(screen.RowAdded(TOPIC, post("late", "a late row"), own=False))
    assert full_room.window.state.unread_rows == 1
    assert conversation._newest.winfo_manager() == "place"
    assert full_room.window.state.last_seen() == "late"
    conversation.to_newest()
    full_room.settle()
    assert conversation.at_bottom()
    assert full_room.window.state.unread_rows == 0
    assert "New from here" in full_room.page()


def test_only_a_bounded_stretch_of_a_long_topic_is_drawn(room: Room) -> None:
    rows = tuple(post(f"r{n}", f"row {n}\n" * 3, ts=stamp(3000 - n)) for n in range(1000))
    room.tell(screen.AccountsListed(fakes.ACCOUNTS), screen.TopicsListed(fakes.topics()), fakes.opened(rows))
    conversation = room.window.conversation
    assert "row 999" in room.page()
    assert len(conversation._nodes) <= 150
    for _turn in range(60):
        conversation.view.html.yview_moveto(0)
        room.settle()
        assert len(conversation._nodes) <= 150
        if conversation._drawn.start == 0:
            break
    assert "row 0\n" in room.page()
    conversation.to_newest()
    room.settle()
    assert "row 999" in room.page()


def test_scrolling_to_the_top_asks_for_older_rows_once_and_keeps_the_place(room: Room) -> None:
    rows = tuple(post(f"r{n}", f"row {n}", ts=stamp(500 - n)) for n in range(60))
    room.tell(screen.AccountsListed(fakes.ACCOUNTS), fakes.opened(rows, has_older=True))
    conversation = room.window.conversation
    conversation.view.html.yview_moveto(0)
    room.until(lambda: room.actions.named("read_older"))
    assert room.actions.named("read_older") == [("read_older", TOPIC, "r0")]
    before = conversation._anchor()
    older = tuple(post(f"o{n}", f"old {n}", ts=stamp(900 - n)) for n in range(50))
    room.tell(screen.OlderRows(TOPIC, older, has_older=False))
    room.until(lambda: "old 49" in room.page())
    assert before is not None
    node = conversation._nodes[before[0]]
    assert abs(conversation.view.top_of(node) - conversation.view.top() - before[1]) <= 40
    assert len(room.actions.named("read_older")) == 1


def test_an_at_sign_offers_names_and_tab_puts_one_in(full_room: Room) -> None:
    composer = full_room.window.composer
    full_room.type("hi ＠r")
    assert composer._list.shown
    assert [candidate.name for candidate in composer._list._found] == ["Ren", "Riku"]
    full_room.press("Down")
    full_room.press("Tab")
    assert composer.written() == "hi ＠Riku "
    assert not composer._list.shown


def test_esc_closes_the_candidates_for_good_and_enter_posts(full_room: Room) -> None:
    full_room.type("@r")
    full_room.press("Escape")
    assert not full_room.window.composer._list.shown
    full_room.type("e")
    assert not full_room.window.composer._list.shown
    full_room.press("Return")
    assert full_room.actions.named("post")[0][2] == "@re"


def test_drafts_belong_to_their_topic(full_room: Room) -> None:
    full_room.type("for one")
    full_room.tell(fakes.opened((post("x", "other"),), topic_id="topic-2", title="Two"))
    assert full_room.window.composer.written() == ""
    full_room.type("for two")
    full_room.tell(screen.PostRefused(TOPIC, "own-9", "refused", reason="the log is full"))
    full_room.tell(fakes.opened())
    assert full_room.window.composer.written() == "refused\n\nfor one"
    assert full_room.window.composer._refusal.winfo_manager()


def test_play_starts_a_session_with_the_size_of_the_pane(full_room: Room) -> None:
    full_room.window.toggle("demo")
    name, seat, columns, rows = full_room.actions.named("start")[0]
    assert (name, seat) == ("start", Seat("demo", TOPIC))
    assert columns >= 40
    assert rows >= 4
    assert full_room.window.terminal.winfo_manager()


def test_enter_in_the_list_of_accounts_stops_after_a_question(full_room: Room) -> None:
    accounts = full_room.window.accounts.list
    accounts.selected = "haru"
    full_room.press("Return", accounts.canvas)
    asked = dialog(full_room)
    asked.no.invoke()
    full_room.settle()
    assert full_room.actions.named("stop") == []
    full_room.press("Return", accounts.canvas)
    dialog(full_room).yes.invoke()
    assert full_room.actions.named("stop") == [("stop", HARU)]


def test_deleting_a_topic_names_who_is_stopped(full_room: Room) -> None:
    full_room.window.topics.list.selected = TOPIC
    full_room.press("Delete", full_room.window.topics.list.canvas)
    asked = dialog(full_room)
    words = " ".join(str(child.cget("text")) for child in asked.winfo_children() if isinstance(child, tk.Label))
    assert "will be stopped: Haru, Ren" in words
    full_room.press("Escape", asked.no)
    assert full_room.actions.named("delete_topic") == []


def test_closing_asks_only_while_sessions_run(room: Room) -> None:
    room.tell(*fakes.empty_scene())
    room.window.close()
    assert room.actions.named("quit") == [("quit",)]
    room.tell(*fakes.full_scene())
    room.window.close()
    assert len(room.actions.named("quit")) == 1
    dialog(room).yes.invoke()
    assert len(room.actions.named("quit")) == 2


def test_the_menu_of_a_topic_renames_and_deletes(full_room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    topics, shown = full_room.window.topics, []
    monkeypatch.setattr(tk.Menu, "tk_popup", lambda menu, x, y: shown.append(menu))
    topics.list.selected = TOPIC
    full_room.press("F10", topics.list.canvas, state=1)
    left, top, _width, height = topics.list.place_of(TOPIC) or (0, 0, 0, 0)
    topics.list.canvas.event_generate("<Button-3>", x=left + 5, y=top + height // 2)
    assert len(shown) == 2
    shown[-1].invoke(0)
    assert topics._rename is not None
    full_room.press("Escape", topics._rename)
    shown[-1].invoke(1)
    full_room.press("Escape", dialog(full_room).no)
    assert full_room.actions.named("delete_topic") == []


def test_a_topic_is_renamed_in_place(full_room: Room) -> None:
    topics = full_room.window.topics
    topics.list.selected = TOPIC
    full_room.press("F2", topics.list.canvas)
    assert topics._rename is not None
    topics._rename.select_clear()
    full_room.press("a", topics._rename, state=4)
    topics._rename.delete("sel.first", "sel.last")
    topics._rename.insert(0, "  Better  ")
    full_room.press("Return", topics._rename)
    assert full_room.actions.named("rename_topic") == [("rename_topic", TOPIC, "Better")]


def test_a_topic_opens_by_click_and_by_keyboard(full_room: Room) -> None:
    topics = full_room.window.topics.list
    place = topics.place_of("topic-2")
    assert place is not None
    topics.canvas.event_generate("<Button-1>", x=place[0] + 20, y=place[1] + 10)
    assert full_room.actions.named("open_topic") == [("open_topic", "topic-2")]
    full_room.press("Down", topics.canvas)
    full_room.press("Return", topics.canvas)
    assert full_room.actions.named("open_topic")[-1] == ("open_topic", "topic-3")


def test_columns_fold_to_rails_in_a_narrow_window_one_unfolds_at_a_time(full_room: Room) -> None:
    shown = full_room.window
    assert shown.topics.winfo_manager()
    shown.root.geometry("900x600+0+0")
    full_room.until(lambda: shown.topics_rail.winfo_manager() and shown.accounts_rail.winfo_manager())
    shown.fold("left")
    full_room.settle()
    assert shown.topics.winfo_manager()
    shown.fold("right")
    full_room.settle()
    assert shown.accounts.winfo_manager()
    assert not shown.topics.winfo_manager()
    assert shown.root.winfo_width() == 900


def test_the_theme_changes_while_a_text_is_being_written(full_room: Room) -> None:
    full_room.type("half a thought")
    full_room.window.switch_theme()
    full_room.settle()
    assert full_room.window.composer.written() == "half a thought"
    assert "Reproduced." in full_room.page()
    assert full_room.window.root.cget("bg") == "#181A1F"


def test_every_scene_is_drawn_in_both_languages(room: Room) -> None:
    for language in ("ja", "en"):
        use_language(language)  # type: ignore[arg-type]
        room.window.use_theme("dark")
        room.tell(*fakes.error_scene())
        room.tell(*fakes.empty_scene())
        assert ("あなたの部屋です" if language == "ja" else "This is your room") in room.page().replace(
            "\xa0", " "
        ) or ("まだ発言はありません" if language == "ja" else "Nothing said yet") in room.page()


def test_a_code_block_is_copied_as_written(full_room: Room) -> None:
    full_room.window.conversation._follow("pullcept:copy/m2/0")
    copied = full_room.window.root.clipboard_get()
    assert copied.startswith("def subset(text: str) -> set[int]:\n    return")


def test_a_link_goes_to_the_browser_and_nothing_else_does(full_room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    for address in ("https://example.org/x", "file:///etc/passwd", "javascript:alert(1)", "pullcept:copy/none/9"):
        full_room.window.conversation._follow(address)
    assert opened == ["https://example.org/x"]


def test_a_long_post_is_folded_and_unfolds(room: Room) -> None:
    text = "\n".join(f"line number {n}" for n in range(500))
    room.tell(screen.AccountsListed(fakes.ACCOUNTS), fakes.opened((post("long", text),)))
    assert "line number 400" not in room.page()
    assert "Show all (500 lines)" in room.page()
    room.window.conversation._follow("pullcept:fold/long")
    room.settle()
    assert "line number 499" in room.page()


def test_a_post_of_a_megabyte_without_spaces_is_drawn_soon(room: Room) -> None:
    room.tell(screen.AccountsListed(fakes.ACCOUNTS), fakes.opened((post("big", "x" * 1_000_000),)))
    room.window.conversation._follow("pullcept:fold/big")
    room.settle()
    assert "more characters are not drawn" in room.page()


def test_hostile_markup_neither_breaks_the_page_nor_fetches(room: Room) -> None:
    bodies = (
        "<table><td><table>",
        "<html><head><title>x</title></head>",
        '<table style="border-collapse: collapse !important">',
        "<div>" * 10_000,
        "![x](http://127.0.0.1:1/a.png) <iframe src=file:///etc/passwd></iframe>",
        "> " * 2_000 + "deep",
        "[x](file:///etc/passwd) [y](javascript:alert(1)) [z](data:text/html,x)",
        "\x1b[31mred\x00\u202eflip\ud800",
        "```\n" * 50,
        "|a|" * 500 + "\n" + "|-|" * 500,
    )
    rows = tuple(post(f"h{n}", body) for n, body in enumerate(bodies))
    room.tell(screen.AccountsListed(fakes.ACCOUNTS), fakes.opened(rows))
    for n in range(len(bodies)):
        room.window.conversation._follow(f"pullcept:fold/h{n}")
        room.settle()
    assert "root:" not in room.page()
    assert str(room.window.conversation.view.html.search("iframe")) in {"", "()"}


def test_rows_under_a_selection_may_go(full_room: Room) -> None:
    view = full_room.window.conversation.view
    view.html.selection_manager.select_all()
    assert view.has_selection()
    full_room.tell(screen.DeliveryChanged(HARU, "m4", DeliveryState.TAKEN))
    full_room.tell(*(screen.RowAdded(TOPIC, post(f"s{n}", f"row {n}"), own=False) for n in range(200)))
    full_room.tell(fakes.opened())
    assert "Reproduced." in full_room.page()


def test_delivery_marks_follow_the_post(full_room: Room) -> None:
    conversation = full_room.window.conversation
    for state in (DeliveryState.QUEUED, DeliveryState.TYPED, DeliveryState.TAKEN):
        full_room.tell(screen.DeliveryChanged(HARU, "m9", state))
    marks = conversation._marks("m9")
    assert [(mark.name, mark.delivery.state) for mark in marks] == [
        ("Haru", DeliveryState.TAKEN),
        ("Ren", DeliveryState.QUEUED),
    ]


def test_an_unrequested_exit_opens_the_terminal_with_its_last_output(full_room: Room) -> None:
    core = TerminalCore(80, 24)
    core.feed(b"last words")
    full_room.cores[HARU] = core
    assert not full_room.window.terminal.winfo_manager()
    full_room.tell(screen.SeatChanged(screen.SeatView(HARU, SeatState.ENDED, exit_code=1)))
    assert full_room.window.terminal.winfo_manager()
    assert full_room.window.terminal.seat == HARU
    full_room.until(lambda: full_room.window.terminal.screen._drawn is not None)


def test_a_requested_exit_does_not_open_the_terminal(full_room: Room) -> None:
    full_room.tell(screen.SeatChanged(screen.SeatView(HARU, SeatState.ENDED, exit_code=0, asked=True)))
    assert not full_room.window.terminal.winfo_manager()


def test_keys_and_paste_go_to_the_visible_terminal_only(full_room: Room) -> None:
    core = TerminalCore(80, 24)
    full_room.cores[HARU] = core
    full_room.window.show_terminal("haru")
    full_room.settle()
    keys = full_room.window.terminal.screen.key_field
    full_room.press("a", keys)
    full_room.press("Return", keys)
    full_room.press("n", keys, state=4)
    assert full_room.actions.named("write_keys") == [
        ("write_keys", HARU, b"a"),
        ("write_keys", HARU, b"\r"),
        ("write_keys", HARU, b"\x0e"),
    ]
    assert full_room.actions.named("new_topic") == []
    core.feed(b"\x1b[?2004h")
    full_room.window.copy("two\nlines")
    full_room.window.terminal.screen.paste()
    assert full_room.actions.named("write_keys")[-1][2] == b"\x1b[200~two\nlines\x1b[201~"


def test_keys_are_not_written_to_an_ended_terminal(full_room: Room) -> None:
    full_room.cores[HARU] = TerminalCore(80, 24)
    full_room.tell(screen.SeatChanged(screen.SeatView(HARU, SeatState.ENDED, exit_code=1)))
    full_room.press("a", full_room.window.terminal.screen.key_field)
    assert full_room.actions.named("write_keys") == []


def test_f6_leaves_the_terminal(full_room: Room) -> None:
    full_room.cores[HARU] = TerminalCore(80, 24)
    full_room.window.show_terminal("haru")
    full_room.press("F6", full_room.window.terminal.screen.key_field)
    assert not full_room.window.terminal.has_focus()
    assert full_room.actions.named("write_keys") == []


def test_the_strip_says_that_a_post_is_being_typed(full_room: Room) -> None:
    full_room.tell(screen.DeliveryChanged(HARU, "m6", DeliveryState.TAKEN))
    full_room.window.show_terminal("haru")
    full_room.tell(screen.TypingPost(HARU, True))
    assert "being typed" in full_room.window.terminal.strip.text
    assert full_room.window.terminal.strip.winfo_manager()
    full_room.tell(screen.TypingPost(HARU, False))
    assert not full_room.window.terminal.strip.winfo_manager()


def test_the_pane_tells_its_size_to_a_running_session(full_room: Room) -> None:
    full_room.cores[HARU] = TerminalCore(80, 24)
    full_room.window.show_terminal("haru")
    full_room.until(lambda: full_room.actions.named("resize"))
    assert full_room.actions.named("resize")[-1][2:] == full_room.window.terminal.cell_size()


def test_the_status_line_keeps_an_error_until_it_is_taken_back(full_room: Room) -> None:
    label = full_room.window.status.label
    full_room.tell(screen.StatusSaid("Cannot write the log", "error", "log"), screen.StatusSaid("something else"))
    assert label.cget("text") == "Cannot write the log"
    full_room.tell(screen.StatusSaid("", "info", "log"))
    assert label.cget("text") == "something else"


def test_switching_topics_leaves_nothing_behind(full_room: Room) -> None:
    root = full_room.window.root

    def counts() -> tuple[int, int]:
        return len(root.tk.splitlist(root.tk.call("info", "commands"))), len(
            root.tk.splitlist(root.tk.call("image", "names"))
        )

    for _round in range(3):
        full_room.tell(fakes.opened(), fakes.opened((post("x", "other"),), topic_id="topic-2", title="Two"))
    before = counts()
    for _round in range(20):
        full_room.tell(fakes.opened(), fakes.opened((post("x", "other"),), topic_id="topic-2", title="Two"))
    commands, images = counts()
    assert commands - before[0] <= 20
    assert images - before[1] <= 5


def test_rows_put_at_both_ends_at_once_are_all_there(room: Room) -> None:
    rows = tuple(post(f"r{n}", f"row {n}.", ts=stamp(500 - n)) for n in range(40))
    room.tell(screen.AccountsListed(fakes.ACCOUNTS), fakes.opened(rows, has_older=True))
    for round_number in range(3):
        room.window.conversation.view.html.yview_moveto(round_number / 2)
        room.settle()
        older = tuple(post(f"o{round_number}-{n}", f"old {round_number}-{n}.", ts=stamp(900)) for n in range(30))
        room.tell(
            screen.RowAdded(TOPIC, post(f"new{round_number}", f"new {round_number}."), own=False),
            screen.OlderRows(TOPIC, older, has_older=True),
            screen.RowAdded(TOPIC, post(f"newer{round_number}", f"newer {round_number}."), own=False),
            screen.DeliveryChanged(HARU, f"new{round_number}", DeliveryState.TYPED),
        )
        drawn = [row.post.message_id for row in room.window.state.rows]
        place = [drawn.index(message_id) for message_id in room.window.conversation._nodes]
        stretch = room.window.conversation._drawn
        assert sorted(place) == list(range(stretch.start, stretch.stop))
    room.window.conversation.to_newest()
    room.settle()
    assert "newer 2." in room.page()


def test_odd_characters_in_names_and_titles_are_no_trouble(room: Room) -> None:
    odd = "a\x00b\ud800\u202e\n🙂 " * 200
    room.tell(
        screen.AccountsListed((screen.AccountView("odd", odd, "cli", 1, True, odd),)),
        screen.TopicsListed((screen.TopicView(TOPIC, odd, "never"),)),
        fakes.opened((post("m", odd, odd, to=(odd,)),), title=odd),
        screen.RosterListed(TOPIC, ((odd, "guest", None),)),
        screen.SeatChanged(screen.SeatView(Seat("odd", TOPIC), SeatState.FAILED, detail=odd)),
        screen.StatusSaid(odd, "error"),
    )
    room.type("@")
    assert room.window.composer._list.shown


def test_a_thousand_topics_draw_only_what_is_in_sight(room: Room) -> None:
    views = tuple(screen.TopicView(f"t{n}", f"Topic {n}", stamp(n)) for n in range(1000))
    room.tell(screen.TopicsListed(views))
    canvas = room.window.topics.list.canvas
    assert len(canvas.find_all()) < 200
    room.press("End", canvas)
    assert room.window.topics.list.selected == "t999"
    shown = {canvas.itemcget(item, "text") for item in canvas.find_all() if canvas.type(item) == "text"}
    assert "Topic 999" in shown


def test_the_window_closes_when_the_app_has_ended() -> None:
    import queue

    events: queue.SimpleQueue[screen.ScreenEvent] = queue.SimpleQueue()
    fakes.feed(events, [*fakes.full_scene(), screen.AppEnded("done")])
    window.run_window(fakes.FakeActions(), events, lambda seat: None, language="en", theme="light")


@pytest.mark.expects_logged_errors
def test_an_event_that_cannot_be_taken_does_not_take_the_ones_behind_it_along(full_room: Room) -> None:
    full_room.tell(object(), screen.StatusSaid("behind it"))  # type: ignore[arg-type]
    assert full_room.window.state.status().text == "behind it"


def test_chips_go_with_the_post_and_come_back_with_a_refused_one(full_room: Room) -> None:
    composer = full_room.window.composer
    composer.chips.add(("/home/mio/cat.png", "/home/mio/notes.txt", "/home/mio/cat.png"))
    full_room.settle()
    assert composer.chips.winfo_ismapped()
    full_room.press("Return")
    assert full_room.actions.named("post_files")[0][1:4] == (TOPIC, "", ("/home/mio/cat.png", "/home/mio/notes.txt"))
    assert not composer.chips.files
    full_room.tell(screen.PostRefused(TOPIC, "own-1", "look", reason="too large", files=("/data/cat.png",)))
    assert composer.written() == "look"
    assert composer.chips.files == ("/data/cat.png",)


def test_chips_belong_to_their_topic_and_one_can_be_taken_away(full_room: Room) -> None:
    composer = full_room.window.composer
    composer.chips.add(("/home/mio/cat.png", "/home/mio/notes.txt"))
    full_room.tell(fakes.opened((post("x", "other"),), topic_id="topic-2", title="Two"))
    assert not composer.chips.files
    full_room.tell(fakes.opened())
    close = composer.chips.winfo_children()[0].winfo_children()[1]
    full_room.press("Delete", close)
    assert composer.chips.files == ("/home/mio/notes.txt",)


def test_the_menu_of_a_topic_exports_it_and_saves_a_copy(full_room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    topics, shown, answers = full_room.window.topics, [], ["/home/mio/out.html", "", "/home/mio/all.zip"]
    monkeypatch.setattr(tk.Menu, "tk_popup", lambda menu, x, y: shown.append(menu))
    monkeypatch.setattr("tkinter.filedialog.asksaveasfilename", lambda **options: answers.pop(0))
    topics.list.selected = TOPIC
    full_room.press("F10", topics.list.canvas, state=1)
    shown[-1].invoke(3)
    shown[-1].invoke(3)
    monkeypatch.setattr("tkinter.filedialog.askopenfilename", lambda **options: "/home/mio/in.jsonl")
    shown[-1].invoke(4)
    shown[-1].invoke(5)
    assert full_room.actions.named("import_topic") == [("import_topic", "/home/mio/in.jsonl")]
    assert full_room.actions.named("export_topic") == [("export_topic", TOPIC, "/home/mio/out.html")]
    assert full_room.actions.named("save_copy") == [("save_copy", "/home/mio/all.zip")]


def test_what_is_unsent_is_kept_soon_and_at_the_latest_on_closing(full_room: Room) -> None:
    full_room.type("half a thou")
    full_room.until(lambda: full_room.actions.kept.get(TOPIC) == ("half a thou", ()), "the draft is kept")
    full_room.type("ght")
    full_room.window._quit()
    assert full_room.actions.kept[TOPIC] == ("half a thought", ())


def test_what_an_earlier_run_left_unsent_is_in_the_box_when_its_topic_opens(room: Room) -> None:
    room.tell(screen.UnsentKept(TOPIC, "left over", ("/home/mio/cat.png",)), fakes.opened())
    assert room.window.composer.written() == "left over"
    assert room.window.composer.chips.files == ("/home/mio/cat.png",)
