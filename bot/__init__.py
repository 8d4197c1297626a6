"""Xuanka: one message in, one reply out."""
