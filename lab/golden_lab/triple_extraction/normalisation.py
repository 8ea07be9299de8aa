"""The normal form of a claim, the same for triples from rules and from a model."""

import re
from collections.abc import Iterable

from golden_lab.triple_extraction.verb_forms import third_person
from golden_lab.triples.triple import Triple
from tools.language import fold
from tools.language.verbs import base_form, is_base

SYSTEM = "System"
_ARTICLES = re.compile(
    r"^(?:(?:the|an?|this|that|these|those|each|every|all|any|both|its|their|our|your|his|her|my|such)\s+)+", re.I
)
_OBJECT_ARTICLES = re.compile(r"^(?:(?:the|an?|its|their)\s+)+", re.IGNORECASE)
_WHOLE = frozenset({"system", "project", "design", "it", "they", "this", "that", "these", "those", "we", "", "product"})
_CODE = re.compile(r"^(?=.*\d{2}|[A-Z]{2,}-?\d)(?=.*[A-Z])[A-Za-z][\w/+.-]*$")
_HEAD_END = re.compile(r"\s(?:of|for|in|on|at|with|from|to|between|per|by|under)\s|\s\(")
_UNCHANGED = frozenset(
    """
    series bus status analysis basis chassis lens axis gas business access process address class loss pass species news
    physics electronics always less is its this was has does us bias focus virus campus bonus corpus radius apparatus
    diagnosis synthesis thesis emphasis hypothesis parenthesis crisis kubernetes https dns sms gps css aws tls canvas
    atlas alias plus minus versus perhaps mathematics robotics logistics means
    """.split()  # noqa: SIM905
)
# A plain statement ("amplifies") is not turned into an obligation: the core rules forbid a change of modality. Source:
# predicate rules of TRIFEX, appendix C.1, figure 9.
_MODALS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"^(?:{words})(?=\s|$)", re.IGNORECASE), normal)
    for words, normal in (
        (r"(?:cannot|can't|can not)", "can not"),
        (r"(?:mustn't|must not|shall not|shan't|will not|won't|has to not|may not)", "shall not"),
        (r"(?:is|are) not (?:allowed|permitted) to", "shall not"),
        (r"(?:shouldn't)", "should not"),
        (
            r"(?:must|will|shall|has to|have to|needs? to|(?:is|are) required to|(?:is|are) obliged to|(?:is|are) to)",
            "shall",
        ),
        (r"(?:ought to|(?:is|are) recommended to)", "should"),
        (r"(?:might|could|(?:is|are) allowed to|(?:is|are) permitted to)", "may"),
        (r"(?:(?:is|are) able to|(?:is|are) capable of)", "can"),
    )
)
_MEASURED = re.compile(
    r"^(?:(?:has|have|had|is|are|was|were)\s+)?(?:been\s+)?(?:measured|observed)(?:\s+(?:to be|at|as|of))?(?=\s|$)",
    re.I,
)
_TARGETS = re.compile(
    r"^(?:targets?|targeted|aims?|anticipates?|is (?:anticipated|targeted|aimed)|seeks?)(?:\s+(?:for|at))?(?=\s|$)",
    re.IGNORECASE,
)
_NOT_EXCEED = re.compile(r"^(?P<modal>shall|should|may|can|does|do|did)\s+not\s+exceed$")
_EXCEED = re.compile(r"^(?:(?P<modal>shall|should|may|can)\s+exceed|exceeds|exceeded)$")
_PLURALS = {"are": "is", "were": "was", "have": "has", "do": "does", "'s": "is", "'re": "is"}

# Longest wordings first. "more than" and "over" are strict, "up to" and "at most" are not.
# Source: predicate rules of TRIFEX, appendix C.1, figure 9 (comparators belong to the predicate).
_WORDINGS: tuple[tuple[str, str], ...] = (
    (
        r"greater than or equal to|not? (?:less|lower|fewer) than|not (?:below|under)|at least|at minimum|"
        r"(?:a )?minimum of|>=|=>|≥",
        "≥",
    ),
    (
        r"less than or equal to|not? (?:more|greater|higher) than|not (?:above|over|exceeding)|at most|at maximum|"
        r"up to|(?:a )?maximum of|as (?:high|much|many|long) as|<=|=<|≤",
        "≤",
    ),
    (r"greater than|more than|higher than|larger than|longer than|in excess of|above|over|exceeding|>", ">"),
    (r"less than|lower than|fewer than|smaller than|shorter than|below|under|<", "<"),
    (r"equal to|exactly|=", "="),
)
_NUMBER = r"(?:[-+±~$€£]?\s?\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half)\b)"
_PLACES = tuple(
    (re.compile(rf"(?<![\w≥≤<>=])(?:{words})\s*(?=(?:the |an? )?{_NUMBER})", re.IGNORECASE), sign)
    for words, sign in _WORDINGS
)
_TAILS = tuple((re.compile(rf"(?:^|\s)(?:{words})\s*$", re.IGNORECASE), sign) for words, sign in _WORDINGS)
_BEHIND = re.compile(
    rf"^(?P<value>{_NUMBER}[^,;]*?)\s+or\s+(?P<word>more|above|higher|longer|less|fewer|below|lower)\b", re.I
)
_UNITS = (
    r"[kKMGTPµμnpfm]?(?:V(?:DC|AC|pp|rms)?|A(?:h)?|W(?:h)?|Hz|Ω|F|J|H|s|m|g|b|B|T|bit|bits|byte|bytes|bps|SPS|Pa|Ohm|ohm)"
    r"(?:ps|/s)?|[kMGT]i?B(?:/s)?|[MG]T/s|°\s?[CF]|K|dB(?:m|c|i|FS)?|ppm|rpm|min|h|hours?|days?|inch|in|dpi|px|bar|psi|lm|lx|kgf?|Nm|VA|kVA"
)
_JOINED = re.compile(rf"(?<![\w.,-])(?P<number>[-+±]?\d+(?:[.,]\d+)*)(?P<unit>{_UNITS})(?![\w])(?<!\d0s)")
_DASH_RANGE = re.compile(r"(?<![\w.-])(?P<low>\d+(?:\.\d+)?)\s?[–—]\s?(?P<high>\d+(?:\.\d+)?)")
_HYPHEN_RANGE = re.compile(
    rf"(?<![\w.-])(?P<low>\d+(?:\.\d+)?)\s?-\s?(?P<high>\d+(?:\.\d+)?)(?=\s?(?:{_UNITS}|%)(?!\w))"
)
SIGNS = ("≥", "≤", ">", "<", "=")


def normalise_triple(triple: Triple) -> Triple | None:
    """Put a triple in normal form; None if its predicate or object becomes empty, or if subject and object are equal.

    Source: TRIFEX, appendix C.1, figures 8 to 10.
    """
    subject = normalise_subject(triple.subject)
    predicate, object_ = normalise_relation(triple.predicate, triple.object)
    if not predicate or not object_ or not re.search(r"\w", object_) or fold(subject) == fold(object_):
        return None
    return Triple(subject=subject, predicate=predicate, object=object_, sentence=triple.sentence)


def normalise_all(triples: Iterable[Triple]) -> tuple[Triple, ...]:
    """Put triples in normal form, in their original order, without duplicates (even from different sentences)."""
    found: dict[tuple[str, str, str], Triple] = {}
    for each in triples:
        normal = normalise_triple(each)
        if normal is not None:
            found.setdefault((fold(normal.subject), fold(normal.predicate), fold(normal.object)), normal)
    return tuple(found.values())


def normalise_subject(text: str) -> str:
    """Return a subject in lowercase, singular, without articles, with a part's name in brackets after its category.

    Words with digits or only capitals are names and keep their case. The whole ("the system", "it") becomes "System".
    """
    words = _ARTICLES.sub("", _tidy(text)).strip()
    if fold(words) in _WHOLE:
        return SYSTEM
    named = re.match(r"^(?:system|project)\s*\((?P<name>[^)]+)\)$", words, re.IGNORECASE)
    if named:
        return f"{SYSTEM} ({named['name'].strip()})"
    category, part = _part(words)
    lowered = " ".join(_lowered(word) for word in _singular(category).split())
    return f"{lowered} ({part})" if part and lowered else part or lowered


def normalise_relation(predicate: str, object_: str) -> tuple[str, str]:
    """Return predicate and object in normal form: modality and comparator in the predicate, literals unchanged."""
    words = " ".join(_tidy(predicate).split())
    for form, normal in _MODALS:
        if form.match(words):
            words = form.sub(normal, words)
            break
    sign, words = take_tail_comparator(words)
    words = _canonical_verb(words.lower() if not re.search(r"[A-Z]{2}|\d", words) else words)
    value = _OBJECT_ARTICLES.sub("", space_units(_tidy(object_)))
    inner, rest = take_comparator(value)
    if not sign and inner:
        sign, value = inner, _OBJECT_ARTICLES.sub("", rest)
    exceeding = _exceeding(words, value)
    if exceeding:
        words, sign = exceeding
    begins = bool(re.match(r"[-+±~$€£]?\s?\d", value))
    if not sign and begins and words in {"has measured", "targets"}:
        sign = "="
    return f"{words} {sign}".strip(), value


def _exceeding(words: str, value: str) -> tuple[str, str] | None:
    if not re.search(r"\d", value):
        return None
    within = _NOT_EXCEED.match(words)
    if within:
        return ("is" if within["modal"] in {"does", "do", "did"} else f"{within['modal']} be"), "≤"
    beyond = _EXCEED.match(words)
    return (f"{beyond['modal']} be" if beyond["modal"] else "is", ">") if beyond else None


def _canonical_verb(words: str) -> str:
    if _MEASURED.match(words):
        return _MEASURED.sub("has measured", words).strip()
    if _TARGETS.match(words):
        return _TARGETS.sub("targets", words).strip()
    first, _, rest = words.partition(" ")
    first = _PLURALS.get(first, first)
    if is_base(first) and base_form(first) == first:
        first = third_person(first)
    return f"{first} {rest}".strip()


def _tidy(text: str) -> str:
    plain = re.sub(r"[*`_]{1,3}(?=\S)|(?<=\S)[*`]{1,3}", "", text).replace("\u00a0", " ")
    return " ".join(plain.split()).strip(" .,;:!?\"“”'|").strip()


def _part(words: str) -> tuple[str, str]:
    """Separate the category from the name of a part: "LMK04828 clock generator", "clock generator (LMK04828)"."""
    bracketed = re.match(r"^(?P<category>[^()]+?)\s*\((?P<part>[^()]+)\)$", words)
    if bracketed:
        category, part = bracketed["category"], bracketed["part"]
        if _CODE.match(category) and not _CODE.match(part):
            return part, category
        return category, part
    pieces = words.split()
    if len(pieces) > 1:
        if _CODE.match(pieces[0]) and not _HEAD_END.search(f" {pieces[1]} "):
            return " ".join(pieces[1:]), pieces[0]
        if _CODE.match(pieces[-1]):
            return " ".join(pieces[:-1]), pieces[-1]
    return words, ""


def _singular(words: str) -> str:
    """Make the head of a noun phrase singular: the last word before a preposition."""
    ending = _HEAD_END.search(words)
    head, rest = (words[: ending.start()], words[ending.start() :]) if ending else (words, "")
    first, _, last = head.rpartition(" ")
    return f"{first} {singular(last)}".strip() + rest


def singular(word: str) -> str:
    """Return the singular of a plural noun, name or abbreviation ("ADCs": "ADC"), and any other word unchanged."""
    lower = word.casefold()
    if re.match(r"^[A-Z0-9]{2,}s$", word):
        return word[:-1]
    if len(lower) < 4 or not lower.endswith("s") or lower.endswith(("ss", "us", "is", "'s", "’s")) or word.isupper():
        return word
    if lower in _UNCHANGED:
        return word
    if lower.endswith("ies") and len(lower) > 4:
        return word[:-3] + "y"
    if lower.endswith(("sses", "xes", "ches", "shes", "zzes")) or lower in {"buses", "gases", "lenses", "viruses"}:
        return word[:-2]
    return word[:-1]


def _lowered(word: str) -> str:
    kept = bool(re.search(r"\d", word)) or bool(re.search(r"[A-Z]{2}", word))
    return word if kept else word.lower()


def comparator_of(predicate: str) -> str:
    """Return the sign at the end of a predicate in normal form; "" if there is none."""
    return predicate[-1] if predicate.endswith(SIGNS) else ""


def take_comparator(text: str) -> tuple[str, str]:
    """Remove the first comparator before a number from ``text``; return its sign ("" for none) and the rest."""
    behind = _BEHIND.match(text)
    if behind:
        sign = "≥" if behind["word"].casefold() in {"more", "above", "higher", "longer"} else "≤"
        return sign, f"{behind['value']}{text[behind.end() :]}".strip()
    found = [(match, sign, order) for order, (form, sign) in enumerate(_PLACES) for match in form.finditer(text)]
    if not found:
        return "", text
    match, sign, _ = min(found, key=lambda each: (each[0].start(), each[2]))
    return sign, " ".join(f"{text[: match.start()]} {text[match.end() :]}".split())


def take_tail_comparator(text: str) -> tuple[str, str]:
    """Remove a comparator from the end of a predicate; return its sign ("" for none) and the rest."""
    for form, sign in _TAILS:
        match = form.search(text)
        if match:
            return sign, text[: match.start()].strip()
    return "", text


def space_units(text: str) -> str:
    """Put a space before units ("4.72V" becomes "4.72 V") but not before "%", and write ranges with "to".

    The digits do not change.
    """
    text = _HYPHEN_RANGE.sub(r"\g<low> to \g<high>", _DASH_RANGE.sub(r"\g<low> to \g<high>", text))
    text = _JOINED.sub(r"\g<number> \g<unit>", text)
    return re.sub(r"(?<=\d)\s+%", "%", text)
