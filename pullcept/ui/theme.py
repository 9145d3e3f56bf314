"""What a theme is in Tk: fonts, images, ttk styles. Made once for a window; remade when the theme changes."""

import sys
import tkinter as tk
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from tkinter import font as tkfont
from tkinter import ttk
from typing import Any, Literal

from pullcept.ui import drawing
from pullcept.ui.palette import Palette, ThemeName, palette
from pullcept.ui.plain import one_line
from pullcept.ui.texts import Language

ASSETS = Path(__file__).with_name("assets")
ICON_SIZES = (16, 20, 24, 32, 40, 48)
MARK_SIZES = (10, 15, 20)
KEPT_BOXES = 64
"""Boxes come in every width the window ever had; those drawn longest ago go first."""
APP_SIZES = (16, 24, 32, 48, 64, 128, 256)
_INTERFACE = {
    ("win32", "ja"): ("Yu Gothic UI", "Meiryo UI", "Segoe UI"),
    ("win32", "en"): ("Segoe UI",),
    ("darwin", "ja"): ("Hiragino Sans",),
    ("darwin", "en"): ("SF Pro Text", "Helvetica Neue"),
    ("linux", "ja"): ("Noto Sans CJK JP", "IPAexGothic", "DejaVu Sans"),
    ("linux", "en"): ("Noto Sans", "Noto Sans CJK JP", "DejaVu Sans"),
}
_CODE = {
    "win32": ("Cascadia Mono", "Consolas"),
    "darwin": ("Menlo",),
    "linux": ("DejaVu Sans Mono", "Noto Sans Mono", "Liberation Mono"),
}
_WIDE = {
    "win32": ("BIZ UDGothic", "MS Gothic"),
    "darwin": ("Osaka-Mono", "Hiragino Sans"),
    "linux": ("Noto Sans Mono CJK JP", "IPAGothic"),
}


def screen_scale(root: tk.Misc) -> float:
    """How many pixels of this screen one design pixel takes (96 to the inch is 1), within 1 to 3."""
    return max(1.0, min(3.0, round(root.winfo_fpixels("1i") / 96 * 4) / 4))


class Theme:
    """Colours, fonts and images for one window. Everything lives on the Tk thread."""

    def __init__(self, root: tk.Misc, name: ThemeName, language: Language, scale: float) -> None:
        self.root = root
        self.palette: Palette = palette(name)
        self.scale = scale
        self._images: dict[tuple[object, ...], tk.PhotoImage] = {}
        self._boxes: OrderedDict[tuple[object, ...], tk.PhotoImage] = OrderedDict()
        self._fonts: dict[tuple[str, int, bool], tkfont.Font] = {}
        installed = set(tkfont.families(root))
        system = sys.platform if sys.platform in _CODE else "linux"
        default = str(tkfont.nametofont("TkDefaultFont", root).actual("family"))
        fixed = str(tkfont.nametofont("TkFixedFont", root).actual("family"))
        self.family = _first(_INTERFACE[system, language], installed, default)
        self.code_family = _first(_CODE[system], installed, fixed)
        self.wide_family = _first(_WIDE[system], installed, self.family)
        self.use()

    def use(self) -> None:
        """Make ttk draw in this theme."""
        _make_styles(self)

    def role(self, name: str) -> str:
        """The colour of a role."""
        return self.palette.role[name]

    def px(self, pixels: float) -> int:
        """Design pixels in pixels of this screen."""
        return round(pixels * self.scale)

    def font(self, size: float, *, bold: bool = False, family: str | None = None) -> tkfont.Font:
        """A font of `size` design pixels."""
        key = (family or self.family, self.px(size), bold)
        if key not in self._fonts:
            weight: Literal["bold", "normal"] = "bold" if bold else "normal"
            self._fonts[key] = tkfont.Font(self.root, family=key[0], size=-key[1], weight=weight)
        return self._fonts[key]

    def fit(self, text: str, font: tkfont.Font, width: int) -> str:
        """`text` on one line, cut with an ellipsis so that it is at most `width` pixels wide."""
        text = one_line(text)
        if font.measure(text) <= width:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if font.measure(text[:middle] + "…") <= width:
                low = middle
            else:
                high = middle - 1
        return text[:low].rstrip() + "…"

    def icon(self, name: str, size: int = 16) -> tk.PhotoImage:
        """An icon in the theme's ink."""
        return self._file(f"icons/{self.palette.name}/{_nearest(ICON_SIZES, self.px(size))}/{name}.png")

    def mark(self, name: str) -> tk.PhotoImage:
        """A delivery mark, `COLOUR-STATE`."""
        return self._file(f"marks/{self.palette.name}/{_nearest(MARK_SIZES, self.px(10))}/{name}.png")

    def app_icon(self, size: int) -> tk.PhotoImage:
        """The app's own icon."""
        return self._file(f"app/app-{_nearest(APP_SIZES, self.px(size))}.png")

    def slice(self, name: str) -> tk.PhotoImage:
        """A nine-slice ground of the design."""
        return self._file(f"slices/{self.palette.name}/{'2x' if self.scale >= 1.5 else '1x'}/{name}.png")

    def avatar(self, size: int, tint: str, ground: str, mark: str = "none", ink: str = "") -> tk.PhotoImage:
        """An avatar's disc with the state mark of a seat."""
        pixels = self.px(size)
        return self._drawn(
            ("avatar", pixels, tint, ground, mark, ink), lambda: drawing.avatar(pixels, tint, ground, mark, ink)
        )

    def dot(self, size: int, colour: str, ground: str, *, ring: bool = False) -> tk.PhotoImage:
        """A dot, or a ring."""
        pixels = self.px(size)
        line = max(1.5, pixels / 6) if ring else 0.0
        return self._drawn(
            ("dot", pixels, colour, ground, ring), lambda: drawing.disc(pixels, colour, ground, ring=line)
        )

    def box(self, width: int, height: int, radius: int, colour: str, ground: str) -> tk.PhotoImage:
        """A filled box with round corners; sizes in pixels of the screen."""
        key = ("box", width, height, radius, colour, ground)
        if key not in self._boxes:
            image = tk.PhotoImage(master=self.root, width=width, height=height)
            image.put(colour, to=(0, 0, width, height))
            corners = drawing.disc(2 * radius, colour, ground)
            for x, y in ((0, 0), (1, 0), (0, 1), (1, 1)):
                part = [line[x * radius : (x + 1) * radius] for line in corners[y * radius : (y + 1) * radius]]
                image.put(_pixels(part), to=(x * (width - radius), y * (height - radius)))
            self._boxes[key] = image
            while len(self._boxes) > KEPT_BOXES:
                self._boxes.popitem(last=False)
        self._boxes.move_to_end(key)
        return self._boxes[key]

    def _file(self, path: str) -> tk.PhotoImage:
        key = ("file", path)
        if key not in self._images:
            self._images[key] = tk.PhotoImage(master=self.root, file=str(ASSETS / path))
        return self._images[key]

    def _drawn(self, key: tuple[object, ...], draw: Callable[[], list[list[str]]]) -> tk.PhotoImage:
        if key not in self._images:
            rows = draw()
            image = tk.PhotoImage(master=self.root, width=len(rows[0]), height=len(rows))
            image.put(_pixels(rows), to=(0, 0))
            self._images[key] = image
        return self._images[key]


def _pixels(rows: Sequence[Sequence[str]]) -> str:
    return " ".join("{" + " ".join(row) + "}" for row in rows)


def _first(wanted: Sequence[str], installed: set[str], fallback: str) -> str:
    return next((name for name in wanted if name in installed), fallback)


def _nearest(sizes: Sequence[int], wanted: int) -> int:
    return min(sizes, key=lambda size: (abs(size - wanted), -size))


def _make_styles(theme: Theme) -> None:
    style = ttk.Style(theme.root)
    name = f"pullcept-{theme.palette.name}"
    if name not in style.theme_names():
        style.theme_create(name, parent="clam")
    style.theme_use(name)
    if "Room.ground" not in style.element_names():
        _make_elements(theme, style)
    _configure(theme, style)


def _make_elements(theme: Theme, style: ttk.Style) -> None:
    border = 12 if theme.scale < 1.5 else 24
    for base, prefix in (("button", "Room"), ("primary", "Primary"), ("danger", "Danger")):
        states = [("focus", theme.slice(f"{base}-focus")), ("active", theme.slice(f"{base}-hover"))]
        if base != "danger":
            states.insert(0, ("disabled", theme.slice(f"{base}-disabled")))
        style.element_create(
            f"{prefix}.ground", "image", theme.slice(base), *states, border=border, padding=theme.px(3), sticky="nsew"
        )
        style.layout(f"{prefix}.TButton", _layout(f"{prefix}.ground", "Button"))
    lit = ("focus", theme.slice("composer-focus"))
    style.element_create(
        "Composer.ground", "image", theme.slice("composer"), lit, border=border, padding=0, sticky="nsew"
    )
    style.layout("Composer.TFrame", [("Composer.ground", {"sticky": "nsew"})])
    tool = (("focus", theme.slice("tool-on")), ("active", theme.slice("tool-hover")))
    blank = theme.box(32, 32, 1, theme.role("canvas"), theme.role("canvas"))
    side = theme.box(32, 32, 1, theme.role("side"), theme.role("side"))
    raised = theme.box(32, 32, 1, theme.role("raised"), theme.role("raised"))
    for prefix, ground in (("Tool", blank), ("SideTool", side), ("RaisedTool", raised)):
        style.element_create(f"{prefix}.ground", "image", ground, *tool, border=9, padding=0, sticky="nsew")
        style.layout(f"{prefix}.TButton", _layout(f"{prefix}.ground", "Button"))
    focus = ("focus", theme.slice("field-focus"))
    style.element_create("Room.field", "image", theme.slice("field"), focus, border=10, padding=1, sticky="nsew")
    inner: list[Any] = [("Entry.padding", {"sticky": "nsew", "children": [("Entry.textarea", {"sticky": "nsew"})]})]
    style.layout("Room.TEntry", [("Room.field", {"sticky": "nsew", "children": inner})])
    thumb: list[Any] = [("Vertical.Scrollbar.thumb", {"expand": "1", "sticky": "nsew"})]
    style.layout("Vertical.TScrollbar", [("Vertical.Scrollbar.trough", {"sticky": "ns", "children": thumb})])


def _layout(ground: str, kind: str) -> list[Any]:
    label = [(f"{kind}.label", {"sticky": ""})]
    return [(ground, {"sticky": "nsew", "children": [(f"{kind}.padding", {"sticky": "nsew", "children": label})]})]


def _configure(theme: Theme, style: ttk.Style) -> None:
    font, canvas = theme.font(13), theme.role("canvas")
    style.configure(".", background=canvas, foreground=theme.role("text"), font=font)
    pads = (theme.px(14), theme.px(4))
    for prefix, ink in (("Room", "text"), ("Primary", "on_accent"), ("Danger", "danger")):
        style.configure(
            f"{prefix}.TButton",
            foreground=theme.role(ink),
            background=canvas,
            font=font,
            padding=pads,
            anchor="center",
        )
        if prefix == "Primary":
            style.configure(f"{prefix}.TButton", background=theme.role("raised"))
        style.map(f"{prefix}.TButton", foreground=[("disabled", theme.role("disabled"))], background=[])
    for prefix, ground in (("Tool", "canvas"), ("SideTool", "side"), ("RaisedTool", "raised")):
        style.configure(f"{prefix}.TButton", background=theme.role(ground), padding=theme.px(5))
        style.map(f"{prefix}.TButton", background=[])
    style.configure(
        "Room.TEntry",
        fieldbackground=theme.role("raised"),
        foreground=theme.role("text"),
        padding=theme.px(4),
        insertcolor=theme.role("text"),
        background=canvas,
    )
    thumb, trough = theme.role("field"), canvas
    style.configure(
        "Vertical.TScrollbar",
        background=thumb,
        troughcolor=trough,
        bordercolor=trough,
        lightcolor=thumb,
        darkcolor=thumb,
        gripcount=0,
        width=theme.px(10),
        arrowsize=theme.px(10),
        relief="flat",
        borderwidth=0,
    )
    inks = [("disabled", trough), ("active", theme.role("muted"))]
    style.map("Vertical.TScrollbar", background=inks, lightcolor=inks, darkcolor=inks)
    style.configure("TFrame", background=canvas)
