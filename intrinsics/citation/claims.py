"""Claims in an answer, how well the words of a passage support them, and which of the named sources are valid."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from contracts.text import Passage
from contracts.verdicts import CitationLink
from tools.language import find_quantities, fold
from tools.reading.concepts import Concept, coverage, question_concepts, read_words
from tools.reading.statements import Statement, read_statements

_MARKER = re.compile(r"\s*\[\d+(?:\s*,\s*\d+)*\]")
_LEADING = re.compile(r"^\s*(?:(?:yes|no)\s*[:.,–-]\s*|[-*•]\s+|\(?(?:\d{1,2}|[A-Ha-h])[.)]\s+)", re.IGNORECASE)
_NO_CLAIM = re.compile(
    r"\b(?:passages?|documents?|sources?|texts?)\b.{0,40}\b(?:do(?:es)? not|don['’]t|doesn['’]t|not)\s+"
    r"(?:\w+\s+)?(?:hold|contain|mention|say|state|provide|include|answer|specify)|"
    r"^(?:i (?:do not|don['’]t|cannot|can['’]t)|sorry|unfortunately)\b",
    re.IGNORECASE,
)
_GAP = re.compile(r"[^\w%°+.-]+")
# The characters before a number at the end of a code.
_CODE_IN_FRONT = re.compile(r"[A-Za-z]-$")
# Each pair of adjacent letters in a script without spaces between words.
_UNSPACED = re.compile(r"(?=([\u3040-\u30ff\u3400-\u9fff]{2}))")


@dataclass(frozen=True, slots=True)
class Claim:
    """An answer sentence prepared for comparison: its text, its content words and its numbers."""

    number: int
    text: str
    concepts: tuple[Concept, ...]
    numbers: frozenset[str]


def read_claim(number: int, text: str, *, least_words: int = 2) -> Claim | None:
    """Prepare answer sentence ``number``; return None if it makes no claim: a plain yes, a question or a refusal.

    A sentence without numbers and with fewer than ``least_words`` content words makes no claim either.
    """
    plain = _LEADING.sub("", _MARKER.sub("", text)).strip()
    concepts = question_concepts(plain)
    numbers = _numbers(plain)
    if plain.endswith("?") or _NO_CLAIM.search(plain) or (len(concepts) < least_words and not numbers):
        return None
    return Claim(number=number, text=plain, concepts=concepts, numbers=numbers)


@dataclass(frozen=True, slots=True)
class WordMatch:
    """How well the words of a statement support a claim, apart from their cosine.

    ``numbers`` is a factor below 1 if the statement lacks numbers of the claim; ``whole`` means it has the full claim.
    """

    lexical: float
    numbers: float = 1.0
    whole: bool = False

    def score(self, cosine: float, cosine_weight: float) -> float:
        """Return the score in [0, 1], given the cosine of claim and statement and the weight of the cosine."""
        score = (1.0 - cosine_weight) * self.lexical + cosine_weight * max(cosine, 0.0)
        return 1.0 if self.whole else min(score * self.numbers, 0.99)


class Source:
    """The statements of a passage, prepared once for comparison with many claims. Safe to share between threads."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.statements = statements
        words = [read_words(each.text) for each in statements]
        # The words of each statement alone, then of each statement with its headings.
        self._words = [*words, *(read_words(f"{e.place} {e.before} {e.text}") for e in statements)]
        self._said = [_plain(each.text) for each in statements]
        self._placed = [f"{each.place} {each.text}" for each in statements]

    def match(self, claim: Claim) -> list[WordMatch]:
        """Compare each statement with a claim; the result is 1 if the statement contains the claim word for word.

        Otherwise, it is the weighted share of the claim's words in the statement, where words in the headings count for
        half. It is lower if the statement lacks numbers of the claim.
        """
        claimed, shares = _plain(claim.text), [coverage(claim.concepts, words) for words in self._words]
        found = []
        for at, (said, share) in enumerate(zip(self._said, shares, strict=False)):
            if claimed in said:
                found.append(WordMatch(1.0, whole=True))
                continue
            # If the statement contains every word, the headings add nothing.
            placed = shares[len(self.statements) + at] if share < 1.0 else share
            missing = missing_numbers(claim, self._placed[at]) if claim.numbers else 0
            numbers = 0.5 ** (missing / len(claim.numbers)) if missing else 1.0
            found.append(WordMatch(share + 0.5 * (placed - share), numbers))
        return found


# A passage (about 20 KB) is compared with every sentence in this answer and in later answers.
@lru_cache(maxsize=512)
def read_source(statements: tuple[Statement, ...]) -> Source:
    """Prepare the ``statements`` of a passage; recent results are cached."""
    return Source(statements)


def share_anything(claim: Claim, statement: Statement) -> bool:
    """Return whether a statement contains a content word (in any form), name, code or number of the claim.

    In a script without spaces between words (Chinese, Japanese), two adjacent letters count as a word.
    """
    words = read_words(statement.text)
    numbers = _numbers(statement.text)
    pairs = set(_UNSPACED.findall(claim.text)) & set(_UNSPACED.findall(statement.text))
    return bool(claim.numbers & numbers or pairs) or any(each.presence(words) > 0 for each in claim.concepts)


def missing_numbers(claim: Claim, text: str) -> int:
    """Count the numbers in ``claim`` that ``text`` does not contain."""
    return len(claim.numbers - _numbers(text))


@lru_cache(maxsize=8_192)
def _numbers(text: str) -> frozenset[str]:
    """Return the numbers in ``text``; the 3 in the part name "HM-3" is not a value that supports "3 ms"."""
    return frozenset(
        each.number for each in find_quantities(text) if not _CODE_IN_FRONT.search(text, 0, each.span.start)
    )


def as_links(claim: Claim, chosen: Sequence[tuple[Statement, float]]) -> list[CitationLink]:
    """Make one link per passage, best first, with its sentences in order; a table row includes its header line."""
    by_passage: dict[int, tuple[set[int], float]] = {}
    for statement, score in chosen:
        held, best = by_passage.get(statement.passage, (set(), 0.0))
        by_passage[statement.passage] = (held | {*statement.header, *statement.sentences}, max(best, score))
    return [
        CitationLink(
            sentence=claim.number, passage=passage, passage_sentences=tuple(sorted(held)), score=round(score, 4)
        )
        for passage, (held, score) in by_passage.items()
    ]


# A statement is compared with every sentence in this answer and in later answers.
@lru_cache(maxsize=8_192)
def _plain(text: str) -> str:
    return fold(_GAP.sub(" ", text)).rstrip(". ")


_MOST_SOURCES = 3

# A passage index and a sentence index, both counted from 0.
Place = tuple[int, int]


def verify_links(
    claims: Sequence[Claim], named: Mapping[int, Sequence[Place]], passages: Sequence[Passage]
) -> tuple[CitationLink, ...]:
    """Return the valid links of ``claims`` to the places ``named`` for each sentence (numbered from 0).

    Places that do not exist, duplicates, and sources without a content word, name or number of the claim are dropped;
    each sentence keeps its three best sources. A sentence that spans several lines is linked as a whole, and a table
    row with its header. The score of a link is the share of the claim's words in its best source; 1 if the source
    contains the claim word for word. Each missing number lowers the score, to half if all numbers are missing.
    """
    there = _read_places(passages)
    links: list[CitationLink] = []
    for claim in claims:
        statements = dict.fromkeys(there[place] for place in named.get(claim.number, ()) if place in there)
        supporting = [each for each in statements if share_anything(claim, each)]
        matches = Source(supporting).match(claim)
        scored = [(each, match.score(0.0, 0.0)) for each, match in zip(supporting, matches, strict=True)]
        scored.sort(key=lambda pair: -pair[1])
        links.extend(as_links(claim, scored[:_MOST_SOURCES]))
    return tuple(links)


def _read_places(passages: Sequence[Passage]) -> dict[Place, Statement]:
    """Return, for each sentence, the statement that it is part of, or the sentence itself if there is none."""
    found: dict[Place, Statement] = {}
    for number, passage in enumerate(passages):
        for index in range(len(passage.sentences)):
            text = " ".join(passage.sentence(index).split())
            found[number, index] = Statement(text=text, passage=number, sentences=(index,), kind="heading")
        for statement in read_statements(passage, number) if passage.sentences else ():
            found.update({(number, index): statement for index in statement.sentences})
    return found
