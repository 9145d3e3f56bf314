"""Terminals: one small interface, its POSIX and Windows forms, and the typist of each seat."""
