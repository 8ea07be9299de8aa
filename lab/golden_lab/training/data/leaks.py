"""Does a test set stand in the training set? Whoever trains on what is tested measures memory."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from golden_lab.training.data.values import Triplet
from tools.language import find_words, fold

LeakKind = Literal["id", "source", "query", "reference", "context"]

# Long enough to be no phrase of the trade, short enough to find a copied sentence.
# Source: Brown et al. 2020, "Language Models are Few-Shot Learners", appendix C: 13-grams.
RUN_WORDS = 13
# A reference or context of fewer words, such as "5 V", is what different questions may well share.
_FEWEST_WORDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """Something of a test triplet that stands in a training triplet: ``text`` is what they share."""

    kind: LeakKind
    train: str
    test: str
    text: str


def find_leaks(train: Sequence[Triplet], test: Sequence[Triplet], *, words: int = RUN_WORDS) -> tuple[Leak, ...]:
    """Return what of ``test`` stands in ``train``: the first of each kind for each test triplet.

    Ids and sources are compared as they are, queries by their folded words, references and contexts by runs of
    ``words`` folded words (a whole text where it is shorter; one of fewer than five words tells nothing).
    """
    seen: dict[tuple[LeakKind, str], str] = {}
    for triplet in train:
        for kind, key, _ in _marks(triplet, words):
            seen.setdefault((kind, key), triplet.id)
    found: dict[tuple[LeakKind, str], Leak] = {}
    for triplet in test:
        for kind, key, text in _marks(triplet, words):
            if (kind, key) in seen and (kind, triplet.id) not in found:
                found[kind, triplet.id] = Leak(kind=kind, train=seen[kind, key], test=triplet.id, text=text)
    return tuple(found.values())


def drop_leaks(
    train: Sequence[Triplet], test: Sequence[Triplet], *, words: int = RUN_WORDS
) -> tuple[tuple[Triplet, ...], tuple[Triplet, ...]]:
    """Split ``train`` into what shares nothing with ``test``, in the sense of ``find_leaks``, and what does."""
    held = {(kind, key) for triplet in test for kind, key, _ in _marks(triplet, words)}
    leaking = [any((kind, key) in held for kind, key, _ in _marks(triplet, words)) for triplet in train]
    return (
        tuple(each for each, leaks in zip(train, leaking, strict=True) if not leaks),
        tuple(each for each, leaks in zip(train, leaking, strict=True) if leaks),
    )


def _marks(triplet: Triplet, words: int) -> Iterator[tuple[LeakKind, str, str]]:
    """Yield what a triplet is known by: the kind, a key that is equal where it is the same, and the text behind it."""
    yield "id", triplet.id, triplet.id
    if triplet.source:
        yield "source", triplet.source, triplet.source
    yield "query", " ".join(_folded(triplet.query)), triplet.query
    for kind, text in (("reference", triplet.reference), ("context", triplet.context)):
        for run in _runs(_folded(text), words):
            yield kind, run, run  # type: ignore[misc]  # the pairs above are of this kind


def _runs(folded: Sequence[str], words: int) -> Iterable[str]:
    if len(folded) < _FEWEST_WORDS:
        return ()
    return {" ".join(folded[at : at + words]) for at in range(max(1, len(folded) - words + 1))}


def _folded(text: str) -> list[str]:
    return [fold(word.text) for word in find_words(text)]
