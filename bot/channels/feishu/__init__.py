"""Feishu and Lark over the vendor's SDK (extra `feishu`), by its long connection: no public address."""
