"""What launch lines promise for every kind."""

import pytest

from pullcept.core.kinds import LaunchRefused, kind_for
from tests.core.kinds_support import request_for


@pytest.mark.parametrize("name", ["claude_code", "codex_cli", "cli"])
def test_a_kind_is_found_by_the_name_accounts_store(name: str) -> None:
    assert kind_for(name).name == name


@pytest.mark.parametrize("kind", ["claude_code", "codex_cli", "cli"])
@pytest.mark.parametrize(
    "recorded", ["--dangerously-skip-permissions", "-p", "", "a b", "x" * 300, "../x", "a\n", "会話"]
)
def test_a_recorded_id_that_could_be_read_as_something_else_never_stands_on_a_line(kind: str, recorded: str) -> None:
    with pytest.raises(LaunchRefused, match="no conversation id"):
        kind_for(kind).launch_line(request_for(kind, resume_id=recorded, resume_command="tool {session_id}"))


@pytest.mark.parametrize("name", ["admin", "mcp", "", "claude"])
def test_an_account_that_runs_no_cli_is_refused(name: str) -> None:
    with pytest.raises(LaunchRefused, match="nothing to start"):
        kind_for(name)
