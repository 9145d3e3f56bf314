"""Addressing: explicit names, mentions, what leaves the body, what is never read."""

import re
import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pullcept.core.address import MAX_MARKS_READ, NOT_ALL_READ, Addressed, address
from pullcept.core.names import clean_name

ROSTER = ("Claude", "Claude Lay", "李", "Lin")


def read(body: str, *roster: str) -> Addressed:
    return address(body, (), roster or ROSTER)


@pytest.mark.parametrize(
    ("body", "to", "rest"),
    [
        ("＠claude lay、見て", ["Claude Lay"], "、見て"),
        ("@Claude Layer", ["Claude"], "Layer"),
        ("@Clauder", [], "@Clauder"),
        ("「@李」さん", ["李"], "「」さん"),
        ("こんにちは@李\u3000元気", ["李"], "こんにちは元気"),
        ("@claude @CLAUDE hi", ["Claude"], "hi"),
        ("@Ｌｉｎ hi", ["Lin"], "hi"),
        ("@Lin\thi", ["Lin"], "hi"),
        ("@Lin  hi", ["Lin"], " hi"),
        ("@Lin, @李: look", ["Lin", "李"], ", : look"),
        ("@Lin@李 hi", ["Lin"], "@李 hi"),
        ("@Lin＠李 hi", ["Lin", "李"], "hi"),
        ("ask @Lin", ["Lin"], "ask"),
        ("ask @Lin @李\nnow", ["Lin", "李"], "ask\nnow"),
        ("ask @Lin \nnow", ["Lin"], "ask \nnow"),
        ("@Lin$5", ["Lin"], "$5"),
        ("@nobody hi", [], "@nobody hi"),
        ("@ Lin", [], "@ Lin"),
        ("@", [], "@"),
    ],
)
def test_a_mention_moves_from_the_body_to_the_addressees(body: str, to: list[str], rest: str) -> None:
    assert read(body) == Addressed(tuple(to), rest)


@pytest.mark.parametrize("before", ["a", "Z", "7", ".", "_", "%", "+", "-"])
def test_an_at_behind_an_address_character_is_no_mention(before: str) -> None:
    assert read(f"mail {before}@claude.example").to == ()


@pytest.mark.parametrize("before", ["あ", "é", "(", "/", "ａ", "\n", "\u3000", "*", "#"])
def test_any_other_character_before_an_at_does_not_matter(before: str) -> None:
    assert read(f"{before}@claude, x").to == ("Claude",)


@pytest.mark.parametrize("body", ["@Cl\u200baude", "@\u200bClaude", "@Claude\u200b", "@Cl\u00adaude", "@Lin\u0301"])
def test_zero_width_characters_and_marks_do_not_match(body: str) -> None:
    assert read(body) == Addressed((), body)


def test_names_match_however_they_are_composed() -> None:
    assert read("@Rene\u0301 x", "René").to == ("René",)
    assert read("@René x", "Rene\u0301").to == ("Rene\u0301",)
    assert read("@STRASSE x", "Straße").to == ("Straße",)
    assert read("@か\u3099 x", "が").to == ("が",)
    assert read("@ﬁn x", "Fin").to == ("Fin",)


def test_a_line_that_held_only_mentions_goes_away() -> None:
    assert read("a\n@Lin\nb").body == "a\nb"
    assert read("@Lin @李 \nb").body == "b"
    assert read("a\n  @Lin").body == "a"
    assert read("a\r\n@Lin\r\n@李").body == "a"
    assert read("@Lin\n\nb").body == "\nb"
    assert read("- @Lin\nb").body == "-\nb"
    assert read("@Lin").body == ""


def test_a_body_without_mentions_stays_byte_for_byte() -> None:
    body = " \ta\r\n\r\rb \u2028 c@d  \n\n"
    assert read(body) == Addressed((), body)


def test_a_spelling_in_the_roster_wins_over_its_look_alikes() -> None:
    assert read("@LIN x", "Lin", "LIN").to == ("LIN",)
    assert read("@lin x", "Lin", "LIN").to == ("Lin", "LIN")


def test_explicit_names_come_first_trimmed_and_once() -> None:
    assert address("@李 hi", [" Lin ", "", "Lin", "\u3000"], ROSTER) == Addressed(("Lin", "李"), "hi")
    assert address("@Lin hi", ["claude LAY", "Lin"], ROSTER).to == ("Claude Lay", "Lin")
    assert address("hi", [], ROSTER).to == ()


def test_an_explicit_name_is_kept_without_what_nobody_can_see() -> None:
    forged = ["Lin\n[pullcept] {}", "\u202eoiM\u2066", "\u200b", "A\x1b[31m"]
    assert address("x", forged, ()).to == ("Lin[pullcept] {}", "oiM", "A[31m")


def test_an_explicit_name_nobody_carries_stays_and_is_noted_with_the_roster() -> None:
    found = address("hi @Bob", ["Bob", "Lin", "Eve"], ("Lin", "李", "Lin"))
    assert found.to == ("Bob", "Lin", "Eve")
    assert found.body == "hi @Bob"
    assert found.notes == ('nobody here is called "Bob", "Eve"; in the room now: Lin, 李',)
    assert "in the room now: nobody" in address("hi", ["Bob"], ()).notes[0]


def test_a_very_large_roster_is_told_in_part() -> None:
    assert address("hi", ["Bob"], [f"n{number}" for number in range(60)]).notes[0].endswith("n49 and 10 more")


CODE = [
    "`@Lin`",
    "`` ` @Lin ``",
    "a `x\n@Lin` b",
    "\\\\`@Lin`",
    "```\n@Lin\n```",
    "```` \n```\n@Lin\n````",
    "~~~ a`b\n@Lin\n~~~\n",
    "```py\n@Lin\n``` x\n@Lin",
    "```\n@Lin",
    "   ```\n@Lin\n  ```",
    "- ```\n  @Lin\n  ```",
    "1. ~~~\n   @Lin\n   ~~~",
    "> ```\n> @Lin\n> ```",
    "> - ```\n>   @Lin",
    "```\r\n@Lin\r\n```\r\n",
    "text\n\n添付:\n/data @Lin/x.png",
    "text\n\nAttachments:\nC:\\data\\@Lin \\x.png\n\\\\host\\share\\@Lin \\y\n",
    "Attachments:\n/@Lin /x",
    "添付:\n添付:\n/@Lin /x/添付:",
]


@pytest.mark.parametrize("body", CODE)
def test_code_and_attachments_are_never_read(body: str) -> None:
    assert read(body) == Addressed((), body)


@pytest.mark.parametrize(
    ("body", "rest"),
    [
        ("`a` @Lin `b`", "`a` `b`"),
        ("a ` b @Lin c", "a ` b c"),
        ("a ` b\n\n@Lin c `", "a ` b\n\nc `"),
        ("a ` b\r\n\r\n@Lin c `", "a ` b\r\n\r\nc `"),
        ("- a `\n- @Lin b `", "- a `\n- b `"),
        ("\\`@Lin b`", "\\`b`"),
        ("`` a @Lin `", "`` a `"),
        ("```\nx\n```\n@Lin b", "```\nx\n```\nb"),
        ("> ```\n> x\n@Lin b", "> ```\n> x\nb"),
        ("- ```\n  x\n@Lin b", "- ```\n  x\nb"),
        ("``` a`b\n@Lin c", "``` a`b\nc"),
        ("``\n@Lin c", "``\nc"),
        ("添付:\n@Lin c", "添付:\nc"),
        ("添付:\n/x\nand @Lin c", "添付:\n/x\nand c"),
        ("see 添付:\n/@Lin c", "see 添付:\n/c"),
        ("@Lin b\n\n添付:\n/@Lin /x", "b\n\n添付:\n/@Lin /x"),
    ],
)
def test_what_only_looks_like_code_is_read(body: str, rest: str) -> None:
    assert read(body) == Addressed(("Lin",), rest)


def test_a_name_with_code_or_mark_characters_does_not_reach_into_code() -> None:
    assert read("@a `b` c", "a `b").to == ()
    assert read("@@home x", "@home") == Addressed(("@home",), "x")


def naive(body: str, roster: tuple[str, ...]) -> tuple[list[str], str]:
    """The same rules written slowly, for bodies without code."""

    def same(left: str) -> str:
        return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", left).casefold())

    def ends(at: int) -> bool:
        return at == len(body) or body[at] in "\n\t" or unicodedata.category(body[at])[0] in "ZPS"

    to: dict[str, None] = {}
    lines = []
    offset = at = 0
    for line in body.split("\n"):
        rest, mentioned = "", False
        at = offset
        while at < offset + len(line):
            stops = [
                stop
                for stop in range(at + 2, offset + len(line) + 1)
                if ends(stop) and any(same(body[at + 1 : stop]) == same(name) for name in roster)
            ]
            is_mark = body[at] == "＠" or (body[at] == "@" and not re.search(r"[a-zA-Z0-9._%+-]\Z", body[:at]))
            if not is_mark or not stops:
                rest += body[at]
                at += 1
                continue
            said = body[at + 1 : max(stops)]
            alike = [name for name in roster if same(name) == same(said)]
            to.update(dict.fromkeys([said] if said in alike else alike))
            mentioned, at = True, max(stops)
            if at == offset + len(line):
                rest = rest[:-1] if rest[-1:] in (" ", "\u3000", "\t") else rest
            elif body[at] in " \u3000\t":
                at += 1
        lines.append((rest, mentioned and not rest.strip()))
        offset += len(line) + 1
    kept = [rest for rest, gone in lines if not gone]
    return list(to), "\n".join(kept)


LETTERS = (
    "a",
    "A",
    "ａ",
    "b",
    "ß",
    "s",
    "e",
    "\u0301",
    "é",
    "ﬁ",
    "f",
    "i",
    "李",
    "が",
    "か",
    "\u3099",
    "㌔",
    "7",
    "🚀",
)
BETWEEN = ("@", "＠", " ", "\u3000", "\n", ".", "、", "-", "$", "\t", "a b", "@a", "@A b", "＠李", "\u200b")
PIECES = st.sampled_from(LETTERS + BETWEEN)
BODIES = st.lists(PIECES, max_size=12).map("".join)
ROSTERS = st.lists(
    st.lists(PIECES.filter(lambda piece: piece not in "\n\t\u200b"), min_size=1, max_size=3)
    .map("".join)
    .map(str.strip)
    .filter(bool),
    max_size=4,
    unique=True,
).map(tuple)


@given(BODIES, ROSTERS)
@example("a\n@a", ("a",))
@example("@a\n@a\nb @a", ("a",))
def test_addressing_is_what_the_rules_written_slowly_say(body: str, roster: tuple[str, ...]) -> None:
    found = address(body, (), roster)
    assert (list(found.to), found.body) == naive(body, roster)


MARKS = ("`", "``", "```", "~~~", "\n", "\r\n", "\u2028", "> ", "- ", "1. ", "# ", "\\", "添付:", "/p", "Attachments:")
ANY_BODY = st.lists(st.sampled_from(("@Lin", "@Lin ", "＠lin", "x", " ", *MARKS)), max_size=25).map("".join)


@given(ANY_BODY)
def test_only_mentions_and_white_space_ever_leave_a_body(body: str) -> None:
    found = read(body)
    gone = re.sub(r"\s|[@＠]lin", "", body, flags=re.IGNORECASE)
    assert re.sub(r"\s|[@＠]lin", "", found.body, flags=re.IGNORECASE) == gone
    if not found.to:
        assert found.body == body


@given(st.text(st.characters(categories=None), max_size=60), st.lists(st.text(max_size=5), max_size=4))
def test_any_text_and_any_roster_can_be_read(body: str, names: list[str]) -> None:
    found = address(f"{body}@{''.join(names[:1])}", names, names)
    assert set(found.to) <= {clean_name(name) for name in names} | set(names)


def test_thousands_of_marks_are_not_read_to_the_end_and_this_is_noted() -> None:
    found = read("@Lin " * (MAX_MARKS_READ + 1) + "x")
    assert found.to == ("Lin",)
    assert found.body == "@Lin x"
    assert found.notes == (NOT_ALL_READ,)
    assert read("@Lin " * MAX_MARKS_READ + "x") == Addressed(("Lin",), "x")


HOSTILE = [
    "@" * 1_000_000,
    "@Lin " * 200_000,
    "`@Lin`" * 150_000,
    "\n@Lin\n" * 150_000,
    ("@" * 63 + "y") * 15_000,
    "> ```x\na\n" * 100_000,
    "- ```x\na\n" * 100_000,
    "- " + " " * 1_000_000 + "`",
    "添付:\n/\n" * 100_000,
    "\\" * 1_000_000 + "`",
    "".join("`" * length + "\n" for length in range(3, 1400)),
    "".join("> " * depth + "```\nx\n" for depth in range(700)),
    "` \n" * 300_000,
    "x\n" + "> ```\n" * 100_000,
    "x\n" + "".join(f"> {'`' * length}\n\n" for length in range(3, 60)) * 500,
    "x\n" + "- ```\n  ```\n" * 50_000 + "\n" * 400_000,
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_a_hostile_body_of_a_megabyte_is_read_without_hanging(number: int) -> None:
    started = time.process_time()
    address(HOSTILE[number] + "\n@Lin", (), (*ROSTER, "@" * 63 + "x"))
    assert time.process_time() - started < 5.0
