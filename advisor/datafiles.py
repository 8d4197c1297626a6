"""Reads one YAML file of advisor/data as a typed value, with every fault reported at once."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files

Data = TypeVar("Data")

DATA = Path(__file__).resolve().parent / "data"


def read_data(name: str, kind: type[Data]) -> Data:
    """One data file as a value of a pydantic type.

    Raises:
        BadData: the file is not what it must be; all faults at once.
    """
    path = DATA / name
    problems: list[Problem] = []
    content = load_yaml_files([path], problems).get(str(path))
    if problems:
        raise BadData(problems)
    try:
        return TypeAdapter(kind).validate_python(content)
    except ValidationError as error:
        raise BadData(
            [Problem(str(path), 1, f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}") for fault in error.errors()]
        ) from None
