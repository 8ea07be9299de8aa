"""The agreement of a judge with people, comparisons of systems, and ``golden-lab judge``."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from contracts.errors import InvalidInput
from contracts.provenance import Provenance
from golden_lab.cli.judging import app
from golden_lab.judge.agreement import JudgeExample, agree, choose_examples, held_out, measure_agreement
from golden_lab.judge.comparison import GradedAnswerComparer, compare_systems, corrected
from golden_lab.judge.grades import AnswerPair, AnswerToGrade, GoldItem, Grades
from golden_lab.judge.judges import judge_agreement
from golden_lab.judge.prompted import PromptedAnswerComparer
from golden_lab.judge.report import render_agreement, render_comparison
from lab.tests.benchmarks.annotated_sets import write_rows
from lab.tests.experiments.samples import engine_with
from tests.golden_retriever.commands import Commands
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatRequest


def gold(id_: str, score: int | None, explanation: str = "Why.", answer: str = "") -> GoldItem:
    return GoldItem(
        id=id_, question="Q?", passage="P.", answer=answer or f"A {id_}.", relevance=score, faithfulness=score,
        completeness=score, explanation=explanation,
    )  # fmt: skip


def grades(value: float) -> Grades:
    return Grades(
        relevance=value, faithfulness=value, completeness=value, provenance=Provenance(implementation="scripted")
    )


def test_examples_are_the_largest_errors_of_the_judge() -> None:
    items = [gold("a", 1), gold("b", 5), gold("c", 3, explanation=""), gold("d", 3), gold("e", 2), gold("f", 4)]
    first_pass = {"a": grades(5), "b": grades(5), "c": grades(5), "d": grades(1.5), "e": grades(2), "f": grades(3)}
    chosen = choose_examples(items, first_pass, each=2)
    # c is off by 2, but has no explanation.
    assert [(each.criterion, each.item.id, each.disagreement) for each in chosen] == [
        (criterion, id_, off)
        for criterion in ("relevance", "faithfulness", "completeness")
        for id_, off in (("a", 4), ("d", -1.5))
    ]
    assert [item.id for item in held_out(items, chosen)] == ["b", "c", "e", "f"]


def test_examples_use_at_most_half_of_the_gold_set_and_are_not_scored() -> None:
    items = [gold("a", 1), gold("b", 5), gold("c", 2)]
    chosen = choose_examples(items, {item.id: grades(3) for item in items}, each=3)
    assert len({each.item.id for each in chosen}) == 1
    items = [gold("a", 1, answer="Same words."), gold("b", 5), gold("c", 2, answer="same  WORDS.")]
    examples = [JudgeExample(criterion="relevance", item=items[0], disagreement=2)]
    assert [item.id for item in held_out(items, examples)] == ["b"]
    with pytest.raises(InvalidInput, match="a, c as examples"):
        measure_agreement(items, {item.id: grades(3) for item in items}, judge="j", examples=examples)


def test_agreement_figures_match_values_computed_by_hand() -> None:
    people = np.array([1.0, 2, 3, 4, 5])
    judge = np.array([1.4, 3.5, 2.4, 4.0, 5.0])
    found = agree("faithfulness", judge, people, seed=1, resamples=200)
    # Ranks 1 3 2 4 5 against 1 2 3 4 5: rho = 1 - 6·2/(5·24), tau = (9 - 1)/10. Rounded: 1 4 2 4 5.
    assert found.spearman.value == pytest.approx(0.9)
    assert found.kendall.value == pytest.approx(0.8)
    assert found.exact.value == pytest.approx(3 / 5)
    assert found.within_one.value == pytest.approx(4 / 5)
    assert found.bias.value == pytest.approx((0.4 + 1.5 - 0.6) / 5)
    assert found.strong
    assert found.spearman.low <= 0.9 <= found.spearman.high


def test_constant_judge_has_no_correlation() -> None:
    items = [gold("a", 1), gold("b", 5), gold("c", None)]
    report = measure_agreement(items, {item.id: grades(3) for item in items}, judge="constant", resamples=50)
    assert [(row.criterion, row.n, row.spearman) for row in report.rows] == [
        (name, 2, None) for name in ("relevance", "faithfulness", "completeness", "weighted")
    ]
    assert "a correlation cannot be computed" in render_agreement(report)
    assert "not reached under any criterion" in render_agreement(report)


PAIR = AnswerPair(id="1", question="Q?", passages=("P.",), first="good", second="bad")


def reads(choose: Callable[[str, str], str]) -> Callable[[ChatRequest], str]:
    """Answer with the winner that ``choose`` picks from the texts at X and at Y."""

    def reply(request: ChatRequest) -> str:
        shown = request.messages[-1].content
        x, y = (re.search(rf"<<answer {name} \w+>>\n(.*)\n", shown)[1] for name in "XY")  # type: ignore[index]
        return json.dumps({"explanation": "e", "winner": choose(x, y)})

    return reply


def better(x: str, y: str) -> str:
    order = ("bad", "fair", "good")
    return "tie" if x == y else "X" if order.index(x) > order.index(y) else "Y"


async def test_comparison_asks_in_both_orders_which_must_agree() -> None:
    chat = ScriptedChatModel(reads(better))
    found = await PromptedAnswerComparer(chat).compare(PAIR)
    assert (found.winner, found.consistent) == ("first", True)
    assert len(chat.requests) == 2
    first_always = await PromptedAnswerComparer(ScriptedChatModel(reads(lambda x, y: "X"))).compare(PAIR)
    assert (first_always.winner, first_always.consistent) == ("tie", False)
    undecided = ScriptedChatModel(reads(lambda x, y: "X" if x == "good" else "tie"))
    assert (await PromptedAnswerComparer(undecided).compare(PAIR)).winner == "tie"


async def test_first_position_depends_on_the_seed_and_the_prompt_names_no_system() -> None:
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


async def test_comparison_counts_and_tests_match_values_computed_by_hand() -> None:
    ours = system("a", *["good"] * 6, "fair", "bad")
    theirs = system("b", *["bad"] * 6, "fair", "good")
    found = await compare_systems(PromptedAnswerComparer(ScriptedChatModel(reads(better))), ours, theirs, a="a", b="b")
    assert [found.count(score) for score in (1, 0, -1)] == [6, 1, 1]
    assert found.mean.difference == pytest.approx(5 / 8)
    # Two-sided sign test, at least six of seven in one direction: 2 · (7 + 1) / 2^7.
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
    with pytest.raises(InvalidInput, match="different question in b"):
        await compare_systems(comparer, system("a", "x"), other, a="a", b="b")


class LengthGrader:
    """Grades an answer by its number of words, which is enough to test how the comparer uses grades."""

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


JUDGE = Commands(program=app)


def learns(request: ChatRequest) -> str:
    """Grade every answer 4 without examples; with examples, use the grade that the answer contains."""
    worth = int(request.messages[-1].content.split(" worth ")[1][0])
    return json.dumps({"explanation": "e", "score": worth if len(request.messages) > 2 else 4})


async def test_judge_is_calibrated_and_its_examples_are_not_scored() -> None:
    scores = enumerate((1, 2, 3, 4, 5) * 2)
    items = [gold(f"g{at}", score, answer=f"Answer {at} worth {score}.") for at, score in scores]
    plain, calibrated = await judge_agreement(engine_with(ScriptedChatModel(learns)), items, 2, seed=1)
    # The judge had the largest errors for the two answers with score 1, so they are the examples for each criterion.
    assert plain.examples == calibrated.examples == ("g0", "g1") or calibrated.examples == ("g0", "g5")
    assert [row.n for row in calibrated.rows] == [8] * 4
    assert all(row.exact.value == 1 and row.strong for row in calibrated.rows)
    assert all(row.spearman is None for row in plain.rows)
    assert "no examples" in plain.judge
    assert "2 examples" in calibrated.judge


def test_agreement_grade_and_compare_with_the_embedded_engine(tmp_path: Path) -> None:
    good, bad = "The pump needs 12 V.", "Fishermen painted the harbour green."
    question, passage = "Which voltage does the pump need?", "The pump needs 12 V. It is red."
    scored = [
        GoldItem(id=str(at), question=question, passage=passage, answer=answer, relevance=score, faithfulness=score,
                 completeness=score)
        for at, (answer, score) in enumerate(((good, 5), (bad, 1), ("It needs 12 V.", 5)))
    ]  # fmt: skip
    one = GoldItem(id="1", question=question, passage=passage, answer=good)
    files = {"gold": scored, "ours": [one], "theirs": [one.model_copy(update={"answer": bad})]}
    gold_file, ours, theirs = (
        write_rows(tmp_path / f"{name}.jsonl", [item.model_dump() for item in items]) for name, items in files.items()
    )
    (report,) = json.loads(JUDGE.output("agreement", gold_file, "--json"))
    assert [row["criterion"] for row in report["rows"]] == ["relevance", "faithfulness", "completeness", "weighted"]
    assert report["rows"][3]["spearman"]["value"] > 0.5
    assert json.loads(JUDGE.output("grade", ours, "--json"))[0]["weighted"] > 4
    compared = JUDGE.output("compare", ours, theirs)
    assert "ours against theirs: 1 won, 0 tied, 0 lost of 1 questions" in compared
