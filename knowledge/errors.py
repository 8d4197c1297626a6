"""What can go wrong in the knowledge base.

KnowledgeError
├── UnknownPassage (KeyError)   no passage, table, source or conflict has this id
└── BadLibrary (ValueError)        files that do not hold what they must; lists every problem
"""

from __future__ import annotations

from dataclasses import dataclass


class KnowledgeError(Exception):
    """Base of everything that the knowledge base raises on purpose. `code` names the sentence a user is shown."""

    code = "knowledge_error"


class UnknownPassage(KnowledgeError, KeyError):
    """Nothing has this id."""

    code = "unknown_passage"

    def __init__(self, kind: str, name: str) -> None:
        """Say which kind of thing (`passage`, `table`, `source`, `conflict`) was not found."""
        super().__init__(f"no {kind} has the id {name!r}")
        self.kind, self.name = kind, name

    def __str__(self) -> str:
        """The sentence itself; a KeyError would show it quoted."""
        return str(self.args[0])


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One fault in a file: where it is, what is wrong, what would mend it."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        """Render as editors expect it: path:line: message."""
        return f"{self.path}:{self.line}: {self.message}"


class BadLibrary(KnowledgeError, ValueError):
    """Files of the knowledge base are faulty. `problems` holds all of them, in the order of path and line."""

    code = "bad_library"

    def __init__(self, problems: list[Problem]) -> None:
        """Collect the problems; the message is their list."""
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(map(str, self.problems)))
