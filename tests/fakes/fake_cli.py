"""A program with an input box that can behave as awkwardly as the CLIs people run. Standard library only.

Every submitted turn is appended to the --record file as a JSON line {"turn": text}; answers to a question as
{"answer": text}; keys that were swallowed by a question as {"swallowed": text}.
"""

import argparse
import json
import os
import re
import select
import signal
import sys
import termios
import time
import tty

PASTE = re.compile(r"\x1b\[200~(.*?)\x1b\[201~", re.DOTALL)
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z~]")
INVISIBLE = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def options(argv: list[str] | None = None) -> argparse.Namespace:
    """The program's options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", help="file for submitted turns, one JSON line each")
    parser.add_argument("--dump-env", help="file for the environment, as JSON")
    parser.add_argument("--ready", default="READY", help="mark printed when input is listened to")
    parser.add_argument("--box", choices=["plain", "claude", "codex"], default="plain")
    parser.add_argument("--swallow-enter", type=float, default=0, metavar="MS", help="Enter that soon is no Enter")
    parser.add_argument("--flush-at-start", type=float, default=0, metavar="S", help="drop all input of that time")
    parser.add_argument("--permission-after", type=float, metavar="MS", help="a question opens after the first text")
    parser.add_argument("--permission-for", type=float, default=0, metavar="MS", help="it closes by itself")
    parser.add_argument("--trust", action="store_true", help="first screen whose default answer is to leave")
    parser.add_argument("--never-read", action="store_true")
    parser.add_argument("--slow-read", type=int, metavar="BYTES", help="read so many bytes at a time")
    parser.add_argument("--slow-pause", type=float, default=20, metavar="MS", help="pause before each slow read")
    parser.add_argument("--read-after", type=float, default=0, metavar="S", help="begin to read late")
    parser.add_argument("--line-mode", action="store_true")
    parser.add_argument("--ignore-hup", action="store_true", help="ignore hang-up and request to end")
    parser.add_argument("--delete-lf", action="store_true")
    parser.add_argument("--lf-sends", action="store_true", help="a line feed is Enter too")
    parser.add_argument("--note-reads", action="store_true", help="record how many bytes were read and taken so far")
    parser.add_argument("--die-after", type=int, metavar="BYTES", help="leave when so much input was read")
    parser.add_argument("--exit-code", type=int, default=0)
    parser.add_argument("--no-enter", action="store_true", help="never react to Enter")
    parser.add_argument("--lose-enters", type=int, default=0, metavar="N", help="the first N Enters are lost")
    parser.add_argument("--reports", action="store_true", help="print the structured state reports of Codex")
    parser.add_argument("--print-lines", type=int, default=0, help="print numbered lines first")
    parser.add_argument("--then-exit", action="store_true", help="leave right after the first output")
    parser.add_argument("--leave-modes", action="store_true", help="switch awkward terminal modes on first")
    parser.add_argument("--ask", action="append", default=[], help="query to print (escapes understood); needs a reply")
    return parser.parse_args(argv)


class Box:
    """The input box: what was typed and not yet sent, and how reads change it."""

    def __init__(self, wanted: argparse.Namespace) -> None:
        self.wanted = wanted
        self.text = ""
        self.last_byte_at = 0.0
        self.burst_until = 0.0
        self.removed = False

    def take(self, read: str, now: float) -> list[str]:
        """Take what one read brought; returns the turns it submitted."""
        take = {"claude": self._take_claude, "codex": self._take_codex, "plain": self._take_plain}[self.wanted.box]
        turns = take(read, now)
        self.last_byte_at = now
        return turns

    def _enter(self, now: float) -> list[str]:
        if self.wanted.no_enter:
            return []
        if self.wanted.lose_enters:
            self.wanted.lose_enters -= 1
            return []
        if (now - self.last_byte_at) * 1000 < self.wanted.swallow_enter:
            return []
        turn, self.text = self.text, ""
        return [turn]

    def _take_plain(self, read: str, now: float) -> list[str]:
        turns: list[str] = []
        for part in re.split(r"(\r|\x1b\[200~.*?\x1b\[201~)", read, flags=re.DOTALL):
            if part == "\r":
                turns += self._enter(now)
            else:
                paste = PASTE.fullmatch(part)
                self.text += paste[1] if paste else ESCAPES.sub("", part)
        return turns

    def _take_claude(self, read: str, now: float) -> list[str]:
        # Enter counts only in a read of its own; a long read is folded; some characters put off the first Enter.
        if read == "\r":
            return self._claude_enter(now)
        if read == "\x1b":
            return []
        if read == "\t" or ("\t" in read and len(read) < 64):
            read = read.replace("\t", "")
        if INVISIBLE.search(read):
            read, self.removed = INVISIBLE.sub("", read), True
        read = ESCAPES.sub("", read).replace("\r", "\n")
        if len(read.encode("utf-16-le")) // 2 > 800:
            read = f'\n\n<pasted_content id="1">\n{read}\n</pasted_content id="1">\n'
        self.text += read
        return []

    def _claude_enter(self, now: float) -> list[str]:
        if self.removed:
            self.removed = False
            return []
        if self.text.endswith("\\"):
            self.text = self.text[:-1] + "\n"
            return []
        return [turn.strip(" \n") for turn in self._enter(now)]

    def _take_codex(self, read: str, now: float) -> list[str]:
        # Characters close together are taken for a paste, and for a while Enter is a line break.
        turns: list[str] = []
        for part in re.split(r"(\x1b\[200~.*?\x1b\[201~)", read, flags=re.DOTALL):
            paste = PASTE.fullmatch(part)
            if paste:
                self.text += paste[1]
                self.burst_until = 0.0
            elif part:
                turns += self._codex_keys(part, now)
        return [turn.strip(" \n") for turn in turns]

    def _codex_keys(self, part: str, now: float) -> list[str]:
        turns: list[str] = []
        plain = ESCAPES.sub("", part)
        if len(plain.rstrip("\r")) >= 3:
            self.burst_until = now + 0.12 + 0.001 * len(plain)
        for char in plain:
            if char == "\r" and now >= self.burst_until:
                turns += self._enter(now)
            else:
                self.text += "\n" if char == "\r" else char
        return turns


class Program:
    """The running program: terminal modes, questions, records."""

    def __init__(self, wanted: argparse.Namespace) -> None:
        self.wanted = wanted
        self.box = Box(wanted)
        self.question_at: float | None = None
        self.question_until = float("inf")
        self.asked = False
        self.read_bytes = 0
        self.pending = b""

    def run(self) -> int:
        """Run until the input ends."""
        self._begin()
        if self.wanted.then_exit:
            return int(self.wanted.exit_code)
        if self.wanted.line_mode:
            return self._run_lines()
        tty.setraw(0, termios.TCSANOW)
        if self.wanted.never_read:
            self._say(self.wanted.ready)
            while True:
                signal.pause()
        if self.wanted.box == "codex" or self.wanted.box == "plain":
            self._print("\x1b[?2004h")
        self._wait_deaf()
        self._ask_terminal()
        if self.wanted.trust and not self._trusted():
            return 1
        self._say(self.wanted.ready)
        self._report("idle")
        return self._run_box()

    def _begin(self) -> None:
        if self.wanted.ignore_hup:
            for each in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
                signal.signal(each, signal.SIG_IGN)
        if self.wanted.dump_env:
            with open(self.wanted.dump_env, "w", encoding="utf-8") as file:
                json.dump(dict(os.environ), file)
        if self.wanted.leave_modes:
            self._print("\x1b[?2004h\x1b[?1003h\x1b[>1u\x1b[?1049h")
        for number in range(self.wanted.print_lines):
            self._print(f"line {number}\r\n")

    def _run_lines(self) -> int:
        self._say(self.wanted.ready)
        for line in sys.stdin:
            self._record(turn=line.removesuffix("\n"))
            self._say("got a line")
        return int(self.wanted.exit_code)

    def _wait_deaf(self) -> None:
        if self.wanted.flush_at_start:
            time.sleep(self.wanted.flush_at_start)
            termios.tcflush(0, termios.TCIFLUSH)
        if self.wanted.read_after:
            self._say("reading late")
            time.sleep(self.wanted.read_after)

    def _ask_terminal(self) -> None:
        for query in self.wanted.ask:
            self._print(query.encode("ascii").decode("unicode_escape"))
            answer = os.read(0, 1024) if select.select([0], [], [], 3)[0] else b""
            self._record(reply=answer.decode("utf-8", "replace"))

    def _trusted(self) -> bool:
        self._say("Do you trust this folder? [No, leave]")
        answer = os.read(0, 1)
        self._record(answer=answer.decode("utf-8", "replace"))
        return answer == b"y"

    def _run_box(self) -> int:
        while True:
            self._move_question(time.monotonic())
            ready = select.select([0], [], [], 0.01 if self.question_at or self.asked else None)[0]
            if not ready:
                continue
            data = self._read()
            if not data:
                return int(self.wanted.exit_code)
            self.read_bytes += len(data)
            self._take(data)
            if self.wanted.note_reads:
                self._record(read=str(self.read_bytes))
            if self.wanted.die_after is not None and self.read_bytes >= self.wanted.die_after:
                return int(self.wanted.exit_code)

    def _read(self) -> bytes:
        if self.wanted.slow_read:
            time.sleep(self.wanted.slow_pause / 1000)
            return os.read(0, self.wanted.slow_read)
        return os.read(0, 65_536)

    def _take(self, data: bytes) -> None:
        text = self._decoded(data)
        if not text:
            return
        now = time.monotonic()
        if self._question_open(now):
            self._answer(text)
            return
        if self.wanted.delete_lf:
            text = text.replace("\n", "")
        if self.wanted.lf_sends:
            text = text.replace("\n", "\r")
        for turn in self.box.take(text, now):
            self._submit(turn)
        if self.wanted.permission_after is not None and not self.asked and self.box.text:
            self.asked = True
            self.question_at = now + self.wanted.permission_after / 1000

    def _decoded(self, data: bytes) -> str:
        # A character may be cut between two reads, and a paste too: keep what is not whole yet.
        data = self.pending + data
        whole = len(data)
        while whole and whole > len(data) - 3 and not _is_whole(data[:whole]):
            whole -= 1
        if data[:whole].rfind(b"\x1b[200~") > data[:whole].rfind(b"\x1b[201~"):
            whole = data.rfind(b"\x1b[200~")
        self.pending = data[whole:]
        return data[:whole].decode("utf-8", "replace")

    def _move_question(self, now: float) -> None:
        if self.question_at is not None and now >= self.question_at and self.question_until == float("inf"):
            self.question_until = now + self.wanted.permission_for / 1000 if self.wanted.permission_for else 1e12
            self._say("QUESTION OPEN")
            self._report("blocked", kind="permission")
        if self.question_at is not None and now >= self.question_until:
            self.question_at, self.question_until = None, float("inf")
            self._say("QUESTION CLOSED")
            self._report("working")

    def _question_open(self, now: float) -> bool:
        return self.question_at is not None and now >= self.question_at

    def _answer(self, text: str) -> None:
        if "\r" in text or "y" in text:
            self._record(answer=text)
            self.question_at = None
            self._say("QUESTION CLOSED")
            self._report("working")
        else:
            self._record(swallowed=text)

    def _submit(self, turn: str) -> None:
        self._record(turn=turn)
        self._report("working")
        self._say(f"turn of {len(turn)}")
        self._report("done")

    def _report(self, state: str, kind: str = "") -> None:
        if self.wanted.reports:
            tail = f":kind={kind}" if kind else ""
            self._print(f"\x1b]7501;state={state}:app=codex{tail}\x1b\\")

    def _record(self, **entry: str) -> None:
        if self.wanted.record:
            with open(self.wanted.record, "a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")

    def _say(self, text: str) -> None:
        self._print(text + "\r\n")

    def _print(self, text: str) -> None:
        os.write(1, text.encode("utf-8"))


def _is_whole(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


if __name__ == "__main__":
    try:
        sys.exit(Program(options()).run())
    except OSError:
        sys.exit(1)
