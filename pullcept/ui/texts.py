"""The words of the screen in Japanese and English, from gettext catalogues beside this file.

English is the language of the source; `locale/ja/LC_MESSAGES/pullcept.po` holds the Japanese. The
`.mo` file is made from it by `python -m pullcept.ui.catalogue` and kept in the repository.
"""

import gettext as _gettext
import locale
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

Language = Literal["ja", "en"]
LOCALES = Path(__file__).with_name("locale")
DOMAIN = "pullcept"


class _Words:
    """The catalogue in use. One for the process: a person reads one language at a time."""

    language: Language = "en"
    catalogue: _gettext.NullTranslations = _gettext.NullTranslations()


def use_language(language: Language) -> None:
    """Choose the language of every text asked for from now on."""
    _Words.language = language
    if language == "en":
        _Words.catalogue = _gettext.NullTranslations()
    else:
        _Words.catalogue = _gettext.translation(DOMAIN, LOCALES, [language])


def language_in_use() -> Language:
    """The language chosen last."""
    return _Words.language


def gettext(text: str) -> str:
    """`text` in the language in use."""
    return _Words.catalogue.gettext(text)


def ngettext(one: str, many: str, count: int) -> str:
    """The form of a text for `count` things."""
    return _Words.catalogue.ngettext(one, many, count)


def pick_language(env: Mapping[str, str], system: str | None) -> Language:
    """The language for a person: the first of the usual variables that is set, else the system's."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = env.get(name, "")
        if value and value not in {"C", "POSIX"} and not value.startswith("C."):
            return "ja" if value.lower().startswith("ja") else "en"
    return "ja" if (system or "").lower().startswith(("ja", "japanese")) else "en"


def system_language() -> Language:
    """The language the operating system is set to."""
    if sys.platform == "win32":
        import ctypes

        number = ctypes.windll.kernel32.GetUserDefaultUILanguage()
        return "ja" if number & 0x3FF == 0x11 else "en"
    return pick_language(os.environ, locale.getlocale()[0])
