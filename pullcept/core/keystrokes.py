"""What the bytes of one key press or paste mean for an input box: text, a key that takes text away, or nothing.

Keys that remove or send count only when they are alone in their write: CLIs drop them from the middle of a chunk,
and taking a full box for an empty one is the mistake that may not happen.
"""

import codecs
import re
from dataclasses import dataclass
from enum import StrEnum

PASTE_BEGIN, PASTE_END = b"\x1b[200~", b"\x1b[201~"


class Stroke(StrEnum):
    """The effect of a stroke on the box. `RECALL`: text may come in that nobody typed. `STASH`: text may be put aside
    and come back with the next send. `MOVE`: the cursor goes."""

    TEXT = "text"
    PASTE = "paste"
    ENTER = "enter"
    BACKSPACE = "backspace"
    WORD_BACK = "word_back"
    LINE_BACK = "line_back"
    INTERRUPT = "interrupt"
    ESCAPE = "escape"
    RECALL = "recall"
    STASH = "stash"
    MOVE = "move"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Keystroke:
    """One stroke; `text` is what it adds (LF for every line end)."""

    stroke: Stroke
    text: str = ""


_NOTHING = Keystroke(Stroke.NOTHING)
_ALONE_ONLY = frozenset(
    {Stroke.ENTER, Stroke.BACKSPACE, Stroke.WORD_BACK, Stroke.LINE_BACK, Stroke.INTERRUPT, Stroke.ESCAPE}
)
_CONTROLS = {
    "\r": Stroke.ENTER,
    "\x7f": Stroke.BACKSPACE,
    "\x08": Stroke.BACKSPACE,
    "\x17": Stroke.WORD_BACK,
    "\x15": Stroke.LINE_BACK,
    "\x03": Stroke.INTERRUPT,
    "\x1b": Stroke.ESCAPE,
    **dict.fromkeys("\x01\x02\x05\x06", Stroke.MOVE),
    **dict.fromkeys("\x00\x04\x0b\x0c\x0f\x14", Stroke.NOTHING),
    "\x13": Stroke.STASH,
    # Tab, Ctrl+G N P Q R V X Y Z and the rest: recall, completion, yank, editor, undo, images.
    **dict.fromkeys("\t\x07\x0e\x10\x11\x12\x16\x18\x19\x1a\x1c\x1d\x1e\x1f", Stroke.RECALL),
}
_RECALLS_IN_CHUNK = re.compile("[\x07\x0e\x10-\x13\x16\x18-\x1a\x1c-\x1f]")
_DROPPED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TOKEN = re.compile(
    rb"(?P<mouse>\x1b\[M[\s\S]{3})|(?P<csi>\x1b\[[0-?]*[ -/]*[@-~])|\x1bO(?P<ss3>[ -~])"
    rb"|(?P<string>\x1b[P\]X^_][^\x07\x1b]*(?:\x07|\x1b\\))"
    rb"|\x1b(?P<alt>[\x00-\x1a\x1c-\x7f]|[\xc0-\xff][\x80-\xbf]*)|(?P<lone>\x1b)|(?P<text>[^\x1b]+)"
)
_CSI = re.compile(rb"\x1b\[([0-9:;]*)([A-Za-z~])")
_SHIFT, _ALT, _CTRL = 1, 2, 4
_MODIFIERS = 0x3F
_KEYPAD_TEXT = {57399 + digit: str(digit) for digit in range(10)} | {
    57409: ".", 57410: "/", 57411: "*", 57412: "-", 57413: "+", 57415: "=", 57416: ",",
}  # fmt: skip
_KEYPAD_MOVES = {57417: "D", 57418: "C", 57419: "A", 57420: "B", 57423: "H", 57424: "F"}
_ARROWS = dict.fromkeys("AB", Stroke.RECALL) | dict.fromkeys("CDHF", Stroke.MOVE)
_MOVING_NUMBERS = (1, 4, 7, 8)


class KeyReader:
    """Reads the writes of one pane in their order. A paste or a character may be cut between two writes."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace")
        self._paste: bytes | None = None

    @property
    def is_open(self) -> bool:
        """Whether a paste or a character has begun and not ended: something is in the box that is not counted yet."""
        return self._paste is not None or bool(self._decode.getstate()[0])

    def read(self, data: bytes) -> tuple[Keystroke, ...]:
        """The strokes of one write. Never raises."""
        if self._paste is None and not self.is_open and (alone := _alone(data)):
            return (alone,)
        strokes: list[Keystroke] = []
        while data:
            data = self._read_paste(data, strokes) if self._paste is not None else self._read_keys(data, strokes)
        return tuple(strokes)

    def _read_paste(self, data: bytes, strokes: list[Keystroke]) -> bytes:
        whole, end, rest = ((self._paste or b"") + data).partition(PASTE_END)
        if not end:
            self._paste = whole
            return b""
        self._paste = None
        if text := _clean(whole.decode("utf-8", "replace")):
            strokes.append(Keystroke(Stroke.PASTE, text))
        return rest

    def _read_keys(self, data: bytes, strokes: list[Keystroke]) -> bytes:
        keys, begin, rest = data.partition(PASTE_BEGIN)
        for found in _TOKEN.finditer(keys):
            if found["text"] is not None:
                strokes.extend(self._chunk(found["text"]))
            elif (stroke := _sequence(found)).stroke not in _ALONE_ONLY:
                strokes.append(stroke)
        if begin:
            self._paste = b""
        return rest

    def _chunk(self, data: bytes) -> tuple[Keystroke, ...]:
        raw = self._decode.decode(data)
        text = _clean(raw)
        strokes = [Keystroke(Stroke.RECALL)] if _RECALLS_IN_CHUNK.search(raw) else []
        return (*strokes, Keystroke(Stroke.TEXT, text)) if text else tuple(strokes)


def _alone(data: bytes) -> Keystroke | None:
    """The key that a write consists of, when it is one that needs to be alone (or one plain control)."""
    if len(data) == 1 and (stroke := _CONTROLS.get(data.decode("latin-1"))):
        return Keystroke(stroke)
    found = _TOKEN.fullmatch(data) if data.startswith(b"\x1b") and data != PASTE_BEGIN else None
    return _sequence(found) if found else None


def _sequence(found: re.Match[bytes]) -> Keystroke:
    if found["csi"] is not None:
        return _csi(found["csi"])
    if found["ss3"] is not None:
        return Keystroke(_ARROWS.get(found["ss3"].decode("latin-1"), Stroke.NOTHING))
    if found["alt"] is not None:
        return _alt(found["alt"].decode("utf-8", "replace"))
    return _NOTHING


def _alt(char: str) -> Keystroke:
    if char in ("\r", "\n"):
        return Keystroke(Stroke.TEXT, "\n")
    if char in ("b", "f"):
        return Keystroke(Stroke.MOVE)
    return Keystroke(Stroke.RECALL) if char in ("v", "V") else _NOTHING


def _csi(data: bytes) -> Keystroke:
    found = _CSI.fullmatch(data)
    if found is None:
        return _NOTHING
    final = found[2].decode("ascii")
    fields = [_numbers(field) for field in found[1].split(b";")]
    modifiers, event = _modifiers(fields)
    if event == 3:  # the key went up
        return _NOTHING
    first = fields[0][0]
    if final == "u":
        return _enhanced(first, modifiers, fields)
    if final == "~":
        if first == 27 and len(fields) == 3:
            return _enhanced(fields[2][0], modifiers, fields[:2])
        return Keystroke(Stroke.MOVE) if first in _MOVING_NUMBERS else _NOTHING
    return Keystroke(_ARROWS.get(final, Stroke.NOTHING))


def _numbers(field: bytes) -> list[int]:
    return [int(number[:9]) if number else 0 for number in field.split(b":")]


def _modifiers(fields: list[list[int]]) -> tuple[int, int]:
    if len(fields) < 2:
        return 0, 1
    event = fields[1][1] if len(fields[1]) > 1 else 1
    return (fields[1][0] - 1) & _MODIFIERS if fields[1][0] else 0, event


def _enhanced(code: int, modifiers: int, fields: list[list[int]]) -> Keystroke:
    """A key of an enhanced keyboard: its code point and what was held with it."""
    if code in _KEYPAD_MOVES:
        return Keystroke(_ARROWS[_KEYPAD_MOVES[code]])
    if code == 13:
        return _enhanced_enter(modifiers)
    if modifiers == _CTRL and 64 <= code <= 127:
        return Keystroke(_CONTROLS.get(chr(code & 0x1F), Stroke.RECALL)) if code != 127 else _NOTHING
    if modifiers == _ALT:
        return _alt(chr(code)) if code < 128 else _NOTHING
    if modifiers & ~_SHIFT:
        return _NOTHING
    if code in (8, 127):
        return Keystroke(Stroke.BACKSPACE)
    if code in (9, 27):
        return Keystroke(Stroke.RECALL if code == 9 else Stroke.ESCAPE) if not modifiers else _NOTHING
    return _enhanced_text(code, fields)


def _enhanced_enter(modifiers: int) -> Keystroke:
    if not modifiers:
        return Keystroke(Stroke.ENTER)
    return Keystroke(Stroke.TEXT, "\n") if modifiers in (_SHIFT, _ALT) else Keystroke(Stroke.RECALL)


def _enhanced_text(code: int, fields: list[list[int]]) -> Keystroke:
    codes = fields[2] if len(fields) > 2 else fields[0][1:2] if len(fields[0]) > 1 and fields[0][1] else [code]
    if code in _KEYPAD_TEXT:
        return Keystroke(Stroke.TEXT, _KEYPAD_TEXT[code])
    if 0xE000 <= code <= 0xF8FF:  # keys without text: lock keys, media keys, function keys
        return _NOTHING
    text = _clean("".join(chr(each) for each in codes if each <= 0x10FFFF and not 0xD800 <= each <= 0xDFFF))
    return Keystroke(Stroke.TEXT, text) if text else _NOTHING


def _clean(text: str) -> str:
    """Text as a box keeps it: LF for every line end, no control character but LF and TAB."""
    return _DROPPED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
