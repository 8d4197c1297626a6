"""Renders answers, pages and questions in both languages.

Templates are `<name>/{zh,en}.md.j2` with the blocks `short` and `full`; `_shared/frame.{zh,en}.md.j2` holds what every
answer carries (assumptions, dissent, sources, the slot worth naming); `_shared/notes/*.{zh,en}.yaml` the sentences of
notes; `_shared/words/*.{zh,en}.yaml` labels. Imports of macros stand inside the blocks and without context: a
macro is given what it uses, so that it is made once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from advisor.errors import BadData, Problem
from advisor.models import Note
from bot.core.answers import Answer, Decline, Elicit
from bot.core.line import Depth, Line, is_true
from bot.core.message import Choice, Language, choice_of
from bot.render.labels import Words, terms
from bot.render.text import Form, Rendered
from bot.render.voice import LANGUAGES, AnswerValues, Voice
from bot.resources import templates_directory
from bot.words.sentences import check_sentences, load_sentences
from bot.words.telling import told


class Renderer:
    """Words for outcomes, in both languages. Templates compile on first use and are kept."""

    def __init__(self, directory: Path | None = None) -> None:
        """Load words and notes.

        Raises:
            BadData: a words or notes file is faulty; all faults at once.
        """
        self.directory = directory or templates_directory()
        problems: list[Problem] = []
        self._voices = {language: Voice(self.directory, language, problems) for language in LANGUAGES}
        self.sentences = load_sentences(
            self.directory,
            {language: terms(voice.words, language) for language, voice in self._voices.items()},
            {language: voice.note for language, voice in self._voices.items()},
        )
        if problems:
            raise BadData(problems)

    def compiling(self) -> Iterator[object]:
        """Compile every template, one with each look, so that no user waits for it."""
        for voice in self._voices.values():
            for name in voice.template_names():
                yield voice.environment.get_template(name)
            for code in voice.note_texts:
                yield voice.note_template(code)

    def check(self) -> list[Problem]:
        """Faults of templates and words: what does not parse, and what one language has and the other lacks."""
        problems = [problem for voice in self._voices.values() for problem in voice.check(self.directory)]
        problems += check_sentences(self.sentences, self.directory)
        zh, en = (self._voices[language] for language in LANGUAGES)
        for kind, left, right in (("notes", zh.note_texts, en.note_texts), ("words", zh.words.codes, en.words.codes)):
            where = str(self.directory / "_shared" / kind)
            problems += [Problem(where, 1, f"{code!r} is not worded in English") for code in left if code not in right]
            problems += [Problem(where, 1, f"{code!r} is not worded in Chinese") for code in right if code not in left]
        return problems

    def words(self, language: Language) -> Words:
        """Labels of one language."""
        return self._voices[language].words

    def note(self, note: Note, language: Language) -> str:
        """The sentence of one note."""
        return self._voices[language].note(note)

    def note_codes(self, language: Language) -> Collection[str]:
        """Codes of all notes that have a sentence."""
        return self._voices[language].note_texts.keys()

    def answer(
        self, answer: Answer, language: Language, *, dissent: tuple[str, ...] = (), form: Form = Form.GROUP
    ) -> Rendered:
        """What is seen first of an answer, and the whole of it.

        `dissent` holds the ready lines about conflicting sources; `form` is the one that is seen first.
        """
        voice = self._voices[language]
        context = _values(answer, dissent)
        frame = f"_shared/frame.{language}.md.j2"
        if answer.headline:
            depth = Depth.GROUP if form is Form.GROUP else Depth.PRIVATE
            bodies = told(answer, self.sentences[language], depth)
            return voice.framed(bodies, frame, context, form=form)
        return voice.told(f"{answer.template}/{language}.md.j2", frame, context, form=form)

    def brief(self, answer: Answer, language: Language) -> str:
        """An answer's own words as a group sees them, without what every answer carries."""
        if answer.headline:
            return told(answer, self.sentences[language]).first
        return self._voices[language].block(f"{answer.template}/{language}.md.j2", "short", _values(answer))

    def headlines(self, answer: Answer, language: Language) -> tuple[str, ...]:
        """The first lines of an answer, one for each asking part, without numbering."""
        return tuple([self.sentences[language].word(line) for line in answer.headline if is_true(line)])

    def phrase(self, line: Line, language: Language) -> str:
        """One line by itself."""
        return self.sentences[language].word(line)

    def page(self, name: str, language: Language, block: str = "short", **context: object) -> str:
        """A page that is no answer: greeting, elicitation, fallback, why."""
        return self._voices[language].block(f"{name}/{language}.md.j2", block, context)

    def decline(self, decline: Decline, language: Language) -> Rendered:
        """What cannot be done, and the nearest things that can."""
        return Rendered(self.page("decline", language, decline=decline))

    def elicit(self, elicit: Elicit, language: Language, *, again: bool = False) -> Rendered:
        """The question for one slot."""
        return Rendered(self.page("elicit", language, elicit=elicit, again=again))

    def choices(self, elicit: Elicit, language: Language, case: str = "") -> tuple[Choice, ...]:
        """Buttons for a question: its own, else one for each offered value; `case` is the answer they belong to."""
        if elicit.choices:
            return elicit.choices
        words, slot, tag = self.words(language), elicit.slot, f"#{case}" if case else ""
        return tuple(
            [choice_of(label=words(value, slot), key=f"set:{slot}={value}{tag}") for value in elicit.values[:6]]
        )


def _values(answer: Answer, dissent: tuple[str, ...] = ()) -> AnswerValues:
    """What the templates of an answer see."""
    return {"answer": answer, "result": answer.result, "dissent": dissent}
