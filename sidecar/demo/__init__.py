"""The demo agent's parts: a small CLI that sits in a room like any other, without an AI behind it."""
