"""Everything the screen knows, without widgets: events of the app in, changes to draw out."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from pullcept.core import loop_guard, screen
from pullcept.core.post import Post
from pullcept.core.seat import DeliveryState, Seat, SeatState
from pullcept.ui import changes
from pullcept.ui.changes import Change
from pullcept.ui.texts import gettext as _
from pullcept.ui.texts import ngettext

KEPT_ROWS = 5_000
KEPT_DELIVERIES = 2_000
KEPT_STATUS_KEYS = 20
BEGINNING = 24
NOTES, PAUSED = "post-notes", "post-paused"
RUNNING = frozenset({SeatState.STARTING, SeatState.FIRST_SCREEN, SeatState.RUNNING, SeatState.STOPPING})


@dataclass(slots=True)
class Row:
    """One post on screen."""

    post: Post
    own: bool
    logged: bool = True


@dataclass(frozen=True, slots=True)
class Delivery:
    """How far a post is on its way into one seat, and why it does not move."""

    state: DeliveryState
    reason: str = ""


@dataclass(slots=True)
class TopicState:
    """What is known of one topic beside its line in the list."""

    roster: tuple[tuple[str, str, int | None], ...] = ()
    terminals: list[Seat] = field(default_factory=list)
    draft: str = ""
    files: list[str] = field(default_factory=list)
    refusal: str = ""
    unread: int = 0
    last_seen: str | None = None


class ScreenState:
    """The screen as data. Not thread safe: lives on the thread of the window.

    `pane_visible` and `at_bottom` are told by the window; `last_seen` follows them: a post counts as
    taken in when it is drawn or counted in a window that can be seen.
    """

    def __init__(self) -> None:
        self.topics: tuple[screen.TopicView, ...] = ()
        self.topic_id: str | None = None
        self.title = ""
        self.rows: list[Row] = []
        self.has_older = False
        self.skipped = 0
        self.older_asked = False
        self.unread_from: str | None = None
        self.unread_rows = 0
        self.pane_visible = True
        self.at_bottom = True
        self.accounts: tuple[screen.AccountView, ...] = ()
        self.seats: dict[Seat, screen.SeatView] = {}
        self.typing: set[Seat] = set()
        self._deliveries: OrderedDict[str, dict[Seat, Delivery]] = OrderedDict()
        self._ids: set[str] = set()
        self._topic_states: dict[str, TopicState] = {}
        self._said: OrderedDict[str, screen.StatusSaid] = OrderedDict()
        self._paused_post = ""
        self._takers: dict[type, Callable[..., tuple[Change, ...]]] = {
            screen.TopicsListed: self._take_topics,
            screen.TopicOpened: self._take_opened,
            screen.OlderRows: self._take_older,
            screen.RowAdded: self._take_row,
            screen.UnsentKept: self._take_kept,
            screen.PostAccepted: self._take_accepted,
            screen.PostRefused: self._take_refused,
            screen.AccountsListed: self._take_accounts,
            screen.SeatChanged: self._take_seat,
            screen.RosterListed: self._take_roster,
            screen.DeliveryChanged: self._take_delivery,
            screen.TerminalOpened: self._take_terminal,
            screen.TypingPost: self._take_typing,
            screen.StatusSaid: self._take_status,
            screen.RaiseAsked: lambda event: (changes.FrontWanted(),),
            screen.CloseUnlessUsed: lambda event: (changes.CloseWanted(event.seconds),),
            screen.AppEnded: self._take_ended,
        }

    def take(self, event: screen.ScreenEvent) -> tuple[Change, ...]:
        """Take one event in; the changes to draw, in order."""
        return self._takers[type(event)](event)

    # What panels read

    def topic(self, topic_id: str | None = None) -> TopicState:
        """The state kept for a topic (the open one by default)."""
        return self._topic_states.setdefault(topic_id or self.topic_id or "", TopicState())

    def kept_topics(self) -> tuple[tuple[str, TopicState], ...]:
        """Every topic something is kept of, with its id."""
        return tuple((topic_id, topic) for topic_id, topic in self._topic_states.items() if topic_id)

    def person(self) -> screen.AccountView | None:
        """The account of the person at this screen."""
        return next((account for account in self.accounts if account.kind == "admin"), None)

    def account(self, account_id: str | None) -> screen.AccountView | None:
        """The account with this id."""
        return next((account for account in self.accounts if account.account_id == account_id), None)

    def seat_view(self, account_id: str) -> screen.SeatView | None:
        """The seat of an account in the open topic, once it was started."""
        return self.seats.get(Seat(account_id, self.topic_id or ""))

    def guests(self) -> tuple[tuple[str, int | None], ...]:
        """Name and hue of those in the room who have no account."""
        return tuple((name, hue) for name, kind, hue in self.topic().roster if kind == "guest")

    def deliveries(self, message_id: str) -> tuple[tuple[Seat, Delivery], ...]:
        """The way of a post into the seats of its topic, in the order of the accounts."""
        order = {account.account_id: place for place, account in enumerate(self.accounts)}
        known = self._deliveries.get(message_id, {})
        return tuple(sorted(known.items(), key=lambda item: order.get(item[0].account_id, len(order))))

    def not_taken(self, seat: Seat) -> str | None:
        """The oldest post that this seat was given and has not taken."""
        ways = self._deliveries.items()
        return next((key for key, way in ways if seat in way and way[seat].state is DeliveryState.NOT_TAKEN), None)

    def guarded(self) -> int:
        """How many posts the loop guard of the open topic keeps from sessions that run."""
        return sum(any(self._is_guarded(seat, way) for seat, way in ways.items()) for ways in self._deliveries.values())

    def _is_guarded(self, seat: Seat, way: Delivery) -> bool:
        here = seat.topic_id == self.topic_id and is_running(self.seats.get(seat))
        return here and _is_kept_by_guard(way)

    def beginning_of(self, message_id: str) -> str:
        """The first words of a post on screen; empty when it is not there."""
        row = next((row for row in reversed(self.rows) if row.post.message_id == message_id), None)
        words = " ".join(row.post.content[:200].split()) if row is not None else ""
        return words if len(words) <= BEGINNING else words[:BEGINNING].rstrip() + "…"

    def status(self) -> screen.StatusSaid:
        """The line to show: the newest error that still stands, else the newest thing said."""
        said = list(self._said.values())
        errors = [line for line in said if line.level == "error"]
        return (errors or said or [screen.StatusSaid("")])[-1]

    def unread_of(self, view: screen.TopicView) -> int:
        """Posts of a topic that this screen has not shown."""
        return 0 if view.topic_id == self.topic_id else max(view.unread, self.topic(view.topic_id).unread)

    # What the window tells

    def look(self, *, visible: bool, at_bottom: bool) -> bool:
        """The window can be seen or not, the newest row too. Says whether the unread count changed."""
        self.pane_visible, self.at_bottom = visible, at_bottom
        before = self.unread_rows
        if visible:
            self._take_in()
            if at_bottom:
                self.unread_rows = 0
        return before != self.unread_rows

    def last_seen(self) -> str | None:
        """The newest post the open topic's pane has taken in."""
        return self.topic().last_seen

    def keep_draft(self, topic_id: str | None, text: str) -> None:
        """Remember the unsent text of a topic."""
        if topic_id is not None:
            self.topic(topic_id).draft = text

    def next_topic(self, step: int) -> str | None:
        """The topic `step` places further down the list than the open one."""
        ids = [view.topic_id for view in self.topics]
        if not ids:
            return None
        place = ids.index(self.topic_id) if self.topic_id in ids else 0
        return ids[max(0, min(len(ids) - 1, place + step))]

    # Events

    def _take_topics(self, event: screen.TopicsListed) -> tuple[Change, ...]:
        self.topics = event.topics
        for view in event.topics:
            if view.topic_id == self.topic_id:
                self.title = view.title
        return (changes.TopicsChanged(),)

    def _take_opened(self, event: screen.TopicOpened) -> tuple[Change, ...]:
        self.topic_id, self.title = event.topic_id, event.title
        forgotten = self._forget_notes()
        self.rows = [Row(post, self._is_own(post)) for post in event.rows]
        self._ids = {post.message_id for post in event.rows}
        self.has_older, self.skipped, self.older_asked = event.has_older, event.skipped, False
        unread = min(self.topic().unread, len(self.rows))
        self.unread_from = self.rows[-unread].post.message_id if unread else None
        self.unread_rows = self.topic().unread = 0
        self.at_bottom = True
        if self.pane_visible:
            self._take_in()
        return (changes.TopicShown(), *forgotten)

    def _take_kept(self, event: screen.UnsentKept) -> tuple[Change, ...]:
        topic = self.topic(event.topic_id)
        topic.draft, topic.files[:] = event.text, event.files
        return (changes.TopicsChanged(),)

    def _take_older(self, event: screen.OlderRows) -> tuple[Change, ...]:
        if event.topic_id != self.topic_id:
            return ()
        self.older_asked, self.has_older = False, event.has_older
        new = [post for post in event.rows if post.message_id not in self._ids]
        self._ids.update(post.message_id for post in new)
        self.rows[:0] = [Row(post, self._is_own(post)) for post in new]
        return (changes.RowsPrepended(len(new)),)

    def _take_row(self, event: screen.RowAdded) -> tuple[Change, ...]:
        if event.topic_id != self.topic_id:
            if not event.own:
                self.topic(event.topic_id).unread += 1
            return (changes.TopicsChanged(),)
        if event.post.message_id in self._ids:
            return ()
        line = self.unread_from
        self._append(Row(event.post, event.own, event.logged))
        if self._drop_oldest():
            return (changes.RowsReplaced(),)
        moved = line is not None and line != self.unread_from
        return (changes.RowsAppended(1), *((changes.RowTouched(line),) if moved and line else ()))

    def _append(self, row: Row) -> None:
        self.rows.append(row)
        self._ids.add(row.post.message_id)
        if row.own:
            self.unread_from = None
        elif not (self.at_bottom and self.pane_visible):
            if not self.unread_rows:
                self.unread_from = row.post.message_id
            self.unread_rows += 1
        if self.pane_visible:
            self._take_in()

    def _drop_oldest(self) -> bool:
        drops = len(self.rows) > 2 * KEPT_ROWS and self.at_bottom
        if drops:
            gone, self.rows[:] = self.rows[:-KEPT_ROWS], self.rows[-KEPT_ROWS:]
            self._ids.difference_update(row.post.message_id for row in gone)
            self.has_older = True
        return drops

    def _take_in(self) -> None:
        if self.rows:
            self.topic().last_seen = self.rows[-1].post.message_id

    def _take_accepted(self, event: screen.PostAccepted) -> tuple[Change, ...]:
        self.topic(event.topic_id).refusal = ""
        said = list(self._forget_notes())
        if event.notes:
            said += self._take_status(screen.StatusSaid(" · ".join(event.notes), "warning", NOTES))
        if event.paused and self._waits(event.message_id):
            self._paused_post = event.message_id
            said += self._take_status(screen.StatusSaid(" · ".join(event.paused), "warning", PAUSED))
        return tuple(said)

    def _waits(self, message_id: str) -> bool:
        """Whether a seat has yet to get that post; one whose way is not known yet has."""
        ways = self._deliveries.get(message_id, {}).values()
        return not ways or any(way.state is DeliveryState.QUEUED for way in ways)

    def _forget_notes(self) -> tuple[Change, ...]:
        """What was said about the last post of this screen is over."""
        gone = [self._said.pop(key, None) for key in (NOTES, PAUSED)]
        return (changes.StatusChanged(),) if any(gone) else ()

    def _take_refused(self, event: screen.PostRefused) -> tuple[Change, ...]:
        drawn: tuple[Change, ...] = ()
        if event.missed:
            drawn = self._draw_missed(event)
        reason = event.reason or _came_first(len(event.missed))
        topic = self.topic(event.topic_id)
        topic.refusal = reason
        topic.files[:0] = [path for path in event.files if path not in topic.files]
        if event.topic_id == self.topic_id:
            return (*drawn, changes.TextReturned(event.text, reason))
        topic.draft = joined(event.text, topic.draft)
        return (*drawn, changes.TopicsChanged())

    def _draw_missed(self, event: screen.PostRefused) -> tuple[Change, ...]:
        self.topic(event.topic_id).last_seen = event.missed[-1].message_id
        if event.topic_id != self.topic_id:
            return ()
        place = len(self.rows)
        for later in event.missed:
            if later.message_id in self._ids:
                place = self._place_of(later.message_id)
                break
        added = 0
        for post in event.missed:
            if post.message_id in self._ids:
                place = self._place_of(post.message_id) + 1
                continue
            self.rows.insert(place, Row(post, self._is_own(post)))
            self._ids.add(post.message_id)
            place, added = place + 1, added + 1
        return (changes.RowsReplaced(),) if added else ()

    def _place_of(self, message_id: str) -> int:
        return next(place for place, row in enumerate(self.rows) if row.post.message_id == message_id)

    def _take_accounts(self, event: screen.AccountsListed) -> tuple[Change, ...]:
        self.accounts = event.accounts
        for row in self.rows:
            row.own = row.own or self._is_own(row.post)
        return (changes.AccountsChanged(), changes.RowsReplaced(), changes.TerminalsChanged())

    def _take_seat(self, event: screen.SeatChanged) -> tuple[Change, ...]:
        view = event.view
        before = self.seats.get(view.seat)
        self.seats[view.seat] = view
        if view.state is SeatState.STARTING and not is_running(before):
            self._forget_guarded(view.seat)
        changed: list[Change] = [changes.AccountsChanged(), changes.TerminalsChanged()]
        if view.seat.topic_id == self.topic_id and _wants_looking(view, before):
            changed.append(changes.TerminalWanted(view.seat))
        return tuple(changed)

    def _forget_guarded(self, seat: Seat) -> None:
        """A new session does not get what was kept from the one before it."""
        for ways in self._deliveries.values():
            if seat in ways and _is_kept_by_guard(ways[seat]):
                ways[seat] = Delivery(DeliveryState.QUEUED)

    def _take_roster(self, event: screen.RosterListed) -> tuple[Change, ...]:
        self.topic(event.topic_id).roster = event.names
        return (changes.AccountsChanged(),) if event.topic_id == self.topic_id else ()

    def _take_delivery(self, event: screen.DeliveryChanged) -> tuple[Change, ...]:
        known = self._deliveries.setdefault(event.message_id, {})
        self._deliveries.move_to_end(event.message_id)
        was, now = known.get(event.seat), Delivery(event.state, event.reason)
        known[event.seat] = now
        while len(self._deliveries) > KEPT_DELIVERIES:
            self._deliveries.popitem(last=False)
        drawn: list[Change] = [changes.RowTouched(event.message_id)] if event.message_id in self._ids else []
        if event.message_id == self._paused_post and not self._waits(event.message_id):
            drawn += self._take_status(screen.StatusSaid("", key=PAUSED))
        if _wants_decision(was) or _wants_decision(now):
            drawn += (changes.AccountsChanged(), changes.TerminalsChanged())
        return tuple(drawn)

    def _take_terminal(self, event: screen.TerminalOpened) -> tuple[Change, ...]:
        terminals = self.topic(event.seat.topic_id).terminals
        if event.seat not in terminals:
            terminals.append(event.seat)
        return (changes.TerminalsChanged(),)

    def close_terminal(self, seat: Seat) -> None:
        """Take the tab of an ended session away."""
        terminals = self.topic(seat.topic_id).terminals
        if seat in terminals:
            terminals.remove(seat)

    def _take_typing(self, event: screen.TypingPost) -> tuple[Change, ...]:
        if event.active:
            self.typing.add(event.seat)
        else:
            self.typing.discard(event.seat)
        return (changes.TerminalsChanged(),)

    def _take_status(self, event: screen.StatusSaid) -> tuple[Change, ...]:
        self._said.pop(event.key, None)
        if event.text:
            self._said[event.key] = event
        while len(self._said) > KEPT_STATUS_KEYS:
            self._said.popitem(last=False)
        return (changes.StatusChanged(),)

    def _take_ended(self, event: screen.AppEnded) -> tuple[Change, ...]:
        return (changes.ScreenEnded(event.reason),)

    def _is_own(self, post: Post) -> bool:
        person = self.person()
        return person is not None and not post.from_app and post.account == person.account_id


def is_running(view: screen.SeatView | None) -> bool:
    """Whether the session of a seat is there: started and not ended."""
    return view is not None and view.state in RUNNING


def joined(returned: str, present: str) -> str:
    """A returned text in front of what was written since."""
    return f"{returned}\n\n{present}" if present.strip() and present != returned else returned


def _wants_looking(view: screen.SeatView, before: screen.SeatView | None) -> bool:
    if before is not None and before.state == view.state:
        return False
    if view.state == SeatState.ENDED:
        return not view.asked
    return view.state in {SeatState.FIRST_SCREEN, SeatState.FAILED}


def _is_kept_by_guard(way: Delivery) -> bool:
    return way.state is DeliveryState.QUEUED and way.reason in {loop_guard.REASON, _(loop_guard.REASON)}


def _wants_decision(way: Delivery | None) -> bool:
    return way is not None and (way.state is DeliveryState.NOT_TAKEN or _is_kept_by_guard(way))


def _came_first(count: int) -> str:
    return (
        ngettext(
            "{n} post came first (shown above). Not sent yet.",
            "{n} posts came first (shown above). Not sent yet.",
            count,
        ).format(n=count)
        if count
        else _("Others posted first. Not sent yet.")
    )
