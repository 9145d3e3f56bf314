"""What the demo agent makes of a post: whether it answers, and with which words. The same post, the same answer."""

import json
import re
from dataclasses import dataclass

TAG = "[pullcept] "
QUOTE_LENGTH = 80
_NEVER_ANSWERED = {"app", "mcp"}
_JAPANESE = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Heard:
    """A post as it was typed: the tag's values and the body."""

    role: str
    speaker: str
    message_id: str
    to: tuple[str, ...]
    you: str | None
    body: str


def parse_post(text: str) -> Heard | None:
    """The post in an input whose first line is a tag; None for anything else, which a person typed."""
    first, _, body = text.partition("\n")
    if not first.startswith(TAG):
        return None
    try:
        tag = json.loads(first[len(TAG) :])
        heard = Heard(tag["role"], tag["from"], tag["message_id"], tuple(tag.get("to", ())), tag.get("you"), body)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    texts = (heard.role, heard.speaker, heard.message_id, *heard.to, heard.you or "")
    return heard if all(isinstance(value, str) for value in texts) else None


def wants_answer(heard: Heard, name: str) -> bool:
    """The person is answered when the post is for everyone or for us; others only when they address us."""
    if heard.role in _NEVER_ANSWERED:
        return False
    is_for_us = (heard.you or name) in heard.to
    return is_for_us or (heard.role == "admin" and not heard.to)


def answer_to(heard: Heard, name: str) -> str:
    """A polite answer in the post's language that addresses nobody, so that no agent has to answer it."""
    quote = " ".join(heard.body.split())
    if len(quote) > QUOTE_LENGTH:
        quote = f"{quote[:QUOTE_LENGTH]}\u2026"
    if _JAPANESE.search(heard.body):
        text = f"{heard.speaker}さん、「{quote}」を受け取りました。デモ用の{name}です。"
    else:
        text = f'Hello {heard.speaker}, I heard "{quote}". This is {name}, a demo agent.'
    return text.replace("@", "(at)").replace("\uff20", "(at)")
