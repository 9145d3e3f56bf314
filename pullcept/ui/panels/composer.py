"""The box in which the person writes: Enter sends, `@` offers names, refused text comes back."""

import time
import tkinter as tk
from collections.abc import Callable
from tkinter import filedialog, ttk

from pullcept.ui import mentions
from pullcept.ui.chips import ChipBar
from pullcept.ui.composing import Composing
from pullcept.ui.focus import has_focus
from pullcept.ui.panels.candidates import CandidateList
from pullcept.ui.state import ScreenState, joined
from pullcept.ui.texts import gettext as _
from pullcept.ui.theme import Theme
from pullcept.ui.tooltip import Tooltip

SHIFT = 0x1
MOST_OF_WINDOW = 0.4


class Composer(tk.Frame):
    """`on_post(text, files)` gets what was written, as written, and the paths of the chips.

    `popup_parent`: where the candidates float.
    """

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        state: ScreenState,
        *,
        on_post: Callable[[str, tuple[str, ...]], None],
        popup_parent: tk.Misc,
    ) -> None:
        super().__init__(parent, bg=theme.role("canvas"))
        self._theme, self._state, self._on_post = theme, state, on_post
        self._composing = Composing()
        self._closed_mention: str | None = None
        self._last_own = ""
        self._topic_id: str | None = None
        self._edge = ttk.Frame(self, style="Composer.TFrame")
        self._edge.pack(fill="x", padx=theme.px(24), pady=(theme.px(4), theme.px(2)))
        self._inside = tk.Frame(self._edge, bg=theme.role("raised"))
        self._inside.pack(fill="both", expand=True, padx=theme.px(5), pady=theme.px(4))
        self._refusal = tk.Label(
            self._inside,
            bg=theme.role("warn_tint"),
            fg=theme.role("warn"),
            font=theme.font(13),
            anchor="w",
            justify="left",
            padx=theme.px(12),
            pady=theme.px(4),
        )
        self.chips = ChipBar(self._inside, theme, on_change=self._chips_changed)
        self._build_text()
        self._build_tools()
        self._list = CandidateList(popup_parent, theme, on_pick=self._pick)
        self._bind_events()
        self._refresh()

    def _build_text(self) -> None:
        theme = self._theme
        self.text = tk.Text(
            self._inside,
            height=1,
            width=1,
            wrap="word",
            undo=True,
            maxundo=500,
            autoseparators=True,
            relief="flat",
            borderwidth=0,
            highlightthickness=0,
            bg=theme.role("raised"),
            fg=theme.role("text"),
            font=theme.font(15),
            insertbackground=theme.role("text"),
            insertwidth=theme.px(2),
            selectbackground=theme.role("selected"),
            selectforeground=theme.role("text"),
            padx=theme.px(10),
            pady=theme.px(5),
            spacing1=theme.px(2),
        )
        self.text.pack(fill="x")
        self._hint = tk.Label(
            self.text,
            text=_("Write to the room"),
            bg=theme.role("raised"),
            fg=theme.role("muted"),
            font=theme.font(15),
            padx=0,
            pady=theme.px(2),
        )
        self._hint.bind("<Button-1>", lambda event: self.text.focus_set())

    def _build_tools(self) -> None:
        theme = self._theme
        bar = tk.Frame(self._inside, bg=theme.role("raised"))
        bar.pack(fill="x", padx=theme.px(2), pady=(0, theme.px(2)))
        attach = ttk.Button(bar, image=theme.icon("attach", 18), style="RaisedTool.TButton", command=self.ask_files)
        attach.pack(side="left")
        Tooltip(attach, theme, lambda: _("Attach files (Ctrl+O)"))
        at = ttk.Button(bar, image=theme.icon("at", 18), style="RaisedTool.TButton", command=self._type_at)
        at.pack(side="left")
        Tooltip(at, theme, lambda: _("Name someone (@)"))
        code = ttk.Button(bar, image=theme.icon("code", 18), style="RaisedTool.TButton", command=self._type_fence)
        code.pack(side="left")
        Tooltip(code, theme, lambda: _("Code block (```)"))
        self._send = ttk.Button(bar, text=_("Send"), style="Primary.TButton", command=self.post)
        self._send.pack(side="right", padx=(theme.px(8), 0))
        Tooltip(self._send, theme, lambda: _("Send (Enter)"))
        self._keys = tk.Label(
            bar,
            text=_("Enter to send · Shift+Enter for a new line"),
            bg=theme.role("raised"),
            fg=theme.role("muted"),
            font=theme.font(12),
        )
        self._keys.pack(side="right")

    def _bind_events(self) -> None:
        text = self.text
        text.bind("<KeyPress>", self._key)
        for key in ("<Return>", "<KP_Enter>"):
            text.bind(key, self._enter)
        for key, step in (("<Up>", -1), ("<Down>", 1)):
            text.bind(key, lambda event, step=step: self._arrow(step))  # type: ignore[misc]
        text.bind("<Tab>", self._tab)
        text.bind("<Shift-Tab>", lambda event: self._leave(-1))
        if self.tk.call("tk", "windowingsystem") == "x11":
            text.bind("<ISO_Left_Tab>", lambda event: self._leave(-1))
        text.bind("<Control-o>", self._attach_key)
        text.bind("<Escape>", self._escape)
        text.bind("<<Modified>>", self._modified)
        text.bind("<<Paste>>", self._paste)
        for key in ("<KeyRelease>", "<ButtonRelease-1>"):
            text.bind(key, lambda event: self._offer(), add=True)
        text.bind("<FocusIn>", lambda event: self._focus(True))
        text.bind("<FocusOut>", lambda event: self._focus(False))
        text.bind("<Configure>", lambda event: self._grow())
        text.bind("<Control-y>", lambda event: self._redo())
        text.bind("<<TkStartIMEMarkedText>>", lambda event: self._composing.start(), add=True)
        for name in ("<<TkEndIMEMarkedText>>", "<<TkClearIMEMarkedText>>"):
            text.bind(name, lambda event: self._composing.end(time.monotonic()), add=True)

    # What the window asks

    def written(self) -> str:
        """The text in the box, as it is."""
        return self.text.get("1.0", "end-1c")

    def show_draft(self) -> None:
        """Put the unsent text of the open topic into the box."""
        early = self.written() if self._topic_id is None else ""
        topic, self._topic_id = self._state.topic(), self._state.topic_id
        self._replace(joined(topic.draft, early) if topic.draft else early)
        self.text.edit_reset()
        self.chips.show(topic.files)
        self._show_refusal(topic.refusal)

    def give_back(self, text: str, reason: str) -> None:
        """A text that was not posted: exactly that text is in the box again, in front of anything newer.

        The chips follow what the state says of the topic.
        """
        self.chips.show(self._state.topic().files)
        self._replace(joined(text, self.written()))
        self._show_refusal(reason)

    def post(self) -> None:
        """Hand on what is written and empty the box; white space alone stays."""
        text = self.written()
        if not (text.strip() or self.chips.files) or self._state.topic_id is None:
            return
        self._last_own = text
        files = self.chips.take()
        self._list.hide()
        self._show_refusal("")
        self._state.topic().refusal = ""
        self._replace("")
        self.text.edit_reset()
        self._on_post(text, files)

    def ask_files(self) -> None:
        """Let the person choose files to attach."""
        chosen = filedialog.askopenfilenames(parent=self, title=_("Attach files"))
        self.chips.add(tuple(str(path) for path in chosen))
        self.text.focus_set()

    # Keys

    def _attach_key(self, event: "tk.Event[tk.Text]") -> str:
        self.ask_files()
        return "break"

    def _key(self, event: "tk.Event[tk.Text]") -> None:
        self._composing.key(event.keysym, event.char, event.keycode, time.monotonic())

    def _enter(self, event: "tk.Event[tk.Text]") -> str | None:
        if not self._composing.allows_enter(event.char, event.keycode, time.monotonic()):
            return "break"
        if int(event.state) & SHIFT:
            self._close_list()
            return None
        if self._list.shown:
            self._pick(self._list.chosen())
        else:
            self.post()
        return "break"

    def _arrow(self, step: int) -> str | None:
        if self._list.shown:
            self._list.move(step)
            return "break"
        if step < 0 and not self.written() and self._last_own:
            self._replace(self._last_own)
            return "break"
        return None

    def _tab(self, event: "tk.Event[tk.Text]") -> str:
        if self._list.shown:
            self._pick(self._list.chosen())
            return "break"
        return self._leave(1)

    def _leave(self, step: int) -> str:
        target = self.text.tk_focusNext() if step > 0 else self.text.tk_focusPrev()
        if target is not None:
            target.focus_set()
        return "break"

    def _escape(self, event: "tk.Event[tk.Text]") -> str | None:
        if not self._list.shown:
            return None
        self._close_list()
        return "break"

    def _close_list(self) -> None:
        self._closed_mention = self._mention_start()
        self._list.hide()

    def _redo(self) -> str:
        try:
            self.text.edit_redo()
        except tk.TclError:
            pass  # nothing to redo
        return "break"

    def _paste(self, event: "tk.Event[tk.Text]") -> str:
        try:
            pasted = self.text.clipboard_get()
        except tk.TclError:
            return "break"  # the clipboard is empty or holds no text
        if self.text.tag_ranges("sel"):
            self.text.delete("sel.first", "sel.last")
        self.text.insert("insert", pasted.replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""))
        self.text.see("insert")
        return "break"

    # Candidates

    def _mention_start(self) -> str | None:
        typed = mentions.open_mention(self.text.get("1.0", "insert"))
        return None if typed is None else self.text.index(f"insert - {len(typed) + 1} chars")

    def _offer(self) -> None:
        typed = mentions.open_mention(self.text.get("insert linestart", "insert"))
        start = self._mention_start() if typed is not None else None
        if typed is None or start is None or start == self._closed_mention:
            if typed is None:
                self._closed_mention = None
            self._list.hide()
            return
        found = mentions.candidates(typed, self._state.topic().roster)
        if not found or (len(found) == 1 and found[0].name == typed):
            self._list.hide()
        else:
            self._list.show(found, self._edge)

    def _pick(self, candidate: mentions.Candidate | None) -> None:
        start = self._mention_start()
        self._list.hide()
        if candidate is None or start is None:
            return
        self.text.delete(f"{start} + 1 chars", "insert")
        self.text.insert("insert", candidate.name + " ")
        self.text.focus_set()

    def _type_at(self) -> None:
        before = self.text.get("insert - 1 chars", "insert")
        self.text.insert("insert", "@" if not before or before.isspace() else " @")
        self.text.focus_set()
        self._offer()

    def _type_fence(self) -> None:
        at_start = self.text.index("insert") == self.text.index("insert linestart")
        self.text.insert("insert", ("" if at_start else "\n") + "```\n\n```\n")
        self.text.mark_set("insert", "insert - 2 lines lineend")
        self.text.focus_set()

    # Looks

    def _replace(self, text: str) -> None:
        self.text.delete("1.0", "end")
        self.text.insert("1.0", text)
        self.text.mark_set("insert", "end-1c")
        self.text.see("insert")
        self._refresh()

    def _modified(self, event: "tk.Event[tk.Text]") -> None:
        if self.text.edit_modified():
            self.text.edit_modified(False)
            self._refresh()

    def _refresh(self) -> None:
        text = self.written()
        self._state.keep_draft(self._topic_id, text)
        if text:
            self._hint.place_forget()
        else:
            self._hint.place(x=0, y=0)
        self._enable_send()
        self._grow()

    def _enable_send(self) -> None:
        self._send.state(["!disabled" if self.written().strip() or self.chips.files else "disabled"])

    def _chips_changed(self) -> None:
        if self.chips.files:
            self.chips.pack(fill="x", before=self.text)
        else:
            self.chips.pack_forget()
        self._enable_send()

    def _grow(self) -> None:
        counted = self.text.count("1.0", "end", "displaylines", "update")
        lines = counted[0] if isinstance(counted, tuple) else int(counted or 1)
        line_height = self._theme.font(15).metrics("linespace") + self._theme.px(2)
        most = max(3, int(self.winfo_toplevel().winfo_height() * MOST_OF_WINDOW / line_height))
        wanted = max(1, min(lines, most))
        if int(self.text.cget("height")) != wanted:
            self.text.configure(height=wanted)

    def _show_refusal(self, reason: str) -> None:
        if reason:
            self._refusal.configure(text=reason, wraplength=max(200, self._edge.winfo_width() - self._theme.px(30)))
            self._refusal.pack(fill="x", before=self.text)
        else:
            self._refusal.pack_forget()

    def _focus(self, here: bool) -> None:
        self._edge.state(["focus" if here else "!focus"])
        if not here:
            self.after_idle(self._hide_unless_here)

    def _hide_unless_here(self) -> None:
        if self.winfo_exists() and not has_focus(self.text):
            self._list.hide()
