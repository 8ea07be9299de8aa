"""The words of a sentence, each with its kind: article, preposition, modal verb, and so on."""

import re
from dataclasses import dataclass
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
_KINDS: dict[Kind, str] = {
    "article": "the a an this these those each every all any some no its their our your his her my such another",
    "preposition": "of in on at by for with from into onto within without over under above below between among across "
    "through during against per via about around near toward towards beyond upon despite throughout behind beside "
    "along off up down out after before since until till than like including except versus as using",
    "and": "and or & nor",
    "but": "but while whereas although though yet",
    "relative": "which who whom whose that",
    "subordinator": "when if unless whenever because once where wherever whether provided how what why so",
    "pronoun": "it they he she we you i he them him us there one",
    "modal": "shall must will should may can could might would cannot can't won't mustn't shouldn't ought",
    "be": "is are was were be been being am isn't aren't wasn't weren't",
    "have": "has have had hasn't haven't hadn't having",
    "do": "does do did doesn't don't didn't",
    "not": "not never n't",
    "adverb": "also only always often usually currently now then thus therefore however still already just even both",
    "to": "to",
}
_WORDS = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_NUMBER = re.compile(r"^[-+±~<>≤≥=$€£]*\d|^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)$")
_NO_ADVERBS = frozenset({"supply", "assembly", "family", "reply", "daily", "weekly", "monthly", "early", "friendly"})

# Tokens that end a clause.
BOUNDARIES: frozenset[Kind] = frozenset({"comma", "stop", "and", "but", "relative", "subordinator"})


@dataclass(frozen=True, slots=True)
class Token:
    """A word or punctuation mark of a sentence: its written and folded forms, its kind, its start and its end."""

    text: str
    lower: str
    kind: Kind
    start: int
    end: int


def read_tokens(sentence: str) -> tuple[Token, ...]:
    """Split a sentence into words, bracketed text (one token each) and punctuation marks."""
    return tuple(
        Token(match.group(), match.group().casefold(), _kind_of(match), match.start(), match.end())
        for match in _TOKEN.finditer(sentence)
    )


def _kind_of(match: "re.Match[str]") -> Kind:
    text, lower = match.group(), match.group().casefold().replace("’", "'")
    if match["bracket"] is not None:
        return "bracket"
    if match["mark"]:
        return "comma" if text == "," else "stop"
    # "May" and "US" within a sentence are names.
    if lower in _WORDS and not (text[0].isupper() and match.start() and lower in {"may", "will", "can", "us", "it"}):
        return _WORDS[lower]
    if _NUMBER.match(lower):
        return "number"
    adverb = lower.endswith("ly") and len(lower) > 4 and lower not in _NO_ADVERBS and not text.isupper()
    return "adverb" if adverb else "word"
