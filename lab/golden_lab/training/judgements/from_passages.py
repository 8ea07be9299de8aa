"""Cases made from questions with a known passage, which the language model wrote about your documents."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from contracts.errors import InvalidInput
from contracts.text import Passage
from golden_lab.training.data.questions import PassageQuestion
from golden_lab.training.judgements.cases import (
    AnswerabilityCase,
    AnsweredQuestion,
    CaseCitation,
    CasePassage,
    CitationCase,
    JudgementCase,
    QuestionWritingCase,
    RelevanceCase,
    WritingCase,
    WrittenSentence,
    passages_of,
)
from tools.language import fold

# Returns the passages nearest to a question, best first, except for the one with the given number.
Search = Callable[[str, int], Awaitable[Sequence[CasePassage]]]
# Returns the probability that passages contain the answer to a question.
Gate = Callable[[str, Sequence[Passage]], Awaitable[float]]

SHOWN = 4
# A passage does not contain the answer if its probability is below this and the answer's words do not occur in it.
_SURELY_NOT = 0.3


async def cases_of_passages(
    intrinsic: str, rows: Sequence[PassageQuestion], search: Search, gate: Gate
) -> tuple[JudgementCase, ...]:
    """Return the cases of ``intrinsic`` made from ``rows``: positives from the right passage, and hard negatives.

    Negatives come from the nearest passages that search returns, if ``gate`` is sure that they lack the answer and the
    answer's words do not occur in them. All cases from a document are in one group.

    Raises:
        InvalidInput: passages with questions do not determine the correct reply of that intrinsic.
    """
    if intrinsic not in (*_ALONE, *_WITH_OTHERS):
        made = ", ".join(sorted((*_ALONE, *_WITH_OTHERS)))
        raise InvalidInput(f"cases of {intrinsic} cannot be made from passages with questions, only cases of {made}")
    found: list[JudgementCase] = []
    for number, row in enumerate(rows):
        if intrinsic in _ALONE:
            found += _ALONE[intrinsic](row)
        else:
            near = list(await search(row.question, number))[:SHOWN]
            if intrinsic == "answerability":
                found += _answerability(row, number, near, lacks=bool(near) and await _lacks(row, near, gate))
            else:
                wrong = next(iter([each for each in near if await _lacks(row, [each], gate)]), None)
                found += _relevance(row, wrong)
    return tuple(found)


async def _lacks(row: PassageQuestion, passages: Sequence[CasePassage], gate: Gate) -> bool:
    """Return whether passages certainly lack the answer."""
    if any(fold(row.answer).rstrip(". ") in fold(each.text) for each in passages):
        return False
    return await gate(row.question, passages_of(tuple(passages))) < _SURELY_NOT


def _answerability(
    row: PassageQuestion, number: int, near: Sequence[CasePassage], *, lacks: bool
) -> list[JudgementCase]:
    # Both cases have the same number of passages, and the correct passage is in a different place each time, so that
    # neither the number nor the place reveals the label.
    with_own = list(near[: SHOWN - 1])
    with_own.insert(number % (len(with_own) + 1), _own(row))
    labelled = [("+", with_own, True), *([("-", list(near), False)] if lacks else [])]
    return [
        AnswerabilityCase(**_common(row, sign), question=row.question, passages=tuple(shown), answerable=answerable)
        for sign, shown, answerable in labelled
    ]


def _relevance(row: PassageQuestion, wrong: CasePassage | None) -> list[JudgementCase]:
    own = RelevanceCase(**_common(row, "+"), question=row.question, passage=_own(row), label="relevant")
    if wrong is None:
        return [own]
    return [own, RelevanceCase(**_common(row, "-"), question=row.question, passage=wrong, label="irrelevant")]


def _citation(row: PassageQuestion) -> list[JudgementCase]:
    (passage,) = passages_of((_own(row),))
    held = [
        index
        for index in range(len(passage.sentences))
        if fold(row.answer).rstrip(". ") in fold(" ".join(passage.sentence(index).split()))
    ]
    citations = tuple(CaseCitation(sentence=0, passage=0, passage_sentences=(each,)) for each in held[:1])
    case = CitationCase(
        **_common(row), question=row.question, answer=(row.answer,), passages=(_own(row),), citations=citations
    )
    return [case] if held else []


def _writing(row: PassageQuestion) -> list[JudgementCase]:
    sentences = (WrittenSentence(text=row.answer, passages=(0,)),)
    return [WritingCase(**_common(row), question=row.question, passages=(_own(row),), sentences=sentences)]


def _question_writing(row: PassageQuestion) -> list[JudgementCase]:
    questions = (AnsweredQuestion(question=row.question, answer=row.answer),)
    return [QuestionWritingCase(**_common(row), passage=_own(row), questions=questions)]


def _common(row: PassageQuestion, sign: str = "") -> dict[str, Any]:
    return {"id": row.id + sign, "group": row.source.document, "source": f"a passage, asked about by {row.model}"}


def _own(row: PassageQuestion) -> CasePassage:
    return CasePassage(text=row.passage, title=row.source.document, page=row.source.page)


_ALONE: Mapping[str, Callable[[PassageQuestion], list[JudgementCase]]] = {
    "citation": _citation,
    "answer_generation": _writing,
    "question_writing": _question_writing,
}
_WITH_OTHERS = ("answerability", "context_relevance")
