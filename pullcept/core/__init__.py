"""The pure rules of the room: no sockets, files, threads, clock or environment."""
