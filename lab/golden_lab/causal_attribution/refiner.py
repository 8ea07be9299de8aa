"""Which passages a draft leans on, told by attribution on a causal language model in this process."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import numpy as np

from contracts.text import Passage
from golden_lab.causal_attribution import (
    ConcentrationRule,
    RankRule,
    TokenAttributor,
    concentrated_passages,
    passage_relevance,
    used_passages,
)
from golden_lab.causal_attribution.layout import answer_ids, lay_out
from golden_lab.causal_attribution.model import LocalCausalModel
from golden_lab.causal_attribution.passages import PassageUse

# Says of each passage whether it does not bear on the question.
IrrelevanceOf = Callable[[str, Sequence[Passage]], Awaitable[Sequence[bool]]]

# Source: the study of refinement that the product builds on, section 4.3.2.
_ANSWER_TOKENS = 10


class AttributionSignal:
    """Flags the passages that the first tokens of a draft lean on although they do not bear on the question.

    With ``irrelevant`` a passage is flagged that is used by rank and does not bear on the question. Without it, one on
    which the draft is concentrated: the study found that this alone improves nothing measurable (its section 4.5.5), so
    give it a judge of relevance where there is one. The draft may be another model's: its tokens are attributed as this
    model would write them. One forward pass and one backward pass a token (10 by default), for one draft at a time.
    """

    def __init__(
        self,
        model: LocalCausalModel,
        attributor: TokenAttributor,
        *,
        irrelevant: IrrelevanceOf | None = None,
        tokens: int = _ANSWER_TOKENS,
        ranks: RankRule = RankRule(),  # noqa: B008 - a frozen value
        concentration: ConcentrationRule = ConcentrationRule(),  # noqa: B008 - a frozen value
    ) -> None:
        self._model = model
        self._attributor = attributor
        self._irrelevant = irrelevant
        self._tokens = tokens
        self._ranks = ranks
        self._concentration = concentration
        self._one_at_a_time = asyncio.Lock()

    @property
    def name(self) -> str:
        """What it measures, and how."""
        return f"attribution ({self._attributor.name})"

    async def flag(self, question: str, draft: str, passages: Sequence[Passage]) -> PassageUse:
        """Say which passages the draft leans on, and which of them are flagged.

        Passages for which the model has no room are neither. A draft without a token uses none.

        Raises:
            InvalidInput: the question alone is longer than the model reads.
        """
        async with self._one_at_a_time:
            by_passage, lengths = await asyncio.to_thread(self._relevance, question, draft, passages)
        used = used_passages(by_passage, self._ranks)
        if self._irrelevant is None:
            flagged = concentrated_passages(by_passage, lengths, self._concentration)
            share = f"{self._concentration.ratio:g} times its share of the relevance"
            return PassageUse(used=tuple(sorted({*used, *flagged})), flagged=flagged, reason=_reason(flagged, share))
        beside = await self._irrelevant(question, passages)
        flagged = tuple(index for index in used if beside[index])
        return PassageUse(
            used=used, flagged=flagged, reason=_reason(flagged, "a high rank although it does not bear on the question")
        )

    def _relevance(
        self, question: str, draft: str, passages: Sequence[Passage]
    ) -> tuple["np.ndarray[tuple[int, ...], np.dtype[np.float64]]", list[int]]:
        answer = answer_ids(self._model.tokenizer, draft, self._tokens)
        if not answer or not passages:
            return np.zeros((0, len(passages))), [0] * len(passages)
        room = self._model.most_tokens - len(answer) if self._model.most_tokens else 0
        texts = [passage.chunk.text for passage in passages]
        prompt = lay_out(self._model.tokenizer, question, texts, most_tokens=room)
        relevance = self._attributor.attribute(prompt.ids, answer)
        by_passage = passage_relevance(relevance.scores, prompt.passages)
        missing = len(passages) - len(prompt.passages)
        lengths = [span.end - span.start for span in prompt.passages]
        # A passage without room has no relevance, and so no rank.
        return np.pad(by_passage, ((0, 0), (0, missing))), [*lengths, *[0] * missing]


def _reason(flagged: Sequence[int], what: str) -> str:
    if not flagged:
        return ""
    numbers = ", ".join(str(index + 1) for index in flagged)
    return f"passage{'' if len(flagged) == 1 else 's'} {numbers}: {what}"
