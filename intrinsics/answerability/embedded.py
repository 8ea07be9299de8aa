"""Answerability without a language model: calibrated features of the question against its passages."""

import time
from collections.abc import Sequence
from pathlib import Path

from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import AnswerabilityVerdict
from tools.embedding.base import Embedder
from tools.evidence.features import SET_FEATURES, absent_terms, missing_terms, set_features
from tools.evidence.model import load_model
from tools.evidence.question import is_code
from tools.evidence.reading import EvidenceReader

_CALIBRATION = Path(__file__).with_name("calibration.json")
# The texts of the fit hold too few codes to weigh them. A question about DDR5 is not answered by passages that never
# name it, however near they come: such a question is declined.
_CODE_ABSENT = 0.3


class EmbeddedAnswerabilityJudge:
    """Judges by similarity, coverage of the question's terms, and candidates for the type of answer it asks for.

    The probability is calibrated so that 0.5 parts what is answered from what is declined.

    Source: coefficients fitted by ``python -m evaluation.calibration.answerability``; the calibration file beside this
    one names data, split, seed and figures.
    """

    def __init__(self, embedder: Embedder, calibration: Path = _CALIBRATION) -> None:
        self._reader = EvidenceReader(embedder)
        self._model_name = embedder.name
        self._model = load_model(calibration, "answerability", SET_FEATURES)

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> AnswerabilityVerdict:
        """Say how probable it is that ``passages`` hold the answer to ``question``; 0 where there are none."""
        started = time.perf_counter()
        evidence = await self._reader.read(question.question, passages, also=question.text, readings=question.readings)
        missing = missing_terms(evidence)
        probability = 0.0
        if evidence.units and evidence.profile.terms:
            probability = float(self._model.probabilities(set_features(evidence)[None, :])[0])
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
