"""Tokenization for the lexical index, which is the same for stored text and queries, and on both databases."""

import re
import threading
import tomllib
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import snowballstemmer

from contracts.text import Span
from database.text import unified

# Words consist of letters, digits, `_` and `#`, so that technical names such as place_pin and WE# are one word.
_WORD = re.compile(r"[\w#]+", re.UNICODE)

# Invisible characters that would split a word: soft hyphen, zero-width space and joiners, byte order mark.
_UNSEEN = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")

# Words that are too common to be worth matching.
_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
STOP_WORDS = frozenset(_LISTS["stop_words"].split())

# Matches uses of a common word as the name of a command: "the at command", "at -l", "`at`".
_COMMAND_NAME = re.compile(
    r"\b(?:the|an?)\s+(?P<named>[^\W\d_]+)\s+"
    r"(?:command|program|utility|tool|option|keyword|function|directive|statement|operator|loop|clause)\b"
    r"|(?:^|\b(?:does|do|did|of|for|from|by|on|in)\s)\s*(?P<called>[^\W\d_]+)\s+--?[a-z]"
    r"|(?<!\w)[`'\"“‘](?P<quoted>[^\W\d_]+)[`'\"”’](?!\w)",
    re.IGNORECASE,
)
_NEVER_NAMES = frozenset(_LISTS["never_names"].split())


def indexed_text(text: str) -> str:
    """Return ``text`` in its indexed form: compatibility forms (ligatures) resolved, invisible characters removed."""
    return _UNSEEN.sub("", unified(text))


def plain(word: str) -> str:
    """Return ``word`` in lowercase and without diacritics, as the FTS5 tokenizer does."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    decomposed = unicodedata.normalize("NFD", folded)
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def find_forms(text: str) -> list[str]:
    """Return the words in ``text`` in order, in their original form."""
    return [match.group() for match in _WORD.finditer(indexed_text(text)) if match.group().strip("_#")]


def words_of(text: str) -> list[str]:
    """Return the words in ``text`` in order, in plain form, except words that consist only of underscores."""
    return [plain(form) for form in find_forms(text)]


class _Stemmer(threading.local):
    """One stemmer per thread, because it is not thread-safe."""

    def __init__(self) -> None:
        self.stem: Callable[[str], str] = snowballstemmer.stemmer("porter").stemWord


_STEMMER = _Stemmer()


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the Porter stem of a plain ``word``; as in FTS5, words under 3 or over 64 letters are unchanged."""
    return _STEMMER.stem(word) if word.isascii() and 3 <= len(word) <= 64 else word


def find_command_names(text: str) -> list[Span]:
    """Find the words in ``text`` that name a command, an option or a keyword: "the at command"."""
    spans = [Span(*match.span(match.lastgroup or 0)) for match in _COMMAND_NAME.finditer(text)]
    return [span for span in spans if text[span.start : span.end].casefold() not in _NEVER_NAMES]


def asked_words(query: str) -> list[str]:
    """Return the words in ``query`` to search for, in plain form, without duplicates.

    Stop words are dropped, except words in capitals among other text ("the IT department") and names of commands ("the
    at command"). If only stop words are left, they are kept.
    """
    commands = {plain(query[span.start : span.end]) for span in find_command_names(query)}
    mixed = any(character.islower() for character in query)
    every: dict[str, None] = {}
    kept: dict[str, None] = {}
    for form in find_forms(query):
        word = plain(form)
        every[word] = None
        written_as_name = mixed and len(form) > 1 and form.isupper()
        if word not in STOP_WORDS or written_as_name or word in commands:
            kept[word] = None
    return list(kept or every)
