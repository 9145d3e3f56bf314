"""The words of the screen are there in both languages, and the kept catalogues are current."""

import io
import re
import string
from gettext import GNUTranslations
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from pullcept.ui import texts
from pullcept.ui.catalogue import asked_for, compiled, read
from pullcept.ui.texts import LOCALES, gettext, ngettext, pick_language, use_language

PO_FILES = sorted(LOCALES.glob("*/LC_MESSAGES/*.po"))


def catalogue(path: object) -> Catalog:
    return read(Path(str(path)))


@pytest.mark.parametrize("po", PO_FILES, ids=lambda path: path.parts[-3])
def test_every_text_is_translated_and_no_translation_is_left_over(po: object) -> None:
    kept = catalogue(po)
    known = {message.id[0] if isinstance(message.id, tuple) else message.id for message in kept if message.id}
    wanted = {message.id[0] if isinstance(message.id, tuple) else message.id for message in asked_for() if message.id}
    assert known == wanted, "run python -m pullcept.ui.catalogue, then translate what is new"
    for message in kept:
        if message.id:
            said = message.string if isinstance(message.string, tuple) else (message.string,)
            assert all(said), message.id


@pytest.mark.parametrize("po", PO_FILES, ids=lambda path: path.parts[-3])
def test_a_translation_has_the_same_blanks_to_fill(po: object) -> None:
    def blanks(text: str) -> set[str | None]:
        return {name for _literal, name, _spec, _conversion in string.Formatter().parse(text) if name}

    for message in catalogue(po):
        if message.id:
            source = message.id[-1] if isinstance(message.id, tuple) else message.id
            for said in message.string if isinstance(message.string, tuple) else (message.string,):
                assert blanks(str(said)) == blanks(source), message.id


@pytest.mark.parametrize("po", PO_FILES, ids=lambda path: path.parts[-3])
def test_the_kept_catalogue_is_made_from_the_texts(po: object) -> None:
    path = Path(str(po))
    kept, made = (GNUTranslations(io.BytesIO(data)) for data in (path.with_suffix(".mo").read_bytes(), compiled(path)))
    for message in catalogue(po):
        if isinstance(message.id, tuple):
            assert kept.ngettext(*message.id, 2) == made.ngettext(*message.id, 2), "run python -m pullcept.ui.catalogue"
        elif message.id:
            assert kept.gettext(message.id) == made.gettext(message.id), "run python -m pullcept.ui.catalogue"


def test_japanese_uses_full_width_marks_and_half_width_digits() -> None:
    for message in catalogue(PO_FILES[0]):
        if message.id:
            for said in message.string if isinstance(message.string, tuple) else (message.string,):
                assert not re.search(r"[（：][^）]*\(|[０-９]|[ぁ-ん一-龥]:", str(said)), said


def test_the_language_changes_what_is_said() -> None:
    use_language("ja")
    assert gettext("Accounts") == "アカウント"
    assert ngettext("{n} held", "{n} held", 3) == "{n}件保留"
    assert texts.language_in_use() == "ja"
    use_language("en")
    assert gettext("Accounts") == "Accounts"


@pytest.mark.parametrize(
    ("env", "system", "language"),
    [
        ({}, None, "en"),
        ({}, "ja_JP", "ja"),
        ({}, "Japanese_Japan", "ja"),
        ({"LANG": "ja_JP.UTF-8"}, "en_US", "ja"),
        ({"LANG": "C.UTF-8"}, "ja_JP", "ja"),
        ({"LANGUAGE": "en:ja", "LANG": "ja_JP.UTF-8"}, None, "en"),
        ({"LC_ALL": "de_DE.UTF-8", "LANG": "ja_JP.UTF-8"}, None, "en"),
    ],
)
def test_the_language_is_that_of_the_system(env: dict[str, str], system: str | None, language: str) -> None:
    assert pick_language(env, system) == language
