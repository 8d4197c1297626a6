"""Everything that is said in one language: the environment of its templates, its words, its notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypedDict

from jinja2 import ChoiceLoader, DictLoader, FileSystemLoader, StrictUndefined, Template, TemplateSyntaxError

from advisor.errors import Problem
from advisor.models import Note
from bot.compiled import compiled_templates
from bot.core.answers import Answer, Assumption
from bot.core.message import Language
from bot.render import numbers
from bot.render.environment import TemplateEnvironment, context_of, of_the_voice
from bot.render.labels import Words, load_texts
from bot.render.text import Form, Rendered, both, tidy
from bot.words.sentences import spaced
from bot.words.sizes import GROUP, OWN_LINES, PAGE, PRIVATE, UNCUT, Parts, Size, fitted, remarks_first
from bot.words.telling import Bodies

LANGUAGES: Final[tuple[Language, ...]] = ("zh", "en")


class AnswerValues(TypedDict):
    """What the templates of an answer see."""

    answer: Answer
    result: object
    dissent: tuple[str, ...]


class Voice:
    """Everything of one language: environment, words, notes."""

    def __init__(self, directory: Path, language: Language, problems: list[Problem]) -> None:
        """Read the words and notes of a folder of templates; faults go to `problems`."""
        self.language = language
        self.words = Words(load_texts(directory / "_shared" / "words", language, problems))
        self.note_texts = load_texts(directory / "_shared" / "notes", language, problems)
        self._notes: dict[str, Template] = {}
        # sentences are templates with a name, so that their compiled form is kept, too
        named = {self._note_name(code): text for code, text in self.note_texts.items()}
        self.environment = TemplateEnvironment(
            loader=ChoiceLoader([DictLoader(named), FileSystemLoader(directory)]),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            cache_size=-1,
            bytecode_cache=compiled_templates(),
        )
        filters: dict[str, Callable[..., str]] = {
            "gib": numbers.gib,
            "gb": numbers.gb,
            "num": numbers.num,
            "pct": numbers.pct,
            "range": numbers.span,
            "money": numbers.money,
            "day": numbers.day,
            "md": numbers.escape,
            "figure": numbers.figure,
            "word": of_the_voice(self.words),
            "note": of_the_voice(self.note),
            "assumed": of_the_voice(self.assumed),
            "how": of_the_voice(self.how),
            "slotted": of_the_voice(self.slotted),
            "spaced": spaced,
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
        template = self.note_template(note.code)
        return "".join(template.root_render_func(context_of(template, note.values))).strip()

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

    def slotted(self, value: object, slot: str) -> str:
        """A slot's value as people write it: cards and models by name, money with its period."""
        if isinstance(value, list):
            return ", ".join(self.words(entry, slot) for entry in value)
        if isinstance(value, dict) and "amount" in value:
            text = (
                numbers.money(value["amount"], value.get("currency", ""))
                if "currency" in value
                else numbers.num(value["amount"])
            )
            period = value.get("period") or value.get("unit") or ""
            return text if period in {"", "once"} else f"{text}/{self.words(f'unit.{period}')}"
        return self.words(value, slot)

    def how(self, text: str) -> str:
        """How a step came about: the label of claim, price, assumption ..., or the formula itself."""
        return self.words(text, "how")

    def assumed(self, assumption: Assumption) -> str:
        """One assumption as a short phrase, such as "batch 16"."""
        code = f"assumed.{assumption.slot}.{assumption.value}"
        if self.words.has(code):
            return self.words(code)
        label = self.words(f"slot.{assumption.slot}")
        return f"{label} {self.words(assumption.value, assumption.slot)}"

    def check(self, directory: Path) -> list[Problem]:
        """What does not parse among the templates below a folder and the sentences of notes."""
        problems: list[Problem] = []
        for name in self.template_names():
            try:
                self.environment.get_template(name)
            except TemplateSyntaxError as error:
                problems.append(Problem(str(directory / name), error.lineno, error.message or "syntax"))
        for code, text in self.note_texts.items():
            try:
                self.environment.from_string(text)
            except TemplateSyntaxError as error:
                where = str(directory / "_shared" / "notes")
                problems.append(Problem(where, 1, f"{code} ({self.language}): {error.message}"))
        return problems

    def template_names(self) -> list[str]:
        """The files of all templates."""
        return self.environment.list_templates(filter_func=lambda name: name.endswith(".j2"))

    def block(self, name: str, block: str, values: Mapping[str, object]) -> str:
        """Render one block of a template."""
        template = self.environment.get_template(name)
        return tidy("".join(template.blocks[block](context_of(template, values))))

    def told(self, name: str, frame: str, values: AnswerValues, *, form: Form) -> Rendered:
        """An answer's own blocks with what every answer carries: what is seen first, and the whole."""
        own = self.environment.get_template(name)
        context = context_of(own, values)

        def block(template: Template, name: str) -> str:
            return tidy("".join(template.blocks[name](context)))

        full = block(own, "full")
        bodies = Bodies(block(own, "short") if form is Form.GROUP else remarks_first(full), full)
        return self.framed(bodies, frame, values, form=form)

    def framed(self, bodies: Bodies, frame: str, values: AnswerValues, *, form: Form) -> Rendered:
        """The bodies of an answer within what every answer carries, what is seen first within its bounds."""
        common = self.environment.get_template(frame)
        context = context_of(common, values)

        def block(name: str) -> str:
            return tidy("".join(common.blocks[name](context)))

        answer, told = values["answer"], values["answer"].told
        whole = "\n\n".join(part for part in (bodies.details, block("full")) if part)
        first, group = both(bodies.first, tidy(answer.second)), form is Form.GROUP
        if answer.is_whole:
            # all of it was asked for
            return Rendered(fitted(Parts(first, block("short")), UNCUT) if group else whole, whole)
        untold = told.beside is None or (group and not told.beside_in_group)
        beside = "" if untold else block("beside" if group else "beside_whole")
        below = [block(name) for name in _below(form, values)]
        parts = Parts(first, "\n".join(filter(None, below)), beside, 0 if told.is_asked else OWN_LINES)
        return Rendered(fitted(parts, _SIZES[form][self.language]), whole)


_SIZES: Final[Mapping[Form, Mapping[str, Size]]] = {Form.GROUP: GROUP, Form.PAGE: PAGE, Form.PRIVATE: PRIVATE}


def _below(form: Form, values: AnswerValues) -> Iterator[str]:
    """The blocks of what every answer may carry that have something to say below this one."""
    answer = values["answer"]
    if answer.assumptions or answer.asks or values["dissent"]:
        yield "short"
    if form is Form.PRIVATE:
        yield "sources"
