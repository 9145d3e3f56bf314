"""What a CLI inherits from the app, and what it must not."""

import pytest

from pullcept.core.launch import child_environment


def child(
    base: dict[str, str],
    account: dict[str, str] | None = None,
    own: dict[str, str] | None = None,
    *,
    frozen: bool = False,
    platform: str = "linux",
) -> dict[str, str]:
    environment = child_environment(base, account_env=account or {}, own=own or {}, frozen=frozen, platform=platform)
    assert environment.pop("COLORTERM") == "truecolor"
    if environment["TERM"] == "xterm-256color":
        del environment["TERM"]
    return environment


@pytest.mark.parametrize(
    "name",
    ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "TMUX", "TMUX_PANE", "STY", "PULLCEPT_LAUNCH",
     "PULLCEPT_ANYTHING", "_PYI_ARCHIVE_FILE", "_MEIPASS2", "__PYVENV_LAUNCHER__", "COLUMNS", "TERM_PROGRAM"],
)  # fmt: skip
def test_marks_of_other_sessions_terminals_and_seats_are_not_inherited(name: str) -> None:
    assert child({name: "x", "PATH": "/bin"}) == {"PATH": "/bin"}


def test_what_belongs_to_the_person_is_inherited() -> None:
    base = {"PATH": "/bin", "CLAUDE_CONFIG_DIR": "/c", "VIRTUAL_ENV": "/v", "PYTHONPATH": "/p", "LD_LIBRARY_PATH": "/l"}
    assert child(base) == base


def test_a_frozen_app_gives_back_the_library_path_it_replaced() -> None:
    base = {"LD_LIBRARY_PATH": "/tmp/_MEI1", "LD_LIBRARY_PATH_ORIG": "/orig"}
    assert child(base, frozen=True) == {"LD_LIBRARY_PATH": "/orig"}


def test_a_frozen_app_drops_the_library_path_when_there_was_none() -> None:
    assert child({"LD_LIBRARY_PATH": "/tmp/_MEI1"}, frozen=True) == {}


def test_nothing_names_the_unpacked_bundle() -> None:
    base = {
        "_PYI_APPLICATION_HOME_DIR": "/tmp/_MEI1",
        "TCL_LIBRARY": "/tmp/_MEI1/tcl",
        "TK_LIBRARY": "/elsewhere",
        "SSL_CERT_FILE": "/tmp/_MEI1/cacert.pem",
        "PATH": "/tmp/_MEI1/bin:/usr/bin:/bin",
    }
    assert child(base, frozen=True) == {"PATH": "/usr/bin:/bin"}


def test_a_path_list_of_windows_is_cleaned_at_its_own_separator() -> None:
    base = {"_PYI_APPLICATION_HOME_DIR": r"C:\T\_MEI1", "Path": r"C:\T\_MEI1\x;C:\Windows"}
    assert child(base, frozen=True, platform="win32") == {"Path": r"C:\Windows"}


def test_from_source_the_tk_paths_of_the_person_stay() -> None:
    assert child({"TCL_LIBRARY": "/t"}) == {"TCL_LIBRARY": "/t"}


def test_the_accounts_values_win_over_inherited_ones_and_the_terminal_name() -> None:
    assert child({"A": "1"}, {"A": "2", "TERM": "dumb"}) == {"A": "2", "TERM": "dumb"}


def test_an_account_never_replaces_a_name_of_the_app() -> None:
    own = {"PULLCEPT_LAUNCH": "right"}
    account = {"PULLCEPT_LAUNCH": "wrong", "pullcept_control": "wrong", "_PYI_X": "wrong", "OK": "1"}
    assert child({}, account, own) == {"PULLCEPT_LAUNCH": "right", "OK": "1"}


def test_on_windows_a_value_replaces_the_name_in_any_case() -> None:
    assert child({"Path": "a", "claudecode": "1"}, {"PATH": "b"}, platform="win32") == {"PATH": "b"}


def test_elsewhere_names_of_different_case_are_two_names() -> None:
    assert child({"Path": "a"}, {"PATH": "b"}) == {"Path": "a", "PATH": "b"}
