"""A topic as a document for people: Markdown, or one HTML page that needs nothing beside it."""

import base64
import re
from collections.abc import Callable, Iterable, Iterator
from html import escape

from pullcept.core.attachment import split_attachments
from pullcept.core.post import Post
from pullcept.core.tag import clean_body
from pullcept.core.unread import LINE_END

Picture = Callable[[str], tuple[str, bytes] | None]
"""The media type and bytes of a path that may be shown as a picture; None for every other path."""

_STYLE = """\
:root { color-scheme: light dark; }
body { font-family: system-ui, sans-serif; line-height: 1.6; max-width: 46em; margin: 2em auto; padding: 0 1em; }
article { margin: 1.2em 0; }
header { font-weight: 600; }
time, .to { font-weight: 400; opacity: .7; font-size: .85em; }
.body { white-space: pre-wrap; overflow-wrap: anywhere; }
img { max-width: 100%; max-height: 30em; display: block; margin: .5em 0; }"""
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def markdown_lines(title: str, posts: Iterable[Post]) -> Iterator[str]:
    """The topic as Markdown, piece by piece.

    Each post is a quote below its heading: no text can close it and go on in another name.
    """
    yield f"# {_one_line(title)}\n"
    for post in posts:
        text, paths = split_attachments(clean_body(post.content))
        listed = "".join(f"\n- `{path.replace('`', '')}`" for path in paths)
        body = f"{text}\n{listed}" if listed else text
        yield f"\n**{_marked(post.speaker)}**{_addressed(post, _marked)} · {_marked(post.ts)}\n\n"
        yield "".join(f"> {line}".rstrip() + "\n" for line in LINE_END.split(body))


def html_lines(title: str, posts: Iterable[Post], picture: Picture) -> Iterator[str]:
    """The topic as one HTML page, piece by piece. Nothing in it is fetched; what was posted stays text."""
    name = escape(_one_line(title))
    yield f'<!DOCTYPE html>\n<html><head><meta charset="utf-8">\n<title>{name}</title>\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
    yield f"<style>\n{_STYLE}\n</style></head>\n<body><h1>{name}</h1>\n"
    for post in posts:
        text, paths = split_attachments(clean_body(post.content))
        head = f"{escape(_one_line(post.speaker))}<span class=to>{escape(_addressed(post, _one_line))}</span>"
        yield f"<article><header>{head} <time>{escape(_one_line(post.ts))}</time></header>\n"
        yield f"<div class=body>{escape(text)}</div>\n"
        yield from (_attached(path, picture(path)) for path in paths)
        yield "</article>\n"
    yield "</body></html>\n"


def _attached(path: str, shown: tuple[str, bytes] | None) -> str:
    name = escape(re.split(r"[/\\]", path)[-1])
    if shown is None:
        return f"<p>{name}</p>\n"
    data = base64.b64encode(shown[1]).decode("ascii")
    return f'<img alt="{name}" src="data:{escape(shown[0])};base64,{data}">\n'


def _addressed(post: Post, written: Callable[[str], str]) -> str:
    return f" → {', '.join(written(name) for name in post.to)}" if post.to else ""


def _one_line(text: str) -> str:
    return " ".join(clean_body(text).split())


def _marked(text: str) -> str:
    """A text that means nothing else in Markdown."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", _one_line(text))
