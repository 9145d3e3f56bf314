"""Keeps the catalogues of the interface's texts (a development step; needs Babel).

`python -m pullcept.ui.catalogue` looks the texts up in the source, adds new ones to each `.po` file
untranslated, drops those nobody asks for, and makes the `.mo` files. A test checks that all is done.
"""

import io
from pathlib import Path
from typing import TYPE_CHECKING

from pullcept.ui.texts import LOCALES

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2)}
PACKAGE = LOCALES.parents[1]
WIDTH = 118


def asked_for() -> "Catalog":
    """Every text the source asks for."""
    from babel.messages.catalog import Catalog
    from babel.messages.extract import extract_from_dir

    found = Catalog()
    for _file, _line, message, _comments, _context in extract_from_dir(str(PACKAGE), keywords=KEYWORDS):
        found.add(message)
    return found


def read(po: Path) -> "Catalog":
    """The texts of a `.po` file."""
    from babel.messages.pofile import read_po

    with po.open("rb") as source:
        return read_po(source)


def update(po: Path) -> None:
    """Bring a `.po` file up to what the source asks for; translations stay."""
    from babel.messages.pofile import write_po

    kept, made = read(po), io.BytesIO()
    lines = po.read_bytes().split(b"\n\n", 1)
    kept.update(asked_for(), no_fuzzy_matching=True)
    write_po(made, kept, width=WIDTH, omit_header=True, sort_output=True, ignore_obsolete=True, no_location=True)
    po.write_bytes(lines[0] + b"\n\n" + made.getvalue().strip() + b"\n")


def compiled(po: Path) -> bytes:
    """The bytes of the `.mo` file that belongs to `po`."""
    from babel.messages.mofile import write_mo

    made = io.BytesIO()
    write_mo(made, read(po))
    return made.getvalue()


def main() -> None:
    """Bring every catalogue up to date."""
    for po in sorted(LOCALES.glob("*/LC_MESSAGES/*.po")):
        update(po)
        po.with_suffix(".mo").write_bytes(compiled(po))


if __name__ == "__main__":
    main()
