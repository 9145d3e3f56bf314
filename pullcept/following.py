"""Reads on in what the CLI of a session writes about its conversation, and hands whole lines to the session.

Claude Code: its transcript. Codex: the rollout of this conversation, which is known from the start, from its first tool
call, or by the first post of this seat that it holds; never because it is the newest.
"""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Mapping

from pullcept.core.cli_queue import parse_user_message
from pullcept.core.kinds import kind_for
from pullcept.core.kinds.line import config_folder
from pullcept.sessions import Session
from pullcept.store.tail import LineTail, NewRollouts, begun_at, find_file

log = logging.getLogger(__name__)

LOOK_EVERY = 0.1
LOOK_SLOWLY = 0.5
CLOCKS_APART = 1.0


class Follower:
    """Follows one session until it ends. Lives on the asyncio thread; files are read on worker threads."""

    def __init__(self, session: Session, on_conversation: Callable[[str], None]) -> None:
        """`on_conversation` is told the id of a Codex conversation that was found by a post."""
        self._session = session
        self._on_conversation = on_conversation
        self._take = _TAKERS.get(session.launch.role)
        self._posts: set[str] = set()
        self._tail: LineTail | None = None
        self._new: NewRollouts | None = None
        self._begun, self._ready_at = time.time(), float("inf")
        if self._take is not None:
            self._begin(session.start.conversation_id, session.start.env)
            self._task = asyncio.get_running_loop().create_task(self._run(), name=f"follow {session.launch.seat}")

    def note_post(self, message_id: str) -> None:
        """A post was given to this session."""
        if self._new is not None:
            self._posts.add(message_id)

    def on_conversation(self, conversation_id: str) -> None:
        """The CLI told which conversation this is."""
        if self._new is not None:
            self._tail = self._new.tail(conversation_id) or self._tail_of(conversation_id)
            self._new = None

    def on_path(self, path: str) -> None:
        """The CLI told where its transcript lies: it may have begun another conversation."""
        if self._take is None or self._new is not None or not path.endswith(".jsonl") or not os.path.isabs(path):
            return
        if self._tail is None or (self._tail.path is not None and not _same(self._tail.path, path)):
            self._tail = LineTail(lambda: path)

    def _begin(self, conversation_id: str | None, env: Mapping[str, str]) -> None:
        if conversation_id is not None:
            self._tail = self._tail_of(conversation_id)
        elif self._session.launch.role == "codex_cli":
            home = config_folder(env, "CODEX_HOME", _home(env), ".codex")
            self._new = NewRollouts(home, self._begun - CLOCKS_APART, time.time)

    def _tail_of(self, conversation_id: str) -> LineTail:
        env = self._session.start.env
        places = kind_for(self._session.launch.role).transcript_globs(conversation_id, env, _home(env))
        return LineTail(lambda: find_file(places))

    async def _run(self) -> None:
        while self._session.alive:
            try:
                await self._look()
            except Exception:
                log.exception("the conversation of %s could not be followed", self._session.launch.seat)
            await asyncio.sleep(LOOK_EVERY if self._session.waiting else LOOK_SLOWLY)

    async def _look(self) -> None:
        new, tail = self._new, self._tail
        if new is not None:
            if self._session.progress.idle_seen:
                self._ready_at = min(self._ready_at, time.time())
            self._search(await asyncio.to_thread(new.read))
        elif tail is not None and self._take is not None:
            for line in await asyncio.to_thread(tail.read):
                self._take(self._session, line)

    def _search(self, lines: list[tuple[str, bytes]]) -> None:
        """Take what is about our posts. The conversation is ours when no other one could be."""
        ours = {each for each, line in lines if self._holds_post(line) and begun_at(each) <= self._ready_at}
        for each, line in lines:
            if each in ours and self._take is not None:
                self._take(self._session, line)
        if len(ours) == 1:
            (conversation_id,) = ours
            self.on_conversation(conversation_id)
            self._on_conversation(conversation_id)

    def _holds_post(self, line: bytes) -> bool:
        text = parse_user_message(line)
        return text is not None and any(message_id in text for message_id in self._posts)


_TAKERS: dict[str | None, Callable[[Session, bytes], None]] = {
    "claude_code": lambda session, line: session.on_transcript_line(line),
    "codex_cli": lambda session, line: session.on_rollout_line(line),
}


def _home(env: Mapping[str, str]) -> str:
    return env.get("HOME") or env.get("USERPROFILE") or os.path.expanduser("~")


def _same(path: str, other: str) -> bool:
    return os.path.normcase(os.path.realpath(path)) == os.path.normcase(os.path.realpath(other))
