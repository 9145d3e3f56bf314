"""What the person has written and not sent, topic by topic, in `state.json`: it survives a restart and a kill."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pullcept.store.settings import FileBroken, JsonFile

TOPICS, TEXT, FILES = "topics", "unsent", "chips"

Unsent = tuple[str, tuple[str, ...]]
"""A text and the paths of the files that go with it."""


class UnsentFile:
    """Reads and writes the unsent texts; every other key of the file stays as it is."""

    def __init__(self, path: Path) -> None:
        self._file = JsonFile(path)
        self._object: dict[str, Any] = {}

    @property
    def broken(self) -> str:
        """Why the file cannot be used; empty when it can. It is left as it is then."""
        return self._file.broken

    def load(self) -> dict[str, Unsent]:
        """The unsent texts by topic id."""
        self._object = self._file.load()
        topics = self._object.get(TOPICS, {})
        if not isinstance(topics, dict):
            self._file.refuse(f"“{TOPICS}” is not an object")
            return {}
        found = {topic_id: _unsent(kept) for topic_id, kept in topics.items()}
        return {topic_id: unsent for topic_id, unsent in found.items() if unsent[0].strip() or unsent[1]}

    def save(self, unsent: Mapping[str, Unsent], known: Callable[[str], bool]) -> None:
        """Write them; topics that are not `known` any more leave the file. Raises `NotSaved`."""
        if self._file.broken:
            raise FileBroken(self._file.broken)
        topics = {
            topic_id: {key: value for key, value in kept.items() if key not in {TEXT, FILES}}
            for topic_id, kept in self._object.get(TOPICS, {}).items()
            if isinstance(kept, dict) and known(topic_id)
        }
        for topic_id, (text, files) in unsent.items():
            if known(topic_id) and (text.strip() or files):
                topics.setdefault(topic_id, {}).update({TEXT: text, FILES: list(files)})
        changed = {**self._object, TOPICS: {topic_id: kept for topic_id, kept in topics.items() if kept}}
        if changed != self._object:
            self._file.save(changed)
            self._object = changed


def _unsent(kept: Any) -> Unsent:
    """What one entry holds; nothing for an entry of another shape."""
    if not isinstance(kept, dict):
        return "", ()
    text, files = kept.get(TEXT), kept.get(FILES)
    paths = files if isinstance(files, list) else []
    return text if isinstance(text, str) else "", tuple(path for path in paths if isinstance(path, str))
