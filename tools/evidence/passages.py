"""Prepares passages once for comparison with any question, and finds the terms that they mention."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from contracts.jargon import Reading
from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import AnswerabilityVerdict
from tools.evidence.matching import Scores, stem_strengths, text_stems, with_expansions
from tools.evidence.question import QuestionTerm, is_code, question_terms
from tools.reading.statements import read_statements

# Units are embedded by token in windows of about this many characters, so that each unit is embedded in its context
# and is not cut off at the model's limit.
_WINDOW_CHARACTERS = 700
# Consecutive questions find many of the same passages, and all sentences in an answer are compared with the same
# passages, so they are cached; each takes about 60 KB.
_KEPT_PASSAGES = 512


class ReadPassage:
    """The parts of a passage that do not depend on the question. Compared by identity; safe to share between threads.

    ``readings`` are the texts of its units; ``windows`` are the indexes of units that are embedded together.
    """

    def __init__(self, readings: tuple[str, ...], heading: str) -> None:
        self.readings = readings
        self.windows = _windows(self.readings)
        self.bags = tuple(text_stems(reading) for reading in self.readings)
        self._bags_and_head = (*self.bags, text_stems(heading))
        self._vocabulary = frozenset().union(*self._bags_and_head)

    @property
    def window_texts(self) -> tuple[str, ...]:
        """The texts that are embedded by token."""
        return tuple("\n".join(self.readings[index] for index in window) for window in self.windows)

    def strengths(self, stem: str) -> Scores:
        """Return the certainty in [0, 1] that each unit contains ``stem``; the last value is for the heading."""
        return stem_strengths(stem, self._bags_and_head, self._vocabulary)


def read_passages(passages: Sequence[Passage]) -> tuple[ReadPassage, ...]:
    """Prepare each of ``passages``; recent results are cached."""
    return tuple(
        _read(
            tuple(each.text for each in read_statements(passage, index)),
            "\n".join((passage.document_title, *passage.chunk.heading_path)),
        )
        for index, passage in enumerate(passages)
    )


_read = lru_cache(maxsize=_KEPT_PASSAGES)(ReadPassage)


def term_strengths(
    alternatives: Sequence[Sequence[frozenset[str]]], passages: Sequence[ReadPassage]
) -> tuple[Scores, Scores]:
    """Return how certainly each unit, and the heading of each passage, contains each term, in [0, 1].

    A term is given by its ``alternatives``: sets of stems, any of which is enough. The shapes are (terms, units) and
    (terms, passages).
    """
    lengths = [len(passage.bags) for passage in passages]
    of_stem: dict[str, Scores] = {}
    found = np.zeros((len(alternatives), sum(lengths) + len(passages)))
    for row, several in enumerate(alternatives):
        for wanted in several:
            weakest = np.ones(found.shape[1])
            for stem in wanted:
                if stem not in of_stem:
                    each = [passage.strengths(stem) for passage in passages]
                    of_stem[stem] = np.concatenate(each) if each else np.zeros(0)
                np.minimum(weakest, of_stem[stem], out=weakest)
            np.maximum(found[row], weakest, out=found[row])
    heads = np.cumsum([length + 1 for length in lengths], dtype=np.int64) - 1
    return np.delete(found, heads, axis=1), found[:, heads]


def _windows(readings: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    windows: list[list[int]] = []
    length = 0
    for index, reading in enumerate(readings):
        if windows and length + len(reading) <= _WINDOW_CHARACTERS:
            windows[-1].append(index)
            length += len(reading) + 1
        else:
            windows.append([index])
            length = len(reading) + 1
    return tuple(tuple(window) for window in windows)


# The maximum probability for a question with a code that no passage mentions; such a question is declined. Passages
# that never mention DDR5 do not answer a question about it, however similar they are and whichever judge is used. The
# training texts contain too few codes to learn this.
_CODE_ABSENT = 0.3


def read_mentions(terms: Sequence[QuestionTerm], passages: Sequence[ReadPassage]) -> tuple[Scores, Scores]:
    """Return how certainly each unit in ``passages``, and the title and headings of each passage, contain each of
    ``terms``, in [0, 1].

    The shapes are (terms, units) and (terms, passages).
    """
    literal, headed = term_strengths([term.alternatives for term in terms], passages)
    readings = [reading for passage in passages for reading in passage.readings]
    return np.maximum(literal, with_expansions(terms, readings)), headed


def find_unmentioned(
    question: str, passages: Sequence[Passage], readings: Sequence[Reading] = ()
) -> tuple[QuestionTerm, ...]:
    """Return the focus terms in ``question`` that none of ``passages`` mention.

    An extended name or alias of a term in ``readings`` counts as the term.
    """
    terms = question_terms(question, readings)
    literal, headed = read_mentions(terms, read_passages(passages))
    said = np.maximum(literal.max(axis=1, initial=0.0), headed.max(axis=1, initial=0.0))
    return tuple(term for term, value in zip(terms, said, strict=True) if term.focus and value <= 0)


def answerability_verdict(
    probability: float, absent: Sequence[QuestionTerm], provenance: Provenance
) -> AnswerabilityVerdict:
    """Return the answerability verdict; limit its probability to 0.3 if any of the ``absent`` terms is a code.

    Source: a rule that was not fitted; see the comment on ``_CODE_ABSENT``.
    """
    missing = tuple(term.text for term in absent)
    held = min(probability, _CODE_ABSENT) if any(map(is_code, missing)) else probability
    return AnswerabilityVerdict(probability=held, missing=missing, provenance=provenance)
