"""The row about hooks: how soon a report is answered while the window is blocked."""

import json
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException

from pullcept.bench.harness import Bench, Measured
from pullcept.bench.hooks_process import ACCOUNT, SECRET
from pullcept.bench.room_house import TOPIC

SAMPLES = 5
RATE = 100
SECONDS = 10.0
AFTERWARDS = 2.0
CLIENTS = 32
BODY = json.dumps({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "詳細 " * 200}})


def answer(bench: Bench) -> list[Measured]:
    """Milliseconds until the answer, and reports that got none or did not reach the app."""
    posts = round(RATE * SECONDS)
    p99s, lost = [], []
    for number in range(SAMPLES):
        taken, handed_on = _run(bench, number, posts)
        p99s.append(sorted(taken)[int(len(taken) * 0.99) - 1] * 1000 if taken else float("inf"))
        lost.append(float(posts - min(len(taken), handed_on)))
    detail = f"{posts} reports, {RATE} a second, in each of {SAMPLES} runs"
    command = (" ".join(_command(bench, 0)),)
    return [
        Measured("hooks.answer", tuple(p99s), size=posts, commands=command, detail=detail),
        Measured("hooks.answer.lost", tuple(lost), size=posts, commands=command),
    ]


def _run(bench: Bench, number: int, posts: int) -> tuple[Sequence[float], int]:
    """Seconds of every answered report, and how many the app was handed."""
    with subprocess.Popen(_command(bench, number), cwd=bench.script.parent, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        begin = time.perf_counter() + 0.1
        with ThreadPoolExecutor(CLIENTS) as pool:
            answers = list(pool.map(lambda at: _post(port, begin + at / RATE), range(posts)))
        handed_on = int(process.stdout.readline())
    return [seconds for seconds in answers if seconds is not None], handed_on


def _post(port: int, at: float) -> float | None:
    """Seconds from the moment a report was due until its answer; None when it was not answered."""
    time.sleep(max(0.0, at - time.perf_counter()))
    door = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        path = f"/hooks/activity/PreToolUse/{TOPIC}/{ACCOUNT}"
        door.request("POST", path, BODY.encode(), {"Authorization": f"Bearer {SECRET}"})
        response = door.getresponse()
        return time.perf_counter() - at if response.status == 200 and response.read() == b"{}" else None
    except (OSError, HTTPException):
        return None
    finally:
        door.close()


def _command(bench: Bench, number: int) -> list[str]:
    log = str(bench.folder / f"hooks-{number}.jsonl")
    return [bench.python, "-m", "pullcept.bench.hooks_process", f"{SECONDS + AFTERWARDS:g}", log]
