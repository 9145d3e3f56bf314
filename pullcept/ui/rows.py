"""Conversation rows as HTML: avatar, name, time, body, delivery marks, notes, day and unread lines.

Pure: what it needs (colours, sizes, images by name) comes in; `ui/html.py` escapes every body.
Images are named `icon/NAME`, `mark/COLOUR-STATE` and `app32/app`; the panel serves only such names.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, tzinfo
from urllib.parse import quote

from pullcept.core.post import Post
from pullcept.core.seat import DeliveryState
from pullcept.ui import dates, decisions, html
from pullcept.ui.palette import Palette
from pullcept.ui.state import Delivery, Row
from pullcept.ui.texts import gettext as _
from pullcept.ui.texts import ngettext

MARK_STATES = {
    DeliveryState.QUEUED: "queued",
    DeliveryState.TYPED: "typed",
    DeliveryState.TAKEN: "taken",
    DeliveryState.NOT_TAKEN: "problem",
    DeliveryState.FAILED: "problem",
}
PROBLEMS = (DeliveryState.NOT_TAKEN, DeliveryState.FAILED)
MOST_MARKS = 6
EM = 46
"""A body is at most this many em wide."""


@dataclass(frozen=True, slots=True)
class Look:
    """How rows look: colours, fonts and the width of the column, in pixels of the screen.

    `measure` gives the width of a line of body text, `code_width` that of one column of code.
    """

    palette: Palette
    family: str
    code_family: str
    scale: float
    width: int
    measure: Callable[[str], int]
    code_width: int = 8

    @property
    def body_width(self) -> int:
        """The width of a body: 46 em, or what the column leaves."""
        return min(self.px(EM * 15), max(self.px(200), self.width - self.px(48 + 44)))

    @property
    def room(self) -> html.Room:
        """What fits on a line of a body or a bubble."""
        inner = self.body_width - self.px(28)
        return html.Room(int(inner / self.px(15) / 0.62), (inner - self.px(4)) // self.code_width)

    def px(self, pixels: float) -> int:
        """Pixels of the design in pixels of this screen."""
        return round(pixels * self.scale)


@dataclass(frozen=True, slots=True)
class SeatMark:
    """A delivery mark: name and colour of the seat's account, and the way of the post into it.

    `account_id` names the seat in the links of a note; empty when its session is not there to do anything.
    """

    name: str
    colour: str
    delivery: Delivery
    account_id: str = ""


@dataclass(frozen=True, slots=True)
class RowContext:
    """What stands around a row: the post before it, its colour, its marks, how it is shown."""

    before: Post | None
    colour: str
    marks: tuple[SeatMark, ...] = ()
    grouped: bool = False
    unread_line: bool = False
    unfolded: bool = False
    today: date = date.min
    zone: tzinfo | None = None


def image(name: str, size: int, alt: str = "") -> str:
    """An image of our own."""
    return f'<img src="{name}" width="{size}" height="{size}" alt="{html.escape(alt)}" class=im>'


def row_html(row: Row, context: RowContext, look: Look, name: str) -> html.Body:
    """A row with the lines before it. `name` names the row in its links."""
    lines = _day_line(row.post, context) + (_line(_("New from here"), new=True) if context.unread_line else "")
    shown = html.cut(row.post.content, unfolded=context.unfolded)
    made = html.body(shown.text, code_tools=image("icon/copy", look.px(16)), name=name, room=look.room)
    body = made.html + _fold(shown, context, name)
    draw = _own if row.own else _notice if row.post.from_app else _other
    return html.Body(f"<div>{lines}{draw(row, context, look, body)}</div>", made.codes)


def _fold(shown: html.Cut, context: RowContext, name: str) -> str:
    if shown.folded:
        words = ngettext("Show all ({n} line)", "Show all ({n} lines)", shown.lines).format(n=f"{shown.lines:,}")
        return f'<div class=note><a href="pullcept:fold/{html.escape(name)}">{html.escape(words)}</a></div>'
    parts = []
    if shown.hidden:
        words = _("{n} more characters are not drawn. Copying the text gives all of it.").format(n=f"{shown.hidden:,}")
        parts.append(f"<div class=note>{html.escape(words)}</div>")
    if context.unfolded:
        parts.append(f'<div class=note><a href="pullcept:fold/{html.escape(name)}">{html.escape(_("Fold"))}</a></div>')
    return "".join(parts)


def _day_line(post: Post, context: RowContext) -> str:
    day = dates.day_of(post.ts, context.zone)
    if day is None or (context.before and dates.day_of(context.before.ts, context.zone) == day):
        return ""
    return _line(dates.day_name(day, context.today))


def _line(words: str, *, new: bool = False) -> str:
    left = '<td width="100%"><div class=ln></div></td>' if new else '<td width="50%"><div class=ln></div></td>'
    right = "" if new else '<td width="50%"><div class=ln></div></td>'
    kind = "sep new" if new else "sep"
    middle = f"<td>&nbsp; {html.escape(words)} &nbsp;</td>"
    return f'<table class="{kind}"><tr>{left}{middle}{right}</tr></table>'


def _addressees(post: Post) -> str:
    joiner = _(", ")
    return f"→ {html.escape(joiner.join(post.to))}" if post.to else ""


def _other(row: Row, context: RowContext, look: Look, body: str) -> str:
    post, colours = row.post, look.palette.person[context.colour]
    initial = html.escape(first_letter(post.speaker))
    to = f"<span class=t>&nbsp; {_addressees(post)}</span>" if post.to else ""
    head = (
        f'<table class=wide><tr><td class=h><b style="color:{colours.text}">{html.escape(post.speaker)}</b>{to}'
        f"<span class=t>&nbsp; {dates.clock(post.ts, context.zone)}</span></td>"
        f"<td class=mk>{_marks(context.marks, look)}</td></tr></table>"
    )
    avatar = f'<div class=ini style="background-color:{colours.tint};color:{colours.text}">{initial}</div>'
    return (
        f"<table class=row><tr><td class=av>{avatar}</td>"
        f"<td>{head}<div class=b>{body}</div>{_notes(row, context, look)}</td></tr></table>"
    )


def _notice(row: Row, context: RowContext, look: Look, body: str) -> str:
    post = row.post
    head = (
        f"<table class=wide><tr><td class=h><b>{html.escape(post.speaker)}</b>"
        f"<span class=t>&nbsp; {dates.clock(post.ts, context.zone)}</span></td>"
        f"<td class=mk>{_marks(context.marks, look)}</td></tr></table>"
    )
    return (
        f"<table class=row><tr><td class=av>{image('app32/app', look.px(32))}</td>"
        f'<td>{head}<div class="b app">{body}</div>{_notes(row, context, look)}</td></tr></table>'
    )


def _own(row: Row, context: RowContext, look: Look, body: str) -> str:
    post, colours = row.post, look.palette.person[context.colour]
    width = _bubble_width(post.content, look)
    style = f"width:{width}px" if width else "white-space:nowrap"
    head = f"<div class=mk>{_addressees(post)}</div>" if post.to else ""
    bubble = (
        f'<table><tr><td class=bub style="background-color:{colours.bubble}">'
        f'<div style="{style}">{body}</div></td></tr></table>'
    )
    marks = _marks(context.marks, look)
    foot = "" if context.grouped and not marks else f"{marks} &nbsp;{dates.clock(post.ts, context.zone)}"
    return (
        f'{head}<table class=own><tr><td width="100%"></td><td>{bubble}</td></tr></table>'
        f"<div class=mk>{foot}</div>{_notes(row, context, look, right=True)}"
    )


def _bubble_width(content: str, look: Look) -> int:
    """The fixed width a bubble needs, or 0 when its lines are short plain text that sets the width itself."""
    most = min(look.px(EM * 15), look.width - look.px(48 + 28 + 40))
    plain = not any(mark in content for mark in ("```", "|", "\n\n", "    ", "http"))
    lines = content.split("\n")
    if plain and len(lines) <= 40 and all(len(line) < 400 and look.measure(line) < most * 0.94 for line in lines):
        return 0
    return max(most, look.px(120))


def _marks(marks: tuple[SeatMark, ...], look: Look) -> str:
    if not marks:
        return ""
    if all(_mark_state(mark.delivery) == "taken" for mark in marks):
        return f"{image('icon/taken', look.px(16))} {len(marks)}"
    shown = marks
    if len(marks) > MOST_MARKS:
        shown = tuple(mark for mark in marks if _mark_state(mark.delivery) != "taken")[:MOST_MARKS]
    dots = "".join(image(f"mark/{mark.colour}-{_mark_state(mark.delivery)}", look.px(10)) for mark in shown)
    more = f" +{len(marks) - len(shown)}" if len(marks) > len(shown) else ""
    return dots + more


def _mark_state(delivery: Delivery) -> str:
    is_doubtful = decisions.is_cut(delivery) or decisions.is_put_back(delivery)
    return "problem" if is_doubtful else MARK_STATES[delivery.state]


def _notes(row: Row, context: RowContext, look: Look, *, right: bool = False) -> str:
    notes = [_seat_note(row, mark, look) for mark in context.marks if _has_note(mark.delivery)]
    if not row.logged:
        notes.append(f"<span class=bad>{html.escape(_('Not written to the log'))}</span>")
    side = " mk" if right else ""
    return "".join(f'<div class="note{side}">{note}</div>' for note in notes)


def _has_note(delivery: Delivery) -> bool:
    return delivery.state in PROBLEMS or bool(decisions.of_delivery(delivery))


def _seat_note(row: Row, mark: SeatMark, look: Look) -> str:
    icon = "waiting" if mark.delivery.state is DeliveryState.QUEUED else "alert"
    links = []
    for decision in decisions.of_delivery(mark.delivery) if mark.account_id else ():
        parts = (decision.value, quote(mark.account_id, safe=""), quote(row.post.message_id, safe=""))
        address = html.escape("pullcept:decide/" + "/".join(parts))
        links.append(f'<a href="{address}">{html.escape(decisions.label(decision))}</a>')
    said = f"{html.escape(mark.name)} — {html.escape(_note_words(mark.delivery))}"
    return f"{image(f'icon/{icon}', look.px(16))} " + " · ".join([said, *links])


def _note_words(delivery: Delivery) -> str:
    if delivery.state is DeliveryState.TAKEN:
        return _("Arrived cut off") if decisions.is_cut(delivery) else delivery.reason
    if delivery.state is DeliveryState.NOT_TAKEN:
        return _("Not taken")
    if decisions.is_skipped(delivery):
        return _("Skipped")
    head = _("Held") if delivery.state is DeliveryState.QUEUED else _("Not delivered")
    return f"{head}{_(': ')}{delivery.reason}" if delivery.reason else head


def marks_text(marks: tuple[SeatMark, ...]) -> str:
    """The marks in words, one seat a line."""
    words = {
        DeliveryState.QUEUED: _("waiting to be typed"),
        DeliveryState.TYPED: _("typed into the terminal"),
        DeliveryState.TAKEN: _("taken"),
        DeliveryState.NOT_TAKEN: _("not taken"),
        DeliveryState.FAILED: _("not delivered"),
    }
    lines = []
    for mark in marks:
        told = mark.delivery.reason and mark.delivery.state is not DeliveryState.NOT_TAKEN
        reason = f" ({mark.delivery.reason})" if told and not decisions.is_skipped(mark.delivery) else ""
        lines.append(f"{mark.name}{_(': ')}{words[mark.delivery.state]}{reason}")
    return "\n".join(lines)


def first_letter(name: str) -> str:
    """The initial of an avatar."""
    return next((character for character in name if character.isalnum()), "?").upper()


def page(rows: str) -> str:
    """The body of the document."""
    return f"<div class=all>{rows}</div>"


def css(look: Look) -> str:
    """The styles of the conversation, in pixels of this screen."""
    role, code, px = look.palette.role, look.palette.code, look.px
    wide = look.body_width
    return f"""
body{{margin:0;padding:0;background-color:{role["canvas"]};color:{role["text"]};font-family:"{look.family}";
 font-size:{px(15)}px;line-height:{px(25)}px}}
.all{{padding:{px(8)}px {px(24)}px {px(12)}px {px(24)}px}}
table{{border-collapse:separate;border-spacing:0}} td{{padding:0;vertical-align:top}}
p{{margin:0 0 {px(6)}px 0}} ul,ol{{margin:0 0 {px(4)}px 0;padding-left:{px(22)}px}}
a{{color:{role["accent"]};text-decoration:none}} a:hover{{text-decoration:underline}}
.im{{vertical-align:middle;margin-left:{px(3)}px}}
.row,.own,.sep,.wide{{width:100%}} .row{{margin:{px(6)}px 0}} .own{{margin-top:{px(8)}px}}
.av{{width:{px(44)}px;padding-top:{px(2)}px}}
.ini{{width:{px(32)}px;height:{px(32)}px;line-height:{px(32)}px;border-radius:{px(16)}px;text-align:center;
 font-weight:bold;font-size:{px(14)}px}}
.h{{font-size:{px(14)}px;line-height:{px(20)}px}}
.t{{font-size:{px(12)}px;color:{role["muted"]}}}
.mk{{text-align:right;font-size:{px(12)}px;line-height:{px(20)}px;color:{role["muted"]}}}
.b{{width:{wide}px}} .app{{color:{role["text2"]};font-size:{px(14)}px}}
.h1{{font-weight:bold;font-size:{px(18)}px;margin:{px(4)}px 0}}
.h2{{font-weight:bold;font-size:{px(16)}px;margin:{px(4)}px 0}}
.h3{{font-weight:bold;margin:{px(2)}px 0}}
.quo{{border-left:{px(3)}px solid {role["line"]};padding-left:{px(10)}px;color:{role["text2"]};margin:{px(4)}px 0}}
.hr{{border-top:1px solid {role["line"]};margin:{px(8)}px 0;height:0}}
.code{{background-color:{role["sunken"]};border-radius:{px(8)}px;margin:{px(6)}px 0 {px(6)}px 0;
 padding:{px(2)}px {px(14)}px {px(10)}px {px(14)}px}}
.ch{{font-size:{px(12)}px;line-height:{px(26)}px;color:{role["muted"]}}}
.pre{{font-family:"{look.code_family}";font-size:{px(13)}px;line-height:{px(20)}px;white-space:pre}}
.ck{{color:{code["keyword"]}}} .cn{{color:{code["name"]}}} .cc{{color:{code["comment"]}}} .cv{{color:{code["value"]}}}
.ic{{background-color:{role["sunken"]};border-radius:{px(4)}px;padding:{px(1)}px {px(5)}px;
 font-family:"{look.code_family}";font-size:{px(13)}px}}
.tb{{margin:{px(5)}px 0;border-top:1px solid {role["line"]};border-left:1px solid {role["line"]}}}
.tb td,.tb th{{border-right:1px solid {role["line"]};
 border-bottom:1px solid {role["line"]};
 padding:{px(3)}px {px(12)}px;font-size:{px(14)}px;line-height:{px(22)}px}}
.tb th{{background-color:{role["sunken"]}}}
.bub{{border-radius:{px(14)}px;padding:{px(8)}px {px(14)}px}}
.bub p{{margin:0}}
.sep td{{font-size:{px(12)}px;line-height:{px(24)}px;color:{role["muted"]};white-space:nowrap}}
.ln{{border-top:1px solid {role["line"]};margin-top:{px(12)}px;height:0}}
.new td{{color:{role["accent"]}}} .new .ln{{border-top:1px solid {role["accent"]}}}
.note{{font-size:{px(13)}px;line-height:{px(20)}px;color:{role["text2"]}}}
.bad{{color:{role["danger"]}}}
"""
