"""Jobs: what is to be run, on what, with which means, and the ways to do it."""
