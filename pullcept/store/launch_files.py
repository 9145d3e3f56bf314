"""The launch folder: registrations and other files that belong to single starts. Emptied when the app starts."""

import contextlib
import hashlib
import os
import shutil
from pathlib import Path

from pullcept.core.topic import TopicIdError, check_topic_id
from pullcept.store.settings import atomic_write, retried


class LaunchFiles:
    """Files for one start each. They hold no secrets; still only their owner may read them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def empty(self) -> None:
        """Remove what earlier runs left; what cannot be removed stays, as nothing reads it. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with os.scandir(self.folder) as entries:
            for entry in list(entries):
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        shutil.rmtree(entry.path)
                    else:
                        os.unlink(entry.path)

    def registration(self, topic_id: str, account_id: str) -> Path:
        """Where the registration of one seat is written."""
        name = f"{topic_id}-{account_id}.json"
        try:
            return self.folder / check_topic_id(name)
        except TopicIdError:
            digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()
            return self.folder / f"{digest[:32]}.json"

    def write(self, path: Path, text: str) -> None:
        """Write one file of this folder (or of a folder in it). Raises `NotSaved`, ValueError for another place."""
        if not path.is_relative_to(self.folder) or ".." in path.parts:
            raise ValueError(f"{path} is not in the launch folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, text.encode("utf-8"))

    def remove(self, path: Path) -> None:
        """Remove one file of this folder; one that is not there is no error. Raises OSError."""
        with contextlib.suppress(FileNotFoundError):
            retried(path.unlink)
