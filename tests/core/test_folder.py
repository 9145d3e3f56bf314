"""Where the data folder lies, on each platform."""

from pathlib import PurePosixPath, PureWindowsPath

import pytest

from pullcept.core.folder import FolderChoice, find_data_folder


def find(
    platform: str, env: dict[str, str] | None = None, option: str | None = None, beside: bool = False
) -> FolderChoice:
    windows = platform == "win32"
    return find_data_folder(
        option,
        env or {},
        platform=platform,
        home=r"C:\Users\aki" if windows else "/home/aki",
        executable_folder="E:\\持ち歩き app\\" if windows else "/media/stick/app",
        beside_exists=beside,
    )


@pytest.mark.parametrize(
    ("platform", "env", "path"),
    [
        ("win32", {"LOCALAPPDATA": r"C:\Users\aki\AppData\Local"}, r"C:\Users\aki\AppData\Local\Pullcept"),
        ("win32", {}, r"C:\Users\aki\AppData\Local\Pullcept"),
        ("win32", {"LOCALAPPDATA": "relative"}, r"C:\Users\aki\AppData\Local\Pullcept"),
        ("win32", {"LOCALAPPDATA": r"\\server\share\local"}, r"\\server\share\local\Pullcept"),
        ("darwin", {"XDG_DATA_HOME": "/x"}, "/home/aki/Library/Application Support/Pullcept"),
        ("linux", {}, "/home/aki/.local/share/pullcept"),
        ("linux", {"XDG_DATA_HOME": "/データ"}, "/データ/pullcept"),
        ("linux", {"XDG_DATA_HOME": "relative"}, "/home/aki/.local/share/pullcept"),
        ("linux", {"XDG_DATA_HOME": ""}, "/home/aki/.local/share/pullcept"),
    ],
)
def test_each_platform_has_its_own_place(platform: str, env: dict[str, str], path: str) -> None:
    flavour = PureWindowsPath if platform == "win32" else PurePosixPath
    assert find(platform, env) == FolderChoice(flavour(path), "default")


def test_the_option_goes_before_everything() -> None:
    env = {"PULLCEPT_DATA_DIR": "/env"}
    assert find("linux", env, option="here", beside=True) == FolderChoice(PurePosixPath("here"), "option")


def test_the_environment_goes_before_the_folder_beside_the_executable() -> None:
    env = {"PULLCEPT_DATA_DIR": "/env"}
    assert find("linux", env, option="", beside=True) == FolderChoice(PurePosixPath("/env"), "environment")


def test_a_folder_beside_the_executable_makes_it_portable_whatever_the_drive() -> None:
    choice = find("win32", {"PULLCEPT_DATA_DIR": ""}, beside=True)
    assert choice == FolderChoice(PureWindowsPath("E:\\持ち歩き app\\pullcept-data"), "portable")
