"""The left column: new topic, the list of topics, renaming in place. Folds to a rail."""

import tkinter as tk
from collections.abc import Callable
from datetime import datetime
from tkinter import filedialog, ttk

from pullcept.core.screen import Actions, TopicView
from pullcept.ui import dates
from pullcept.ui.focus import has_focus
from pullcept.ui.menu import popup_menu
from pullcept.ui.rowlist import Line, Place, RowList
from pullcept.ui.state import ScreenState
from pullcept.ui.texts import gettext as _
from pullcept.ui.theme import Theme
from pullcept.ui.tooltip import Tooltip

ROW_HEIGHT = 50
HEAD_HEIGHT = 28


class TopicsPanel(tk.Frame):
    """Shows `state.topics`. `on_fold` folds the column, `on_delete` asks before deleting."""

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        state: ScreenState,
        actions: Actions,
        *,
        on_fold: Callable[[], None],
        on_delete: Callable[[str], None],
    ) -> None:
        super().__init__(parent, bg=theme.role("side"))
        self._theme, self._state, self._actions = theme, state, actions
        self._on_delete = on_delete
        self._rename: ttk.Entry | None = None
        self._menu: tk.Menu | None = None
        self._build_head(on_fold)
        self._build_new()
        self.list = RowList(
            self,
            theme,
            draw=self._draw,
            on_open=actions.open_topic,
            opens_on_click=True,
            on_double=self.rename,
            on_menu=self._show_menu,
        )
        self.list.pack(fill="both", expand=True, pady=(theme.px(4), 0))
        self.list.canvas.bind("<F2>", lambda event: self.rename(self.list.selected))
        self.list.canvas.bind("<Delete>", lambda event: self._delete(self.list.selected))
        Tooltip(self.list.canvas, theme, lambda: _("Enter opens · F2 renames · Delete deletes"))

    def _build_head(self, on_fold: Callable[[], None]) -> None:
        theme = self._theme
        head = tk.Frame(self, bg=theme.role("side"), height=theme.px(44))
        head.pack(fill="x")
        head.pack_propagate(False)
        icon = tk.Label(head, image=theme.app_icon(20), bg=theme.role("side"))
        icon.pack(side="left", padx=(theme.px(14), theme.px(8)))
        title = tk.Label(
            head, text="Pullcept", bg=theme.role("side"), fg=theme.role("text"), font=theme.font(14, bold=True)
        )
        title.pack(side="left")
        fold = ttk.Button(head, image=theme.icon("panel-left", 18), style="SideTool.TButton", command=on_fold)
        fold.pack(side="right", padx=theme.px(8))
        Tooltip(fold, theme, lambda: _("Fold the topics (Ctrl+B)"))

    def _build_new(self) -> None:
        theme = self._theme
        new = NavButton(self, theme, "plus", _("New topic"), "Ctrl N", self._actions.new_topic)
        new.pack(fill="x", padx=theme.px(8))

    def update_topics(self) -> None:
        """Draw the list again."""
        lines = [Line("", "head", HEAD_HEIGHT)] if self._state.topics else []
        lines += [Line(view.topic_id, "row", ROW_HEIGHT) for view in self._state.topics]
        walking = has_focus(self.list.canvas) and any(line.key == self.list.selected for line in lines)
        self.list.show(lines, self.list.selected if walking else self._state.topic_id)

    def _draw(self, canvas: tk.Canvas, key: str, place: Place) -> None:
        theme = self._theme
        if not key:
            canvas.create_text(
                place.x + theme.px(8),
                place.y + place.height // 2,
                text=_("Topics"),
                anchor="w",
                font=theme.font(12),
                fill=theme.role("muted"),
            )
            return
        view = next((view for view in self._state.topics if view.topic_id == key), None)
        if view is not None:
            self._draw_topic(canvas, view, place)

    def _draw_topic(self, canvas: tk.Canvas, view: TopicView, place: Place) -> None:
        theme, unread = self._theme, self._state.unread_of(view)
        left, right = place.x + theme.px(8), place.x + place.width - theme.px(8)
        words, ink = self._second_line(view)
        first, second = place.y + theme.px(16), place.y + theme.px(36)
        if not words and not unread:
            first = place.y + place.height // 2
        small = theme.font(12)
        date = dates.short_date(view.ts, datetime.now().astimezone().date())
        canvas.create_text(right, first, text=date, anchor="e", font=small, fill=theme.role("muted"))
        font = theme.font(14, bold=unread > 0)
        title = theme.fit(view.title or _("(untitled)"), font, right - left - small.measure(date) - theme.px(10))
        canvas.create_text(left, first, text=title, anchor="w", font=font, fill=theme.role("text"))
        if unread:
            right = self._counter(canvas, right, second, unread)
        if view.running:
            canvas.create_image(left, second, image=theme.dot(8, theme.role("ok"), place.ground), anchor="w")
            left += theme.px(14)
        text = theme.fit(words, small, right - left - theme.px(6))
        canvas.create_text(left, second, text=text, anchor="w", font=small, fill=theme.role(ink))

    def _second_line(self, view: TopicView) -> tuple[str, str]:
        kept = self._state.topic(view.topic_id)
        if view.topic_id != self._state.topic_id and kept.draft.strip():
            return (kept.refusal, "warn") if kept.refusal else (_("Unsent: {text}").format(text=kept.draft), "muted")
        if view.running:
            return _("{n} running").format(n=view.running), "muted"
        return ("" if view.title else _("Nothing said yet")), "muted"

    def _counter(self, canvas: tk.Canvas, right: int, y: int, count: int) -> int:
        theme, font = self._theme, self._theme.font(11, bold=True)
        text = str(count) if count < 1000 else "999+"
        width = max(theme.px(20), font.measure(text) + theme.px(12))
        canvas.create_text(right - width // 2, y, text=text, font=font, fill=theme.role("accent"))
        return right - width

    def _show_menu(self, topic_id: str, x: int, y: int) -> None:
        if self._menu is not None:
            self._menu.destroy()
        self._menu = menu = popup_menu(self, self._theme)
        menu.add_command(label=_("Rename"), accelerator="F2", command=lambda: self.rename(topic_id))
        menu.add_command(label=_("Delete…"), accelerator="Del", command=lambda: self._delete(topic_id))
        menu.add_separator()
        menu.add_command(label=_("Export…"), command=lambda: self._export(topic_id))
        menu.add_command(label=_("Import…"), command=self._import)
        menu.add_command(label=_("Save a copy of everything…"), command=self._save_copy)
        menu.tk_popup(x, y)

    def _export(self, topic_id: str) -> None:
        """Ask for a file, and write the topic there; its ending says in which form."""
        forms = ((_("Markdown"), ".md"), (_("Web page with pictures"), ".html"), (_("Log (JSON lines)"), ".jsonl"))
        path = filedialog.asksaveasfilename(
            parent=self, title=_("Export the topic"), filetypes=forms, defaultextension=".md"
        )
        if path:
            self._actions.export_topic(topic_id, str(path))

    def _import(self) -> None:
        path = filedialog.askopenfilename(
            parent=self, title=_("Import a topic"), filetypes=((_("Log (JSON lines)"), ".jsonl"),)
        )
        if path:
            self._actions.import_topic(str(path))

    def _save_copy(self) -> None:
        path = filedialog.asksaveasfilename(
            parent=self,
            title=_("Save a copy of everything"),
            filetypes=((_("Zip archive"), ".zip"),),
            defaultextension=".zip",
            initialfile="pullcept-copy.zip",
        )
        if path:
            self._actions.save_copy(str(path))

    def _delete(self, topic_id: str | None) -> None:
        if topic_id:
            self._on_delete(topic_id)

    def rename(self, topic_id: str | None) -> None:
        """Put a field over the title; Enter renames, Esc or leaving it does not."""
        view = next((view for view in self._state.topics if view.topic_id == topic_id), None)
        place = self.list.place_of(topic_id or "")
        if view is None or place is None:
            return
        self._end_rename()
        x, y, width, height = place
        self._rename = entry = ttk.Entry(self.list.canvas, style="Room.TEntry", font=self._theme.font(14))
        entry.insert(0, view.title)
        entry.select_range(0, "end")
        entry.place(x=x, y=y + height // 8, width=width, height=height * 3 // 4)
        entry.focus_set()
        entry.bind("<Return>", lambda event: self._take_name(view.topic_id))
        entry.bind("<Escape>", lambda event: self._end_rename())
        entry.bind("<Control-a>", lambda event: self._select_name())
        entry.bind("<FocusOut>", lambda event: self._end_rename())

    def _select_name(self) -> str:
        """Ctrl+A takes the whole name; Tk's own would go to its beginning."""
        if self._rename is not None:
            self._rename.select_range(0, "end")
        return "break"

    def _take_name(self, topic_id: str) -> None:
        if self._rename is not None:
            title = self._rename.get().strip()
            self._end_rename()
            if title:
                self._actions.rename_topic(topic_id, title)

    def _end_rename(self) -> None:
        if self._rename is not None:
            entry, self._rename = self._rename, None
            entry.destroy()
            self.list.canvas.focus_set()


class NavButton(tk.Frame):
    """A line of the column that does one thing: icon, words, shortcut; click, Enter or space."""

    def __init__(
        self, parent: tk.Misc, theme: Theme, icon: str, words: str, shortcut: str, command: Callable[[], None]
    ) -> None:
        super().__init__(parent, bg=theme.role("side"), takefocus=True, cursor="hand2", highlightthickness=0)
        self._theme, self._command = theme, command
        self._parts = (
            tk.Label(self, image=theme.icon(icon, 18), bg=theme.role("side")),
            tk.Label(self, text=words, bg=theme.role("side"), fg=theme.role("text"), font=theme.font(13)),
            tk.Label(self, text=shortcut, bg=theme.role("side"), fg=theme.role("muted"), font=theme.font(12)),
        )
        self._parts[0].pack(side="left", padx=(theme.px(8), theme.px(10)), pady=theme.px(5))
        self._parts[1].pack(side="left")
        self._parts[2].pack(side="right", padx=theme.px(8))
        for widget in (self, *self._parts):
            widget.bind("<Button-1>", lambda event: self._command())
            widget.bind("<Enter>", lambda event: self._ground("hover"))
            widget.bind("<Leave>", lambda event: self._ground("side"))
        self.bind("<FocusIn>", lambda event: self._ground("selected"))
        self.bind("<FocusOut>", lambda event: self._ground("side"))
        self.bind("<Return>", lambda event: self._command())
        self.bind("<space>", lambda event: self._command())

    def _ground(self, role: str) -> None:
        for widget in (self, *self._parts):
            widget.configure(bg=self._theme.role(role))
