"""Answerability without a language model: calibrated features of the question against its passages."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import AnswerabilityVerdict
from intrinsics.answerability.features import ANSWERABILITY_FEATURES, answerability_features, stated_features
from tools.embedding.base import Embedder
from tools.evidence.features import absent_terms, nearest_excerpts
from tools.evidence.model import load_model
from tools.evidence.passages import hold_to_codes
from tools.evidence.question import QuestionTerm
from tools.evidence.reading import EvidenceReader
from tools.reading import StatementScorer

_CALIBRATION = Path(__file__).with_name("calibration.json")


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
    is calibrated so that 0.5 parts what is answered from what is declined.

    Source: coefficients fitted by ``python -m golden_lab.calibration.answerability``; the calibration file beside this
    one names data, split, seed and figures.
    """

    def __init__(self, embedder: Embedder, calibration: Path = _CALIBRATION) -> None:
        self._reader = EvidenceReader(embedder)
        self._scorer = StatementScorer(embedder=embedder)
        self._model_name = embedder.name
        self._model = load_model(calibration, "answerability", ANSWERABILITY_FEATURES)

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> AnswerabilityVerdict:
        """Say how probable it is that ``passages`` hold the answer to ``question``; 0 where there are none."""
        started = time.perf_counter()
        weighed = await self.weigh(question, passages)
        return AnswerabilityVerdict(
            probability=hold_to_codes(weighed.probability, weighed.absent),
            missing=tuple(term.text for term in weighed.absent),
            provenance=Provenance(
                implementation="embedded",
                model=self._model_name,
                milliseconds=(time.perf_counter() - started) * 1000,
            ),
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
