"""Benchmarks: `make bench` prints one JSON line per figure. Tests never time anything; this is where time is taken."""
