"""Answerability without a language model: calibrated features of the question against its passages."""

import time
from collections.abc import Sequence
from pathlib import Path

from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import AnswerabilityVerdict
from intrinsics.answerability.features import ANSWERABILITY_FEATURES, answerability_features
from tools.embedding.base import Embedder
from tools.evidence.features import absent_terms, missing_terms
from tools.evidence.model import load_model
from tools.evidence.question import is_code
from tools.evidence.reading import EvidenceReader
from tools.reading import StatementScorer

_CALIBRATION = Path(__file__).with_name("calibration.json")
# The texts of the fit hold too few codes to weigh them. A question about DDR5 is not answered by passages that never
# name it, however near they come: such a question is declined.
_CODE_ABSENT = 0.3


class EmbeddedAnswerabilityJudge:
    """Judges by similarity, by which of the question's terms are said, and by how well one statement answers it.

    Give it a caching embedder: whoever writes the answer scores the same statements again. The probability
    is calibrated so that 0.5 parts what is answered from what is declined.

    Source: coefficients fitted by ``python -m evaluation.calibration.answerability``; the calibration file beside this
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
        evidence = await self._reader.read(question.question, passages, also=question.text, readings=question.readings)
        missing = missing_terms(evidence)
        probability = 0.0
        if evidence.units and evidence.profile.terms:
            row = await answerability_features(self._scorer, evidence, question.question, question.readings)
            probability = float(self._model.probabilities(row[None, :])[0])
            if any(is_code(term.text) for term in absent_terms(evidence)):
                probability = min(probability, _CODE_ABSENT)
        return AnswerabilityVerdict(
            probability=probability,
            missing=missing,
            provenance=Provenance(
                implementation="embedded",
                model=self._model_name,
                milliseconds=(time.perf_counter() - started) * 1000,
            ),
        )
