"""States in words and marks: what the account list, the tabs and the dialogs call them."""

from dataclasses import dataclass

from pullcept.core.screen import AccountView, SeatView
from pullcept.core.seat import SeatState
from pullcept.ui.texts import gettext as _
from pullcept.ui.texts import ngettext

KIND_ORDER = ("admin", "claude_code", "codex_cli", "cli", "mcp")


@dataclass(frozen=True, slots=True)
class Badge:
    """A state: its words, the role of their colour, the shape on the avatar and the role of its colour."""

    words: str
    ink: str = "muted"
    mark: str = "none"
    mark_ink: str = "muted"
    icon: str = ""


def kind_name(kind: str) -> str:
    """What a group of accounts or a participant's kind is called."""
    names = {"admin": _("People"), "claude_code": "Claude Code", "codex_cli": "Codex", "cli": "CLI", "mcp": "MCP"}
    return names.get(kind, _("Guest") if kind in {"guest", "unknown"} else kind)


def badge(account: AccountView, view: SeatView | None, *, not_taken: bool = False) -> Badge:
    """The state of an account's seat in the open topic. `not_taken`: its session has not taken a post."""
    if account.kind == "admin":
        return Badge(_("this window"))
    if view is None or view.state == SeatState.NOT_STARTED:
        return _unusable(account) or Badge(_("Not started"))
    if not_taken and view.state is SeatState.RUNNING:
        return Badge(_("Not taken"), "warn", "diamond", "warn_solid", "alert")
    if view.held:
        return Badge(held_words(view), "warn", "diamond", "warn_solid", "waiting")
    return by_state(view)


def _unusable(account: AccountView) -> Badge | None:
    return Badge(account.problem, "warn", icon="alert") if account.problem else None


def held_words(view: SeatView) -> str:
    """How many posts wait for a seat, and why."""
    words = ngettext("{n} held: {reason}", "{n} held: {reason}", view.held)
    plain = ngettext("{n} held", "{n} held", view.held)
    return (words if view.hold_reason else plain).format(n=view.held, reason=view.hold_reason)


def by_state(view: SeatView) -> Badge:
    """The state of a seat apart from the posts that wait for it."""
    if view.state == SeatState.FIRST_SCREEN:
        return Badge(_("First screen: needs you"), "warn", "diamond", "warn_solid", "keyboard")
    if view.state == SeatState.RUNNING:
        return Badge(view.detail or _("Running"), "ok", "full", "ok")
    if view.state == SeatState.FAILED:
        reason = view.detail or _("unknown reason")
        return Badge(_("Failed: {reason}").format(reason=reason), "danger", "square", "danger_solid")
    if view.state == SeatState.ENDED:
        return _ended(view)
    return Badge(_("Starting") if view.state == SeatState.STARTING else _("Stopping"), mark="ring")


def _ended(view: SeatView) -> Badge:
    if view.asked:
        return Badge(_("Stopped"))
    if view.exit_code is None:
        words = view.detail or _("Exited by itself")
    else:
        words = _("Exited by itself ({n})").format(n=view.exit_code)
    return Badge(words, "danger", "square", "danger_solid")
