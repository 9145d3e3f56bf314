"""Posts in answers: what they carry and how answers are cut."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.item import fit_history, fit_items, fit_post_result, post_item
from pullcept.core.post import Post
from pullcept.core.protocol import MAX_ANSWER_BYTES, HistoryResult, PostItem, PostResult, frame_text, item_text


def item(number: int, content: str) -> PostItem:
    return PostItem(f"m{number}", "Lin", content, "2026-10-02T00:00:00Z")


def test_an_item_carries_the_post_without_its_role() -> None:
    post = Post("m1", "Lin", "hi", "t", "Claude", "a", True, ("Lay",), 20, "app")
    assert post_item(post) == PostItem("m1", "Lin", "hi", "t", "Claude", 20, "a", True, ("Lay",))


def test_the_newest_posts_that_fit_are_kept_whole_and_the_rest_counted() -> None:
    items = [item(number, "x" * 20_000) for number in range(200)]
    kept, left_out = fit_items(items, MAX_ANSWER_BYTES)
    assert kept == tuple(items[left_out:])
    assert len(kept) == 45
    assert fit_items(items[:5], MAX_ANSWER_BYTES) == (tuple(items[:5]), 0)
    assert fit_items([], 100) == ((), 0)


def test_a_newest_post_too_long_for_any_answer_is_kept_as_its_marked_head() -> None:
    items = [item(1, "small"), item(2, "あ" * 340_000)]
    kept, left_out = fit_items(items, MAX_ANSWER_BYTES)
    assert left_out == 1
    assert kept[0].message_id == "m2"
    assert "did not fit into this answer]" in kept[0].content[-70:]
    assert len(item_text(kept[0]).encode()) < MAX_ANSWER_BYTES


def test_a_long_post_in_the_middle_ends_what_is_kept() -> None:
    items = [item(1, "old"), item(2, "\0" * 200_000), item(3, "new")]
    assert fit_items(items, MAX_ANSWER_BYTES) == ((items[2],), 2)


CONTENTS = st.lists(st.text(st.characters(categories=None), max_size=300), max_size=12)


@given(CONTENTS, st.integers(700, 4000))
def test_no_answer_grows_over_its_limit(contents: list[str], limit: int) -> None:
    items = tuple(item(number, content) for number, content in enumerate(contents))
    refusal = fit_post_result(PostResult("m", missed=items), limit)
    page = fit_history(HistoryResult("r", items, False, ("Lin", "李")), limit)
    assert len(frame_text(refusal).encode()) <= limit
    assert len(frame_text(page).encode()) <= limit
    assert len(refusal.missed) + refusal.left_out == len(items)
    assert page.has_more == (len(page.posts) < len(items))
    if items:
        assert refusal.missed[-1].message_id == items[-1].message_id
    whole = refusal.missed if len(refusal.missed) > 1 else ()
    assert all(replace(kept) in items for kept in whole)
