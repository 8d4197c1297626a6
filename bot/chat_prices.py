"""Prices of a group over a store: told, confirmed, used in that chat's answers, forgotten.

They are kept by chat and never mixed with sourced prices: an answer that uses one says that it was quoted here and
when. A price far from what is on record is asked about and needs a second member. Reporters are kept as hashes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import product
from statistics import median
from typing import TYPE_CHECKING, Final

from advisor.errors import NoRate
from advisor.models import Money
from advisor.prices import price_of
from bot.alone import alone_with
from bot.computing import Computing
from bot.core.message import Choice, IncomingMessage, Reply, choice_of
from bot.core.ports import Responder, Store
from bot.core.quotes import FRESH_DAYS, KINDS, LEAST_CHATS, LEAST_TELLERS, ChatQuote, Report, Reports
from bot.core.understanding import Understanding
from bot.reading_quotes import Told, argument_of, is_confirming, may_tell, told_in

if TYPE_CHECKING:
    from advisor.catalog import Catalog

_TTL_S: Final = (FRESH_DAYS + 1) * 86_400.0
_MOST_CHATS: Final = 50
_MOST_SHARED: Final = 100
_ODD: Final = Decimal("1.5")
"""A price so many times outside of the range on record is asked about."""
CONFIRM: Final = "do:quote"
_CHAT: Final = "quotes:"
_POSSIBLE: Final = ((Decimal(3), Decimal(400_000)), (Decimal("0.005"), Decimal(500)))
"""Dollars between which cards are sold, and rented by the hour."""
_TAG: Final = 8
"""Letters of the sign by which a button knows its report."""
_CURRENCIES: Final = ("CNY", "USD")
_PAGE: Final = "quotes"


@dataclass(frozen=True, slots=True)
class Knowing:
    """What is needed to read a message and to compare a price: replaced as a whole when data is."""

    read: Callable[[str], Understanding]
    catalog: Catalog


class ChatPrices:
    """Port `Quotes`."""

    def __init__(
        self,
        store: Store,
        responder: Callable[[], Responder],
        knowing: Callable[[], Knowing],
        name_of: Callable[[str], str],
        *,
        clock: Callable[[], float],
        shared: bool = False,
    ) -> None:
        """Wire it.

        Args:
            store: where reports are kept.
            responder: words the pages; asked each time, because a reload replaces it.
            knowing: reads messages and knows cards; asked each time.
            name_of: hash of a person or chat.
            clock: seconds since the epoch.
            shared: whether the middle of at least three chats is shown to other chats.
        """
        self._store, self._responder, self._knowing = store, responder, knowing
        self._name_of, self._clock, self._shared = name_of, clock, shared
        self._computing = Computing()

    # --- telling and confirming ---

    async def attend(self, message: IncomingMessage) -> Reply | None:
        """The reply to `/price ...` or to the button that confirms; None when the message is neither.

        A stranger's word is not kept: he might be as many members of as many chats as he likes.
        """
        confirms = message.action.split("#", 1)[0] == CONFIRM
        argument = None if message.action else argument_of(message.text)
        if not message.chat_id or not (confirms or argument is not None):
            return None
        if not message.verified:
            return self._say(message, "stranger")
        if confirms or is_confirming(argument or ""):
            return await self._confirm(message)
        knowing = self._knowing()
        told = await self._told(knowing, argument, sentence=False) if argument else None
        if told is None:
            return self._say(message, "usage")
        return await self._tell(message, told)

    async def offer(self, message: IncomingMessage, reply: Reply) -> Reply:
        """The reply with a line and a button, where the message was a plain report of a price."""
        plain = message.verified and message.chat_id and not message.action and reply.decision == "answer"
        if not plain or not may_tell(message.text):
            return reply
        told = await self._told(self._knowing(), message.text, sentence=True)
        if told is None:
            return reply
        asked = await self._tell(message, told)
        return reply.model_copy(
            update={"text": f"{reply.text}\n\n{asked.text}", "choices": (*asked.choices, *reply.choices)}
        )

    async def _told(self, knowing: Knowing, text: str, *, sentence: bool) -> Told | None:
        """The price in a text, read beside the event loop and with a deadline, as every text is."""
        return await self._computing.run(lambda: told_in(knowing.read(text), knowing.catalog, sentence=sentence))

    async def _tell(self, message: IncomingMessage, told: Told) -> Reply:
        told = self._meant(told)
        if not self._is_possible(told):
            return self._say(message, "absurd", **_shown(told))
        key = self._key(message)
        async with alone_with(self._store, key):
            held = (await self._load(key)).young(self._today())
            span = self._on_record(told) or _span_here(held, told)
            odd = _is_odd(told, span)
            report = Report(
                gpu=told.gpu,
                kind=told.kind,
                amount=told.amount,
                currency=told.currency,
                day=self._today(),
                by=self._name_of(message.owner_key),
                odd=odd,
            )
            await self._keep(key, held.put(report))
        await self._remember(message)
        values = _shown(told)
        record = [Money(amount=amount, currency=told.currency) for amount in span] if span else []
        block = "odd" if odd else "told"
        other = odd and message.chat_type == "group"
        values |= {"record": record, "other": other, "day": self._today()}
        return self._with_button(message, self._say(message, block, **values), report)

    def _meant(self, told: Told) -> Told:
        """The same in the currency in which it is a price of today, where none was said and it is none in the first."""
        if told.currency_said or not _is_odd(told, self._on_record(told)):
            return told
        others = (replace(told, currency=one) for one in _CURRENCIES if one != told.currency)
        fitting = ((one, self._on_record(one)) for one in others)
        return next((one for one, span in fitting if span is not None and not _is_odd(one, span)), told)

    def _is_possible(self, told: Told) -> bool:
        """Whether any card costs so much at all, to buy or for an hour."""
        least, most = _POSSIBLE[told.kind == "rent"]
        try:
            asked = self._knowing().catalog.convert(
                Money(amount=told.amount, currency=told.currency), "USD", self._today()
            )
        except NoRate:
            return False
        return least <= asked.amount <= most

    async def _confirm(self, message: IncomingMessage) -> Reply:
        """Confirm the report of the button, else the newest open one: one's own first; an odd one only another's."""
        key = self._key(message)
        async with alone_with(self._store, key):
            held = (await self._load(key)).young(self._today())
            tag = message.action.partition("#")[2]
            waiting = [one for one in held.held if not one.confirmed and tag in ("", _tag(one))]
            report = self._ready(message, waiting)
            if report is None:
                spoken = _spoken(message, (waiting or held.held)[-1].currency) if held.held else message
                return self._say(spoken, "needs_other" if waiting else "nothing")
            held = held.put(report)
            await self._keep(key, held)
        if self._shared and message.chat_type == "group":
            await self._share(message.chat_key, held, report.about)
        return self._kept(message, held, report)

    def _ready(self, message: IncomingMessage, waiting: list[Report]) -> Report | None:
        """The open report that this person confirms, confirmed; None when there is none, or he may not.

        It is the person's own word, if one waits, and never what somebody else slipped in behind it.
        """
        by, private = self._name_of(message.owner_key), message.chat_type == "private"
        own = [one for one in waiting if one.by == by]
        ready = [one for one in own or waiting if one.by != by or not one.odd or private]
        return ready[-1].model_copy(update={"confirmed": True}) if ready else None

    def _kept(self, message: IncomingMessage, held: Reports, report: Report) -> Reply:
        """What is said of a price that was confirmed."""
        gpu = self._knowing().catalog.gpus.get(report.gpu)
        (quote,) = [one for one in held.quotes() if (one.gpu, one.kind, one.currency) == report.about]
        return self._say(
            _spoken(message, report.currency),
            "kept",
            kind=report.kind,
            people=quote.people,
            least=0 if quote.decides or message.chat_type == "private" else LEAST_TELLERS,
            card=gpu.name if gpu else report.gpu,
            price=Money(amount=quote.amount, currency=quote.currency),
        )

    def _say(self, message: IncomingMessage, block: str, **values: object) -> Reply:
        return self._responder().say(message, _PAGE, block, **values)

    def _with_button(self, message: IncomingMessage, reply: Reply, report: Report) -> Reply:
        """The reply with what confirms a report, for everybody of the chat."""
        label = self._say(message, "label").text.strip()
        button: Choice = choice_of(label=label, key=f"{CONFIRM}#{_tag(report)}")
        return reply.model_copy(update={"choices": (button,), "shared": True})

    def _on_record(self, told: Told) -> tuple[Decimal, Decimal] | None:
        """The range of sourced prices of the same market and kind, as they stand today."""
        catalog = self._knowing().catalog
        try:
            listed = price_of(catalog, (catalog.gpus[told.gpu],), on=self._today(), currency=told.currency)
        except NoRate:
            return None
        shelf = {"used": listed.used, "new": listed.new, "rent": listed.rent}[told.kind]
        found = [one for one in shelf if not one.converted] or list(shelf)
        return (min(one.low.amount for one in found), max(one.high.amount for one in found)) if found else None

    # --- use in answers ---

    def keys(self, message: IncomingMessage) -> tuple[str, ...]:
        """See the port."""
        return (self._key(message),) if message.chat_id else ()

    async def attached(self, message: IncomingMessage, kept: Mapping[str, object]) -> IncomingMessage:
        """The message with what its chat quotes, for the answer to use."""
        if not message.chat_id:
            return message
        held = kept.get(self._key(message))
        own = Reports.model_validate(held).young(self._today()).quotes() if held else ()
        if message.chat_type == "private":  # one's own word, confirmed twice, is for oneself to count on
            own = tuple(one.model_copy(update={"odd": False}) for one in own)
        quotes = own or ()
        if self._shared:
            quotes = (*own, *await self._elsewhere(message, own))
        return message.model_copy(update={"quotes": quotes}) if quotes else message

    async def _elsewhere(self, message: IncomingMessage, own: tuple[ChatQuote, ...]) -> list[ChatQuote]:
        """The middle of at least three other chats, for cards that the message names and this chat has no price of."""
        knowing, here = self._knowing(), self._name_of(message.chat_key)
        read = await self._computing.run(lambda: knowing.read(message.text))
        cards = [knowing.catalog.find_gpu(str(name)) for name in read.slot_values("gpu")]
        known = {(one.gpu, one.kind) for one in own}
        wanted = product((gpu.id for gpu in cards if gpu is not None), KINDS, _CURRENCIES)
        found = [await self._middle(*about, here) for about in wanted if about[:2] not in known]
        return [quote for quote in found if quote is not None]

    async def _middle(self, gpu: str, kind: str, currency: str, here: str) -> ChatQuote | None:
        """What enough other chats agree on."""
        kept = await self._store.get(_shared_key(gpu, kind, currency)) or []
        rows = [row for row in kept if row["chat"] != here and self._is_young(row["day"])]
        if len(rows) < LEAST_CHATS:
            return None
        return ChatQuote(
            gpu=gpu,
            kind=kind,
            amount=median(Decimal(row["amount"]) for row in rows),
            currency=currency,
            day=max(date.fromisoformat(row["day"]) for row in rows),
            people=len(rows),
            elsewhere=True,
        )

    async def _share(self, chat_key: str, held: Reports, about: tuple[str, str, str]) -> None:
        """Put a chat's middle where other chats may find it, or take it away: without text, people or the chat's id."""
        quote = next((one for one in held.quotes() if (one.gpu, one.kind, one.currency) == about), None)
        key, here = _shared_key(*about), self._name_of(chat_key)
        async with alone_with(self._store, key):
            held_rows = await self._store.get(key) or []
            rows = [row for row in held_rows if row["chat"] != here and self._is_young(row["day"])]
            if quote is not None:
                rows.append({"chat": here, "amount": str(quote.amount), "day": quote.day.isoformat()})
            await self._store.put(key, rows[-_MOST_SHARED:], _TTL_S)

    # --- forgetting ---

    async def forget(self, message: IncomingMessage) -> int:
        """Take everything that the message's user told out of all chats; gives from how many."""
        by, cleared = self._name_of(message.owner_key), 0
        where = self._whose(message)
        for key in await self._store.get(where) or []:
            async with alone_with(self._store, key):
                held = await self._load(key)
                left = held.without(by)
                cleared += left != held
                await self._keep(key, left.young(self._today()))
            for about in {one.about for one in held.held if one.by == by and one.confirmed} if self._shared else ():
                await self._share(key.removeprefix(_CHAT), left, about)
        await self._store.delete(where)
        return cleared

    # --- the store ---

    @staticmethod
    def _key(message: IncomingMessage) -> str:
        return f"{_CHAT}{message.chat_key}"

    @staticmethod
    def _whose(message: IncomingMessage) -> str:
        return f"quotes_of:{message.owner_key}"

    async def _load(self, key: str) -> Reports:
        kept = await self._store.get(key)
        return Reports.model_validate(kept) if kept else Reports()

    async def _keep(self, key: str, held: Reports) -> None:
        if held.held:
            await self._store.put(key, held.model_dump(mode="json"), _TTL_S)
        else:
            await self._store.delete(key)

    async def _remember(self, message: IncomingMessage) -> None:
        """Keep in which chats a user told prices, so that they can be cleared of him."""
        where, key = self._whose(message), self._key(message)
        keys = [one for one in await self._store.get(where) or [] if one != key]
        # others keep the list of a chat alive as long again: until then his part in it has to be found
        await self._store.put(where, [*keys[-_MOST_CHATS:], key], 2 * _TTL_S, owner=message.owner_key)

    def _today(self) -> date:
        return datetime.fromtimestamp(self._clock(), UTC).date()

    def _is_young(self, day: str) -> bool:
        return (self._today() - date.fromisoformat(day)).days <= FRESH_DAYS


def _is_odd(told: Told, span: tuple[Decimal, Decimal] | None) -> bool:
    """Whether a price lies far from what is on record."""
    return span is not None and not span[0] / _ODD <= told.amount <= span[1] * _ODD


def _shown(told: Told) -> dict[str, object]:
    """A price as a page shows it."""
    return {"card": told.name, "kind": told.kind, "price": Money(amount=told.amount, currency=told.currency)}


def _tag(report: Report) -> str:
    """The sign of a report on its button: another amount, card or member makes another."""
    said = "|".join((*report.about, str(report.amount), report.by))
    return hashlib.sha256(said.encode()).hexdigest()[:_TAG]


def _shared_key(gpu: str, kind: str, currency: str) -> str:
    return f"quotes_all:{gpu}:{kind}:{currency}"


def _spoken(message: IncomingMessage, currency: str) -> IncomingMessage:
    """A confirmation has no words to tell a language by: then that of the price's market."""
    if message.language or message.lang_hint or currency != "CNY":
        return message
    return message.model_copy(update={"language": "zh"})


def _span_here(held: Reports, told: Told) -> tuple[Decimal, Decimal] | None:
    """What the chat's confirmed quotes say of the same thing, where no source does."""
    same = [one for one in held.quotes() if (one.gpu, one.kind, one.currency) == (told.gpu, told.kind, told.currency)]
    return (same[0].amount, same[0].amount) if same else None
