"""The whole app with real CLIs in its seats, in a data folder whose name is as odd as a person's may be."""

from collections.abc import Sequence
from pathlib import Path

from pullcept.core.account import Account
from tests.e2e.running_app import LIMIT, PERSON, RunningApp
from tests.real_cli.homes import PATH

__all__ = ["LIMIT", "PERSON", "RealRoom"]


class RealRoom(RunningApp):
    """A running app whose sessions find only the system's own programs."""

    def __init__(self, root: Path, accounts: Sequence[Account]) -> None:
        super().__init__(root, accounts, data="部屋 & data 🚀", path=PATH)
