"""Running it: delivery, limits, commands, reload, start and stop, deployment files."""
