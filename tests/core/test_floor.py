"""The floor: order, watermarks, eviction."""

from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.floor import Floor
from pullcept.core.post import Post


def post(message_id: str) -> Post:
    return Post(message_id, "Lin", "text", "2026-10-02T00:00:00Z")


def ids(floor: Floor, origin: str, last_seen: str | None, seat_position: int = 0) -> list[str]:
    return [standing.post.message_id for standing in floor.missed(origin, last_seen, seat_position)]


def filled(count: int, *, size: int = 512, origin: str = "a") -> Floor:
    floor = Floor(size)
    for number in range(1, count + 1):
        assert floor.stand(post(f"m{number}"), origin) == number
    return floor


def test_posts_by_others_after_the_last_seen_are_missed_oldest_first() -> None:
    assert ids(filled(4), "b", "m2") == ["m3", "m4"]


def test_own_posts_are_never_missed() -> None:
    floor = filled(3)
    floor.stand(post("mine"), "b")
    floor.stand(post("m5"), "a")
    assert ids(floor, "b", "m1") == ["m2", "m3", "m5"]
    assert ids(floor, "b", "mine") == ["m5"]


def test_an_unknown_last_seen_counts_as_nothing_seen() -> None:
    assert ids(filled(3), "b", "elsewhere") == ["m1", "m2", "m3"]


def test_an_absent_last_seen_counts_from_the_seat() -> None:
    assert ids(filled(3), "b", None, seat_position=2) == ["m3"]


def test_posts_before_the_seat_are_never_held_against_it() -> None:
    floor = filled(4)
    assert ids(floor, "b", "unknown", seat_position=3) == ["m4"]
    assert ids(floor, "b", "m1", seat_position=3) == ["m4"]


def test_an_evicted_last_seen_counts_as_nothing_seen_and_512_posts_are_kept() -> None:
    floor = filled(513)
    assert floor.find("m1") is None
    assert ids(floor, "b", "m1") == [f"m{number}" for number in range(2, 514)]
    assert ids(floor, "b", "m2") == [f"m{number}" for number in range(3, 514)]


def test_an_id_that_stands_keeps_its_place() -> None:
    floor = filled(2)
    assert floor.stand(post("m1"), "b") == 1
    assert floor.position == 2


@given(
    st.lists(st.sampled_from("abc"), max_size=40),
    st.integers(0, 45),
    st.integers(0, 45),
    st.integers(1, 12),
)
def test_missed_is_what_a_plain_list_would_say(authors: list[str], seen: int, seat: int, size: int) -> None:
    floor = Floor(size)
    for number, author in enumerate(authors, 1):
        floor.stand(post(f"m{number}"), author)
    oldest = max(len(authors) - size, 0)
    watermark = seen if oldest < seen <= len(authors) else 0
    expected = [
        f"m{number}"
        for number, author in enumerate(authors, 1)
        if number > max(watermark, seat, oldest) and author != "a"
    ]
    assert ids(floor, "a", f"m{seen}", seat) == expected
