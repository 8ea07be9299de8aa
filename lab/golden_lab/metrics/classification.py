"""Precision, recall and F1 per class, and their means."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.errors import InvalidInput, NotFound
from evaluation.intervals import f1_of, same_length, share


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassScores:
    """One class: each figure in [0, 1], 0 where it is 0/0; ``support`` is how many cases truly are of the class."""

    label: str
    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassificationScores:
    """All classes. ``macro_f1`` counts each class alike, ``weighted_f1`` each by its support; all in [0, 1]."""

    classes: tuple[ClassScores, ...]
    accuracy: float
    macro_f1: float
    weighted_f1: float

    def of(self, label: str) -> ClassScores:
        """Return the scores of class ``label``.

        Raises:
            NotFound: no case is of that class and it was not asked for.
        """
        for each in self.classes:
            if each.label == label:
                return each
        known = ", ".join(f'"{each.label}"' for each in self.classes)
        raise NotFound(f'there is no class "{label}" among the scored ones: {known}')


def classification_scores(
    truth: Sequence[str], predicted: Sequence[str], labels: Sequence[str] | None = None
) -> ClassificationScores:
    """Score ``predicted`` against ``truth``, one label a case.

    ``labels`` are the classes that count, in their order; without it all that occur, in the order of the alphabet.
    Accuracy is over all cases. 0/0 is 0.

    Raises:
        InvalidInput: no cases, not as many predictions, or ``labels`` is empty or names a class twice.
    """
    same_length("truth", truth, "predicted", predicted)
    names = sorted({*truth, *predicted}) if labels is None else list(labels)
    if not names or len(set(names)) < len(names):
        raise InvalidInput(f"labels: name each class that counts once, not {names}", field="labels")
    support, said = Counter(truth), Counter(predicted)
    hits = Counter(right for right, guess in zip(truth, predicted, strict=True) if right == guess)
    classes = tuple(_scores(name, hits[name], said[name], support[name]) for name in names)
    return ClassificationScores(
        classes=classes,
        accuracy=hits.total() / len(truth),
        macro_f1=sum(each.f1 for each in classes) / len(classes),
        weighted_f1=share(sum(each.f1 * each.support for each in classes), sum(each.support for each in classes)),
    )


def _scores(label: str, hits: int, said: int, support: int) -> ClassScores:
    precision, recall = share(hits, said), share(hits, support)
    return ClassScores(label=label, precision=precision, recall=recall, f1=f1_of(precision, recall), support=support)
