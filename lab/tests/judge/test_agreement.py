import numpy as np
import pytest

from contracts.errors import InvalidInput
from contracts.provenance import Provenance
from golden_lab.judge.agreement import JudgeExample, agree, choose_examples, held_out, measure_agreement
from golden_lab.judge.grades import GoldItem, Grades
from golden_lab.judge.report import render_agreement


def gold(id_: str, score: int | None, explanation: str = "Why.", answer: str = "") -> GoldItem:
    return GoldItem(
        id=id_, question="Q?", passage="P.", answer=answer or f"A {id_}.", relevance=score, faithfulness=score,
        completeness=score, explanation=explanation,
    )  # fmt: skip


def grades(value: float) -> Grades:
    return Grades(
        relevance=value, faithfulness=value, completeness=value, provenance=Provenance(implementation="scripted")
    )


def test_examples_are_where_the_judge_was_off_most() -> None:
    items = [gold("a", 1), gold("b", 5), gold("c", 3, explanation=""), gold("d", 3), gold("e", 2), gold("f", 4)]
    first_pass = {"a": grades(5), "b": grades(5), "c": grades(5), "d": grades(1.5), "e": grades(2), "f": grades(3)}
    chosen = choose_examples(items, first_pass, each=2)
    # c is off by 2, but nobody said why.
    assert [(each.criterion, each.item.id, each.disagreement) for each in chosen] == [
        (criterion, id_, off)
        for criterion in ("relevance", "faithfulness", "completeness")
        for id_, off in (("a", 4), ("d", -1.5))
    ]
    assert [item.id for item in held_out(items, chosen)] == ["b", "c", "e", "f"]


def test_at_most_half_of_the_gold_set_is_used_up_and_what_the_judge_was_shown_never_counts() -> None:
    items = [gold("a", 1), gold("b", 5), gold("c", 2)]
    chosen = choose_examples(items, {item.id: grades(3) for item in items}, each=3)
    assert len({each.item.id for each in chosen}) == 1
    items = [gold("a", 1, answer="Same words."), gold("b", 5), gold("c", 2, answer="same  WORDS.")]
    examples = [JudgeExample(criterion="relevance", item=items[0], disagreement=2)]
    assert [item.id for item in held_out(items, examples)] == ["b"]
    with pytest.raises(InvalidInput, match="a, c as examples"):
        measure_agreement(items, {item.id: grades(3) for item in items}, judge="j", examples=examples)


def test_figures_by_hand() -> None:
    people = np.array([1.0, 2, 3, 4, 5])
    judge = np.array([1.4, 3.5, 2.4, 4.0, 5.0])
    found = agree("faithfulness", judge, people, seed=1, resamples=200)
    # Ranks 1 3 2 4 5 against 1 2 3 4 5: rho = 1 - 6·2/(5·24), tau = (9 - 1)/10. Rounded: 1 4 2 4 5.
    assert found.spearman is not None
    assert found.kendall is not None
    assert found.spearman.value == pytest.approx(0.9)
    assert found.kendall.value == pytest.approx(0.8)
    assert found.exact.value == pytest.approx(3 / 5)
    assert found.within_one.value == pytest.approx(4 / 5)
    assert found.bias.value == pytest.approx((0.4 + 1.5 - 0.6) / 5)
    assert found.strong
    assert found.spearman.low <= 0.9 <= found.spearman.high


def test_a_judge_that_always_says_the_same_has_no_correlation() -> None:
    items = [gold("a", 1), gold("b", 5), gold("c", None)]
    report = measure_agreement(items, {item.id: grades(3) for item in items}, judge="constant", resamples=50)
    assert [(row.criterion, row.n, row.spearman) for row in report.rows] == [
        (name, 2, None) for name in ("relevance", "faithfulness", "completeness", "weighted")
    ]
    assert "a correlation cannot be computed" in render_agreement(report)
    assert "not reached under any criterion" in render_agreement(report)
