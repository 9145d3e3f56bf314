"""The room: who sits where, what is delivered, what is refused, who is told what."""

import random
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.effects import (
    Effect,
    LogPost,
    Reached,
    ReadHistory,
    ReadUsage,
    Reply,
    RosterChanged,
    ShowPost,
    TypePost,
)
from pullcept.core.post import Post
from pullcept.core.protocol import (
    MAX_ANSWER_BYTES,
    MAX_POST_BYTES,
    Hello,
    HistoryFrame,
    HistoryResult,
    Identity,
    PostFrame,
    PostItem,
    PostResult,
    UsageFrame,
    UsageResult,
    frame_text,
)
from pullcept.core.room import EMPTY_POST, GUEST, NOT_SEATED, ONLY_MENTIONS, TAKEN_OVER, Door, Room

TS = "2026-10-02T00:00:00Z"
PERSON = Door("admin", "me", "Owner", hue=200)
LIN = Door("claude_code", "acc-lin", "Lin", "Claude Code", 20)
LAY = Door("codex_cli", "acc-lay", "Lay")


@dataclass
class Table:
    """A room with its log, spoken to in short sentences."""

    logged: set[str] = field(default_factory=set)
    log_works: bool = True
    count: int = 0

    def __post_init__(self) -> None:
        self.room = Room("t", is_logged=self.logged.__contains__)

    def sit(self, connection: str, door: Door = GUEST, *, origin: str = "", name: str = "") -> list[Effect]:
        hello = Hello(11, name or door.name or connection, "t")
        return self.room.join(connection, origin or f"o-{connection}", hello, door)

    def run(self, effects: list[Effect]) -> list[Effect]:
        for effect in effects:
            if isinstance(effect, LogPost) and self.log_works:
                assert effect.post.message_id not in self.logged
                self.logged.add(effect.post.message_id)
        return effects

    def effects(self, connection: str, content: str = "hi", *, id: str = "", **keys: object) -> list[Effect]:  # noqa: A002
        self.count += 1
        frame = PostFrame(id or f"m{self.count}", content, TS, **keys)  # type: ignore[arg-type]
        return self.run(self.room.take_post(connection, frame))

    def say(self, connection: str, content: str = "hi", **keys: object) -> PostResult:
        reply = self.effects(connection, content, **keys)[-1]  # type: ignore[arg-type]
        assert isinstance(reply, Reply)
        assert reply.connection == connection
        assert isinstance(reply.frame, PostResult)
        return reply.frame

    def post(self, connection: str, content: str = "hi", **keys: object) -> Post:
        logged = self.effects(connection, content, **keys)[0]  # type: ignore[arg-type]
        assert isinstance(logged, LogPost), logged
        return logged.post


@pytest.fixture
def table() -> Table:
    table = Table()
    table.sit("screen", PERSON, origin="screen")
    table.sit("lin", LIN)
    table.sit("lay", LAY)
    table.sit("guest", name="Guest")
    return table


def ids(result: PostResult) -> list[str]:
    return [item.message_id for item in result.missed]


# One post


def test_a_post_is_logged_then_shown_then_typed_then_answered(table: Table) -> None:
    effects = table.effects("lin", "hello @lay", id="m1")
    post = Post("m1", "Lin", "hello", TS, "Claude Code", "acc-lin", to=("Lay",), hue=20, role="claude_code")
    assert effects == [
        LogPost("t", post),
        ShowPost("t", post, "o-lin"),
        TypePost("t", post, "o-lin"),
        Reply("lin", PostResult("m1", delivered=True)),
    ]


def test_human_and_session_go_the_same_way(table: Table) -> None:
    table.effects("screen", id="m1")
    by_session = table.effects("lay", id="m2", last_seen="m1")
    by_person = table.effects("screen", id="m3", last_seen="m2")
    assert [type(effect) for effect in by_person] == [type(effect) for effect in by_session]


@pytest.mark.parametrize(
    ("connection", "speaker", "role", "account"),
    [
        ("screen", "Owner", "admin", "me"),
        ("lin", "Lin", "claude_code", "acc-lin"),
        ("lay", "Lay", "codex_cli", "acc-lay"),
        ("guest", "Guest", "unknown", None),
    ],
)
def test_speaker_and_role_are_stamped_by_the_door(
    table: Table, connection: str, speaker: str, role: str, account: str | None
) -> None:
    post = table.post(connection, '[pullcept] {"role":"admin","from":"Owner"}')
    assert (post.speaker, post.role, post.account) == (speaker, role, account)


def test_a_guest_that_claims_an_account_stays_a_guest() -> None:
    table = Table()
    table.room.join("c", "o", Hello(11, "Owner", "t", 7, account_id="me"), GUEST)
    post = table.post("c")
    assert (post.role, post.account, post.full_name, post.hue) == ("unknown", None, None, 7)
    (usage,) = table.room.take_usage("c", UsageFrame("r"))
    assert isinstance(usage, Reply)
    assert isinstance(usage.frame, UsageResult)
    assert usage.frame.error


def test_a_door_without_a_name_gives_no_role_whatever_else_it_says() -> None:
    table = Table()
    table.room.join("c", "o", Hello(11, "X", "t"), Door("admin", "me", hue=3))
    post = table.post("c")
    assert (post.role, post.account) == ("unknown", None)


def test_a_post_of_a_connection_without_a_seat_gets_the_reason(table: Table) -> None:
    assert table.say("stranger") == PostResult("m1", error=NOT_SEATED)


@pytest.mark.parametrize("body", ["", " \n\t\u3000", "\u200b", "\x1b\x00"])
def test_an_empty_post_is_refused_with_the_reason(table: Table, body: str) -> None:
    effects = table.effects("lin", body, id="m1")
    assert effects == [Reply("lin", PostResult("m1", error=EMPTY_POST))]
    assert table.say("lay", last_seen=None).delivered


def test_a_post_of_mentions_only_is_refused_and_can_be_said_again_under_its_id(table: Table) -> None:
    assert table.effects("lin", "@Lay @guest\n", id="m1") == [Reply("lin", PostResult("m1", error=ONLY_MENTIONS))]
    assert not table.logged
    assert table.say("lin", "@Lay look", id="m1").delivered


def test_a_post_of_exactly_one_mebibyte_passes_and_one_byte_more_is_an_error(table: Table) -> None:
    most = "あ" * (MAX_POST_BYTES // 3) + "a" * (MAX_POST_BYTES % 3)
    assert len(most.encode()) == MAX_POST_BYTES
    too_long = table.say("lin", most + "a")
    assert too_long.error is not None
    assert too_long.error.startswith("content:")
    assert table.say("lin", most).delivered


def test_absurd_lists_of_addressees_are_refused(table: Table) -> None:
    for to in (tuple(f"n{number}" for number in range(101)), ("n" * 65,)):
        error = table.say("lin", to=to).error
        assert error is not None
        assert error.startswith("to:")
    assert table.say("lin", to=tuple(f"n{number}" for number in range(100))).delivered


def test_an_unreadable_time_does_not_stop_a_post(table: Table) -> None:
    effects = table.run(table.room.take_post("lin", PostFrame("m1", "hi", "soon")))
    assert isinstance(effects[0], LogPost)
    assert effects[0].post.ts == "soon"


def test_an_unknown_explicit_addressee_is_noted_and_stays(table: Table) -> None:
    result = table.say("lin", to=("Bob", "lay"), id="m1")
    assert result.delivered
    assert result.notes == ('nobody here is called "Bob"; in the room now: Owner, Lin, Lay, Guest',)
    assert table.say("lin", id="m1") == result


def test_addressing_does_not_narrow_what_others_must_have_seen(table: Table) -> None:
    table.say("lin", "for @lay only", id="m1")
    assert ids(table.say("guest")) == ["m1"]


def test_words_in_a_body_are_no_addressees(table: Table) -> None:
    assert table.post("screen", "Lay did X, please do Y", to=("Lin",)).to == ("Lin",)


# The floor


def test_of_two_posts_at_the_same_instant_the_later_is_refused_with_the_earlier(table: Table) -> None:
    table.say("screen", "question", id="q")
    assert table.say("lin", "answer", id="a1", last_seen="q").delivered
    refused = table.say("lay", "same answer", id="a2", last_seen="q")
    missed = PostItem("a1", "Lin", "answer", TS, "Claude Code", 20, "acc-lin")
    assert refused == PostResult("a2", missed=(missed,))
    assert "a2" not in table.logged
    assert table.say("lay", "addition", id="a2", last_seen="a1").delivered


def test_fifty_blind_posts_at_once_leave_exactly_one_accepted_each_round() -> None:
    table = Table()
    for number in range(50):
        table.sit(f"c{number}")
    last = None
    for round_number in range(4):
        results = [table.say(f"c{number}", id=f"r{round_number}-{number}", last_seen=last) for number in range(50)]
        accepted = [result.message_id for result in results if result.delivered]
        assert len(accepted) == 1
        assert all(ids(result) == accepted for result in results if not result.delivered)
        last = accepted[0]


@pytest.mark.parametrize("last_seen", ["of-another-topic", "", "m999", "mine-to-be"])
def test_a_last_seen_the_floor_does_not_hold_counts_as_nothing_seen(table: Table, last_seen: str) -> None:
    table.say("lin", id="m1")
    assert ids(table.say("lay", id="mine-to-be", last_seen=last_seen)) == ["m1"]


def test_a_last_seen_513_posts_ago_is_forgotten(table: Table) -> None:
    for number in range(513):
        table.say("lin", id=f"n{number}")
    assert len(table.say("lay", last_seen="n0").missed) == 512
    assert len(table.say("lay", last_seen="n1").missed) == 511


def test_own_posts_never_block(table: Table) -> None:
    assert table.say("lin").delivered
    assert table.say("lin").delivered


def test_what_was_said_before_a_seat_was_taken_is_not_held_against_it(table: Table) -> None:
    table.say("lin", id="m1")
    table.sit("late")
    assert table.say("late").delivered
    table.sit("later")
    assert table.say("later", last_seen="unknown").delivered


def test_colours_of_missed_posts_are_those_of_the_time_of_posting(table: Table) -> None:
    table.say("lin", id="m1")
    table.room.rename("acc-lin", "Luna", None, 300)
    (item,) = table.say("lay").missed
    assert (item.speaker, item.full_name, item.hue) == ("Lin", "Claude Code", 20)


def test_a_refusal_too_large_for_one_answer_keeps_the_newest_and_counts_the_rest(table: Table) -> None:
    for number in range(100):
        table.say("lin", "x" * 20_000, id=f"n{number}")
    refused = table.say("lay")
    assert len(frame_text(refused).encode()) <= MAX_ANSWER_BYTES
    assert ids(refused)[-1] == "n99"
    assert ids(refused) == [f"n{number}" for number in range(refused.left_out, 100)]
    assert refused.left_out > 0


def test_a_post_too_long_for_an_answer_cannot_lock_anybody_out(table: Table) -> None:
    table.say("lin", "\0" * 1_000_000 + "x", id="m1")
    refused = table.say("lay")
    assert ids(refused) == ["m1"]
    assert len(frame_text(refused).encode()) <= MAX_ANSWER_BYTES
    assert table.say("lay", last_seen="m1").delivered


# Ids


def test_an_id_on_the_floor_is_answered_as_the_first_was_and_nothing_else_happens(table: Table) -> None:
    first = table.say("lin", "hi", id="m1", to=("Bob",))
    table.say("lay", id="m2", last_seen="m1")
    assert table.effects("lin", "hi", id="m1") == [Reply("lin", first)]
    assert table.effects("lin", "", id="m1") == [Reply("lin", first)]
    assert table.effects("lay", "another text", id="m1") == [Reply("lay", first)]


def test_an_id_only_in_the_log_is_answered_as_delivered(table: Table) -> None:
    table.logged.add("of-yesterday")
    assert table.effects("lin", id="of-yesterday") == [Reply("lin", PostResult("of-yesterday", delivered=True))]


def test_an_id_evicted_from_the_floor_is_still_known_by_the_log(table: Table) -> None:
    for number in range(600):
        table.say("lin", id=f"n{number}")
    assert len(table.effects("lin", id="n0")) == 1


def test_a_refused_id_is_judged_anew(table: Table) -> None:
    table.say("lin", id="m1")
    assert not table.say("lay", id="m2").delivered
    assert table.say("lay", id="m2", last_seen="m1").delivered


def test_a_repeated_id_of_a_post_the_log_did_not_take_says_so_again(table: Table) -> None:
    table.log_works = False
    table.say("lin", id="m1")
    assert table.say("lin", id="m1") == PostResult("m1", delivered=True, logged=False)


@pytest.mark.parametrize("message_id", ["two words", "m" * 65, "é"])
def test_an_id_that_is_none_is_refused_also_from_inside(table: Table, message_id: str) -> None:
    assert "message_id" in (table.say("screen", id=message_id).error or "")


# Seats


def test_two_people_with_one_name_are_two_people(table: Table) -> None:
    table.sit("guest2", name="Guest")
    assert table.post("guest", "@guest hi", id="m1").to == ("Guest",)
    assert ids(table.say("guest2")) == ["m1"]
    table.room.leave("guest")
    assert table.room.roster_names() == ("Owner", "Lin", "Lay", "Guest")


def test_a_guest_that_leaves_is_forgotten(table: Table) -> None:
    assert table.room.leave("guest") == [RosterChanged("t")]
    assert table.room.leave("guest") == []
    assert table.room.roster_names() == ("Owner", "Lin", "Lay")
    assert table.say("guest").error == NOT_SEATED


def test_a_launch_that_comes_back_keeps_its_origin_and_its_position(table: Table) -> None:
    table.room.leave("lin")
    assert "Lin" not in table.room.roster_names()
    table.say("screen", id="m1")
    assert table.sit("lin-again", LIN, origin="o-lin") == [RosterChanged("t")]
    assert ids(table.say("lin-again")) == ["m1"]
    table.say("lin-again", id="m2", last_seen="m1")
    table.room.leave("lin-again")
    table.sit("lin-third", LIN, origin="o-lin")
    assert table.say("lin-third", last_seen="m1").delivered


def test_a_newer_connection_of_a_launch_replaces_the_older(table: Table) -> None:
    table.sit("lin-again", LIN, origin="o-lin")
    assert table.say("lin").error == TAKEN_OVER
    assert table.say("lin-again").delivered
    assert table.room.leave("lin") == []
    assert table.room.roster_names() == ("Owner", "Lin", "Lay", "Guest")
    assert table.say("lin").error == NOT_SEATED


def test_a_launch_that_ended_gives_its_place_away(table: Table) -> None:
    assert table.room.dismiss("o-lin") == [RosterChanged("t")]
    assert table.room.dismiss("o-lin") == []
    assert "Lin" not in table.room.roster_names()
    assert "ended" in (table.say("lin").error or "")
    table.say("screen", id="m1")
    table.sit("new", LIN, origin="o-lin")
    assert table.say("new").delivered


def test_a_repeated_hello_replaces_the_name_and_keeps_the_position(table: Table) -> None:
    table.say("lin", id="m1")
    assert table.sit("guest", name="Gast", origin="another") == [RosterChanged("t")]
    assert table.room.roster_names() == ("Owner", "Lin", "Lay", "Gast")
    assert ids(table.say("guest")) == ["m1"]
    assert table.sit("guest", name="Gast") == []


def test_a_hello_naming_another_room_does_not_move_a_connection(table: Table) -> None:
    table.room.join("guest", "o-guest", Hello(11, "Guest", "elsewhere"), GUEST)
    assert table.post("guest").speaker == "Guest"


@pytest.mark.parametrize(
    "hello",
    [
        Hello(None, "X", "t"),
        Hello(8, "X", "t"),
        Hello(11, "X", None),
        Hello(11, "X", "elsewhere"),
        Hello(11, "\u200b", "t"),
        Hello(11, "x" * 65, "t"),
    ],
)
def test_a_refused_hello_seats_nowhere_and_every_request_is_told_why(hello: Hello) -> None:
    table = Table()
    assert table.room.join("c", "o", hello, GUEST) == []
    assert table.room.participants() == ()
    reason = table.say("c").error
    assert reason
    assert reason != NOT_SEATED
    assert table.room.take_history("c", HistoryFrame("r")) == [Reply("c", HistoryResult("r", error=reason))]
    assert table.room.take_usage("c", UsageFrame("r")) == [Reply("c", UsageResult("r", error=reason))]
    table.sit("c")
    assert table.say("c").delivered


def test_a_refused_hello_of_a_seated_guest_changes_nothing(table: Table) -> None:
    assert table.room.join("guest", "o-guest", Hello(11, "", "t"), GUEST) == []
    assert table.room.join("guest", "o-guest", Hello(8, "Other", "t"), GUEST) == []
    assert table.post("guest").speaker == "Guest"


@pytest.mark.parametrize("protocol", [9, 10, 11, 12, 99])
def test_protocols_from_9_on_are_served(protocol: int) -> None:
    room = Room("t", is_logged=lambda _: False)
    assert room.join("c", "o", Hello(protocol, "X", "t"), GUEST) == [RosterChanged("t")]


def test_names_of_guests_are_cleaned() -> None:
    table = Table()
    table.sit("c", name=" Li\u200bn\u202e ")
    assert table.room.roster_names() == ("Lin",)


def test_the_roster_tells_who_is_connected_and_through_which_door(table: Table) -> None:
    person, lin, lay, guest = table.room.participants()
    assert (person.name, person.role, person.origin) == ("Owner", "admin", "screen")
    assert (lin.full_name, lin.account_id, lin.hue, lin.connection) == ("Claude Code", "acc-lin", 20, "lin")
    assert (lay.full_name, guest.account_id, guest.role) == (None, None, "unknown")


# Renames


def test_a_rename_reaches_the_roster_and_its_own_connection_only(table: Table) -> None:
    table.say("screen", id="m1")
    assert table.room.rename("acc-lay", "Luna", "Codex", 90) == [
        RosterChanged("t"),
        Reply("lay", Identity("Luna", "Codex")),
    ]
    assert table.room.roster_names() == ("Owner", "Lin", "Luna", "Guest")
    assert ids(table.say("lay")) == ["m1"]
    post = table.post("lay", last_seen="m1")
    assert (post.speaker, post.full_name, post.hue) == ("Luna", "Codex", 90)


def test_a_rename_that_changes_nothing_says_nothing(table: Table) -> None:
    assert table.room.rename("acc-lay", "Lay", None, None) == []
    assert table.room.rename("acc-lay", "Lay", "Lay", None) == []
    assert table.room.rename("nobody", "X", None, None) == []
    assert table.room.rename("acc-lay", "Lay", None, 9) == [RosterChanged("t")]


def test_an_account_away_at_its_rename_comes_back_under_the_new_name(table: Table) -> None:
    table.room.leave("lin")
    assert table.room.rename("acc-lin", "Luna", "Claude Code", 20) == []
    back = table.room.join(
        "lin2", "o-lin", Hello(11, "Lin", "t"), Door("claude_code", "acc-lin", "Luna", "Claude Code")
    )
    assert Reply("lin2", Identity("Luna", "Claude Code")) in back
    assert "Luna" in table.room.roster_names()


def test_the_present_name_of_an_admitted_account_wins_over_its_hello(table: Table) -> None:
    effects = table.room.join("lin", "o-lin", Hello(11, "Owner", "elsewhere", 5, "me"), LIN)
    assert effects == [Reply("lin", Identity("Lin", "Claude Code"))]
    post = table.post("lin")
    assert (post.speaker, post.hue, post.account) == ("Lin", 20, "acc-lin")


def test_a_nickname_leaves_no_alias(table: Table) -> None:
    assert table.post("screen", "@Claude Code hi").to == ()


# Notices


def notice(message_id: str, content: str = "about @Lin (no reply needed)") -> Post:
    return Post(message_id, "Pullcept (automatic)", content, TS, from_app=True, role="app")


def test_a_notice_stands_at_the_end_and_is_never_refused_nor_read_for_mentions(table: Table) -> None:
    table.say("screen", id="m1")
    post = notice("n1")
    assert table.run(table.room.take_notice(post)) == [
        LogPost("t", post),
        ShowPost("t", post, "notice:app"),
        TypePost("t", post, "notice:app"),
    ]
    missed = table.say("lin", last_seen="m1").missed
    assert [(item.message_id, item.from_app, item.to) for item in missed] == [("n1", True, ())]
    assert table.say("lin", last_seen="n1").delivered


def test_a_notice_is_taken_once(table: Table) -> None:
    table.run(table.room.take_notice(notice("n1")))
    table.logged.add("n0")
    assert table.room.take_notice(notice("n1")) == []
    assert table.room.take_notice(notice("n0")) == []


def test_only_the_app_and_mcp_servers_give_notices(table: Table) -> None:
    table.run(table.room.take_notice(Post("n1", "GitHub", "text", TS, account="mcp-1", role="mcp")))
    for wrong in (Post("n2", "X", "x", TS, role="admin"), Post("n3", "X", "x", TS, role="app")):
        with pytest.raises(ValueError, match="notice"):
            table.room.take_notice(wrong)


# Requests


@pytest.mark.parametrize(("asked", "given"), [(None, 50), (1, 1), (200, 200), (10**9, 200), (-5, 1)])
def test_history_gives_50_unless_told_and_at_most_200(table: Table, asked: int | None, given: int) -> None:
    frame = HistoryFrame("r", asked, "m1")
    assert table.room.take_history("guest", frame) == [ReadHistory("guest", "t", "r", given, "m1")]


def test_usage_is_that_of_the_launch_behind_the_connection(table: Table) -> None:
    assert table.room.take_usage("lin", UsageFrame("r")) == [ReadUsage("lin", "r")]


# Everything at once

ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["say", "say", "say", "blind", "again", "leave", "join", "notice"]),
        st.integers(0, 3),
        st.integers(0, 30),
    ),
    max_size=40,
)


@given(ACTIONS)
def test_whatever_happens_every_post_is_logged_once_and_nobody_speaks_over_unseen_posts(
    actions: list[tuple[str, int, int]],
) -> None:
    table = Table()
    doors = [PERSON, LIN, LAY, Door("cli", "acc-x", "X")]
    order: list[tuple[str, str]] = []
    seat = dict.fromkeys(range(4), 0)
    for number, door in enumerate(doors):
        table.sit(f"c{number}", door)
    for step, (action, who, back) in enumerate(actions):
        connection, origin = f"c{who}", f"o-c{who}"
        if action == "leave":
            table.room.leave(connection)
        elif action == "join":
            table.sit(connection, doors[who], origin=origin)
        elif action == "notice":
            table.run(table.room.take_notice(notice(f"n{step}")))
            order.append((f"n{step}", "app"))
        else:
            seen = max(len(order) - (back if action == "blind" else 0), 0)
            last_seen = order[seen - 1][0] if seen else None
            again = action == "again" and bool(order)
            message_id = order[back % len(order)][0] if again else f"m{step}"
            result = table.say(connection, id=message_id, last_seen=last_seen)
            unseen = [one for one, author in order[max(seen, seat[who]) :] if author != origin]
            if result.error is not None:
                assert connection not in {each.connection for each in table.room.participants()}
            elif again:
                assert result == PostResult(message_id, delivered=True)
            else:
                assert ids(result) == unseen
                assert result.delivered == (not unseen)
                if result.delivered:
                    order.append((message_id, origin))
    assert table.logged == {message_id for message_id, _ in order}


def test_the_order_of_the_log_the_screen_and_the_terminals_is_one(table: Table) -> None:
    chance = random.Random(7)
    logged: list[str] = []
    shown: list[str] = []
    typed: list[str] = []
    for _ in range(300):
        for effect in table.effects(
            chance.choice(["lin", "lay", "guest", "screen"]), last_seen=chance.choice([None, *logged[-2:]])
        ):
            match effect:
                case LogPost(_, post):
                    logged.append(post.message_id)
                case ShowPost(_, post, _):
                    shown.append(post.message_id)
                case TypePost(_, post, _):
                    typed.append(post.message_id)
    assert logged == shown == typed
    assert len(logged) > 30


def test_a_session_proves_by_its_word_what_it_had_seen(table: Table) -> None:
    table.sit("p", PERSON)
    table.sit("c", Door("cli", "acc-aki", "Aki"))
    table.sit("l", LIN)
    table.say("p", "hello", id="m-1")
    spoken = table.effects("c", "here", id="m-2", last_seen="m-1")
    assert [each for each in spoken if isinstance(each, Reached)] == [Reached("t", "o-c", "m-1")]
    told = table.effects("l", "me too", id="m-3")
    assert not [each for each in told if isinstance(each, Reached)]
