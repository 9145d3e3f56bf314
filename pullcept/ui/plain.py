"""Text for labels and lists: one line, without what moves the cursor or turns the direction."""

import re

_CONTROLS = re.compile("[\x00-\x1f\x7f\ud800-\udfff\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
LONGEST = 400


def one_line(text: str) -> str:
    """At most so much of a text that a label could show, as one line."""
    return " ".join(_CONTROLS.sub(" ", text[:LONGEST]).split())
