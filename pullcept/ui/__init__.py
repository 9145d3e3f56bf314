"""The room in a Tk window."""
