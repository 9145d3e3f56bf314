"""What the version of a CLI means for a start: measured with, newer, or older than what was measured."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_VERSION = re.compile(r"(?<![\w.])(\d{1,6}(?:\.\d{1,6}){1,3})")
_OPTION = re.compile(r"--[a-z][a-z-]*")


@dataclass(frozen=True, slots=True)
class CliVersion:
    """What a program told of itself. `version`: "" when it told none. `options`: the long options of its help text."""

    version: str = ""
    options: frozenset[str] = frozenset()

    def is_older_than(self, measured: str) -> bool:
        """Whether this is a version before the measured one; one that is not known is not."""
        return bool(self.version) and _numbers(self.version) < _numbers(measured)

    def unknown(self, options: Iterable[str]) -> tuple[str, ...]:
        """Those of the given options that the help text does not name; none when there was no help text."""
        return tuple(option for option in options if option not in self.options) if self.options else ()


def version_in(text: str) -> str:
    """The first version number in what a program prints for `--version`; "" when there is none."""
    found = _VERSION.search(text)
    return found[1] if found else ""


def options_in(text: str) -> frozenset[str]:
    """The long options that a text names."""
    return frozenset(_OPTION.findall(text))


def added_options(argv: Iterable[str], theirs: Iterable[str]) -> tuple[str, ...]:
    """The long options of a line that the app added to the person's own."""
    known = set(theirs)
    return tuple(dict.fromkeys(word for word in argv if _OPTION.fullmatch(word) and word not in known))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
