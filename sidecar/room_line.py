"""The bridge's way to the room: where it is, what the bridge says of itself, and the connection."""

from __future__ import annotations

import os
import socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CONNECT_SECONDS = 2.0
UPGRADE_SECONDS = 5.0
IO_SECONDS = 10.0
MAX_HEAD_BYTES = 16 * 1024
PIECE_BYTES = 256 * 1024
LOOPBACK = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1"}


class Unreachable(Exception):
    """The room cannot be reached; the text says why, for people and models."""


class RoomLine:
    """How one bridge reaches its room. Made from the environment of the CLI; opens any number of connections."""

    def __init__(self, environ: Mapping[str, str], entry: str) -> None:
        self._url = environ.get("PULLCEPT_ROOM_URL", "")
        self._headers = {
            "Authorization": f"Bearer {environ.get('PULLCEPT_ROOM_TOKEN', '')}",
            "X-Pullcept-Entry": percent(entry),
            "X-Pullcept-Instance": os.urandom(16).hex(),
            **_claims(environ),
        }

    @property
    def is_named(self) -> bool:
        """Some address was given; without one there is no room to ask for."""
        return bool(self._url)

    def open(self) -> tuple[socket.socket, bytes]:
        """Connect and upgrade. Gives the socket and what came behind the answer. Raises Unreachable."""
        host, port = address_of(self._url)
        request = self._request(host, port)
        try:
            door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        except OSError as error:
            raise Unreachable(_cause(error, port)) from None
        try:
            door.settimeout(CONNECT_SECONDS)
            door.connect((host, port))
            door.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            door.settimeout(UPGRADE_SECONDS)
            door.sendall(request)
            rest = _read_head(door)
            door.settimeout(IO_SECONDS)
        except OSError as error:
            door.close()
            raise Unreachable(_cause(error, port)) from None
        except Unreachable:
            door.close()
            raise
        return door, rest

    def _request(self, host: str, port: int) -> bytes:
        fixed = {"Host": f"{host}:{port}", "Connection": "Upgrade", "Upgrade": "pullcept-mcp"}
        lines = [f"{name}: {value}" for name, value in {**fixed, **self._headers}.items()]
        if not all(line.isascii() and line.isprintable() for line in lines):
            raise Unreachable("a PULLCEPT_ value in the environment holds characters that no such value has")
        return "\r\n".join(["GET /mcp HTTP/1.1", *lines, "", ""]).encode("ascii")


def address_of(url: str) -> tuple[str, int]:
    """Host and port of the room. Raises Unreachable for anything that is not on this computer."""
    authority = url.partition("://")[2].partition("/")[0]
    name, _, number = authority.rpartition(":")
    host = LOOPBACK.get(name)
    is_port = number.isascii() and number.isdigit() and len(number) <= 5 and 0 < int(number) < 65536
    if host is None or not is_port:
        raise Unreachable("PULLCEPT_ROOM_URL is not an address on this computer")
    return host, int(number)


def percent(text: str) -> str:
    """Percent-encoded UTF-8, as URLs have it. (`urllib.parse` would double the time of a start.)"""
    plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in text.encode("utf-8", "replace"))


def _claims(environ: Mapping[str, str]) -> dict[str, str]:
    """What the bridge says about whose it is: the launch it belongs to, or that it comes as a guest."""
    launch = environ.get("PULLCEPT_LAUNCH")
    if launch:
        control = environ.get("PULLCEPT_CONTROL")
        return {"X-Pullcept-Launch": launch, **({"X-Pullcept-Control": control} if control else {})}
    room, name = environ.get("PULLCEPT_ROOM_ID"), environ.get("PULLCEPT_AGENT_NAME")
    if environ.get("PULLCEPT_ACCOUNT_ID") or not room or not name:
        return {}
    hue = environ.get("PULLCEPT_AGENT_HUE")
    guest = {"X-Pullcept-Room": percent(room), "X-Pullcept-Name": percent(name)}
    return {**guest, **({"X-Pullcept-Hue": hue} if hue else {})}


def _read_head(door: socket.socket) -> bytes:
    """Read the answer to the upgrade; gives the bytes behind it. Raises Unreachable unless it is a 101."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = door.recv(4096)
        if not piece or len(data) > MAX_HEAD_BYTES:
            raise Unreachable("whatever listens at the room's address does not answer like the room")
        data += piece
    head, _, rest = data.partition(b"\r\n\r\n")
    status = head.split(b"\r\n", 1)[0].decode("ascii", "replace").split(" ", 2)
    if not status[0].startswith("HTTP/1.") or len(status) < 2:
        raise Unreachable("whatever listens at the room's address does not answer like the room")
    if status[1] == "401":
        raise Unreachable("the room does not know this session; it was started by another run of the app")
    if status[1] != "101":
        raise Unreachable(f"the room answered {' '.join(status[1:])[:80]}")
    return rest


def _cause(error: OSError, port: int) -> str:
    if isinstance(error, ConnectionRefusedError):
        return f"nothing listens at port {port}; Pullcept is probably closed"
    if isinstance(error, TimeoutError):
        return f"whatever listens at port {port} does not answer"
    return error.strerror or type(error).__name__
