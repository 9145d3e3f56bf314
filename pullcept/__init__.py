"""Pullcept: a room on one computer in which a person and several AI command-line sessions talk together."""

__version__ = "0.1.0"
