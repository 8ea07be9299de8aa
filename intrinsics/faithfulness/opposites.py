"""Opposites: words that turn a statement around, by negation or by an antonym."""

import re
from functools import lru_cache

from tools.language import STOP_WORDS, find_words, fold, stem

_CUE = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|unable|hardly|lacks?|lacking|instead of|"
    r"rather than|fail(?:s|ed)? to)\b|n['’]t\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,;:.!?()]|\b(?:but|because|although|while|and|or)\b", re.IGNORECASE)
# A negation reaches so many words forward within its clause.
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
    """Pair stems that only ``claim`` holds with their antonyms that only ``source`` holds."""
    opposites = _opposites()
    pairs = []
    for word in sorted(claim - source):
        against = sorted((opposites.get(word, frozenset()) & source) - claim)
        if against:
            pairs.append((word, against[0]))
    return tuple(pairs)


@lru_cache(maxsize=4_096)
def negated_stems(text: str) -> frozenset[str]:
    """Return the stems that a negation in ``text`` reaches: the next words of its clause."""
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
    """Count the negations of ``text``."""
    return len(_CUE.findall(text))
