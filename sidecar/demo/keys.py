"""What a terminal in raw mode sends, as keys. Cut anywhere: in an escape sequence, a character, a paste's end."""

import codecs
import re
from dataclasses import dataclass

PASTE_BEGIN, PASTE_END = b"\x1b[200~", b"\x1b[201~"
_SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[^\[O\x1b])")
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")
_CONTROLS = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Text:
    """Characters for the input box, typed or pasted."""

    text: str


@dataclass(frozen=True, slots=True)
class Key:
    """A control key: `\\r` sends, `\\x7f` takes back, `\\x03`, `\\x04` and `\\x15` as in any terminal."""

    char: str


class KeyReader:
    """Feed it bytes as they come; it keeps what is not complete yet."""

    def __init__(self) -> None:
        self._bytes = b""
        self._is_pasting = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> list[Text | Key]:
        """The keys that are complete now, in order."""
        self._bytes += data
        keys: list[Text | Key] = []
        while self._bytes:
            before = self._bytes
            if self._is_pasting:
                self._take_paste(keys)
            else:
                self._take_typed(keys)
            if self._bytes == before:
                break
        return keys

    def _take_paste(self, keys: list[Text | Key]) -> None:
        end = self._bytes.find(PASTE_END)
        if end < 0:
            # The last bytes may be the beginning of the paste's end.
            end = max(0, len(self._bytes) - len(PASTE_END) + 1)
            self._add_text(keys, self._bytes[:end].replace(b"\r", b"\n"))
            self._bytes = self._bytes[end:]
            return
        self._add_text(keys, self._bytes[:end].replace(b"\r", b"\n"))
        self._bytes = self._bytes[end + len(PASTE_END) :]
        self._is_pasting = False

    def _take_typed(self, keys: list[Text | Key]) -> None:
        control = _CONTROLS.search(self._bytes)
        if control is None or control.start() > 0:
            end = len(self._bytes) if control is None else control.start()
            self._add_text(keys, self._bytes[:end])
            self._bytes = self._bytes[end:]
        elif self._bytes[:1] != b"\x1b":
            keys.append(Key(self._bytes[:1].decode("ascii")))
            self._bytes = self._bytes[1:]
        elif self._bytes.startswith(PASTE_BEGIN):
            self._is_pasting = True
            self._bytes = self._bytes[len(PASTE_BEGIN) :]
        elif _UNFINISHED.match(self._bytes) and len(self._bytes) < 64:
            return
        else:
            found = _SEQUENCE.match(self._bytes)
            self._bytes = self._bytes[found.end() if found else 1 :]

    def _add_text(self, keys: list[Text | Key], data: bytes) -> None:
        text = self._decoder.decode(data)
        if not text:
            return
        if keys and isinstance(keys[-1], Text):
            text = keys.pop().text + text  # type: ignore[union-attr]
        keys.append(Text(text))
