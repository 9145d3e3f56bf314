"""Posts as answers carry them, cut so that no answer grows over its limit."""

from collections.abc import Sequence
from dataclasses import replace

from pullcept.core.post import Post
from pullcept.core.protocol import (
    MAX_ANSWER_BYTES,
    HistoryResult,
    PostItem,
    PostResult,
    frame_text,
    item_text,
)

_COUNT_ROOM = 64
"""Bytes kept free for the keys whose value is known only after the cut."""


def post_item(post: Post) -> PostItem:
    """The post as a `missed` or history item; its role stays in the room."""
    return PostItem(
        message_id=post.message_id,
        speaker=post.speaker,
        content=post.content,
        ts=post.ts,
        full_name=post.full_name,
        hue=post.hue,
        account=post.account,
        from_app=post.from_app,
        to=post.to,
    )


def fit_items(items: Sequence[PostItem], limit_bytes: int) -> tuple[tuple[PostItem, ...], int]:
    """The newest items whose written form fits into `limit_bytes`, oldest first, and how many older were left out.

    Posts are kept whole. Only when the newest alone is too long is it kept as its head, marked so: without its id
    its reader could neither go on speaking nor page further back.
    """
    kept: list[PostItem] = []
    free = limit_bytes
    for item in reversed(items):
        free -= _cost(item)
        if free < 0:
            break
        kept.append(item)
    if items and not kept:
        kept.append(_head_of(items[-1], limit_bytes))
    return tuple(reversed(kept)), len(items) - len(kept)


def fit_post_result(result: PostResult, limit_bytes: int = MAX_ANSWER_BYTES) -> PostResult:
    """The refusal with as many of its newest missed posts as fit into the whole answer."""
    if sum(_most(item) for item in result.missed) <= limit_bytes // 2:
        return result
    bare = len(frame_text(replace(result, missed=())).encode()) + _COUNT_ROOM
    missed, left_out = fit_items(result.missed, limit_bytes - bare)
    return replace(result, missed=missed, left_out=result.left_out + left_out)


def fit_history(result: HistoryResult, limit_bytes: int = MAX_ANSWER_BYTES) -> HistoryResult:
    """The page with as many of its newest posts as fit into the whole answer; older ones are told by `has_more`."""
    bare = len(frame_text(replace(result, posts=())).encode()) + _COUNT_ROOM
    posts, left_out = fit_items(result.posts, limit_bytes - bare)
    return replace(result, posts=posts, has_more=result.has_more or left_out > 0)


def _cost(item: PostItem) -> int:
    return len(item_text(item).encode()) + 1


def _most(item: PostItem) -> int:
    """A bound on the cost of an item that is quick to tell: a character takes at most six bytes when written."""
    units = len(item.content) + len(item.speaker) + len(item.message_id) + len(item.ts) + len(item.full_name or "")
    return 512 + 6 * (units + len(item.account or "") + sum(len(name) + 4 for name in item.to))


def _head_of(item: PostItem, limit_bytes: int) -> PostItem:
    shown = len(item.content)
    while True:
        shown //= 2
        rest = len(item.content) - shown
        head = replace(item, content=f"{item.content[:shown]}\n[… {rest} more characters did not fit into this answer]")
        if shown == 0 or _cost(head) <= limit_bytes:
            return head
