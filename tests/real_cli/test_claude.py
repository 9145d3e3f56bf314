"""The whole loop with a real Claude Code."""

from pathlib import Path

from tests.real_cli import scenes
from tests.real_cli.binaries import CLAUDE_VERSION
from tests.real_cli.seats import RealSeat


def is_the_measured_version(claude: RealSeat) -> bool:
    return claude.home.binary.version.startswith(CLAUDE_VERSION)


def test_claude_a_gets_a_short_and_a_long_post_as_one_exact_message_each(tmp_path: Path, claude: RealSeat) -> None:
    scenes.posts_arrive_whole(tmp_path, claude)
    assert is_the_measured_version(claude)


def test_claude_b_says_something_and_it_appears_once_everywhere(
    tmp_path: Path, claude: RealSeat, codex: RealSeat
) -> None:
    scenes.an_answer_is_a_row_everywhere_once(tmp_path, claude, codex)
    assert is_the_measured_version(claude)


def test_claude_c_answers_too_late_is_refused_and_resends_its_draft(
    tmp_path: Path, claude: RealSeat, codex: RealSeat
) -> None:
    scenes.the_second_of_two_answers_is_refused_and_resent(tmp_path, codex, claude)
    assert is_the_measured_version(claude)


def test_claude_d_goes_on_with_its_conversation_or_says_that_it_is_gone(tmp_path: Path, claude: RealSeat) -> None:
    scenes.a_conversation_goes_on_or_begins_anew(tmp_path, claude)
    assert is_the_measured_version(claude)


def test_claude_is_called_by_its_new_nickname_from_the_next_post_on(tmp_path: Path, claude: RealSeat) -> None:
    scenes.a_new_nickname_counts_at_once(tmp_path, claude)
