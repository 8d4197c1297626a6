"""Turns an outcome into neutral Markdown in the user's language. Chooses words, computes nothing.

Templates are `<name>/{zh,en}.md.j2` with the blocks `short` and `full`; `_shared/frame.{zh,en}.md.j2` holds what every
answer carries (assumptions, dissent, sources, the slot worth naming); `_shared/notes/*.{zh,en}.yaml` the sentences of
notes; `_shared/words/*.{zh,en}.yaml` labels. Imports of macros stand inside the blocks and without context: a
macro is given what it uses, so that it is made once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, MutableMapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import (
    ChoiceLoader,
    DictLoader,
    Environment,
    FileSystemLoader,
    StrictUndefined,
    Template,
    TemplateSyntaxError,
    pass_context,
)
from jinja2.runtime import Context, Macro

from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from advisor.models import Estimate, Money, Note, Step
from bot.compiled import compiled_templates
from bot.core.answers import Answer, Decline, Elicit
from bot.core.line import Label
from bot.core.message import Choice, Language, choice_of
from bot.resources import templates_directory
from bot.words.sentences import check_sentences, load_sentences
from bot.words.sizes import GROUP, PRIVATE, UNCUT, fitted, remarks_first
from bot.words.telling import Bodies, told

LANGUAGES: tuple[Language, ...] = ("zh", "en")
_MARKUP = re.compile(r"[\\*_`\[\]|<>#~]")
_METHODS = frozenset(dir(dict))
_SAID = 64
"""Notes whose sentences are kept: both forms of an answer hold the same."""
_TOLD_ONCE = 1024
"""Texts of recurring values that are kept: lines of sources, tables of cards."""
_SYMBOLS = {"CNY": "\u00a5", "USD": "$", "EUR": "\u20ac", "GBP": "\u00a3", "HKD": "HK$", "TWD": "NT$"}


@dataclass(frozen=True, slots=True)
class Rendered:
    """Neutral Markdown: what to show first, and the complete form (empty when there is no more to say)."""

    text: str
    details: str = ""
    private: str = ""
    """What a private chat sees first; empty where it is the complete form."""


# --- numbers ---------------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """The number inside an Estimate or Money, or the value itself."""
    if isinstance(value, Estimate):
        return value.value
    if isinstance(value, Money):
        return value.amount
    return value


def num(value: Any, digits: int = 3) -> str:
    """A number with about `digits` significant digits, thousands grouped, no trailing zeros."""
    return _num(value if type(value) is float else float(plain(value)), digits)


@lru_cache(maxsize=4096)
def _num(number: float, digits: int) -> str:
    if number == 0:
        return "0"
    size = abs(number)
    if digits < 3 and size >= 1000:
        number = float(f"{number:.3g}")
    if size >= 10 ** (digits - 1):
        return f"{number:,.0f}"
    decimals = digits - 1
    while size < 1 and decimals < 9:
        size *= 10
        decimals += 1
    while size >= 10 and decimals > 0:
        size /= 10
        decimals -= 1
    text = f"{number:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def gib(value: Any) -> str:
    """Memory in GiB."""
    return f"{num(value)} GiB"


def gb(value: Any) -> str:
    """Capacity or traffic in GB."""
    return f"{num(value)} GB"


def pct(value: Any, digits: int = 2) -> str:
    """A fraction as percent."""
    return f"{num(float(plain(value)) * 100, digits)}%"


def span(value: Estimate) -> str:
    """The band of an estimate, low to high."""
    return f"{num(value.low)}\u2013{num(value.high)}"


def money(value: Any, currency: str = "") -> str:
    """An amount with its currency: whole units from 100 on, else two decimals."""
    if isinstance(value, Money):
        amount, currency = value.amount, value.currency
    else:
        amount = value if isinstance(value, Decimal) else Decimal(str(plain(value)))
    text = f"{amount:,.0f}" if abs(amount) >= 100 else f"{amount:,.2f}"
    if text.endswith(".00"):
        text = text[:-3]
    symbol = _SYMBOLS.get(currency)
    return f"{symbol}{text}" if symbol else f"{text} {currency}".strip()


def day(value: Any) -> str:
    """A date as ISO text."""
    if isinstance(value, datetime):
        value = value.date()
    return value.isoformat() if isinstance(value, date) else str(value)


def figure(step: Step) -> str:
    """The value of a step with its unit."""
    value = step.value
    is_number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    text = num(value) if is_number else escape(value)
    return f"{text} {escape(step.unit)}".strip()


def escape(value: Any) -> str:
    """Make text from a user or a file harmless in neutral Markdown."""
    return _MARKUP.sub(_escaped, str(value)).replace("\r", " ").replace("\n", " ")


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[0]}"


# --- words -----------------------------------------------------------------------------------------------------------


def _load_texts(directory: Path, language: Language, problems: list[Problem]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for path, content in load_yaml_files(sorted(directory.glob(f"*.{language}.yaml")), problems).items():
        if not isinstance(content, dict):
            problems.append(Problem(path, 1, "must be a mapping of codes to text"))
            continue
        for code, text in content.items():
            if not isinstance(code, str) or not isinstance(text, str):
                problems.append(Problem(path, 1, f"{code!r}: both code and text must be text; quote them"))
            elif code in texts:
                problems.append(Problem(path, 1, f"{code!r} is worded twice"))
            else:
                texts[code] = text
    return texts


class Words:
    """Labels of one language: `word("method.lora")`."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        """Keep the labels."""
        self._labels = labels

    def __call__(self, value: Any, slot: str = "") -> str:
        """The label of a code, or of a value of a slot; the value itself when nothing is worded for it."""
        text = value if type(value) is str else str(plain(value))
        if slot:
            return self._labels.get(f"{slot}.{text}", text)
        return self._labels.get(text) or text.rsplit(".", 1)[-1]

    @property
    def codes(self) -> Mapping[str, str]:
        """All labels by code."""
        return self._labels

    def has(self, code: str) -> bool:
        """Whether a code has a label of its own."""
        return code in self._labels


def _terms(words: Words) -> Callable[[Label], str]:
    def term(label: Label) -> str:
        # what has no word of its own is a name that somebody may have typed
        code = f"{label.slot}.{label.code}" if label.slot else label.code
        return words(label.code, label.slot) if words.has(code) else escape(words(label.code, label.slot))

    return term


class _Context(Context):
    """What one template sees."""

    def call(self, called: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call what a template calls. A macro is not asked what it wants passed: nothing, as nothing is HTML here."""
        if type(called) is not Macro:
            return super().call(called, *args, **kwargs)
        kwargs.pop("_block_vars", None)
        kwargs.pop("_loop_vars", None)
        return called(*args, **kwargs)


def _context_of(template: Template, values: Mapping[str, Any]) -> _Context:
    """What a template sees of these values. All templates know the same globals, so which they are is not noted."""
    return _Context(template.environment, {**template.globals, **values}, template.name, template.blocks)


class _Environment(Environment):
    """Neutral Markdown, escaped by `md`, not HTML. Globals are complete before the first template is loaded."""

    context_class = _Context

    def __init__(self, **options: Any) -> None:
        """Take the options of jinja."""
        super().__init__(**options)
        self._kept: dict[str, Template] = {}

    def get_template(
        self, name: str | Template, parent: str | None = None, globals: MutableMapping[str, Any] | None = None
    ) -> Template:
        """A template by name. The files do not change meanwhile, so those loaded are kept by their plain name."""
        kept = self._kept.get(name) if isinstance(name, str) and globals is None else None
        if kept is None:
            kept = super().get_template(name, parent, globals)
            if isinstance(name, str) and globals is None:
                self._kept[name] = kept
        return kept

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A part of a value. Parts of mappings are looked for first, methods of mappings aside."""
        if type(obj) is dict and attribute in obj and attribute not in _METHODS:
            return obj[attribute]
        try:
            return getattr(obj, attribute)
        except AttributeError:
            return super().getattr(obj, attribute)

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """What a template knows besides its context. Faster to copy than the chain of maps that jinja makes."""
        return {**self.globals, **(d or {})}


def _of_the_voice(shown: Callable[..., str]) -> Callable[..., str]:
    """A filter that is called when a template is shown.

    Jinja works out filters of constants when it compiles; the compiled form is kept and shared, so such a label would
    be that of the language, and of the wording, which was compiled first. A filter of the context is left alone.
    """

    @pass_context
    def filtered(context: Context, *values: Any) -> str:
        return shown(*values)

    return filtered


class _Voice:
    """Everything of one language: environment, words, notes."""

    def __init__(self, directory: Path, language: Language, problems: list[Problem]) -> None:
        self.language = language
        self.words = Words(_load_texts(directory / "_shared" / "words", language, problems))
        self.note_texts = _load_texts(directory / "_shared" / "notes", language, problems)
        self._notes: dict[str, Template] = {}
        self._said: dict[int, tuple[Note, str]] = {}
        # sentences are templates with a name, so that their compiled form is kept, too
        named = {self._note_name(code): text for code, text in self.note_texts.items()}
        self.environment = _Environment(
            loader=ChoiceLoader([DictLoader(named), FileSystemLoader(directory)]),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            cache_size=-1,
            bytecode_cache=compiled_templates(),
        )
        self._once: dict[tuple[int, int], tuple[Macro, Any, str]] = {}
        filters: dict[str, Callable[..., str]] = {
            "gib": gib,
            "gb": gb,
            "num": num,
            "pct": pct,
            "range": span,
            "money": money,
            "day": day,
            "md": escape,
            "word": _of_the_voice(self.words),
            "note": _of_the_voice(self.note),
            "assumed": _of_the_voice(self.assumed),
            "how": _of_the_voice(self.how),
            "slotted": _of_the_voice(self.slotted),
            "figure": figure,
            "once": self.once,
        }
        self.environment.filters.update(filters)
        self.environment.globals["language"] = language

    def note(self, note: Note) -> str:
        """The sentence of a note.

        Raises:
            LookupError: no sentence is written for its code.
        """
        text = self.note_texts.get(note.code)
        if text is not None and "{" not in text:
            return text.strip()
        said = self._said.get(id(note))
        # the note itself is kept beside its sentence, so that its id is not given to another one
        if said is None or said[0] is not note:
            if len(self._said) >= _SAID:
                self._said = {}
            template = self.note_template(note.code)
            text = "".join(template.root_render_func(_context_of(template, note.values)))
            said = self._said[id(note)] = (note, text.strip())
        return said[1]

    def _note_name(self, code: str) -> str:
        return f"_note/{self.language}/{code}"

    def note_template(self, code: str) -> Template:
        """The compiled sentence of a note code. Raises LookupError when none is written."""
        template = self._notes.get(code)
        if template is None:
            if code not in self.note_texts:
                raise LookupError(f"templates/_shared/notes/*.{self.language}.yaml: no sentence for {code!r}")
            template = self._notes[code] = self.environment.get_template(self._note_name(code))
        return template

    def once(self, value: Any, macro: Macro) -> str:
        """What a macro says of a frozen value that many answers share, such as a source: worked out once."""
        key = (id(macro), id(value))
        told = self._once.get(key)
        # both are kept beside the text, so that their ids are not given to others
        if told is None:
            if len(self._once) >= _TOLD_ONCE:
                self._once.clear()
            told = self._once[key] = (macro, value, macro(value))
        return told[2]

    def slotted(self, value: Any, slot: str) -> str:
        """A slot's value as people write it: cards and models by name, money with its period."""
        if isinstance(value, list):
            return ", ".join(self.words(entry, slot) for entry in value)
        if isinstance(value, dict) and "amount" in value:
            text = money(value["amount"], value.get("currency", "")) if "currency" in value else num(value["amount"])
            period = value.get("period") or value.get("unit") or ""
            return text if period in {"", "once"} else f"{text}/{self.words(f'unit.{period}')}"
        return self.words(value, slot)

    def how(self, text: str) -> str:
        """How a step came about: the label of claim, price, assumption ..., or the formula itself."""
        return self.words(text, "how")

    def assumed(self, assumption: Any) -> str:
        """One assumption as a short phrase, such as "batch 16"."""
        code = f"assumed.{assumption.slot}.{assumption.value}"
        if self.words.has(code):
            return self.words(code)
        label = self.words(f"slot.{assumption.slot}")
        return f"{label} {self.words(assumption.value, assumption.slot)}"

    def block(self, name: str, block: str, values: dict[str, Any]) -> str:
        """Render one block of a template."""
        template = self.environment.get_template(name)
        return tidy("".join(template.blocks[block](_context_of(template, values))))

    def told(self, name: str, frame: str, values: dict[str, Any], *, only_full: bool) -> Rendered:
        """An answer's own blocks with what every answer carries: for a group, for a private chat, and whole."""
        own = self.environment.get_template(name)
        context = _context_of(own, values)

        def block(template: Template, form: str) -> str:
            return tidy("".join(template.blocks[form](context)))

        bodies = Bodies(block(own, "short"), remarks_first(block(own, "full")), block(own, "full"))
        return self.framed(bodies, frame, values, only_full=only_full)

    def framed(self, bodies: Bodies, frame: str, values: dict[str, Any], *, only_full: bool) -> Rendered:
        """The bodies of an answer within what every answer carries, each form within its bounds."""
        common = self.environment.get_template(frame)
        context = _context_of(common, values)

        def block(form: str) -> str:
            return tidy("".join(common.blocks[form](context)))

        second, tail = block("second"), block("short")
        whole = "\n\n".join(part for part in (bodies.details, block("full")) if part)
        short = _both(bodies.group, second)
        if values["answer"].told.passages or values["answer"].told.beside:
            # what the documents say is part of what was asked: it is told as it stands
            return Rendered(whole if only_full else fitted(short, tail, UNCUT), whole)
        below = "\n".join(part for part in (tail, block("sources")) if part)
        private = fitted(_both(bodies.private, second), below, PRIVATE[self.language])
        return Rendered(private if only_full else fitted(short, tail, GROUP[self.language]), whole, private)


def _both(body: str, second: str) -> str:
    """An answer with that to the other question of the message right behind its first line."""
    if not second:
        return body
    first, _, rest = body.partition("\n")
    other, _, more = second.partition("\n")
    return "\n".join(part for part in (first, other, rest.strip("\n"), more.strip("\n")) if part)


def tidy(text: str) -> str:
    """Strip the ends, drop trailing spaces, never more than one blank line."""
    text = text.strip()
    # what can be printed holds no other white space and no other ends of lines
    if not text.replace("\n", "").isprintable():
        text = "\n".join([line.rstrip() for line in text.splitlines()])
    while " \n" in text:
        text = text.replace(" \n", "\n")
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text


# --- the renderer ----------------------------------------------------------------------------------------------------


class Renderer:
    """Words for outcomes, in both languages. Templates compile on first use and are kept."""

    def __init__(self, directory: Path | None = None) -> None:
        """Load words and notes.

        Raises:
            BadData: a words or notes file is faulty; all faults at once.
        """
        self.directory = directory or templates_directory()
        problems: list[Problem] = []
        self._voices = {language: _Voice(self.directory, language, problems) for language in LANGUAGES}
        self.sentences = load_sentences(
            self.directory,
            {language: _terms(voice.words) for language, voice in self._voices.items()},
            {language: voice.note for language, voice in self._voices.items()},
        )
        if problems:
            raise BadData(problems)

    def compile_all(self) -> None:
        """Compile every template now, so that no user waits for it."""
        for voice in self._voices.values():
            for name in voice.environment.list_templates(filter_func=lambda name: name.endswith(".j2")):
                voice.environment.get_template(name)
            for code in voice.note_texts:
                voice.note_template(code)

    def check(self) -> list[Problem]:
        """Faults of templates and words: what does not parse, and what one language has and the other lacks."""
        problems: list[Problem] = []
        for voice in self._voices.values():
            for name in voice.environment.list_templates(filter_func=lambda name: name.endswith(".j2")):
                try:
                    voice.environment.get_template(name)
                except TemplateSyntaxError as error:
                    problems.append(Problem(str(self.directory / name), error.lineno, error.message or "syntax"))
            for code, text in voice.note_texts.items():
                try:
                    voice.environment.from_string(text)
                except TemplateSyntaxError as error:
                    where = str(self.directory / "_shared" / "notes")
                    problems.append(Problem(where, 1, f"{code} ({voice.language}): {error.message}"))
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
        self, answer: Answer, language: Language, *, dissent: tuple[str, ...] = (), only_full: bool = False
    ) -> Rendered:
        """Short and full form of an answer, or the full one alone where the short one is never shown.

        `dissent` holds the ready lines about conflicting sources.
        """
        voice = self._voices[language]
        context = {"answer": answer, "result": answer.result, "extra": answer.extra, "dissent": dissent}
        frame = f"_shared/frame.{language}.md.j2"
        if answer.headline:
            return voice.framed(told(answer, self.sentences[language]), frame, context, only_full=only_full)
        return voice.told(f"{answer.template}/{language}.md.j2", frame, context, only_full=only_full)

    def brief(self, answer: Answer, language: Language) -> str:
        """An answer's own words as a group sees them, without what every answer carries."""
        if answer.headline:
            return told(answer, self.sentences[language]).group
        context = {"answer": answer, "result": answer.result, "extra": answer.extra, "dissent": ()}
        return self._voices[language].block(f"{answer.template}/{language}.md.j2", "short", context)

    def page(self, name: str, language: Language, block: str = "short", **context: Any) -> str:
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
