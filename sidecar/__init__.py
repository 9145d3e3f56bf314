"""The MCP server every session starts: a thin bridge, and the server in the app behind it."""
