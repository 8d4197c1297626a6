"""The endpoints of the API: their paths, and how a request becomes an answer or a problem."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from advisor.errors import AdvisorError, UnknownName
from bot.channels.json_lines import AskIn
from bot.channels.web.api import inputs, lists, market, outputs, pictures, records, sums, told
from bot.channels.web.api.openapi import Described, Json, document
from bot.channels.web.api.outputs import Made, Picture
from bot.channels.web.api.page import docs_page
from bot.channels.web.api.shelf import Shelf
from bot.channels.web.api.tools_file import PATH as TOOLS_PATH
from bot.channels.web.api.tools_file import tools_document
from bot.channels.web.headers import PICTURE_HEADERS
from bot.channels.web.limits import BodyTooLarge, read_body
from bot.channels.web.problems import Refused, invalid, problem, refusal
from bot.computing import Computing, Overran
from bot.core.request import Services
from bot.version import version

PREFIX: Final = "/api/v1/"
MOST_BODY: Final = 64 * 1024
_ABOUT: Final = (
    "Which GPU to use: memory, fit, speed, time, cost and prices of deep-learning jobs, computed from dated, sourced "
    "data. Every figure has a band, every price a day, every answer its sources. Without a key you are a stranger "
    "with a budget by address; limits are told with 429 and Retry-After."
)
_FRESH: Final = "public, max-age=60"

Asked = TypeVar("Asked", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One function of the API."""

    name: str
    verb: str
    asked: type[BaseModel]
    made: type[Made] | None
    answer: Callable[[Shelf, bytes | dict[str, str]], Made | Picture]
    """From the body, or from the query of a GET."""
    media: tuple[str, ...] = ()

    @property
    def described(self) -> Described:
        """What the document says of it."""
        return Described(
            path=PREFIX + self.name,
            name=self.name,
            verb=self.verb,
            asked=self.asked,
            made=self.made,
            media=self.media,
        )


def _post(name: str, asked: type[Asked], made: type[Made], function: Callable[[Shelf, Asked], Made]) -> Endpoint:
    def answer(shelf: Shelf, said: bytes | dict[str, str]) -> Made:
        return function(shelf, asked.model_validate_json(said if isinstance(said, bytes) else b"", strict=True))

    return Endpoint(name, "POST", asked, made, answer)


def _get(name: str, asked: type[Asked], made: type[Made], function: Callable[[Shelf, Asked], Made]) -> Endpoint:
    def answer(shelf: Shelf, said: bytes | dict[str, str]) -> Made:
        return function(shelf, asked.model_validate(said))

    return Endpoint(name, "GET", asked, made, answer)


def _chart() -> Endpoint:
    def answer(shelf: Shelf, said: bytes | dict[str, str]) -> Picture:
        return pictures.picture(shelf, inputs.ChartQuery.model_validate(said))

    return Endpoint("chart", "GET", inputs.ChartQuery, None, answer, ("image/svg+xml", "image/png"))


ENDPOINTS: Final = (
    _post("fit", inputs.FitIn, outputs.FitOut, sums.fit),
    _post("memory", inputs.MemoryIn, outputs.MemoryOut, sums.memory),
    _post("speed", inputs.SpeedIn, outputs.SpeedOut, sums.speed),
    _post("time", inputs.TimeIn, outputs.TimeOut, sums.time),
    _post("cost", inputs.CostIn, outputs.CostOut, market.cost),
    _post("rent-or-buy", inputs.RentOrBuyIn, outputs.RentOrBuyOut, market.rent_or_buy),
    _post("recommend", inputs.RecommendIn, outputs.RecommendOut, market.recommended),
    _post("compare", inputs.CompareIn, outputs.CompareOut, lists.compare),
    _get("gpus", inputs.GpusQuery, records.GpusOut, lists.gpus),
    _get("models", inputs.ModelsQuery, records.ModelsOut, lists.models),
    _get("prices", inputs.PricesQuery, outputs.PricesOut, market.prices),
    _get("passages", inputs.PassagesQuery, records.PassagesOut, lists.passages),
    _chart(),
)
_ASK: Final = Described(path=PREFIX + "ask", name="ask", verb="POST", asked=AskIn, made=told.AskOut, media=())


@cache
def openapi() -> Json:
    """The document of the whole API."""
    return document([_ASK, *(one.described for one in ENDPOINTS)], version(), _ABOUT)


class Api:
    """Routes of the API over the data in use."""

    def __init__(
        self, services: Callable[[], Services], refuse: Callable[[Request], Awaitable[Response | None]]
    ) -> None:
        """Take where the data in use is found, and what turns a caller away (an unknown key, a list, a limit)."""
        self._services, self._refuse = services, refuse
        self._computing = Computing()

    def routes(self) -> list[BaseRoute]:
        """All endpoints but `ask`, the document and its page."""
        return [
            *(Route(PREFIX + one.name, self._route(one), methods=[one.verb]) for one in ENDPOINTS),
            Route(PREFIX + "openapi.json", self.document, methods=["GET"]),
            Route("/openapi.json", self.document, methods=["GET"]),
            Route(TOOLS_PATH, self.tools, methods=["GET"]),
            Route(PREFIX + "docs", self.page, methods=["GET"]),
        ]

    @cached_property
    def _document(self) -> bytes:
        return json.dumps(openapi(), ensure_ascii=False, indent=1).encode()

    async def document(self, request: Request) -> Response:
        """OpenAPI 3.1."""
        tag = _tag(self._document)
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers={"etag": tag})
        return Response(self._document, media_type="application/json", headers={"etag": tag, "cache-control": _FRESH})

    async def tools(self, request: Request) -> Response:
        """A small part of it for the tools of other assistants, which want the whole address of the server."""
        return JSONResponse(tools_document(openapi(), str(request.base_url).rstrip("/")))

    async def page(self, _request: Request) -> Response:
        """The same for people."""
        return docs_page(openapi())

    def _route(self, endpoint: Endpoint) -> Callable[[Request], object]:
        async def answered(request: Request) -> Response:
            refused = await self._refuse(request)
            if refused is not None:
                return refused
            if endpoint.verb == "GET":
                return await self._got(endpoint, request)
            said = await body_of(request)
            return said if isinstance(said, Response) else await self._computed(endpoint, said)

        return answered

    async def _got(self, endpoint: Endpoint, request: Request) -> Response:
        query = dict(request.query_params)
        whole = [endpoint.name, sorted(query.items()), self._services().catalog.version, version(), _today()]
        tag = _tag(json.dumps(whole, default=str).encode("utf-8", "replace"))
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers={"etag": tag, "cache-control": _FRESH})
        response = await self._computed(endpoint, query)
        if response.status_code == 200:
            response.headers.update({"etag": tag, "cache-control": _FRESH})
        return response

    async def _computed(self, endpoint: Endpoint, said: bytes | dict[str, str]) -> Response:
        """The answer, worked out beside the event loop."""
        services = self._services()

        def work() -> Made | Picture:
            today = datetime.now(UTC).date()
            return endpoint.answer(Shelf(services.catalog, services.library, today), said)

        try:
            made = await self._computing.run(work)
        except ValidationError as error:
            return invalid(error)
        except Refused as error:
            return refusal(error)
        except UnknownName as error:
            return problem(422, str(error), more={"suggestions": list(error.suggestions)})
        except AdvisorError as error:
            return problem(422, str(error), more={"code": error.code})
        except ArithmeticError:
            return problem(422, "these numbers are too far apart to be worked with")
        except Overran:
            return problem(503, "this takes too long, ask for less", {"retry-after": "1"})
        if isinstance(made, Picture):
            return Response(made.body, media_type=made.media_type, headers=PICTURE_HEADERS)
        return JSONResponse(made.model_dump(mode="json"))


async def body_of(request: Request) -> bytes | Response:
    """The body of a call, or what is wrong with it."""
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().casefold()
    if kind != "application/json" and not kind.endswith("+json"):
        return problem(415, "send application/json")
    try:
        return await read_body(request, MOST_BODY)
    except BodyTooLarge:
        return problem(413, f"at most {MOST_BODY} bytes")
    except ClientDisconnect:
        return problem(400, "the request ended early")


def _tag(whole: bytes) -> str:
    return '"' + hashlib.sha256(whole).hexdigest()[:20] + '"'


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
