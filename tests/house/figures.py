"""Figures of the source that may only fall: how often a meaning is read again, how branchy, how loosely typed it is."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("bot", "advisor", "knowledge")
READS_FIRST = ("read", "understand", "core", "channels", "cli", "evaluate")
"""Rooms of bot that may see a message's words."""
TOLD_OF = ("bot/dialogue", "bot/talk", "bot/road", "bot/answers", "bot/pipeline.py")
"""Rooms in which a rule that quotes a sentence was written for that sentence."""
OF_NAMES = {
    "gate.yaml": ("weak", "slots", "weak_slots", "asking", "light", "social", "running"),
    "acts.yaml": ("predicates",),
    "shapes.yaml": ("language_models", "picture_models"),
    "cues.yaml": ("sized_models",),
}
"""Lists whose entries are names of concepts and slots, or what names of models begin with."""
_NAMING = re.compile(r"@[a-z]\w*(\.(zh|en))?\*?|concept:\w+")
"""What stands for the words of a sense or of a concept."""
_EXTRA = re.compile(r"\bextra\.")
_QUOTED = re.compile(r'"[^"\n]*\w[^"\n]*[ ,][^"\n]*[?!.]?"')
_STEPS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.IfExp, ast.ExceptHandler, ast.Assert, ast.match_case)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@cache
def source() -> dict[str, str]:
    """Path -> text of the modules that are shipped."""
    paths = (path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")))
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}


@cache
def trees() -> dict[str, ast.Module]:
    """Path -> syntax tree."""
    return {name: ast.parse(text) for name, text in source().items()}


def below(node: ast.AST) -> list[ast.AST]:
    """The nodes right below one, but for whether a name is read or written, which no figure asks."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name)
        if isinstance(value, list):
            found += [one for one in value if isinstance(one, ast.AST)]
        elif isinstance(value, ast.AST) and name != "ctx":
            found.append(value)
    return found


@cache
def walked() -> dict[str, list[ast.AST]]:
    """Path -> all nodes of its tree."""
    found: dict[str, list[ast.AST]] = {}
    for name, tree in trees().items():
        found[name] = [tree]
        for node in found[name]:  # which grows meanwhile
            found[name] += below(node)
    return found


def nodes(*below: str) -> Iterator[ast.AST]:
    """All nodes of the modules whose path begins so."""
    for name, found in walked().items():
        if not below or name.startswith(below):
            yield from found


def branches(function: ast.AST) -> int:
    """Places where a function may go two ways; functions inside it count for themselves."""
    total, todo = 0, below(function)
    while todo:
        node = todo.pop()
        if isinstance(node, _SCOPES):
            continue
        total += isinstance(node, _STEPS)
        if isinstance(node, ast.comprehension):
            total += 1 + len(node.ifs)
        if isinstance(node, ast.BoolOp):
            total += len(node.values) - 1
        todo += below(node)
    return total


@cache
def functions() -> tuple[tuple[int, str], ...]:
    """Branches and place of each function."""
    return tuple(
        (branches(node), f"{name}:{node.name}")
        for name, found in walked().items()
        for node in found
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def _is_request(annotation: ast.expr | None) -> bool:
    """Whether an annotation, written out, ends with the name of a request."""
    if isinstance(annotation, ast.BinOp):
        return _is_request(annotation.right)
    named = {ast.Name: "id", ast.Attribute: "attr", ast.Constant: "value"}.get(type(annotation), "")
    return str(getattr(annotation, named, "")).endswith("Request")


def _of_a_request(found: list[ast.AST], attribute: str) -> int:
    """Reads of one attribute of what is called, or declared, a request."""
    held = {"request"} | {node.arg for node in found if isinstance(node, ast.arg) and _is_request(node.annotation)}
    return sum(
        isinstance(node, ast.Attribute)
        and node.attr == attribute
        and (
            (isinstance(node.value, ast.Name) and node.value.id in held)
            or (isinstance(node.value, ast.Attribute) and node.value.attr == "request")
        )
        for node in found
    )


def _behind_reading() -> Iterator[list[ast.AST]]:
    first = tuple(f"bot/{room}/" for room in READS_FIRST)
    return (found for name, found in walked().items() if name.startswith("bot/") and not name.startswith(first))


def text_reads() -> int:
    """Places behind reading that look into a message's words."""
    return sum(_of_a_request(found, "text") for found in _behind_reading())


def reading_reads() -> int:
    """Places behind reading that look into its reading."""
    return sum(_of_a_request(found, "understanding") for found in _behind_reading())


def hand_overs() -> int:
    """Answers that call another answer's entry."""
    modules = {Path(name).stem for name in trees() if name.startswith("bot/answers/")}
    return sum(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "handle"
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in modules
        for node in nodes("bot/answers/")
    )


def untyped_extra() -> int:
    """Uses of the untyped part of an answer, in code and in templates."""
    words = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "templates").rglob("*.*")))
    in_code = sum(isinstance(node, ast.Attribute) and node.attr == "extra" for node in nodes())
    return len(_EXTRA.findall(words)) + in_code


def anything() -> int:
    """Uses of Any."""
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in nodes())


def quoting_rules() -> int:
    """Docstrings and comments that quote what somebody said."""
    found = 0
    for name, text in source().items():
        if name.startswith(TOLD_OF):
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                told = token.type == tokenize.COMMENT or (
                    token.type == tokenize.STRING and token.string.startswith('"""')
                )
                found += told and _QUOTED.search(token.string.strip('"')) is not None
    return found


def words_in_several_lexicons() -> int:
    """Words of a message that two or more files of words list.

    A file counts by its path. A name of a sense, a concept, a slot or a model's record is no word of a message.
    """
    places: dict[str, set[Path]] = {}
    for folder in ("bot/languages", "bot/lexicon"):
        for path in sorted((ROOT / folder).rglob("*.yaml")):
            content = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
            for name in OF_NAMES.get(path.name, ()):
                del content[name]
            for word in set(_texts(content)):
                places.setdefault(word.strip().casefold(), set()).add(path)
    return sum(len(files) > 1 and not _NAMING.fullmatch(word) for word, files in places.items())


def named_in(file: str, content: Mapping[str, object]) -> frozenset[str]:
    """Names of concepts, slots and models in one file, which are no words of it."""
    return frozenset(name for key in OF_NAMES.get(file, ()) for name in _texts(content[key]))


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            yield from _texts(part)
    elif isinstance(content, dict):
        for part in content.values():
            yield from _texts(part)


def branchy() -> int:
    """Functions with more than ten branches."""
    return sum(count > 10 for count, _ in functions())


def most_branches() -> int:
    """Branches of the function that has most."""
    return max(count for count, _ in functions())


def longest_module() -> int:
    """Lines of the longest module."""
    return max(len(text.splitlines()) for text in source().values())


FIGURES = {
    one.__name__: one
    for one in (
        *(text_reads, reading_reads, hand_overs, untyped_extra, anything, quoting_rules, words_in_several_lexicons),
        *(branchy, most_branches, longest_module),
    )
}
