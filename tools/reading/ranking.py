"""Ranks the quotes in passages as answers to a question, by the cross-encoder, words, place and kind."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from contracts.jargon import Reading
from contracts.question import AugmentedQuestion
from contracts.text import Passage, Span
from tools.cross_encoder.base import AnswerScorer, PlacedText
from tools.language import split_sentences
from tools.reading.answer_types import answer_type_match
from tools.reading.concepts import coverage, read_words
from tools.reading.features import VALUE_KINDS, QuestionView, conflict_of, told_span, view_question
from tools.reading.questions import analyse_question
from tools.reading.quotes import Quote, quoted_text, read_quotes, whole_sentences
from tools.tables.table import TableAnswer, parse_tables
from tools.tables.table_questions import answer_from_table

FEATURE_NAMES = (
    "logit",
    "span_logit",
    "search_rank",
    "dense",
    "coverage",
    "coverage_with_place",
    "coverage_of_heading",
    "value_type",
    "list_wanted",
    "steps_wanted",
    "table",
    "code",
    "table_match",
    "table_operation",
)
_COVERAGE = FEATURE_NAMES.index("coverage_with_place")
# A quote about a sibling code (DDR2 instead of DDR3) must lose to every quote about the requested code, so this
# exceeds the range of scores of good quotes. No data set has enough such pairs to fit the value.
_CONFLICT_PENALTY = 4.0
# If a table covers less of a question than this, the question asks for something else.
_LEAST_MATCH = 0.5
# In training, the cross-encoder saw places of at most this many characters.
_PLACE_CHARACTERS = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedQuote:
    """A quote from the passage with the index ``passage``; ``score`` is the log-odds that it answers the question.

    ``key`` is the most probable position of the answer in the passage's text, within ``quote``. ``features`` are the
    components of the score, as in ``FEATURE_NAMES``. ``table`` is the answer from the quote's table, if there is one;
    ``empty`` means that the requested cell is empty. ``answer_type``, in [0, 1], is how well the quote matches the
    requested type of answer. ``conflict`` means that it is about a sibling of a requested code (DDR4 for DDR5).
    """

    quote: Quote
    passage: int
    score: float
    key: Span
    features: tuple[float, ...]
    answer_type: float
    conflict: bool
    table: TableAnswer | None = None
    empty: bool = False

    @property
    def coverage(self) -> float:
        """The share of the question's words, weighted by rarity, that occur in the quote or in the text above it."""
        return self.features[_COVERAGE]


class QuoteRanker:
    """Ranks the quotes in passages as answers to a question."""

    def __init__(self, scorer: AnswerScorer) -> None:
        self._scorer = scorer

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._scorer.name

    async def rank(self, question: AugmentedQuestion | str, passages: Sequence[Passage]) -> tuple[RankedQuote, ...]:
        """Return the quotes in ``passages``, most probable answer first."""
        asked = question if isinstance(question, str) else question.question
        readings = () if isinstance(question, str) else question.readings
        quotes = [(index, quote) for index, passage in enumerate(passages) for quote in read_quotes(passage)]
        if not quotes:
            return ()
        texts = [
            PlacedText(quoted_text(passages[index].text, quote), place_of(passages[index], quote))
            for index, quote in quotes
        ]
        scores = await self._scorer.score(question if isinstance(question, str) else question.with_expansions, texts)
        view = view_question(analyse_question(asked), readings)
        # Use the order of the search, whatever the order of ``passages`` is.
        order = sorted(range(len(passages)), key=lambda index: -passages[index].score)
        tables = [list(_table_answers(asked, passage, readings)) for passage in passages]
        weights, intercept = stored_weights()
        ranked = []
        for (index, quote), text, score in zip(quotes, texts, scores, strict=True):
            table = _table_of(quote, tables[index])
            empty = table is not None and not table.tells
            table = None if empty else table
            features = (
                score.logit,
                score.span_logit,
                1.0 / (1.0 + order.index(index)),
                *_features(view, passages[index], quote, text, table),
            )
            key = _key(quote, score.span)
            conflict = conflict_of(view, text.text, text.place) or (
                quote.kind == "prose"
                and conflict_of(view, _answering_text(view, passages[index], quote, key), text.place)
            )
            value = float(weights @ features) + intercept - _CONFLICT_PENALTY * (conflict or empty)
            ranked.append(
                RankedQuote(
                    quote=quote,
                    passage=index,
                    score=value,
                    key=key,
                    features=features,
                    answer_type=answer_type_match(view.shape, text.text),
                    conflict=conflict,
                    table=table,
                    empty=empty,
                )
            )
        return tuple(sorted(ranked, key=lambda each: -each.score))


def place_of(passage: Passage, quote: Quote | None = None) -> str:
    """Return the title and headings above a passage, or above a quote in it, on one line, cut at the start if long."""
    parts = (passage.document_title, *_headings_above(passage, quote))
    return " > ".join(part for part in parts if part)[-_PLACE_CHARACTERS:]


def _headings_above(passage: Passage, quote: Quote | None) -> tuple[str, ...]:
    inside = quote.headings if quote is not None else ()
    return (*passage.chunk.heading_path, *(" ".join(passage.text[each.start : each.end].split()) for each in inside))


def _features(
    view: QuestionView, passage: Passage, quote: Quote, text: PlacedText, table: TableAnswer | None
) -> tuple[float, ...]:
    """Return the features after the first three, which come from the cross-encoder and the search."""
    shape = view.shape
    match = table.match if table is not None else 0.0
    headings = _headings_above(passage, quote)
    return (
        passage.dense,
        coverage(view.concepts, read_words(text.text)),
        coverage(view.concepts, read_words(f"{text.place} {text.text}")),
        coverage(view.concepts, read_words(headings[-1])) if headings else 0.0,
        answer_type_match(shape, text.text) if shape.kind in VALUE_KINDS else 0.0,
        float(shape.kind == "list" and quote.kind == "list"),
        float(shape.kind == "procedure" and quote.kind in ("list", "code")),
        float(quote.kind == "table"),
        float(quote.kind == "code"),
        match,
        match if table is not None and table.operation not in ("cell", "list") else 0.0,
    )


def _table_answers(question: str, passage: Passage, readings: Sequence[Reading]) -> Iterator[TableAnswer]:
    """Yield the answers to ``question`` from the tables in a passage."""
    aliases = {
        each.mention.text: [each.sense.term, each.sense.extended_name, *each.sense.aliases]
        for each in readings
        if each.sense is not None
    }
    for table in parse_tables(passage.text, place_of(passage), headless=passage.chunk.block_kind == "rows"):
        answer = answer_from_table(question, table, aliases)
        if answer is not None and answer.match >= _LEAST_MATCH:
            yield answer


def _table_of(quote: Quote, answers: Sequence[TableAnswer]) -> TableAnswer | None:
    """Return the answer from the table that contains ``quote``."""
    inside = [
        each
        for each in answers
        if each.rows and quote.kind == "table"
        and quote.whole.start <= each.table.rows[each.rows[0]].span.start < quote.whole.end
    ]  # fmt: skip
    return max(inside, key=lambda each: each.match, default=None)


def _key(quote: Quote, found: Span) -> Span:
    """Return the position of the answer in the passage; ``found`` is relative to the introduction of the quote."""
    lead = quote.lead.end - quote.lead.start + 1 if quote.lead is not None else 0
    start = max(quote.span.start, quote.span.start + found.start - lead)
    return Span(min(start, quote.span.end), max(start, min(quote.span.end, quote.span.start + found.end - lead)))


def _answering_text(view: QuestionView, passage: Passage, quote: Quote, key: Span) -> str:
    """Return the sentences in ``quote`` that contain the answer, which may not include the requested code."""
    sentences = whole_sentences(passage.text, passage.sentences or split_sentences(passage.text), quote.span)
    place = told_span(view, passage.text, sentences, key)
    return passage.text[place.start : place.end]


@lru_cache(maxsize=1)
def stored_weights() -> tuple[NDArray[np.float64], float]:
    """Return the fitted weights of the features, in the order of ``FEATURE_NAMES``, and the intercept (log-odds).

    Source: ``ranking.json``, which contains the training data and command.
    """
    stored = json.loads(resources.files("tools.reading").joinpath("ranking.json").read_text("utf-8"))
    return np.array([float(stored["weights"][name]) for name in FEATURE_NAMES]), float(stored["intercept"])
