"""Answerability without a language model: calibrated features, and the trained encoder where there is one."""

import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from contracts.jargon import Reading
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import AnswerabilityVerdict
from tools.embedding.base import Embedder
from tools.encoder import TextPair
from tools.encoder.joining import clipped_logit
from tools.evidence.features import SET_FEATURES, absent_terms, nearest_excerpts, set_features
from tools.evidence.matching import Scores
from tools.evidence.model import load_model
from tools.evidence.passages import hold_to_codes
from tools.evidence.question import QuestionTerm, is_code
from tools.evidence.reading import Evidence, EvidenceReader
from tools.judges import JoinedEncoder, provenance_since
from tools.reading import ScoredStatement, StatementScorer, analyse_question, read_statements

STATED_FEATURES = ("stated_score", "stated_lead", "stated_coverage", "stated_type")
ANSWERABILITY_FEATURES = (*SET_FEATURES, *STATED_FEATURES)

# Any statement may answer a question of these kinds, so that the type of the best one says nothing.
_UNTYPED = frozenset({"fact", "yes_no", "comparison"})
_NOTHING_KNOWN = 0.5


async def stated_features(
    scorer: StatementScorer, question: str, readings: Sequence[Reading], passages: Sequence[Passage]
) -> Scores:
    """Say how well the best statement of ``passages`` answers ``question``, as in ``STATED_FEATURES``.

    ``stated_score`` is its score (log-odds up to a constant), ``stated_lead`` how far that stands above the median
    statement's, ``stated_coverage`` and ``stated_type`` are in [0, 1]. All zeros where nothing is stated.
    """
    shape = analyse_question(question)
    statements = [each for index, passage in enumerate(passages) for each in read_statements(passage, index)]
    scored: Sequence[ScoredStatement] = await scorer.score(shape, readings, statements)
    if not scored:
        return np.zeros(len(STATED_FEATURES))
    best = scored[0]
    lead = best.score - median(each.score for each in scored)
    return np.array([best.score, lead, best.coverage, _NOTHING_KNOWN if shape.kind in _UNTYPED else best.answer_type])


def answerability_features(evidence: Evidence, stated: Scores) -> Scores:
    """Return one row, as in ``ANSWERABILITY_FEATURES``; ``stated`` are the ``stated_features`` of the same passages.

    Raises:
        ValueError: there is no passage with any text.
    """
    return np.concatenate([set_features(evidence), stated])


# In logits (0.32 to 0.68 around a gate of 0.5): so near to it the embedded judge is wrong in one case of four and more.
# Measured on SQuAD articles and manuals, by the distance of the verdict from the gate.
CLOSE_TO_GATE = 0.75
_NEVER = 1e-6


def distance_from(threshold: float, probability: float) -> float:
    """Return how far ``probability`` is from ``threshold``, in logits: 0 or more."""
    return abs(_logit(probability) - _logit(threshold))


class NearGate:
    """Says whether a verdict lies close to the gate at ``threshold``, a probability."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold

    async def is_close(self, verdict: AnswerabilityVerdict, *asked: object, **more: object) -> bool:
        """Say whether the verdict might as well have fallen on the other side of the gate.

        Where the passages never name a code of the question, code has decided, and nobody is asked again.
        """
        if any(is_code(term) for term in verdict.missing):
            return False
        return distance_from(self._threshold, verdict.probability) < CLOSE_TO_GATE


def _logit(probability: float) -> float:
    inside = min(max(probability, _NEVER), 1.0 - _NEVER)
    return math.log(inside / (1.0 - inside))


_CALIBRATION = Path(__file__).with_name("calibration.json")


HEAD = "answerability"
# The answer stands in one of the nearest passages or, as a rule, nowhere; an excerpt takes some 10 ms of a core.
MOST_PAIRS = 3
# Further than so many logits from even (beyond 0.12 and 0.88) the features decide alone. On the calibration parts that
# is nearly every second case, with a Brier score that is better on SQuAD and on manuals and worse on MT-RAG.
OPEN_WITHIN = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedPassages:
    """What the features make of passages: the fitted ``probability``, which no rule has touched.

    ``absent`` are the terms of the question that no passage mentions; ``nearest`` an excerpt of each passage, the one
    that speaks to the question most first, none where nothing is to be weighed.
    """

    probability: float
    absent: tuple[QuestionTerm, ...]
    nearest: tuple[str, ...]


class EmbeddedAnswerabilityJudge:
    """Judges by similarity, by which of the question's terms are said, and by how well one statement answers it.

    Give it a caching embedder: whoever writes the answer scores the same statements again. The probability
    is calibrated so that 0.5 parts what is answered from what is declined. With a trained encoder, what the features
    leave open is joined with the best that the encoder says of the nearest excerpts. A question that names a code which
    no passage mentions is declined, whatever the encoder says.

    Source: coefficients fitted by ``golden-lab calibrate answerability``; the calibration file beside this
    one names data, split, seed and figures.
    """

    def __init__(
        self, embedder: Embedder, calibration: Path = _CALIBRATION, *, joined: JoinedEncoder | None = None
    ) -> None:
        self._reader = EvidenceReader(embedder)
        self._scorer = StatementScorer(embedder=embedder)
        self._model_name = embedder.name
        self._model = load_model(calibration, "answerability", ANSWERABILITY_FEATURES)
        self._joined = joined

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> AnswerabilityVerdict:
        """Say how probable it is that ``passages`` hold the answer to ``question``; 0 where there are none."""
        started = time.perf_counter()
        weighed = await self.weigh(question, passages)
        probability = weighed.probability
        if self._joined is not None and is_open(weighed):
            logits = await self._joined.logits(HEAD, pairs_of(question.question, weighed))
            probability = self._joined.model.probability(probability, max(logits))
        return AnswerabilityVerdict(
            probability=hold_to_codes(probability, weighed.absent),
            missing=tuple(term.text for term in weighed.absent),
            provenance=provenance_since(started, self._model_name, joined=self._joined),
        )

    async def weigh(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> WeighedPassages:
        """Say what the features alone make of ``passages``: for whoever has more to say of them."""
        asked, readings = question.question, question.readings
        # While the model embeds the wording that statements are compared with, the evidence is read beside it.
        evidence, stated = await asyncio.gather(
            self._reader.read(asked, passages, also=question.text, readings=readings),
            stated_features(self._scorer, asked, readings, passages),
        )
        absent = absent_terms(evidence)
        if not evidence.units or not evidence.profile.terms:
            return WeighedPassages(probability=0.0, absent=absent, nearest=())
        row = answerability_features(evidence, stated)
        probability = float(self._model.probabilities(row[None, :])[0])
        return WeighedPassages(probability=probability, absent=absent, nearest=nearest_excerpts(evidence))


def is_open(weighed: WeighedPassages) -> bool:
    """Say whether the features leave open if the passages answer, so that the encoder is asked."""
    return bool(weighed.nearest) and abs(clipped_logit(weighed.probability)) <= OPEN_WITHIN


def pairs_of(question: str, weighed: WeighedPassages) -> tuple[TextPair, ...]:
    """Return what the encoder is asked about: the question with each of the nearest excerpts."""
    return tuple(TextPair(question, excerpt) for excerpt in weighed.nearest[:MOST_PAIRS])
