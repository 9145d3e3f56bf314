"""The pages say what is true: tables, links, options and names are compared with the source."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from packaging.requirements import Requirement

from pullcept import __version__, roles
from pullcept.bench.limits import LIMITS, row_of
from pullcept.core import protocol
from pullcept.core.kinds import kind_for
from pullcept.core.protocol import PROTOCOL, ClientFrame, PostItem, RoomFrame
from pullcept.pty import profiles
from sidecar import tools

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "README.ja.md", ROOT / "CHANGELOG.md", *sorted(DOCS.glob("*.md"))]


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """What stands under a heading, up to the next of the same or a higher level."""
    level = heading.partition(" ")[0]
    found = re.search(rf"^{re.escape(heading)}$(.*?)(?=^#{{1,{len(level)}}} |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"no heading {heading!r}"
    return found[1]


def rows(text: str) -> list[list[str]]:
    """The cells of every table row but the headings."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    rules = [index for index, row in enumerate(cells) if set("".join(row)) <= set("-: ")]
    return [row for index, row in enumerate(cells) if index not in rules and index + 1 not in rules]


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


# -- links and places ------------------------------------------------------


def anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text_of(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", text_of(page)):
        path, _, anchor = target.partition("#")
        assert "://" not in target, f"{page.name} links to {target}"
        found = (page.parent / path) if path else page
        assert found.exists(), f"{page.name} links to {target}"
        assert not anchor or anchor in anchors(found)


def test_the_index_lists_every_page() -> None:
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", text_of(DOCS / "index.md")))
    assert linked == {page.name for page in DOCS.glob("*.md")} - {"index.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_named_file_exists(page: Path) -> None:
    pattern = r"`((?:pullcept|sidecar|tests|docs|\.ci|\.github)/[\w./-]+)`"
    for name in re.findall(pattern, text_of(page)):
        assert (ROOT / name).exists(), f"{page.name} names {name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_one_title_and_closed_fences(page: Path) -> None:
    text = text_of(page)
    assert text.count("```") % 2 == 0
    outside = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    assert len(re.findall(r"^# ", outside, re.MULTILINE)) == 1
    assert text.startswith("# ")
    assert "TODO" not in text


# -- README ------------------------------------------------------------------


def test_both_readmes_have_the_same_sections_commands_and_pages() -> None:
    english, japanese = text_of(ROOT / "README.md"), text_of(ROOT / "README.ja.md")
    links = r"\]\(((?:docs/[\w-]+\.md|LICENSE|CHANGELOG\.md))\)"
    for pattern in (r"^(#+) ", r"^(python3 \S+(?: \w+)?|bash \S+)", links):
        found = re.findall(pattern, english, re.MULTILINE)
        assert sorted(re.findall(pattern, japanese, re.MULTILINE)) == sorted(found)
        assert found


def test_the_first_screen_is_a_sentence_a_picture_and_how_to_run() -> None:
    for name in ("README.md", "README.ja.md"):
        first = text_of(ROOT / name).splitlines()[:14]
        assert first[2].endswith((".", "。"))
        assert first[4].startswith("![")
        assert "python3 pullcept.py            " in "\n".join(first)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_the_pages_is_one_the_program_knows(page: Path) -> None:
    for line in re.findall(r"(?:python3?|py) pullcept\.py([^\n`|]*)", text_of(page)):
        argv = re.sub(r'"[^"]*"', "value", line.partition("#")[0]).split()
        if argv and not argv[0].startswith("-"):
            name = argv[0].strip(",;:.")
            assert name in roles.ROLES, f"{page.name}: {line}"


def test_usage_and_readme_name_the_same_development_roles() -> None:
    for name in ("test", "bench", "build"):
        assert f"pullcept.py {name}" in roles.USAGE


# -- tables that mirror the source ---------------------------------------------


def test_the_limits_on_the_page_are_those_the_bench_judges_by() -> None:
    table = rows(text_of(DOCS / "speed.md"))
    shown = [(names(row[0])[0], row[1], float(row[2]), row[3], int(row[4])) for row in table]
    assert shown == [(limit.figure, limit.bound, limit.value, limit.unit, limit.size) for limit in LIMITS]
    for row in {row_of(limit.figure) for limit in LIMITS}:
        assert f"`{row}`: " in text_of(DOCS / "speed.md")


def frame_keys(kind: type) -> set[str]:
    """The keys of a frame as the page writes them, optional ones with `?`."""
    keys = set()
    for field in dataclasses.fields(kind):
        is_optional = field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
        keys.add(field.name + ("?" if is_optional else ""))
    return keys


@pytest.mark.parametrize(
    ("heading", "kinds"), [("### From a client", get_args(ClientFrame)), ("### From the room", get_args(RoomFrame))]
)
def test_the_frames_on_the_page_are_those_of_the_source(heading: str, kinds: tuple[type, ...]) -> None:
    shown = {names(row[0])[0]: set(names(row[1])) for row in rows(section(text_of(DOCS / "protocol.md"), heading))}
    assert shown == {protocol._FRAME_TYPES[kind]: frame_keys(kind) for kind in kinds}


def test_the_page_names_every_key_of_a_post_in_an_answer() -> None:
    text = section(text_of(DOCS / "protocol.md"), "### From the room")
    for key in frame_keys(PostItem):
        assert f"`{key}`" in text


def test_the_protocol_number_on_the_page_is_the_spoken_one() -> None:
    text = text_of(DOCS / "protocol.md")
    assert f"Protocol number **{PROTOCOL}**" in text
    assert f'"protocol": {PROTOCOL}' in text


def test_the_tools_on_the_page_are_those_a_session_gets() -> None:
    table = rows(section(text_of(DOCS / "protocol.md"), "## The tools of a session"))
    shown = {names(row[0])[0]: {key.rstrip("?") for key in names(row[1])} for row in table}
    specs = tools.tool_specs("Aki", "Aki")
    assert shown == {spec.name: set(spec.schema["properties"]) for spec in specs}


def test_the_example_of_the_protocol_is_a_program() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", text_of(DOCS / "protocol.md"), re.DOTALL)
    compile(example, "protocol.md", "exec")


def test_the_page_on_clis_has_a_section_for_each_kind_and_names_real_profiles() -> None:
    text = text_of(DOCS / "adding-a-cli.md")
    for heading, kind in (("### Claude Code", "claude_code"), ("### Codex", "codex_cli")):
        section(text, heading)
        assert kind_for(kind).name == kind
    shown = {names(row[0])[0] for row in rows(text) if names(row[0]) and row[0].islower() and "{" not in row[0]}
    assert shown == set(profiles.PROFILES) - {"claude_code", "codex_cli"}


# -- other promises --------------------------------------------------------------


def test_the_changelog_begins_with_this_version() -> None:
    (first,) = re.findall(r"^## (\S+)", text_of(ROOT / "CHANGELOG.md"), re.MULTILINE)[:1]
    assert first == __version__


def test_every_dependency_has_a_reason_an_owner_and_a_licence() -> None:
    table = {row[0]: row for row in rows(text_of(DOCS / "dependencies.md")) if len(row) == 4}
    wanted = set()
    for name in ("requirements.in", "requirements-dev.in"):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        wanted |= {Requirement(line).name for line in lines if re.match(r"\w", line)}
    assert set(table) == wanted
    assert all(all(cells) for cells in table.values())


def test_the_steps_by_hand_are_few_numbered_and_say_what_must_happen() -> None:
    steps = re.findall(r"^(\d+)\. (.+)$", text_of(DOCS / "windows-by-hand.md"), re.MULTILINE)
    assert [int(number) for number, _ in steps] == list(range(1, len(steps) + 1))
    assert len(steps) <= 30
    assert all("Expect: " in step for _, step in steps)


def test_the_glossary_explains_each_word_once() -> None:
    words = [row[0] for row in rows(text_of(DOCS / "glossary.md"))]
    assert len(words) == len(set(words))
    for word in ("topic", "room", "floor", "seat", "session", "sidecar", "tag", "draft", "guest"):
        assert word in words


def test_the_licence_is_whole() -> None:
    text = text_of(ROOT / "LICENSE")
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_the_ci_script_is_valid_shell() -> None:
    if sys.platform == "win32":
        return
    for name in (".ci/run", "tests/real_cli/install.sh"):
        subprocess.run(["bash", "-n", str(ROOT / name)], check=True, timeout=30)
