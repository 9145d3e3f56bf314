"""Unsent texts on disk."""

import json
from pathlib import Path

import pytest

from pullcept.store.settings import FileBroken
from pullcept.store.unsent import UnsentFile


def _yes(topic_id: str) -> bool:
    return True


def test_texts_and_files_come_back_and_other_keys_stay(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text('{"window": {"x": 1}, "topics": {"a": {"read": "m1", "unsent": "old"}}}', encoding="utf-8")
    file = UnsentFile(path)
    assert file.load() == {"a": ("old", ())}
    file.save({"a": ("", ()), "b": ("下書き\n", ("/x/y.png",))}, _yes)
    assert UnsentFile(path).load() == {"b": ("下書き\n", ("/x/y.png",))}
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert kept["window"] == {"x": 1}
    assert kept["topics"]["a"] == {"read": "m1"}


def test_a_topic_that_is_gone_leaves_the_file(tmp_path: Path) -> None:
    file = UnsentFile(tmp_path / "state.json")
    file.save({"a": ("text", ())}, _yes)
    file.save({"a": ("text", ())}, lambda topic_id: False)
    assert UnsentFile(tmp_path / "state.json").load() == {}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"topics": 5}', "{} {}"])
def test_a_broken_file_is_named_and_left_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "state.json"
    path.write_text(text, encoding="utf-8")
    file = UnsentFile(path)
    assert file.load() == {}
    assert "state.json" in file.broken
    with pytest.raises(FileBroken):
        file.save({"a": ("x", ())}, _yes)
    assert path.read_text(encoding="utf-8") == text


def test_entries_of_another_shape_are_nothing(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text('{"topics": {"a": 1, "b": {"unsent": 2, "chips": [3, "/x"]}, "c": {}}}', encoding="utf-8")
    assert UnsentFile(path).load() == {"b": ("", ("/x",))}
