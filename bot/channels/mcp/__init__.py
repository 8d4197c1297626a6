"""The advisor as tools for other assistants, over the Model Context Protocol (extra `mcp`)."""
