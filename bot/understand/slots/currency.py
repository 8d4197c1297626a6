"""Which currency an amount is in, by its unit or by the sign or name before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.understand.slots.found import Reading

_CODES = ("cny", "usd", "eur", "gbp", "hkd", "twd", "jpy", "inr", "rub", "pln", "krw", "sgd", "chf", "cad", "aud",
          "nzd", "thb", "vnd", "idr", "myr", "php", "brl", "mxn", "ngn", "zar", "sek", "nok", "dkk", "czk", "huf",
          "ron", "uah", "try", "aed", "sar", "ils", "pkr", "bdt")  # fmt: skip
CURRENCY = {code: code.upper() for code in _CODES}
CENTS = {"eur_cent": "EUR", "usd_cent": "USD", "gbp_cent": "GBP"}
"""Hundredths whose currency is said with them."""
ALONE = frozenset({"cny", "usd", "eur", "gbp", "hkd", "twd", "rub", "pln", "krw", "chf"})
"""Currencies whose name alone, without a number, is no other word."""
SIGNS = {
    "$": "USD", "\uffe5": "CNY", "\u20ac": "EUR", "\u00a3": "GBP", "\u20b9": "INR", "\u20a9": "KRW",
    "\u20bd": "RUB", "\u0e3f": "THB", "\u20ab": "VND", "\u20b1": "PHP", "\u20a6": "NGN", "\u20b4": "UAH",
    "\u20ba": "TRY", "\u20aa": "ILS",
}  # fmt: skip
_DOLLARS = {"hk": "HKD", "nt": "TWD", "ca": "CAD", "c": "CAD", "au": "AUD", "a": "AUD", "sg": "SGD", "s": "SGD",
            "r": "BRL", "nz": "NZD"}  # fmt: skip
"""Letters before a dollar sign that make it another dollar."""
_WORDS_TOO = frozenset({"try", "ron", "sar", "php"})
"""Codes that are words of their own."""
_NAMED_BEFORE = {code: name for code, name in CURRENCY.items() if code not in _WORDS_TOO} | {
    "rmb": "CNY",
    "rs": "INR",
}
INDIAN = frozenset({"lakh", "lakhs", "lac", "crore"})
"""Magnitudes by which rupees are counted."""


def stated_before(before: str) -> str:
    """The currency whose sign or name ends what stands before a number, else ""."""
    last = before[-1]
    if last == "$":
        return _DOLLARS.get(_last_word(before[:-1]), "USD")
    return SIGNS.get(last) or _NAMED_BEFORE.get(_last_word(before.removesuffix(".")), "")


def message_currency(reading: Reading) -> str:
    """The currency of an amount that names none: the only one that the message names, else that of its language."""
    if reading.language == "zh":
        return "CNY"
    named = {code for sign, code in SIGNS.items() if sign in reading.text}
    named |= {CURRENCY.get(one.unit) or CENTS.get(one.unit, "") for one in reading.quantities}
    named -= {""}
    return named.pop() if len(named) == 1 else "USD"


def _last_word(text: str) -> str:
    """The Latin letters that a text ends with."""
    at = len(text)
    while at and "a" <= text[at - 1] <= "z":
        at -= 1
    return text[at:]
