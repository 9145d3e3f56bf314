"""Makes the `.mo` files from the `.po` files (a development step; needs Babel).

`python -m pullcept.ui.catalogue` writes them; a test checks that the kept ones are current.
"""

import io
from pathlib import Path

from pullcept.ui.texts import LOCALES


def compiled(po: Path) -> bytes:
    """The bytes of the `.mo` file that belongs to `po`."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with po.open("rb") as source:
        catalogue = read_po(source)
    made = io.BytesIO()
    write_mo(made, catalogue)
    return made.getvalue()


def main() -> None:
    """Write every catalogue again."""
    for po in sorted(LOCALES.glob("*/LC_MESSAGES/*.po")):
        po.with_suffix(".mo").write_bytes(compiled(po))


if __name__ == "__main__":
    main()
