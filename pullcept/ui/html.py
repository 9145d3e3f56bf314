"""The body of a post as HTML of our own: Markdown is read, every piece of text is escaped.

Only the tags written here can come out; nothing here names a file or an address to fetch. Links
carry `http(s)` addresses or our own `pullcept:` names, which the window knows.
"""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

HIGHLIGHTED_LINES = 200
LEAST_COLUMNS = 20
FOLD_LINES = 40
FOLD_CHARACTERS = 4_000
FOLDED_LINES = 16
FOLDED_CHARACTERS = 1_600
SHOWN_CHARACTERS = 60_000
"""More of one post is never drawn; copying its text gives all of it."""

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
_WORD = re.compile(rf"[^\s\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]{{{LEAST_COLUMNS},}}")


@dataclass(frozen=True, slots=True)
class Body:
    """A drawn body. `codes`: the code blocks as written, for copying; the n-th has the link `copy/n`."""

    html: str
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Room:
    """How much fits on a line: characters of a word of running text, columns of code."""

    word: int = 70
    code: int = 80


@dataclass(frozen=True, slots=True)
class Cut:
    """The part of a text to draw. `folded`: it can be unfolded; `hidden`: characters that are never drawn."""

    text: str
    folded: bool = False
    lines: int = 0
    hidden: int = 0


def escape(text: str) -> str:
    """Text that stays text: control and direction characters gone, the five characters escaped."""
    return _CONTROLS.sub("\ufffd", text).translate(_ESCAPES)


def cut(text: str, *, unfolded: bool) -> Cut:
    """The part of a body to draw, folded when long unless `unfolded`."""
    lines = text.count("\n") + 1
    is_long = lines > FOLD_LINES or len(text) > FOLD_CHARACTERS
    if is_long and not unfolded:
        head = "\n".join(text[: FOLDED_CHARACTERS * 2].split("\n")[:FOLDED_LINES])[:FOLDED_CHARACTERS]
        return Cut(head, folded=True, lines=lines)
    return Cut(text[:SHOWN_CHARACTERS], lines=lines, hidden=max(0, len(text) - SHOWN_CHARACTERS))


@functools.cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 20})
    return reader.enable(["table", "strikethrough"]).disable("entity")


def body(text: str, *, code_tools: str = "", name: str = "", room: Room = Room()) -> Body:
    """The HTML of a body. `code_tools`: markup for the head of a code block; `name`: the row in its links."""
    return _Writer(code_tools, name, room).write(_reader().parse(_CONTROLS.sub("\ufffd", text)))


def _open(tag: str) -> Callable[["_Writer", Token], str]:
    return lambda writer, token: f"<{tag}>"


def _close(tag: str) -> Callable[["_Writer", Token], str]:
    return lambda writer, token: f"</{tag}>"


class _Writer:
    def __init__(self, code_tools: str, name: str, room: Room) -> None:
        self._code_tools, self._room = code_tools, room
        self._name = name
        self._codes: list[str] = []
        self._in_link = False

    def write(self, tokens: Sequence[Token]) -> Body:
        html = "".join(self._token(token) for token in tokens)
        return Body(html, tuple(self._codes))

    def _token(self, token: Token) -> str:
        make = _MADE.get(token.type)
        return make(self, token) if make else escape(token.content)

    def inline(self, token: Token) -> str:
        return "".join(self._token(child) for child in token.children or ())

    def text(self, token: Token) -> str:
        return self._broken(token.content) if self._in_link else self._with_links(token.content)

    def paragraph(self, token: Token) -> str:
        return "" if token.hidden else "<p>"

    def paragraph_end(self, token: Token) -> str:
        return "" if token.hidden else "</p>"

    def heading(self, token: Token) -> str:
        return f'<div class="h{min(int(token.tag[1:]), 3)}">'

    def ordered(self, token: Token) -> str:
        start = token.attrs.get("start")
        return f'<ol start="{int(start)}">' if isinstance(start, int) else "<ol>"

    def inline_code(self, token: Token) -> str:
        return f"<span class=ic>{self._broken(token.content)}</span>"

    def link(self, token: Token) -> str:
        address = str(token.attrs.get("href", ""))
        self._in_link = True
        return f'<a href="{escape(address)}">' if is_web_address(address) else "<a>"

    def link_end(self, token: Token) -> str:
        self._in_link = False
        return "</a>"

    def image(self, token: Token) -> str:
        address = str(token.attrs.get("src", ""))
        words = token.content or address
        return (
            f'<a href="{escape(address)}">{self._broken(words)}</a>' if is_web_address(address) else self._broken(words)
        )

    def code(self, token: Token) -> str:
        number, language = len(self._codes), token.info.strip().split(" ")[0][:30]
        self._codes.append(token.content)
        tools = (
            f'<a href="pullcept:copy/{escape(self._name)}/{number}">{self._code_tools}</a>' if self._code_tools else ""
        )
        label = escape(language) or "&nbsp;"
        head = f"<table class=wide><tr><td class=ch>{label}</td><td class=mk>{tools}</td></tr></table>"
        return f"<div class=code>{head}<div class=pre>{coloured(token.content, language, self._room.code)}</div></div>"

    def cell(self, token: Token) -> str:
        align = {"text-align:right": "right", "text-align:center": "center"}.get(str(token.attrs.get("style", "")))
        return f'<{token.tag} style="text-align:{align}">' if align else f"<{token.tag}>"

    def _with_links(self, text: str) -> str:
        parts, done = [], 0
        for found in _ADDRESS.finditer(text):
            address = _trimmed(found.group())
            parts.append(self._broken(text[done : found.start()]))
            parts.append(f'<a href="{escape(address)}">{self._broken(address)}</a>')
            done = found.start() + len(address)
        parts.append(self._broken(text[done:]))
        return "".join(parts)

    def _broken(self, text: str) -> str:
        """Escaped text in which a word of any length fits the column."""
        most = max(self._room.word, LEAST_COLUMNS)

        def split(found: re.Match[str]) -> str:
            word = found.group()
            return " ".join(word[at : at + most] for at in range(0, len(word), most))

        return escape(_WORD.sub(split, text))


_MADE: Mapping[str, Callable[[_Writer, Token], str]] = {
    "inline": _Writer.inline,
    "text": _Writer.text,
    "softbreak": lambda writer, token: "<br>",
    "hardbreak": lambda writer, token: "<br>",
    "paragraph_open": _Writer.paragraph,
    "paragraph_close": _Writer.paragraph_end,
    "heading_open": _Writer.heading,
    "heading_close": _close("div"),
    "strong_open": _open("b"),
    "strong_close": _close("b"),
    "em_open": _open("i"),
    "em_close": _close("i"),
    "s_open": _open("s"),
    "s_close": _close("s"),
    "code_inline": _Writer.inline_code,
    "link_open": _Writer.link,
    "link_close": _Writer.link_end,
    "image": _Writer.image,
    "bullet_list_open": _open("ul"),
    "bullet_list_close": _close("ul"),
    "ordered_list_open": _Writer.ordered,
    "ordered_list_close": _close("ol"),
    "list_item_open": _open("li"),
    "list_item_close": _close("li"),
    "blockquote_open": _open("div class=quo"),
    "blockquote_close": _close("div"),
    "hr": lambda writer, token: "<div class=hr></div>",
    "fence": _Writer.code,
    "code_block": _Writer.code,
    "table_open": _open("table class=tb"),
    "table_close": _close("table"),
    "thead_open": lambda writer, token: "",
    "thead_close": lambda writer, token: "",
    "tbody_open": lambda writer, token: "",
    "tbody_close": lambda writer, token: "",
    "tr_open": _open("tr"),
    "tr_close": _close("tr"),
    "th_open": _Writer.cell,
    "th_close": _close("th"),
    "td_open": _Writer.cell,
    "td_close": _close("td"),
}

_ADDRESS = re.compile(r"https?://[^\s<>\"'`|\u3000-\u303f\uff00-\uffef]+", re.IGNORECASE)
_TRAILING = ".,;:!?*_~"


def is_web_address(address: str) -> bool:
    """Whether an address may be handed to the browser."""
    return address.lower().startswith(("http://", "https://"))


def _trimmed(address: str) -> str:
    address = address.rstrip(_TRAILING)
    while address.endswith(")") and address.count("(") < address.count(")"):
        address = address[:-1].rstrip(_TRAILING)
    return address


def coloured(code: str, language: str, columns: int) -> str:
    """Escaped code, in colours when the language is known and the block not too long."""
    code = "\n".join(_short_lines(code.rstrip("\n").expandtabs(4).split("\n"), columns))
    if language and code.count("\n") < HIGHLIGHTED_LINES and len(code) < 20_000:
        pieces = _pieces(code, language)
        if pieces is not None:
            return "".join(pieces)
    return escape(code)


def _short_lines(lines: Sequence[str], columns: int) -> list[str]:
    columns = max(columns, LEAST_COLUMNS)
    return [line[at : at + columns] for line in lines for at in range(0, max(1, len(line)), columns)]


def _pieces(code: str, language: str) -> list[str] | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    return [_piece(str(kind), text) for kind, text in lexer.get_tokens(code)]


_KINDS = (
    ("Token.Keyword", "ck"),
    ("Token.Operator.Word", "ck"),
    ("Token.Name.Function", "cn"),
    ("Token.Name.Class", "cn"),
    ("Token.Comment", "cc"),
    ("Token.Literal", "cv"),
)


def _piece(kind: str, text: str) -> str:
    name = next((name for prefix, name in _KINDS if kind.startswith(prefix)), "")
    return f"<span class={name}>{escape(text)}</span>" if name and text.strip() else escape(text)
