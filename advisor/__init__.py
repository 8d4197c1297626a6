"""GPU advice as pure functions over a dated catalogue: memory, speed, money, machine. Knows nothing of chat."""
