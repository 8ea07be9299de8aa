"""Words that differ between a claim and its source: abbreviations, negations and opposites."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from tools.evidence.reading import Evidence
from tools.language import STOP_WORDS, find_words, fold, stem

_SPELT_OUT = 0.9
_LONGEST = 6


def spell_out(claim: str, evidence: Evidence) -> Evidence:
    """Return the evidence with abbreviations spelt out, so that "RAS" in a passage matches "Row Address Strobe"."""
    shorts = [_shorts(unit.text) for unit in evidence.units]
    words = [fold(word.text) for word in find_words(claim)]
    runs = _runs(words, frozenset().union(*shorts))
    if not runs:
        return evidence
    literal = evidence.literal.copy()
    terms = [fold(term.text) for term in evidence.terms]
    for at, short in enumerate(shorts):
        said = set().union(*(runs[each] for each in short & runs.keys()))
        for row in [row for row, term in enumerate(terms) if term in said] if said else ():
            literal[row, at] = max(literal[row, at], _SPELT_OUT)
    return replace(evidence, literal=np.asarray(literal))


def _runs(words: Sequence[str], shorts: frozenset[str]) -> dict[str, set[str]]:
    """Return, for each abbreviation in ``shorts``, the words in ``words`` whose initials spell it."""
    initials = "".join(word[0] for word in words)
    runs: dict[str, set[str]] = {}
    for start in range(len(words)):
        for end in range(start + 2, min(start + _LONGEST, len(words)) + 1):
            if initials[start:end] in shorts:
                runs.setdefault(initials[start:end], set()).update(words[start:end])
    return runs


@lru_cache(maxsize=4_096)
def _shorts(text: str) -> frozenset[str]:
    return frozenset(fold(w.text) for w in find_words(text) if w.text.isupper() and 2 <= len(w.text) <= _LONGEST)


_CUE = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|unable|hardly|lacks?|lacking|instead of|"
    r"rather than|fail(?:s|ed)? to)\b|n['’]t\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,;:.!?()]|\b(?:but|because|although|while|and|or)\b", re.IGNORECASE)
# A negation applies to this many words after it within its clause.
_SCOPE_WORDS = 5

_PAIRS = """
minimum maximum|min max|minimal maximal|least most|lowest highest|lower higher|low high|lower upper|less more|
fewer more|small large|smaller larger|smallest largest|short long|shorter longer|fast slow|faster slower|
early late|earlier later|first last|before after|above below|over under|increase decrease|increase reduce|
increases decreases|rise fall|raise lower|grow shrink|gain lose|gain loss|enable disable|enabled disabled|
allow forbid|allow deny|allow prevent|allowed prohibited|permit prohibit|permitted forbidden|accept reject|
accepted rejected|include exclude|add remove|insert delete|open closed|open close|start stop|start end|
begin end|input output|read write|read program|program erase|send receive|transmit receive|
upload download|import export|connect disconnect|lock unlock|encrypt decrypt|encode decode|compress decompress|
active inactive|internal external|inside outside|synchronous asynchronous|serial parallel|public private|
static dynamic|volatile nonvolatile|positive negative|same different|equal unequal|always never|all none|
valid invalid|correct incorrect|true false|safe unsafe|pass fail|passed failed|success failure|
succeed fail|cheap expensive|cheaper pricier|strong weak|stronger weaker|hot cold|heavy light|thick thin|
wide narrow|deep shallow|old new|older newer|odd even|front back|top bottom|up down|north south|
east west|win lose|won lost|born died|parent child|husband wife|male female|required optional|
mandatory optional|manual automatic|temporary permanent|horizontal vertical|rising falling|charge discharge|
dense sparse|better worse|best worst|agree disagree|support oppose|supported unsupported|known unknown|
visible hidden|majority minority|present absent|major minor|master slave|single multiple|single double|
daily weekly|weekly monthly|monthly yearly|ascending descending|deprecated recommended|online offline|
local remote|wet dry
"""


@lru_cache(maxsize=1)
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS.replace("\n", "").split("|"):
        left, right = (stem(word) for word in pair.split())
        found.setdefault(left, set()).add(right)
        found.setdefault(right, set()).add(left)
    return {word: frozenset(others) for word, others in found.items()}


def opposed_words(claim: frozenset[str], source: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Pair stems that occur only in ``claim`` with antonyms that occur only in ``source``."""
    opposites = _opposites()
    pairs = []
    for word in sorted(claim - source):
        against = sorted((opposites.get(word, frozenset()) & source) - claim)
        if against:
            pairs.append((word, against[0]))
    return tuple(pairs)


@lru_cache(maxsize=4_096)
def negated_stems(text: str) -> frozenset[str]:
    """Return the stems that a negation in ``text`` applies to: the next words in its clause."""
    found: set[str] = set()
    for cue in _CUE.finditer(text):
        rest = text[cue.end() :]
        end = _CLAUSE_END.search(rest)
        clause = rest[: end.start()] if end else rest
        words = [word.text for word in find_words(clause)][:_SCOPE_WORDS]
        found.update(stem(word) for word in words if fold(word) not in STOP_WORDS)
    return frozenset(found)


@lru_cache(maxsize=4_096)
def count_negations(text: str) -> int:
    """Count the negations in ``text``."""
    return len(_CUE.findall(text))
