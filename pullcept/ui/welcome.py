"""What stands in a topic without posts: three steps at the very first, else who may be started."""

from pullcept.ui import html
from pullcept.ui.rows import Look, image
from pullcept.ui.state import ScreenState, is_running
from pullcept.ui.texts import gettext as _

DEMO_MARK = "demo"


def page(state: ScreenState, look: Look) -> str:
    """The inside of the page."""
    if state.topic_id is None:
        return ""
    first_run = len(state.topics) <= 1
    return _first_run(state, look) if first_run else _nothing_said(state, look)


def _first_run(state: ScreenState, look: Look) -> str:
    px, role = look.px, look.palette.role
    demo = demo_account(state)
    button = ""
    if demo is not None:
        button = f'<a href="pullcept:start/{html.escape(demo)}"><b>{html.escape(_("Start the demo"))}</b></a>'
    steps = (
        ("play", _("Start someone with ▶ on the right"), _("No AI CLI yet? The demo agent works right away."), button),
        ("edit", _("Write below and press Enter"), _("Everyone gets it. @name says whom you mean."), "Enter"),
        (
            "terminal",
            _("Look into the terminal"),
            _("When an AI asks you something, answer there. The app never presses a key for you."),
            "Ctrl J",
        ),
    )
    title = f"font-size:{px(22)}px;line-height:{px(32)}px;font-weight:bold;margin-top:{px(12)}px"
    lines = "".join(_step(*step, look) for step in steps)
    lead = html.escape(_("You and several AI sessions share one conversation. Three steps to begin:"))
    return (
        f'<div style="padding:{px(40)}px {px(20)}px 0 {px(20)}px">{image("app48/app", px(48))}'
        f'<div style="{title}">{html.escape(_("This is your room"))}</div>'
        f'<div style="color:{role["text2"]};margin-bottom:{px(14)}px">'
        f"{lead}</div>{lines}</div>"
    )


def _step(icon: str, head: str, body: str, right: str, look: Look) -> str:
    px, role = look.px, look.palette.role
    line = f"border-top:1px solid {role['line']};padding:{px(12)}px 0 {px(10)}px 0"
    return (
        f'<table class=wide style="{line}"><tr><td style="width:{px(36)}px;padding-top:{px(2)}px">'
        f"{image(f'icon20/{icon}', px(20))}</td>"
        f'<td><b>{html.escape(head)}</b><div class=note style="font-size:{px(14)}px">{html.escape(body)}</div></td>'
        f'<td class=mk style="width:{px(130)}px;padding-top:{px(8)}px">{right}</td></tr></table>'
    )


def _nothing_said(state: ScreenState, look: Look) -> str:
    px = look.px
    links = []
    for account in state.accounts:
        if account.startable and not is_running(state.seat_view(account.account_id)):
            name, key = html.escape(account.name), html.escape(account.account_id)
            links.append(f'<a href="pullcept:start/{key}">▶ {name}</a>')
    who = " &nbsp; ".join(links)
    start = f"<div class=note>{html.escape(_('Start someone:'))} &nbsp;{who}</div>" if links else ""
    return (
        f'<div style="padding-top:{px(80)}px;text-align:center;color:{look.palette.role["text2"]}">'
        f"{html.escape(_('Nothing said yet'))}{start}</div>"
    )


def demo_account(state: ScreenState) -> str | None:
    """The id of the bundled demo agent's account, as far as it can be told: a CLI account of that name."""
    for account in state.accounts:
        if account.kind == "cli" and account.startable and DEMO_MARK in account.name.casefold():
            return account.account_id
    return None
