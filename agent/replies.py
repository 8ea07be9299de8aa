"""Interprets replies to a clarifying question: which of the offered meanings a reply chooses, if any."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import process
from rapidfuzz.distance import OSA

from contracts.question import Decision
from tools.language import content_stems, find_words, fold, stem

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_LETTER = re.compile(r"(?:(?:option|answer|choice|letter)\s+)?\(?([a-i])[).]?", re.IGNORECASE)
# Words in a reply that do not help to identify an option.
_FILLER = frozenset(
    """answer choice choose chose context department field guess hmm kind mean meaning meant no number ok
    okay option pick please prefer select sense sure take think version yeah yes yep""".split()  # noqa: SIM905
)
_FILLER_STEMS = frozenset(stem(word) for word in _FILLER)
# A reply that begins like this is a new question, even if it contains words from an option.
_ASKS = re.compile(r"(?:what(?!\s+about\b)|how(?!\s+about\b)|when|where|why|who|does|do|did|can)\b", re.IGNORECASE)
_SHORTEST_MISSPELT = 4
_LONG = 8

_LEAD = r"(?:(?:well|hmm|sorry|oh|um|please|honestly|i mean|i meant|i think|i guess|probably)\b[\s,.…-]*)*"
_TAIL = r"(?:[\s,]+(?:of (?:them|these|those|the two)|please|thanks|thank you|ones?|meanings?|options?|apply))*"
_DECISIONS: tuple[tuple[Decision, re.Pattern[str]], ...] = (
    ("each", re.compile(rf"{_LEAD}(?:both|all|each|every one|all (?:three|four|five)){_TAIL}", re.IGNORECASE)),
    (
        "none",
        re.compile(
            rf"{_LEAD}(?:neither(?: nor| one)?|none|no one|nothing|not any|(?:something|none of these, something) else"
            rf"|another(?: one| meaning)?|other){_TAIL}",
            re.IGNORECASE,
        ),
    ),
    (
        "unsure",
        re.compile(
            rf"{_LEAD}(?:(?:i )?(?:do not|don'?t|dont) (?:really )?(?:know|care|mind)(?: (?:which|that|yet))*"
            r"|(?:i )?(?:have )?no idea|(?:i am |i'?m )?(?:not sure|unsure)|(?:i )?can(?:no|')?t (?:say|tell)"
            r"|either|any|whichever|whatever|idk|you (?:choose|decide)"
            rf"|(?:it |that )?(?:does not|doesn'?t) (?:really )?matter){_TAIL}",
            re.IGNORECASE,
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """A meaning that a reply can choose by number (0: no number was shown), by name, or by other words from it."""

    number: int
    name: str
    context: str
    description: str


def decision_in(reply: str) -> Decision:
    """Return "each", "none" or "any" if ``reply`` chooses the offered meanings in this way; otherwise "one"."""
    said = " ".join(reply.replace("’", "'").split()).strip(" .!,;…-")
    for decision, pattern in _DECISIONS:
        if pattern.fullmatch(said):
            return decision
    return "one"


def is_number(reply: str) -> bool:
    """Return whether ``reply`` contains option numbers and nothing else."""
    numbers, words = _take_apart(reply, 0)
    return bool(numbers) and not words


def meaning_in(reply: str, term: str, offers: Sequence[Meaning]) -> Meaning | None:
    """Return the meaning in ``offers`` for ``term`` that ``reply`` chooses; None if it chooses none or several."""
    for each in offers:
        if fold(reply) == fold(each.name):
            return each
    if letter := _LETTER.fullmatch(reply.strip()):
        at = ord(letter.group(1).lower()) - ord("a")
        # If no numbers were shown, a letter cannot refer to an option.
        return next((each for each in offers if each.number == at + 1), None)
    numbers, words = _take_apart(reply, len(offers))
    if numbers:
        numbered = [each for each in offers if numbers == {each.number}]
        if numbered and words <= _words_of(numbered[0], term, True):
            return numbered[0]
    said = set(content_stems(reply)) - _FILLER_STEMS
    if _ASKS.match(reply.strip()) or not said - set(content_stems(term)):
        return None
    found = _meant(said, term, offers, bool(numbers))
    return found or _meant(_respelt(reply, term, offers) - _FILLER_STEMS, term, offers, bool(numbers))


def _meant(said: set[str], term: str, offers: Sequence[Meaning], numbered: bool) -> Meaning | None:
    # If the reply contains a number, it may be part of a meaning's name ("two-level cell"), but it is probably not part
    # of a description.
    for with_description in (False,) if numbered else (False, True):
        fitting = [each for each in offers if said <= _words_of(each, term, with_description)]
        if len(fitting) == 1:
            return fitting[0]
    return None


def _respelt(reply: str, term: str, offers: Sequence[Meaning]) -> set[str]:
    """Return the stems of ``reply`` after correcting misspelt words using the offered names and contexts."""
    written = f"{term} " + " ".join(f"{each.name} {each.context}" for each in offers)
    known = sorted({fold(word.text) for word in find_words(written)})
    found: list[str] = []
    for word in find_words(reply):
        said = fold(word.text)
        errors = 0 if len(said) < _SHORTEST_MISSPELT else 1 if len(said) < _LONG else 2
        near = process.extractOne(said, known, scorer=OSA.distance, score_cutoff=errors) if errors else None
        found.append(near[0] if near else said)
    return set(content_stems(" ".join(found)))


def _words_of(offer: Meaning, term: str, with_description: bool) -> set[str]:
    detail = offer.description if with_description else ""
    return set(content_stems(f"{term} {offer.name} {offer.context} {detail}".replace("*", " ")))


def _take_apart(reply: str, count: int) -> tuple[set[int], set[str]]:
    """Split a reply into its option numbers, written as digits or words, and the stems of its other words."""
    numbers: set[int] = set()
    words: set[str] = set()
    for word in find_words(reply):
        folded = fold(word.text)
        match = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", folded)
        if match:
            numbers.add(int(match.group(1)))
        elif folded in _ORDINALS:
            numbers.add(_ORDINALS.index(folded) + 1)
        elif folded in _CARDINALS:
            numbers.add(_CARDINALS.index(folded) + 1)
        elif folded == "last":
            numbers.add(count)
        else:
            words.update(content_stems(folded))
    # In "the second one" or "the one in software", "one" is not a number; it is a number only if it is alone.
    if "one" in {fold(word.text) for word in find_words(reply)} and (len(numbers) > 1 or words - _FILLER_STEMS):
        numbers.discard(1)
    return numbers, words - _FILLER_STEMS
