"""The OpenAPI document as a page for people: plain HTML, no script, every text escaped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from starlette.responses import HTMLResponse

_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}

Json = Mapping[str, object]


Row = tuple[str, str, bool, str]
"""Name, type, whether it must be given, what it is."""


@dataclass(frozen=True, slots=True)
class Section:
    """One operation as people read it."""

    path: str
    verb: str
    summary: str
    call: str
    """A line to try, for what takes a body."""
    tables: tuple[tuple[str, tuple[Row, ...]], ...]
    """What goes in and what comes out, each with its name."""


def sections(found: Json) -> list[Section]:
    """The operations of a document, in its order."""
    schemas = _object(_object(found["components"])["schemas"])
    return [
        _section(path, verb, _object(operation), schemas)
        for path, verbs in _object(found["paths"]).items()
        for verb, operation in _object(verbs).items()
    ]


def docs_page(found: Json) -> HTMLResponse:
    """The page of a document."""
    info, listed = _object(found["info"]), sections(found)
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Xuanka API</title>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        "<link rel='stylesheet' href='/static/docs.css'></head><body><main>",
        f"<h1>Xuanka API <small>{escape(str(info['version']))}</small></h1>",
        f"<p>{escape(str(info['description']))}</p>",
        "<p><a href='/openapi.json'>openapi.json</a> (OpenAPI 3.1) · <a href='/'>chat</a></p><nav><ul>",
        *(f"<li><a href='#{escape(_anchor(one.path))}'>{escape(one.path)}</a></li>" for one in listed),
        "</ul></nav>",
        *(part for one in listed for part in _html(one)),
        "</main></body></html>",
    ]
    return HTMLResponse("".join(parts), headers=_HEADERS)


def docs_text(found: Json) -> str:
    """The same as Markdown, for `docs/`."""
    lines = ["# The HTTP API", "", str(_object(found["info"])["description"]), ""]
    for one in sections(found):
        lines += [f"## `{one.verb.upper()} {one.path}`", "", one.summary, ""]
        if one.call:
            lines += ["```", one.call, "```", ""]
        for title, rows in one.tables:
            lines += [f"| {title} | type | what it is |", "|---|---|---|"]
            lines += [
                f"| `{name}`{' (must)' if must else ''} | {_cell(kind)} | {_cell(about)} |"
                for name, kind, must, about in rows
            ]
            lines.append("")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _section(path: str, verb: str, operation: Json, schemas: Json) -> Section:
    tables: list[tuple[str, Iterator[Row]]] = []
    call = ""
    parameters = operation.get("parameters")
    if isinstance(parameters, list):
        tables.append(("Query", (_of_parameter(_object(one)) for one in parameters)))
    if "requestBody" in operation:
        schema = _content(_object(operation["requestBody"]), schemas)
        tables.append(("Body", _members(schema, schemas)))
        example = json.dumps(_example(schema), ensure_ascii=False)
        call = f"curl -H 'content-type: application/json' -d '{example}' HOST{path}"
    answer = _content(_object(_object(operation["responses"])["200"]), schemas)
    tables.append(("Answer", _members(answer, schemas)))
    told = tuple((title, found) for title, rows in tables if (found := tuple(rows)))
    return Section(path, verb, str(operation["summary"]), call, told)


def _html(one: Section) -> Iterator[str]:
    title = escape(f"{one.verb.upper()} {one.path}")
    yield f"<section><h2 id='{escape(_anchor(one.path))}'><code>{title}</code></h2>"
    yield f"<p>{escape(one.summary)}</p>"
    for name, rows in one.tables:
        yield from _table(rows, name)
        if name == "Body":
            yield f"<pre tabindex='0'>{escape(one.call)}</pre>"
    yield "</section>"


def _table(rows: Sequence[Row], title: str) -> Iterator[str]:
    lines = [
        f"<tr><th scope='row'><code>{escape(name)}</code>{' *' if must else ''}</th><td>{escape(kind)}</td>"
        f"<td>{escape(about)}</td></tr>"
        for name, kind, must, about in rows
    ]
    yield f"<h3>{title}</h3><div tabindex='0' class='wide'><table><tbody>{''.join(lines)}</tbody></table></div>"


def _of_parameter(one: Json) -> Row:
    schema = _object(one["schema"])
    return str(one["name"]), _kind(schema), bool(one["required"]), str(one["description"])


def _members(schema: Json, schemas: Json) -> Iterator[Row]:
    required = schema.get("required")
    must = required if isinstance(required, list) else []
    for name, raw in _object(schema.get("properties", {})).items():
        about = _object(raw)
        whole = {**_target(about, schemas), **about}
        yield name, _kind(about), name in must, str(whole.get("description", ""))


def _kind(schema: Json) -> str:
    """A type in a few words."""
    for key in ("anyOf", "oneOf"):
        choices = schema.get(key)
        if isinstance(choices, list):
            return " | ".join(_kind(_object(one)) for one in choices)
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    values = schema.get("enum")
    if isinstance(values, list):
        return " | ".join(map(str, values))
    if schema.get("type") == "array":
        return f"list of {_kind(_object(schema.get('items', {})))}"
    return str(schema.get("type", "any"))


def _example(schema: Json) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, raw in _object(schema.get("properties", {})).items():
        values = _object(raw).get("examples")
        if isinstance(values, list) and values:
            found[name] = values[0]
    return found or {"id": "1", "text": "Which GPU for a 7B LoRA under $1000?"}


def _content(holder: Json, schemas: Json) -> Json:
    """The schema of a body or an answer; empty for what is no JSON."""
    content = _object(holder.get("content", {}))
    schema = _object(_object(content.get("application/json", {})).get("schema", {}))
    return {**schema, **_target(schema, schemas)}


def _target(schema: Json, schemas: Json) -> Json:
    ref = schema.get("$ref")
    return _object(schemas[ref.rpartition("/")[2]]) if isinstance(ref, str) else {}


def _anchor(path: str) -> str:
    return path.rpartition("/")[2]


def _object(value: object) -> Json:
    return value if isinstance(value, Mapping) else {}
