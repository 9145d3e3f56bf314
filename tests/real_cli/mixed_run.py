"""Plays a mixed plan on a real CLI through the whole app: its posts, its model and its person at once."""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from pullcept.core.post import Post
from pullcept.core.screen import DeliveryChanged
from pullcept.sessions import Session
from tests.real_cli.mixed_check import SaidPost, Story, Verdict, check
from tests.real_cli.mixed_plan import Episode, MixedPlan, Moment
from tests.real_cli.model_server import Body, Recorded, Step, say
from tests.real_cli.room import RealRoom
from tests.real_cli.seats import RealSeat

LIMIT = 60.0
KEY_GAP = 0.03
QUIET = 0.4
LOOK_EVERY = 0.02
LOOK = 0.8
TWICE = 2.0
"""Ctrl+C twice in so many seconds ends a CLI."""
LAST_WORD = "Everything was said."
WIPES: tuple[tuple[bytes, ...], ...] = ((b"\x15",), (b"\x1b", b"\x1b"), (b"\x03",))


class Cli(Protocol):
    """What differs between the CLIs. `yes`, `no`: keys that answer a question. `clear`: keys that empty the box."""

    yes: bytes
    no: bytes
    wipes: tuple[tuple[bytes, ...], ...]
    clear: tuple[bytes, ...]

    def ask(self, command: str, match: str) -> Step: ...
    def work(self, match: str, gate: threading.Event) -> Step: ...
    def delegate(self, match: str, prompt: str) -> Step: ...
    def told(self, body: Body) -> list[str] | None:
        """All texts of the user in a turn of the conversation, one for each input; None for a sub-agent's turn."""

    def box(self, screen: str) -> str:
        """What stands in the input box."""


@dataclass
class Counts:
    """What a run met, counted where it happened."""

    question: int = 0
    half_line: int = 0
    busy: int = 0
    escapes: int = 0
    keys: int = 0
    subagent: int = 0
    put_back: int = 0
    wrapped: int = 0
    retyped: int = 0
    seconds: float = 0.0

    def missed(self, *, subagents: bool) -> list[str]:
        """What a run of the long form must have met and did not: such a run proves nothing."""
        least = {"question": 5, "half_line": 5, "busy": 15, "escapes": 1, "keys": 1, "subagent": int(subagents)}
        return [
            f"{name}: {getattr(self, name)} of {wanted}"
            for name, wanted in least.items()
            if getattr(self, name) < wanted
        ]


@dataclass
class MixedRun:
    """One run. `play` says everything and returns the verdict; it fails at once on what may never happen."""

    room: RealRoom
    seat: RealSeat
    plan: MixedPlan
    cli: Cli
    counts: Counts = field(default_factory=Counts)
    log: Callable[[str], None] = print

    def __post_init__(self) -> None:
        self.story = Story(self.seat.account.kind)
        self._begun = time.monotonic()
        self._read = 0
        self._texts: list[list[str]] = []
        self._given: set[str] = set()
        self._number = 0

    # --- the whole run ----------------------------------------------------------------------------------------

    def play(self) -> Verdict:
        """Say all posts of the plan, each at its moment."""
        for episode in self.plan.episodes:
            self._note(f"{episode.moment} {episode.how} {[len(body) for body in episode.posts]}")
            _PLAYS[episode.moment](self, episode)
            self._wait_until_quiet()
        self._say_one(LAST_WORD)
        self._wait_until_quiet()
        self._look()
        self.counts.seconds = time.monotonic() - self._begun
        verdict = check(self.story, self._texts)
        self.counts.wrapped = len(verdict.wrapped)
        typed = self.room.typed_into(self.seat.account)
        self.counts.retyped = sum(typed.count(f'"message_id":"{post.message_id}"') > 1 for post in self.story.posts)
        return verdict

    # --- moments ----------------------------------------------------------------------------------------------

    def _play_idle(self, episode: Episode) -> None:
        for body, pause in self._posts(episode):
            self._say_one(body, pause)
            self._wait_until_quiet()

    def _play_busy(self, episode: Episode) -> None:
        gate = threading.Event()
        begun = self._open(episode, lambda match: self._busy_step(episode, match, gate))
        self._wait_begun(begun)
        self._say_rest(episode)
        self._wait(lambda: not self.session.typist.typing, "the post is typed")
        gate.set()

    def _busy_step(self, episode: Episode, match: str, gate: threading.Event) -> Step:
        if episode.how == "tool":
            return self.cli.work(match, gate)
        return say("I am at it.", match=match, gate=gate)

    def _play_question(self, episode: Episode) -> None:
        command = self._command()
        self._open(episode, lambda match: self.cli.ask(command, match))
        self._wait(self._asked, "the question is drawn")
        met = self._say_rest(episode)
        self._answer(episode, command, met)

    def _answer(self, episode: Episode, command: str, met: list[Post]) -> None:
        """The person answers, after a look that nothing was typed into the question."""
        self._wait(lambda: self.session.held()[0] >= len(met), "the posts are held")
        typed = self.room.typed_into(self.seat.account)
        assert not [post.message_id for post in met if post.message_id in typed], "a post was typed into a question"
        assert self._asked(), "the question is gone"
        self.counts.question += len(met)
        if episode.how == "yes":
            self.story.allowed.add(command)
        key = self.cli.yes if episode.how == "yes" else self.cli.no
        unsent = self.session._gates.unsent
        self._wait(lambda: unsent.keys_go_to_question(time.monotonic()), "keys go to the question")
        self._pause(LOOK)
        self._press(key)
        self._wait(lambda: not self._asked(), "the question is answered", again=lambda: self._press(key))

    def _play_half_line(self, episode: Episode) -> None:
        self._type(episode.human)
        met = self._say_rest(episode)
        self._wait(lambda: self.session.held()[0] >= len(met), "the posts are held")
        typed = self.room.typed_into(self.seat.account)
        assert not [post.message_id for post in met if post.message_id in typed], "a post was typed into a line"
        self.counts.half_line += len(met)
        self._end_line(episode.human, sent=episode.how == "sent")

    def _end_line(self, line: str, *, sent: bool) -> None:
        if not line:
            return
        if sent:
            self.story.lines.append(line)
            self._press(b"\r")
        else:
            self.story.wiped.append(line)
            self._press(*self.cli.wipes[len(line) % len(self.cli.wipes)])
            self._pause(QUIET)
            while self.session._gates.unsent.state != "empty":
                # The seat still shows a doubt: Escapes, or this key, may have met a turn that had just begun.
                self._press(*self.cli.clear)
                self._pause(TWICE)

    def _play_escape(self, episode: Episode) -> None:
        gate = threading.Event()
        words = "I begin with " if episode.how == "after_first_word" else ""
        begun = self._open(episode, lambda match: Step(text=words, match=match, gate=gate))
        self._wait_begun(begun)
        self._say_rest(episode)
        if self._number % 2:
            self._wait(lambda: not self.session.typist.held()[0], "the post is queued")
        self.counts.escapes += 1
        self._press(b"\x1b")
        self._look_into_box()
        gate.set()

    def _look_into_box(self) -> None:
        """After an Escape the person looks, and wipes what came back; the row must have said so."""

        def is_known() -> bool:
            typist = self.session.typist
            if typist.typing or typist.awaits_receipt:
                return False
            if self.session._gates.unsent.state == "empty":
                return not typist.held()[0]
            return bool(self.cli.box(self._screen()))

        self._wait(is_known, "the box is known")
        self._pause(QUIET)
        self._wait(is_known, "the box is known still")
        box = self.cli.box(self._screen())
        self._note(f"  box after Escape: {box[:80]!r} {self.session._gates.unsent.state} {self.session.held()}")
        if not box:
            self._wait(lambda: self.session._gates.unsent.state == "empty", "the empty box is known")
            return
        # The head of a long text is not on the screen: the rows say which post it is, and the judge finds the others.
        seen = {post.message_id for post in self.story.posts if post.message_id in box}
        back = self._marked_put_back()
        assert back >= seen, "the row must say which post may be back in the box"
        assert back, "a row must say that its post may be back in the box"
        self.story.put_back |= back
        self.counts.put_back += len(back)
        if self._number % 2:
            self._press(b"\r")
            self._pause(LOOK)
            if not self.cli.box(self._screen()):
                return
            # It ended in a backslash, and Enter made a line break of it.
        self._press(*self.cli.clear)
        self._wait(lambda: not self.cli.box(self._screen()), "the box is empty")
        self._pause(TWICE)

    def _marked_put_back(self) -> set[str]:
        """The ids of the posts whose rows say now that they may be back in the box."""
        last: dict[str, str] = {}
        self.room._drain()
        for event in self.room.events:
            if isinstance(event, DeliveryChanged):
                last[event.message_id] = event.reason
        return {each for each, reason in last.items() if "put it back" in reason} - self.story.put_back

    def _play_keys(self, episode: Episode) -> None:
        (body,) = episode.posts
        post = self._say_one(body)
        self._wait(lambda: post.message_id in self.room.typed_into(self.seat.account), "the post begins", every=0.001)
        line = f"{episode.human} behind"
        were_kept = False
        for key in line:
            self._press(key.encode(), gap=0.005)
            were_kept = were_kept or self.session.typist.keeps_keys
        assert were_kept, "the post was typed too fast"
        self.counts.keys += 1
        self._press(b"\r")
        self.story.lines.append(line)

    def _play_subagent(self, episode: Episode) -> None:
        command, prompt, gate = self._command(), f"errand {self._number}", threading.Event()
        asking = self.cli.ask(command, prompt)
        asking = Step(calls=asking.calls, match=prompt, gate=gate)
        self.seat.model.script(asking)
        self._open(episode, lambda match: self.cli.delegate(match, prompt))
        self._wait_begun(asking)
        self._wait(lambda: self.session._gates.turn == "idle", "the main agent stopped")
        self._type(episode.human[:3])
        gate.set()
        if not episode.human:
            self._wait(self._asked, "the sub-agent's question is drawn")
        met = self._say_rest(episode)
        self._wait(self._asked, "the sub-agent's question is drawn")
        self.counts.subagent += len(met)
        self._answer(episode, command, met)
        self._wait(lambda: not self.session._gates.has_wait, "the answer is known")
        self._end_line(episode.human[:3], sent=False)

    # --- what the person does ---------------------------------------------------------------------------------

    def _open(self, episode: Episode, step: Callable[[str], Step]) -> Step:
        """The first post of an episode, whose turn takes the step."""
        post = self._say_one(episode.posts[0], episode.pauses[0])
        made = step(post.message_id)
        self.seat.model.script(made)
        return made

    def _say_rest(self, episode: Episode) -> list[Post]:
        opened = len(episode.posts) - episode.met
        return [self._say_one(body, pause) for body, pause in list(self._posts(episode))[opened:]]

    @staticmethod
    def _posts(episode: Episode) -> Iterable[tuple[str, float]]:
        return zip(episode.posts, episode.pauses, strict=True)

    def _say_one(self, body: str, pause: float = 0.0) -> Post:
        self._pause(pause)
        self.counts.busy += self.seat.model.open_turns > 0
        post = self.room.say(body)
        self.story.posts.append(SaidPost(post.message_id, body))
        return post

    def _type(self, text: str) -> None:
        for key in text:
            self._press(key.encode())

    def _press(self, *keys: bytes, gap: float = KEY_GAP) -> None:
        for key in keys:
            self.room.app.write_keys(self.room.seat(self.seat.account), key)
            self._pause(gap)

    def _pause(self, seconds: float) -> None:
        """People take time: part of what is played, not a wait for something."""
        threading.Event().wait(seconds)

    def _command(self) -> str:
        self._number += 1
        return f"touch {self.seat.home.cwd / f'made-{self._number}'}"

    # --- what is seen -----------------------------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """The session under test."""
        return self.room.app._seats._sessions[self.room.seat(self.seat.account)]

    def _screen(self) -> str:
        core = self.room.app.screen_of(self.room.seat(self.seat.account))
        return core.text() if core is not None else ""

    def _asked(self) -> bool:
        return any(word in self._screen() for word in ("Do you want to proceed?", "run the following command?"))

    def _wait_begun(self, step: Step) -> None:
        self._wait(step.begun.is_set, "the model began to answer")

    def _wait_until_quiet(self) -> None:
        """Until every post that was said is where it belongs and the model has nothing to do."""
        self._wait(self._all_arrived, "everything arrived")

    def _all_arrived(self) -> bool:
        self._look()
        missing = [post for post in self.story.posts if post.message_id not in self._given | self.story.put_back]
        return not missing and not self.seat.model.open_turns and not self.session.held()[0]

    def _look(self) -> None:
        turns: list[Recorded] = self.seat.model.turns()
        for turn in turns[self._read :]:
            texts = self.cli.told(turn.body)
            if texts is not None:
                self._texts.append(texts)
                self._given |= {
                    post.message_id for post in self.story.posts if any(post.message_id in t for t in texts)
                }
        self._read = len(turns)
        self.story.ran = {f"touch {path}" for path in self.seat.home.cwd.glob("made-*")}

    def _wait(
        self,
        wanted: Callable[[], bool],
        what: str,
        again: Callable[[], None] | None = None,
        every: float = LOOK_EVERY,
    ) -> None:
        end, next_try = time.monotonic() + LIMIT, time.monotonic() + 2.0
        while not wanted():
            now = time.monotonic()
            if again is not None and now > next_try:
                again()
                next_try = now + 2.0
            if now > end:
                raise AssertionError(f"seed {self.plan.seed}: not seen: {what}\n{self._state()}")
            self._pause(every)

    def _state(self) -> str:
        self._look()
        missing = [post.message_id for post in self.story.posts if post.message_id not in self._given]
        last = [event for event in self.room.events if isinstance(event, DeliveryChanged)][-12:]
        news = "\n".join(f"  {event.message_id} {event.state} {event.reason}" for event in last)
        return f"not at the model: {missing}\nheld: {self.session.held()}\n{news}\n{self._screen()}"

    def _note(self, text: str) -> None:
        self.log(f"{time.monotonic() - self._begun:7.2f} {text}")


_PLAYS: dict[Moment, Callable[[MixedRun, Episode], None]] = {
    Moment.IDLE: MixedRun._play_idle,
    Moment.BUSY: MixedRun._play_busy,
    Moment.QUESTION: MixedRun._play_question,
    Moment.HALF_LINE: MixedRun._play_half_line,
    Moment.ESCAPE: MixedRun._play_escape,
    Moment.KEYS: MixedRun._play_keys,
    Moment.SUBAGENT: MixedRun._play_subagent,
}
