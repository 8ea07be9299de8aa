"""A writer of questions without a language model: templates over what a passage states."""

import re
import time
from collections.abc import Iterator

from contracts.text import Passage, Span
from contracts.verdicts import WrittenQuestion, WrittenQuestions
from intrinsics.question_writing.asking import Asked, ask_about, ask_for_limit
from intrinsics.question_writing.cells import ask_of_abbreviations, ask_of_cells
from intrinsics.question_writing.clauses import read_clause
from intrinsics.question_writing.standing import distinct, place_of, stands_alone
from tools.judges import provenance_since
from tools.language import find_piece
from tools.reading import Statement, read_statements

_MAX_CHARACTERS = 20_000
_MOST = 8
# Below this, a question's subject says too little for a reader who has not seen the passage.
_FEWEST_MERIT = 0.5
# What stands in such a list holds under its condition only: "A write fails if:".
_CONDITIONAL = re.compile(r"\b(?:if|when|unless|conditions?|cases?|reasons?|situations?|examples?|errors?)\b.*:$", re.I)
_FEWEST_WORDS, _MOST_WORDS = 4, 40


class EmbeddedQuestionWriter:
    """Turns plain sentences, table cells and abbreviations into questions; what it cannot read for certain it leaves.

    A sentence with more than one reading of its verb, with a negation or with a condition cut off makes no question:
    few and right is worth more than many.
    """

    async def write(self, passage: Passage) -> WrittenQuestions:
        """Write factual questions that ``passage`` answers explicitly, each understandable alone, best first.

        At most eight; the first 20 000 characters count.
        """
        started = time.perf_counter()
        found: list[tuple[float, WrittenQuestion]] = []
        if len(passage.text) <= _MAX_CHARACTERS:
            for statement in read_statements(passage, 0):
                found += _of_statement(statement, passage)
        found.sort(key=lambda pair: -pair[0])
        return WrittenQuestions(
            questions=distinct(written for _, written in found)[:_MOST],
            provenance=provenance_since(started),
        )


def _of_statement(statement: Statement, passage: Passage) -> Iterator[tuple[float, WrittenQuestion]]:
    place = place_of(statement, passage)
    for asked in _asked(statement, passage.text):
        question, answer = " ".join(asked.question.split()), asked.answer.strip(" .,;:")
        if asked.merit < _FEWEST_MERIT or not stands_alone(question, answer):
            continue
        evidence = _cell(answer, passage.text, place) if statement.kind == "row" else None
        evidence = evidence or find_piece(answer, passage.text, place)
        if evidence is not None:
            yield asked.merit, WrittenQuestion(question=question, answer=answer, evidence=evidence)


def _asked(statement: Statement, text: str) -> Iterator[Asked]:
    if statement.kind == "row":
        if statement.record is not None:
            yield from ask_of_cells(statement.record, text)
        return
    if statement.kind == "heading" or not _FEWEST_WORDS <= len(statement.text.split()) <= _MOST_WORDS:
        return
    yield from ask_of_abbreviations(statement.text)
    if statement.kind == "item" and _CONDITIONAL.search(statement.before):
        return
    if statement.text.endswith((".", "!")) or statement.kind == "item":
        yield from ask_for_limit(statement.text)
        clause = read_clause(statement.text, text)
        if clause is not None:
            yield from ask_about(clause)


def _cell(answer: str, text: str, place: Span) -> Span | None:
    """Find a whole cell of a row; another cell may hold the same words among others."""
    words = r"\s+".join(re.escape(word) for word in answer.split())
    match = re.search(rf"\|\s*(?P<cell>{words})\s*(?=\||$)", text[place.start : place.end], re.MULTILINE)
    return Span(place.start + match.start("cell"), place.start + match.end("cell")) if match else None
