"""The screen of one terminal: bytes in, pictures and replies out. The engine (evp) stays behind this file."""

import logging
import re
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import evp

from pullcept.term.frame import RGB, Cursor, Row, Style, TerminalFrame, row_of, style_of
from pullcept.term.keys import key_press
from pullcept.term.reports import OscScanner, Report

log = logging.getLogger(__name__)

SCROLLBACK_ROWS = 5_000
HOLD_LIMIT = 0.3
SNAPSHOT_GAP = 0.012
STYLES_LIMIT = 20_000
BYTES_PER_CELL = 12
WIDEST_KEPT = 160
MIN_SIZE, MAX_SIZE = 2, 1000

BRACKETED_PASTE, SYNCHRONIZED, GRAPHEMES, ALTERNATE = 2004, 2026, 2027, 1049
MOUSE_MODES = (9, 1000, 1002, 1003)

_SYNC_BEGIN, _SYNC_END = b"\x1b[?2026h", b"\x1b[?2026l"
# What the engine does not tell about, or undoes: cursor shapes, resets, the end of grapheme clusters.
_WATCHED = re.compile(rb"\x1b\[([0-6]?) q|\x1bc|\x1b\[!p|\x1b\[\?2027l")
_WATCHED_LENGTH = 8
_SHAPES = {b"3": "underline", b"4": "underline", b"5": "bar", b"6": "bar"}
# Ends every string, leaves the alternate screen, and switches off what a program may leave on when it dies.
_AFTER_EXIT = (
    b"\x1b\\\x1b[?2026l\x1b[?1049l\x1b[?47l\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l"
    b"\x1b[?1015l\x1b[?1016l\x1b[?2004l\x1b[?2031l\x1b[?2048l\x1b[?1l\x1b[?66l\x1b>\x1b[>4;0m\x1b[<99u\x1b[=0;1u"
    b"\x1b[?6l\x1b[?7h\x1b[4l\x1b[0m\x1b(B\x0f\x1b[?25h\x1b[0 q\x1b]104\x07\x1b]110\x07\x1b]111\x07\x1b]112\x07"
)
# Replies that consist of numbers and fixed words. Others could carry text of the output back as input.
_SAFE_REPLY = re.compile(
    rb"\x1b\[[0-9;:?>=$]*[A-Za-z]"
    rb"|\x1b\](?:4;[0-9]+|1[0-9]);rgb:[0-9a-f/]+(?:\x07|\x1b\\)"
    rb"|\x1bP(?:>\|libghostty|!\|[0-9A-F]*)\x1b\\"
)


@dataclass(frozen=True, slots=True)
class Fed:
    """What came of a piece of output: bytes for the program's input, structured reports, engine trouble."""

    replies: bytes = b""
    reports: tuple[Report, ...] = ()
    error: str = ""


class TerminalCore:
    """One terminal's screen. Every method may be called from any thread; none waits for more than a piece of output."""

    def __init__(
        self,
        columns: int,
        rows: int,
        scrollback: int = SCROLLBACK_ROWS,
        *,
        clock: Callable[[], float] = time.monotonic,
        platform: str = sys.platform,
    ) -> None:
        self._lock = threading.Lock()
        self._clock, self._platform = clock, platform
        self._scrollback = scrollback
        self._size = (max(MIN_SIZE, min(columns, MAX_SIZE)), max(MIN_SIZE, min(rows, MAX_SIZE)))
        self._colors: tuple[RGB, RGB] = ((229, 229, 229), (24, 24, 27))
        self._palette: bytes | None = None
        self._scanner = OscScanner()
        self._replies: list[bytes] = []
        self._revision = 0
        self._bells = 0
        self._cursor_shape = b""
        self._tail = b""
        self._build()

    def _build(self) -> None:
        columns, rows = self._size
        self._terminal = evp.Terminal(
            columns,
            rows,
            max_scrollback_bytes=self._scrollback * max(columns, WIDEST_KEPT) * BYTES_PER_CELL,
            on_write_pty=self._replies.append,
            on_bell=self._count_bell,
            on_color_scheme=self._color_scheme,
        )
        self._encoder = evp.KeyEncoder(self._terminal)
        self._mouse = evp.MouseEncoder(self._terminal, track_last_cell=True)
        self._terminal.set_mode(GRAPHEMES, True)
        self._terminal.set_default_colors(*self._colors)
        if self._palette is not None:
            self._terminal.set_default_palette(self._palette)
        self._frame: TerminalFrame | None = None
        self._hold_until: float | None = None
        self._snapshot_at = 0.0
        self._back = 0
        self._new_state()

    def _new_state(self) -> None:
        # The engine allows one render state for each terminal: the old one must be gone first.
        self._state: evp.RenderState | None = None
        self._state = evp.RenderState(self._terminal)
        self._styles: list[Style] = []
        self._engine_rows: tuple[evp.Row, ...] = ()
        self._rows: dict[int, Row] = {}

    def _count_bell(self) -> None:
        self._bells += 1

    def _color_scheme(self) -> evp.ColorScheme:
        return evp.ColorScheme.DARK if sum(self._colors[1]) < 384 else evp.ColorScheme.LIGHT

    # --- output ---------------------------------------------------------------------------------------------

    def feed(self, data: bytes) -> Fed:
        """Take what the program printed, cut anywhere. Never raises; an engine failure is reported and survived.

        The replies belong on the program's input, also while nobody looks at this terminal.
        """
        with self._lock:
            reports = self._scanner.feed(data)
            error = self._feed_safely(data)
            self._revision += 1
            replies = b"".join(_SAFE_REPLY.findall(b"".join(self._replies)))
            self._replies.clear()
            return Fed(replies, reports, error)

    def _feed_safely(self, data: bytes) -> str:
        try:
            self._feed_engine(data)
        except BaseException as error:
            # A failure inside the engine arrives as a BaseException of its own; only real stop requests pass.
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            return self._begin_anew(error)
        return ""

    def _begin_anew(self, error: BaseException) -> str:
        log.warning("the terminal engine failed; its screen begins anew", exc_info=error)
        self._build()
        return f"the terminal engine failed ({type(error).__name__}); its screen begins anew"

    def _feed_engine(self, data: bytes) -> None:
        end = data.rfind(_SYNC_END)
        if end >= 0:
            self._hold_until = None
            end += len(_SYNC_END)
            if _SYNC_BEGIN in data[end:] and self._clock() - self._snapshot_at >= SNAPSHOT_GAP:
                # The next picture is begun already: keep this one before it is drawn over.
                self._feed_watched(data[:end])
                self._take_frame()
                data = data[end:]
        self._feed_watched(data)
        if not self._terminal.mode(SYNCHRONIZED):
            self._hold_until = None
        elif self._hold_until is None:
            self._hold_until = self._clock() + HOLD_LIMIT

    def _feed_watched(self, data: bytes) -> None:
        """Feed the engine, stopping behind each sequence whose effect must be seen to at once."""
        before, self._tail = self._tail, (self._tail + data)[-_WATCHED_LENGTH:]
        fed = 0
        if b"\x1b" in before or b"\x1b" in data:
            for found in _WATCHED.finditer(before + data):
                end = found.end() - len(before)
                if end > 0:
                    self._terminal.feed(data[fed:end])
                    fed = end
                    self._cursor_shape = found[1] or b""
                    self._terminal.set_mode(GRAPHEMES, True)
        self._terminal.feed(data[fed:])

    def on_exit(self) -> None:
        """The program is gone: its last output stays, the modes it may have left on do not."""
        with self._lock:
            self._scanner.reset()
            self._feed_safely(_AFTER_EXIT)
            self._replies.clear()
            self._cursor_shape = b""
            self._revision += 1

    # --- pictures -------------------------------------------------------------------------------------------

    @property
    def revision(self) -> int:
        """Grows whenever `frame` may give another picture. Cheap: takes no lock."""
        hold = self._hold_until
        if hold is not None and self._clock() >= hold:
            return self._revision + 1
        return self._revision

    @property
    def bells(self) -> int:
        """How often the bell has rung."""
        return self._bells

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return self._size

    def frame(self) -> TerminalFrame:
        """What the terminal shows. While a program draws a synchronized picture, the one before (for a moment)."""
        with self._lock:
            held = self._hold_until is not None and self._clock() < self._hold_until
            if held and self._frame is not None and self._frame.columns == self._size[0]:
                return self._frame
            try:
                return self._take_frame()
            except evp.GhosttyError as error:
                self._begin_anew(error)
                return self._take_frame()

    def _take_frame(self) -> TerminalFrame:
        if len(self._styles) > STYLES_LIMIT:
            self._new_state()
        assert self._state is not None
        frame = self._state.frame()
        self._styles += [style_of(style) for style in frame.new_styles]
        known = self._rows
        self._rows = {id(row): known.get(id(row)) or row_of(row, self._styles) for row in frame.rows}
        # Held so that no other row can get the identity under which ours are remembered.
        self._engine_rows = frame.rows
        self._snapshot_at = self._clock()
        self._frame = TerminalFrame(
            columns=frame.size[0],
            rows=tuple(self._rows[id(row)] for row in frame.rows),
            cursor=self._cursor(frame),
            foreground=frame.foreground,
            background=frame.background,
            palette=frame.palette,
            title=self._terminal.title(),
            revision=self._revision,
            scrolled_back=self._back > 0,
        )
        return self._frame

    def _cursor(self, frame: evp.Frame) -> Cursor | None:
        if frame.cursor is None:
            return None
        column, row, at_tail = frame.cursor
        column -= 1 if at_tail else 0
        widths = frame.rows[row].widths if row < len(frame.rows) else b""
        wide = column < len(widths) and widths[column] == 2
        blinks = self._cursor_shape not in (b"2", b"4", b"6")
        return Cursor(column, row, wide, _SHAPES.get(self._cursor_shape, "block"), blinks)

    def text(self) -> str:
        """The visible screen as plain text, lines without trailing blanks."""
        with self._lock:
            return evp.Formatter(self._terminal, trim=True).format()

    def history_text(self) -> str:
        """Everything the scrollback holds as plain text, oldest first. Slow: for now and then."""
        with self._lock:
            assert self._state is not None
            history = self._state.history()
            self._styles += [style_of(style) for style in history.new_styles]
            return "\n".join("".join(row.graphemes).rstrip() for row in history.rows)

    # --- size, colours, scrolling ---------------------------------------------------------------------------

    def resize(self, columns: int, rows: int) -> None:
        """Another size; the content is wrapped anew. Sizes below 2x2 and the present size are ignored."""
        with self._lock:
            size = (min(columns, MAX_SIZE), min(rows, MAX_SIZE))
            if min(size) < MIN_SIZE or size == self._size:
                return
            self._size = size
            self._terminal.resize(*size)
            self._back = 0
            self._terminal.scroll_viewport_to_bottom()
            self._revision += 1

    def set_colors(self, foreground: RGB, background: RGB, palette: bytes | None = None) -> None:
        """The theme's colours: defaults, and the palette as 768 bytes."""
        with self._lock:
            self._colors, self._palette = (foreground, background), palette
            self._terminal.set_default_colors(foreground, background)
            if palette is not None:
                self._terminal.set_default_palette(palette)
            self._revision += 1

    def scroll(self, delta: int) -> None:
        """Show older (negative) or newer rows."""
        with self._lock:
            delta = max(-self._size[1], min(delta, self._size[1]))
            if delta < 0:
                self._scroll_up(-delta)
            elif self._back <= delta:
                self._back = 0
                self._terminal.scroll_viewport_to_bottom()
            else:
                self._back -= delta
                self._terminal.scroll_viewport(delta)
            self._revision += 1

    def _scroll_up(self, count: int) -> None:
        # The engine does not say how far it went: the row that was on top tells.
        self._take_frame()
        top = self._engine_rows[0]
        self._terminal.scroll_viewport(-count)
        self._take_frame()
        moved = next((index for index, row in enumerate(self._engine_rows) if row is top), count)
        self._back += moved

    def scroll_to_bottom(self) -> None:
        """Show the screen the program draws on."""
        with self._lock:
            self._back = 0
            self._terminal.scroll_viewport_to_bottom()
            self._revision += 1

    # --- input ----------------------------------------------------------------------------------------------

    def mode(self, number: int) -> bool:
        """Whether a DEC private mode is set (2004: bracketed paste)."""
        with self._lock:
            return self._terminal.mode(number)

    @property
    def wants_mouse(self) -> bool:
        """Whether the program asked for mouse reports."""
        with self._lock:
            return any(self._terminal.mode(number) for number in MOUSE_MODES)

    def encode_key(self, keysym: str, char: str, state: int) -> bytes:
        """The bytes of a Tk key event, empty when it sends nothing."""
        press = key_press(keysym, char, state, self._platform)
        if press is None:
            return b""
        text = None if press.text is None else press.text.encode("utf-8", "replace").decode("utf-8")
        with self._lock:
            if press.text == "[" and press.mods == evp.Mods.CTRL and self._escape_is_plain():
                return b"\x1b"
            return self._encoder.encode(
                press.key,
                mods=press.mods,
                consumed_mods=press.consumed,
                text=text,
                unshifted_codepoint=press.unshifted,
            )

    def _escape_is_plain(self) -> bool:
        # Without an enhanced keyboard Ctrl+[ is Escape, as programs have always read it; the engine disagrees.
        return self._encoder.encode(evp.Key.ESCAPE) == b"\x1b"

    def encode_mouse(self, action: str, button: int, column: int, row: int, state: int = 0) -> bytes:
        """The bytes of a mouse event, empty when the program did not ask for it.

        `action`: press, release or motion; `button`: Tk's number (4 and 5: the wheel), 0 for none.
        """
        buttons = {1: "LEFT", 2: "MIDDLE", 3: "RIGHT", 4: "FOUR", 5: "FIVE", 6: "SIX", 7: "SEVEN"}
        pressed = evp.MouseButton[buttons[button]] if button in buttons else None
        mods = evp.Mods((state & 1) | (evp.Mods.CTRL if state & 4 else 0))
        with self._lock:
            return self._mouse.encode(
                evp.MouseAction[action.upper()],
                max(0, min(column, self._size[0] - 1)),
                max(0, min(row, self._size[1] - 1)),
                button=pressed,
                mods=mods,
                any_button_pressed=pressed is not None,
            )

    def encode_focus(self, has_focus: bool) -> bytes:
        """The bytes that report a gained or lost focus, empty when the program did not ask for it."""
        if not self.mode(1004):
            return b""
        return evp.encode_focus(evp.FocusEvent.GAINED if has_focus else evp.FocusEvent.LOST)

    def paste(self, text: str) -> bytes:
        """The bytes that paste a text; nothing in it can end the paste or act as a key."""
        text = text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        return evp.encode_paste(text, bracketed=self.mode(BRACKETED_PASTE))
