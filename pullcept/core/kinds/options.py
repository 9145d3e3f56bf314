"""Reads a person's command-line options just far enough to know which ones are there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """One option as given: `args[start:end]` holds it with its value."""

    name: str
    value: str | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Grammar:
    """Which options take a value: always, only when the next word is no option, or all words up to the next option."""

    valued: frozenset[str]
    maybe_valued: frozenset[str] = frozenset()
    many_valued: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Options:
    """The options and the first free word of a line; what stands behind `--` is neither."""

    args: tuple[str, ...]
    options: tuple[Option, ...]
    first_word: str | None

    def find(self, *names: str) -> Option | None:
        """The last option with one of these names: what comes last wins in both CLIs."""
        return next((option for option in reversed(self.options) if option.name in names), None)

    def without(self, *names: str) -> tuple[str, ...]:
        """The line with these options and their values taken out."""
        taken = {at for option in self.options if option.name in names for at in range(option.start, option.end)}
        return tuple(word for at, word in enumerate(self.args) if at not in taken)


def words(text: str) -> frozenset[str]:
    """The words of a text, for lists of option names."""
    return frozenset(text.split())


def read_options(args: Sequence[str], grammar: Grammar) -> Options:
    """Split a line into options and free words. Never fails: what is unknown counts as a flag."""
    found: list[Option] = []
    free: list[str] = []
    at = 0
    while at < len(args):
        if args[at] == "--":
            break
        if not args[at].startswith("-") or args[at] == "-":
            free.append(args[at])
            at += 1
            continue
        options = tuple(_options_at(args, at, grammar))
        found.extend(options)
        at = options[-1].end
    return Options(tuple(args), tuple(found), next(iter(free), None))


def _options_at(args: Sequence[str], at: int, grammar: Grammar) -> Iterator[Option]:
    if not args[at].startswith("--"):
        yield from _short_options(args, at, grammar)
        return
    name, equals, value = args[at].partition("=")
    if equals:
        yield Option(name, value, at, at + 1)
    else:
        yield _with_next(args, at, name, grammar)


def _short_options(args: Sequence[str], at: int, grammar: Grammar) -> Iterator[Option]:
    letters = args[at][1:]
    for place, letter in enumerate(letters):
        name, rest = f"-{letter}", letters[place + 1 :]
        if not rest:
            yield _with_next(args, at, name, grammar)
            return
        if name in grammar.valued | grammar.maybe_valued | grammar.many_valued:
            yield Option(name, rest.removeprefix("="), at, at + 1)
            return
        yield Option(name, None, at, at + 1)


def _with_next(args: Sequence[str], at: int, name: str, grammar: Grammar) -> Option:
    end = at + 1
    if name in grammar.valued:
        end = min(at + 2, len(args))
    elif name in grammar.maybe_valued and _is_free(args, end):
        end += 1
    elif name in grammar.many_valued:
        end = min(at + 2, len(args))
        while _is_free(args, end):
            end += 1
    return Option(name, args[at + 1] if end > at + 1 else None, at, end)


def _is_free(args: Sequence[str], at: int) -> bool:
    return at < len(args) and not args[at].startswith("-")
