"""Single TOML values on one line, written by a TOML writer."""

from collections.abc import Sequence

import tomli_w


def toml_value(value: str | bool | int | Sequence[str]) -> str:
    """`value` as TOML on one line; lone surrogates, which TOML cannot hold, become U+FFFD."""
    if isinstance(value, str):
        return _scalar(value.encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
    if isinstance(value, bool | int):
        return _scalar(value)
    return "[" + ", ".join(toml_value(item) for item in value) + "]"


def _scalar(value: str | bool | int) -> str:
    return tomli_w.dumps({"v": value}).removeprefix("v = ").removesuffix("\n")
