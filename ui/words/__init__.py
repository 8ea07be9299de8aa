"""All texts of the pages in each language: one file per language, with the same names.

A translation is another file like ``en.toml`` in this folder.
"""

import re
import tomllib
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError

_UNITS = ("B", "KB", "MB", "GB")
_FOLDER = Path(__file__).parent
DEFAULT = "en"
# Languages, each by its native name.
LANGUAGES: Mapping[str, str] = {"en": "English", "de": "Deutsch"}


class Words:
    """The texts of the pages in one language; called with a name as in the files: ``words("nav.documents")``.

    Placeholders are in braces: ``words("page.number", page=3)``. ``count`` chooses between names that end with ``.one``
    and ``.many``: ``words.count("steps.done", 3)``.

    ``messages`` are templates of the services' English messages with their translations.
    """

    def __init__(self, language: str, texts: Mapping[str, str], messages: Mapping[str, str]) -> None:
        self.language = language
        self.messages = messages
        self._texts = texts
        self._patterns = [(_pattern_of(english), own) for english, own in messages.items()]

    def __call__(self, name: str, /, **values: object) -> str:
        """Return the text ``name``. Raises ``KeyError`` if there is no such name, or a value is missing."""
        text = self._texts[name]
        return text.format(**values) if values else text

    def count(self, name: str, count: int, /, **values: object) -> str:
        """Return the text ``name`` for this count."""
        return self(f"{name}.{'one' if count == 1 else 'many'}", count=self.number(count), **values)

    def named(self, group: str, name: str) -> str:
        """Return the text of ``name`` in ``group``, or the name with spaces instead of underscores if it is unknown."""
        return self._texts.get(f"{group}.{name}") or name.replace("_", " ").capitalize()

    def message(self, text: str) -> str:
        """Translate a service's message; without a translation it stays as it is."""
        for pattern, own in self._patterns:
            if match := pattern.fullmatch(text):
                return own.format(**{name: self.message(value) for name, value in match.groupdict().items()})
        return text

    def group(self, group: str) -> dict[str, str]:
        """Return all texts of ``group``, by name."""
        start = f"{group}."
        return {name.removeprefix(start): text for name, text in self._texts.items() if name.startswith(start)}

    def number(self, value: float, digits: int = 0) -> str:
        """Write a number in the language's format: 1,234.5 or 1.234,5."""
        written = f"{value:,.{digits}f}"
        swapped = str.maketrans({",": self._texts["format.thousands"], ".": self._texts["format.decimal"]})
        return written.translate(swapped)

    def percent(self, share: float) -> str:
        """Write a share in [0, 1] as a percentage."""
        return self("format.percent", value=self.number(100 * share))

    def seconds(self, milliseconds: float) -> str:
        """Write a duration in a human-readable unit: 12 ms, 1.4 s."""
        if milliseconds < 1_000:
            return self("format.milliseconds", value=self.number(milliseconds))
        return self("format.seconds", value=self.number(milliseconds / 1_000, 1))

    def time_left(self, seconds: float) -> str:
        if seconds < 90:
            return self("format.left_s", count=self.number(max(1, seconds)))
        return self("format.left_min", count=self.number(seconds / 60))

    def size(self, count: int) -> str:
        """Write a number of bytes in a human-readable unit: 12 KB, 3.4 MB."""
        value, unit = float(count), 0
        while value >= 1_000 and unit < len(_UNITS) - 1:
            value, unit = value / 1_000, unit + 1
        return f"{self.number(value, 1 if unit > 1 and value < 10 else 0)} {_UNITS[unit]}"

    def moment(self, moment: datetime | str) -> str:
        """Write a moment as a date and time in UTC."""
        at = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
        return at.strftime(self._texts["format.moment"])

    def day(self, moment: datetime | str) -> str:
        at = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
        return at.strftime(self._texts["format.day"])


@lru_cache(maxsize=16)
def words_in(language: str) -> Words:
    """Return the texts of a language, or of English if it is unknown.

    Raises:
        ConfigurationError: its file has a value that is not text.
    """
    known = language if language in LANGUAGES else DEFAULT
    path, messages = _FOLDER / f"{known}.toml", _FOLDER / "messages" / f"{known}.toml"
    texts = dict(_flat(tomllib.loads(path.read_text(encoding="utf-8")), "", path))
    return Words(known, texts, tomllib.loads(messages.read_text(encoding="utf-8")) if messages.exists() else {})


def language_for(chosen: str, accepted: str) -> str:
    """Return the language to use: ``chosen`` if it exists, or else the first known one of an Accept-Language header."""
    if chosen in LANGUAGES:
        return chosen
    # Browsers name the preferred language first.
    tags = (part.partition(";")[0].strip().partition("-")[0].lower() for part in accepted.split(","))
    return next((tag for tag in tags if tag in LANGUAGES), DEFAULT)


def _pattern_of(template: str) -> re.Pattern[str]:
    """Return the pattern of the texts that ``template`` produces, with each value as a named group."""
    pieces = re.split(r"\{(\w+)\}", template)
    named = [f"(?P<{each}>.*?)" if place % 2 else re.escape(each) for place, each in enumerate(pieces)]
    return re.compile("".join(named), re.DOTALL)


def _flat(table: Mapping[str, Any], before: str, path: Path) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, value in table.items():
        if isinstance(value, Mapping):
            found += _flat(value, f"{before}{name}.", path)
        elif isinstance(value, str):
            found.append((before + name, value))
        else:
            raise ConfigurationError(f"{path.name}: {before}{name} must be a string, not {value!r}")
    return found
