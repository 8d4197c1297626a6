"""Codes that the program uses and nobody has worded: lines, notes, templates, questions for a slot, labels; and
sentences that no code says.

The code itself is read (its syntax tree, not its text), so that a new way to make a note is either followed or, where
it cannot be, left to the checks at run time.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeGuard

from jinja2 import Environment, nodes

from advisor.errors import Problem
from bot.render import LANGUAGES

if TYPE_CHECKING:
    from bot.core.message import Language
    from bot.render import Renderer

ROOMS: Final = ("advisor", "bot")
_NOTES: Final = frozenset({"note_of", "Note", "_note"})
_LABELLED: Final[Mapping[str, str]] = {"elicit_of": "ask", "offered_of": "offer"}
"""Calls whose `slot` is put into words, and the kind of words."""
_SPEAKING: Final = frozenset({*_NOTES, *_LABELLED, "Line", "Label"})
_MAY_SPEAK: Final = re.compile("|".join(sorted({*_SPEAKING, "template"})))
"""What stands in the text of a module that hands over a code."""
_ANYTHING: Final = "*"
_LINES: Final = "bot.core.line"
"""Where lines and labels come from; others of their names are something else."""


@dataclass(frozen=True, slots=True)
class Used:
    """A code in use: of a note, of a page, or of a label. `code` may hold `*` for a part only known at run time."""

    kind: str
    """line | note | template | word"""
    code: str
    path: Path
    line: int
    given: frozenset[str] | None = None
    """Names of the values of a line; None where they are not written out."""


def unworded(renderer: Renderer, in_code: Iterable[Used]) -> list[Problem]:
    """Whatever code (`used_in_code`) and templates use that has no words in one of the languages."""
    found: list[Problem] = []
    lines = []
    for used in (*in_code, *used_in_templates(renderer.directory)):
        missing = [language for language in LANGUAGES if not _has(renderer, used, language)]
        lines += [used] if used.kind == "line" else []
        if missing:
            said = "no page" if used.kind == "template" else "no words"
            found.append(
                Problem(str(used.path), used.line, f"{used.kind} {used.code!r}: {said} ({', '.join(missing)})")
            )
    return [*found, *_unfilled(renderer, lines)]


def unsaid(renderer: Renderer, in_code: Iterable[Used]) -> list[Problem]:
    """Sentences that no line in the code (`used_in_code`) says."""
    said = {used.code for used in in_code if used.kind == "line" and used.code != _ANYTHING}
    known = re.compile("|".join(_pattern(code) for code in sorted(said)))
    left = [code for code in renderer.sentences[LANGUAGES[0]].texts if not known.fullmatch(code)]
    return [Problem(str(renderer.directory / LANGUAGES[0]), 1, f"{code!r}: no code says it") for code in left]


def _unfilled(renderer: Renderer, lines: list[Used]) -> list[Problem]:
    """Values that a sentence has a place for and a line does not give."""
    sentences = renderer.sentences[LANGUAGES[0]]
    found = []
    for used in lines:
        if used.given is not None and used.code in sentences.texts:
            lacking = ", ".join(sorted(sentences.requires(used.code) - used.given))
            fault = Problem(str(used.path), used.line, f"line {used.code!r}: no value for {lacking}")
            found += [fault] if lacking else []
    return found


def _pattern(code: str) -> str:
    return ".+".join(map(re.escape, code.split(_ANYTHING)))


def _has(renderer: Renderer, used: Used, language: Language) -> bool:
    if used.kind == "template":
        return (renderer.directory / used.code / f"{language}.md.j2").is_file()
    if used.kind == "line":
        known: Collection[str] = renderer.sentences[language].texts
    else:
        known = renderer.note_codes(language) if used.kind == "note" else renderer.words(language).codes
    if _ANYTHING not in used.code:
        return used.code in known
    pattern = re.compile(_pattern(used.code))
    return any(pattern.fullmatch(code) for code in known)


# --- code ------------------------------------------------------------------------------------------------------------


def used_in_code(root: Path) -> Iterator[Used]:
    """Codes that modules below `root` (the folder of advisor and bot) hand to what is put into words."""
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if _MAY_SPEAK.search(text):
                yield from _used_in_module(path, ast.parse(text))


def _used_in_module(path: Path, module: ast.Module) -> Iterator[Used]:
    every = list(ast.walk(module))
    spoken = list(filter(_speaks, every))
    if not spoken:
        return
    named = _assigned(every)
    tells = any(isinstance(node, ast.ImportFrom) and node.module == _LINES for node in every)
    for scope in (node for node in every if isinstance(node, ast.FunctionDef)):
        yield from _used_in_function(path, scope, _within(scope, spoken), named, tells=tells)


def _within(scope: ast.FunctionDef, calls: Iterable[ast.Call]) -> list[ast.Call]:
    """The calls that stand in a function, or in one inside it."""
    return [call for call in calls if scope.lineno <= call.lineno <= (scope.end_lineno or scope.lineno)]


def _used_in_function(
    path: Path, scope: ast.FunctionDef, calls: Sequence[ast.Call], named: Mapping[str, list[ast.expr]], *, tells: bool
) -> Iterator[Used]:
    """The codes that the calls of one function hand over; `named`: what names of its module may stand for."""
    own = (node for statement in scope.body for node in ast.walk(statement)) if calls else ()
    known = {**named, **_assigned(own)}
    for call in calls:
        for kind, code in _codes_of(call, known, tells=tells):
            yield Used(kind, code, path, call.lineno, _values_of(call) if kind == "line" else None)


def _called(call: ast.Call) -> str:
    """The name by which something is called."""
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _speaks(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether a node is a call that hands over a code."""
    return isinstance(node, ast.Call) and (
        _called(node) in _SPEAKING or any(one.arg == "template" for one in node.keywords)
    )


def _codes_of(call: ast.Call, known: Mapping[str, list[ast.expr]], *, tells: bool) -> Iterator[tuple[str, str]]:
    """Kind and code of whatever a call hands over; `tells`: its module makes lines."""
    name = _called(call)
    arguments = _Arguments(call, known)
    told = [("template", arguments.texts(None, "template"))]
    if name in _NOTES:
        told.append(("note", arguments.texts(0, "code")))
    if name in _LABELLED:
        told.append(("word", _behind(_LABELLED[name], arguments.texts(None, "slot"))))
    if tells and name == "Line":
        told.append(("line", arguments.texts(0, "say")))
    if tells and name == "Label":
        told.append(("word", arguments.labels()))
    yield from ((kind, code) for kind, codes in told for code in codes)


def _behind(kind: str, codes: Iterator[str]) -> Iterator[str]:
    """Codes of labels of a kind; as they are where it is not known."""
    return (f"{kind}.{code}" if kind else code for code in codes)


@dataclass(frozen=True, slots=True)
class _Arguments:
    """What the arguments of a call may be."""

    call: ast.Call
    known: Mapping[str, list[ast.expr]]

    def texts(self, place: int | None, keyword: str) -> Iterator[str]:
        """Texts of an argument, by its place or by its name."""
        if place is not None and place < len(self.call.args):
            return _texts(self.call.args[place], self.known)
        return _texts(next((one.value for one in self.call.keywords if one.arg == keyword), None), self.known)

    def labels(self) -> Iterator[str]:
        """Values that are put into words, each behind its slot."""
        return _behind(next(self.texts(1, "slot"), ""), self.texts(0, "")) if self.call.args else iter(())


def _values_of(call: ast.Call) -> frozenset[str] | None:
    """Names of the values that a line is given, where they stand in the call."""
    if len(call.args) == 1 and not call.keywords:
        return frozenset()
    values = call.args[1] if len(call.args) > 1 else call.keywords[0].value
    if not isinstance(values, ast.Dict):
        return None
    names = [key.value for key in values.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    return frozenset(names) if len(names) == len(values.keys) else None


def _assigned(walked: Iterable[ast.AST]) -> dict[str, list[ast.expr]]:
    """What each name of a block may stand for."""
    found: dict[str, list[ast.expr]] = {}
    for node in walked:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        for target in targets:
            if isinstance(target, ast.Name):
                found.setdefault(target.id, []).append(value)
    return found


def _texts(value: ast.expr | None, known: Mapping[str, list[ast.expr]], depth: int = 0) -> Iterator[str]:
    """Texts that an expression may come to, `*` for parts that are not known here; nothing where nothing is."""
    if value is None or depth > 4:
        return
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.JoinedStr):
        parts = (one.value if isinstance(one, ast.Constant) else _ANYTHING for one in value.values)
        yield "".join(map(str, parts))
    else:
        for part in _parts(value, known):
            yield from _texts(part, known, depth + 1)


def _parts(value: ast.expr, known: Mapping[str, list[ast.expr]]) -> list[ast.expr]:
    """The expressions that this one chooses between."""
    if isinstance(value, ast.IfExp):
        return [value.body, value.orelse]
    if isinstance(value, ast.BoolOp):
        return list(value.values)
    if isinstance(value, ast.Name):
        return known.get(value.id, [])
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name):
        tables = known.get(value.value.id, [])
        return [entry for table in tables if isinstance(table, ast.Dict) for entry in table.values]
    return []


# --- templates -------------------------------------------------------------------------------------------------------


def used_in_templates(directory: Path) -> Iterator[Used]:
    """Labels that templates name outright, and kinds of labels that they put values into."""
    environment = Environment(autoescape=False)  # noqa: S701 - it only parses
    for path in sorted(directory.rglob("*.j2")):
        for node in environment.parse(path.read_text(encoding="utf-8")).find_all(nodes.Filter):
            if node.name != "word":
                continue
            kind = next((one.value for one in node.args if isinstance(one, nodes.Const)), "")
            if isinstance(node.node, nodes.Const):
                yield Used("word", f"{kind}.{node.node.value}" if kind else str(node.node.value), path, node.lineno)
            elif kind:
                yield Used("word", f"{kind}.{_ANYTHING}", path, node.lineno)
