"""Right and wrong cases of passages with questions look alike but for what is right, and are hard."""

from collections.abc import Sequence

from contracts.text import Passage
from golden_lab.training.data.questions import PassageQuestion, PassageSource
from golden_lab.training.judgements.cases import (
    AnswerabilityCase,
    CasePassage,
    RelevanceCase,
)
from golden_lab.training.judgements.from_passages import cases_of_passages

PUMPS = tuple(
    PassageQuestion(
        id=f"p{number}",
        passage=f"The P-{number}00 pump is blue. It runs at {12 * number} V.",
        question=f"At which voltage does the P-{number}00 pump run?",
        answer=f"It runs at {12 * number} V.",
        source=PassageSource(document=f"pump-{number}.md", page=1, last_page=1),
        model="house-model",
        answerability=0.9,
    )
    for number in range(1, 7)
)


async def search(question: str, number: int) -> Sequence[CasePassage]:
    return [CasePassage(text=row.passage, page=1) for n, row in enumerate(PUMPS) if n != number]


async def gate(question: str, passages: Sequence[Passage]) -> float:
    """Say that a pump's question is answered by its own passage, and that it is unsure of the sixth pump."""
    name = question.split()[5]
    return 0.9 if any(name in each.text for each in passages) else 0.5 if name == "P-600" else 0.1


async def test_the_gate_is_taught_as_many_passages_in_both_and_the_right_one_at_any_place() -> None:
    cases = list(await cases_of_passages("answerability", PUMPS, search, gate))
    assert all(isinstance(each, AnswerabilityCase) for each in cases)
    right = [each for each in cases if isinstance(each, AnswerabilityCase) and each.answerable]
    wrong = [each for each in cases if isinstance(each, AnswerabilityCase) and not each.answerable]
    # Where the judge is not sure that nothing answers there is no wrong case.
    assert (len(right), len(wrong)) == (6, 5)
    assert {len(each.passages) for each in (*right, *wrong)} == {4}
    own = {row.question: row.passage for row in PUMPS}
    assert len({[p.text for p in each.passages].index(own[each.question]) for each in right}) == 4
    assert not any(own[each.question] in [p.text for p in each.passages] for each in wrong)
    assert {each.group for each in cases} == {row.source.document for row in PUMPS}


async def test_a_passage_in_which_the_answer_stands_is_never_wrong_whatever_the_judge_says() -> None:
    async def sure(question: str, passages: Sequence[Passage]) -> float:
        return 0.0

    doubled = (*PUMPS, PUMPS[0].model_copy(update={"id": "again", "passage": PUMPS[0].passage + " Always."}))

    async def near(question: str, number: int) -> Sequence[CasePassage]:
        return [CasePassage(text=row.passage, page=1) for n, row in enumerate(doubled) if n != number][::-1]

    cases = await cases_of_passages("context_relevance", doubled[:1], near, sure)
    wrong = [each.passage.text for each in cases if isinstance(each, RelevanceCase) and each.label == "irrelevant"]
    assert wrong
    assert not any("12 V" in text for text in wrong)
