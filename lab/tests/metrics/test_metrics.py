"""Metrics of answers, classes, probabilities, rankings and texts, against hand results and libraries; and a plot."""

import math
from collections.abc import Sequence
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sklearn.metrics import accuracy_score, brier_score_loss, precision_recall_fscore_support, roc_auc_score

from contracts.errors import InvalidInput
from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import FaithfulnessVerdict, SentenceFaithfulness
from golden_lab.metrics.answers import (
    CitedSentence,
    citation_precision,
    citation_recall,
    claim_faithfulness,
    joint_answerability_faithfulness,
    judge_citations,
)
from golden_lab.metrics.classification import (
    ReliabilityBin,
    auroc,
    brier,
    classification_scores,
    expected_calibration_error,
    reliability_bins,
)
from golden_lab.metrics.ranking import ndcg_at, recall_at, reciprocal_rank
from golden_lab.metrics.text import contained_share, exact_match, rouge_l, rouge_n, token_f1, word_accuracy
from golden_lab.plots import reliability_plot
from golden_lab.results import Figure
from tests.conformance.reading_cases import make_passage


class WordJudge:
    """Supports a sentence if all of its words are in the passages; partially, if some are."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    async def judge(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> FaithfulnessVerdict:
        there = {word for passage in passages for word in passage.text.split()}
        verdicts = []
        for sentence in sentences:
            self.asked.append((sentence, tuple(passage.text for passage in passages)))
            share = sum(word in there for word in sentence.split()) / len(sentence.split())
            label = "faithful" if share == 1 else "partial" if share else "unfaithful"
            verdicts.append(SentenceFaithfulness(label=label, probability=share))
        return FaithfulnessVerdict(sentences=tuple(verdicts), provenance=Provenance(implementation="words"))


async def test_judge_is_asked_with_all_with_one_and_without_one_passage() -> None:
    first, second, other = make_passage("a b"), make_passage("b c"), make_passage("x")
    found = await judge_citations(
        WordJudge(),
        "q",
        ["a c", "a b", "b", "a z", "a"],
        [[first, second], [first, other], [first, second], [first, other], []],
    )
    assert found == (
        CitedSentence(supported=True, alone=(False, False), without=(False, False)),
        CitedSentence(supported=True, alone=(True, False), without=(False, True)),
        CitedSentence(supported=True, alone=(True, True), without=(True, True)),
        CitedSentence(supported=False, alone=(False, False), without=(False, False)),
        CitedSentence(supported=False),
    )
    assert citation_precision(found) == pytest.approx(5 / 8)
    assert citation_recall(found) == pytest.approx(3 / 5)
    # The judge is only asked if its answer can change the result.
    judge = WordJudge()
    await judge_citations(
        judge, "q", ["a", "z", "a"], [[make_passage("a")], [make_passage("a"), make_passage("b")], []]
    )
    assert judge.asked == [("a", ("a",)), ("z", ("a", "b"))]


def test_citation_precision_and_recall_match_values_computed_by_hand() -> None:
    assert claim_faithfulness([True, True, False, True]) == 0.75
    with pytest.raises(InvalidInput, match="without claims"):
        claim_faithfulness([])
    assert joint_answerability_faithfulness(True, True, 0.25) == 0.25
    assert joint_answerability_faithfulness(False, False) == 1
    assert joint_answerability_faithfulness(True, False, 1.0) == joint_answerability_faithfulness(False, True) == 0


LABELS = st.sampled_from(["no", "partly", "yes"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=25), st.booleans())
def test_scores_per_class_match_scikit_learn(pairs: list[tuple[str, str]], only_two: bool) -> None:
    truth, predicted = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    labels = ["yes", "no"] if only_two else ["no", "partly", "yes"]
    ours = classification_scores(truth, predicted, labels)
    theirs = precision_recall_fscore_support(truth, predicted, labels=labels, zero_division=0)
    for at, each in enumerate(ours.classes):
        assert (each.precision, each.recall, each.f1, each.support) == pytest.approx([row[at] for row in theirs])
    for average, value in (("macro", ours.macro_f1), ("weighted", ours.weighted_f1)):
        f1 = precision_recall_fscore_support(truth, predicted, labels=labels, average=average, zero_division=0)[2]
        assert value == pytest.approx(f1)
    assert ours.accuracy == pytest.approx(accuracy_score(truth, predicted))


# Steps of 1/16: ties are common, and sums are exact.
CASES = st.lists(st.tuples(st.integers(0, 16).map(lambda step: step / 16), st.booleans()), min_size=2, max_size=40)


def test_calibration_bins_match_values_computed_by_hand() -> None:
    predicted, truth = [0.0, 0.05, 0.65, 0.7, 1.0], [False, True, True, False, True]
    low, middle, edge, top = reliability_bins(predicted, truth)
    assert (low.low, low.high, low.count, low.observed) == (0, 0.1, 2, 0.5)
    assert low.mean_probability == pytest.approx(0.025)
    assert (middle.low, middle.count, edge.low, edge.count) == (0.6, 1, 0.7, 1)
    assert (top.low, top.high, top.count) == (0.9, 1.0, 1)
    assert expected_calibration_error(predicted, truth) == pytest.approx((2 * 0.475 + 0.35 + 0.7 + 0) / 5)


@settings(max_examples=60, deadline=None)
@given(CASES)
def test_probability_metrics_match_scikit_learn(cases: list[tuple[float, bool]]) -> None:
    predicted, truth = [case[0] for case in cases], [case[1] for case in cases]
    assert brier(predicted, truth) == pytest.approx(
        brier_score_loss(truth, predicted, pos_label=True, labels=[False, True])
    )
    if len(set(truth)) == 2:
        assert auroc(predicted, truth) == pytest.approx(roc_auc_score(truth, predicted))


def test_ranking_metrics_match_values_computed_by_hand() -> None:
    # Two of three relevant ids are found, at ranks 2 and 5.
    ranked, relevant = ["x", "a", "y", "z", "b"], {"a", "b", "c"}
    assert [recall_at(ranked, relevant, k) for k in (1, 2, 3, 9)] == pytest.approx([0, 1 / 3, 1 / 3, 2 / 3])
    assert [reciprocal_rank(ranked, relevant, k) for k in (1, 3, None)] == [0, 1 / 2, 1 / 2]
    assert reciprocal_rank(ranked, {"b"}) == 1 / 5
    second, third, fifth = (1 / math.log2(rank + 1) for rank in (2, 3, 5))
    expected = [0, second / (1 + second), second / (1 + second + third), (second + fifth) / (1 + second + third)]
    assert [ndcg_at(ranked, relevant, k) for k in (1, 2, 3, 9)] == pytest.approx(expected)
    # A repeated id counts once.
    assert ndcg_at(["a", "a", "b"], {"a", "b"}, 3) == pytest.approx((1 + 1 / 2) / (1 + 1 / math.log2(3)))
    for metric in (recall_at, reciprocal_rank, ndcg_at):
        with pytest.raises(InvalidInput, match="nothing is relevant"):
            metric(ranked, (), 3)


SENTENCES = st.lists(st.sampled_from(["the", "Cat", "sat", "on", "mat-2", "3.5", "x_y"]), max_size=12).map(" ".join)


def test_string_metrics_match_values_computed_by_hand() -> None:
    assert exact_match("The  Eiffel-Tower!", ["Louvre", "eiffeltower"]) == 1
    assert exact_match("Eiffel Tower, Paris", ["Eiffel Tower"]) == 0
    answer = "It opened in 1889, in the Champ de Mars."
    assert contained_share(answer, ["1889", "Champ de Mars", "Gustave Eiffel", ["Seine", "Mars"]]) == 3 / 4
    # "cat sat on mat" and "cat cat mat" have 4 and 3 words, and "cat" and "mat" in common.
    assert token_f1("The cat sat on the mat.", "a cat, cat mat") == pytest.approx(2 * 2 / 7)
    assert (token_f1("", "the"), token_f1("", "cat")) == (1, 0)
    assert rouge_l("größer als Öl", "Größer als Wasser").recall == pytest.approx(2 / 3)
    assert word_accuracy("set the flow rote to 5", "set the flow rate to 5") == pytest.approx(5 / 6)
    assert word_accuracy("set flow rate to 5 ml", "set the flow rate to 5") == pytest.approx(4 / 6)
    # The order matters, the score is never below 0, and composed letters are decomposed.
    assert word_accuracy("b a", "a b") == word_accuracy("x y z", "a") == 0
    assert word_accuracy("Ko\u0308ln", "K\u00f6ln") == 1


@settings(max_examples=60, deadline=None)
@given(SENTENCES, SENTENCES)
def test_rouge_matches_rouge_score(answer: str, gold: str) -> None:
    theirs = RougeScorer(["rouge1", "rouge2", "rougeL"]).score(gold, answer)
    for name, ours in (
        ("rouge1", rouge_n(answer, gold, 1)),
        ("rouge2", rouge_n(answer, gold, 2)),
        ("rougeL", rouge_l(answer, gold)),
    ):
        assert (ours.precision, ours.recall, ours.f1) == pytest.approx(tuple(theirs[name]))


BINS = (
    ReliabilityBin(low=0.1, high=0.2, mean_probability=0.15, observed=0.25, count=40),
    ReliabilityBin(low=0.8, high=0.9, mean_probability=0.85, observed=0.75, count=1200),
)


def texts(figure: Figure) -> list[str]:
    """Return all words that the plot shows."""
    return [each.text or "" for each in ElementTree.fromstring(figure.svg).iter("{http://www.w3.org/2000/svg}text")]


def test_plot_is_deterministic_and_can_be_embedded_in_html() -> None:
    figure = reliability_plot(BINS, "Said & <observed>")
    root = ElementTree.fromstring(figure.svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.attrib["aria-label"] == figure.title == "Said & <observed>"
    assert "Said & <observed>" in texts(figure)
    assert figure == reliability_plot(BINS, "Said & <observed>")
    assert "0.85 said, 0.75 true of 1,200" in figure.description
    assert figure.svg.startswith("<svg ")
    for foreign in ("<style", "<metadata", "fill: #ffffff"):
        assert foreign not in figure.svg
    names = [each.attrib["id"] for each in root.iter() if "id" in each.attrib]
    assert not [name for name in names if name.startswith(("figure", "axes", "patch"))]
    assert all(f"#{name}" in figure.svg for name in names)
