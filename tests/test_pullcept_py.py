"""`pullcept.py`: finding a Python, making the environment, and choosing a role."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pullcept import __version__, bootstrap, develop, find_python, roles
from pullcept.bootstrap import SetupFailed

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "pullcept.py"
OWN = {"PULLCEPT_ENVIRONMENT": "own"}
LIMIT = 120


def run(*argv: str, script: Path = SCRIPT, **extra: str) -> subprocess.CompletedProcess[str]:
    """Start `pullcept.py` as a person would, without standard input."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PULLCEPT_")} | extra
    return subprocess.run(
        [sys.executable, str(script), *argv],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LIMIT,
        check=False,
    )


# -- roles ---------------------------------------------------------------


@pytest.mark.parametrize(
    "argv",
    [
        ["-m", "pip"],
        ["-c", "print(1)"],
        ["--multiprocessing-fork", "parent_pid=1", "pipe_handle=2"],
        ["frobnicate"],
        ["--frobnicate"],
        [""],
        ["console", "--frobnicate"],
        ["console", "extra"],
        ["--data-dir"],
        ["--data-dir", ""],
        ["--data-dir=a", "--data-dir=b"],
        ["demo", "--window=yes"],
        ["demo", "--say"],
        ["build", "now"],
    ],
)
def test_arguments_that_fit_no_role_print_usage_and_start_nothing(argv: list[str]) -> None:
    done = run(*argv, **OWN)
    assert done.returncode == 2
    assert "usage: pullcept.py" in done.stderr
    assert done.stdout == ""


def test_the_version_is_the_one_of_the_package() -> None:
    done = run("--version", **OWN)
    assert (done.returncode, done.stdout) == (0, f"pullcept {__version__}\n")


def test_help_names_every_role_a_person_uses() -> None:
    done = run("--help", **OWN)
    assert done.returncode == 0
    for name in set(roles.ROLES) - {"sidecar", "statusline", "demo-agent"}:
        assert f"pullcept.py {name}" in done.stdout


@pytest.mark.parametrize("role", ["console", "demo", "doctor"])
def test_help_about_a_role_is_the_help(role: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert roles.main([role, "--help"]) == 0
    assert capsys.readouterr().out == f"{roles.USAGE}\n"


def test_build_says_clearly_that_this_version_has_none() -> None:
    done = run("build", **OWN)
    assert done.returncode == 2
    assert "cannot build a one-file executable yet" in done.stderr


@pytest.mark.parametrize(
    ("argv", "name", "rest"),
    [
        ([], "", []),
        (["--data-dir", "d"], "", ["--data-dir", "d"]),
        (["console", "--data-dir=d"], "console", ["--data-dir=d"]),
        (["demo", "--say", "--data-dir", "--window"], "demo", ["--say", "--data-dir", "--window"]),
        (["test", "-k", "x"], "test", ["-k", "x"]),
        (["bench", "log.tail"], "bench", ["log.tail"]),
    ],
)
def test_the_first_argument_chooses_the_role(argv: list[str], name: str, rest: list[str]) -> None:
    assert roles.choose(argv) == (name, rest)


@pytest.mark.parametrize("role", [roles.WINDOW, *roles.ROLES.values()], ids=lambda role: role.handler)
def test_each_role_leads_to_a_function(role: roles.Role) -> None:
    assert callable(roles.handler_of(role))


def test_without_a_display_the_room_opens_in_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started: list[tuple[str, list[str]]] = []

    def handler_of(role: roles.Role) -> object:
        return lambda rest: started.append((role.handler, rest)) or 0

    monkeypatch.setattr(roles, "handler_of", handler_of)
    monkeypatch.setattr(roles, "no_window_reason", lambda platform, environment: "there is no display")
    assert roles.main(["--data-dir", "d"]) == 0
    assert started == [("pullcept.console:main", ["--data-dir", "d"])]
    assert capsys.readouterr().err.count("\n") == 1


def test_a_missing_or_dead_display_is_told_from_a_living_one() -> None:
    assert "DISPLAY is not set" in (roles.no_window_reason("linux", {}) or "")
    assert "does not answer" in (roles.no_window_reason("linux", {"DISPLAY": ":31999"}) or "")
    assert roles.no_window_reason("win32", {}) is None
    assert roles.no_window_reason("darwin", {}) is None
    assert roles.no_window_reason("linux", {"DISPLAY": "a form of its own"}) is None


@pytest.mark.display
@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="only X has a DISPLAY")
def test_a_living_display_lets_the_window_open() -> None:
    assert roles.no_window_reason("linux", dict(os.environ)) is None


@pytest.mark.parametrize("role", ["sidecar", "statusline"])
def test_a_light_role_starts_like_a_bare_interpreter(role: str) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", str(SCRIPT), role],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LIMIT,
        check=False,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert f"sidecar.{'bridge' if role == 'sidecar' else 'statusline'}" in loaded
    heavy = {
        "mcp",
        "pydantic",
        "asyncio",
        "websockets",
        "tkinter",
        "subprocess",
        "pullcept.bootstrap",
        "pullcept.roles",
    }
    assert loaded & heavy == set()


def test_a_role_in_development_says_what_the_system_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    lines = develop.missing_lines(lambda name: name if name == "fc-list" else None, lambda pattern: False)
    told = "\n".join(lines)
    for package in ("xvfb", "fonts-noto-cjk", "fonts-noto-color-emoji", "fonts-dejavu", "nodejs"):
        assert package in told
    assert develop.missing_lines(lambda name: name, lambda pattern: True) == []


@pytest.mark.network
def test_the_installed_command_knows_its_roles_and_its_files(tmp_path: Path) -> None:
    environment = tmp_path / "installed"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True, timeout=LIMIT)
    python = bootstrap.python_of(str(environment))
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", str(ROOT)]
    subprocess.run(install, check=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
    command = Path(python).with_name("pullcept.exe" if os.name == "nt" else "pullcept")
    where = "import pullcept.ui, pathlib; print(pathlib.Path(pullcept.ui.__file__).with_name('assets').is_dir())"
    for argv, expected in (
        ([str(command), "--version"], f"pullcept {__version__}"),
        ([python, "-c", where], "True"),
        ([python, "-m", "pullcept", "sidecar"], ""),
    ):
        done = subprocess.run(
            argv,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT,
            check=True,
        )
        assert done.stdout.strip() == expected


# -- finding a Python ----------------------------------------------------

GOOD = "3 13 1 cpython 64 0 1 1 1"


@pytest.mark.parametrize(
    "name", ["pullcept.py", "pullcept/__init__.py", "pullcept/bootstrap.py", "pullcept/find_python.py"]
)
def test_what_finds_a_newer_python_is_readable_for_an_old_one(name: str) -> None:
    source = (ROOT / name).read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 8))
    for newer in (".removeprefix(", ".removesuffix(", "match ", "zip(strict"):
        assert newer not in source


@pytest.mark.parametrize(
    ("answer", "lacks"),
    [
        (GOOD, ""),
        ("3 14 0 cpython 64 0 1 1 0", ""),
        ("3 12 9 cpython 64 0 1 1 1", "is Python 3.12"),
        ("2 7 18 old 64 0 0 0 0", "is Python 2.7"),
        ("3 13 0 pypy 64 0 1 1 1", "is pypy, not CPython"),
        ("3 13 0 cpython 32 0 1 1 1", "is a 32-bit build"),
        ("3 13 0 cpython 64 1 1 1 1", "is a free-threaded build"),
        ("3 13 0 cpython 64 0 1 0 1", "has no ensurepip"),
        ("3 13 0 cpython 64 0 0 0 1", "has no venv and no ensurepip"),
    ],
)
def test_an_interpreter_is_judged_by_what_it_answers(answer: str, lacks: str) -> None:
    assert find_python.Python("python", answer.split()).lacks.startswith(lacks)
    assert bool(find_python.Python("python", answer.split()).lacks) == bool(lacks)


def offer(monkeypatch: pytest.MonkeyPatch, folder: Path, **answers: str) -> list[str]:
    """Files that answer as told when probed; an empty answer means that the file is no Python."""
    for name in answers:
        (folder / name).touch()
    found = {str(folder / name): answer for name, answer in answers.items()}

    def probe(path: str) -> find_python.Python | None:
        return find_python.Python(path, found[path].split()) if found[path] else None

    monkeypatch.setattr(find_python, "probe", probe)
    return list(found)


@pytest.mark.parametrize(
    ("answers", "chosen"),
    [
        ({"a": "3 8 1 cpython 64 0 1 1 1", "b": "", "c": GOOD}, "c"),
        ({"a": "3 13 0 cpython 64 0 1 1 0", "b": GOOD}, "b"),
        ({"a": "3 13 0 cpython 64 0 1 1 0", "b": "3 12 0 cpython 64 0 1 1 1"}, "a"),
        ({"a": "3 15 0 cpython 64 0 1 1 1", "b": GOOD}, "b"),
        ({"a": "3 15 0 cpython 64 0 1 1 1"}, "a"),
        ({"a": "3 12 0 cpython 64 0 1 1 1"}, None),
        ({}, None),
    ],
)
def test_the_best_python_has_tkinter_and_a_tested_version(
    answers: dict[str, str], chosen: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    best = find_python.best(offer(monkeypatch, tmp_path, **answers))
    assert (best and Path(best.path).name) == chosen


def test_a_real_interpreter_answers_and_other_files_do_not(tmp_path: Path) -> None:
    found = find_python.probe(sys.executable)
    assert found is not None
    assert found.version == sys.version_info[:3]
    (tmp_path / "python3.13").write_text("no program", encoding="utf-8")
    assert find_python.probe(str(tmp_path / "python3.13")) is None
    assert find_python.probe(str(tmp_path / "absent")) is None


def test_the_advice_names_what_was_found_and_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = offer(monkeypatch, tmp_path, old="3 9 2 cpython 64 0 1 1 1", bare="3 13 0 cpython 64 0 1 0 1")
    monkeypatch.setattr(find_python, "_candidates", lambda: iter(paths))
    advice = find_python.advice()
    assert f"{paths[0]} is Python 3.9" in advice
    assert f"{paths[1]} has no ensurepip" in advice
    assert "PULLCEPT_PYTHON=" in advice
    assert "nstall it" in advice


@pytest.mark.parametrize(("platform", "word"), [("win32", "winget"), ("darwin", "brew"), ("linux", "apt-get")])
def test_the_advice_is_for_this_system(platform: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(find_python, "_candidates", lambda: iter(()))
    assert word in find_python.advice()
    assert find_python.tk_advice()


def test_the_lines_of_the_py_launcher_are_read(tmp_path: Path) -> None:
    python = tmp_path / "Python 313" / "python.exe"
    python.parent.mkdir()
    python.touch()
    text = f" -V:3.13 *        {python}\n -V:3.12          {tmp_path / 'absent.exe'}\nNo runtimes\n{python}\n"
    assert find_python.paths_in(text) == [str(python), str(python)]


def test_a_python_named_by_hand_is_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULLCEPT_PYTHON", "/somewhere/python")
    assert next(iter(find_python._candidates())) == "/somewhere/python"


# -- the environment -----------------------------------------------------


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A source checkout with nothing to install, at a path that is awkward on purpose."""
    folder = tmp_path / "ソース code"
    (folder / "pullcept").mkdir(parents=True)
    for name in (
        "pullcept.py",
        "pullcept/__init__.py",
        "pullcept/bootstrap.py",
        "pullcept/find_python.py",
        "pullcept/roles.py",
    ):
        shutil.copy(ROOT / name, folder / name)
    (folder / "requirements.lock").write_text("# nothing\n", encoding="utf-8")
    (folder / "requirements-dev.lock").write_text("# nothing more\n", encoding="utf-8")
    return folder


def environments(checkout: Path) -> list[Path]:
    return sorted(path for path in checkout.iterdir() if path.name.startswith(".venv-") and path.is_dir())


def start(checkout: Path, *argv: str, **extra: str) -> subprocess.CompletedProcess[str]:
    return run(*argv, script=checkout / "pullcept.py", PULLCEPT_PYTHON=sys.executable, **extra)


def test_the_first_start_makes_an_environment_and_the_next_ones_say_nothing(checkout: Path) -> None:
    first = start(checkout, "--version")
    assert (first.returncode, first.stdout) == (0, f"pullcept {__version__}\n"), first.stderr
    (environment,) = environments(checkout)
    assert f"making an environment in {environment}" in first.stderr
    second = start(checkout, "--version")
    assert (second.returncode, second.stdout, second.stderr) == (0, first.stdout, "")
    # An interrupted set-up is one without its marker: whatever it left is made anew.
    (environment / bootstrap.READY).unlink()
    (environment / "left over").touch()
    healed = start(checkout, "--version")
    assert (healed.returncode, healed.stdout) == (0, first.stdout)
    assert "interrupted" in healed.stderr
    assert not (environment / "left over").exists()
    # Another lock: another environment, and the old one stays for whoever still runs in it.
    (checkout / "requirements.lock").write_text("# changed\n", encoding="utf-8")
    assert start(checkout, "--version").returncode == 0
    assert len(environments(checkout)) == 2


def test_first_starts_at_the_same_time_make_one_environment(checkout: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PULLCEPT_")}
    environment["PULLCEPT_PYTHON"] = sys.executable
    command = [sys.executable, str(checkout / "pullcept.py"), "--version"]
    starts = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)
    ]
    answers = [process.communicate(timeout=LIMIT) for process in starts]
    assert [out.decode().strip() for out, _ in answers] == [f"pullcept {__version__}"] * 3
    assert sum(b"making an environment" in err for _, err in answers) == 1
    assert len(environments(checkout)) == 1


def test_a_first_start_killed_half_way_is_healed_by_the_next(checkout: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PULLCEPT_")}
    environment["PULLCEPT_PYTHON"] = sys.executable
    command = [sys.executable, str(checkout / "pullcept.py"), "--version"]
    killed = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + LIMIT
    while not environments(checkout) and time.monotonic() < deadline:
        time.sleep(0.01)
    killed.kill()
    killed.wait(timeout=LIMIT)
    done = start(checkout, "--version")
    assert (done.returncode, done.stdout) == (0, f"pullcept {__version__}\n"), done.stderr
    assert "interrupted" in done.stderr


def test_a_set_up_that_fails_says_what_failed_and_exits_1(checkout: Path) -> None:
    (checkout / "requirements.lock").write_text("no-such-package==1.0 --hash=sha256:zz\n", encoding="utf-8")
    done = start(checkout, "--version")
    assert (done.returncode, done.stdout) == (1, "")
    assert "the packages could not be installed" in done.stderr
    assert "pip install" in done.stderr


def make_environment(folder: Path, home: Path) -> Path:
    """What `python -m venv` leaves, as far as it is looked at. Returns its Python."""
    python = Path(bootstrap.python_of(str(folder)))
    python.parent.mkdir(parents=True)
    python.touch()
    (folder / "pyvenv.cfg").write_text(f"home = {home}\nversion = 3.13.1\n", encoding="utf-8")
    return python


def test_what_tests_need_is_added_only_for_development(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(bootstrap, "_install", lambda folder, lock: asked.append(Path(lock).name))
    monkeypatch.setattr(bootstrap, "_run", lambda command, failure: make_environment(Path(command[-1]), tmp_path))
    for for_development in (False, True, True, False):
        bootstrap.environment_python(str(checkout), for_development)
    assert asked == ["requirements.lock", "requirements-dev.lock"]


def test_an_environment_whose_python_was_removed_is_made_anew(checkout: Path, tmp_path: Path) -> None:
    home = tmp_path / "python" / "bin"
    home.mkdir(parents=True)
    folder = str(checkout / "env")
    python = make_environment(Path(folder), home)
    bootstrap._mark(folder, bootstrap.READY, bootstrap._fingerprint(str(checkout), False))
    assert bootstrap._is_ready(folder, str(checkout), False)
    home.rmdir()
    assert not bootstrap._is_ready(folder, str(checkout), False)
    home.mkdir()
    python.unlink()
    assert not bootstrap._is_ready(folder, str(checkout), False)


def test_a_checkout_that_cannot_be_written_uses_the_cache_of_the_user(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setattr(bootstrap, "user_cache", lambda: str(cache))
    monkeypatch.setattr(bootstrap, "_can_write", lambda folder: False)
    folder = Path(bootstrap.environment_folder(str(checkout)))
    assert folder.parent == cache
    assert folder.name.startswith("venv-")


def test_nowhere_to_write_is_said_with_both_places(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(bootstrap, "user_cache", lambda: str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(bootstrap, "_can_write", lambda folder: False)
    with pytest.raises(SetupFailed, match="can be written"):
        bootstrap.environment_folder(str(checkout))


def test_no_usable_python_exits_1_with_the_advice(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PULLCEPT_ENVIRONMENT", raising=False)
    monkeypatch.setattr(find_python, "_candidates", lambda: iter(()))
    assert bootstrap.prepare(str(checkout / "pullcept.py"), []) == 1
    assert "Pullcept needs Python 3.13 or later" in capsys.readouterr().err


def test_a_python_without_tkinter_is_used_and_said(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = find_python.Python("bare", ["3", "13", "0", "cpython", "64", "0", "1", "1", "0"])
    monkeypatch.setattr(find_python, "best", lambda: bare)
    monkeypatch.setattr(bootstrap, "_run", lambda command, failure: make_environment(Path(command[-1]), checkout))
    monkeypatch.setattr(bootstrap, "_install", lambda folder, lock: None)
    bootstrap.environment_python(str(checkout), False)
    assert "bare has no tkinter" in capsys.readouterr().err


@pytest.mark.parametrize("code", [0, 7, 255])
def test_a_child_gives_its_exit_code_back(code: int) -> None:
    command = [sys.executable, "-c", f"import sys; sys.exit({code})"]
    assert bootstrap.run_child(command, dict(os.environ)) == code


def test_the_role_sees_neither_a_foreign_home_of_python_nor_a_question(checkout: Path) -> None:
    done = start(checkout, "--version", PYTHONPATH=str(checkout / "absent"), PIP_USER="1", PIP_REQUIRE_HASHES="no")
    assert done.returncode == 0, done.stderr
