"""The installed command `pullcept`, and `python -m pullcept`: the same roles as `pullcept.py`, without its set-up."""

import os
import sys

if __name__ == "__main__" and not __package__:
    # Started by its path, as launch lines do: look for `pullcept` beside this folder, not inside it.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run() -> int:
    """Run the role that the command line names, importing the light ones without the rest of the app."""
    role = sys.argv[1] if len(sys.argv) > 1 else ""
    if role == "sidecar":
        from sidecar.bridge import main as sidecar

        return sidecar(sys.argv[2:])
    if role == "statusline":
        from sidecar.statusline import main as statusline

        return statusline(sys.argv[2:])
    from pullcept.roles import main as run_role

    return run_role(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(run())
