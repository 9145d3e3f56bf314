"""The window: three columns, their keys, and the way from events to panels."""

import logging
import tkinter as tk
import webbrowser
from collections.abc import Callable
from queue import SimpleQueue
from tkinter import ttk
from types import TracebackType
from typing import Literal

from pullcept.core.screen import Actions, ScreenEvent
from pullcept.core.seat import Seat
from pullcept.term.core import TerminalCore
from pullcept.ui import changes, decisions
from pullcept.ui.bridge import Pump
from pullcept.ui.clock_steps import ClockSteps
from pullcept.ui.deciding import Deciding
from pullcept.ui.decisions import Decision, Waiting
from pullcept.ui.dialogs.confirm import ConfirmDialog
from pullcept.ui.focus import has_focus
from pullcept.ui.keeper import Keeper
from pullcept.ui.links import DecisionBar
from pullcept.ui.palette import ThemeName
from pullcept.ui.panels.accounts import AccountsPanel
from pullcept.ui.panels.composer import Composer
from pullcept.ui.panels.conversation import ConversationPanel
from pullcept.ui.panels.status import StatusPanel
from pullcept.ui.panels.terminal import TerminalPanel
from pullcept.ui.panels.topics import TopicsPanel
from pullcept.ui.plain import one_line
from pullcept.ui.rail import AccountsRail, TopicsRail
from pullcept.ui.state import ScreenState, is_running
from pullcept.ui.system import make_dpi_aware, system_theme
from pullcept.ui.texts import Language, language_in_use, system_language, use_language
from pullcept.ui.texts import gettext as _
from pullcept.ui.theme import Theme, screen_scale
from pullcept.ui.tooltip import Tooltip

log = logging.getLogger(__name__)

SMALLEST = (900, 600)
USUAL = (1280, 800)
NARROW = 1000
LEFT, RIGHT = 264, 292

Terminals = Callable[[Seat], TerminalCore | None]


class RoomWindow:
    """Builds the panels on a Tk root and keeps them true to the events. Lives on the Tk thread."""

    def __init__(
        self,
        root: tk.Tk,
        actions: Actions,
        events: "SimpleQueue[ScreenEvent]",
        terminals: Terminals,
        *,
        theme: ThemeName,
    ) -> None:
        self.root, self.actions = root, actions
        self.state = ScreenState()
        self.terminals = terminals
        self._folded: dict[str, bool | None] = {"left": None, "right": None}
        self._narrow: bool | None = None
        self._themes: dict[tuple[ThemeName, Language, float], Theme] = {}
        self.pump = Pump(root, events, self.take)
        self.use_theme(theme)
        self.keeper = Keeper(root, lambda: self.state, lambda *unsent: self.actions.keep_unsent(*unsent))
        root.title("Pullcept")
        root.protocol("WM_DELETE_WINDOW", self.close)
        root.bind("<Configure>", self._resized, add=True)
        for event in ("<Map>", "<Unmap>", "<Visibility>"):
            root.bind(event, lambda event: self._look(), add=True)
        self._bind_keys()

    # Building

    def use_theme(self, name: ThemeName) -> None:
        """Build every panel in this theme; what is written in the composer stays."""
        key = (name, language_in_use(), screen_scale(self.root))
        if key not in self._themes:
            self._themes[key] = Theme(self.root, *key)
        self.theme = self._themes[key]
        self.theme.use()
        for child in self.root.winfo_children():
            child.destroy()
        self.root.configure(bg=self.theme.role("canvas"))
        self._build_columns()
        self._build_middle()
        width = self.root.winfo_width()
        self._narrow = width < self.theme.px(NARROW) if width > 1 else None  # 1: not on screen yet
        self._fold()
        self._draw_all()

    def _build_columns(self) -> None:
        theme, root = self.theme, self.root
        root.columnconfigure(2, weight=1)
        root.rowconfigure(0, weight=1)
        self.topics = TopicsPanel(
            root, theme, self.state, self.actions, on_fold=lambda: self.fold("left"), on_delete=self.ask_delete
        )
        self.topics_rail = TopicsRail(root, theme, on_unfold=lambda: self.fold("left"), on_new=self.actions.new_topic)
        self.accounts = AccountsPanel(
            root,
            theme,
            self.state,
            on_fold=lambda: self.fold("right"),
            on_toggle=self.toggle,
            on_terminal=self.show_terminal,
            on_decide=self.decide,
        )
        self.accounts_rail = AccountsRail(root, theme, self.state, on_unfold=lambda: self.fold("right"))
        tk.Frame(root, bg=theme.role("line"), width=1).grid(row=0, column=1, sticky="ns")
        tk.Frame(root, bg=theme.role("line"), width=1).grid(row=0, column=3, sticky="ns")
        for panel, width in ((self.topics, LEFT), (self.accounts, RIGHT)):
            panel.configure(width=theme.px(width))
            panel.pack_propagate(False)

    def _build_middle(self) -> None:
        theme = self.theme
        middle = tk.Frame(self.root, bg=theme.role("canvas"))
        middle.grid(row=0, column=2, sticky="nsew")
        self._build_head(middle)
        self.status = StatusPanel(middle, theme, self.state)
        self.status.pack(side="bottom", fill="x")
        self.composer = Composer(middle, theme, self.state, on_post=self.post, popup_parent=middle)
        self.composer.pack(side="bottom", fill="x")
        for sequence, command in self._keys():  # before the text's own meaning of these keys
            self.composer.text.bind(sequence, lambda event, command=command: self._shortcut(event, command))  # type: ignore[misc]
        self.terminal = TerminalPanel(
            middle,
            theme,
            self.state,
            self.actions,
            self.terminals,
            on_fold=self.toggle_terminal,
            on_toggle=self.toggle,
            on_decide=self.decide,
        )
        self.conversation = ConversationPanel(
            middle,
            theme,
            self.state,
            self.actions,
            on_open_address=self.open_address,
            on_start=self.start,
            on_decide=self.decide,
            on_copied=self.copy,
            on_look=self._look,
        )
        self.conversation.pack(side="top", fill="both", expand=True)

    def _build_head(self, parent: tk.Misc) -> None:
        theme = self.theme
        head = tk.Frame(parent, bg=theme.role("canvas"), height=theme.px(44))
        head.pack(fill="x")
        head.pack_propagate(False)
        self._head_line = tk.Frame(parent, bg=theme.role("line"), height=1)
        self._head_line.pack(fill="x")
        self.banner = DecisionBar(
            parent, theme, on_decide=self.decide, on_gone=lambda: self.composer.text.focus_set(), pad=7
        )
        terminal = ttk.Button(
            head, image=theme.icon("terminal", 18), style="Tool.TButton", command=self.toggle_terminal
        )
        terminal.pack(side="right", padx=theme.px(8))
        Tooltip(terminal, theme, lambda: _("Terminals (Ctrl+J)"))
        colours = ttk.Button(head, image=theme.icon("settings", 18), style="Tool.TButton", command=self.switch_theme)
        colours.pack(side="right")
        Tooltip(colours, theme, lambda: _("Light or dark"))
        self._title = tk.Label(
            head, bg=theme.role("canvas"), fg=theme.role("text"), font=theme.font(15, bold=True), anchor="w"
        )
        self._title.pack(side="left", fill="x", expand=True, padx=theme.px(24))

    def _bind_keys(self) -> None:
        for sequence, command in self._keys():
            self.root.bind_all(sequence, lambda event, command=command: self._shortcut(event, command))  # type: ignore[misc]

    def _keys(self) -> tuple[tuple[str, Callable[[], object]], ...]:
        return (
            ("<Control-n>", lambda: self.actions.new_topic()),
            ("<Control-j>", self.toggle_terminal),
            ("<Control-b>", lambda: self.fold("left")),
            ("<Control-B>", lambda: self.fold("right")),
            ("<F6>", lambda: self.next_area(1)),
            ("<Shift-F6>", lambda: self.next_area(-1)),
            ("<Alt-Up>", lambda: self.step_topic(-1)),
            ("<Alt-Down>", lambda: self.step_topic(1)),
        )

    def _shortcut(self, event: "tk.Event[tk.Misc]", command: Callable[[], object]) -> str | None:
        if self.terminal.has_focus() and event.keysym != "F6" and not int(event.state) & 0x1:
            return None
        command()
        return "break"

    # Events

    def take(self, batch: list[ScreenEvent]) -> None:
        """Take a batch of events in and draw what changed, neighbouring changes once."""
        drawn: list[changes.Change] = []
        for event in batch:
            for change in self._taken(event):
                _add(drawn, change)
        for change in drawn:
            try:
                self._draw(change)
            except Exception:  # one part that fails must not keep the others from the screen
                log.exception("could not draw %s", type(change).__name__)

    def _taken(self, event: ScreenEvent) -> tuple[changes.Change, ...]:
        try:
            return self.state.take(event)
        except Exception:  # the events behind it, the end of the app among them, must still arrive
            log.exception("could not take %s", type(event).__name__)
            return ()

    def _draw(self, change: changes.Change) -> None:
        match change:
            case changes.RowsAppended(count):
                self.conversation.append(count)
            case changes.RowsPrepended(count):
                self.conversation.prepend(count)
            case changes.RowTouched(message_id):
                self.conversation.touch(message_id)
            case changes.TextReturned(text, reason):
                self.composer.give_back(text, reason)
            case changes.TerminalWanted(seat):
                self._open_terminal(seat)
            case changes.ScreenEnded(reason):
                self._end(reason)
            case _:
                self._redraw(change)

    def _redraw(self, change: changes.Change) -> None:
        match change:
            case changes.TopicsChanged():
                self._draw_topics()
            case changes.TopicShown():
                self._show_topic()
            case changes.RowsReplaced():
                self.conversation.redraw()
            case changes.AccountsChanged():
                self._draw_accounts()
            case changes.TerminalsChanged():
                self.terminal.update_tabs()
            case changes.StatusChanged():
                self.status.update_status()
            case changes.FrontWanted():
                self._come_to_front()
            case changes.CloseWanted(seconds):
                self._close_unless_used(seconds)

    def _draw_all(self) -> None:
        self._draw_topics()
        self._draw_accounts()
        self.composer.show_draft()
        self.status.update_status()
        self.terminal.show_topic()
        self.conversation.redraw()

    def _draw_topics(self) -> None:
        self.topics.update_topics()
        title = one_line(self.state.title)
        self._title.configure(text=title or (_("(untitled)") if self.state.topic_id else ""))
        self.root.title(f"{title} — Pullcept" if title else "Pullcept")

    def _draw_accounts(self) -> None:
        self.accounts.update_accounts()
        self.accounts_rail.update_accounts()
        self._draw_banner()

    def _draw_banner(self) -> None:
        waiting = decisions.of_topic(self.state)
        if waiting is None:
            self.banner.pack_forget()
            self.banner.clear()
        else:
            self.banner.show(waiting)
            self.banner.pack(fill="x", after=self._head_line)

    def _show_topic(self) -> None:
        self._draw_topics()
        self._draw_accounts()
        self.composer.show_draft()
        self.terminal.show_topic()
        self.conversation.show_topic()
        if has_focus(self.root):
            self.composer.text.focus_set()

    def _end(self, reason: str) -> None:
        if reason:
            log.info("the app ended: %s", reason)
        self.pump.stop()
        self.root.quit()
        self.root.destroy()

    def _come_to_front(self) -> None:
        self.root.deiconify()
        self.root.lift()
        self.root.focus_force()

    def _close_unless_used(self, seconds: float) -> None:
        timer = self.root.after(int(seconds * 1000), self.actions.quit)

        def keep(event: "tk.Event[tk.Misc]") -> None:
            self.root.after_cancel(timer)

        for used in ("<KeyPress>", "<ButtonPress>"):
            self.root.bind_all(used, keep, add=True)

    def _look(self) -> None:
        visible = self.root.state() != "withdrawn" and bool(self.root.winfo_viewable())
        if self.state.look(visible=visible, at_bottom=self.conversation.at_bottom()):
            self.conversation.update_newest()

    # What the person does

    def post(self, text: str, files: tuple[str, ...] = ()) -> None:
        """Say something in the open topic."""
        if self.state.topic_id is not None and files:
            self.actions.post_files(self.state.topic_id, text, files, self.state.last_seen())
        elif self.state.topic_id is not None:
            self.actions.post(self.state.topic_id, text, self.state.last_seen())

    def seat(self, account_id: str) -> Seat | None:
        """The seat of an account in the open topic."""
        return None if self.state.topic_id is None else Seat(account_id, self.state.topic_id)

    def start(self, account_id: str) -> None:
        """Start an account's session in the open topic and show its terminal."""
        seat, account = self.seat(account_id), self.state.account(account_id)
        if seat is None or account is None or not account.startable:
            return
        if not is_running(self.state.seats.get(seat)):
            self._open_terminal(seat)
            self.root.update_idletasks()
            self.actions.start(seat, *self.terminal.cell_size())

    def toggle(self, account_id: str) -> None:
        """Start a session, or ask and stop it."""
        seat, account = self.seat(account_id), self.state.account(account_id)
        if seat is None or account is None:
            return
        if not is_running(self.state.seats.get(seat)):
            self.start(account_id)
            return
        ConfirmDialog(
            self.root,
            self.theme,
            title=_("Stop {name}?").format(name=one_line(account.name)),
            text=_("The session ends. What was said stays here."),
            yes=_("Stop"),
            on_yes=lambda: self.actions.stop(seat),
        )

    def decide(self, decision: Decision, waiting: Waiting) -> None:
        """Do what the person decided about posts that wait."""
        Deciding(self.root, self.theme, self.actions, self._name_of(waiting.seat)).decide(decision, waiting)

    def _name_of(self, seat: Seat) -> str:
        account = self.state.account(seat.account_id)
        return one_line(account.name if account else seat.account_id)

    def ask_delete(self, topic_id: str) -> None:
        """Ask, then delete a topic."""
        view = next((view for view in self.state.topics if view.topic_id == topic_id), None)
        if view is None:
            return
        lines = [one_line(view.title) or _("(untitled)")]
        running = self._running(topic_id)
        if running:
            lines.append(_("Running, and will be stopped: {names}.").format(names=_(", ").join(running)))
        ConfirmDialog(
            self.root,
            self.theme,
            title=_("Delete this topic?"),
            text="\n".join(lines),
            yes=_("Delete"),
            on_yes=lambda: self.actions.delete_topic(topic_id),
        )

    def _running(self, topic_id: str | None = None) -> list[str]:
        names = []
        for seat, view in self.state.seats.items():
            account = self.state.account(seat.account_id)
            if account is not None and is_running(view) and topic_id in (None, seat.topic_id):
                names.append(one_line(account.name))
        return list(dict.fromkeys(names))

    def close(self) -> None:
        """Close the window: at once, or after a question when sessions run."""
        running = self._running()
        if not running:
            self._quit()
            return
        ConfirmDialog(
            self.root,
            self.theme,
            title=_("Close Pullcept?"),
            text=_("Running, and will be stopped: {names}.").format(names=_(", ").join(running)),
            yes=_("Close"),
            on_yes=self._quit,
        )

    def _quit(self) -> None:
        self.keeper.tell_now()
        self.actions.quit()

    def show_terminal(self, account_id: str) -> None:
        """Show the terminal of an account's session."""
        seat = self.seat(account_id)
        if seat is not None and seat in self.state.topic().terminals:
            self._open_terminal(seat)
            self.terminal.focus_terminal()

    def _open_terminal(self, seat: Seat) -> None:
        self.terminal.choose(seat)
        if not self.terminal.winfo_manager():
            self.toggle_terminal()

    def toggle_terminal(self) -> None:
        """Open or fold the terminal pane."""
        if self.terminal.winfo_manager():
            had_focus = self.terminal.has_focus()
            self.terminal.pack_forget()
            if had_focus:
                self.composer.text.focus_set()
        else:
            self.terminal.fit_height(self.root.winfo_height())
            self.terminal.pack(side="bottom", fill="x", before=self.conversation)
            self.terminal.opened()

    def fold(self, side: Literal["left", "right"]) -> None:
        """Fold a column to its rail or unfold it; in a narrow window one is unfolded at a time."""
        now = self._is_folded(side)
        self._folded[side] = not now
        if now and self._narrow:
            self._folded["right" if side == "left" else "left"] = True
        self._fold()

    def _is_folded(self, side: str) -> bool:
        chosen = self._folded[side]
        return bool(self._narrow) if chosen is None else chosen

    def _fold(self) -> None:
        for side, panel, rail, column in (
            ("left", self.topics, self.topics_rail, 0),
            ("right", self.accounts, self.accounts_rail, 4),
        ):
            shown, hidden = (rail, panel) if self._is_folded(side) else (panel, rail)
            hidden.grid_forget()
            shown.grid(row=0, column=column, sticky="ns")

    def _resized(self, event: "tk.Event[tk.Misc]") -> None:
        if event.widget is not self.root:
            return
        narrow = event.width < self.theme.px(NARROW)
        if narrow != self._narrow:
            self._narrow = narrow
            self._folded = {"left": None, "right": None}
            self._fold()
        if self.terminal.winfo_manager():
            self.terminal.fit_height(event.height)

    def next_area(self, step: int) -> None:
        """Give the focus to the next part of the window."""
        middle = (*self.banner.links[:1], self.conversation.view.html, self.composer.text)
        areas: list[tk.Misc] = [self.topics.list.canvas, *middle]
        if self.terminal.winfo_manager():
            areas[-1:-1] = [*self.terminal.strip.links[:1], self.terminal.screen.key_field]
        areas += [self.accounts.list.canvas, *self.accounts.held.links[:1]]
        areas = [area for area in areas if area.winfo_viewable()]
        place = next((place for place, area in enumerate(areas) if has_focus(area)), -1)
        areas[(place + step) % len(areas)].focus_set()

    def step_topic(self, step: int) -> None:
        """Open the next topic of the list."""
        topic_id = self.state.next_topic(step)
        if topic_id is not None and topic_id != self.state.topic_id:
            self.actions.open_topic(topic_id)

    def switch_theme(self) -> None:
        """Light to dark and back."""
        self.use_theme("light" if self.theme.palette.name == "dark" else "dark")

    def open_address(self, address: str) -> None:
        """Hand a web address to the browser."""
        webbrowser.open(address)

    def copy(self, text: str) -> None:
        """Put a text on the clipboard."""
        self.root.clipboard_clear()
        self.root.clipboard_append(text)


def _add(drawn: list[changes.Change], change: changes.Change) -> None:
    """Add a change; equal ones stand once, appended rows are counted together."""
    if isinstance(change, changes.RowsPrepended) or any(isinstance(known, changes.RowsPrepended) for known in drawn):
        change = _joined(drawn, change)
    if isinstance(change, changes.RowsAppended) and drawn:
        for place, earlier in enumerate(drawn):
            if isinstance(earlier, changes.RowsAppended):
                drawn[place] = changes.RowsAppended(earlier.count + change.count)
                return
    if isinstance(change, changes.TopicShown):
        rows = (changes.RowsAppended, changes.RowsPrepended, changes.RowsReplaced, changes.RowTouched)
        drawn[:] = [earlier for earlier in drawn if not isinstance(earlier, rows)]
    if change not in drawn or isinstance(change, changes.TextReturned):
        drawn.append(change)


def _joined(drawn: list[changes.Change], change: changes.Change) -> changes.Change:
    """Rows put at both ends at once: their places are not told one after the other but found again."""
    moving = (changes.RowsAppended, changes.RowsPrepended, changes.RowsReplaced)
    if not isinstance(change, moving) or not any(isinstance(known, moving) for known in drawn):
        return change
    drawn[:] = [known for known in drawn if not isinstance(known, moving)]
    return changes.RowsReplaced()


def make_root() -> tk.Tk:
    """A Tk root that is sharp on this screen, not shown yet. Raises `tk.TclError` without a display."""
    make_dpi_aware()
    root = tk.Tk(className="Pullcept")
    root.withdraw()
    return root


def run_window(
    actions: Actions,
    events: "SimpleQueue[ScreenEvent]",
    terminals: Terminals,
    *,
    language: Language | Literal["auto"] = "auto",
    theme: ThemeName | Literal["auto"] = "auto",
) -> None:
    """Show the room until an `AppEnded` event comes. Must run on the main thread.

    Raises `tk.TclError` when there is no display.
    """
    use_language(system_language() if language == "auto" else language)
    root = make_root()
    root.report_callback_exception = report_callback
    room = RoomWindow(root, actions, events, terminals, theme=system_theme() if theme == "auto" else theme)
    place_window(root, room.theme)
    root.deiconify()
    room.composer.text.focus_set()
    room.pump.start()
    steps = ClockSteps(root)
    steps.start()
    try:
        root.mainloop()
    finally:
        steps.stop()


def place_window(root: tk.Tk, theme: Theme) -> None:
    """Size and icon of the window, as far as the screen allows."""
    width = min(theme.px(USUAL[0]), root.winfo_screenwidth())
    height = min(theme.px(USUAL[1]), root.winfo_screenheight() - theme.px(60))
    root.minsize(
        min(theme.px(SMALLEST[0]), root.winfo_screenwidth()), min(theme.px(SMALLEST[1]), root.winfo_screenheight())
    )
    root.geometry(f"{width}x{height}")
    root.iconphoto(True, theme.app_icon(64), theme.app_icon(32), theme.app_icon(16))


def report_callback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """An error in a callback: logged, never shown as nothing."""
    log.error("a part of the window failed", exc_info=(kind, error, trace))
