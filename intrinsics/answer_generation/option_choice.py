"""Option choice: finds the option of a multiple-choice question that the quotes support."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.jargon import Reading
from contracts.question import Choice
from contracts.text import Passage
from tools.language import find_quantities, fold
from tools.reading.concepts import coverage, question_concepts, read_words
from tools.reading.features import QuestionView
from tools.reading.quoted_answers import quote_answer
from tools.reading.ranking import RankedQuote

_ALL = re.compile(r"\b(?:all|both|each) of (?:the above|these|them)\b|^all$", re.IGNORECASE)
_NONE = re.compile(r"\b(?:none|neither) of (?:the above|these|them)\b|^none$", re.IGNORECASE)
_ASKS_FOR_WRONG = re.compile(
    r"\b(?:NOT|EXCEPT|LEAST)\b|\bexcept\b|\b(?:is|are) (?:false|incorrect|untrue|wrong)\b|"
    r"\b(?:which|what|who)\b[^,?]*?\b(?:is|are|was|were|does|do|did|can|would|should|has|have)(?:n['’]t|\s+not)\b(?!\s*\?)"
)
_FALSE_FRAME = re.compile(
    r"^\s*(?:is the following (?:statement )?(?:true|correct)|true or false)\s*[:?.]?\s*", re.IGNORECASE
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|cannot|neither|nor|none|prohibited|forbidden|disallowed|lacks?|without|fails? to)\b|n['’]t\b",
    re.I,
)
_READ = 24
_HELD = 0.6
_LITTLE = 0.3
_NUMBER_MISSING = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenOption:
    """The chosen option, and the quote that supports it best."""

    choice: Choice
    evidence: RankedQuote | None


def choose_option(
    view: QuestionView,
    choices: Sequence[Choice],
    ranked: Sequence[RankedQuote],
    passages: Sequence[Passage],
    readings: Sequence[Reading],
) -> ChosenOption:
    """Choose one of ``choices`` (not empty): the one with the largest share of its words in the best quotes."""
    quotes = ranked[:_READ]
    if not quotes:
        return ChosenOption(choice=choices[0], evidence=None)
    texts = [quote_answer(view, [each], passages).text for each in quotes]
    folded = {fold(choice.text).rstrip("."): choice for choice in choices}
    yes, no = folded.get("true") or folded.get("yes"), folded.get("false") or folded.get("no")
    if yes is not None and no is not None and len(choices) <= 3:
        held = coverage(view.concepts, read_words(texts[0])) >= _HELD
        denied = bool(_NEGATION.search(texts[0])) != bool(_NEGATION.search(view.shape.text))
        return ChosenOption(choice=yes if held and not denied else no, evidence=quotes[0])
    plain = [each for each in choices if not _ALL.search(each.text) and not _NONE.search(each.text)] or list(choices)
    supports = {choice.label: _support(view, choice, quotes, texts, readings) for choice in plain}
    order = sorted(plain, key=lambda choice: -supports[choice.label][0])
    every = next((each for each in choices if _ALL.search(each.text)), None)
    none = next((each for each in choices if _NONE.search(each.text)), None)
    best = order[0]
    if _ASKS_FOR_WRONG.search(view.shape.text):
        return ChosenOption(choice=order[-1], evidence=supports[best.label][1])
    if every is not None and len(plain) >= 2 and all(supports[each.label][0] >= _HELD for each in plain):
        best = every
    elif none is not None and supports[best.label][0] < _LITTLE:
        best = none
    return ChosenOption(choice=best, evidence=supports[order[0].label][1])


def _support(
    view: QuestionView, choice: Choice, quotes: Sequence[RankedQuote], texts: Sequence[str], readings: Sequence[Reading]
) -> tuple[float, RankedQuote]:
    """Return how well the best quote supports the words that only this option has, and that quote.

    ``texts`` are the parts of the quotes that would be shown: a whole table may contain the values of all options.
    """
    concepts = question_concepts(choice.text, readings)
    own = [each for each in concepts if each.presence(view.words) < 1.0] or list(concepts)
    numbers = {quantity.number for quantity in find_quantities(choice.text)}

    def share_in(text: str) -> float:
        share = coverage(own, read_words(text)) if own else float(fold(choice.text) in fold(text))
        missing = numbers - {quantity.number for quantity in find_quantities(text)}
        return share * _NUMBER_MISSING if missing else share

    found = []
    for place, (quote, text) in enumerate(zip(quotes, texts, strict=True)):
        found.append((share_in(text) * (0.5 + 0.5 * quote.coverage) - 0.01 * place, quote))
    return max(found, key=lambda each: each[0])


def strip_frame(question: str) -> str:
    """Remove "True or false:" from a question, so that only its statement is compared."""
    return _FALSE_FRAME.sub("", question) or question
