"""The accounts of this run: who they are, and what changes with them while sessions run."""

import getpass
import logging
from collections.abc import Callable
from dataclasses import replace

from pullcept.core.account import Account
from pullcept.core.names import NameRefused, check_name
from pullcept.core.screen import AccountsListed, AccountView, ScreenEvent, StatusSaid
from pullcept.store.config import ConfigFile
from pullcept.store.settings import NotSaved
from pullcept.ui.texts import gettext as _

log = logging.getLogger(__name__)


class Accounts:
    """Lives on the asyncio thread."""

    def __init__(
        self, accounts: tuple[Account, ...], file: ConfigFile | None, tell: Callable[[ScreenEvent], None]
    ) -> None:
        """`file`: where changes are kept; None keeps them for this run only."""
        self.all = accounts
        self._file = file
        self._tell = tell
        self.on_renamed: Callable[[Account], None] = lambda account: None

    def find(self, account_id: str) -> Account | None:
        """The account with this id."""
        return next((account for account in self.all if account.id == account_id), None)

    def person(self) -> Account:
        """The person at this screen."""
        found = next((account for account in self.all if account.kind == "admin"), None)
        return found or Account(id="person", name=user_name(), kind="admin")

    def list_all(self) -> None:
        """Tell the screen who there is."""
        self._tell(AccountsListed(tuple(_view(account) for account in self.all)))

    def save(self, account: Account) -> None:
        """An account has changed. It counts in this run even when it cannot be saved; raises `NotSaved` then."""
        self.all = tuple(account if each.id == account.id else each for each in self.all)
        if self._file is not None:
            self._file.save_accounts(self.all)

    def set_nickname(self, account_id: str, nickname: str) -> None:
        """Call an account otherwise from now on, in running sessions too; an empty nickname gives the name back."""
        account = self.find(account_id)
        if account is None:
            self._tell(StatusSaid(_("This account is gone."), "warning"))
            return
        try:
            changed = replace(account, nickname=check_name(nickname) if nickname.strip() else None)
            self.save(changed)
        except NameRefused as error:
            self._tell(StatusSaid(_("This nickname cannot be used: {reason}").format(reason=error), "error"))
            return
        except NotSaved as error:
            self._tell(StatusSaid(str(error), "error", key=str(error)))
        self.list_all()
        self.on_renamed(changed)
        text = _("{name} is called {nickname} from now on.")
        self._tell(StatusSaid(text.format(name=changed.name, nickname=changed.calling_name)))


def user_name() -> str:
    """The person's name as the operating system knows it; never empty."""
    try:
        return getpass.getuser() or "User"
    except (OSError, KeyError, ImportError):
        return "User"


def _view(account: Account) -> AccountView:
    return AccountView(account.id, account.calling_name, account.kind, account.hue, account.startable)
