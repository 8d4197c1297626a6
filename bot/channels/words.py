"""The few sentences a channel says by itself, from templates/_shared/words/<channel>.{zh,en}.yaml."""

from __future__ import annotations

from functools import lru_cache

from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from bot.core.message import Language
from bot.resources import templates_directory

LANGUAGES: tuple[Language, ...] = ("zh", "en")


class ChannelWords:
    """Sentences of one channel in all languages."""

    def __init__(self, channel: str, labels: dict[Language, dict[str, str]]) -> None:
        """Keep the labels; keys carry the channel's name."""
        self._channel, self._labels = channel, labels

    def __call__(self, key: str, language: Language, **values: object) -> str:
        """The sentence of a key, such as `not_yours`, with its values filled in."""
        return self._labels[language][f"{self._channel}.{key}"].format_map(values).strip()

    def everything(self, language: Language) -> dict[str, str]:
        """All sentences of a language by key, places for values left open."""
        return {key: self._labels[language][f"{self._channel}.{key}"].strip() for key in self.keys()}

    def keys(self) -> list[str]:
        """All keys without the channel's name, sorted."""
        return sorted(key.removeprefix(f"{self._channel}.") for key in self._labels["en"])


@lru_cache(maxsize=8)
def channel_words(channel: str) -> ChannelWords:
    """Words of one channel, read once.

    Raises:
        BadData: a file is missing or faulty, or the languages do not have the same keys.
    """
    problems: list[Problem] = []
    labels: dict[Language, dict[str, str]] = {}
    for language in LANGUAGES:
        path = templates_directory() / "_shared" / "words" / f"{channel}.{language}.yaml"
        if not path.is_file():
            problems.append(Problem(str(path), 1, "this file is missing"))
            continue
        labels[language] = load_yaml_files([path], problems).get(str(path), {})
    for language, other in zip(LANGUAGES, reversed(LANGUAGES), strict=True):
        for key in sorted(labels.get(other, {}).keys() - labels.get(language, {}).keys()):
            problems.append(Problem(f"{channel}.{language}.yaml", 1, f"no words for {key!r}"))
    if problems:
        raise BadData(problems)
    return ChannelWords(channel, labels)


def closest_language(code: str | None, default: Language) -> Language:
    """The language to use with a person whose client says `zh-hans`, `en`, `de` or nothing."""
    if not code:
        return default
    return "zh" if code.lower().startswith("zh") else "en"


def has_han(text: str) -> bool:
    """Whether Chinese characters occur."""
    return any("\u4e00" <= char <= "\u9fff" or "\u3400" <= char <= "\u4dbf" for char in text)
