"""The demo agent in a real terminal, with the real sidecar and room behind it."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from pullcept.core.launch import Launch
from pullcept.core.post import Post
from pullcept.core.protocol import Hello, PostFrame, PostResult, RoomFrame
from pullcept.core.tag import tag_line
from tests.host.live_host import TOPIC, WAIT, wait_for
from tests.sidecar.seats import PULLCEPT, SeatHouse

if sys.platform == "win32":
    pytest.skip("a POSIX terminal", allow_module_level=True)

import ptyprocess


class AgentTerminal:
    """A demo agent in a pseudo-terminal."""

    def __init__(self, house: SeatHouse, launch: Launch) -> None:
        sidecar = {"command": sys.executable, "args": [PULLCEPT, "sidecar", "--entry", launch.entry]}
        command = [sys.executable, PULLCEPT, "demo-agent", "--sidecar", json.dumps(sidecar)]
        environ = {**house.environment(launch), "HOME": os.environ.get("HOME", "/"), "TERM": "xterm-256color"}
        self.launch = launch
        self.pty = ptyprocess.PtyProcess.spawn(command, env=environ, dimensions=(24, 120))
        self.output = b""
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def type(self, data: str) -> None:
        self.pty.write(data.encode("utf-8"))

    def post(self, post: Post) -> None:
        """Type a post the way the app does: one bracketed paste, then Enter."""
        tag = tag_line(post, local_at="2026-11-30T10:00+09:00", you=self.launch.name if post.to else None)
        self.type(f"\x1b[200~{tag}\n{post.content}\x1b[201~")
        self.type("\r")

    def shows(self, text: str) -> bool:
        return text.encode("utf-8") in self.output

    def wait_for_end(self) -> int | None:
        wait_for(lambda: not self.pty.isalive())
        status: int | None = self.pty.exitstatus
        return status

    def close(self) -> None:
        if self.pty.isalive():
            self.pty.kill(9)
            self.pty.wait()
        self._reader.join(WAIT)
        self.pty.close(force=True)

    def _read(self) -> None:
        try:
            while True:
                self.output += self.pty.read(65536)
        except (EOFError, OSError):
            return


@pytest.fixture
def start(house: SeatHouse) -> Iterator[Callable[[str], AgentTerminal]]:
    """Starts agents that sit in the room before this returns."""
    started: list[AgentTerminal] = []

    def start_one(name: str) -> AgentTerminal:
        count = len(house.streams)
        agent = AgentTerminal(house, house.seat(name, account=f"acc-{name}"))
        started.append(agent)
        wait_for(lambda: len(house.streams) > count and agent.shows(f'You are "{name}"'), 20)
        return agent

    yield start_one
    for agent in started:
        agent.close()


class Person:
    """The one at the screen, whose posts are typed into every agent's terminal."""

    def __init__(self, house: SeatHouse, agents: list[AgentTerminal]) -> None:
        self._house = house
        self._answers: list[RoomFrame] = []
        self._connection = house.run(house.hub.connect, self._answers.append, None, screen=True)
        house.run(self._connection.receive, Hello(11, "Person", TOPIC))
        by_origin = {agent.launch.origin: agent for agent in agents}

        def type_post(topic_id: str, post: Post, origin: str) -> tuple[()]:
            for each, agent in by_origin.items():
                if each != origin:
                    agent.post(post)
            return ()

        house.outside.type_post = type_post  # type: ignore[method-assign]

    def say(self, message_id: str, content: str, *to: str) -> PostResult:
        posts = self._house.outside.logs.get(TOPIC, [])
        last_seen = posts[-1].message_id if posts else None
        frame = PostFrame(message_id, content, "2026-11-30T01:00:00Z", to, last_seen)
        self._house.run(self._connection.receive, frame)
        answer = self._answers[-1]
        assert isinstance(answer, PostResult)
        return answer


def said(house: SeatHouse) -> list[tuple[str, str]]:
    return [(post.speaker, post.content) for post in list(house.outside.logs.get(TOPIC, []))]


def test_two_agents_answer_one_is_refused_and_sends_its_draft_and_only_the_addressed_one_answers(
    house: SeatHouse, start: Callable[[str], AgentTerminal]
) -> None:
    ada, ben = start("Ada"), start("Ben")
    person = Person(house, [ada, ben])
    assert person.say("p-1", "Good morning,\nwho is there?").delivered
    wait_for(lambda: len(said(house)) == 3)
    assert {speaker for speaker, _ in said(house)[1:]} == {"Ada", "Ben"}
    assert all('I heard "Good morning, who is there?"' in content for _, content in said(house)[1:])
    refused = wait_for(lambda: [agent for agent in (ada, ben) if agent.shows("Not said: 1 post you had not seen")])
    assert len(refused) == 1
    wait_for(lambda: refused[0].shows("say_to_room: (my draft)"))

    assert person.say("p-2", "Ben こんにちは 🎉", "Ben").delivered
    wait_for(lambda: len(said(house)) == 5)
    assert said(house)[4] == ("Ben", "Personさん、「Ben こんにちは 🎉」を受け取りました。デモ用のBenです。")
    wait_for(lambda: ada.shows("デモ用のBenです"))
    assert len(said(house)) == 5


def test_an_agent_is_answered_only_when_it_addresses_and_then_without_addressing(
    house: SeatHouse, start: Callable[[str], AgentTerminal]
) -> None:
    ada = start("Ada")
    ada.post(Post("g-1", "Robot", "hello all", "2026-11-30T01:00:00Z", role="codex_cli"))
    ada.post(Post("g-2", "Robot", "hello Ada", "2026-11-30T01:00:00Z", role="codex_cli", to=("Ada",)))
    wait_for(lambda: len(said(house)) == 1)
    post = house.outside.logs[TOPIC][0]
    assert post.content == 'Hello Robot, I heard "hello Ada". This is Ada, a demo agent.'
    assert post.to == ()


def test_a_long_post_arrives_whole_and_a_resize_redraws(
    house: SeatHouse, start: Callable[[str], AgentTerminal]
) -> None:
    ada = start("Ada")
    ada.post(Post("p-1", "Person", "長い" * 20_000, "2026-11-30T01:00:00Z", role="admin"))
    wait_for(lambda: len(said(house)) == 1)
    wait_for(lambda: ada.shows("(39000 more characters)"))
    before = len(ada.output)
    ada.pty.setwinsize(30, 90)
    wait_for(lambda: b"\x1b[2J" in ada.output[before:])


def test_what_a_person_types_stays_in_the_terminal(house: SeatHouse, start: Callable[[str], AgentTerminal]) -> None:
    ada = start("Ada")
    ada.type("hello you\r")
    wait_for(lambda: ada.shows("I only answer posts of the room"))
    ada.type("half a line\x03")
    wait_for(lambda: ada.output.endswith(b"\x1b[4C"))
    ada.type("exit\r")
    assert ada.wait_for_end() == 0
    assert b"\x1b[?2004h" in ada.output
    assert ada.output.rstrip().endswith(b"\x1b[?2004l")
    assert said(house) == []


def test_control_c_in_an_empty_box_ends_it_and_its_sidecar(
    house: SeatHouse, start: Callable[[str], AgentTerminal]
) -> None:
    ada = start("Ada")
    ada.type("\x03")
    assert ada.wait_for_end() == 0
    wait_for(lambda: not house.run(house.hub.participants, TOPIC))


def test_without_a_terminal_it_says_so(house: SeatHouse) -> None:
    import subprocess

    command = [sys.executable, PULLCEPT, "demo-agent", "--sidecar", '{"command": "x", "args": []}']
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=20, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "needs a terminal" in done.stderr
