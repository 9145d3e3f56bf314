"""The keys and pastes a human sends into a terminal: passed at once, or kept while a post is typed."""

import re
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Future

from pullcept.pty.terminal import Terminal

# Escape as programs get it: plain, or from an enhanced keyboard they switched on.
ESCAPES = frozenset({b"\x1b", b"\x1b[27u", b"\x1b[27;1u"})
ENTER = b"\r"

BETWEEN_KEYS = 0.02
AROUND_ENTER = 0.15
AFTER_ESCAPE = 0.3
AFTER_PASSED_ESCAPE = 0.15
QUIET = 0.3

_REPORT = re.compile(rb"(?:\x1b\[<[0-9;]+[Mm]|\x1b\[[0-9;]+M|\x1b\[M[\s\S]{3}|\x1b\[[IO])+")


def is_report(data: bytes) -> bool:
    """Whether these bytes only report the mouse or the focus: no key of the human, passed at any time."""
    return _REPORT.fullmatch(data) is not None


def gap_after(before: bytes, after: bytes | None) -> float:
    """Seconds between two kept keys, so that the program takes them as two. `after` None: none is known yet."""
    if before in ESCAPES:
        return AFTER_ESCAPE
    return AROUND_ENTER if ENTER in (before, after) else BETWEEN_KEYS


class HumanKeys:
    """Keys on their way into one terminal, in the order in which they were pressed; none is dropped.

    One exception to the order: the first Escape inside a post goes at once, between two pieces of it. Kept, it
    would later cancel that very post.
    """

    def __init__(
        self,
        terminal: Terminal,
        sleep: Callable[[float], Awaitable[None]],
        clock: Callable[[], float],
        on_keys: Callable[[bytes], None],
        on_kept: Callable[[], None],
    ) -> None:
        self._terminal, self._sleep, self._clock = terminal, sleep, clock
        self._on_keys, self._on_kept = on_keys, on_kept
        self._kept: deque[bytes] = deque()
        self._keeping = False
        self._passing = False
        self._escape_may_pass = False
        self._escape: tuple[Future[None], float] | None = None
        self._quiet_at = 0.0
        self._passed_at = float("-inf")

    def take(self, data: bytes) -> None:
        """One key press or paste."""
        if is_report(data):
            self._terminal.write(data)
        elif self._keeping and self._escape_may_pass and data in ESCAPES:
            self._escape_may_pass = False
            self._escape = self._pass(data), self._clock()
        elif self._keeping or self._passing or self._kept or self._enter_in(data) > 0:
            self._kept.append(data)
            self._on_kept()
        else:
            self._pass(data)

    def line_up(self, keys: Iterable[bytes]) -> None:
        """Keys the person asked for by a button: passed behind those kept, far enough from each other."""
        self._kept.extend(keys)
        self._on_kept()

    @property
    def are_waiting(self) -> bool:
        """Whether kept keys wait to be passed on."""
        return bool(self._kept)

    def quiet_in(self) -> float:
        """Seconds until a post may follow the last key; 0 when it may now."""
        return max(0.0, self._quiet_at - self._clock())

    def keep(self, *, escape_may_pass: bool) -> None:
        """Keep keys from now on."""
        self._keeping, self._escape_may_pass = True, escape_may_pass

    def keep_escape(self) -> None:
        """From now on Escape is kept like any other key."""
        self._escape_may_pass = False

    def release(self) -> None:
        """Keep no more keys; those kept are passed on by `pass_kept`."""
        self._keeping = self._escape_may_pass = False

    def drop(self) -> None:
        """Forget the kept keys: the program they were for is gone."""
        self._kept.clear()

    async def pass_kept(self) -> None:
        """Pass kept keys on, far enough from each other. Keys pressed meanwhile follow them."""
        self._passing = True
        try:
            while self._kept:
                if (left := self._enter_in(self._kept[0])) > 0:
                    await self._sleep(left)
                data = self._kept.popleft()
                self._pass(data)
                await self._sleep(gap_after(data, self._kept[0] if self._kept else None))
        finally:
            self._passing = False

    async def settle_escape(self) -> None:
        """Wait until an Escape that was passed inside a post cannot run into the next piece of it."""
        while self._escape is not None:
            future, passed_at = self._escape
            self._escape = None
            while not future.done():
                await self._sleep(BETWEEN_KEYS)
                passed_at = self._clock()
            await self._sleep(max(0.0, passed_at + AFTER_PASSED_ESCAPE - self._clock()))

    def _enter_in(self, data: bytes) -> float:
        """Seconds until Enter may follow the last key: what a CLI reads together with text, it takes for a line break
        or drops, and the line stays in its box although the person sent it."""
        return max(0.0, self._passed_at + AROUND_ENTER - self._clock()) if data == ENTER else 0.0

    def _pass(self, data: bytes) -> Future[None]:
        self._passed_at = self._clock()
        self._quiet_at = self._clock() + QUIET
        self._on_keys(data)
        return self._terminal.write(data)
