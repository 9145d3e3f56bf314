"""Whether an Enter belongs to an input method that is composing, told from the key events alone.

Most systems keep the keys of a composition to themselves; what reaches a window is uneven. An Enter
is the input method's while a marked text is open, when it carries no character, and right behind a
committed text of several characters.
"""

COMMIT_QUIET = 0.05
INPUT_METHOD_KEYCODE = 229


class Composing:
    """Fed with every key; asked at Enter. Times are seconds of a steady clock."""

    def __init__(self) -> None:
        self._marked = False
        self._committed_at = float("-inf")

    def start(self) -> None:
        """A marked (not yet committed) text appeared."""
        self._marked = True

    def end(self, now: float) -> None:
        """The marked text was committed or dropped."""
        self._marked = False
        self._committed_at = now

    def key(self, keysym: str, char: str, keycode: int, now: float) -> None:
        """A key other than Enter."""
        if len(char) > 1 or keycode == INPUT_METHOD_KEYCODE or (keysym == "??" and char > "\x7f"):
            self._committed_at = now

    def allows_enter(self, char: str, keycode: int, now: float) -> bool:
        """Whether this Enter is the person's own."""
        if self._marked or keycode == INPUT_METHOD_KEYCODE or char not in {"\r", "\n"}:
            return False
        return now - self._committed_at >= COMMIT_QUIET
