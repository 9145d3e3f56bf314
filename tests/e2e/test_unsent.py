"""Unsent text across runs of the app."""

import json
import time
from pathlib import Path

from pullcept.core.screen import UnsentKept
from tests.e2e.running_app import PERSON, RunningApp


def _kept(app: RunningApp) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {event.topic_id: (event.text, event.files) for event in app.events if isinstance(event, UnsentKept)}


def test_unsent_text_comes_back_at_the_next_start(tmp_path: Path) -> None:
    with RunningApp(tmp_path, []) as app:
        app.say("hello")
        app.wait_for_row(PERSON.name)
        said = app.topic_id
        app.app.keep_unsent(said, "half a thought", ("/home/mio/cat.png",))
        app.app.keep_unsent(app.app._topics.new(), "never said", ())
        known = app.app._topics.new()
        app.app.keep_unsent(known, "", ())
    with RunningApp(tmp_path, []) as app:
        assert _kept(app)[said] == ("half a thought", ("/home/mio/cat.png",))
        assert _kept(app)[app.topic_id] == ("never said", ())
        app.app.keep_unsent(said, "", ())
    with RunningApp(tmp_path, []) as app:
        assert _kept(app) == {app.topic_id: ("never said", ())}


def test_unsent_text_is_on_disk_before_the_app_ends(tmp_path: Path) -> None:
    with RunningApp(tmp_path, []) as app:
        app.app.keep_unsent(app.topic_id, "typed", ())
        limit = time.monotonic() + 20
        while not app.folder.state.exists():
            assert time.monotonic() < limit, "the file did not come"
            time.sleep(0.01)
        assert json.loads(app.folder.state.read_text(encoding="utf-8"))["topics"][app.topic_id]["unsent"] == "typed"


def test_a_deleted_topic_takes_its_unsent_text_with_it(tmp_path: Path) -> None:
    with RunningApp(tmp_path, []) as app:
        app.say("hello")
        app.wait_for_row(PERSON.name)
        app.app.keep_unsent(app.topic_id, "half", ())
        app.app.delete_topic(app.topic_id)
    with RunningApp(tmp_path, []) as app:
        assert _kept(app) == {}
