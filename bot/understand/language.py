"""Decides the language of the reply from the script of the message."""

from __future__ import annotations

from bot.core.message import Language
from bot.understand.normalise import is_han


def detect_language(text: str, hint: str = "") -> Language:
    """Chinese when the text holds Han characters, unless they are a sprinkle in an English sentence.

    `hint` decides when there are no letters at all ("4090?"). A Han character carries about as much as a short
    English word, so three Latin words outweigh one of them.
    """
    han = latin_words = 0
    inside = False
    for character in text[:2400]:
        if is_han(character):
            han += 1
            inside = False
        elif character.isascii() and character.isalpha():
            if not inside:
                latin_words += 1
            inside = True
        else:
            inside = False
    if han and han * 3 >= latin_words:
        return "zh"
    if latin_words == 0 and hint.startswith("zh"):
        return "zh"
    return "en"
