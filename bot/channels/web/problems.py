"""Problem details (RFC 9457): how every refusal of the web app is told to programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

MEDIA_TYPE: Final = "application/problem+json"
_MOST_FAULTS: Final = 8


class Fault(BaseModel):
    """One wrong value of a request."""

    pointer: str = Field(description="JSON pointer to the value, or the name of the query parameter after '#/'")
    detail: str = Field(description="What is wrong with it")


class Problem(BaseModel):
    """Why a request was refused (RFC 9457). Members that are not listed here may be added."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(default="about:blank", description="Kind of problem; about:blank: see the status")
    title: str = Field(description="The status in words")
    status: int = Field(description="HTTP status")
    detail: str = Field(description="What to do about it, for a person")
    errors: list[Fault] = Field(default=[], description="Each wrong value")
    suggestions: list[str] = Field(default=[], description="Names that come near an unknown one, best first")


class Refused(Exception):
    """A request that is refused, with its status and reason."""

    def __init__(self, status: int, detail: str, suggestions: Sequence[str] = ()) -> None:
        """`suggestions`: names that may have been meant."""
        super().__init__(detail)
        self.status, self.detail, self.suggestions = status, detail, tuple(suggestions)


def problem(
    status: int, detail: str, headers: Mapping[str, str] | None = None, more: Mapping[str, object] | None = None
) -> JSONResponse:
    """The response that refuses a request.

    Args:
        status: HTTP status, 400 or above.
        detail: what a person should know.
        headers: sent along, such as `retry-after`.
        more: further members of the object.
    """
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        **(more or {}),
    }
    return JSONResponse(body, status_code=status, headers=dict(headers or {}), media_type=MEDIA_TYPE)


def refusal(error: Refused) -> JSONResponse:
    """The response to a `Refused`."""
    return problem(error.status, error.detail, more={"suggestions": list(error.suggestions)})


def invalid(error: ValidationError) -> JSONResponse:
    """400 for what is no JSON, 422 for JSON with wrong values; each wrong value is pointed at."""
    found = error.errors(include_input=False, include_url=False, include_context=False)
    if found[0]["type"] == "json_invalid":
        return problem(400, "the body is no JSON: " + found[0]["msg"])
    faults = [_fault(one) for one in found[:_MOST_FAULTS]]
    detail = f"{faults[0].pointer[2:] or 'body'}: {faults[0].detail}"
    return problem(422, detail, more={"errors": [fault.model_dump() for fault in faults]})


def _fault(one: ErrorDetails) -> Fault:
    parts = (str(part).replace("~", "~0").replace("/", "~1")[:80] for part in one["loc"])
    return Fault(pointer="#" + "".join(f"/{part}" for part in parts), detail=one["msg"])


async def of_router(_request: Request, error: Exception) -> Response:
    """404 and 405 of the router, with their headers (`Allow`)."""
    if not isinstance(error, HTTPException):
        raise error
    return problem(error.status_code, error.detail, error.headers)
