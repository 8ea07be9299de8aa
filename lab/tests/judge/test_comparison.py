import json
import re
from collections.abc import Callable

import pytest

from contracts.errors import InvalidInput
from contracts.provenance import Provenance
from golden_lab.judge.comparison import GradedAnswerComparer, compare_systems, corrected
from golden_lab.judge.grades import AnswerPair, AnswerToGrade, GoldItem, Grades
from golden_lab.judge.prompted import PromptedAnswerComparer
from golden_lab.judge.report import render_comparison
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatRequest

PAIR = AnswerPair(id="1", question="Q?", passages=("P.",), first="good", second="bad")


def reads(choose: Callable[[str, str], str]) -> Callable[[ChatRequest], str]:
    """Answer with the winner that ``choose`` says of the texts that stand at X and at Y."""

    def reply(request: ChatRequest) -> str:
        shown = request.messages[-1].content
        x, y = (re.search(rf"<<answer {name} \w+>>\n(.*)\n", shown)[1] for name in "XY")  # type: ignore[index]
        return json.dumps({"explanation": "e", "winner": choose(x, y)})

    return reply


def better(x: str, y: str) -> str:
    order = ("bad", "fair", "good")
    return "tie" if x == y else "X" if order.index(x) > order.index(y) else "Y"


async def test_both_positions_are_asked_and_must_agree() -> None:
    chat = ScriptedChatModel(reads(better))
    found = await PromptedAnswerComparer(chat).compare(PAIR)
    assert (found.winner, found.consistent) == ("first", True)
    assert len(chat.requests) == 2
    first_always = await PromptedAnswerComparer(ScriptedChatModel(reads(lambda x, y: "X"))).compare(PAIR)
    assert (first_always.winner, first_always.consistent) == ("tie", False)
    undecided = ScriptedChatModel(reads(lambda x, y: "X" if x == "good" else "tie"))
    assert (await PromptedAnswerComparer(undecided).compare(PAIR)).winner == "tie"


async def test_which_stands_first_is_drawn_by_the_seed_and_the_prompt_names_neither_system() -> None:
    ours, theirs = system("golden-retriever-7", *["good"] * 12), system("rival-system", *["bad"] * 12)
    firsts = []
    for seed in (1, 1, 2):
        chat = ScriptedChatModel(reads(better))
        comparer = PromptedAnswerComparer(chat)
        found = await compare_systems(comparer, ours, theirs, a="golden-retriever-7", b="rival-system", seed=seed)
        assert found.count(1) == 12
        shown = [request.messages[-1].content for request in chat.requests[::2]]
        firsts.append([content.index("good") < content.index("bad") for content in shown])
        everything = "\n".join(message.content for request in chat.requests for message in request.messages)
        assert "golden-retriever-7" not in everything
        assert "rival-system" not in everything
        assert "Length decides nothing" in everything
        assert "Style decides nothing" in everything
    assert firsts[0] == firsts[1] != firsts[2]
    assert len(set(firsts[0])) == 2


def system(name: str, *answers: str) -> tuple[GoldItem, ...]:
    return tuple(
        GoldItem(id=str(at), question=f"Q{at}?", passage="P.", answer=answer, system=name)
        for at, answer in enumerate(answers)
    )


async def test_wins_ties_losses_and_tests_by_hand() -> None:
    ours = system("a", *["good"] * 6, "fair", "bad")
    theirs = system("b", *["bad"] * 6, "fair", "good")
    found = await compare_systems(PromptedAnswerComparer(ScriptedChatModel(reads(better))), ours, theirs, a="a", b="b")
    assert [found.count(score) for score in (1, 0, -1)] == [6, 1, 1]
    assert found.mean.difference == pytest.approx(5 / 8)
    # Six or seven heads of seven tosses, and as many tails: 2 · (7 + 1) / 2^7.
    assert found.sign_p == pytest.approx(2 * (7 + 1) / 2**7)
    assert [each.score for each in found.questions] == [1, 1, 1, 1, 1, 1, 0, -1]
    assert "6 won, 1 tied, 1 lost of 8 questions" in render_comparison(found)
    several = corrected([found, found])
    assert [each.holm_p for each in several] == [pytest.approx(2 * found.sign_p)] * 2


async def test_other_questions_are_refused() -> None:
    comparer = PromptedAnswerComparer(ScriptedChatModel([]))
    with pytest.raises(InvalidInput, match="only in a: 1; only in b: none"):
        await compare_systems(comparer, system("a", "x", "y"), system("b", "x"), a="a", b="b")
    other = (GoldItem(id="0", question="Another?", passage="", answer="x"),)
    with pytest.raises(InvalidInput, match="another question in b"):
        await compare_systems(comparer, system("a", "x"), other, a="a", b="b")


class LengthGrader:
    """Grades an answer by its number of words: enough to see what the comparer makes of grades."""

    async def grade(self, item: AnswerToGrade) -> Grades:
        value = float(len(item.answer.split()))
        return Grades(relevance=1, faithfulness=value, completeness=1, provenance=Provenance(implementation="embedded"))


async def test_grades_are_compared_with_a_margin() -> None:
    comparer = GradedAnswerComparer(LengthGrader(), margin=0.7)
    pair = AnswerPair(id="1", question="Q?", passages=(), first="one two three", second="one")
    found = await comparer.compare(pair)
    assert found.winner == "first"
    near = AnswerPair(id="1", question="Q?", passages=(), first="one", second="one two")
    assert (await comparer.compare(near)).winner == "tie"
