"""Analyses a question about a table: its words, its conditions on values, and its comparing adjectives."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from contracts.text import Span
from tools.language import STOP_WORDS, find_quantities, fold, rarity, stem
from tools.language.quantities import NUMERALS
from tools.language.verbs import base_form, is_also_noun
from tools.tables.values import WORDS, Relation, Value, is_unit, read_unit, written_unit

_EDGES = "\"'“”‘’`()[]{}<>,;:?!.|=-–—*"
_FRAME = frozenset(stem(word) for word in WORDS["words"]["frame"].split())
_SAME = {word: group.split() for group in WORDS["words"]["same"] for word in group.split()}
# Codes and names have higher weights than words; words that concern only the form of the question hardly count.
_CODE_WEIGHT, _NAME_WEIGHT, _FRAME_WEIGHT, _RARE_VERB = 0.85, 0.75, 0.05, 0.4
_SUPERLATIVES = ("most", "least", "maximum", "minimum")
_NEGATION = re.compile(r"\b(?:not|no|never|without|cannot|lacks?|except|unsupported)\b|n['’]t\b", re.IGNORECASE)
_BARE_BOUND = re.compile(r"\bat (most|least)\b(?!\s\S*\d)", re.IGNORECASE)
_NUMERAL = re.compile(rf"\b(?P<before>than|least|most|over|under|above|below) (?P<word>{'|'.join(NUMERALS)})\b", re.I)
_MORE = "more|later|higher|longer|greater|larger|over|above|up|newer"
_LESS = "less|fewer|lower|shorter|smaller|earlier|older|under|below|down"
_BEFORE: tuple[tuple[Relation, str], ...] = (
    ("to", rf"(?:no|not) (?:{_MORE}) than|at most|up to|<=|≤|maximum of|within"),
    ("from", rf"(?:no|not) (?:{_LESS}) than|at least|>=|≥|minimum of|since|starting from"),
    ("above", r"over|above|beyond|after|exceed(?:s|ing)?|>"),
    ("below", r"under|below|before|<"),
)
_THAN = re.compile(r"(?:(?P<first>\w+) )?(?P<second>\w+) than$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Adjective:
    """A comparing adjective: ``sign`` 1 for much, -1 for little; it describes ``about`` or, inversely, ``opposite``."""

    sign: int
    about: frozenset[str]
    opposite: frozenset[str]
    dimensions: frozenset[str]


@dataclass(frozen=True, slots=True)
class QuestionWord:
    """A word in a question with all its spellings as stems; ``weight``, in [0, 1], is 0 for a stop word."""

    text: str
    stems: frozenset[str]
    weight: float
    code: bool = False

    def stands_in(self, stems: frozenset[str]) -> bool:
        """Return whether ``stems`` contain the word, or a longer or shorter form of it (weigh, weight)."""
        if self.stems & stems:
            return True
        return not self.code and any(
            min(len(own), len(other)) >= 5 and (own.startswith(other) or other.startswith(own))
            for own in self.stems
            for other in stems
            if self.weight and own.isalpha() and other.isalpha()
        )


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a value; ``adjective`` is the adjective in the comparison ("longer than two days")."""

    relation: Relation
    value: Value
    span: Span
    adjective: Adjective | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableQuestion:
    """The analysis of a question.

    ``superlative`` ("highest"), ``comparative`` ("faster") and ``how`` ("how long") are words in lowercase, or "".
    """

    text: str
    words: tuple[QuestionWord, ...]
    conditions: tuple[Condition, ...]
    superlative: str = ""
    comparative: str = ""
    how: str = ""
    negated: bool = False


def _adjectives() -> dict[str, Adjective]:
    found = {}
    for entry in WORDS["adjectives"]:
        about, opposite = (frozenset(map(stem, entry.get(name, "").split())) for name in ("about", "opposite"))
        adjective = Adjective(entry["sign"], about, opposite, frozenset(entry.get("dimensions", "").split()))
        found.update(dict.fromkeys(entry["forms"].split(), adjective))
    return found


ADJECTIVES = _adjectives()


@lru_cache(maxsize=8_192)
def stems_of(text: str) -> frozenset[str]:
    """Return the stems of the words in a cell; numbers are kept whole, and codes both whole and in parts."""
    found = set()
    for chunk in text.split():
        bare = chunk.strip(_EDGES)
        if any(map(str.isdigit, bare)):
            found.add(_whole(bare))
        if re.search(r"[^\W\d]", bare):
            found.update(stem(word) for word in re.split(r"[\W_]+", bare) if word)
    return frozenset(found)


def read_question(question: str, aliases: Mapping[str, Sequence[str]]) -> TableQuestion:
    """Analyse ``question``; ``aliases`` contains other spellings of its terms."""
    text = " ".join(question.split())
    text = _BARE_BOUND.sub(lambda match: "maximum" if match[1].lower() == "most" else "minimum", text)
    text = _NUMERAL.sub(lambda match: f"{match['before']} {NUMERALS[match['word'].lower()]}", text)
    conditions = tuple(_conditions(text))
    rest = text
    for condition in conditions:
        start, end = condition.span.start, condition.span.end
        rest = rest[:start] + " " * (end - start) + rest[end:]
    spellings = {fold(term): [term, *others] for term, others in aliases.items()}
    spellings |= {fold(other): [term, *others] for term, others in aliases.items() for other in others}
    lower = re.findall(r"[^\W\d_]+", rest.casefold())
    compared = [word for word in lower if word in ADJECTIVES]
    return TableQuestion(
        text=text,
        words=tuple(word for chunk in rest.split() for word in _words(chunk, rest, spellings)),
        conditions=conditions,
        superlative=next((word for word in compared if word.endswith("est") or word in _SUPERLATIVES), ""),
        comparative=next((word for word in compared if word.endswith("er")), ""),
        how=next((after for word, after in pairwise(lower) if word == "how"), ""),
        negated=bool(_NEGATION.search(rest)),
    )


def compares_by(question: TableQuestion, word: str) -> Adjective:
    """Return the adjective for ``word`` in the question; for "most" in "most expensive", this is "expensive"."""
    following = re.search(rf"\b{word} ([a-z]+)", question.text.casefold())
    other = ADJECTIVES.get(following[1]) if following and word in ("most", "least") else None
    if other is None:
        return ADJECTIVES[word]
    return Adjective(other.sign * ADJECTIVES[word].sign, other.about, other.opposite, other.dimensions)


def _words(chunk: str, text: str, spellings: Mapping[str, Sequence[str]]) -> Iterator[QuestionWord]:
    bare = re.sub(r"['’]s$", "", chunk.strip(_EDGES))
    if fold(bare) in spellings:
        names = spellings[fold(bare)]
        stems = frozenset(map(_whole, names))
        yield QuestionWord(bare, stems, _CODE_WEIGHT, any(map(str.isdigit, bare)))
    elif any(map(str.isdigit, bare)):
        yield QuestionWord(bare, frozenset({_whole(bare)}), _CODE_WEIGHT, True)
    else:
        for word in re.split(r"[\W_]+", re.sub(r"n['’]t$", "", bare)):
            if word:
                same = _SAME.get(fold(word), [word])
                yield QuestionWord(word, frozenset(map(stem, same)), _weight(word, text))


def _weight(word: str, text: str) -> float:
    if fold(word) in STOP_WORDS:
        return 0.0
    if any(map(str.isupper, word)) and not text.lstrip().startswith(word):
        return max(rarity(fold(word)), _NAME_WEIGHT)
    # Unlike "takes", words such as "required" and "released" describe the row.
    is_verb = base_form(word) and not word.endswith("ed") and not is_also_noun(word)
    slight = stem(word) in _FRAME or (is_verb and rarity(fold(word)) < _RARE_VERB)
    return _FRAME_WEIGHT if slight else rarity(fold(word))


def _whole(chunk: str) -> str:
    if re.fullmatch(r"[\d.,:/-]+", chunk):
        return re.sub(r"(?<=\d),(?=\d{3})", "", chunk)
    return re.sub(r"[\W_]+", "", fold(chunk))


def _conditions(text: str) -> Iterator[Condition]:
    for span, value, has_unit in _numbers(text):
        before = re.sub(r"(?:\s|\b(?:the|year|version|of|[€$£])\b)*[€$£]?$", "", text[: span.start])
        found = _relation(before)
        if found is not None:
            relation, start, adjective = found
            yield Condition(relation, value, Span(start, span.end), adjective)
        elif has_unit:
            yield Condition("at", value, span)


def _numbers(text: str) -> Iterator[tuple[Span, Value, bool]]:
    for number, quantity in enumerate(find_quantities(text)):
        if re.search(r"[^\W\d][\w.-]*$", text[: quantity.span.start]):
            continue
        unit = written_unit(text, number)
        known = is_unit(unit)
        dimension, factor = read_unit(unit if known else "")
        end = quantity.span.end
        if known and not quantity.unit and (after := re.match(rf"\s?-?{re.escape(unit)}", text[end:])):
            end += after.end()
        low = float(quantity.number.lstrip("±")) * factor
        yield Span(quantity.span.start, end), Value(low, low, dimension, factor), known


def _relation(before: str) -> tuple[Relation, int, Adjective | None] | None:
    """Return the relation before a number, its start, and its adjective."""
    for relation, pattern in _BEFORE:
        if match := re.search(rf"(?<!\w)(?:{pattern})$", before, re.IGNORECASE):
            return relation, match.start(), None
    if than := _THAN.search(before):
        # Matches "more than" and, with a noun in between, "more channels than".
        for name in ("second", "first"):
            if adjective := ADJECTIVES.get((than[name] or "").lower()):
                return "above" if adjective.sign > 0 else "below", than.start("second"), adjective
    return None
