"""Answer types: whether a statement contains the type of answer that a question asks for."""

import re
from functools import lru_cache

from tools.language import Quantity, find_quantities, fold, rarity
from tools.language.quantities import NUMERALS
from tools.reading.questions import QuestionKind, QuestionShape, has_dimension, names_dimension, names_money

_NUMBER_WORDS = "|".join(
    [*NUMERALS, "zero", "billion", "once", "twice", "half", "both", "single", "double", "dozen", "several", "none"]
)
_NUMBER_WORD = re.compile(rf"\b(?:{_NUMBER_WORDS})\b(?!-)", re.IGNORECASE)
_TIME = re.compile(
    r"\b(?:1[0-9]\d\d|20\d\d)s?\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|"
    r"december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|\b\d{1,2}:\d\d\b|\b\d{1,2}(?:st|nd|rd|th)\b|"
    r"\b(?:century|decade|noon|midnight|daily|weekly|monthly|yearly|annually|quarterly|before|after|until|during|once|"
    r"whenever|immediately)\b|"
    # "When" may also ask for a condition: a rope breaks at 900 kN, and a pump stops if it runs dry.
    r"\b(?:at|above|below|over|under)\s+[+-]?\d|\b(?:if|when|as soon as)\b",
    re.IGNORECASE,
)
_FREQUENCY = re.compile(
    r"\b(?:every|each|daily|weekly|monthly|yearly|annually|hourly|quarterly|once|twice|per)\b", re.I
)
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'’.-]*(?:\s+(?:de|van|von|of|the|la)?\s*[A-Z][\w'’.-]*)*")
_ROLE = re.compile(
    r"\b(?:team|manager|engineer|owner|lead|director|officer|administrator|operator|supplier|vendor|customer|committee|"
    r"department|group|author|president|king|queen|user|host|controller)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:in|at|on|near|under|inside|from|to|into)\s+(?:the\s+)?[A-Z][\w-]+|[\w.-]+/[\w./-]+|\b(?:folder|directory|page|menu|tab|"
    r"section|room|building|panel|console|cabinet|rack|floor|site|bin|field|register)\b"
)
_REASON = re.compile(
    r"\b(?:because|since|due to|so that|in order to|therefore|thus|hence|as a result|to avoid|to prevent|to reduce|"
    r"to keep|to allow|to ensure|to protect|to improve|caused? by|causes?|reasons?|otherwise|leads? to|results? in|"
    r"purpose|allows?|prevents?|ensures?|avoids?|reduces?|enables?|so)\b",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"^(?:then |first,? |next,? |finally,? |now )?(?:to \w+[^,]{0,80}, )?(?:click|select|choose|run|use|open|enter|set|"
    r"press|create|add|remove|install|start|stop|wait|check|verify|apply|send|issue|write|read|connect|"
    r"disconnect|place|put|turn|"
    r"configure|specify|call|go|navigate|type|edit|copy|delete|enable|disable|make|ensure|load|save|submit|provide)\b|"
    r"\byou (?:can|must|should|need)\b|\bby \w+ing\b|\bsteps?\b|\bfollowing\b",
    re.IGNORECASE,
)
# The rarity of words that occur less than once in ten million words.
_UNKNOWN_WORD = 0.75
_ENUMERATION = re.compile(r"\w,\s[^,.;]+(?:,\s|\s(?:and|or)\s)|:\s*\S+.*(?:,|;|\band\b)|\b\w+\s(?:and|or)\s\w+")
_ASKS_FOR_DEFAULT = re.compile(
    r"\bdefaults?\b|\bout of the box\b|\b(?:set|change|say|give|touch)\s+nothing\b|\bchange\s+no\s|"
    r"\bleave\b.{1,30}\balone\b|"
    r"\b(?:do(?:es)?(?:n['’]?t| not)|never)\s+(?:set|change|say|specify|give|pass|touch)\b|"
    r"\b(?:is|are)(?:n['’]?t| not)\s+(?:set|given|specified)\b|\bnone\s+is\s+(?:set|given)\b",
    re.IGNORECASE,
)
_STATES_DEFAULT = re.compile(
    r"default|\b(?:omitted|absent|missing|unspecified|unless|initial(?:ly)?|out of the box)\b|"
    r"\bnot\s+(?:set|given|specified|present|supplied)\b|\b(?:none|nothing)\s+(?:is|was)\s+(?:set|given|specified)\b",
    re.IGNORECASE,
)
_ASKS_FOR_LIMIT = re.compile(
    r"\bwhat(?:['’]?s| is| are)? the (?:largest|biggest|maximum|max|highest|longest|widest|deepest|upper|limit)\b|"
    r"\b(?:maximum|upper limit|at most|up to (?:how|what|which))\b|"
    r"\bhow (?:many|much|large|big|long|high|wide|far|deep)\b.*\b(?:can|could|may)\b", re.IGNORECASE,
)  # fmt: skip
_STATES_LIMIT = re.compile(
    r"\b(?:max|limit|exceed|range|support|restrict|capacit)\w*|any number|"
    r"\b(?:up to|at most|no more|(?:more|less|fewer|greater|larger|longer|higher) than|or (?:more|less|fewer)|between|"
    r"above|below|over|under|within|largest|biggest|highest|longest|widest|upper|cannot|unlimited|as many)\b|"
    r"\d\s?(?:-|–|to|through|\.\.+)\s?\d", re.IGNORECASE,
)  # fmt: skip
# For these kinds, "by default" is about what happens and not about a value.
_NO_VALUE = frozenset({"yes_no", "reason", "procedure"})
# Patterns that occur in all texts that answer a question of these kinds.
_SIGNS: dict[QuestionKind, re.Pattern[str]] = {
    "time": _TIME, "place": _PLACE, "reason": _REASON, "procedure": _STEP, "list": _ENUMERATION,
}  # fmt: skip


def answer_type_match(shape: QuestionShape, text: str) -> float:
    """Return how well ``text`` matches the requested type, in [0, 1]; 0 also if the question has no such type."""
    match shape.kind:
        case "quantity":
            return _quantity_match(shape, text)
        case "count":
            return 1.0 if _new_quantities(shape, text) or _NUMBER_WORD.search(text) else 0.0
        case "person":
            return 1.0 if _new_name(shape, text) else (0.7 if _ROLE.search(text) else 0.0)
        case "definition":
            return 1.0 if shape.term and _definition_of(shape.term).search(text) else 0.0
        case kind:
            return 1.0 if kind in _SIGNS and _SIGNS[kind].search(text) else 0.0


def lacks_default(shape: QuestionShape, text: str) -> bool:
    """Return whether the question asks for a default value, but ``text`` does not state one."""
    asks = shape.kind not in _NO_VALUE and _ASKS_FOR_DEFAULT.search(shape.text)
    return bool(asks) and not _STATES_DEFAULT.search(text)


def lacks_limit(shape: QuestionShape, text: str) -> bool:
    """Return whether the question asks for the largest possible value, but ``text`` does not state a limit."""
    asks = shape.kind not in _NO_VALUE and _ASKS_FOR_LIMIT.search(shape.text)
    return bool(asks) and not _ASKS_FOR_DEFAULT.search(shape.text) and not _STATES_LIMIT.search(text)


# The same term is searched for in every statement of the passages found for a question.
@lru_cache(maxsize=64)
def _definition_of(term: str) -> re.Pattern[str]:
    """Return a pattern for definitions of ``term``: an expansion, "X is a …", or part of a longer sentence."""
    name = re.escape(term)
    return re.compile(
        rf"\b{name}\s*\([^)]{{4,}}\)|\w+\s+\(\s*(?:the\s+)?[\"“]?{name}[\"”]?\s*[);,]|"
        rf"(?:^|[^\w]){name}[\"”’']?\)?,?\s+(?:stands?\s+for|means|refers?\s+to|denotes|is\s+defined\s+as|is\s+short\s+for)\b|"
        rf"^[\"“]?(?:an?\s+|the\s+)?{name}s?[\"”]?\s*(?::|=|–|—|-)\s+\S|^(?:term|abbreviation|acronym|name)[^:;]*:\s*{name}\s*;|"
        rf"^(?:an?\s+|the\s+)?{name}s?(?:\s*\([^)]*\))?,?\s+(?:is|are|was|were)\s+(?:an?|the|one|any)\b|"
        rf"\b{name}s?\b[^.]{{0,40}}\b(?:is|are|was|were)\s+(?:an?|the|one)\b|\bcalled\s+(?:an?\s+|the\s+)?{name}",
        re.IGNORECASE,
    )


def _new_quantities(shape: QuestionShape, text: str) -> list[Quantity]:
    asked = {quantity.number for quantity in find_quantities(shape.text)}
    return [quantity for quantity in find_quantities(text) if quantity.number not in asked]


def _quantity_match(shape: QuestionShape, text: str) -> float:
    quantities = _new_quantities(shape, text)
    if shape.dimension == "money":
        return 1.0 if names_money(text) else 0.0
    if shape.dimension and any(has_dimension(quantity, shape.dimension) for quantity in quantities):
        return 1.0
    if shape.dimension and names_dimension(text, shape.dimension):
        return 1.0
    if re.search(r"\bhow (?:often|frequent)", shape.text, re.I) and _FREQUENCY.search(text):
        return 1.0
    if quantities:
        return 0.4 if shape.dimension else 0.8
    return 0.3 if _NUMBER_WORD.search(text) else 0.0


def _new_name(shape: QuestionShape, text: str) -> bool:
    asked = shape.text.casefold()
    if any(match.group().casefold() not in asked for match in _NAME.finditer(text)):
        return True
    # A sentence always begins with a capital, so there only two capitals or a non-English word indicate a name.
    first = re.match(r"[A-Z][\w'’-]+(?P<more>\s+[A-Z][\w'’-]+)?", text)
    return (
        first is not None
        and text.split()[0].casefold() not in asked
        and (first["more"] is not None or rarity(fold(text.split()[0])) >= _UNKNOWN_WORD)
    )
