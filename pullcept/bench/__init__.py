"""Measured speed: `python3 pullcept.py bench [name...] [--json]` prints one line per figure."""

from pullcept.bench.harness import main

__all__ = ["main"]
