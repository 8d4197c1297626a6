"""The web chat: its page, its turns, its pictures, and what makes it installable and embeddable.

A turn goes out as blocks of styled runs, never as markup to be put into a page: the script makes elements of them and
sets their text. The visitor's talk is known by a cookie that scripts cannot read, or, where a browser sends none (the
widget on another site, a shared answer that is looked at), by a name that the page made up at random.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import string
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, date, datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, Literal, TypeVar

from pydantic import Field, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from advisor.models import Frozen
from bot.channels.charts import ChartUnavailable, chart_table, draw, size_of
from bot.channels.charts.labels import words as chart_words
from bot.channels.markup import Block, Run, parse, telegram_html
from bot.channels.web.headers import PICTURE_HEADERS
from bot.channels.web.limits import BodyTooLarge, read_body
from bot.channels.web.problems import invalid, problem
from bot.channels.words import LANGUAGES, channel_words
from bot.computing import Computing, Overran
from bot.core.message import Chart, IncomingMessage, Language, Reply

_STATIC: Final = Path(__file__).parent / "static"
_MOST_BODY: Final = 64 * 1024
_COOKIE: Final = "xuanka"
_TALK: Final = "x-xuanka-talk"
_NAME_BYTES: Final = 16
_DAY_S: Final = 86_400
_LONGEST_ACTION: Final = 128
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
    "manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors "
)
_HEADERS: Final = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-cache"}
_FILES: Final = {
    "chat.js": "text/javascript",
    "blocks.js": "text/javascript",
    "outbox.js": "text/javascript",
    "chat.css": "text/css",
    "docs.css": "text/css",
    "icon.svg": "image/svg+xml",
    "icon-192.png": "image/png",
    "icon-512.png": "image/png",
}
_PICTURES: Final = {"svg": "image/svg+xml", "png": "image/png"}

Answer = Callable[[IncomingMessage, bool], Awaitable[Reply | Response]]
"""The reply to a message, or what refuses it. The flag: nobody may ever come back for it, so nothing is kept."""

Json = dict[str, object]
_T = TypeVar("_T", bound=Frozen)


class Turn(Frozen):
    """What the page sends: words, or the key of a button."""

    text: str = ""
    action: str = Field(default="", max_length=_LONGEST_ACTION)
    lang: str = Field(default="", max_length=10)
    on: date | None = None
    """The day for which to answer: that on which an answer was shared. A day to come is today."""


class Drawing(Frozen):
    """A picture that the page wants."""

    chart: Chart
    theme: Literal["light", "dark"] = "light"
    lang: Language = "en"
    format: Literal["svg", "png"] = "svg"
    narrow: bool = False


class ChatPage:
    """Routes of the chat over whatever answers."""

    def __init__(
        self,
        answer: Answer,
        version: Callable[[], str],
        refuse: Callable[[Request], Awaitable[Response | None]],
        *,
        is_https: bool = False,
        origins: Sequence[str] = (),
    ) -> None:
        """Take what answers, the version of the data in use, and the origins that may embed the chat.

        `refuse`: what turns away who may not ask, or asks too much, before a picture is drawn.
        """
        self._answer, self._version, self._is_https, self._refuse = answer, version, is_https, refuse
        self._origins = tuple(origins)
        self._computing = Computing()

    def routes(self) -> list[BaseRoute]:
        """All routes of the chat."""
        return [
            Route("/", self.page, methods=["GET"]),
            Route("/chat", self.turn, methods=["POST"]),
            Route("/chart", self.chart, methods=["POST"]),
            Route("/static/{name}", self.static, methods=["GET"]),
            Route("/sw.js", self.worker, methods=["GET"]),
            Route("/manifest.webmanifest", self.manifest, methods=["GET"]),
            Route("/embed.js", self.widget, methods=["GET"]),
        ]

    # --- turns -------------------------------------------------------------------------------------------------------

    async def turn(self, request: Request) -> Response:
        """One turn: words or the key of a button in, blocks and buttons out."""
        said = await _body(request, Turn)
        if isinstance(said, Response):
            return said
        named = _named(request.headers.get(_TALK, ""))
        known = named or _named(request.cookies.get(_COOKIE, ""))
        session = known or secrets.token_hex(_NAME_BYTES)
        now = datetime.now(UTC)
        message = IncomingMessage(
            channel="web",
            event_id=_event(session, request.headers.get("idempotency-key", "")),
            chat_id=session,
            user_id=session,
            text=said.text.encode("utf-8", "replace").decode(),
            action=said.action,
            received_at=now,
            page=True,
            as_of=said.on if said.on and said.on < now.date() else None,
            lang_hint=(said.lang or request.headers.get("accept-language", ""))[:2],
        )
        # The page brings its cookie with the first question; without one nobody may ever come back.
        reply = await self._answer(message, not known)
        if isinstance(reply, Response):
            return reply
        response = JSONResponse(reply_card(reply, self._version()), headers=self._headers())
        if not named:
            self._remember(response, session)
        return response

    async def chart(self, request: Request) -> Response:
        """The picture of a chart that an answer brought."""
        refused = await self._refuse(request)
        if refused is not None:
            return refused
        said = await _body(request, Drawing)
        if isinstance(said, Response):
            return said
        how = partial(draw, said.chart, said.lang, theme=said.theme, form=said.format, narrow=said.narrow)
        try:
            picture = await self._computing.run(how)
        except ChartUnavailable as error:
            return problem(422, str(error))
        except Overran:
            return problem(503, "this takes too long to draw", {"retry-after": "1"})
        return Response(picture, media_type=_PICTURES[said.format], headers=PICTURE_HEADERS)

    def _remember(self, response: Response, session: str) -> None:
        response.set_cookie(_COOKIE, session, max_age=_DAY_S, httponly=True, samesite="strict", secure=self._is_https)

    # --- the page ----------------------------------------------------------------------------------------------------

    def _headers(self, *, embedded: bool = False) -> dict[str, str]:
        """Of everything the chat serves. Only the page that is meant for it may stand in a frame of a listed origin."""
        if embedded and self._origins:
            return {**_HEADERS, "content-security-policy": _POLICY + " ".join(self._origins)}
        return {**_HEADERS, "content-security-policy": _POLICY + "'none'", "x-frame-options": "DENY"}

    async def page(self, request: Request) -> Response:
        """The chat, and the cookie of a visitor who has none."""
        embedded = "embed" in request.query_params
        response = HTMLResponse(_page(self._version()), headers=self._headers(embedded=embedded))
        if not embedded and not _named(request.cookies.get(_COOKIE, "")):
            self._remember(response, secrets.token_hex(_NAME_BYTES))
        return response

    async def static(self, request: Request) -> Response:
        """Scripts, styles and pictures of the page."""
        name = request.path_params["name"]
        if name not in _FILES:
            return problem(404, "not here")
        return FileResponse(_STATIC / name, media_type=_FILES[name], headers=self._headers())

    async def worker(self, _request: Request) -> Response:
        """The service worker; its name for what it keeps changes with the files."""
        text = (_STATIC / "sw.js").read_text(encoding="utf-8").replace("RELEASE", _release())
        return Response(text, media_type="text/javascript", headers=self._headers())

    async def manifest(self, _request: Request) -> Response:
        """What a browser needs to install the page."""
        words = channel_words("web")
        made = {
            "id": "/",
            "name": words("name", "en"),
            "short_name": "Xuanka",
            "description": words("about", "en"),
            "start_url": "/",
            "display": "standalone",
            "background_color": "#ffffff",
            "theme_color": "#0f766e",
            "icons": [
                {"src": f"/static/icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
                for size in (192, 512)
                for purpose in ("any", "maskable")
            ],
        }
        return JSONResponse(made, media_type="application/manifest+json", headers=self._headers())

    async def widget(self, _request: Request) -> Response:
        """The script that puts the chat into a page of a listed origin."""
        headers = {**self._headers(), "cross-origin-resource-policy": "cross-origin"}
        return FileResponse(_STATIC / "embed.js", media_type="text/javascript", headers=headers)


async def _body(request: Request, kind: type[_T]) -> _T | Response:
    """What was sent, or what is wrong with it."""
    try:
        return kind.model_validate_json(await read_body(request, _MOST_BODY))
    except BodyTooLarge:
        return problem(413, f"at most {_MOST_BODY} bytes")
    except ClientDisconnect:
        return problem(400, "the request ended early")
    except ValidationError as error:
        return invalid(error)


def _named(given: str) -> str:
    """The name of a talk, when it is one that can have been made up at random; else ""."""
    return given if len(given) == 2 * _NAME_BYTES and set(given) <= set(string.hexdigits) else ""


def _event(session: str, key: str) -> str:
    """The name of a turn: the same for a repeat in the same talk, so that it gets the same reply."""
    if not key:
        return secrets.token_hex(12)
    return hashlib.sha256(json.dumps([session, key]).encode("utf-8", "replace")).hexdigest()[:32]


@lru_cache(maxsize=1)
def _release() -> str:
    """Changes whenever a file of the page does."""
    whole = hashlib.sha256()
    for path in sorted(_STATIC.iterdir()):
        whole.update(path.read_bytes())
    return whole.hexdigest()[:12]


@lru_cache(maxsize=2)
def _page(version: str) -> str:
    """The page with its words in both languages as a block of data, which no policy forbids: it is no script."""
    words = channel_words("web")
    said = {language: words.everything(language) for language in LANGUAGES}
    data = json.dumps({"words": said, "version": version, "release": _release()}, ensure_ascii=False)
    page = (_STATIC / "chat.html").read_text(encoding="utf-8")
    return page.replace("PAGE_DATA", data.replace("<", "\\u003c"))


# --- a reply as the page gets it -------------------------------------------------------------------------------------


def reply_card(reply: Reply, version: str) -> Json:
    """A reply as blocks, buttons, sources and the chart to draw.

    Args:
        reply: what is said.
        version: of the data that it was computed from.
    """
    return {
        "decision": reply.decision,
        "language": reply.language,
        "intent": reply.intent or "",
        "case": reply.case,
        "alone": reply.alone,
        "version": version,
        "markdown": reply.text,
        "html": "\n\n".join(telegram_html(reply.text)),
        "blocks": [_block(block) for block in parse(reply.text)],
        "choices": [{"label": choice.label, "key": choice.key} for choice in reply.choices],
        "suggestions": list(reply.suggestions),
        "sources": [source.model_dump(exclude={"id"}) for source in reply.sources],
        "chart": _chart(reply.chart, reply.language) if reply.chart is not None else None,
    }


def _chart(chart: Chart, language: Language) -> Json:
    """What to draw, and its figures for who cannot see it."""
    table = parse(chart_table(chart, language))
    return {
        "spec": chart.model_dump(mode="json"),
        "size": size_of(chart),
        "narrow": size_of(chart, narrow=True),
        "title": chart_words(chart.title, language),
        "table": [_block(block) for block in table],
    }


def _block(block: Block) -> Json:
    found: Json = {"kind": block.kind, "gap": block.gap}
    if block.rows:
        found["rows"] = [[[_run(run) for run in cell] for cell in row] for row in block.rows]
    else:
        found["lines"] = [[_run(run) for run in line] for line in block.lines]
        found["indents"] = list(block.indents)
    return found


def _run(run: Run) -> Json:
    """Characters of one style, members that say nothing left out."""
    styled: dict[str, object] = {"bold": run.bold, "code": run.code, "url": run.url}
    return {"text": run.text, **{name: value for name, value in styled.items() if value}}
