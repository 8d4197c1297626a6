"""What people read names things as people do: no id of a record, no code of the program, on any surface."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

import advisor
from advisor.catalog import Catalog
from advisor.names import name_key
from bot.channels.charts import chart_table
from bot.channels.markup import plain_text
from bot.cli.commands import app
from bot.core.message import Reply
from bot.pipeline import Assistant
from tests.bot.labelled import NOW, message
from tests.conftest import shared_catalog

CATALOG = shared_catalog()
GENERIC = re.compile(r"\bllm-\d", re.IGNORECASE)
"""Ids of sizes that stand for no model of their own."""
CODE = re.compile(r"(?<![\w./`-])[a-z]+(?:_[a-z0-9]+)+(?![\w(`/.])")
WORD = re.compile(r"(?<![\w./-])[a-z0-9]+(?:-[a-z0-9]+)+(?![\w/-])")
COMMANDS = (
    "fit 15b --gpu 4090",
    "memory 30b-a3b",
    "speed 7b --gpu 3090",
    "compare 3090 4090 --model 15b",
    "cost 4090 --hours 10",
    "rent-or-buy 4090",
    "recommend --task llm_inference --budget 2000",
    "price 4090",
)


def ids_of_no_name(catalog: Catalog) -> frozenset[str]:
    """Ids that nobody writes: neither name nor alias of a record."""
    records = [*catalog.gpus.values(), *catalog.ml_models.values()]
    named = {name.casefold() for one in records for name in (one.name, *one.aliases)}
    return frozenset(one.id for one in records if "-" in one.id and one.id not in named)


IDS = ids_of_no_name(CATALOG)
NAMES = frozenset(one.name for one in CATALOG.ml_models.values())


def shown(reply: Reply) -> Iterator[str]:
    """Everything of a reply that is read."""
    yield plain_text(reply.text)
    yield from (choice.label for choice in reply.choices)
    yield from reply.suggestions
    if reply.chart is not None:
        yield reply.chart.title
        yield from (mark.label for mark in reply.chart.marks)
        yield chart_table(reply.chart, reply.language)


def leaked(text: str, asked: str) -> list[str]:
    found = GENERIC.findall(text)
    found += [word for word in WORD.findall(text) if word in IDS and name_key(word) not in name_key(asked)]
    return found


def test_no_answer_names_a_record_by_its_id(assistant: Assistant) -> None:
    """Beside the labelled questions (`tests/every_question`)."""
    bad = {}
    for text in [
        "4090 能跑 15B 吗",
        "画个图：15B 在 4090 上的显存",
        "13B LoRA on 2 or 4 V100 32GB, how well does it scale?",
        "which is better for a 34b, a 3090 or a 4090?",
    ]:
        reply, _ = assistant.respond(message(text), None, NOW)
        found = [word for part in shown(reply) for word in leaked(part, text)]
        if found:
            bad[text] = found
    assert bad == {}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_shows_a_code(command: str, lang: str) -> None:
    result = CliRunner().invoke(app, [*command.split(), "--lang", lang], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    codes = [one for one in CODE.findall(result.output) if one not in NAMES]
    assert GENERIC.findall(result.output) == []
    assert codes == [], result.output


def test_results_in_python_name_a_size_as_people_do() -> None:
    for result in (
        advisor.fit("4090", "15b"),
        advisor.estimate_memory("35b-a3b", method="lora"),
        advisor.estimate_speed("4090", "7b"),
        advisor.recommend(task="llm_inference", budget=2000),
    ):
        assert GENERIC.findall(repr(result) + result._repr_html_()) == []
    assert "15B" in str(advisor.fit("4090", "15b").as_dict())
