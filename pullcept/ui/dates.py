"""Dates as the screen writes them: a clock time in a row, a short date in a list, a day in words."""

from datetime import date, datetime, tzinfo

from pullcept.ui.texts import gettext as _
from pullcept.ui.texts import language_in_use

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def local_time(ts: str, zone: tzinfo | None = None) -> datetime | None:
    """A stamped time in the local zone (or `zone`); None when it cannot be read."""
    try:
        return datetime.fromisoformat(ts).astimezone(zone)
    except (ValueError, OverflowError, OSError):
        return None


def clock(ts: str, zone: tzinfo | None = None) -> str:
    """HH:MM, or nothing for a time that cannot be read."""
    when = local_time(ts, zone)
    return when.strftime("%H:%M") if when else ""


def full_time(ts: str, zone: tzinfo | None = None) -> str:
    """The whole local time with its zone; the text as it came when it cannot be read."""
    when = local_time(ts, zone)
    return when.strftime("%Y-%m-%d %H:%M:%S %z") if when else ts


def day_of(ts: str, zone: tzinfo | None = None) -> date | None:
    """The local day of a stamped time."""
    when = local_time(ts, zone)
    return when.date() if when else None


def day_name(day: date, today: date) -> str:
    """A day in words: today, yesterday, else the date."""
    away = (today - day).days
    if away == 0:
        return _("Today")
    if away == 1:
        return _("Yesterday")
    return _short_date(day, with_year=day.year != today.year)


def short_date(ts: str, today: date, zone: tzinfo | None = None) -> str:
    """What a list shows: the time of a day like today, else a short date."""
    day = day_of(ts, zone)
    if day is None:
        return ""
    if day == today:
        return clock(ts, zone)
    return day_name(day, today)


def _short_date(day: date, *, with_year: bool) -> str:
    if language_in_use() == "ja":
        return f"{day.year}/{day.month}/{day.day}" if with_year else f"{day.month}/{day.day}"
    text = f"{MONTHS[day.month - 1]} {day.day}"
    return f"{text}, {day.year}" if with_year else text
