"""Questions that a section answers, made by templates from its definitions, tables and headings."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from tools.language import fold
from tools.reading import Statement
from tools.reading.concepts import is_code, word_weight
from tools.tables.records import is_generic_header

_MOST = 6
_FEWEST = 3
_EXPANSION = re.compile(r"\b(?P<long>[A-Z]?[\w-]+(?:\s+[\w-]+){1,6})\s+\((?P<short>[A-Z][\w/&-]{1,9})\)")
_DEFINED = re.compile(
    r"^(?:(?:An?|The)\s+)?(?P<term>[\w#*/-]+(?:\s+[\w#*/-]+){0,3}?)\s+(?P<verb>is|are)\s+(?:an?|the)\s+\w+",
    re.IGNORECASE,
)
_PRONOUNS = frozenset(
    """
        it this that these those there he she they which what such here one
    """.split()  # noqa: SIM905
)
# A header that reads on from its row ("Stands for", "Where it is used") makes no "What is the … of".
_CLAUSE_HEADER = re.compile(r"\b(?:for|is|used|by|in)$|^(?:stands|where|how|who|when|what)\b", re.IGNORECASE)
_HOW_TO = re.compile(r"^(?:how to|to)\s+(?P<rest>.+)$", re.IGNORECASE)


def section_questions(statements: Sequence[Statement], title: str = "") -> tuple[str, ...]:
    """Make three to six questions that the statements answer; fewer where there is nothing to ask about.

    Abbreviations and definitions come first, then tables and headings; the section's rarest words fill up.
    """
    found: dict[str, str] = {}
    sources = chain(
        islice(_abbreviations(statements), 2),
        islice(_definitions(statements), 2),
        islice(_cells(statements), 2),
        islice(_headings(statements), 2),
    )
    for question in sources:
        found.setdefault(fold(question), question)
    if len(found) < _FEWEST:
        for question in _topics(statements, title):
            if len(found) >= _FEWEST:
                break
            found.setdefault(fold(question), question)
    return tuple(found.values())[:_MOST]


def _abbreviations(statements: Sequence[Statement]) -> Iterator[str]:
    for each in statements:
        for match in _EXPANSION.finditer(each.text):
            short = match.group("short")
            if sum(letter.isupper() for letter in short) >= 2 and _abbreviates(short, match.group("long")):
                yield f"What does {short} stand for?"


def _abbreviates(short: str, long: str) -> bool:
    """Say whether the capitals of ``short`` begin words of ``long`` in order, the last words of it at least."""
    capitals = [letter.casefold() for letter in short if letter.isupper()]
    initials = [word[0].casefold() for word in re.split(r"[\s-]+", long) if word]
    remaining = iter(initials)
    return all(letter in remaining for letter in capitals)


def _definitions(statements: Sequence[Statement]) -> Iterator[str]:
    for each in statements:
        match = _DEFINED.match(each.text) if each.kind in {"sentence", "item"} else None
        if match is None:
            continue
        term = match.group("term")
        words = term.split()
        telling = any(is_code(word) or word_weight(word) >= 0.45 for word in words)
        if fold(words[0]) not in _PRONOUNS and telling:
            yield f"What {match.group('verb').lower()} {_lowered(term, each.text)}?"


def _cells(statements: Sequence[Statement]) -> Iterator[str]:
    tables: set[int] = set()
    for each in statements:
        record = each.record
        if record is None or each.block in tables or not record.key_text:
            continue
        for column, name in enumerate(record.header):
            if column == record.key or not name or column >= len(record.cells) or not record.cells[column]:
                continue
            tables.add(each.block)
            plain = re.sub(r"\s*[(\[].*?[)\]]", "", name).strip() or name
            key = record.key_text.rstrip(" :")
            telling = not is_generic_header(name) and not _CLAUSE_HEADER.search(plain)
            yield f"What is the {plain} of {key}?" if telling else f"What is {key}?"
            break


def _headings(statements: Sequence[Statement]) -> Iterator[str]:
    for each in statements:
        if each.kind != "heading" or len(each.text) < 4 or not any(letter.isalpha() for letter in each.text):
            continue
        heading = re.sub(r"^[\d.]+\s+|^#+\s*", "", each.text).strip(" :.")
        if not heading:
            continue
        how = _HOW_TO.match(heading)
        yield f"How do I {how.group('rest')}?" if how else f"What do the documents say about {heading}?"


def _topics(statements: Sequence[Statement], title: str) -> Iterator[str]:
    counts: dict[str, float] = {}
    for each in statements:
        for word in dict.fromkeys(re.findall(r"[^\W\d_][\w-]{2,}", each.text)):
            counts[word] = counts.get(word, 0.0) + max(word_weight(word) - 0.4, 0.0)
    if title:
        yield f"What do the documents say about {title}?"
    for word, weight in sorted(counts.items(), key=lambda pair: -pair[1]):
        if weight > 0:
            yield f"What do the documents say about {word}?"


def _lowered(term: str, sentence: str) -> str:
    """Keep an article with a definition's term, and take the capital off a common word that began the sentence."""
    article = re.match(r"(?:An?|The)\s", sentence, re.IGNORECASE)
    first = term.split()[0]
    plain = term if is_code(first) or article else term[0].lower() + term[1:] if not first.isupper() else term
    return f"{article.group().lower().strip()} {plain}" if article else plain
