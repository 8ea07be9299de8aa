"""Dimensions: which units answer a question about a voltage, a time, a size."""

import re
import tomllib
from pathlib import Path

from tools.language import Quantity, fold

_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_UNITS: dict[str, frozenset[str]] = {
    dimension: frozenset(units.split()) for dimension, units in _LISTS["units"].items()
}
_WORDS: dict[str, re.Pattern[str]] = {
    dimension: re.compile(rf"\b(?:{pattern})\b") for dimension, pattern in _LISTS["words"].items()
}
_UNIT_NAMES: dict[str, str] = _LISTS["unit_names"]
_PREFIX = re.compile(r"^(?:tera|giga|mega|kilo|milli|micro|nano|pico)(?=[a-z]{3})")
_SPELT_OUT = re.compile(
    r"\b(?:\d[\d.,]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|sixty|hundred|thousand)"
    r"[\s-]+(?P<unit>[a-z]{3,12})\b",
    re.IGNORECASE,
)
_MONEY = re.compile(r"[$€£¥]\s?\d|\b\d[\d.,]*\s?(?:USD|EUR|GBP|dollars?|euros?|cents?)\b", re.IGNORECASE)
_MONEY_WORDS = re.compile(r"\b(?:prices?|costs?|fees?|charges?|salary|budget|expensive)\b", re.IGNORECASE)


def dimension_of_words(question: str, asked: str) -> str:
    """Name the dimension that a question asks for, "" where its words name none.

    ``asked`` is the noun phrase asked for: only it and "how …" count, so that a voltage mentioned in passing does not.
    """
    words = " ".join([fold(asked), *re.findall(r"\bhow \w+", fold(question))])
    for dimension, pattern in _WORDS.items():
        if pattern.search(words):
            return dimension
    about = fold(question) if "how much" in words else words
    return "money" if _MONEY_WORDS.search(about) else ""


def dimension_of_unit_name(name: str) -> str:
    """Name the dimension of a unit spelt out, with or without its prefix ("milliseconds"), "" where it is none."""
    return _UNIT_NAMES.get(_PREFIX.sub("", name.casefold()).rstrip("s"), "")


def has_dimension(quantity: Quantity, dimension: str) -> bool:
    """Say whether a quantity is one of ``dimension``."""
    return quantity.unit in _UNITS.get(dimension, frozenset())


def names_dimension(text: str, dimension: str) -> bool:
    """Say whether a text names a number with a spelt-out unit of ``dimension`` ("30 seconds", "one year")."""
    return any(dimension_of_unit_name(match.group("unit")) == dimension for match in _SPELT_OUT.finditer(text))


def names_money(text: str) -> bool:
    """Say whether a text names a sum of money."""
    return bool(_MONEY.search(text))
