"""What a version means for a start."""

import pytest

from pullcept.core.cli_version import CliVersion, added_options, options_in, version_in


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("2.1.332 (Claude Code)", "2.1.332"),
        ("codex-cli 0.171.0", "0.171.0"),
        ("v1.2", ""),
        ("1.2.3-beta", "1.2.3"),
        ("no number", ""),
        ("", ""),
        ("7", ""),
    ],
)
def test_the_first_version_number_counts(text: str, version: str) -> None:
    assert version_in(text) == version


def test_versions_are_compared_by_their_numbers() -> None:
    assert CliVersion("0.99.0").is_older_than("0.171.0")
    assert not CliVersion("0.171").is_older_than("0.9.9")
    assert not CliVersion("").is_older_than("0.171.0")


def test_only_what_the_app_added_is_looked_for() -> None:
    argv = ("--settings", "{}", "--model", "--x=--y", "text with --dashes", "--settings")
    assert added_options(argv, ("--model",)) == ("--settings",)
    assert CliVersion("1.0", options_in("Usage: --model NAME, --print")).unknown(("--settings",)) == ("--settings",)
    assert CliVersion("1.0").unknown(("--settings",)) == ()
