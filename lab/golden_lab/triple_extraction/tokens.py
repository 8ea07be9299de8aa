"""Words of a sentence, each with what it can be (an article, a preposition, a modal verb), and its verbs."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kind = Literal[
    "article", "preposition", "and", "but", "comma", "stop", "relative", "subordinator", "pronoun", "modal", "be",
    "have", "do", "not", "adverb", "to", "number", "bracket", "word",
]  # fmt: skip

_TOKEN = re.compile(
    r"\((?P<bracket>[^()]*)\)|(?P<quoted>\"[^\"]+\"|“[^”]+”|`[^`]+`)|"
    r"(?P<word>[^\s,;:()\[\]]*[^\s,;:()\[\].!?\"”’'](?:\.(?=\w)[^\s,;:()\[\]]*[\w%])?"
    r"(?:[,:](?=\d)[\d.:,]*\d[^\s,;:()\[\]]*)*)|"
    r"(?P<mark>[,;:.!?–—])"
)
_WORDS: dict[str, Kind] = {}
for _kind, _list in (
    ("article", "the a an this these those each every all any some no its their our your his her my such another"),
    (
        "preposition",
        "of in on at by for with from into onto within without over under above below between among across through "
        "during against per via about around near toward towards beyond upon despite throughout behind beside along "
        "off up down out after before since until till than like including except versus as using",
    ),
    ("and", "and or & nor"),
    ("but", "but while whereas although though yet"),
    ("relative", "which who whom whose that"),
    ("subordinator", "when if unless whenever because once where wherever whether provided how what why so"),
    ("pronoun", "it they he she we you i he them him us there one"),
    ("modal", "shall must will should may can could might would cannot can't won't mustn't shouldn't ought"),
    ("be", "is are was were be been being am isn't aren't wasn't weren't"),
    ("have", "has have had hasn't haven't hadn't having"),
    ("do", "does do did doesn't don't didn't"),
    ("not", "not never n't"),
    (
        "adverb",
        "also only always often usually typically currently now then thus therefore however still already just even "
        "both "
        "overall specifically meanwhile similarly consequently nevertheless nonetheless besides moreover furthermore "
        "further otherwise hence instead",
    ),
    ("to", "to"),
):
    for _word in _list.split():
        _WORDS.setdefault(_word, _kind)  # type: ignore[arg-type]
_NUMBER = re.compile(r"^[-+±~<>≤≥=$€£]*\d")
_NUMBER_WORDS = frozenset("one two three four five six seven eight nine ten twelve".split())  # noqa: SIM905
_NOT_ADVERB = frozenset(
    """
    supply assembly family reply daily weekly monthly yearly hourly early only likely july italy fly apply comply rely
    multiply anomaly monopoly friendly
    """.split()  # noqa: SIM905
)


# What ends a clause.
BOUNDARIES: frozenset[Kind] = frozenset({"comma", "stop", "and", "but", "relative", "subordinator"})


@dataclass(frozen=True, slots=True)
class Token:
    """A word or mark of a sentence: as written, folded, what it is, and where it begins and ends."""

    text: str
    lower: str
    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class VerbGroup:
    """A verb with its helpers: the tokens from ``start`` to before ``end``, and its words in normal order.

    ``base`` is the main verb's base form ("be" for a copula); ``passive`` says that it is one.
    """

    start: int
    end: int
    words: tuple[str, ...]
    base: str
    passive: bool = False
    gerund: bool = False
    imperative: bool = False


@lru_cache(maxsize=1_024)
def read_tokens(sentence: str) -> tuple[Token, ...]:
    """Part a sentence into words, brackets (one token each) and marks."""
    found: list[Token] = []
    for match in _TOKEN.finditer(sentence):
        text = match.group()
        found.append(Token(text, text.casefold(), _kind_of(text, match), match.start(), match.end()))
    return tuple(found)


def _kind_of(text: str, match: "re.Match[str]") -> Kind:
    lower = text.casefold().replace("’", "'")
    if match.group("bracket") is not None:
        return "bracket"
    if match.group("quoted") is not None:
        return "word"
    if match.group("mark"):
        return "comma" if text == "," else "stop"
    if lower in {"may", "will", "can"} and text[0].isupper() and match.start() > 0:
        return "word"
    if lower in _WORDS and not (text.isupper() and len(text) > 1 and lower in {"us", "it", "or", "who"}):
        return _WORDS[lower]
    if _NUMBER.match(text) or lower in _NUMBER_WORDS:
        return "number"
    if lower.endswith("ly") and len(lower) > 4 and lower not in _NOT_ADVERB and not text.isupper():
        return "adverb"
    return "word"


def text_of(sentence: str, tokens: "tuple[Token, ...] | list[Token]") -> str:
    """Return what stands in the sentence from the first of ``tokens`` to the last, "" for none."""
    return sentence[tokens[0].start : tokens[-1].end] if tokens else ""
