"""The OpenAPI 3.1 document, made from the same models that read requests and write answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypedDict

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from bot.channels.web.problems import MEDIA_TYPE, Problem

Json = dict[str, object]
_REFUSALS: Final = {
    "400": "no JSON",
    "401": "the key is not known",
    "413": "the body is too long",
    "415": "the body is no application/json",
    "422": "a value is wrong or unknown",
    "429": "over the limit: come back after Retry-After seconds",
    "503": "busy: come back after Retry-After seconds",
}
_BODY_ONLY: Final = frozenset({"400", "413", "415"})


class Described(TypedDict):
    """What the document says of one endpoint."""

    path: str
    name: str
    verb: str
    asked: type[BaseModel]
    made: type[BaseModel] | None
    media: tuple[str, ...]
    """What is answered, where `made` is None."""


def document(described: Sequence[Described], version: str, about: str) -> Json:
    """The document of all endpoints.

    Args:
        described: the endpoints, in the order of the page.
        version: of the program.
        about: what the API is for, in a few sentences.
    """
    refs, components = _schemas(described)
    paths: dict[str, Json] = {}
    for one in described:
        paths.setdefault(one["path"], {})[one["verb"].lower()] = _operation(one, refs)
    return {
        "openapi": "3.1.1",
        "info": {"title": "Xuanka", "version": version, "description": about, "license": {"name": "Apache-2.0"}},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


_Refs = Mapping[tuple[type[BaseModel], JsonSchemaMode], Json]


def _schemas(described: Sequence[Described]) -> tuple[_Refs, Json]:
    """The schema of each model in its mode, as a reference, and what they refer to.

    The mode matters: a member with a default may be left out of what comes in, and is always in what goes out.
    """
    wanted: list[tuple[type[BaseModel], JsonSchemaMode]] = [(Problem, "serialization")]
    for one in described:
        one["asked"].model_rebuild()
        if one["verb"] != "GET":
            wanted.append((one["asked"], "validation"))
        if one["made"] is not None:
            wanted.append((one["made"], "serialization"))
    keys = list(dict.fromkeys(wanted))
    refs, found = models_json_schema([*keys], ref_template="#/components/schemas/{model}")
    return {key: dict(refs[key]) for key in keys}, found.get("$defs", {})


def _operation(one: Described, refs: _Refs) -> Json:
    is_get = one["verb"] == "GET"
    made: Json = {kind: {"schema": {"type": "string", "contentEncoding": "binary"}} for kind in one["media"]}
    if one["made"] is not None:
        made = {"application/json": {"schema": refs[one["made"], "serialization"]}}
    refused = {"description": "", "content": {MEDIA_TYPE: {"schema": refs[Problem, "serialization"]}}}
    refusals = {code: {**refused, "description": why} for code, why in _REFUSALS.items()}
    kept = {code: what for code, what in refusals.items() if not (is_get and code in _BODY_ONLY)}
    answers: Json = {"200": {"description": "The answer", "content": made}, **kept}
    if is_get:
        answers["304"] = {"description": "Nothing changed since the ETag in If-None-Match"}
    operation: Json = {
        "operationId": one["name"].replace("-", "_"),
        "summary": (one["asked"].__doc__ or "").strip(),
        "security": [{}, {"key": []}],
        "responses": answers,
    }
    if is_get:
        operation["parameters"] = _parameters(one["asked"])
    else:
        body = {"application/json": {"schema": refs[one["asked"], "validation"]}}
        operation["requestBody"] = {"required": True, "content": body}
    return operation


def _parameters(asked: type[BaseModel]) -> list[Json]:
    """The members of a query, inlined: queries hold plain values only."""
    schema = asked.model_json_schema()
    defs, required = schema.get("$defs", {}), set(schema.get("required", ()))
    found: list[Json] = []
    for name, about in schema.get("properties", {}).items():
        plain = _plain(about, defs)
        text = plain.pop("description", "")
        plain.pop("title", None)
        found.append({"name": name, "in": "query", "required": name in required, "description": text, "schema": plain})
    return found


def _plain(about: Json, defs: Mapping[str, Json]) -> Json:
    """A schema without references, and without null, which a query cannot say."""
    found = dict(about)
    choices = found.pop("anyOf", None)
    if isinstance(choices, list):
        found = {**next(one for one in choices if one.get("type") != "null"), **found}
    ref = found.pop("$ref", None)
    if isinstance(ref, str):
        found = {**defs[ref.rpartition("/")[2]], **found}
    if found.get("default", ...) is None:
        del found["default"]
    return found
