"""What to do about an understood message: answer, ask, clarify, fall back, cancel or stay silent."""
