"""Choosing: the option of a multiple-choice question that the passages support."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from contracts.jargon import Reading
from contracts.question import Choice
from tools.embedding.base import Embedder
from tools.language import Quantity, find_quantities, fold
from tools.reading.concepts import Concept, coverage, question_concepts, read_words
from tools.reading.features import QuestionView, conflict
from tools.reading.polarity import decide
from tools.reading.statements import Statement

_ALL = re.compile(r"\b(?:all|both|each) of (?:the above|these|them)\b|^all$", re.IGNORECASE)
_ASKS_FOR_WRONG = re.compile(
    r"\b(?:NOT|EXCEPT|LEAST)\b|\bexcept\b|\b(?:is|are) (?:false|incorrect|untrue|wrong)\b|"
    r"\b(?:which|what|who)\b[^,?]*?\b(?:is|are|was|were|does|do|did|can|would|should|has|have)(?:n['’]t|\s+not)\b(?!\s*\?)"
)
_NONE = re.compile(r"\b(?:none|neither) of (?:the above|these|them)\b|^none$", re.IGNORECASE)
_FALSE_FRAME = re.compile(
    r"^\s*(?:is the following (?:statement )?(?:true|correct)|true or false)\s*[:?.]?\s*", re.IGNORECASE
)
_CLAUSE = re.compile(r"[,;]\s+|\s+(?:and|but|while|whereas|or)\s+")
# The cosine of a hypothesis counts beside the words; words and numbers decide where they speak.
_COSINE_WEIGHT = 0.5
_ANSWER_WEIGHT = 0.4
_NUMBER_MISSING = 0.15
_HELD = 0.75
_ALL_HELD = 0.6
_LITTLE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenOption:
    """The option chosen, and the statement that speaks for it most."""

    choice: Choice
    evidence: Statement | None
    support: float


async def choose_option(
    view: QuestionView,
    choices: Sequence[Choice],
    statements: Sequence[Statement],
    readings: Sequence[Reading],
    embedder: Embedder,
    *,
    answer: str,
) -> ChosenOption:
    """Choose among ``choices`` (not empty) by what ``statements``, most likely first, say of each.

    ``answer`` is what would have been answered without options: the option that it holds is preferred.
    """
    judged = _true_or_false(view, choices, statements)
    if judged is not None:
        return judged
    plain = [each for each in choices if not _ALL.search(each.text) and not _NONE.search(each.text)]
    if not plain or not statements:
        return ChosenOption(choice=choices[0], evidence=statements[0] if statements else None, support=0.0)
    supports = await _supports(view, plain, statements, readings, embedder, answer)
    ranked = sorted(supports, key=lambda option: option.support, reverse=True)
    if _ASKS_FOR_WRONG.search(view.shape.text):
        # The option that nothing speaks for; the evidence is what names the others.
        return ChosenOption(choice=ranked[-1].choice, evidence=ranked[0].evidence, support=1.0 - ranked[-1].support)
    every = next((each for each in choices if _ALL.search(each.text)), None)
    if every is not None and len(plain) >= 2 and all(option.support >= _ALL_HELD for option in ranked):
        return ChosenOption(choice=every, evidence=ranked[0].evidence, support=ranked[-1].support)
    none = next((each for each in choices if _NONE.search(each.text)), None)
    if none is not None and ranked[0].support < _LITTLE:
        return ChosenOption(choice=none, evidence=ranked[0].evidence, support=1.0 - ranked[0].support)
    return ranked[0]


async def _supports(
    view: QuestionView,
    choices: Sequence[Choice],
    statements: Sequence[Statement],
    readings: Sequence[Reading],
    embedder: Embedder,
    answer: str,
) -> list[ChosenOption]:
    hypotheses = await embedder.embed_queries([f"{view.shape.text} {choice.text}" for choice in choices])
    vectors = await embedder.embed_documents([statement.text for statement in statements])
    cosines = hypotheses @ vectors.T
    # What all options share tells nothing: only the distance to the mean over the options counts.
    relative = cosines - cosines.mean(axis=0, keepdims=True)
    options = []
    for number, choice in enumerate(choices):
        own = _own_concepts(view, choice, readings)
        quantities = find_quantities(choice.text)
        words = [_support(view, own, quantities, statement, choice) for statement in statements]
        total = np.array(words) + _COSINE_WEIGHT * relative[number]
        best = int(np.argmax(total))
        held = _held(own, quantities, answer, choice)
        options.append(
            ChosenOption(
                choice=choice, evidence=statements[best], support=float(total[best]) + _ANSWER_WEIGHT * held * held
            )
        )
    return options


def _support(
    view: QuestionView, own: Sequence[Concept], quantities: Sequence[Quantity], statement: Statement, choice: Choice
) -> float:
    """Score how a statement speaks for an option: what is the option's own is there, and so is the question."""
    around = read_words(f"{statement.place} {statement.before} {statement.text}")
    about = coverage(view.concepts, around)
    # "At most 5 A for pumps and at most 9 A for fans": the words that go with an option are those of its clause.
    clauses = [clause for clause in _CLAUSE.split(statement.text) if _held(own, quantities, clause, choice) > _HELD]
    beside = max((coverage(view.concepts, read_words(clause)) for clause in clauses), default=about)
    score = _held(own, quantities, statement.text, choice) * (0.25 + 0.5 * about + 0.25 * beside)
    return 0.2 * score if conflict(view, statement) else score


def _held(own: Sequence[Concept], quantities: Sequence[Quantity], text: str, choice: Choice) -> float:
    """Return the share of an option that a text holds; a number that is not there costs nearly all of it."""
    there = find_quantities(text)
    share = coverage(own, read_words(text)) if own else float(fold(choice.text) in fold(text))
    for quantity in quantities:
        same = [other for other in there if other.number == quantity.number]
        if not any(not quantity.unit or not other.unit or other.unit == quantity.unit for other in same):
            share *= _NUMBER_MISSING
    return share


def _own_concepts(view: QuestionView, choice: Choice, readings: Sequence[Reading]) -> tuple[Concept, ...]:
    concepts = question_concepts(choice.text, readings)
    own = tuple(each for each in concepts if each.presence(view.words) < 1.0)
    return own or concepts


def _true_or_false(
    view: QuestionView, choices: Sequence[Choice], statements: Sequence[Statement]
) -> ChosenOption | None:
    """Decide between two options that are only "true" and "false", or "yes" and "no"."""
    folded = {fold(choice.text).rstrip("."): choice for choice in choices}
    yes = folded.get("true") or folded.get("yes")
    no = folded.get("false") or folded.get("no")
    if yes is None or no is None or len(choices) > 3:
        return None
    for statement in statements[:5]:
        polarity = decide(view, statement)
        if polarity is not None:
            return ChosenOption(choice=yes if polarity == "yes" else no, evidence=statement, support=1.0)
    evidence = statements[0] if statements else None
    held = evidence is not None and coverage(view.concepts, read_words(f"{evidence.place} {evidence.text}")) >= 0.7
    return ChosenOption(choice=yes if held else no, evidence=evidence, support=0.5)


def strip_frame(question: str) -> str:
    """Take "True or false:" off a question, so that its statement is what is compared."""
    return _FALSE_FRAME.sub("", question) or question
