"""Measured speed: one row per figure."""
