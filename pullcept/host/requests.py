"""What an HTTP request must show before it is let in, and which door it asks for. No I/O."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote_to_bytes

from pullcept.core.launch import same_secret

MCP_UPGRADE = "pullcept-mcp"


@dataclass(frozen=True, slots=True)
class RequestHead:
    """Method, target and headers (lower-case names, in order) of one request."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a header."""
        return tuple(value for key, value in self.headers if key == name)

    def one(self, name: str) -> str | None:
        """The value of a header that stands there exactly once, else None."""
        values = self.all(name)
        return values[0] if len(values) == 1 else None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A status and one line for the person who reads it. `extra`: further headers."""

    status: int
    text: str
    extra: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class HookPath:
    """Where a hook POST goes. `event` is None for a status line report."""

    kind: Literal["status", "activity"]
    topic_id: str
    account_id: str
    event: str | None = None


def request_head(method: str, target: str, headers: Iterable[tuple[str, str]]) -> RequestHead:
    """A request with its header names lower-cased."""
    return RequestHead(method, target, tuple((name.lower(), value) for name, value in headers))


def refuse_stranger(head: RequestHead, port: int) -> Refusal | None:
    """Refuse what a web page can make a browser send: any `Origin`, any `Host` but our own."""
    if head.all("origin"):
        return Refusal(403, "requests with an Origin header are refused")
    host = (head.one("host") or "").strip().lower()
    if host not in (f"127.0.0.1:{port}", f"localhost:{port}"):
        return Refusal(403, "requests for another host are refused")
    return None


def refuse_token(head: RequestHead, token: str) -> Refusal | None:
    """Refuse a request without the room token as its bearer."""
    if same_secret(bearer(head), token):
        return None
    return unauthorized("the room token is missing or wrong")


def unauthorized(text: str) -> Refusal:
    """A 401 with the header that belongs to it."""
    return Refusal(401, text, (("WWW-Authenticate", "Bearer"),))


def bearer(head: RequestHead) -> str:
    """The bearer secret of a request, empty when there is none (or more than one)."""
    scheme, _, secret = (head.one("authorization") or "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def path_of(target: str) -> str:
    """The path of a request target, still percent-encoded, without its query."""
    return target.partition("?")[0].partition("#")[0]


def hook_path(target: str) -> HookPath | None:
    """Read `/hooks/status/<topic>/<account>` or `/hooks/activity/<event>/<topic>/<account>`, else None."""
    parts = path_of(target).split("/")
    try:
        names = [unquote_to_bytes(part).decode("utf-8") for part in parts]
    except UnicodeDecodeError:
        return None
    if names[:3] == ["", "hooks", "status"] and len(names) == 5 and all(names[3:]):
        return HookPath("status", names[3], names[4])
    if names[:3] == ["", "hooks", "activity"] and len(names) == 6 and all(names[3:]):
        return HookPath("activity", names[4], names[5], names[3])
    return None
