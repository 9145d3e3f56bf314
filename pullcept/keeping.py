"""Keeps what the person has not sent yet: told by the screen, saved soon after, given back at the next start."""

import asyncio
from collections.abc import Callable

from pullcept.core.screen import ScreenEvent, StatusSaid, UnsentKept
from pullcept.store.folder import DataFolder
from pullcept.store.settings import NotSaved
from pullcept.store.unsent import Unsent, UnsentFile
from pullcept.ui.texts import gettext as _

SAVE_PAUSE = 0.3
KEY = "unsent"


class Keeping:
    """The unsent texts of one run. Lives on the asyncio thread; one save at a time. `known` may be asked anywhere."""

    def __init__(self, folder: DataFolder, known: Callable[[str], bool], tell: Callable[[ScreenEvent], None]) -> None:
        self._file = UnsentFile(folder.state)
        self._known = known
        self._tell = tell
        self._unsent: dict[str, Unsent] = {}
        self._saving: asyncio.Task[None] | None = None
        self._failed = False

    def give_back(self, fresh: str) -> None:
        """Tell the screen what was kept. What was written in topics that left no trace comes to the `fresh` one."""
        kept = self._file.load()
        if self._file.broken:
            self._tell(StatusSaid(self._file.broken, "error", self._file.broken))
        homeless = [unsent for topic_id, unsent in kept.items() if not self._known(topic_id)]
        self._unsent = {topic_id: unsent for topic_id, unsent in kept.items() if self._known(topic_id)}
        if homeless:
            files = dict.fromkeys(path for _text, paths in homeless for path in paths)
            self._unsent[fresh] = "\n\n".join(text for text, _paths in homeless if text.strip()), tuple(files)
        for topic_id, (text, paths) in self._unsent.items():
            self._tell(UnsentKept(topic_id, text, paths))
        if homeless:
            self._save_soon()

    def keep(self, topic_id: str, text: str, files: tuple[str, ...]) -> None:
        """This is unsent in a topic now; empty when all was sent."""
        self._unsent[topic_id] = (text, files)
        self._save_soon()

    async def close(self) -> None:
        """Save what is not saved yet."""
        if self._saving is not None:
            self._saving.cancel()
            await asyncio.gather(self._saving, return_exceptions=True)
        await self._save()

    def _save_soon(self) -> None:
        if self._saving is None or self._saving.done():
            self._saving = asyncio.get_running_loop().create_task(self._save_later(), name="keep unsent")

    async def _save_later(self) -> None:
        saved: dict[str, Unsent] = {}
        while saved != self._unsent:
            await asyncio.sleep(SAVE_PAUSE)
            saved = dict(self._unsent)
            await self._save()

    async def _save(self) -> None:
        if self._file.broken:
            return  # said at the start; the file is the person's to decide about
        try:
            await asyncio.shield(asyncio.to_thread(self._file.save, dict(self._unsent), self._known))
        except NotSaved as error:
            self._failed = True
            self._tell(StatusSaid(_("Unsent text is not kept: {reason}").format(reason=error), "error", KEY))
            return
        if self._failed:
            self._failed = False
            self._tell(StatusSaid("", key=KEY))
