"""Starts Pullcept. The first argument chooses the role, and only that role is imported.

This file stays short, because it is compiled on every start of a sidecar, and simple enough for an old Python,
because it has to find a newer one. The room itself needs Python 3.13 or later.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main(argv):  # type: (list[str]) -> int
    """Run the role that `argv` names and return its exit code."""
    if HERE not in sys.path:
        sys.path.insert(0, HERE)
    role = argv[0] if argv else ""
    if role == "sidecar":
        from sidecar.bridge import main as sidecar

        return sidecar(argv[1:])
    if role == "statusline":
        from sidecar.statusline import main as statusline

        return statusline(argv[1:])
    if role == "demo-agent":
        from sidecar.demo_agent import main as demo_agent

        return demo_agent(argv[1:])
    return run_big_role(argv)


def run_big_role(argv):  # type: (list[str]) -> int
    """Run a role of the app: from a checkout in the environment made for it, from an executable at once."""
    if getattr(sys, "frozen", False):
        import multiprocessing

        multiprocessing.freeze_support()
    else:
        if sys.version_info < (3, 8):
            print("pullcept: start it with Python 3.8 or later; it then looks for 3.13 by itself")
            return 1
        from pullcept.bootstrap import prepare

        prepared = prepare(os.path.abspath(__file__), argv)
        if prepared is not None:
            return prepared
    from pullcept.roles import main as run

    return run(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
