"""The parsed picture of a terminal: an adapter over the terminal engine."""
