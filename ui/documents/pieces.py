"""Pieces that several parts of the page are made of."""

from ui.html import Safe, element
from ui.words import Words

_UNITS = ("B", "KB", "MB", "GB")


def size(count: int, words: Words) -> str:
    """Write a number of bytes for people: 12 KB, 3.4 MB."""
    value, unit = float(count), 0
    while value >= 1_000 and unit < len(_UNITS) - 1:
        value, unit = value / 1_000, unit + 1
    return f"{words.number(value, 1 if unit > 1 and value < 10 else 0)} {_UNITS[unit]}"


def badge(standing: str, words: Words) -> Safe:
    """Render the state of a document."""
    name = f"documents.is.{standing}"
    return element("span", words(name) if words.knows(name) else standing, class_=f"state {_kind(standing)}")


def facts(*pairs: tuple[str, str | None]) -> Safe:
    """Render names and values; what is None is left out."""
    shown = [element("div", element("dt", name), element("dd", value)) for name, value in pairs if value is not None]
    return element("dl", *shown, class_="facts")


def section(title: str, *children: str | None, key: str, class_: str = "card") -> Safe:
    """Render a part of the page under a heading."""
    return element("section", element("h2", title), *children, class_=class_, data_key=key)


def _kind(standing: str) -> str:
    return standing if standing in ("ready", "poor", "reading", "failed", "duplicate", "removed", "stale") else "other"
