"""Posts too long to be typed, saved beside the attachments of their topic."""

from pathlib import Path

import pytest

from pullcept.store.long_posts import save_long_post


def test_the_file_is_named_by_the_beginning_of_the_id(tmp_path: Path) -> None:
    path = save_long_post(tmp_path / "topic", "0123abcd-4567", "長い")
    assert path == tmp_path / "topic" / "post-0123abcd.txt"
    assert path.read_text(encoding="utf-8") == "長い"


def test_seats_that_get_the_same_post_share_its_file(tmp_path: Path) -> None:
    assert save_long_post(tmp_path, "0123abcd-4567", "one") == save_long_post(tmp_path, "0123abcd-4567", "one")
    assert len(list(tmp_path.iterdir())) == 1


def test_another_post_whose_id_begins_alike_gets_a_file_of_its_own(tmp_path: Path) -> None:
    first = save_long_post(tmp_path, "0123abcd-1", "one")
    second = save_long_post(tmp_path, "0123abcd-2", "two")
    assert second.name == "post-0123abcd (2).txt"
    assert (first.read_text(encoding="utf-8"), second.read_text(encoding="utf-8")) == ("one", "two")


@pytest.mark.parametrize("message_id", ["/../../a", "..\\..\\..", "c:d:e:f:", "a", "*?<>|\"'`", "/etc/passwd"])
def test_an_id_that_is_no_file_name_does_not_lead_out_of_the_folder(tmp_path: Path, message_id: str) -> None:
    folder = tmp_path / "attachments" / "topic"
    path = save_long_post(folder, message_id, "text")
    assert path.parent == folder
    assert [each.name for each in folder.iterdir()] == [path.name]
    assert path.name.removeprefix("post-").removesuffix(".txt").isalnum()
    assert list((tmp_path / "attachments").iterdir()) == [folder]
