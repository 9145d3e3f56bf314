"""What a terminal shows at one moment, ready for a painter: rows of runs on a grid of cells."""

from collections.abc import Sequence
from dataclasses import dataclass

import evp

type RGB = tuple[int, int, int]
type Color = int | RGB | None
"""None: the terminal's default colour; a number: an entry of the palette; else red, green, blue."""


@dataclass(frozen=True, slots=True)
class Style:
    """How cells are drawn. `underline`: 0 none, 1 single, 2 double, 3 curly, 4 dotted, 5 dashed."""

    foreground: Color = None
    background: Color = None
    underline_color: Color = None
    bold: bool = False
    italic: bool = False
    faint: bool = False
    blink: bool = False
    inverse: bool = False
    invisible: bool = False
    strikethrough: bool = False
    overline: bool = False
    underline: int = 0

    @property
    def marks_blanks(self) -> bool:
        """Whether even a blank in this style leaves something to draw."""
        lines = self.underline or self.strikethrough or self.overline
        return self.background is not None or self.inverse or bool(lines)


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring cells of one style.

    `column`: the first cell; `width`: cells it takes; `cell_width`: 1, or 2 for wide characters. Either each
    character of `text` takes one `cell_width`, or the run is a single cluster of several characters.
    """

    column: int
    width: int
    text: str
    style: Style
    cell_width: int = 1


type Row = tuple[Run, ...]
"""The runs of one row from left to right; cells that show nothing but the background are left out."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the cursor stands. `shape`: block, underline or bar."""

    column: int
    row: int
    wide: bool = False
    shape: str = "block"
    blinks: bool = True


@dataclass(frozen=True, slots=True)
class TerminalFrame:
    """One picture. A row that did not change is the same object as in the frame before, also after a scroll.

    `cursor` is None while it is hidden or out of view. `scrolled_back`: whether rows of the past are shown.
    `palette`: 256 times red, green, blue.
    """

    columns: int
    rows: tuple[Row, ...]
    cursor: Cursor | None
    foreground: RGB
    background: RGB
    palette: bytes
    title: str
    revision: int
    scrolled_back: bool = False

    def changed_rows(self, before: "TerminalFrame | None") -> list[int]:
        """The indices of the rows that must be drawn anew when `before` is on the screen."""
        if before is None or before.columns != self.columns or len(before.rows) != len(self.rows):
            return list(range(len(self.rows)))
        return [index for index, row in enumerate(self.rows) if row is not before.rows[index]]


def style_of(style: evp.Style) -> Style:
    """Our copy of the engine's style."""
    return Style(
        style.foreground,
        style.background,
        style.underline_color,
        style.bold,
        style.italic,
        style.faint,
        style.blink,
        style.inverse,
        style.invisible,
        style.strikethrough,
        style.overline,
        style.underline,
    )


def row_of(row: evp.Row, styles: Sequence[Style]) -> Row:
    """The runs of an engine row, whose style numbers are indices of `styles`."""
    graphemes, widths, numbers = row.graphemes, row.widths, row.styles
    runs: list[Run] = []
    column, columns = 0, len(graphemes)
    while column < columns:
        end = _run_end(graphemes, widths, numbers, column)
        run = _run(graphemes[column:end], column, end, widths[column], styles[numbers[column]])
        if run is not None:
            runs.append(run)
        column = end
    return tuple(runs)


def _run_end(graphemes: Sequence[str], widths: bytes, numbers: Sequence[int], start: int) -> int:
    step = widths[start] or 1
    end = start + step
    if len(graphemes[start]) != 1:
        return min(end, len(graphemes))
    number, width = numbers[start], widths[start]
    while end < len(graphemes) and numbers[end] == number and widths[end] == width and len(graphemes[end]) == 1:
        end += step
    return min(end, len(graphemes))


def _run(cells: Sequence[str], start: int, end: int, width: int, style: Style) -> Run | None:
    text = "".join(cells)
    if not style.marks_blanks:
        text = text.rstrip(" ")
        if not text:
            return None
        if width == 1 and len(cells[0]) == 1:
            end = start + len(text)
    return Run(start, end - start, text, style, width or 1)
