"""The demo as people start it: a process of its own, without any AI CLI, with and without a window."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run_demo(*arguments: str, display: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LANG": "C.UTF-8", "PYTHONIOENCODING": "utf-8"}
    environment.pop("DISPLAY", None)
    if display is not None:
        environment["DISPLAY"] = display
    return subprocess.run(
        [sys.executable, str(ROOT / "pullcept.py"), "demo", *arguments],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=180,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_the_demo_prints_a_round_trip_a_refusal_with_its_kept_draft_and_an_addressed_post() -> None:
    run = run_demo()
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stderr == ""
    lines = run.stdout.splitlines()
    assert "You: Hello, both of you. Who is here?" in lines[0]
    assert any("the floor refused" in line for line in lines)
    assert any("kept its draft" in line for line in lines)
    assert any("You → Aki:" in line for line in lines)
    assert {"Aki", "Ren"} <= {line.split()[1].rstrip(":") for line in lines if line[2:3] == ":"}


def test_the_demo_leaves_the_callers_text_in_the_log_and_in_the_terminals(tmp_path: Path) -> None:
    text = "日本語で 🚀 say hi"
    run = run_demo("--data-dir", str(tmp_path / "部屋 one"), "--say", text)
    assert run.returncode == 0, run.stdout + run.stderr
    (log,) = (tmp_path / "部屋 one" / "logs" / "main").glob("*.jsonl")
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert rows[0]["content"] == text
    assert [row["speaker"] for row in rows if not row.get("to")].count("Ren") == 1
    assert len([row for row in rows if row.get("to")]) == 1
    answers = [row for row in rows[1:] if text in row["content"]]
    assert {row["speaker"] for row in answers} == {"Aki", "Ren"}
    for name in ("Aki", "Ren"):
        typed = (tmp_path / "部屋 one" / "demo" / f"{name}.pty").read_bytes().decode("utf-8", "replace")
        tag = typed.index('[pullcept] {"role":"admin","from":"You"')
        assert text in typed[tag : tag + 400]


def test_a_folder_in_use_is_named_and_left_alone(tmp_path: Path) -> None:
    from pullcept.store.folder import DataFolder

    with DataFolder(tmp_path).lock():
        run = run_demo("--data-dir", str(tmp_path))
    assert run.returncode == 3
    assert str(os.getpid()) in run.stderr


@pytest.mark.display
def test_the_demo_in_the_window_plays_the_same_and_closes_when_nobody_uses_it() -> None:
    run = run_demo("--window", display=os.environ["DISPLAY"])
    assert run.returncode == 0, run.stdout + run.stderr
    assert "a floor refusal were seen" in run.stdout
