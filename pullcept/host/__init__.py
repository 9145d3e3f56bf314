"""The listening side in the app: one loopback listener, its connections, and the runner of the room's effects."""
