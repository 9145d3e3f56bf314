"""A log from outside becomes a topic: copied byte for byte up to its last whole line, never moved."""

import contextlib
import os
from pathlib import Path

from pullcept.store.export import copy_lines
from pullcept.store.folder import DataFolder
from pullcept.store.settings import TEMPORARY, reason_of, retried
from pullcept.store.topic_log import first_post


class NotImported(Exception):
    """No topic was made. The text says why, for people."""


def import_log(folder: DataFolder, source: Path, topic_id: str) -> None:
    """Copy a log in under the id of a new topic. Raises `NotImported`, for a file without any post too."""
    temporary = folder.logs / f".{topic_id}{TEMPORARY}"
    try:
        if not source.is_file():
            raise NotImported(f"{source}: there is no such file")
        if first_post(source) is None:
            raise NotImported(f"{source}: it holds no post; only a log of Pullcept (.jsonl) can be imported")
        with temporary.open("xb") as file:
            copy_lines(source, file)
            file.flush()
            os.fsync(file.fileno())
        if first_post(temporary) is None:
            raise NotImported(f"{source}: its only post is cut off")
        retried(lambda: os.rename(temporary, folder.log_path(topic_id)))
    except OSError as error:
        raise NotImported(f"{source}: {reason_of(error)}") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
