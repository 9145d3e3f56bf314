"""A view for HTML of our own: nothing is fetched, no object, form or script is ever made.

Images come from names the owner knows; any other name draws nothing. Links are handed on as texts.
"""

import tkinter as tk
from collections.abc import Callable, Sequence
from tkinter import ttk
from typing import Any, NoReturn

import tkinterweb

from pullcept.ui.theme import Theme

Node = str
CLOSED_DOORS = (
    ("node", ("meta", "title", "base", "progress", "form", "table", "select", "textarea", "input", "link", "img")),
    ("node", ("iframe", "object")),
    ("attribute", ("img", "iframe", "object", "progress", "details", "select", "input")),
    ("script", ("script", "style")),
    ("parse", ("body", "html")),
)
"""What the widget would do by itself for these elements; several of them fetch, all of them keep something."""
BASE = "pullcept:/"


class NothingIsFetched(Exception):
    """The view was asked to load something. Our own pages never do."""


def _refuse(url: str, *_details: object) -> NoReturn:
    raise NothingIsFetched(url[:80])


class HtmlView(tk.Frame):
    """`image(name)` gives the Tk image of a name or nothing; `on_link(address)` follows a click."""

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        *,
        image: Callable[[str], tk.PhotoImage | None],
        on_link: Callable[[str], None],
        on_scroll: Callable[[], None],
    ) -> None:
        super().__init__(parent, bg=theme.role("canvas"))
        self._image, self._on_scroll = image, on_scroll
        self._frame = tkinterweb.HtmlFrame(
            self,
            messages_enabled=False,
            javascript_enabled=False,
            objects_enabled=False,
            forms_enabled=False,
            threading_enabled=False,
            caches_enabled=False,
            crash_prevention_enabled=False,  # it drops every character outside the basic plane, emoji included
            request_func=_refuse,
            on_link_click=on_link,
            vertical_scrollbar=False,
            horizontal_scrollbar=False,
            selected_text_highlight_color=theme.role("selected"),
            selected_text_color=theme.role("text"),
        )
        self.html: Any = self._frame.html
        self._bar = ttk.Scrollbar(self, orient="vertical", command=self.html.yview)
        self._bar.pack(side="right", fill="y")
        self._frame.pack(side="left", fill="both", expand=True)
        self.html.configure(imagecmd=self.register(self._image_name), yscrollcommand=self._scrolled)
        self._close_doors()
        self.html.base_url = BASE
        self.html.motion_frame_bg = theme.role("canvas")  # a pixel of its own in the corner
        self.html.motion_frame.configure(bg=theme.role("canvas"))
        self._root_node: Node = ""

    def _close_doors(self) -> None:
        for kind, tags in CLOSED_DOORS:
            for tag in tags:
                self.html.tk.call(self.html, "handler", kind, tag, "")

    def _image_name(self, name: str) -> tuple[str, str] | str:
        image = self._image(name.removeprefix(BASE).lstrip("/"))
        # The second part is what the widget runs when it needs the image no more; without it, it deletes the image.
        return "" if image is None else (str(image), "list")

    def _scrolled(self, first: str, last: str) -> None:
        self._bar.set(first, last)
        self._on_scroll()

    def load(self, css: str, body: str, root: str) -> None:
        """Show a page in these styles; rows are then put into its element of class `root`."""
        self._forget_pointer()
        self.html.reset()
        self.html.tk.call(self.html, "style", "-id", "author0001", css)
        self.html.parse(f"<html><body>{body}</body></html>")
        self._root_node = str(self._split(self.html.search(f".{root}"))[0])

    def top_nodes(self) -> tuple[Node, ...]:
        """The nodes inside the root, in order."""
        return tuple(map(str, self._split(self.html.tk.call(self._root_node, "children"))))

    def insert(self, html: str, before: Node | None = None) -> tuple[Node, ...]:
        """Put markup into the root, at the end or before a node; its top nodes."""
        nodes = self._split(self.html.tk.call(self.html, "fragment", html))
        where = ("-before", before) if before else ()
        self.html.tk.call(self._root_node, "insert", *where, nodes)
        return tuple(map(str, nodes))

    def remove(self, nodes: Sequence[Node]) -> None:
        """Take nodes out for good."""
        if not nodes:
            return
        self._forget_pointer()
        self.html.tk.call(self._root_node, "remove", tuple(nodes))
        for node in nodes:
            self.html.tk.call(node, "destroy")

    def _forget_pointer(self) -> None:
        """The widget remembers nodes under the pointer and in the selection; they may be about to go."""
        self.html.hovered_nodes.clear()
        self.html.current_hovered_node = None
        self.html.clicked_node = None
        if self.has_selection():
            self.html.selection_manager.clear_selection()

    def has_selection(self) -> bool:
        """Whether some text is selected."""
        return self.html.selection_manager.selection_end_node is not None

    def selection(self) -> str:
        """The selected text."""
        return str(self.html.selection_manager.get_selection() or "") if self.has_selection() else ""

    def top_of(self, node: Node) -> int:
        """Where a node begins, in pixels from the top of the page."""
        box = self._split(self.html.tk.call(self.html, "bbox", node))
        return int(box[1]) if len(box) == 4 else 0

    def page_height(self) -> int:
        """The height of the whole page."""
        box = self._split(self.html.tk.call(self.html, "bbox"))
        return int(box[3]) if len(box) == 4 else 0

    def shape(self) -> tuple[int, int]:
        """The height of the page and of the view."""
        return self.page_height(), int(self.html.winfo_height())

    def top(self) -> int:
        """How far the page is scrolled down."""
        first = float(self._split(self.html.tk.call(self.html, "yview"))[0])
        return round(first * self.page_height())

    def below(self) -> int:
        """How much of the page lies below the lower edge."""
        return max(0, self.page_height() - self.top() - int(self.html.winfo_height()))

    def scroll_to(self, top: int) -> None:
        """Scroll so that the page begins at `top`."""
        height = self.page_height()
        if height > 0:
            self.html.tk.call(self.html, "yview", "moveto", max(0.0, top / height))

    def scroll_to_end(self) -> None:
        """Scroll to the newest."""
        self.page_height()  # lays the page out; before that there is no end to go to
        self.html.tk.call(self.html, "yview", "moveto", 1.0)

    def node_at(self, x: int, y: int) -> Node | None:
        """The node of the root's children under a point of the view."""
        found = self._split(self.html.tk.call(self.html, "node", x, y))
        node = str(found[0]) if found else ""
        known = set(self.top_nodes()) if node else set()
        while node and node not in known:
            node = str(self.html.tk.call(node, "parent"))
        return node or None

    def _split(self, value: Any) -> tuple[Any, ...]:
        return tuple(self.html.tk.splitlist(value))
