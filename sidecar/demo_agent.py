"""The demo agent: a CLI of our own that shows the whole loop to somebody who has no AI CLI.

It reads tagged posts from its terminal like any CLI, and answers through the real sidecar.
"""

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Sequence

from sidecar.demo import console
from sidecar.demo.box import Box
from sidecar.demo.caller import Caller, CallFailed, Reply
from sidecar.demo.keys import Key, KeyReader, Text
from sidecar.demo.mind import Heard, answer_to, parse_post, wants_answer
from sidecar.tools import SAY
from sidecar.wording import draft_last_seen, present_name

USAGE = 'usage: pullcept.py demo-agent --sidecar \'{"command": "...", "args": ["..."]}\''
DEMO_NAME = "Demo agent"
SHOWN_LENGTH = 1000
TRIES = 5
LOOK_SECONDS = 0.5
EXITS = {"exit", "quit", "/exit", "/quit"}


def main(argv: Sequence[str]) -> int:
    """Run until Ctrl+C, `exit` or the end of input. `argv`: `--sidecar` and its launch line as JSON."""
    try:
        line = json.loads(argv[argv.index("--sidecar") + 1])
        command = [line["command"], *line["args"]]
    except (ValueError, IndexError, KeyError, TypeError):
        print(USAGE, file=sys.stderr)
        return 2
    try:
        with console.raw_mode():
            return Agent(Caller(command), os.environ.get("PULLCEPT_AGENT_NAME") or DEMO_NAME).run()
    except console.NoTerminal as error:
        print(f"pullcept: {error}", file=sys.stderr)
        return 2
    except OSError:
        return 0


class Agent:
    """The main thread draws and reads keys; a second one thinks, because the room may let it wait."""

    def __init__(self, caller: Caller, name: str) -> None:
        self._caller = caller
        self._name = name
        self._size = console.size()
        self._box = Box(name if name == DEMO_NAME else f"{DEMO_NAME} {name}", *self._size)
        self._typed = ""
        self._keys = KeyReader()
        self._turns: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._heard: queue.SimpleQueue[Heard] = queue.SimpleQueue()
        self._code: int | None = None

    def run(self) -> int:
        """Draw, listen and answer until somebody ends it; gives the exit code."""
        console.write(self._box.start())
        self._watch_signals()
        threading.Thread(target=self._read_keys, name="keys", daemon=True).start()
        threading.Thread(target=self._think, name="mind", daemon=True).start()
        try:
            while self._code is None:
                self._next_turn()()
            console.write(self._box.end())
        finally:
            self._caller.close()
        return self._code

    def _next_turn(self) -> Callable[[], None]:
        """What to do next. Windows tells nobody that a console has another size, so there it is looked at."""
        try:
            return self._turns.get(timeout=LOOK_SECONDS if sys.platform == "win32" else None)
        except queue.Empty:
            return self._resize if console.size() != self._size else _do_nothing

    def _watch_signals(self) -> None:
        if sys.platform == "win32":
            return
        signal.signal(signal.SIGWINCH, lambda *_: self._turns.put(self._resize))
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: self._turns.put(lambda: self._leave(128 + number)))

    def _resize(self) -> None:
        self._size = console.size()
        console.write(self._box.resize(*self._size))

    def _leave(self, code: int) -> None:
        self._code = code

    def _show(self, text: str) -> None:
        """From any thread."""
        self._turns.put(lambda: console.write(self._box.add(text)))

    def _read_keys(self) -> None:
        while data := console.read_keys():
            self._turns.put(lambda data=data: self._take_keys(data))  # type: ignore[misc]
        self._turns.put(lambda: self._leave(0))

    def _take_keys(self, data: bytes) -> None:
        for key in self._keys.feed(data):
            if isinstance(key, Text):
                self._typed += key.text
            else:
                self._press(key)
        console.write(self._box.show_typed(self._typed))

    def _press(self, key: Key) -> None:
        if key.char == "\r":
            typed, self._typed = self._typed, ""
            self._submit(typed)
        elif key.char in "\x7f\x08":
            self._typed = self._typed[:-1]
        elif key.char in "\x03\x15" and self._typed:
            self._typed = ""
        elif key.char in "\x03\x04" and not self._typed:
            self._leave(0)

    def _submit(self, typed: str) -> None:
        if not typed.strip():
            return
        heard = parse_post(typed)
        if heard is not None:
            console.write(self._box.add(f"{heard.speaker}{_to(heard)}: {_head(heard.body)}"))
            self._heard.put(heard)
        elif typed.strip().lower() in EXITS:
            self._leave(0)
        else:
            console.write(self._box.add(f"> {_head(typed)}\n(I only answer posts of the room. Ctrl+C ends me.)"))

    # The second thread.

    def _think(self) -> None:
        try:
            self._show(self._caller.start() or "There is no seat in a room for me.")
        except CallFailed as error:
            self._show(f"I cannot reach the room: {error}.")
        while True:
            heard = self._heard.get()
            if wants_answer(heard, self._name):
                self._answer(heard)

    def _answer(self, heard: Heard) -> None:
        """Say the answer. Refused: read what was missed and send the kept draft, a bounded number of times."""
        arguments = {"content": answer_to(heard, heard.you or self._name), "last_seen": heard.message_id}
        try:
            for _ in range(TRIES):
                reply = self._call(arguments)
                newest = draft_last_seen(reply.text) if reply.is_error else None
                if newest is None:
                    return
                arguments = {"last_seen": newest}
            self._show("(The room is too lively for me; I stay silent.)")
        except CallFailed as error:
            self._show(f"I could not answer: {error}.")

    def _call(self, arguments: dict[str, str]) -> Reply:
        reply = self._caller.call(SAY, arguments)
        self._name = present_name(reply.text) or self._name
        said = arguments.get("content", "(my draft)")
        self._show(f"{SAY}: {said}\n  {reply.text.partition(chr(10) * 2)[0]}")
        return reply


def _do_nothing() -> None:
    """Nothing has changed."""


def _to(heard: Heard) -> str:
    return f" \u2192 {', '.join(heard.to)}" if heard.to else ""


def _head(text: str) -> str:
    rest = len(text) - SHOWN_LENGTH
    return text if rest <= 0 else f"{text[:SHOWN_LENGTH]}\u2026 ({rest} more characters)"
