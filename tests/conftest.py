"""Rules for every test: no warning, no logged error, no lost exception; a display where a window needs one."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import psutil
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("suite", max_examples=500, deadline=None, derandomize=True, database=None)
settings.register_profile(
    "slow",
    max_examples=20_000,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(
    "slow" if os.environ.get("PULLCEPT_SLOW_TESTS") == "1" else os.environ.get("HYPOTHESIS_PROFILE", "suite")
)


@dataclass
class Display:
    """The virtual display of this run: started by us, or why there is none."""

    process: subprocess.Popen[bytes] | None = None
    missing: str | None = None


_display = pytest.StashKey[Display]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the long form of the tests too")
    parser.addoption("--no-skips", action="store_true", help="a skipped test makes the run fail")


def pytest_configure(config: pytest.Config) -> None:
    # Roles that tests start use the environment of the tests, never one of their own.
    os.environ.setdefault("PULLCEPT_ENVIRONMENT", "own")
    config.stash[_display] = _start_display()


def pytest_unconfigure(config: pytest.Config) -> None:
    process = config.stash[_display].process
    if process is not None:
        process.terminate()
        process.wait(timeout=10)
        os.environ.pop("DISPLAY", None)


def _start_display() -> Display:
    """Start Xvfb where windows need an X display and there is none. It ends with this process."""
    if sys.platform in ("win32", "darwin") or os.environ.get("DISPLAY"):
        return Display()
    if shutil.which("Xvfb") is None:
        return Display(missing="no display and no Xvfb (Debian, Ubuntu: apt-get install xvfb)")
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-noreset"]
    if shutil.which("setpriv"):
        command = ["setpriv", "--pdeathsig", "TERM", *command]
    process = subprocess.Popen(command, pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading, encoding="ascii") as numbers:
        number = numbers.readline().strip()
    if not number:
        process.wait(timeout=10)
        return Display(missing=f"Xvfb ended with exit status {process.returncode}")
    os.environ["DISPLAY"] = f":{number}"
    return Display(process)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    missing = config.stash[_display].missing
    leave_out = [item for item in items if _is_left_out(item, config)]
    if leave_out:
        config.hook.pytest_deselected(items=leave_out)
        items[:] = [item for item in items if item not in set(leave_out)]
    if missing:
        for item in items:
            if item.get_closest_marker("display"):
                item.add_marker(pytest.mark.skip(reason=missing))


def _is_left_out(item: pytest.Item, config: pytest.Config) -> bool:
    if item.get_closest_marker("slow") and not config.getoption("--slow"):
        return True
    return item.get_closest_marker("network") is not None and os.environ.get("PULLCEPT_TEST_NETWORK") != "1"


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = len(reporter.stats.get("skipped", [])) if reporter is not None else 0
    left = _left_processes(session.config.stash[_display])
    if reporter is not None and left:
        reporter.write_line(f"\nprocesses left by the tests: {'; '.join(left)}", red=True)
    refused = skipped and session.config.getoption("--no-skips")
    if (refused or left) and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _left_processes(display: Display) -> list[str]:
    """Command lines of processes that tests started and did not end. Ends them."""
    own = display.process.pid if display.process else None
    children = [child for child in psutil.Process().children(recursive=True) if child.pid != own]
    _, alive = psutil.wait_procs(children, timeout=5)
    lines = []
    for process in alive:
        try:
            lines.append(f"{process.pid} {' '.join(process.cmdline())[:160]}")
            process.kill()
        except psutil.Error:
            continue
    return lines


def pytest_report_header(config: pytest.Config) -> str:
    display = config.stash[_display]
    started = f"started {os.environ['DISPLAY']}" if display.process else os.environ.get("DISPLAY", "the system's own")
    return f"display: {display.missing or started}"


@dataclass
class _ErrorCatcher(logging.Handler):
    """Keeps every record of an error or worse."""

    records: list[logging.LogRecord] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(level=logging.ERROR)

    def __hash__(self) -> int:
        return id(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture(autouse=True)
def _no_logged_errors(request: pytest.FixtureRequest) -> Iterator[None]:
    """An error in the log is a failure, unless the test says that it makes the program log one."""
    catcher = _ErrorCatcher()
    root = logging.getLogger()
    root.addHandler(catcher)
    try:
        yield
    finally:
        root.removeHandler(catcher)
    expected = request.node.get_closest_marker("expects_logged_errors") is not None
    if catcher.records and not expected:
        shown = "\n".join(logging.Formatter("%(name)s: %(message)s").format(record) for record in catcher.records)
        pytest.fail(f"errors were logged:\n{shown}", pytrace=False)
    if expected and not catcher.records:
        pytest.fail("this test expects a logged error, and none was logged", pytrace=False)
