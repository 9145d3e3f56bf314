"""What a row of terminal cells looks like, as pieces a painter can put on a Canvas. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pullcept.term.frame import RGB, Color, Row, Run, Style, TerminalFrame
from pullcept.ui import boxes

NEW_COLOURS_A_FRAME = 256
KEPT_COLOURS = 4096
FAINT = 0.55
Face = Literal["narrow", "wide"]


@dataclass(frozen=True, slots=True)
class Fill:
    """A filled stretch of cells."""

    column: int
    width: int
    colour: str


@dataclass(frozen=True, slots=True)
class Glyphs:
    """A text drawn as one item from a cell on."""

    column: int
    text: str
    colour: str
    face: Face
    bold: bool
    italic: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """A line or block character, drawn as boxes."""

    column: int
    text: str
    colour: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A line under, through or over a stretch of cells."""

    column: int
    width: int
    colour: str
    place: Literal["under", "through", "over"]


Piece = Fill | Glyphs | Shape | Rule
Fits = Callable[[str, Face, bool, int], bool]
"""Whether a character is exactly as wide as its cells: (character, face, bold, cells)."""


class Colours:
    """Terminal colours as `#rrggbb`. A frame with very many new ones gets coarser ones: each costs the screen time."""

    def __init__(self) -> None:
        self._known: dict[RGB, str] = {}
        self._new = 0

    def begin(self) -> None:
        """A new frame."""
        self._new = 0
        if len(self._known) > KEPT_COLOURS:
            self._known.clear()

    def text(self, colour: RGB) -> str:
        """The colour, or one near it."""
        known = self._known.get(colour)
        if known is not None:
            return known
        self._new += 1
        if self._new > NEW_COLOURS_A_FRAME:
            red, green, blue = (min(255, part & 0xE0 | 0x10) for part in colour)
            return f"#{red:02x}{green:02x}{blue:02x}"
        self._known[colour] = text = "#{:02x}{:02x}{:02x}".format(*colour)
        return text


def pieces(row: Row, frame: TerminalFrame, colours: Colours, fits: Fits) -> list[Piece]:
    """The pieces of a row, in the order in which they are drawn."""
    made: list[Piece] = []
    for run in row:
        ink, ground = run_colours(run.style, frame)
        if ground is not None:
            made.append(Fill(run.column, run.width, colours.text(ground)))
        if not run.style.invisible:
            made += _glyphs(run, colours.text(ink), fits)
            made += _rules(run, frame, colours, ink)
    return made


def run_colours(style: Style, frame: TerminalFrame) -> tuple[RGB, RGB | None]:
    """Ink and ground of a style; no ground where the terminal's own shows."""
    ink = resolve(style.foreground, frame.foreground, frame.palette)
    ground = None if style.background is None else resolve(style.background, frame.background, frame.palette)
    if style.inverse:
        ink, ground = (frame.background if ground is None else ground), ink
    if style.faint:
        under = frame.background if ground is None else ground
        ink = _mix(ink, under)
    return ink, ground


def _mix(over: RGB, under: RGB) -> RGB:
    red, green, blue = (round(a * FAINT + b * (1 - FAINT)) for a, b in zip(over, under, strict=True))
    return red, green, blue


def resolve(colour: Color, default: RGB, palette: bytes) -> RGB:
    """A colour as red, green, blue."""
    if colour is None:
        return default
    if isinstance(colour, tuple):
        return colour
    red, green, blue = palette[3 * colour : 3 * colour + 3]
    return red, green, blue


def _glyphs(run: Run, colour: str, fits: Fits) -> list[Piece]:
    style, face = run.style, "wide" if run.cell_width == 2 else "narrow"
    if len(run.text) * run.cell_width != run.width:
        return [Glyphs(run.column, run.text, colour, face, style.bold, style.italic)]  # type: ignore[arg-type]
    if run.cell_width == 1 and run.text.isascii():
        text = run.text.rstrip(" ")
        return [Glyphs(run.column, text, colour, "narrow", style.bold, style.italic)] if text else []
    return _apart(run, colour, fits)


def _apart(run: Run, colour: str, fits: Fits) -> list[Piece]:
    """Characters that fit their cells stay together; every other one is placed on its own."""
    face: Face = "wide" if run.cell_width == 2 else "narrow"
    made: list[Piece] = []
    together, start = "", run.column

    def flush() -> None:
        if together.strip():
            made.append(Glyphs(start, together, colour, face, run.style.bold, run.style.italic))

    for number, character in enumerate(run.text):
        column = run.column + number * run.cell_width
        if run.cell_width == 1 and boxes.is_drawn(character):
            piece: Piece | None = Shape(column, character, colour)
        elif fits(character, face, run.style.bold, run.cell_width):
            piece = None
        else:
            piece = Glyphs(column, character, colour, face, run.style.bold, run.style.italic)
        if piece is None:
            start = start if together else column
            together += character
            continue
        flush()
        together = ""
        if character != " ":
            made.append(piece)
    flush()
    return made


def _rules(run: Run, frame: TerminalFrame, colours: Colours, ink: RGB) -> list[Piece]:
    style = run.style
    made: list[Piece] = []
    if style.underline:
        colour = resolve(style.underline_color, ink, frame.palette)
        made.append(Rule(run.column, run.width, colours.text(colour), "under"))
    if style.strikethrough:
        made.append(Rule(run.column, run.width, colours.text(ink), "through"))
    if style.overline:
        made.append(Rule(run.column, run.width, colours.text(ink), "over"))
    return made


def cell_text(row: Row, column: int) -> str:
    """What stands in a cell; a blank where nothing does."""
    for run in row:
        if run.column <= column < run.column + run.width:
            if len(run.text) * run.cell_width != run.width:
                return run.text
            return (
                run.text[(column - run.column) // run.cell_width : (column - run.column) // run.cell_width + 1] or " "
            )
    return " "


def row_text(row: Row, first: int, last: int) -> str:
    """The text of the cells from `first` to `last` (not included), without blanks at the end."""
    parts: list[str] = []
    at = first
    for run in row:
        if run.column + run.width <= first or run.column >= last:
            continue
        if run.column > at:
            parts.append(" " * (run.column - at))
        parts.append(_part_of(run, first, last))
        at = run.column + run.width
    return "".join(parts).rstrip()


def _part_of(run: Run, first: int, last: int) -> str:
    if len(run.text) * run.cell_width != run.width:
        return run.text
    begin = max(0, (first - run.column + run.cell_width - 1) // run.cell_width)
    end = max(0, (last - run.column + run.cell_width - 1) // run.cell_width)
    return run.text[begin:end]


def palette_bytes(ansi: tuple[str, ...]) -> bytes:
    """256 colours: the theme's sixteen, then the usual cube and greys."""
    made = bytearray()
    for colour in ansi:
        made += bytes.fromhex(colour[1:])
    steps = (0, 95, 135, 175, 215, 255)
    for number in range(216):
        made += bytes((steps[number // 36], steps[number // 6 % 6], steps[number % 6]))
    for number in range(24):
        made += bytes([8 + 10 * number] * 3)
    return bytes(made)
