"""Three signals that an answer stands on its passages: expect S1 low, S2 high and S3 high.

Source: the report on refinement policies for retrieval-augmented answers, section 3.2.
"""

from contracts.errors import InvalidInput
from evaluation.intervals import Numbers, finite
from golden_lab.metrics.text import rouge_l
from intrinsics.refinement.overlap import passage_overlap

__all__ = ["answer_similarity", "log_probability_gain", "passage_overlap"]


def answer_similarity(with_passages: str, without_passages: str) -> float:
    """Return S1: the ROUGE-L F1, in [0, 1], of the answer given the passages and the answer given none.

    Near 1 the passages did no work.
    """
    return rouge_l(with_passages, without_passages).f1


def log_probability_gain(with_passages: Numbers, without: Numbers) -> float:
    """Return S2: by how much, per token, the passages raise the log-probability of the same answer, in nats.

    Each holds the log-probability (0 or below) of the answer's tokens, in their order.

    Raises:
        InvalidInput: no tokens, not as many on both sides (the answer was cut into other tokens: compute both from the
            same token ids), or a value that is no log-probability.
    """
    if len(with_passages) != len(without):
        raise InvalidInput(
            f"the answer has {len(with_passages)} tokens with passages and {len(without)} without: compute both from "
            "the same token ids",
            field="without",
        )
    ours, theirs = finite("with_passages", with_passages), finite("without", without)
    for name, values in (("with_passages", ours), ("without", theirs)):
        if values.max() > 1e-6:
            raise InvalidInput(f"{name}: {values.max():g} is no log-probability, it must be 0 or below", field=name)
    return float((ours - theirs).mean())
