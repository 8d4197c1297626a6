"""Questions whose answer is a sum of the numbers that they hold."""
