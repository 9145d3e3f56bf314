"""Line and block characters as strokes and boxes, so that they join whatever the font does with them."""

from collections.abc import Mapping
from functools import cache

Box = tuple[float, float, float, float]
"""Left, top, right, bottom as parts of the cell."""

LIGHT, HEAVY = 1, 2
_ARMS = {
    "─": "l r", "│": "u d", "┌": "r d", "┐": "l d", "└": "r u", "┘": "l u", "├": "u d r", "┤": "u d l",
    "┬": "l r d", "┴": "l r u", "┼": "l r u d", "╭": "r d", "╮": "l d", "╰": "r u", "╯": "l u",
    "╴": "l", "╵": "u", "╶": "r", "╷": "d",
    "━": "L R", "┃": "U D", "┏": "R D", "┓": "L D", "┗": "R U", "┛": "L U", "┣": "U D R", "┫": "U D L",
    "┳": "L R D", "┻": "L R U", "╋": "L R U D", "╸": "L", "╹": "U", "╺": "R", "╻": "D",
    "═": "L R", "║": "U D", "╔": "R D", "╗": "L D", "╚": "R U", "╝": "L U", "╠": "U D R", "╣": "U D L",
    "╦": "L R D", "╩": "L R U", "╬": "L R U D", "┝": "u d R", "┥": "u d L", "┠": "U D r", "┨": "U D l",
    "╞": "u d R", "╡": "u d L", "╟": "U D r", "╢": "U D l", "┄": "l r", "┈": "l r", "╌": "l r", "┆": "u d",
}  # fmt: skip
_BLOCKS: Mapping[str, tuple[Box, ...]] = {
    "█": ((0, 0, 1, 1),), "▀": ((0, 0, 1, 0.5),), "▄": ((0, 0.5, 1, 1),), "▌": ((0, 0, 0.5, 1),),
    "▐": ((0.5, 0, 1, 1),), "▔": ((0, 0, 1, 0.125),), "▕": ((0.875, 0, 1, 1),), "▘": ((0, 0, 0.5, 0.5),),
    "▝": ((0.5, 0, 1, 0.5),), "▖": ((0, 0.5, 0.5, 1),), "▗": ((0.5, 0.5, 1, 1),),
    "▙": ((0, 0, 0.5, 1), (0.5, 0.5, 1, 1)), "▛": ((0, 0, 1, 0.5), (0, 0.5, 0.5, 1)),
    "▜": ((0, 0, 1, 0.5), (0.5, 0.5, 1, 1)), "▟": ((0.5, 0, 1, 1), (0, 0.5, 0.5, 1)),
    "▚": ((0, 0, 0.5, 0.5), (0.5, 0.5, 1, 1)), "▞": ((0.5, 0, 1, 0.5), (0, 0.5, 0.5, 1)),
    **{chr(0x2580 + eighths): ((0, 1 - eighths / 8, 1, 1),) for eighths in (1, 2, 3, 5, 6, 7)},
    **{chr(0x2590 - eighths): ((0, 0, eighths / 8, 1),) for eighths in (1, 2, 3, 5, 6, 7)},
}  # fmt: skip


def is_drawn(character: str) -> bool:
    """Whether a character is drawn here instead of by a font."""
    return character in _ARMS or character in _BLOCKS


@cache
def boxes(character: str, width: int, height: int) -> tuple[tuple[int, int, int, int], ...]:
    """The filled boxes of a character in a cell of that many pixels; right and bottom are not included."""
    if character in _BLOCKS:
        return tuple(
            (round(left * width), round(top * height), round(right * width), round(bottom * height))
            for left, top, right, bottom in _BLOCKS[character]
        )
    return tuple(_arm(arm, width, height) for arm in _ARMS[character].split())


def _arm(arm: str, width: int, height: int) -> tuple[int, int, int, int]:
    thick = max(1, round(height / 18)) * (HEAVY if arm.isupper() else LIGHT)
    x, y = (width - thick) // 2, (height - thick) // 2
    return {
        "l": (0, y, x + thick, y + thick),
        "r": (x, y, width, y + thick),
        "u": (x, 0, x + thick, y + thick),
        "d": (x, y, x + thick, height),
    }[arm.lower()]
