"""The conversation: a bounded stretch of rows in an HTML view, the way to the newest, what a click does."""

import tkinter as tk
from collections.abc import Callable
from datetime import datetime
from tkinter import ttk
from urllib.parse import unquote

from pullcept.core.post import Post
from pullcept.core.screen import Actions
from pullcept.core.seat import Seat
from pullcept.ui import dates, html, rows, span, welcome
from pullcept.ui.decisions import Decision, Waiting
from pullcept.ui.htmlview import HtmlView, Node
from pullcept.ui.links import OnDecide
from pullcept.ui.menu import popup_menu
from pullcept.ui.rows import Look, RowContext, SeatMark
from pullcept.ui.span import Span
from pullcept.ui.state import Row, ScreenState, is_running
from pullcept.ui.texts import gettext as _
from pullcept.ui.texts import ngettext
from pullcept.ui.theme import Theme

NEAR_BOTTOM = 40
NEAR_EDGE = 500
RESIZE_QUIET_MS = 120
GROUP_MINUTES = 5


class ConversationPanel(tk.Frame):
    """Shows `state.rows`. `on_open_address` gets web addresses, `on_start` an account id, `on_copied` a text.

    `on_decide` does what the person decides about a post that waits or was not taken.
    """

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        state: ScreenState,
        actions: Actions,
        *,
        on_open_address: Callable[[str], None],
        on_start: Callable[[str], None],
        on_decide: OnDecide,
        on_copied: Callable[[str], None],
        on_look: Callable[[], None],
    ) -> None:
        super().__init__(parent, bg=theme.role("canvas"))
        self._theme, self._state, self._actions = theme, state, actions
        self._on_open_address, self._on_start, self._on_decide = on_open_address, on_start, on_decide
        self._on_copied, self._on_look = on_copied, on_look
        self._drawn = Span(0, 0)
        self._nodes: dict[str, Node] = {}
        self._codes: dict[str, tuple[str, ...]] = {}
        self._unfolded: set[str] = set()
        self._is_welcome = False
        self._width = 0
        self._busy = False
        self._following = True
        self._shape = (0, 0)
        self._resize_timer: str | None = None
        self._edge_timer: str | None = None
        self.view = HtmlView(self, theme, image=self._image, on_link=self._follow, on_scroll=self._scrolled)
        self.view.pack(fill="both", expand=True)
        self._newest = ttk.Button(
            self, style="Room.TButton", image=theme.icon("arrow-down"), compound="left", command=self.to_newest
        )
        self.view.html.bind("<Configure>", self._resized, add=True)
        self.view.html.bind("<Button-3>", self._menu, add=True)
        self.view.html.bind("<Menu>", self._menu, add=True)

    # What the window asks

    def show_topic(self) -> None:
        """Draw everything again and go to the newest row."""
        self._unfolded.clear()
        self._redraw(span.tail(self._costs()))
        self._to_end()

    def redraw(self) -> None:
        """Draw the same stretch again, where it stands."""
        if self._is_welcome or not self._state.rows:
            self.show_topic()
            return
        anchor = None if self._following else self._anchor()
        place = self._place_of(anchor[0]) if anchor is not None else None
        costs = self._costs()
        wanted = span.tail(costs) if place is None else span.around(costs, place)
        self._keeping_place(lambda: self._redraw(wanted), place is None, anchor)

    def _place_of(self, message_id: str) -> int | None:
        rows_known = enumerate(self._state.rows)
        return next((place for place, row in rows_known if row.post.message_id == message_id), None)

    def append(self, count: int) -> None:
        """Draw the newest `count` rows; follows them when the newest was in sight."""
        if self._is_welcome:
            self.show_topic()
            return
        follows = self._following
        total = len(self._state.rows)
        if not follows and (self._drawn.stop < total - count or total - self._drawn.start > 2 * span.MOST_ROWS):
            self._look()
            return
        if self._drawn.stop != total - count:
            self._keeping_place(lambda: self._redraw(span.tail(self._costs())), follows)
            return
        self._extend_down(total)
        if follows:
            self._trim_top(span.tail(self._costs()).start)
            self._to_end()
        self._look()

    def prepend(self, count: int) -> None:
        """`count` older rows were read: the drawn ones keep their place on the screen."""
        if self._is_welcome or not count:
            return
        self._drawn = self._drawn.moved(count)
        if self._drawn.start == count:
            self._touch_place(count)
        self._near_edge()

    def touch(self, message_id: str) -> None:
        """Draw one row again."""
        for place in range(self._drawn.stop - 1, self._drawn.start - 1, -1):
            if self._state.rows[place].post.message_id == message_id:
                self._touch_place(place)
                if self._following:
                    self._to_end()
                return

    def to_newest(self) -> None:
        """Go to the newest row."""
        if self._drawn.stop < len(self._state.rows):
            self._redraw(span.tail(self._costs()))
        self._to_end()

    def at_bottom(self) -> bool:
        """Whether the newest row is in sight."""
        return self._following

    def destroy(self) -> None:
        """Cancel what was still to be done."""
        for timer in (self._resize_timer, self._edge_timer):
            if timer is not None:
                self.after_cancel(timer)
        super().destroy()

    # Drawing

    def _costs(self) -> span.Costs:
        return span.Costs(len(self._state.rows), self._cost)

    def _cost(self, place: int) -> int:
        post = self._state.rows[place].post
        return span.cost(len(html.cut(post.content, unfolded=post.message_id in self._unfolded).text))

    def _style(self) -> Look:
        theme = self._theme
        return Look(
            theme.palette,
            theme.family,
            theme.code_family,
            theme.scale,
            max(self._width, 300),
            theme.font(15).measure,
            max(1, theme.font(13, family=theme.code_family).measure("0")),
        )

    def _redraw(self, wanted: Span) -> None:
        self._busy = True
        try:
            look = self._style()
            self._nodes.clear()
            self._codes.clear()
            self._is_welcome = not self._state.rows
            if self._is_welcome:
                self.view.load(rows.css(look), rows.page(welcome.page(self._state, look)), "all")
                self._drawn = Span(0, 0)
                return
            made = [self._row(place, look) for place in range(wanted.start, wanted.stop)]
            self.view.load(rows.css(look), rows.page(self._top_line(wanted) + "".join(made)), "all")
            nodes = self.view.top_nodes()[-len(made) :] if made else ()
            for place, node in zip(range(wanted.start, wanted.stop), nodes, strict=True):
                self._nodes[self._state.rows[place].post.message_id] = node
            self._drawn = wanted
        finally:
            self._busy = False

    def _top_line(self, wanted: Span) -> str:
        if wanted.start or not self._state.skipped:
            return ""
        count = self._state.skipped
        words = ngettext("{n} line of the log cannot be read.", "{n} lines of the log cannot be read.", count)
        return f"<div class=note><span class=bad>{html.escape(words.format(n=count))}</span></div>"

    def _row(self, place: int, look: Look) -> str:
        row = self._state.rows[place]
        body = rows.row_html(row, self._context(place), look, row.post.message_id)
        self._codes[row.post.message_id] = body.codes
        return body.html

    def _context(self, place: int) -> RowContext:
        row = self._state.rows[place]
        following = self._state.rows[place + 1] if place + 1 < len(self._state.rows) else None
        return RowContext(
            before=self._state.rows[place - 1].post if place else None,
            colour=self._colour(row.post),
            marks=self._marks(row.post.message_id),
            grouped=row.own and following is not None and following.own and _near(row.post, following.post),
            unread_line=row.post.message_id == self._state.unread_from,
            unfolded=row.post.message_id in self._unfolded,
            today=datetime.now().astimezone().date(),
        )

    def _colour(self, post: Post) -> str:
        account = self._state.account(post.account)
        hue = post.hue if post.hue is not None else account.hue if account else None
        return self._theme.palette.of_account(account.kind if account else "", hue, post.speaker)

    def _marks(self, message_id: str) -> tuple[SeatMark, ...]:
        made = []
        for seat, delivery in self._state.deliveries(message_id):
            account = self._state.account(seat.account_id)
            name, hue = (account.name, account.hue) if account else (seat.account_id, None)
            known = seat.account_id if is_running(self._state.seats.get(seat)) else ""
            made.append(SeatMark(name, self._theme.palette.colour_name(hue, name), delivery, known))
        return tuple(made)

    def _extend_down(self, stop: int) -> None:
        look = self._style()
        places = range(self._drawn.stop, stop)
        if self._drawn.stop > self._drawn.start and places:
            before = self._state.rows[self._drawn.stop - 1]
            if before.own and self._state.rows[self._drawn.stop].own:
                self._touch_place(self._drawn.stop - 1)
        nodes = self.view.insert("".join(self._row(place, look) for place in places)) if places else ()
        for place, node in zip(places, nodes, strict=True):
            self._nodes[self._state.rows[place].post.message_id] = node
        self._drawn = Span(self._drawn.start, stop)

    def _extend_up(self, start: int) -> None:
        look = self._style()
        places = range(start, self._drawn.start)
        first = self._nodes.get(self._state.rows[self._drawn.start].post.message_id)
        nodes = self.view.insert("".join(self._row(place, look) for place in places), before=first)
        for place, node in zip(places, nodes, strict=True):
            self._nodes[self._state.rows[place].post.message_id] = node
        self._drawn = Span(start, self._drawn.stop)

    def _trim_top(self, start: int) -> None:
        self._drop(range(self._drawn.start, start))
        self._drawn = Span(max(start, self._drawn.start), self._drawn.stop)

    def _trim_bottom(self, stop: int) -> None:
        self._drop(range(stop, self._drawn.stop))
        self._drawn = Span(self._drawn.start, min(stop, self._drawn.stop))

    def _drop(self, places: range) -> None:
        ids = [self._state.rows[place].post.message_id for place in places]
        self.view.remove([self._nodes.pop(message_id) for message_id in ids])
        for message_id in ids:
            self._codes.pop(message_id, None)

    def _touch_place(self, place: int) -> None:
        message_id = self._state.rows[place].post.message_id
        old = self._nodes.get(message_id)
        if old is None:
            return
        self._nodes[message_id] = self.view.insert(self._row(place, self._style()), before=old)[0]
        self.view.remove([old])

    # Scrolling

    def _to_end(self) -> None:
        self._following = True
        self.view.scroll_to_end()
        self._shape = self.view.shape()
        self._look()

    def _see_following(self) -> None:
        """Whether the newest row is in sight changes by scrolling only, not by the page or the window growing."""
        shape = self.view.shape()
        if shape == self._shape:
            near = self.view.below() <= self._theme.px(NEAR_BOTTOM)
            self._following = near and self._drawn.stop >= len(self._state.rows)
        elif self._following:
            self.view.scroll_to_end()
        self._shape = shape

    def _keeping_place(self, change: Callable[[], None], follows: bool, anchor: tuple[str, int] | None = None) -> None:
        if anchor is None and not follows:
            anchor = self._anchor()
        change()
        if anchor is not None and anchor[0] in self._nodes:
            self.view.scroll_to(self.view.top_of(self._nodes[anchor[0]]) - anchor[1])
        elif follows:
            self._to_end()
        self._shape = self.view.shape()
        self._look()

    def _anchor(self) -> tuple[str, int] | None:
        """The first row in sight and how far below the upper edge it begins."""
        top = self.view.top()
        last = None
        tops = sorted((self.view.top_of(node), message_id) for message_id, node in self._nodes.items())
        for begins, message_id in tops:
            last = (message_id, begins - top)
            if last[1] >= 0:
                return last
        return last

    def _scrolled(self) -> None:
        if self._busy or self._edge_timer is not None:
            return
        self._edge_timer = self.after_idle(self._near_edge)

    def _near_edge(self) -> None:
        self._edge_timer = None
        if self._is_welcome or not self._nodes:
            return
        self._see_following()
        near = self._theme.px(NEAR_EDGE)
        top, below = self.view.top(), self.view.below()
        if top < near and self._drawn.start > 0:
            self._step(span.earlier(self._costs(), self._drawn))
        elif below < near and self._drawn.stop < len(self._state.rows):
            self._step(span.later(self._costs(), self._drawn))
        elif top < near and self._drawn.start == 0:
            self._ask_older()
        self._look()

    def _step(self, wanted: Span) -> None:
        def move() -> None:
            if wanted.start < self._drawn.start:
                self._extend_up(wanted.start)
            if wanted.stop > self._drawn.stop:
                self._extend_down(wanted.stop)
            if wanted.stop < self._drawn.stop:
                self._trim_bottom(wanted.stop)
            if wanted.start > self._drawn.start:
                self._trim_top(wanted.start)

        self._busy = True
        try:
            self._keeping_place(move, follows=False)
        finally:
            self._busy = False

    def _ask_older(self) -> None:
        state = self._state
        if state.has_older and not state.older_asked and state.topic_id is not None and state.rows:
            state.older_asked = True
            self._actions.read_older(state.topic_id, state.rows[0].post.message_id)

    def _look(self) -> None:
        self._on_look()
        self.update_newest()

    def update_newest(self) -> None:
        """Show or hide the way to the newest row with the number of unread ones."""
        if self._is_welcome or self.at_bottom():
            self._newest.place_forget()
            return
        count = self._state.unread_rows
        self._newest.configure(text=f" {count}" if count else "")
        self._newest.place(relx=0.5, rely=1.0, y=-self._theme.px(12), anchor="s")

    def _resized(self, event: "tk.Event[tk.Misc]") -> None:
        if self._resize_timer is not None:
            self.after_cancel(self._resize_timer)
        wait = RESIZE_QUIET_MS if self._width else 0
        self._resize_timer = self.after(wait, self._take_width)

    def _take_width(self) -> None:
        self._resize_timer = None
        width = self.view.html.winfo_width()
        follows = self._following
        if abs(width - self._width) > 4 and width > 100:
            self._width = width
            wanted = self._drawn if self._drawn.stop else span.tail(self._costs())
            self._keeping_place(lambda: self._redraw(wanted), follows)
        elif follows:
            self._to_end()

    # Clicks

    def _image(self, name: str) -> tk.PhotoImage | None:
        kind, _slash, rest = name.partition("/")
        makers: dict[str, Callable[[], tk.PhotoImage]] = {
            "app32": lambda: self._theme.app_icon(32),
            "app48": lambda: self._theme.app_icon(48),
            "icon": lambda: self._theme.icon(rest),
            "icon20": lambda: self._theme.icon(rest, 20),
            "mark": lambda: self._theme.mark(rest),
        }
        if kind not in makers or not rest.replace("-", "a").isalnum():
            return None
        try:
            return makers[kind]()
        except tk.TclError:
            return None  # no such picture

    def _follow(self, address: str) -> None:
        if html.is_web_address(address):
            self._on_open_address(address)
            return
        kind, _slash, rest = address.removeprefix("pullcept:").strip("/").partition("/")
        if kind == "copy":
            message_id, _slash, number = rest.rpartition("/")
            codes = self._codes.get(message_id, ())
            if number.isdigit() and int(number) < len(codes):
                self._on_copied(codes[int(number)])
        elif kind == "fold":
            self._fold(rest)
        elif kind == "start":
            self._on_start(rest)
        elif kind == "decide":
            self._decide([unquote(part) for part in rest.split("/")])

    def _decide(self, parts: list[str]) -> None:
        """A link of a note: it stands for a decision only while its post and its seat are known."""
        if self._state.topic_id is None or len(parts) != 3 or parts[0] not in list(Decision):
            return
        decision, account_id, message_id = parts
        seat = Seat(account_id, self._state.topic_id)
        if any(seat == known for known, _way in self._state.deliveries(message_id)):
            self._on_decide(Decision(decision), Waiting(seat, "", message_id=message_id))

    def _fold(self, message_id: str) -> None:
        self._unfolded ^= {message_id}
        for place in range(self._drawn.start, self._drawn.stop):
            if self._state.rows[place].post.message_id == message_id:
                top = self.view.top()
                self._touch_place(place)
                self.view.scroll_to(top)

    def _menu(self, event: "tk.Event[tk.Misc]") -> None:
        node = self.view.node_at(event.x, event.y)
        message_id = next((key for key, known in self._nodes.items() if known == node), None)
        row = next((row for row in self._state.rows if row.post.message_id == message_id), None)
        menu = popup_menu(self, self._theme)
        selected = self.view.selection()
        if selected:
            menu.add_command(label=_("Copy the selection"), command=lambda: self._on_copied(selected))
        if row is not None:
            self._add_row_commands(menu, row)
        if menu.index("end") is not None:
            menu.tk_popup(event.x_root, event.y_root)

    def _add_row_commands(self, menu: tk.Menu, row: Row) -> None:
        menu.add_command(label=_("Copy the text"), command=lambda: self._on_copied(row.post.content))
        details = [dates.full_time(row.post.ts)]
        marks = self._marks(row.post.message_id)
        details += rows.marks_text(marks).split("\n") if marks else []
        menu.add_separator()
        for line in details:
            menu.add_command(label=line, state="disabled")


def _near(one: Post, other: Post) -> bool:
    first, second = dates.local_time(one.ts), dates.local_time(other.ts)
    if first is None or second is None or one.to != other.to:
        return False
    return (second - first).total_seconds() < GROUP_MINUTES * 60
