"""Attachments of a post: the names they are stored under, and the block of paths that ends the post's text."""

import re
import unicodedata
from collections.abc import Sequence

from pullcept.core.topic import TopicIdError, check_topic_id, is_device
from pullcept.core.unread import ATTACHMENT_HEADS, LINE_END, attachment_block_start

MAX_NAME = 80
MAX_NAME_BYTES = 240
_MAX_EXTENSION = 20
_FORBIDDEN = re.compile(r'[<>:"/\\|?*@＠]')
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_STORED = re.compile(r"(?:^|[/\\])attachments[/\\]([^/\\]+)[/\\]([^/\\]+)$")


def stored_name(name: str) -> str:
    """A name every platform takes as one plain file, at most 80 characters with its extension kept; never empty."""
    cleaned = "".join("_" if unicodedata.category(char) in _INVISIBLE else char for char in name[: MAX_NAME * 100])
    plain = _FORBIDDEN.sub("_", cleaned).strip(" ").rstrip(". ") or "file"
    return _cut(f"_{plain}" if is_device(plain) else plain, "")


def numbered_name(name: str, number: int) -> str:
    """The name of the `number`th file of the same name: `name (2).ext`; the first one keeps its name."""
    return name if number == 1 else _cut(name, f" ({number})")


def with_attachments(text: str, paths: Sequence[str], head: str) -> str:
    """The body of a post with its attachment block. Raises ValueError for a path that the block cannot hold."""
    if not paths:
        return text
    block = "\n".join((head, *paths))
    if attachment_block_start(block) != 0 or split_attachments(block)[1] != tuple(paths):
        raise ValueError("a path that is not absolute or holds a line end cannot be written into a post")
    return f"{text}\n\n{block}" if text else block


def split_attachments(text: str) -> tuple[str, tuple[str, ...]]:
    """The text before the attachment block, and the paths of the block; no paths when there is no block."""
    start = attachment_block_start(text)
    if start is None:
        return text, ()
    lines = LINE_END.split(text[start:].rstrip())
    return text[:start].rstrip(), tuple(lines[1:])


def stored_file(path: str) -> tuple[str, str] | None:
    """Topic and file of a path that ends in `attachments/<topic>/<file>`, by either slash; None for any other path.

    Both are plain file names; nothing is said about whether the file exists.
    """
    found = _STORED.search(path)
    if found is None:
        return None
    topic_id, name = found.groups()
    try:
        check_topic_id(topic_id)
    except TopicIdError:
        return None
    plain = name not in {".", ".."} and ":" not in name and not any(ord(char) < 32 for char in name)
    return (topic_id, name) if plain else None


def head_for(japanese: bool) -> str:
    """The first line of the block in the language of the room."""
    return ATTACHMENT_HEADS[0 if japanese else 1]


def _cut(name: str, number: str) -> str:
    if not number and len(name) <= MAX_NAME and len(name.encode()) <= MAX_NAME_BYTES:
        return name
    stem, dot, ending = name.rpartition(".")
    extension = dot + ending
    if not stem.strip(".") or len(extension) > _MAX_EXTENSION:
        stem, extension = name, ""
    stem = stem[: MAX_NAME - len(extension) - len(number)]
    while len(f"{stem}{number}{extension}".encode()) > MAX_NAME_BYTES:
        stem = stem[:-1]
    return f"{stem.rstrip('. ') or 'file'}{number}{extension}"
