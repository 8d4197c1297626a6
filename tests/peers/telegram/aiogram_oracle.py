"""Runs among the peers: holds recorded calls and updates against aiogram's models, prints what does not fit."""

import json
import sys

import aiogram.methods
import aiogram.types
from pydantic import ValidationError


def main() -> None:
    """Read {"calls": [[method, fields]], "updates": [...], "results": [[type, value]]} and print findings."""
    record = json.load(sys.stdin)
    findings = []
    for method, fields in record["calls"]:
        model = getattr(aiogram.methods, method[0].upper() + method[1:])
        findings += _check(method, model, fields)
    for update in record["updates"]:
        findings += _check("update", aiogram.types.Update, update)
    for name, value in record["results"]:
        findings += _check(name, getattr(aiogram.types, name), value)
    print(json.dumps({"findings": findings, "calls": len(record["calls"]), "updates": len(record["updates"])}))


def _check(name, model, value):
    unknown = sorted(set(value) - {field.alias or key for key, field in model.model_fields.items()})
    found = [f"{name}: unknown field {field}" for field in unknown]
    try:
        model.model_validate(value)
    except ValidationError as error:
        found += [f"{name}: {fault['loc']} {fault['msg']}" for fault in error.errors()]
    return found


main()
