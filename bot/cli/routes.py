"""Each row of routes.yaml is reached by its own examples."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from advisor.errors import Problem
from bot.answers.route import FILE, Row, load_routes
from bot.core.message import IncomingMessage

if TYPE_CHECKING:
    from bot.pipeline import Assistant

_ASKED_AT: Final = datetime(2026, 11, 21, tzinfo=UTC)


def check_routes(assistant: Assistant) -> list[Problem]:
    """Every row whose example, asked as a first message or behind another, is answered by another row or by none."""
    problems: list[Problem] = []
    for row in (one for rows in load_routes().values() for one in rows):
        for language, text in (("zh", row.zh), ("en", row.en)):
            taken = _rows_of(assistant, text, row.after.get(language, ""))
            if row not in taken:
                told = " -> ".join(f"{one.need} to {one.to}" for one in taken) or "no row"
                problems.append(Problem(str(FILE), 1, f"{row.need} to {row.to}: {text!r} takes {told}"))
    return problems


def _rows_of(assistant: Assistant, text: str, before: str) -> tuple[Row, ...]:
    """Rows that a message takes, alone or behind another one."""
    state = assistant.respond(_message(before), None, _ASKED_AT)[1] if before else None
    return assistant.explain(_message(text), state, _ASKED_AT).routes


def _message(text: str) -> IncomingMessage:
    return IncomingMessage(
        channel="check", event_id="1", chat_id="c", user_id="u", verified=True, text=text, received_at=_ASKED_AT
    )
