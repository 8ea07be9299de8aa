"""Questions: the kind of answer that they ask for, its subject and its unit; and texts that contain such a unit."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tools.language import Quantity, fold
from tools.language.verbs import BASES_THAT_ARE_NO_NOUNS

QuestionKind = Literal[
    "definition",
    "quantity",
    "count",
    "time",
    "person",
    "place",
    "reason",
    "procedure",
    "list",
    "yes_no",
    "comparison",
    "fact",
]

_AUXILIARIES = r"is|are|was|were|does|do|did|can|could|may|might|will|would|should|shall|must|has|have|had|am|need"
# Before one of these, a word with -s or -ed is not a verb: "which file types does it read", "which limits apply".
_SURE_VERBS = "|".join([_AUXILIARIES, *sorted(BASES_THAT_ARE_NO_NOUNS)])
_NP_END = (
    r"of|for|in|on|at|when|between|to|used|with|per|by|from|that|which|who|during|under|after|before|allowed|required|"
    r"if|as|within|via|through|supported|called|inside|and"
)
_ASKED = (
    re.compile(
        rf"\b(?:what|which)(?:['’]?s|\s+(?:{_AUXILIARIES}))\s+(?:the\s+|an?\s+|your\s+|our\s+)?(?P<np>.+)$", re.I
    ),
    re.compile(
        rf"\b(?:what|which)\s+(?:of\s+the\s+)?(?P<np>.+?)\s+"
        rf"(?:{_SURE_VERBS}|[a-z]+(?:s|ed)(?!\s+(?:{_SURE_VERBS})\b))\b",
        re.I,
    ),
    re.compile(r"\bhow\s+(?:many|much)\s+(?P<np>\S+(?:\s+\S+)?)", re.I),
    re.compile(r"^(?P<np>[^?]+?)\s+(?:of|for|in|on|at)\s+[^?]+\??$", re.I),
)
_DEFINITION = (
    re.compile(r"\bwhat\s+(?:does|do|did)\s+(?P<term>.+?)\s+(?:mean|stand\s+for|refer\s+to|denote|abbreviate)\b", re.I),
    re.compile(r"\bwhat\s+is\s+meant\s+by\s+(?P<term>[^?]+)", re.I),
    re.compile(r"\b(?:meaning|definition|expansion|full\s+(?:form|name))\s+of\s+(?P<term>[^?]+)", re.I),
    re.compile(
        r"^\s*(?:please\s+)?(?:define|expand|explain\s+what)\s+(?P<term>[^?]+?)(?:\s+(?:is|are|means?))?[?.]?$", re.I
    ),
)
_WHAT_IS = re.compile(
    # "What is the X" and "What is X of Y" ask for a value; "What is X" and "What is an X in Y" ask for a meaning.
    rf"^\s*(?:(?:what|who)(?:\s+(?:is|are)|['’]?s))\s+(?:an?\s+(?P<any>[^?]+?)|(?!the\b)(?P<plain>\S+(?:\s+(?!(?:{_NP_END})\b)\S+){{0,4}}?))\s*\??$",
    re.IGNORECASE,
)
_ROLE_SPLIT = re.compile(rf"\s+(?:{_NP_END})\s+", re.I)
_PART = re.compile(r"(?<=\?)\s+(?=\S)|[,;]?\s+(?:and|or)\s+(?=(?:what|how|which|when|where|who|why)\b)", re.IGNORECASE)

# The dimensions that a question may ask for, with their units and the words that name them.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionShape:
    """The analysis of what a question asks for.

    ``dimension`` is the physical dimension of the requested number ("voltage"; "" if none or unknown). ``asked`` is the
    noun phrase whose value is requested ("VccQ" in "What is the VccQ of NV-DDR3?"); ``term`` is what to define.
    """

    text: str
    kind: QuestionKind
    dimension: str = ""
    asked: str = ""
    term: str = ""


def split_parts(question: str) -> tuple[str, ...]:
    """Split a question with several parts ("What is X, and how does Y?") into its parts; return at least one."""
    parts = [part.strip() for part in _PART.split(question) if part and part.strip()]
    whole = tuple(part for part in parts if len(part.split()) >= 2)
    return whole if len(whole) > 1 else (question.strip(),)


def analyse_question(text: str) -> QuestionShape:
    """Return what ``text`` asks for; any string is accepted, and a text that is not a question asks for a fact."""
    question = " ".join(text.split())
    asked = _asked_for(question)
    kind = _kind(question, asked)
    term = _term(question) if kind == "definition" else ""
    dimension = _dimension_of_words(question, asked) if kind in {"quantity", "fact", "list", "count"} else ""
    if kind == "fact" and dimension:
        kind = "quantity"
    if kind == "count" and asked and (unit := _dimension_of_unit_name(asked.split()[0])):
        kind, dimension = "quantity", unit
    return QuestionShape(text=question, kind=kind, dimension=dimension, asked=asked, term=term)


def _kind(question: str, asked: str) -> QuestionKind:
    folded = fold(question)
    for kind, pattern in _KINDS.items():
        if pattern.search(folded):
            return kind
    if _WHAT_IS.match(question) and not _dimension_of_words(question, asked):
        return "list" if _is_plural(asked) and re.search(r"\bare\b", folded) else "definition"
    if re.match(
        rf"(?:and |so |but |then )?(?:{_AUXILIARIES})(?:n['’]t)?\b(?! (?:you (?:explain|tell|list|name|describe)))",
        folded,
    ):
        return "yes_no"
    if re.search(r"\b(?:what|which)\b", folded) and _is_plural(asked):
        return "list"
    return "fact"


_KINDS: dict[QuestionKind, re.Pattern[str]] = {
    "comparison": re.compile(
        r"\bdifferences? between\b|\bwhat(?:['’]?s| is| are) the (?:main )?differences?\b|"
        r"\bdiffer from\b|\bcompared? (?:to|with)\b|\bversus\b|\bvs\b\.?"
    ),
    "definition": re.compile(
        r"\bwhat (?:does|do|did) .+ (?:mean|stand for|refer to|denote)\b|^(?:define|expand)\b|\b(?:meaning|"
        r"definition|expansion|full form|full name) of\b|\bis meant by\b"
    ),
    "reason": re.compile(r"\bwhy\b|\b(?:for )?what reasons?\b|\bwhat causes?\b|\bhow come\b|\bpurpose of\b"),
    "count": re.compile(r"\bhow many\b|(?:^|\b(?:the|total|maximum|minimum|what) )number of\b"),
    "quantity": re.compile(
        r"\bhow (?:much|long|fast|quick|quickly|big|large|far|high|low|hot|cold|thick|wide|deep|tall|heavy|often|"
        r"frequent|frequently|old|expensive|late|soon)\b"
    ),
    "procedure": re.compile(
        r"\bhow (?:else )?(?:to|do i|do we|do you|can i|can we|can you|should i|should we|should you|would i|must i|"
        r"might i)\b|\bsteps? (?:to|for|of|in)\b|\bprocedure\b|\bway to\b|\bprocess (?:to|for)\b|"
        r"\bwhat (?:do|should|must|can) (?:i|we) (?:(?:have|need) to )?do\b|\bwhat (?:to do|now)\b"
    ),
    "time": re.compile(
        # If no auxiliary follows, "when" may begin a condition ("which actions follow when a test fails").
        rf"\bwhen (?:exactly )?(?:{_AUXILIARIES})\b|\bwhen\W*$|\bwhat (?:year|date|day|month|time)\b|"
        r"\bwhich (?:year|date|day|month)\b"
    ),
    "person": re.compile(
        r"\bwho\b|\bwhom\b|\bwhose\b|\b(?:which|what) (?:person|team|role|department|owner|engineer|company)\b"
    ),
    "place": re.compile(
        rf"\bwhere (?:exactly )?(?:{_AUXILIARIES})\b|\bwhere\W*$|"
        r"\b(?:which|what) (?:city|country|place|location|site|folder|directory|page|menu|room|building|"
        r"state|region)\b"
    ),
    "list": re.compile(
        r"^(?:please )?(?:list|name|enumerate|give (?:me )?(?:a list|all))\b|\bwhat (?:kinds?|types?|sorts?) of\b|"
        r"\b(?:what|which) (?:two|three|four|five|six|seven|eight|nine|ten|\d+) [a-z]+s\b|"
        r"\bwhich .* are (?:there|available|supported)\b"
    ),
}


def _asked_for(question: str) -> str:
    for pattern in _ASKED:
        match = pattern.search(question)
        if match:
            phrase = _ROLE_SPLIT.split(match.group("np"))[0]
            return phrase.strip(" ?.,;:").removeprefix("the ")
    return ""


def _term(question: str) -> str:
    article = _WHAT_IS.match(question)
    if article:
        phrase = article.group("any") or article.group("plain")
        return _ROLE_SPLIT.split(phrase)[0].strip(" ?.,;:\"'“”‘’")
    for pattern in _DEFINITION:
        match = pattern.search(question)
        if match:
            term = match.group("term").strip(" ?.,;:\"'“”‘’")
            return re.sub(r"^(?:the|an?)\s+(?:(?:abbreviation|acronym|term|word)\s+)?", "", term, flags=re.I)
    return ""


def _is_plural(phrase: str) -> bool:
    words = phrase.split()
    if not words:
        return False
    last = words[-1]
    return len(last) > 3 and last.islower() and last.endswith("s") and not last.endswith(("ss", "us", "is"))


def _dimension_of_words(question: str, asked: str) -> str:
    """Return the dimension that a question asks for; "" if no word names one.

    Only the requested noun phrase ``asked`` and "how …" count, so that a voltage mentioned in passing does not.
    """
    words = " ".join([fold(asked), *re.findall(r"\bhow \w+", fold(question))])
    for dimension, pattern in _WORDS.items():
        if pattern.search(words):
            return dimension
    about = fold(question) if "how much" in words else words
    return "money" if _MONEY_WORDS.search(about) else ""


def _dimension_of_unit_name(name: str) -> str:
    """Return the dimension of a spelt-out unit, with or without a prefix ("milliseconds"); "" for other words."""
    return _UNIT_NAMES.get(_PREFIX.sub("", name.casefold()).rstrip("s"), "")


def has_dimension(quantity: Quantity, dimension: str) -> bool:
    """Return whether a quantity has the dimension ``dimension``."""
    return quantity.unit in _UNITS.get(dimension, frozenset())


def names_dimension(text: str, dimension: str) -> bool:
    """Return whether a text contains a number with a spelt-out unit of ``dimension`` ("30 seconds", "one year")."""
    return any(_dimension_of_unit_name(match.group("unit")) == dimension for match in _SPELT_OUT.finditer(text))


def names_money(text: str) -> bool:
    """Return whether a text mentions a sum of money."""
    return bool(_MONEY.search(text))
