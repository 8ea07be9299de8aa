"""Cases made of questions whose passage is known, as the pipeline writes them of one's own documents."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from contracts.errors import InvalidInput
from contracts.text import Passage
from contracts.verdicts import RelevanceLabel
from golden_lab.training.data.questions import PassageQuestion
from golden_lab.training.judgements.answers import CaseCitation, CitationCase, WritingCase, WrittenSentence
from golden_lab.training.judgements.base import CasePassage, JudgementCase, passages_of
from golden_lab.training.judgements.passages import AnswerabilityCase, RelevanceCase, RerankingCase
from golden_lab.training.judgements.writing import AnsweredQuestion, QuestionWritingCase
from tools.language import fold

# Returns the nearest passages to a question, the best first, without the one whose number is given.
Search = Callable[[str, int], Awaitable[Sequence[CasePassage]]]
# Says how probable it is that passages hold the answer to a question.
Gate = Callable[[str, Sequence[Passage]], Awaitable[float]]

SHOWN = 4
# Taken for a passage that does not hold the answer, where the answer's words do not stand in it either.
_SURELY_NOT = 0.3

NOT_OF_PASSAGES: Mapping[str, str] = MappingProxyType(
    {
        "question_rewriting": "each question stands alone: there is no conversation",
        "query_expansion": "there is one wording of each question",
        "jargon_identification": "nobody marked the jargon of the questions",
        "context_classification": "nobody said in which context a question is asked",
        "faithfulness": "every answer is faithful: an adapter that says so always would be right",
        "certainty": "how surely an answer is right shows in many answers of the model that is trained",
        "summarisation": "there are no summaries",
        "term_mining": "nobody marked the terms that the passages define",
    }
)


def refuse_without_passages(intrinsic: str) -> None:
    """Do nothing where passages say what is right for ``intrinsic``.

    Raises:
        InvalidInput: they do not; the text says why.
    """
    if intrinsic in NOT_OF_PASSAGES:
        raise InvalidInput(f"no cases of {intrinsic} can be made of passages: {NOT_OF_PASSAGES[intrinsic]}")


async def cases_of_passages(
    intrinsic: str, rows: Sequence[PassageQuestion], search: Search, gate: Gate
) -> tuple[JudgementCase, ...]:
    """Return the cases of ``intrinsic`` that ``rows`` make: right ones of a question's own passage, hard wrong ones.

    Wrong ones come from the passages that search brings nearest, where ``gate`` is sure that they do not hold the
    answer and its words do not stand in them. All cases of a document are of one group.

    Raises:
        InvalidInput: none can be made for that intrinsic; the text says why.
    """
    refuse_without_passages(intrinsic)
    found: list[JudgementCase] = []
    for number, row in enumerate(rows):
        if intrinsic in _ALONE:
            found += _ALONE[intrinsic](row)
        else:
            near = list(await search(row.question, number))[:SHOWN]
            wrong = [each for each in near if await _surely_lacks(row, [each], gate)]
            whole = bool(near) and await _surely_lacks(row, near, gate)
            found += _with_others(intrinsic, row, number, near, wrong, whole=whole)
    return tuple(found)


async def _surely_lacks(row: PassageQuestion, passages: Sequence[CasePassage], gate: Gate) -> bool:
    if any(fold(row.answer).rstrip(". ") in fold(each.text) for each in passages):
        return False
    return await gate(row.question, passages_of(tuple(passages))) < _SURELY_NOT


def _with_others(
    intrinsic: str,
    row: PassageQuestion,
    number: int,
    near: Sequence[CasePassage],
    wrong: Sequence[CasePassage],
    *,
    whole: bool,
) -> list[JudgementCase]:
    if intrinsic == "answerability":
        return _gate_cases(row, number, near, whole=whole)
    if intrinsic == "context_relevance":
        labelled: list[tuple[str, CasePassage, RelevanceLabel]] = [("+", _own(row), "relevant")]
        labelled += [("-", each, "irrelevant") for each in wrong[:1]]
        return [
            RelevanceCase(
                **_common(row, sign),
                question=row.question,
                passage=passage,
                label=label,
            )
            for sign, passage, label in labelled
        ]
    swapped = number % 2 == 1
    return [
        RerankingCase(
            **_common(row),
            question=row.question,
            first=each if swapped else _own(row),
            second=_own(row) if swapped else each,
            better="second" if swapped else "first",
        )
        for each in wrong[:1]
    ]


def _gate_cases(row: PassageQuestion, number: int, near: Sequence[CasePassage], *, whole: bool) -> list[JudgementCase]:
    # As many passages in both, and the right one at another place each time: neither must tell the label.
    with_own = list(near[: SHOWN - 1])
    with_own.insert(number % (len(with_own) + 1), _own(row))
    labelled = [("+", with_own, True), ("-", list(near), False)]
    return [
        AnswerabilityCase(
            **_common(row, sign),
            question=row.question,
            passages=tuple(shown),
            answerable=answerable,
        )
        for sign, shown, answerable in (labelled if whole else labelled[:1])
    ]


def _citation(row: PassageQuestion) -> list[JudgementCase]:
    (passage,) = passages_of((_own(row),))
    held = [
        index
        for index in range(len(passage.sentences))
        if fold(row.answer).rstrip(". ") in fold(" ".join(passage.sentence(index).split()))
    ]
    if not held:
        return []
    citation = CaseCitation(sentence=0, passage=0, passage_sentences=(held[0],))
    return [
        CitationCase(
            **_common(row),
            question=row.question,
            answer=(row.answer,),
            passages=(_own(row),),
            citations=(citation,),
        )
    ]


def _writing(row: PassageQuestion) -> list[JudgementCase]:
    return [
        WritingCase(
            **_common(row),
            question=row.question,
            passages=(_own(row),),
            sentences=(WrittenSentence(text=row.answer, passages=(0,)),),
        )
    ]


def _question_writing(row: PassageQuestion) -> list[JudgementCase]:
    return [
        QuestionWritingCase(
            **_common(row),
            passage=_own(row),
            questions=(AnsweredQuestion(question=row.question, answer=row.answer),),
        )
    ]


def _common(row: PassageQuestion, sign: str = "") -> dict[str, Any]:
    return {"id": row.id + sign, "group": row.source.document, "source": f"a passage, asked about by {row.model}"}


def _own(row: PassageQuestion) -> CasePassage:
    return CasePassage(text=row.passage, title=row.source.document, page=max(1, row.source.page))


_ALONE: Mapping[str, Callable[[PassageQuestion], list[JudgementCase]]] = MappingProxyType(
    {"citation": _citation, "answer_generation": _writing, "question_writing": _question_writing}
)
