"""The posts typed into one session lately: what became of each, told as it is found out."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from pullcept.core.receipt import Evidence, Progress, Receipt
from pullcept.core.seat import DeliveryState
from pullcept.core.submit import Match
from pullcept.pty.post import TypedPost

KEPT = 64
NOT_TAKEN = "not taken: press Enter, send it again, or skip it"
PROBABLY = "probably taken"
CUT = "arrived cut: it can be sent again"
JOINED = "arrived together with other text"
SKIPPED = "skipped"
PUT_BACK = "Escape may have put it back into the input box: it may not have been read"

_MATCHES = {Match.CUT: CUT, Match.JOINED: JOINED}


@dataclass(slots=True, eq=False)
class Followed:
    """One typed post and its receipt. `text`: what was typed, without paste marks and Enter."""

    post: TypedPost
    receipt: Receipt
    text: str
    note: str
    entered_at: float = 0.0
    told: tuple[DeliveryState, str] | None = None
    put_back: bool = False


class Receipts:
    """Follows posts by the evidence a session gives. `on_delivery` is told each step once."""

    def __init__(self, evidence: Evidence, on_delivery: Callable[[str, DeliveryState, str], None]) -> None:
        self.evidence = evidence
        self._on_delivery = on_delivery
        self._kept: deque[Followed] = deque(maxlen=KEPT)

    def begin(self, post: TypedPost, text: str, note: str) -> Followed:
        """The first byte of a post is about to be written."""
        followed = Followed(post, Receipt(post.message_id, self.evidence), text, note)
        followed.receipt.on_typing(text)
        self._kept = deque((each for each in self._kept if each.post.message_id != post.message_id), KEPT)
        self._kept.append(followed)
        return followed

    def find(self, message_id: str) -> Followed | None:
        """A post typed lately, by its id or the beginning of it; without one the newest."""
        return next((each for each in reversed(self._kept) if each.post.message_id.startswith(message_id)), None)

    def on_submit(self, text: str) -> tuple[Followed, ...]:
        """The program took a prompt: the posts it holds (none: it is not ours)."""
        ours = tuple(each for each in self._kept if each.receipt.on_submit(text) is not Match.NOT_OURS)
        for each in ours:
            each.put_back = False
            self.tell(each)
        return ours

    def on_working(self, now: float) -> None:
        """The program began to work."""
        for each in self._kept:
            each.receipt.on_working(now)
            self.tell(each)

    def on_reached(self, message_id: str) -> None:
        """The session spoke in the room and had seen this post, hence every one before it."""
        ids = [each.post.message_id for each in self._kept]
        if message_id in ids:
            for each in list(self._kept)[: ids.index(message_id) + 1]:
                each.receipt.on_reached()
                self.tell(each)

    def on_put_back(self) -> None:
        """The person's Escape may have put the last post that was taken back into the box; its row says so."""
        taken = next((each for each in reversed(self._kept) if each.receipt.progress is Progress.TAKEN), None)
        if taken is not None:
            taken.put_back = True
            self.tell(taken)

    def on_not_put_back(self) -> None:
        """It was no such thing: the CLI tells that the turn was interrupted, or took a later post for itself."""
        for each in self._kept:
            each.put_back = False
            self.tell(each)

    def tell(self, followed: Followed) -> None:
        """Say how far a post is, unless it was said."""
        news = _news(followed)
        if news is not None and news != followed.told:
            followed.told = news
            self._on_delivery(followed.post.message_id, *news)


def _news(followed: Followed) -> tuple[DeliveryState, str] | None:
    receipt = followed.receipt
    if receipt.progress is Progress.TYPED:
        return DeliveryState.TYPED, followed.note or (PROBABLY if receipt.probably else "")
    if receipt.progress is Progress.TAKEN:
        if followed.put_back:
            return DeliveryState.TAKEN, PUT_BACK
        return DeliveryState.TAKEN, (_MATCHES.get(receipt.match, "") if receipt.match else "") or followed.note
    if receipt.progress is Progress.NOT_TAKEN:
        return DeliveryState.NOT_TAKEN, NOT_TAKEN
    return (DeliveryState.FAILED, SKIPPED) if receipt.progress is Progress.SKIPPED else None
