"""An answer writer without a language model: it answers in the documents' own sentences."""

import time
from collections.abc import AsyncIterator, Sequence

from contracts.jargon import Reading
from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import Draft
from intrinsics.answer_generation.base import WritingBrief
from intrinsics.answer_generation.choosing import choose_option, strip_frame
from intrinsics.answer_generation.composing import compose
from intrinsics.answer_generation.pieces import Piece, closed
from tools.embedding.base import Embedder
from tools.language import split_choices
from tools.reading import QuestionShape, Statement, StatementScorer, analyse_question, read_statements, split_parts
from tools.reading.cells import choose_cell
from tools.reading.features import view_question

_NOTHING = "The passages that were found do not hold an answer."
_MAX_PASSAGES = 12
_MAX_PARTS = 3
_CHOICE_EVIDENCE = 24


class EmbeddedAnswerWriter:
    """Writes one to three sentences taken from the passages; numbers and names stay as the documents write them.

    A table's cell is read with its header and row, a question for a list or a procedure gets the whole list, an option
    of a multiple-choice question is named with the sentence that speaks for it. On a rewrite only the sentence that
    answers most directly stays.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._scorer = StatementScorer(embedder=embedder)

    async def write(self, brief: WritingBrief) -> AsyncIterator[str | Draft]:
        """Write the answer from the brief's passages only: sentence by sentence, then one ``Draft``, the whole."""
        started = time.perf_counter()
        statements = _statements(brief.passages[:_MAX_PASSAGES])
        if brief.choices:
            pieces = await self._choose(brief, statements)
        else:
            pieces = await self._answer(brief, statements)
        text = ""
        for piece in pieces or [Piece(text=_NOTHING)]:
            gap = "" if not text else ("\n\n" if piece.listing or "\n" in text.rsplit("\n\n", 1)[-1] else " ")
            text += gap + piece.text
            yield gap + piece.text
        milliseconds = (time.perf_counter() - started) * 1_000
        yield Draft(
            text=text,
            provenance=Provenance(implementation="embedded", model=self._embedder.name, milliseconds=milliseconds),
        )

    async def _answer(self, brief: WritingBrief, statements: Sequence[Statement]) -> list[Piece]:
        question, readings = split_choices(brief.question.question)[0], brief.question.readings
        pieces: list[Piece] = []
        for part in split_parts(question)[:_MAX_PARTS]:
            shape = _complete(analyse_question(part), question, readings)
            scored = await self._scorer.score(shape, readings, statements)
            found = compose(view_question(shape, readings), scored, statements, readings, strict=bool(brief.critique))
            pieces.extend(piece for piece in found if all(piece.text != other.text for other in pieces))
        return pieces

    async def _choose(self, brief: WritingBrief, statements: Sequence[Statement]) -> list[Piece]:
        question = strip_frame(split_choices(brief.question.question)[0])
        readings = brief.question.readings
        shape = analyse_question(question)
        view = view_question(shape, readings)
        scored = await self._scorer.score(shape, readings, statements)
        answer = " ".join(piece.text for piece in compose(view, scored, statements, readings, strict=True))
        named = [each.statement for each in scored if each.statement.kind != "heading"][:_CHOICE_EVIDENCE]
        chosen = await choose_option(view, brief.choices, named, readings, self._embedder, answer=answer)
        pieces = [Piece(text=f"{chosen.choice.label}) {chosen.choice.text}", listing=True)]
        if chosen.evidence is not None:
            cell = choose_cell(view, chosen.evidence)
            told = cell is not None and not cell.is_key and chosen.choice.text in cell.text
            said = cell.text if cell is not None and told else closed(chosen.evidence.text)
            pieces.append(Piece(text=said, sources=(chosen.evidence,), listing=True))
        return pieces


def _statements(passages: Sequence[Passage]) -> list[Statement]:
    return [statement for index, passage in enumerate(passages) for statement in read_statements(passage, index)]


def _complete(shape: QuestionShape, question: str, readings: Sequence[Reading]) -> QuestionShape:
    """Give a part that names nothing ("… and how does it work?") what the whole question is about."""
    if shape.text == question or any(each.special for each in view_question(shape, readings).concepts):
        return shape
    about = " ".join(each.text for each in view_question(analyse_question(question), readings).focus)
    return analyse_question(f"{shape.text.rstrip('?')} ({about})?") if about else shape
