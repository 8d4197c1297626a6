"""What is said to a question, worked out: headlines, lines, facts, trails. Nothing here is worded."""
