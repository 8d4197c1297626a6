"""Entry points under hostile input; nothing said, no id and no secret in anything written."""
