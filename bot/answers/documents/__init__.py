"""Answers that the documents give, alone or beside what is worked out, and where figures come from."""
