"""How Windows reads a command line back: the C runtime's rules and those of cmd.exe, for checking what we wrote."""

import re


def argv_of(line: str) -> list[str]:
    """Split a command line as the C runtime does (backslashes, quotes, doubled quotes)."""
    words: list[str] = []
    word, quoted, begun, at = "", False, False, 0
    while at < len(line):
        char = line[at]
        if char == "\\":
            count = len(line[at:]) - len(line[at:].lstrip("\\"))
            at += count
            if at < len(line) and line[at] == '"':
                word += "\\" * (count // 2)
                if count % 2:
                    word += '"'
                    at += 1
            else:
                word += "\\" * count
            begun = True
            continue
        if char == '"':
            if quoted and line[at + 1 : at + 2] == '"':
                word += '"'
                at += 1
            else:
                quoted = not quoted
            begun = True
        elif char in " \t" and not quoted:
            if begun:
                words.append(word)
            word, begun = "", False
        else:
            word += char
            begun = True
        at += 1
    return [*words, word] if begun else words


def batch_argv(arguments: str, variables: dict[str, str]) -> tuple[str, list[str]]:
    """What a batch file that passes `%*` on gives its program: (batch file, arguments).

    Raises AssertionError when cmd.exe would find something to run, to redirect or to expand.
    """
    found = re.fullmatch(r'/d /e:ON /v:OFF /s /c "(.*)"', arguments, re.DOTALL)
    assert found, arguments
    line = expanded(found[1], {"cd": "C:\\here", **variables})
    quoted = False
    for char in line:
        if char == '"':
            quoted = not quoted
        assert quoted or char not in "&|<>^()", f"cmd.exe would act on {char!r} in {line!r}"
    words = argv_of(line)
    return words[0], words[1:]


def expanded(line: str, variables: dict[str, str]) -> str:
    """Percent signs as cmd.exe expands them on a command line, with substrings (`%name:~a,b%`)."""
    names = {key.lower(): value for key, value in variables.items()}

    def value(found: re.Match[str]) -> str:
        name, _, cut = found[1].partition(":~")
        if name.lower() not in names:
            return found[0]
        whole = names[name.lower()]
        if not cut:
            return whole
        start, _, length = cut.partition(",")
        begin = int(start or 0)
        return whole[begin : begin + int(length or 0)] if "," in cut else whole[begin:]

    at, made = 0, ""
    while at < len(line):
        found = re.compile(r"%([^%:]+(?::~[^%]*)?)%").match(line, at)
        if found and value(found) != found[0]:
            made += value(found)
            at = found.end()
        else:
            made += line[at]
            at += 1
    return made
