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
        from sidecar.bridge import main as run
    elif role == "statusline":
        from sidecar.statusline import main as run
    else:
        if not getattr(sys, "frozen", False):
            from pullcept.bootstrap import prepare

            code = prepare(os.path.abspath(__file__), argv)
            if code is not None:
                return code
        from pullcept.roles import main as run_role

        return run_role(argv)
    return run(argv[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
