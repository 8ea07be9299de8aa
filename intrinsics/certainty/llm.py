"""Certainty with a chat model, from the probability of the word "yes"."""

from contracts.verdicts import CertaintyVerdict
from intrinsics.certainty.base import AnswerEvidence, CertaintyEstimator
from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
from tools.judges import PromptedJudge, ask_grounded
from tools.prompt_delimiters import delimit_text

LABELS = ("yes", "no")


async def bound_by(embedded: CertaintyEstimator, evidence: AnswerEvidence, probability: float) -> float:
    """Return ``probability``; if no sentence of the answer is faithful, limit it to the estimate of ``embedded``."""
    if any(each.label == "faithful" for each in evidence.faithfulness.sentences):
        return probability
    return min(probability, (await embedded.estimate(evidence)).probability)


class PromptedCertaintyEstimator(PromptedJudge):
    """Asks a chat model whether an answer is correct, in one word, and returns the probability of "yes".

    The probability is rounded to a tenth and is at most 0.9. If no sentence of the answer is faithful, it is limited to
    the estimate of the embedded estimator.

    Source: P(True), the model's probability that its answer is true, by Kadavath et al. 2022 (arXiv 2207.05221); here
    it comes from the log-probabilities of one word. Unlike an adapter, a prompt is not calibrated.
    """

    max_tokens = 8
    _bound = EmbeddedCertaintyEstimator()

    async def estimate(self, evidence: AnswerEvidence) -> CertaintyVerdict:
        inquiry = self._prompted.begin()
        probability = 0.0
        if evidence.answer.strip() and evidence.passages:
            more = {
                "question": delimit_text("question", evidence.question),
                "answer": delimit_text("answer", evidence.answer),
            }
            reply = await ask_grounded(
                inquiry, evidence.passages, more, lambda request: inquiry.choose(request, LABELS)
            )
            right = min(round(reply.probability_of("yes"), 1), 0.9)
            probability = await bound_by(self._bound, evidence, right)
        return CertaintyVerdict(probability=probability, provenance=inquiry.provenance())
