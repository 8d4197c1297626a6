"""Reads one message: what `understand` saw, its clauses, and each mention with the part it plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from bot.core.question import Ask, Clause, Mention, Question
from bot.core.understanding import RankedIntent, SlotValue, Span, Understanding
from bot.read.asking import ASKS, TELLING, asked_text, clause_signs, together
from bot.read.asks import asks_of, in_front, joins_of, may_ask_twice, of_all
from bot.read.build import NEW_ONLY, job_of, means_of, owned_by, sides_of, slots_of
from bot.read.candidates import Candidate, candidates_of, has_condition, measured
from bot.read.chance import Chance
from bot.read.clauses import Part, split, words_of
from bot.read.denied import denied, takes_denials, without_cancel
from bot.read.features import Marks, Signs, by_part, features_of, worded
from bot.read.former import changes_of, without_former
from bot.read.heard import heard
from bot.read.played import ASIDE, SURE
from bot.read.scope import ELSEWHERE, FOREIGN, OURS, is_elsewhere, is_of_cards, scope_signs, settled
from bot.read.whose import Whose
from bot.read.wished import (
    LONG,
    MONEY,
    NO_ROLE,
    amounts_of_memory,
    insisted_on,
    settled_roles,
    size_of_each,
    wished,
    without_bare_money,
)
from bot.understand.evidence import Evidence
from bot.understand.recognise import Analysis, Understander
from bot.understand.slots.found import Reading

REASONS: Final = 4
"""Signs that are named as the evidence of a role."""
LEANING: Final = 4.0
"""By so much the bar of scope is lower where something was said before, or a card and nothing of another subject is."""
_SET_ASIDE_BY: Final = frozenset({"quoted", "past", "background", "deny", "denied"})
"""Sign words without which nothing of a message is set aside."""
_TOLD_OF: Final = {"duration": "measured", "vram_gb": "total"}
"""Slots whose value may be told of what was, or of all together, by the sign that says so."""
_RULED: Final = frozenset({"deny", "denied"})


class Read(NamedTuple):
    """One message on its way to a Question."""

    analysis: Analysis
    parts: list[Part]
    marks: Marks
    asking: list[float]
    """For each clause how likely it asks."""
    candidates: list[Candidate]
    signs: list[list[str]]
    """For each candidate the signs of its role."""


@dataclass(slots=True)
class _Cut:
    """What of a reading is the same whatever was said before: made once, although a later message is read twice."""

    reading: Reading
    parts: list[Part]
    marks: Marks
    asking: list[float]
    candidates: list[Candidate]
    signs: dict[str, list[list[str]]]
    """By the likeliest need."""
    roles: dict[str, list[tuple[str, float]]]
    asked: tuple[RankedIntent, ...] | None = None
    """The needs of what asks in it."""
    asks: tuple[Ask, ...] | None = None


class Reader:
    """Text in, `Question` out. Holds no state: the same text gives the same question."""

    def __init__(self, understander: Understander, lexicon: Mapping[str, Any], weights: Mapping[str, Any]) -> None:
        """Take the parts.

        Args:
            understander: reads words, names, numbers and needs.
            lexicon: `languages/roles.yaml`, its words evened.
            weights: `languages/reading.json`.
        """
        self.understander = understander
        self._clause_words = words_of(lexicon)
        self._joins = joins_of(lexicon)
        self._changes = changes_of(lexicon)
        self._signs = Signs(lexicon["signs"], lexicon["scope"], lexicon["acts"])
        self._whose = Whose(lexicon["whose"])
        self._scope = Chance(weights["scope"], OURS)
        self._threshold = float(weights["scope"].get("threshold", 0.0))
        self._asking = Chance(weights["asking"], ASKS)
        self._roles = Evidence(weights["roles"], tuple(weights["roles"]["intents"]))
        self._marked: tuple[Reading, Marks] | None = None
        self._last: _Cut | None = None
        """Of the last reading, and of the last one that was cut into clauses."""

    def prepare(self) -> None:
        """Make now what many texts need: for a server, and for whoever reads a corpus."""
        self.understander.prepare()
        self._signs.prepare()

    def look(self, text: str, context_intent: str = "") -> Read:
        """Everything that is seen before roles are settled."""
        return self._deepened(self._glance(text, context_intent))

    def weighed(self, read: Read, asking: Sequence[float], need: str | None = None) -> Read:
        """The same message where clauses ask as likely as is said, of another need: for who learns from that."""
        its = _likeliest(read) if need is None else need
        signs = features_of(read.analysis.reading, read.candidates, read.parts, read.marks, its, asking)
        return read._replace(asking=list(asking), signs=signs)

    def _glance(self, text: str, context_intent: str) -> Read:
        """What is seen without cutting a message into clauses."""
        analysis = self.understander.analyse(text, context_intent=context_intent or None)
        return Read(analysis, [], self._marks(analysis.reading), [], [], [])

    def _marks(self, reading: Reading) -> Marks:
        """The sign words of a reading, found once although a later message is read twice."""
        marked = self._marked  # somebody else's message may be read meanwhile
        if marked is None or marked[0] is not reading:
            self._marked = marked = (reading, self._signs.find(reading))
        return marked[1]

    def _deepened(self, read: Read) -> Read:
        """The same with clauses, candidates and the signs of their roles."""
        reading = read.analysis.reading
        cut = self._cut(reading, read.marks)
        intent = _likeliest(read)
        signs = cut.signs.get(intent)
        if signs is None:
            signs = features_of(reading, cut.candidates, cut.parts, cut.marks, intent, cut.asking)
            cut.signs[intent] = signs
        return Read(read.analysis, cut.parts, cut.marks, cut.asking, cut.candidates, signs)

    def _cut(self, reading: Reading, marks: Marks) -> _Cut:
        last = self._last
        if last is None or last.reading is not reading:
            parts = split(reading, self._clause_words)
            marks = marks._replace(by_part=by_part(marks.places, parts))
            asking = self._chances(reading, parts, marks)
            self._last = last = _Cut(reading, parts, marks, asking, candidates_of(reading), {}, {})
        return last

    def _chances(self, reading: Reading, parts: Sequence[Part], marks: Marks) -> list[float]:
        if len(parts) < 2:
            return [1.0] * len(parts)
        return list(map(self._asking.of, clause_signs(reading, parts, marks)))

    def ours(self, read: Read) -> float:
        """How likely a message is for us."""
        keys, heads = read.analysis.keys, read.marks.heads
        return (
            ELSEWHERE if is_elsewhere(keys, heads) else self._scope.of(scope_signs(read.analysis.reading, keys, heads))
        )

    def roles(self, read: Read) -> list[tuple[str, float]]:
        """The likeliest role of each candidate and its probability; `NO_ROLE` where it plays no part."""
        last, intent = self._last, _likeliest(read)
        known = last.roles if last is not None and last.signs.get(intent) is read.signs else {}
        if intent not in known:
            roles = without_bare_money(read, [self._role(signs) for signs in read.signs])
            known[intent] = denied(read, insisted_on(read, self._whose.settled(read, roles)))
        return known[intent]

    def _role(self, signs: Sequence[str]) -> tuple[str, float]:
        """The likeliest role; of one beside the point how likely it is any such, whichever it is."""
        role, chance = self._roles.best(signs)
        if role in ASIDE and chance < SURE:
            chance = sum(item.score for item in self._roles.rank(signs) if item.intent in ASIDE)
        return role, chance

    def understand(self, text: str, *, context_intent: str | None = None) -> Understanding:
        """The reading of a message without what is ruled out, quoted, past or beside the point among its wishes."""
        read = self._glance(text, context_intent or "")
        if context_intent or read.analysis.reading.ruled or _may_set_aside(read):
            read = self._deepened(read)
        return self.settle(read, alone=not context_intent)

    def follow(self, text: str, context_intent: str = "") -> Understanding:
        """The reading of a later message, with every role."""
        return self.settle(self.look(text, context_intent), alone=False)

    def settle(self, read: Read, *, alone: bool = True) -> Understanding:
        """The same for a message that was looked at. `alone`: nothing was said before it."""
        understanding, reading = read.analysis.understanding, read.analysis.reading
        tells = len(reading.tokens) >= TELLING and len(read.parts) > 1
        asks = self.asks(read)
        weighed = self._asked(read) if tells else understanding.ranking
        # of what a long message asks its background may read like a question too: there the whole decides
        weighed = in_front(weighed, asks) if alone and not len(reading.tokens) >= LONG else weighed
        leans = not alone or is_of_cards(weighed, read.analysis.keys, read.marks.heads)
        threshold = self._threshold / LEANING if leans else self._threshold
        ranking = settled(weighed, self.ours(read), threshold, in_domain=understanding.in_domain)
        if not read.parts:
            # without roles nothing but the numbers is heard of them
            said = heard(read, (), candidates_of(reading) if reading.quantities else ())
            slots = self._now(read, understanding.slots)
            return understanding._replace(slots=slots, ranking=ranking, said=said, asks=asks)
        roles = self.roles(read)
        if takes_denials(read):
            ranking = without_cancel(ranking)
        said = heard(read, settled_roles(read, roles), read.candidates)
        slots = () if _is_foreign(ranking, roles, read) else self._wished(read, roles)
        return understanding._replace(slots=slots, ranking=ranking, said=said, asks=asks)

    def _wished(self, read: Read, roles: Sequence[tuple[str, float]]) -> tuple[SlotValue, ...]:
        """What is wished; a card that comes in several sizes in the one that the message says of each card."""
        slots = self._now(read, wished(read, roles))
        name = self._sized(read, roles, {str(slot.value) for slot in slots if slot.slot == "gpu"})
        if not name:
            return slots
        return tuple(replace(one, value=name, candidates=()) if one.slot == "gpu" else one for one in slots)

    def _now(self, read: Read, slots: tuple[SlotValue, ...]) -> tuple[SlotValue, ...]:
        """The slots without a model that another one took the place of."""
        return without_former(slots, read.analysis.normalised.raw.lower(), self._changes)

    def _sized(self, read: Read, roles: Sequence[tuple[str, float]], cards: Set[str]) -> str:
        """The only card with the memory that each has, "" where that is not sure or another size is spoken of."""
        size = size_of_each(read, roles)
        if size is None or len(cards) != 1:
            return ""
        card = next(iter(cards))
        names = {self.understander.sized(card, amount) for amount in amounts_of_memory(read)} - {""}
        return names.pop() if names == {self.understander.sized(card, size)} else ""

    def asks(self, read: Read) -> tuple[Ask, ...]:
        """The asking parts of a message that was looked at, where there are several; () for one question."""
        reading = read.analysis.reading
        if not may_ask_twice(reading, read.marks, self._joins):
            return ()
        cut = self._cut(reading, read.marks)
        if cut.asks is None:
            read = Read(read.analysis, cut.parts, cut.marks, cut.asking, [], [])
            cut.asks = asks_of(read, self._joins, self.understander.weigh)
        return cut.asks

    def _asked(self, read: Read) -> tuple[RankedIntent, ...]:
        """The needs of a message that tells much, what asks in it weighed beside the whole."""
        normalised, cut = read.analysis.normalised, self._cut(read.analysis.reading, read.marks)
        if cut.asked is None:
            spans = [normalised.raw_span(part.start, part.end) for part in cut.parts]
            cut.asked = self.understander.weigh(asked_text(normalised.raw, spans, cut.asking))
        return together(read.analysis.understanding.ranking, cut.asked)

    def read(self, text: str, expecting: str | None = None, *, explain: bool = False) -> Question:
        """What a message asks.

        Args:
            text: the message.
            expecting: the slot that the bot asked for, if any.
            explain: also say why each mention has its role, which takes time.
        """
        return self.question(self.look(text), explain=explain)

    def question(self, read: Read, *, explain: bool = False) -> Question:
        """The same for a message that was looked at."""
        roles = self.roles(read)
        understanding = read.analysis.understanding
        mentions = owned_by(_mentions(read, roles, self._roles, explain=explain))
        slots, bounds = slots_of(self._wished(read, roles))
        return Question(
            language=understanding.language,
            asks=self.asks(read) or of_all(read, understanding.ranking),
            sides=sides_of(mentions),
            job=job_of(slots, mentions),
            means=means_of(slots, mentions, bounds),
            mentions=mentions,
            ours=self.ours(read),
            clauses=tuple(_clause(read, number) for number in range(len(read.parts))),
        )


def _likeliest(read: Read) -> str:
    """The likeliest need of a message, "" where there is none."""
    ranking = read.analysis.understanding.ranking
    return ranking[0].intent if ranking else ""


def _clause(read: Read, number: int) -> Clause:
    part = read.parts[number]
    start, end = read.analysis.normalised.raw_span(part.start, part.end)
    return Clause(Span(start, end), read.asking[number], tuple(sorted(read.marks.by_part[number])), part.kind)


def _is_foreign(ranking: Sequence[RankedIntent], roles: Sequence[tuple[str, float]], read: Read) -> bool:
    """Whether a longer message is of another subject, so that what it names fills nothing but a card in hand.

    Cards that are counted are in hand.
    """
    if not ranking or ranking[0].intent != FOREIGN or len(read.analysis.reading.tokens) < LONG:
        return False
    parts = zip(read.candidates, roles, strict=True)
    return not any(
        (one.kind, role) == ("gpu", "own") or (one.base, role) == ("n:card", "count") for one, (role, _) in parts
    )


def _may_set_aside(read: Read) -> bool:
    """Whether a value of a message may be no wish.

    In a short line without money, where no word speaks of others, of the past or against something, every value is one.
    """
    reading = read.analysis.reading
    if NEW_ONLY in reading.concepts or _may_be_sized(reading):
        return True
    if not reading.values:
        return _rules_out(read.marks) and has_condition(reading)
    if len(reading.tokens) >= LONG:
        return True
    signs = {name for _, _, name in read.marks.places}
    slots = {value.slot for value in reading.values}
    told = {_TOLD_OF[slot] for slot in slots & _TOLD_OF.keys()}
    return not signs.isdisjoint(told) or not signs.isdisjoint(_SET_ASIDE_BY) or not slots.isdisjoint(MONEY)


def _rules_out(marks: Marks) -> bool:
    """Whether a word of denial stands in a message."""
    return any(name in _RULED for _, _, name in marks.places)


def _may_be_sized(reading: Reading) -> bool:
    """Whether a card stands in a message that comes in several sizes, and an amount of memory."""
    return any(value.slot == "vram_gb" for value in reading.values) and any(
        value.slot == "gpu" and value.candidates for value in reading.values
    )


def _mentions(
    read: Read, roles: Sequence[tuple[str, float]], weights: Evidence, *, explain: bool
) -> tuple[Mention, ...]:
    found: list[Mention] = []
    normalised = read.analysis.normalised
    for candidate, signs, (role, _) in zip(read.candidates, read.signs, roles, strict=True):
        if role == NO_ROLE:
            continue
        start, end = normalised.raw_span(candidate.start, candidate.end)
        value, unit = measured(candidate)
        found.append(
            Mention(
                span=Span(start, end),
                text=normalised.raw[start:end],
                kind=candidate.kind,
                value=value,
                unit=unit,
                role=role,
                id=f"m{len(found)}",
                evidence=_why(weights, signs, role) if explain else (),
            )
        )
    return tuple(found)


def _why(weights: Evidence, signs: Sequence[str], role: str) -> tuple[str, ...]:
    """The signs that spoke for a role, strongest first, each with its weight over that for all roles on average."""
    number = weights.names.index(role)
    found: list[tuple[float, str]] = []
    for sign in signs:
        row = weights.weights(sign)
        if row is not None:
            found.append((row[number] - sum(row) / len(row), sign))
    found.sort(key=lambda pair: (-pair[0], pair[1]))
    return tuple(f"{worded(sign)} {weight:+.2f}" for weight, sign in found[:REASONS] if weight > 0)
