"""Holds requests and results against the published Bot API: names, types and required fields, nothing else.

telegram_bot_api.json.gz is cut from the machine-readable specification of PaulSonOfLars (MIT license, Bot API 10.1):
the methods the project uses and the types reachable from them, without descriptions.
"""

from __future__ import annotations

import gzip
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("telegram_bot_api.json.gz")


@lru_cache(maxsize=1)
def specification() -> dict[str, Any]:
    """Methods and types."""
    content: dict[str, Any] = json.loads(gzip.decompress(_FILE.read_bytes()))
    return content


def decode_fields(method: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Form fields as values: whatever the specification does not call a String is JSON."""
    types = {entry["name"]: entry["types"] for entry in specification()["methods"][method]["fields"]}
    return {name: _decode(types.get(name, ["String"]), value) for name, value in fields.items()}


def _decode(types: list[str], value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if "String" in types and "Integer" in types:
        return int(value) if value.lstrip("-").isdigit() else value
    if types == ["String"] or "InputFile" in types:
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def check_request(method: str, fields: dict[str, Any]) -> list[str]:
    """What is wrong with a call."""
    entry = specification()["methods"].get(method)
    if entry is None:
        return [f"{method}: unknown method"]
    return _check_fields(method, entry["fields"], fields)


def check_result(method: str, value: Any) -> list[str]:
    """What is wrong with a result."""
    return check_value(method, specification()["methods"][method]["returns"], value)


def check_value(where: str, types: list[str], value: Any) -> list[str]:
    """What keeps a value from being of one of these types; nothing when it is of one."""
    complaints: list[str] = []
    for name in types:
        found = _check_type(where, name, value)
        if not found:
            return []
        complaints = complaints or found
    return complaints


def _check_type(where: str, name: str, value: Any) -> list[str]:
    if name.startswith("Array of "):
        if not isinstance(value, list):
            return [f"{where}: not a list"]
        inner = name.removeprefix("Array of ")
        return [fault for index, item in enumerate(value) for fault in _check_type(f"{where}[{index}]", inner, item)]
    plain = {"Integer": int, "String": str, "Float": (int, float), "Boolean": bool, "True": bool}
    if name in plain:
        is_bool = isinstance(value, bool)
        fits = isinstance(value, plain[name]) and (is_bool == (name in {"Boolean", "True"}))
        return [] if fits else [f"{where}: not of type {name}"]
    if name == "InputFile":
        return [] if isinstance(value, bytes) else [f"{where}: not a file"]
    entry = specification()["types"][name]
    if "subtypes" in entry:
        return check_value(where, entry["subtypes"], value)
    if not isinstance(value, dict):
        return [f"{where}: not an object"]
    return _check_fields(where, entry["fields"], value)


def _check_fields(where: str, fields: list[dict[str, Any]], value: dict[str, Any]) -> list[str]:
    known = {entry["name"]: entry for entry in fields}
    faults = [f"{where}: {name} is missing" for name, entry in known.items() if entry["required"] and name not in value]
    for name, item in value.items():
        if name not in known:
            faults.append(f"{where}: unknown field {name}")
        else:
            faults += check_value(f"{where}.{name}", known[name]["types"], item)
    return faults
