"""Draws the demo agent: lines that scroll, and an input box below them that is redrawn in place."""

import re
import unicodedata
from collections import deque

KEPT_LINES = 200
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Box:
    """Gives the text to write; never writes itself. Every row it gives is narrower than the terminal."""

    def __init__(self, title: str, columns: int, rows: int) -> None:
        self.title = title
        self._columns = max(20, columns)
        self._rows = max(6, rows)
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._typed = ""

    def start(self) -> str:
        """Switch bracketed paste on and draw the empty box."""
        return f"\x1b[?2004h{self._frame()}"

    def end(self) -> str:
        """Leave the lines and take the box and the paste mode away."""
        return f"{self._home()}\x1b[?2004l"

    def resize(self, columns: int, rows: int) -> str:
        """Everything anew, because the terminal may have wrapped what was there."""
        self._columns, self._rows = max(20, columns), max(6, rows)
        kept = [row for line in self._lines for row in wrap(line, self._columns - 1)]
        shown = "".join(f"{row}\r\n" for row in kept[-(self._rows - 4) :])
        return f"\x1b[2J\x1b[H{shown}{self._frame()}"

    def add(self, text: str) -> str:
        """One or more lines above the box."""
        rows: list[str] = []
        for line in _CONTROL.sub("", text.replace("\t", "    ")).split("\n"):
            self._lines.append(line)
            rows += wrap(line, self._columns - 1)
        return f"{self._home()}{''.join(f'{row}\r\n' for row in rows)}{self._frame()}"

    def show_typed(self, typed: str) -> str:
        """The box with other text in it."""
        self._typed = typed
        return f"{self._home()}{self._frame()}"

    def _home(self) -> str:
        """From the input row to the first column of the box's first row, everything below cleared."""
        return "\r\x1b[1A\x1b[J"

    def _frame(self) -> str:
        inside = self._columns - 5
        head = fit(f" {self.title} ", inside)
        shown = fit_end(self._typed.replace("\n", " \u23ce ").replace("\t", " "), inside - 3)
        top = f"+-{head}{'-' * (inside - width(head))}-+"
        middle = f"| > {shown}{' ' * (inside - 2 - width(shown))} |"
        bottom = f"+-{'-' * inside}-+"
        return f"{top}\r\n{middle}\r\n{bottom}\x1b[1A\r\x1b[{4 + width(shown)}C"


def width(text: str) -> int:
    """Columns the text takes in a terminal."""
    return sum(_width(char) for char in text)


def wrap(line: str, columns: int) -> list[str]:
    """The line in rows of at most so many columns; at least one row."""
    rows, row, used = [], "", 0
    for char in line:
        if used + _width(char) > columns:
            rows.append(row)
            row, used = "", 0
        row += char
        used += _width(char)
    return [*rows, row]


def fit(text: str, columns: int) -> str:
    """The beginning of the text that fits."""
    return wrap(_CONTROL.sub("", text), columns)[0]


def fit_end(text: str, columns: int) -> str:
    """The end of the text that fits."""
    kept, used = "", 0
    for char in reversed(_CONTROL.sub("", text[-columns * 2 :])):
        used += _width(char)
        if used > columns:
            break
        kept = char + kept
    return kept


def _width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in {"Cf", "Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1
