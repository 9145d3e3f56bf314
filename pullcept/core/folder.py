"""Where the data folder lies, decided from what the outside tells: options, environment, platform."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Literal

BESIDE_NAME = "pullcept-data"

FolderReason = Literal["option", "environment", "portable", "default"]


@dataclass(frozen=True, slots=True)
class FolderChoice:
    """A data folder and why it was chosen. The path may still be relative to the working folder."""

    path: PurePath
    reason: FolderReason


def find_data_folder(
    option: str | None,
    env: Mapping[str, str],
    *,
    platform: str,
    home: str,
    executable_folder: str,
    beside_exists: bool,
) -> FolderChoice:
    """Choose the data folder: option, `PULLCEPT_DATA_DIR`, `pullcept-data` beside the executable, the platform's own.

    `platform` is `sys.platform`; `beside_exists` says whether that folder beside the executable is there.
    Empty values count as not given.
    """
    flavour = PureWindowsPath if platform == "win32" else PurePosixPath
    if option:
        return FolderChoice(flavour(option), "option")
    if env.get("PULLCEPT_DATA_DIR"):
        return FolderChoice(flavour(env["PULLCEPT_DATA_DIR"]), "environment")
    if beside_exists:
        return FolderChoice(flavour(executable_folder) / BESIDE_NAME, "portable")
    return FolderChoice(_platform_folder(env, platform, flavour(home)), "default")


def _platform_folder(env: Mapping[str, str], platform: str, home: PurePath) -> PurePath:
    if platform == "win32":
        return _absolute(env.get("LOCALAPPDATA"), home / "AppData" / "Local") / "Pullcept"
    if platform == "darwin":
        return home / "Library" / "Application Support" / "Pullcept"
    return _absolute(env.get("XDG_DATA_HOME"), home / ".local" / "share") / "pullcept"


def _absolute(text: str | None, default: PurePath) -> PurePath:
    """The path in `text`, or the default when there is none or it is relative."""
    path = type(default)(text or "")
    return path if path.is_absolute() else default
