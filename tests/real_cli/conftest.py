"""Fixtures of the tests that drive real CLIs. Without the pinned binaries these tests are skipped."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_cli.binaries import CLAUDE_VERSION, CODEX_VERSION, Binary, cache_folder, find_claude, find_codex
from tests.real_cli.claude_model import ClaudeModel
from tests.real_cli.codex_model import CodexModel
from tests.real_cli.seats import RealSeat, claude_seat, codex_seat


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.real_cli)


@pytest.fixture(scope="session")
def claude_binary(tmp_path_factory: pytest.TempPathFactory) -> Binary:
    binary = find_claude(tmp_path_factory.mktemp("claude-version"))
    if binary is None:
        pytest.skip(f"no Claude Code in {cache_folder()} (PULLCEPT_CLI_DIR)")
    print(f"Claude Code prints {binary.version}")
    assert binary.version.startswith(CLAUDE_VERSION)
    return binary


@pytest.fixture(scope="session")
def codex_binary(tmp_path_factory: pytest.TempPathFactory) -> Binary:
    binary = find_codex(tmp_path_factory.mktemp("codex-version"))
    if binary is None:
        pytest.skip(f"no Codex in {cache_folder()} (PULLCEPT_CLI_DIR)")
    print(f"Codex prints {binary.version}")
    assert binary.version == f"codex-cli {CODEX_VERSION}"
    return binary


@pytest.fixture
def claude_model() -> Iterator[ClaudeModel]:
    with ClaudeModel() as model:
        yield model


@pytest.fixture
def codex_model() -> Iterator[CodexModel]:
    with CodexModel() as model:
        yield model


@pytest.fixture
def claude(tmp_path: Path, claude_binary: Binary, claude_model: ClaudeModel) -> RealSeat:
    return claude_seat(tmp_path, claude_binary, claude_model)


@pytest.fixture
def codex(tmp_path: Path, codex_binary: Binary, codex_model: CodexModel) -> RealSeat:
    return codex_seat(tmp_path, codex_binary, codex_model)
