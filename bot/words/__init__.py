"""Words: lines become sentences, one for each code and language (templates/zh, templates/en)."""
