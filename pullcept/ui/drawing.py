"""Round shapes with soft edges for Tk: pixels computed here, kept as images by the theme."""

import math


def rgb(colour: str) -> tuple[int, int, int]:
    """The parts of `#RRGGBB`."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def blend(over: str, under: str, part: float) -> str:
    """`part` (0 to 1) of one colour over another."""
    mixed = (round(top * part + below * (1 - part)) for top, below in zip(rgb(over), rgb(under), strict=True))
    return "#{:02X}{:02X}{:02X}".format(*mixed)


def disc(size: int, colour: str, ground: str, *, ring: float = 0.0) -> list[list[str]]:
    """A disc of `size` pixels, or a ring of that many pixels when `ring` is given, on its ground."""
    radius, middle = size / 2, (size - 1) / 2
    rows = []
    for y in range(size):
        line = []
        for x in range(size):
            away = math.hypot(x - middle, y - middle)
            part = _cover(radius - away)
            if ring:
                part = min(part, _cover(away - (radius - ring)))
            line.append(blend(colour, ground, part))
        rows.append(line)
    return rows


def _cover(inside: float) -> float:
    return max(0.0, min(1.0, inside + 0.5))


def diamond(size: int, colour: str, ground: str) -> list[list[str]]:
    """A square on its corner."""
    middle = (size - 1) / 2
    return [
        [blend(colour, ground, _cover(size / 2 - abs(x - middle) - abs(y - middle) + 0.4)) for x in range(size)]
        for y in range(size)
    ]


def square(size: int, colour: str, ground: str) -> list[list[str]]:
    """A square with a little room around it."""
    edge = max(1, size // 8)
    return [
        [colour if edge <= x < size - edge and edge <= y < size - edge else ground for x in range(size)]
        for y in range(size)
    ]


def half(size: int, colour: str, ground: str) -> list[list[str]]:
    """A ring whose right half is filled."""
    full, ring = disc(size, colour, ground), disc(size, colour, ground, ring=max(1.5, size / 6))
    return [[full[y][x] if x >= size / 2 else ring[y][x] for x in range(size)] for y in range(size)]


def avatar(size: int, tint: str, ground: str, mark: str = "none", mark_colour: str = "") -> list[list[str]]:
    """An avatar's disc; with a mark, a cut-out at the lower right holds it."""
    rows = disc(size, tint, ground)
    if mark == "none":
        return rows
    badge = max(8, round(size * 14 / 32))
    _paste(rows, disc(badge, ground, ground), size - badge, cut=True)
    inner = badge - max(2, round(badge / 4))
    shapes = {
        "ring": lambda: disc(inner, mark_colour, ground, ring=max(1.5, inner / 5)),
        "full": lambda: disc(inner, mark_colour, ground),
        "diamond": lambda: diamond(inner, mark_colour, ground),
        "half": lambda: half(inner, mark_colour, ground),
        "square": lambda: square(inner, mark_colour, ground),
    }
    _paste(rows, shapes[mark](), size - badge + (badge - inner) // 2, cut=False)
    return rows


def _paste(rows: list[list[str]], piece: list[list[str]], at: int, *, cut: bool) -> None:
    size = len(piece)
    middle = (size - 1) / 2
    for y, line in enumerate(piece):
        for x, colour in enumerate(line):
            if not cut or math.hypot(x - middle, y - middle) <= size / 2:
                rows[at + y][at + x] = colour
