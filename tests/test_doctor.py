"""The doctor: each check passes on a sound computer, and fails with its cure on one that is not."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path

import pytest

from pullcept import doctor, round_trip
from pullcept.core.account import APP_COMMAND, Account, EnvEntry, default_accounts
from pullcept.core.folder import BESIDE_NAME
from pullcept.doctor import Finding
from pullcept.round_trip import NoRoundTrip
from pullcept.store.config import ConfigFile
from pullcept.store.folder import DataFolder


def is_ok(finding: Finding) -> bool:
    return not finding.cure and not finding.note


# -- Python ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "tk", "cure"),
    [
        ((3, 13, 0), "8.6.13", ""),
        ((3, 14, 2), "9.0.2", ""),
        ((3, 12, 9), "8.6.13", "3.13"),
        ((3, 13, 0), "", doctor.tk_advice()),
        ((3, 13, 0), "8.5.9", "8.6"),
    ],
)
def test_python_and_tk_must_be_new_enough(version: tuple[int, ...], tk: str, cure: str) -> None:
    finding = doctor.check_python(version, tk)
    assert bool(finding.cure) == bool(cure)
    assert cure in finding.cure


def test_a_missing_package_is_broken_and_another_version_is_a_note() -> None:
    wanted = {"evp": "0.0.1", "h11": "0.16.0"}
    assert is_ok(doctor.check_packages(wanted, wanted.get))
    missing = doctor.check_packages(wanted, {"h11": "0.16.0"}.get)
    assert "not installed: evp" in missing.text
    assert sys.prefix in missing.cure
    other = doctor.check_packages(wanted, {"evp": "0.0.2", "h11": "0.16.0"}.get)
    assert (other.note, other.cure) == (True, "")
    assert "evp 0.0.2 instead of 0.0.1" in other.text


def test_the_wanted_packages_are_those_of_this_platform() -> None:
    wanted = doctor.wanted_packages()
    assert wanted["websockets"]
    assert ("pywinpty" in wanted) == (sys.platform == "win32")
    assert ("ptyprocess" in wanted) == (sys.platform != "win32")
    assert doctor.installed_version("websockets") == wanted["websockets"]
    assert doctor.installed_version("no-such-package") is None


def test_no_display_is_a_note_because_the_terminal_serves() -> None:
    assert is_ok(doctor.check_display(None))
    assert doctor.check_display("there is no display").note


# -- this computer -----------------------------------------------------------


def test_a_writable_data_folder_is_sound_and_a_held_one_is_named(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    assert is_ok(doctor.check_data_folder(folder))
    lock = folder.lock()
    try:
        held = doctor.check_data_folder(folder)
    finally:
        lock.release()
    assert held.note
    assert str(os.getpid()) in held.text


def test_a_data_folder_that_cannot_be_made_is_broken(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    finding = doctor.check_data_folder(DataFolder(tmp_path / "file" / "data"))
    assert "--data-dir" in finding.cure


def test_a_broken_config_is_named_and_left_untouched(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    folder.config.write_text("{half", encoding="utf-8")
    finding = doctor.check_data_folder(folder)
    assert finding.cure
    assert "config.json" in finding.text
    assert folder.config.read_text(encoding="utf-8") == "{half"


def test_the_doctor_writes_no_accounts_of_its_own(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    doctor.check_data_folder(folder)
    list(doctor.check_accounts(folder, {"PATH": ""}))
    assert not folder.config.exists()


def test_the_accounts_of_a_first_start_break_nothing_after_it_either(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    offered = default_accounts("Mio", lambda: str(uuid.uuid4()))
    ConfigFile(folder.config).load(lambda: offered)
    found = list(doctor.check_accounts(folder, {"PATH": ""}))
    assert [finding.check for finding in found] == ["account Claude Code", "account Codex", "account Demo agent"]
    assert not any(finding.cure for finding in found)


def test_portable_data_must_be_writable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = tmp_path / BESIDE_NAME
    beside.mkdir()
    assert "no:" in doctor.check_portable(tmp_path).text
    assert "yes:" in doctor.check_portable(beside).text
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert "--data-dir" in doctor.check_portable(beside).cure


def test_a_loopback_that_refuses_or_changes_bytes_is_broken() -> None:
    def refused(sent: bytes) -> bytes:
        raise ConnectionRefusedError("refused")

    assert is_ok(doctor.check_loopback(doctor._loopback_answer))
    assert "firewall" in doctor.check_loopback(refused).cure
    assert "proxy" in doctor.check_loopback(lambda sent: b"<html>").cure


def test_a_sidecar_without_a_round_trip_is_broken() -> None:
    def fails(text: str) -> str:
        raise NoRoundTrip("the room did not open")

    failed = doctor.check_sidecar(fails)
    assert "the room did not open" in failed.text
    assert "docs/troubleshooting.md" in failed.cure
    assert doctor.check_sidecar(lambda text: "other words").cure
    assert is_ok(doctor.check_sidecar(lambda text: text))
    assert doctor.check_sidecar(lambda text: text).text.endswith("sidecar")


def test_a_real_sidecar_is_heard_in_a_real_room(tmp_path: Path) -> None:
    assert round_trip.say_as_guest(DataFolder(tmp_path), "はい、聞こえます 🎧") == "はい、聞こえます 🎧"


@pytest.mark.parametrize("program", ["import sys; sys.exit(3)", "import sys; sys.stdin.read()"])
def test_a_sidecar_that_does_not_answer_is_told_in_time(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_trip, "LIMIT", 2.0)
    client = round_trip._Client((sys.executable, "-c", program), dict(os.environ))
    with client, pytest.raises(NoRoundTrip):
        client.call("initialize", {})


# -- accounts ----------------------------------------------------------------


def account(command: str, kind: str = "cli", **more: object) -> Account:
    return Account(id="a", name="Aki", kind=kind, command=command, **more)  # type: ignore[arg-type]


def check(own: Account, *, version: str = "1.2.3", may_be_absent: bool = False, path: str | None = None) -> Finding:
    environment = {**os.environ, "PATH": path if path is not None else os.environ["PATH"]}
    return doctor.check_account(own, environment, lambda command, env: version, may_be_absent=may_be_absent)


@pytest.fixture
def program(tmp_path: Path) -> str:
    """A command that can be found."""
    path = tmp_path / ("aki.cmd" if os.name == "nt" else "aki")
    path.write_text("@exit /b 0\n" if os.name == "nt" else "#!/bin/sh\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_an_account_whose_command_is_missing_is_broken_unless_every_first_start_offers_it() -> None:
    assert "install it" in check(account("no-such-cli")).cure
    assert check(account("")).cure
    offered = check(account("no-such-cli"), may_be_absent=True)
    assert offered.note
    assert "install it" in offered.text


def test_an_account_is_sound_when_its_command_is_found(program: str) -> None:
    assert is_ok(check(account(program)))
    assert "1.2.3" in check(account(program, "claude_code")).text
    assert is_ok(check(account(APP_COMMAND)))


def test_a_command_is_looked_up_on_the_path_of_the_account(program: str) -> None:
    own = account("aki", env=(EnvEntry("PATH", str(Path(program).parent)),))
    assert is_ok(check(own, path=""))


def test_an_account_without_its_working_folder_is_broken(program: str, tmp_path: Path) -> None:
    assert "make it" in check(account(program, cwd=str(tmp_path / "gone"))).cure


def test_a_cli_that_does_not_say_its_version_is_broken(program: str) -> None:
    def silent(command: str, environment: Mapping[str, str]) -> str:
        raise subprocess.TimeoutExpired(command, 30)

    finding = doctor.check_account(account(program, "codex_cli"), dict(os.environ), silent)
    assert "--version" in finding.text
    assert finding.cure


def test_the_version_is_the_first_line_a_cli_prints() -> None:
    assert doctor.ask_version(sys.executable, os.environ).startswith("Python 3.")


# -- the whole -----------------------------------------------------------------


def test_the_exit_code_is_1_only_when_something_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Finding("a", "well"), Finding("b", "so so", note=True)]
    monkeypatch.setattr(doctor, "findings", lambda data_dir: iter(found))
    assert doctor.main([]) == 0
    found.append(Finding("c", "bad", "mend it"))
    assert doctor.main([]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "BROKEN  c: bad -> mend it"


@pytest.mark.expects_logged_errors
def test_a_check_that_fails_by_itself_is_told_and_the_others_go_on() -> None:
    def broken() -> list[Finding]:
        raise LookupError("oops")

    found = list(doctor._run([("a", broken), ("b", lambda: [Finding("b", "well")])]))
    assert [finding.check for finding in found] == ["a", "b"]
    assert "LookupError: oops" in found[0].text
    assert found[0].cure


def test_every_check_reports_on_this_computer(tmp_path: Path) -> None:
    names = [finding.check for finding in doctor.findings(str(tmp_path / "data"))]
    assert {"python", "packages", "display", "loopback port", "data folder", "portable", "sidecar"} <= set(names)
    assert "account Demo agent" in names
