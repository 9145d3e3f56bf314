"""The app's own log file in the data folder: what happened, never a token, never what was said."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler

from pullcept.store.folder import DataFolder

KEPT_FILES = 5
FILE_BYTES = 1_000_000
OURS = ("pullcept", "sidecar")
FORM = "%(asctime)s %(levelname)s %(threadName)s %(name)s: %(message)s"


@contextmanager
def app_log(folder: DataFolder) -> Iterator[None]:
    """Write the log file until the block ends; where the file cannot be written, warnings go to stderr."""
    handler = _handler(folder)
    handler.setFormatter(logging.Formatter(FORM))
    root = logging.getLogger()
    root.addHandler(handler)
    for name in OURS:
        logging.getLogger(name).setLevel(logging.INFO)
    try:
        yield
    finally:
        root.removeHandler(handler)
        handler.close()


def _handler(folder: DataFolder) -> logging.Handler:
    try:
        return RotatingFileHandler(
            folder.app_log, maxBytes=FILE_BYTES, backupCount=KEPT_FILES - 1, encoding="utf-8", errors="backslashreplace"
        )
    except OSError:
        handler = logging.StreamHandler(sys.stderr)
        handler.setLevel(logging.WARNING)
        return handler
