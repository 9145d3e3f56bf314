"""Draws the window in named states and saves pictures: `python tests/ui/screenshots.py FOLDER [NAME...]`.

Needs a display (`xvfb-run -s "-screen 0 1600x1000x24"`) and ImageMagick's `import`. Nothing is compared: people look.
"""

import queue
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from pullcept.core import screen
from pullcept.core.seat import Seat
from pullcept.ui import window
from pullcept.ui.texts import use_language
from tests.ui import fakes

SCENES = {"full": fakes.full_scene, "held": fakes.held_scene, "empty": fakes.empty_scene, "error": fakes.error_scene}
SIZES = ((1440, 900), (900, 600))


def picture(folder: Path, scene: str, size: tuple[int, int], theme: str, language: str, *, terminal: bool) -> Path:
    """Draw one state and save it."""
    use_language(language)  # type: ignore[arg-type]
    events: queue.SimpleQueue[screen.ScreenEvent] = queue.SimpleQueue()
    root = window.make_root()
    room = window.RoomWindow(root, fakes.FakeActions(), events, fakes.terminals(), theme=theme)  # type: ignore[arg-type]
    window.place_window(root, room.theme)
    root.geometry(f"{size[0]}x{size[1]}+0+0")
    root.deiconify()
    room.pump.start()
    settle(root)
    fakes.feed(events, SCENES[scene]())
    settle(root)
    if bool(room.terminal.winfo_manager()) != terminal:
        room.toggle_terminal()
    if scene in ("full", "held"):
        room.terminal.choose(Seat("ren", fakes.TOPIC))
        room.accounts.list.selected = "ren"
        room.accounts.update_accounts()
    room.composer.text.focus_force()
    if scene == "full" and size[0] < 1000:
        room.composer.text.insert("1.0", "Thanks! @r")
        room.composer._offer()
    settle(root)
    path = folder / f"{scene}{'-terminal' if terminal else ''}-{theme}-{language}-{size[0]}x{size[1]}.png"
    subprocess.run(["import", "-window", "root", "-crop", f"{size[0]}x{size[1]}+0+0", str(path)], check=True)
    room.pump.stop()
    root.destroy()
    return path


def settle(root: window.tk.Tk, seconds: float = 0.7) -> None:
    """Let the window draw."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        root.update()
        time.sleep(0.01)


def main() -> None:
    """Save every state whose name contains one of the given words."""
    folder, words = Path(sys.argv[1]), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    for scene in SCENES:
        for size in SIZES:
            for theme, language in (("light", "ja"), ("dark", "en"), ("light", "en"), ("dark", "ja")):
                for terminal in (False, True):
                    name = f"{scene}{'-terminal' if terminal else ''}-{theme}-{language}-{size[0]}x{size[1]}"
                    if not words or any(word in name for word in words):
                        sys.stdout.write(f"{picture(folder, scene, size, theme, language, terminal=terminal)}\n")


if __name__ == "__main__":
    main()
