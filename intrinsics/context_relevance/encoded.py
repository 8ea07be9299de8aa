"""Context relevance with the trained encoder: it is asked about the passages that the features leave in doubt."""

import time
from collections.abc import Sequence

from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import PassageRelevance, RelevanceVerdict
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge, WeighedPassage, label_of
from tools.encoder import PairEncoder, TextPair
from tools.encoder.joining import JoinedModel, clipped_logit

HEAD = "relevance"
# Within so many logits of helping or not (a probability of 0.2) the features may be wrong; beyond, they hardly are.
DOUBT = 2.0
# An excerpt takes some 10 ms of a core.
MOST_PAIRS = 6
_HELPS = 0.2


class EncodedRelevanceJudge:
    """Gives the verdicts of ``embedded``, those in doubt joined with the encoder's.

    What speaks of another code or version than the asker named stays ``misleading``, whatever the encoder says.
    """

    def __init__(
        self,
        embedded: EmbeddedRelevanceJudge,
        encoder: PairEncoder,
        joined: JoinedModel,
        *,
        most_pairs: int = MOST_PAIRS,
    ) -> None:
        self._embedded = embedded
        self._encoder = encoder
        self._joined = joined
        self._most_pairs = most_pairs

    async def judge(self, question: str, passages: Sequence[Passage]) -> RelevanceVerdict:
        """Judge each passage's relevance to ``question``: one verdict a passage, in their order."""
        started = time.perf_counter()
        weighed = await self._embedded.weigh(question, passages)
        verdicts = [each.verdict for each in weighed]
        asked = doubtful(weighed, self._most_pairs)
        logits = await self.logits(question, [weighed[index].excerpt for index in asked]) if asked else []
        for index, logit in zip(asked, logits, strict=True):
            probability = self._joined.probability(verdicts[index].probability, logit)
            verdicts[index] = PassageRelevance(label=label_of(probability), probability=probability)
        return RelevanceVerdict(
            passages=tuple(verdicts),
            provenance=Provenance(
                implementation="encoded",
                model=self._encoder.name,
                milliseconds=(time.perf_counter() - started) * 1000,
            ),
        )

    async def logits(self, question: str, excerpts: Sequence[str]) -> list[float]:
        """Return what the encoder says of each of ``excerpts``."""
        scores = await self._encoder.score([TextPair(question, excerpt) for excerpt in excerpts])
        return [float(each) for each in scores[:, self._encoder.heads.index(HEAD)]]


def doubtful(weighed: Sequence[WeighedPassage], most_pairs: int = MOST_PAIRS) -> list[int]:
    """Return the indexes of the passages that the encoder is asked about, those nearest to the line first."""
    found = []
    for index, each in enumerate(weighed):
        distance = abs(clipped_logit(each.verdict.probability) - clipped_logit(_HELPS))
        if each.verdict.label != "misleading" and each.excerpt and distance < DOUBT:
            found.append((distance, index))
    return [index for _, index in sorted(found)[:most_pairs]]
