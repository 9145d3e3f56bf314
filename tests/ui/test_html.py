"""Bodies as HTML: Markdown is drawn, everything else stays text."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pullcept.ui import html

OUR_TAGS = re.compile(
    r"</?(?:p|b|i|s|ul|ol|li|br|tr|th|td|div|span|table|a|img)(?: (?:class|style|href|start|src|width|height|alt)="
    r"(?:\"[^\"<>]*\"|[a-z ]+)| class=[a-z0-9]+)*>"
)


def drawn(text: str) -> str:
    return html.body(text).html


@given(st.text(alphabet="ab<>&\"'`*_~[]()!|#-=:/\\\n \t\x00\x1b\u202e@http:é漢🙂1.", max_size=120))
@settings(max_examples=300)
def test_no_tag_comes_out_that_is_not_ours(text: str) -> None:
    rest = OUR_TAGS.sub("", drawn(text))
    assert "<" not in rest
    assert ">" not in rest
    assert "\x1b" not in rest
    assert "\u202e" not in rest


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '<iframe src="file:///etc/passwd">',
        "<!-- comment --> <![CDATA[x]]>",
        "&amp; &#60;b&#62;",
    ],
)
def test_html_in_a_post_is_shown_as_written(text: str) -> None:
    assert html.escape(text) in drawn(text)


def test_line_breaks_are_kept() -> None:
    assert drawn("one\ntwo\n\nthree") == "<p>one<br>two</p><p>three</p>"


def test_the_markdown_people_use_is_drawn() -> None:
    made = drawn("**b** *i* ~~s~~ `c`\n\n- x\n- y\n\n3. z\n\n> q\n\n# h\n\n|a|\n|-:|\n|1|")
    for piece in (
        "<b>b</b>",
        "<i>i</i>",
        "<s>s</s>",
        "<span class=ic>c</span>",
        "<ul><li>x</li><li>y</li></ul>",
        '<ol start="3"><li>z</li></ol>',
        "<div class=quo><p>q</p></div>",
        '<div class="h1">h</div>',
        '<td style="text-align:right">1</td>',
    ):
        assert piece in made


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "pullcept:start/me"]
)
def test_only_web_addresses_become_links(address: str) -> None:
    assert f'href="{address}' not in drawn(f"[x]({address}) ![y]({address}) <{address}>")


def test_pictures_are_links_and_never_loaded() -> None:
    made = drawn("![a picture](https://example.org/a.png)")
    assert "<img" not in made
    assert '<a href="https://example.org/a.png">a picture</a>' in made


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("see https://example.org/a.", "https://example.org/a"),
        ("(https://example.org/a_(b))", "https://example.org/a_(b)"),
        ("見て https://example.org/日本、次", "https://example.org/日本"),
        ("https://example.org/?a=1&b=2", "https://example.org/?a=1&amp;b=2"),
        ('https://example.org/"x', "https://example.org/"),
    ],
)
def test_an_address_in_running_text_is_a_link_without_what_follows_it(text: str, address: str) -> None:
    assert f'<a href="{address}">' in drawn(text)


def test_code_is_kept_for_copying_and_coloured_when_its_language_is_known() -> None:
    made = html.body("```python\ndef f(): pass\n```\n\n    indented", code_tools="C", name="m1")
    assert made.codes == ("def f(): pass\n", "indented\n")
    assert "<span class=ck>def</span>" in made.html
    assert '<a href="pullcept:copy/m1/0">C</a>' in made.html


def test_an_unclosed_fence_runs_to_the_end() -> None:
    assert html.body("```\nall\nof it").codes == ("all\nof it",)


@pytest.mark.parametrize("language", ["nonsense", "../../etc", "<b>", "a" * 500, "python}"])
def test_an_unknown_language_is_plain_code(language: str) -> None:
    made = html.body(f"```{language}\n<x>\n```")
    assert "&lt;x&gt;" in made.html


def test_a_word_of_any_length_is_broken_to_fit() -> None:
    longest = max(len(word) for word in re.sub(r"<[^>]*>", " ", drawn("x" * 5000)).split())
    assert longest <= html.Room().word


def test_long_posts_are_folded_and_what_is_drawn_is_bounded() -> None:
    by_lines = html.cut("line\n" * 100, unfolded=False)
    assert by_lines.folded
    assert by_lines.text.count("\n") < html.FOLDED_LINES
    by_size = html.cut("x" * 10_000, unfolded=False)
    assert len(by_size.text) == html.FOLDED_CHARACTERS
    whole = html.cut("x" * 100_000, unfolded=True)
    assert (len(whole.text), whole.hidden) == (html.SHOWN_CHARACTERS, 100_000 - html.SHOWN_CHARACTERS)
    assert html.cut("short", unfolded=False) == html.Cut("short", lines=1)


@pytest.mark.parametrize(
    "text", ["> " * 3000, "[" * 5000, "*" * 5000, "`" * 4999, "- " * 2000, "|a" * 3000 + "\n" + "|-" * 3000]
)
def test_pathological_markdown_ends(text: str) -> None:
    assert drawn(html.cut(text, unfolded=True).text)


def test_long_lines_of_code_are_broken_to_the_column_and_copied_whole() -> None:
    made = html.body("```\n" + "x" * 100 + "\n```", room=html.Room(code=40))
    assert "x" * 40 + "\n" + "x" * 40 + "\n" + "x" * 20 in made.html
    assert made.codes == ("x" * 100 + "\n",)
