"""Steps of ten per cent, in which a model says how certain it is, and the estimate that is made of them."""

import math

from intrinsics.certainty.base import AnswerEvidence, CertaintyEstimator
from tools.labels import LabelReply

# Step d stands for the ten per cent from 10·d on; one digit each, so that the first token tells them apart.
STEPS = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")


def certainty_of(reply: LabelReply) -> float:
    """Return the mean of the steps' middles in steps of 0.1, a middle between two of them downwards.

    Each middle is weighed by its step's probability where the server gives one; else it is that of the step named.
    """
    middles = [int(label) + 0.5 for label in reply.labels]
    if not reply.measured:
        tenths = middles[reply.labels.index(reply.label)]
    else:
        tenths = sum(p * middle for p, middle in zip(reply.probabilities, middles, strict=True))
    # Sums of floats miss a middle by a hair.
    return round(math.ceil(round(tenths, 6) - 0.5) / 10, 1)


async def bound_by(embedded: CertaintyEstimator, evidence: AnswerEvidence, probability: float) -> float:
    """Return ``probability``, or where no sentence of the answer is faithful at most what ``embedded`` makes of it."""
    if any(each.label == "faithful" for each in evidence.faithfulness.sentences):
        return probability
    return min(probability, (await embedded.estimate(evidence)).probability)
