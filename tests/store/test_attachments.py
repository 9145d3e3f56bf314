"""Files of posts on a real disk: copied whole or not at all, found again, and never outside their folder."""

import os
import random
import shutil
import sys
from pathlib import Path

import pytest

from pullcept.core.attachment import stored_name
from pullcept.store.attachments import NotAttached, find_attachment, store_files
from pullcept.store.folder import DataFolder

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and device files of POSIX")


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    folder = DataFolder(tmp_path / "data")
    folder.logs.mkdir(parents=True)
    return folder


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "cat.png"
    path.write_bytes(b"meow")
    return path


def test_a_file_is_copied_and_the_original_stays(folder: DataFolder, picture: Path) -> None:
    (stored,) = store_files(folder, "t", [str(picture)])
    assert stored.read_bytes() == b"meow" == picture.read_bytes()
    assert stored.is_absolute()
    assert stored == folder.attachments("t").resolve() / "cat.png"


def test_the_same_name_gets_a_number_and_nothing_is_overwritten(folder: DataFolder, picture: Path) -> None:
    first = store_files(folder, "t", [str(picture)])
    picture.write_bytes(b"purr")
    second = store_files(folder, "t", [str(picture), str(picture)])
    assert [path.name for path in (*first, *second)] == ["cat.png", "cat (2).png", "cat (3).png"]
    assert first[0].read_bytes() == b"meow"


def test_one_missing_file_leaves_none_behind(folder: DataFolder, picture: Path, tmp_path: Path) -> None:
    with pytest.raises(NotAttached, match=r"gone\.txt"):
        store_files(folder, "t", [str(picture), str(tmp_path / "gone.txt")])
    assert os.listdir(folder.attachments("t")) == []


def test_a_folder_is_refused_with_a_word_about_what_to_do(folder: DataFolder, tmp_path: Path) -> None:
    with pytest.raises(NotAttached, match="archive"):
        store_files(folder, "t", [str(tmp_path)])


@posix
def test_a_full_disk_leaves_no_half_a_file(folder: DataFolder, tmp_path: Path) -> None:
    import resource
    import signal

    big = tmp_path / "big.bin"
    big.write_bytes(b"x" * 300_000)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(NotAttached, match=r"big\.bin"):
            store_files(folder, "t", [str(big)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert os.listdir(folder.attachments("t")) == []


def test_what_is_sent_again_in_its_topic_is_not_stored_twice(folder: DataFolder, picture: Path) -> None:
    first = store_files(folder, "t", [str(picture)])
    assert store_files(folder, "t", [str(first[0])]) == first
    elsewhere = store_files(folder, "other", [str(first[0])])
    assert elsewhere[0].parent.name == "other"
    assert elsewhere[0].read_bytes() == b"meow"


def test_old_attachments_are_found_after_the_data_folder_has_moved(
    folder: DataFolder, picture: Path, tmp_path: Path
) -> None:
    (stored,) = store_files(folder, "t", [str(picture)])
    shutil.move(folder.root, tmp_path / "usb")
    moved = DataFolder(tmp_path / "usb")
    found = find_attachment(moved, "t", str(stored))
    assert found is not None
    assert found.read_bytes() == b"meow"
    windows = f"E:\\Pullcept\\logs\\main\\attachments\\t\\{stored.name}"
    assert find_attachment(moved, "t", windows) == found


def test_a_file_of_another_topic_is_not_found(folder: DataFolder, picture: Path) -> None:
    (stored,) = store_files(folder, "t", [str(picture)])
    assert find_attachment(folder, "other", str(stored)) is None


@posix
def test_links_and_special_files_are_no_attachments(folder: DataFolder, picture: Path, tmp_path: Path) -> None:
    (stored,) = store_files(folder, "t", [str(picture)])
    place = stored.parent
    secret = tmp_path / "secret"
    secret.write_text("secret", encoding="utf-8")
    (place / "link").symlink_to(secret)
    (place / "folder").mkdir()
    os.mkfifo(place / "pipe")
    for name in ("link", "folder", "pipe"):
        assert find_attachment(folder, "t", str(place / name)) is None
    (place.parent / "linked").symlink_to(tmp_path)
    assert find_attachment(folder, "linked", str(place.parent / "linked" / "secret")) is None
    with pytest.raises(NotAttached, match="link"):
        store_files(folder, "linked", [str(picture)])
    assert sorted(os.listdir(tmp_path)) == ["cat.png", "data", "secret"]


PIECES = (
    *("..", ".", "", "/", "\\", "//", "attachments", "t", "x", "secret", "cat.png", "link", "C:", "\\\\?\\"),
    *("CON", "nul.txt", "COM¹", "LPT9.a", "a:b", "\0", "\n", "\u2028", "\u202e", "@", "＠", "あ" * 90, "😀" * 90),
    *("%2e%2e", "~", "$HOME", "-rf", " ", ". ", "...", "\udc80", "file://", "/etc/passwd", "logs/main/index.json"),
    "\\\\srv\\s",
)


def _fuzz(folder: DataFolder, outside: Path, count: int) -> None:
    """Names made of tricks, first as a path in a post, then as the name of a file to be stored."""
    dice = random.Random(20)
    place = folder.attachments("t").resolve()
    prefixes = ("", f"{place}/", f"{place.parent}/", "/x/attachments/t/", "\\x\\attachments\\", f"{outside}/")
    for _ in range(count):
        trick = "".join(dice.choices(PIECES, k=dice.randint(1, 6)))
        found = find_attachment(folder, "t", dice.choice(prefixes) + trick)
        assert found is None or (found.parent == place and not found.is_symlink() and found.is_file()), trick
        target = os.path.normpath(place / stored_name(trick))
        assert os.path.dirname(target) == str(place), trick


def _with_traps(folder: DataFolder, picture: Path) -> Path:
    (stored,) = store_files(folder, "t", [str(picture)])
    outside = picture.parent
    (outside / "secret").write_text("secret", encoding="utf-8")
    if sys.platform != "win32":
        (stored.parent / "link").symlink_to(outside / "secret")
        (stored.parent / "x").symlink_to(outside)
    return outside


def test_no_trick_in_a_hundred_thousand_names_and_paths_leaves_the_folder(folder: DataFolder, picture: Path) -> None:
    _fuzz(folder, _with_traps(folder, picture), 100_000)


def test_stored_names_full_of_tricks_are_written_in_the_folder_only(
    folder: DataFolder, picture: Path, tmp_path: Path
) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    dice = random.Random(21)
    for _ in range(200):
        name = "".join(dice.choices(PIECES, k=2)).replace("/", "").replace("\0", "")[:60]
        source = sources / name
        try:
            source.write_bytes(b"x")
        except (OSError, ValueError):
            continue  # no such name on this platform
        (stored,) = store_files(folder, "t", [str(source)])
        assert stored.parent == folder.attachments("t").resolve()
    assert sorted(os.listdir(tmp_path)) == ["cat.png", "data", "sources"]
    assert sorted(os.listdir(folder.logs)) == ["attachments"]
