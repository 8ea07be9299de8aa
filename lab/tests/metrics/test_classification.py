"""Scores per class, by hand and against scikit-learn."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from contracts.errors import InvalidInput
from golden_lab.metrics.classification import classification_scores

LABELS = st.sampled_from(["no", "partly", "yes"])


def test_classes_keep_the_order_that_was_asked_for() -> None:
    assert [each.label for each in classification_scores(["a", "b"], ["b", "a"], ["b", "a"]).classes] == ["b", "a"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=25), st.booleans())
def test_as_scikit_learn(pairs: list[tuple[str, str]], only_two: bool) -> None:
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


def test_what_cannot_be_scored_is_refused() -> None:
    for truth, predicted in ((list[str](), list[str]()), (["a"], list[str]())):
        with pytest.raises(InvalidInput):
            classification_scores(truth, predicted)
