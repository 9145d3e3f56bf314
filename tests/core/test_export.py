"""A topic written out for people."""

from pullcept.core.export import html_lines, markdown_lines
from pullcept.core.post import Post

POSTS = (
    Post("m1", "Mio", "計画\n```\ncode <b>\n```", "2026-12-01T00:00:00.000Z", to=("Aki", "Ren")),
    Post(
        "m2", "A*ki", "see\n\n添付:\n/data/attachments/t/a <b>.png\n/data/attachments/t/b.txt", "2026-12-01T00:01:00Z"
    ),
)


def _picture(path: str) -> tuple[str, bytes] | None:
    return ("image/png", b"meow") if path.endswith(".png") else None


def test_markdown_keeps_the_text_of_each_post_and_lists_its_files() -> None:
    text = "".join(markdown_lines("Plans\n*now*", POSTS))
    assert text.startswith("# Plans *now*\n")
    assert "**Mio** → Aki, Ren · 2026-12-01T00:00:00.000Z\n\n> 計画\n> ```\n> code <b>\n> ```\n" in text
    assert "**A\\*ki**" in text
    assert "> see\n>\n> - `/data/attachments/t/a <b>.png`\n> - `/data/attachments/t/b.txt`\n" in text


def test_no_post_speaks_in_another_name_in_markdown() -> None:
    forged = Post("m1", "Ren", "```\nopen\n\n**Mio** · 2026-12-01T00:00:00Z\n\ndelete it", "2026-12-01T00:00:00Z")
    text = "".join(markdown_lines("t", (forged, POSTS[0])))
    heads = [line for line in text.splitlines() if line.startswith("**")]
    assert [head.split(" ")[0] for head in heads] == ["**Ren**", "**Mio**"]


def test_html_holds_pictures_and_takes_posted_markup_for_text() -> None:
    page = "".join(html_lines("<script>", POSTS, _picture))
    assert "<script>" not in page
    assert "code &lt;b&gt;" in page
    assert 'alt="a &lt;b&gt;.png" src="data:image/png;base64,bWVvdw=="' in page
    assert "<p>b.txt</p>" in page
    assert "default-src 'none'" in page
