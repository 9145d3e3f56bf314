"""What reading the source alone can prove: style, types on each system, and locks that fit together."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 600
WINDOWS = {
    "sys_platform": "win32",
    "platform_system": "Windows",
    "os_name": "nt",
    "platform_machine": "AMD64",
    "python_version": "3.13",
    "python_full_version": "3.13.0",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
    "extra": "",
}


def checked(*command: str) -> None:
    """Run a checker; its words are the failure."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"


def test_the_linter_has_nothing_to_say() -> None:
    checked("ruff", "check", "--quiet", "--output-format", "concise")


def test_the_source_is_formatted() -> None:
    checked("ruff", "format", "--check", "--quiet")


@pytest.mark.parametrize("platform", ["linux", "win32", "darwin"])
def test_the_types_fit_on_every_system(platform: str) -> None:
    checked("mypy", "--platform", platform, "-p", "pullcept", "-p", "sidecar")


@pytest.mark.parametrize("platform", ["linux", "win32"])
def test_the_types_of_the_entry_script_fit(platform: str) -> None:
    # Apart from the package, because both are called `pullcept`.
    checked("mypy", "--strict", "--platform", platform, "--follow-imports", "silent", "pullcept.py")


def test_every_python_file_says_what_it_is_for() -> None:
    for folder in ("pullcept", "sidecar"):
        for path in (ROOT / folder).rglob("*.py"):
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), f"{path} has no docstring"


def test_files_are_opened_with_a_named_encoding() -> None:
    checked("ruff", "check", "--quiet", "--preview", "--select", "PLW1514", "pullcept", "sidecar", "pullcept.py")


def test_the_sidecar_never_prints() -> None:
    # Its standard output is the wire to the CLI.
    checked("ruff", "check", "--quiet", "--select", "T20", "sidecar/bridge.py", "sidecar/statusline.py")


# -- locks ---------------------------------------------------------------


def pins(name: str) -> dict[str, Requirement]:
    """The pinned packages of a lock by name."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [re.split(r"\s+--hash", line)[0].strip() for line in text.splitlines() if re.match(r"\w", line)]
    return {found.name.lower(): found for found in map(Requirement, lines)}


def asked(name: str) -> list[Requirement]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if re.match(r"\w", line)]


def version_of(pin: Requirement) -> str:
    (specifier,) = pin.specifier
    return specifier.version


def test_every_pinned_package_has_hashes_and_the_locks_name_no_host() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text(encoding="utf-8")
        blocks = re.split(r"\n(?=\w)", text.strip())
        assert [block.split()[0] for block in blocks if "--hash=sha256:" not in block] == []
        assert "://" not in text
        assert "--index" not in text


def test_the_development_lock_is_the_app_s_lock_and_more() -> None:
    development = pins("requirements-dev.lock")
    for name, pin in pins("requirements.lock").items():
        assert str(development[name].specifier) == str(pin.specifier)


@pytest.mark.parametrize("stem", ["requirements", "requirements-dev"])
def test_a_lock_was_made_from_what_is_asked_for_now(stem: str) -> None:
    locked = pins(f"{stem}.lock")
    for wanted in asked(f"{stem}.in"):
        assert wanted.specifier.contains(version_of(locked[wanted.name.lower()]))


def test_the_ranges_of_the_package_hold_the_pinned_versions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    locked = pins("requirements.lock")
    for text in project["dependencies"]:
        wanted = Requirement(text)
        assert wanted.specifier.contains(version_of(locked[wanted.name.lower()])), text


def test_every_wanted_package_of_the_app_is_a_dependency_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {Requirement(text).name for text in project["dependencies"]}
    assert {wanted.name for wanted in asked("requirements.in")} == named


def for_windows(name: str) -> list[str]:
    """The lines of a lock that a Windows computer installs, without their markers and hashes."""
    return [f"{pin.name}{pin.specifier}" for pin in pins(name).values() if applies(pin.marker)]


def applies(marker: Marker | None) -> bool:
    return marker is None or marker.evaluate(WINDOWS)


def test_windows_gets_its_terminals_and_not_those_of_others() -> None:
    names = {line.partition("==")[0] for line in for_windows("requirements.lock")}
    assert "pywinpty" in names
    assert "ptyprocess" not in names


@pytest.mark.network
def test_every_package_of_the_app_has_a_wheel_for_windows(tmp_path: Path) -> None:
    wanted = tmp_path / "windows.txt"
    wanted.write_text("\n".join(for_windows("requirements.lock")), encoding="utf-8")
    target = ["--platform", "win_amd64", "--python-version", "3.13", "--implementation", "cp"]
    options = ["--dry-run", "--no-deps", "--ignore-installed", "--only-binary=:all:", "--quiet"]
    checked("pip", "install", *options, "--target", str(tmp_path / "t"), *target, "-r", str(wanted))
