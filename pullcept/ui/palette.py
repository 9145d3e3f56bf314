"""Colours by meaning: roles for the ground, eight hues for participants, sixteen for the terminal."""

import functools
import json
import unicodedata
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ThemeName = Literal["light", "dark"]
OWN_COLOUR = "blue"
TOKENS = Path(__file__).with_name("tokens.json")
CODE_COLOURS: Mapping[ThemeName, Mapping[str, str]] = {
    "light": {"keyword": "#8A3FA8", "name": "#1F62B5", "comment": "#5F6B7A", "value": "#A2480F"},
    "dark": {"keyword": "#D3A5EA", "name": "#8FBDF5", "comment": "#939BA9", "value": "#EBB086"},
}


@dataclass(frozen=True, slots=True)
class PersonColours:
    """One participant's colours: `text` name, `solid` dots, `line` outline, `tint` avatar, `bubble` own rows."""

    text: str
    solid: str
    line: str
    tint: str
    bubble: str


@dataclass(frozen=True, slots=True)
class Palette:
    """All colours of one theme as `#RRGGBB`. `ansi`: the terminal's sixteen, in the order of their numbers."""

    name: ThemeName
    role: Mapping[str, str]
    person: Mapping[str, PersonColours]
    code: Mapping[str, str]
    ansi: tuple[str, ...]
    hues: Mapping[str, int]

    def of_account(self, kind: str, hue: int | None, name: str) -> str:
        """The name of an account's colour; the person's is blue unless another was chosen."""
        return OWN_COLOUR if hue is None and kind == "admin" else self.colour_name(hue, name)

    def of(self, hue: int | None, name: str) -> PersonColours:
        """The colours of a participant: the declared hue, else one chosen by the name."""
        return self.person[self.colour_name(hue, name)]

    def colour_name(self, hue: int | None, name: str) -> str:
        """The name of the nearest of the eight colours; a name never picks the person's own."""
        if hue is not None:
            return min(self.hues, key=lambda colour: _distance(self.hues[colour], hue))
        choices = [colour for colour in self.hues if colour != OWN_COLOUR]
        folded = unicodedata.normalize("NFKC", name).casefold().encode("utf-8", "replace")
        return choices[zlib.crc32(folded) % len(choices)]


def _distance(one: int, other: int) -> int:
    away = abs(one - other) % 360
    return min(away, 360 - away)


@functools.cache
def palette(name: ThemeName) -> Palette:
    """The palette of a theme, read once from the design tokens."""
    tokens = json.loads(TOKENS.read_text(encoding="utf-8"))
    people = {colour: PersonColours(**values) for colour, values in tokens[name]["person"].items()}
    return Palette(
        name=name,
        role=tokens[name]["role"],
        person=people,
        code=CODE_COLOURS[name],
        ansi=tuple(tokens["ansi"].values()),
        hues=tokens["hues"],
    )
