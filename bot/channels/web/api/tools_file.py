"""A small OpenAPI file for the tools of other assistants: five functions, each one flat object in, nothing to resolve.

Assistants make one tool of each operation: its id becomes the name, summary and description are what the model reads.
What they allow is narrower than OpenAPI: short descriptions, an absolute server, no alternatives with null.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, cast

from bot.channels.web.api.openapi import Json

PATH: Final = "/tools.openapi.json"
FUNCTIONS: Final[Mapping[str, str]] = {
    "fit": "Whether a model fits the memory of a card. Gives the verdict, the need in GiB with its 90 % band, what is "
    "left, and the parts of the sum. Say the method (inference, lora, qlora, full) and quant q4_k_m for 4 bit.",
    "prices": "What a card costs to rent by the hour and to buy, new and used, each with provider, day and source, "
    "each in its own currency.",
    "compare": "Two to six cards side by side: memory, bandwidth, speed, power, price, and for a model whether it "
    "fits and how fast it runs. Say quant q4_k_m for 4 bit, as one person runs it.",
    "recommend": "Which card to take for a task, by budget, memory, region, buying or renting. Gives the pick, why, "
    "what was ruled out and at which price it would change.",
    "cost": "What renting a card for some hours costs at each provider, cheapest first, with the day of each price.",
}
"""Name of each endpoint with what an assistant reads of it."""
MOST_TOLD: Final = 300
"""Characters of a description that assistants read."""
_REF: Final = "$ref"


def tools_document(whole: Json, server: str) -> Json:
    """The file.

    Args:
        whole: the document of the whole API.
        server: absolute address under which it is reached, without a slash at its end.
    """
    paths = cast("dict[str, dict[str, Json]]", whole["paths"])
    schemas = cast("dict[str, Json]", cast("Json", whole["components"])["schemas"])
    chosen: Json = {}
    for path, verbs in paths.items():
        for verb, operation in verbs.items():
            if (name := str(operation["operationId"])) in FUNCTIONS:
                chosen[path] = {verb: _operation(name, operation, schemas)}
    return {
        "openapi": whole["openapi"],
        "info": {**cast("Json", whole["info"]), "title": "Xuanka: which GPU to use"},
        "servers": [{"url": server}],
        "paths": chosen,
        "components": {"schemas": _needed(chosen, schemas)},
    }


def _operation(name: str, operation: Json, schemas: Mapping[str, Json]) -> Json:
    """An operation as a tool: its parameters resolved, its answer kept, refusals told by the program itself."""
    made: Json = {
        "operationId": name,
        "summary": operation["summary"],
        "description": FUNCTIONS[name],
        "x-openai-isConsequential": False,
        "responses": {"200": cast("Json", operation["responses"])["200"]},
    }
    if "parameters" in operation:
        made["parameters"] = operation["parameters"]
    if "requestBody" in operation:
        content = cast("dict[str, dict[str, Json]]", cast("Json", operation["requestBody"])["content"])
        asked = _resolved(content["application/json"]["schema"], schemas)
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": asked}}}
    return made


def _resolved(schema: object, schemas: Mapping[str, Json]) -> object:
    """A schema without references, titles and null: what may be left out is not in `required`, and that says it."""
    if isinstance(schema, list):
        return [_resolved(one, schemas) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = _stated(schema, schemas)
    if _REF in found:
        return _resolved(found, schemas)
    if found.get("default", ...) is None:
        del found["default"]
    return {name: _members(name, value, schemas) for name, value in found.items() if name != "title"}


def _stated(schema: Json, schemas: Mapping[str, Json]) -> Json:
    """A schema with what it refers to in its place, and of alternatives with null the other one."""
    found = dict(schema)
    if isinstance(ref := found.pop(_REF, None), str):
        found = {**schemas[ref.rpartition("/")[2]], **found}
    choices = found.pop("anyOf", None)
    if not isinstance(choices, list):
        return found
    said = [one for one in choices if one.get("type") != "null"]
    return {**(said[0] if len(said) == 1 else {"anyOf": said}), **found}


def _members(name: str, value: object, schemas: Mapping[str, Json]) -> object:
    """What stands in a schema: under `properties` the names are members, which may be called anything, "title" too."""
    if name == "properties" and isinstance(value, dict):
        return {member: _resolved(about, schemas) for member, about in value.items()}
    return _resolved(value, schemas)


def _needed(start: object, schemas: Mapping[str, Json]) -> Json:
    """The schemas that the chosen operations refer to, directly or not."""
    found: Json = {}
    todo = list(_references(start))
    while todo:
        name = todo.pop()
        if name not in found:
            found[name] = schemas[name]
            todo.extend(_references(schemas[name]))
    return dict(sorted(found.items()))


def _references(schema: object) -> Iterator[str]:
    if isinstance(schema, list):
        for one in schema:
            yield from _references(one)
    elif isinstance(schema, dict):
        ref = schema.get(_REF)
        if isinstance(ref, str):
            yield ref.rpartition("/")[2]
        for one in schema.values():
            yield from _references(one)
