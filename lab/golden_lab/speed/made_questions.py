"""Questions to a made dictionary: with terms it has, with misspelt ones, with unknown ones, with none."""

import random
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from contracts.errors import InvalidInput
from contracts.jargon import Sense
from jargon_db.folding import fold

QuestionKind = Literal["known", "misspelt", "unknown", "none"]
KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)

_TEMPLATES = (
    "What does {0} stand for?",
    "Who is responsible for {0} when the second shift is over?",
    "Why does the {0} of the new board drop as soon as we switch {1} on?",
    "How do I set {0} so that {1} stays below the limit during a test?",
    "Is {0} the same as {1}, or do the two only look alike in the report?",
    "Which value should {0} have before we begin with {1}?",
)
_PLAIN = (
    "How long may the test take before we have to stop the machine and call somebody?",
    "Who signs the report when the head of the group is not in the house?",
    "Which of the two parts should be changed first, and why does the order matter?",
    "What happens to my request when nobody answers it within three days?",
    "Where do I find the rules for guests who stay longer than a week?",
    "Can we use the small room on the second floor for the meeting next month?",
)


# A dictionary may leave no misspelling that is clear; after so many tries the last one is taken.
_TRIES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedQuestion:
    """A question of a kind. ``wanted`` are the dictionary's terms meant, or the unknown ones as they are written."""

    kind: QuestionKind
    text: str
    wanted: tuple[str, ...]


def make_questions(
    known: Sequence[Sense], all_senses: Sequence[Sense], *, count: int, seed: int
) -> tuple[SpeedQuestion, ...]:
    """Make ``count`` questions, the kinds in turn, about terms of ``known``; unknown terms are not in ``all_senses``.

    Raises:
        InvalidInput: ``count`` is below 4, one of each kind; or no term of ``known`` can be misspelt.
    """
    if count < len(KINDS):
        raise InvalidInput(f"{count} questions are too few: {len(KINDS)} kinds need one each", field="questions")
    chance = random.Random(seed)
    terms = list(dict.fromkeys(sense.term for sense in known))
    long = [term for term in terms if term.isalpha() and len(term) > 3 and len(set(fold(term[1:]))) > 1]
    if not long:
        raise InvalidInput("no term is long enough to be misspelt: make a larger dictionary", field="terms")
    taken = {fold(spelling) for sense in all_senses for spelling in (sense.term, *sense.aliases)}
    questions = []
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        template = (_PLAIN if kind == "none" else _TEMPLATES)[number // len(KINDS) % len(_TEMPLATES)]
        slots = 0 if kind == "none" else 2 if "{1}" in template else 1
        if kind == "unknown":
            wanted = written = tuple(_unknown(chance, taken) for _ in range(slots))
        elif kind == "misspelt":
            pairs = tuple(_misspelt(long, taken, chance) for _ in range(slots))
            wanted, written = tuple(term for term, _ in pairs), tuple(typed for _, typed in pairs)
        else:
            wanted = written = tuple(chance.choice(terms) for _ in range(slots))
        questions.append(SpeedQuestion(kind=kind, text=template.format(*written), wanted=wanted))
    return tuple(questions)


def misspell(term: str, chance: random.Random) -> str:
    """Return ``term`` with two different letters behind the first one in the wrong order.

    Raises:
        InvalidInput: all letters behind the first one are the same.
    """
    places = [at for at in range(1, len(term) - 1) if fold(term[at]) != fold(term[at + 1])]
    if not places:
        raise InvalidInput(f"{term!r} has no two letters to change places", field="term")
    return _exchanged(term, chance.choice(places))


def _misspelt(terms: Sequence[str], taken: set[str], chance: random.Random) -> tuple[str, str]:
    """Draw a term with a misspelling that leads to no other spelling in ``taken`` by the same kind of error.

    Where another term is as near, nobody could say which one is meant.
    """
    for _ in range(_TRIES):
        term = chance.choice(terms)
        typed = misspell(term, chance)
        others = {fold(typed), *(fold(_exchanged(typed, at)) for at in range(1, len(typed) - 1))} - {fold(term)}
        if not others & taken:
            break
    return term, typed


def _exchanged(text: str, at: int) -> str:
    return f"{text[:at]}{text[at + 1]}{text[at]}{text[at + 2 :]}"


def _unknown(chance: random.Random, taken: set[str]) -> str:
    while fold(drawn := "".join(chance.choices(string.ascii_uppercase, k=5))) in taken:
        pass
    return drawn
