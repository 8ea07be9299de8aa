"""Certainty without a language model, from answerability and faithfulness."""

import math
import time

from contracts.verdicts import CertaintyVerdict
from intrinsics.certainty.base import AnswerEvidence
from tools.judges import provenance_since

# The support of an answer whose sentences contain no claims.
_NOTHING_CLAIMED = 0.5


class EmbeddedCertaintyEstimator:
    """Multiplies the probability that the passages contain the answer by the probability that they support it.

    The first factor is calibrated on people's questions and is the share of correct quotes. The second factor is the
    faithfulness of the weakest sentence.
    """

    async def estimate(self, evidence: AnswerEvidence) -> CertaintyVerdict:
        started = time.perf_counter()
        probability = 0.0
        if evidence.answer.strip() and evidence.passages:
            probability = evidence.answerability * weakest_faithfulness(evidence)
        return CertaintyVerdict(
            probability=math.floor(probability * 10 + 1e-9) / 10, provenance=provenance_since(started)
        )


def weakest_faithfulness(evidence: AnswerEvidence) -> float:
    """Return the lowest faithfulness probability of all sentences that make a claim, in [0, 1]."""
    claims = [each.probability for each in evidence.faithfulness.sentences if each.label != "no_claim"]
    return min(claims, default=_NOTHING_CLAIMED)
