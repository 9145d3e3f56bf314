"""What launch lines promise for every kind."""

import pytest

from pullcept.core.kinds import LaunchRefused, kind_for


@pytest.mark.parametrize("name", ["claude_code", "codex_cli", "cli"])
def test_a_kind_is_found_by_the_name_accounts_store(name: str) -> None:
    assert kind_for(name).name == name


@pytest.mark.parametrize("name", ["admin", "mcp", "", "claude"])
def test_an_account_that_runs_no_cli_is_refused(name: str) -> None:
    with pytest.raises(LaunchRefused, match="nothing to start"):
        kind_for(name)
