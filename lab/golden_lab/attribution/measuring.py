"""Measuring ways to attribute on the questions of a study, each on the same prompts and predictions."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from golden_lab.causal_attribution import RankRule, TokenAttributor, passage_relevance, used_passages
from golden_lab.causal_attribution.layout import lay_out
from golden_lab.causal_attribution.model import LocalCausalModel
from golden_lab.causal_attribution.occlusion import occlusion_curves
from golden_lab.refinement.cases import StudyCase


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionOutcome:
    """What one way to attribute did on one question.

    ``abpc`` is the area between the occlusion curves of the first token that the model writes, in probabilities;
    ``first_token_share`` and ``conservation`` are means over the answer's tokens (NaN where there is none).
    ``used`` of the ``passages`` that found room are used by rank, ``flagged`` of these are labelled irrelevant.
    ``seconds`` is what attributing took, ``writing_s`` what writing the same tokens did.
    """

    method: str
    case: str
    abpc: float
    first_token_share: float
    conservation: float
    passages: int
    used: int
    flagged: int
    seconds: float
    writing_s: float


def measure_attribution(
    model: LocalCausalModel,
    attributors: Sequence[TokenAttributor],
    cases: Sequence[StudyCase],
    *,
    tokens: int = 10,
    points: int = 10,
    on_case: Callable[[], object] = lambda: None,
) -> tuple[AttributionOutcome, ...]:
    """Measure each of ``attributors`` on each of ``cases``: the model writes ``tokens`` greedily, and these are
    attributed. Blocking.

    Raises:
        InvalidInput: a question alone is longer than the model reads.
    """
    found: list[AttributionOutcome] = []
    for case in cases:
        room = model.most_tokens - tokens if model.most_tokens else 0
        texts = [passage.chunk.text for passage in case.passages]
        prompt = lay_out(model.tokenizer, case.question, texts, most_tokens=room)
        begun = time.perf_counter()
        answer = model.next_ids(prompt.ids, tokens)
        writing_s = time.perf_counter() - begun
        for attributor in attributors:
            begun = time.perf_counter()
            relevance = attributor.attribute(prompt.ids, answer)
            seconds = time.perf_counter() - begun
            used = used_passages(passage_relevance(relevance.scores, prompt.passages), RankRule())
            curves = occlusion_curves(model, prompt.ids, answer[0], relevance.scores[0], points=points)
            found.append(
                AttributionOutcome(
                    method=attributor.name,
                    case=case.id,
                    abpc=curves.abpc,
                    first_token_share=float(relevance.first_token_share().mean()),
                    conservation=_mean(relevance.conservation()),
                    passages=len(prompt.passages),
                    used=len(used),
                    flagged=sum(not case.relevant[index] for index in used) if case.relevant else 0,
                    seconds=seconds,
                    writing_s=writing_s,
                )
            )
        on_case()
    return tuple(found)


def _mean(values: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else math.nan
