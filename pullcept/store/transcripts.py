"""Whether a CLI still has a conversation: its transcript is looked up by id, never by a computed folder name."""

import os
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

_DEEPEST = 8


def conversation_exists(kind_globs: Iterable[tuple[str, str]]) -> bool | None:
    """True or False, or None when nobody can tell (no known place, or a folder that cannot be read).

    Each pair is a folder and a pattern of names separated by `/`; `**` stands for any depth. An
    empty transcript is no conversation.
    """
    looked, blind = False, False
    for root, pattern in kind_globs:
        looked = True
        for found in _walk(root, tuple(pattern.split("/")), _DEEPEST):
            if found:
                return True
            blind = True
    return None if blind or not looked else False


def _walk(folder: str, parts: tuple[str, ...], depth: int) -> Iterator[bool]:
    """True for each transcript with content, False for each place that cannot be looked at."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entries, key=lambda entry: entry.name, reverse=True)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError:
        yield False
        return
    first, rest = parts[0], parts[1:]
    for entry in names:
        if first == "**":
            yield from _any_depth(entry, parts, rest, depth)
        elif fnmatchcase(entry.name, first):
            yield from _walk(entry.path, rest, depth) if rest else _has_content(entry)


def _any_depth(entry: os.DirEntry[str], parts: tuple[str, ...], rest: tuple[str, ...], depth: int) -> Iterator[bool]:
    if fnmatchcase(entry.name, rest[0]):
        yield from _walk(entry.path, rest[1:], depth) if rest[1:] else _has_content(entry)
    elif depth and _is_folder(entry):
        yield from _walk(entry.path, parts, depth - 1)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _has_content(entry: os.DirEntry[str]) -> Iterator[bool]:
    try:
        if entry.is_file() and entry.stat().st_size > 0:
            yield True
    except FileNotFoundError:
        return
    except OSError:
        yield False
