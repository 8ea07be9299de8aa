"""Answerability with the trained encoder: where the features leave it open, it reads the nearest excerpts."""

import time
from collections.abc import Sequence

from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import AnswerabilityVerdict
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge, WeighedPassages
from tools.encoder import PairEncoder, TextPair
from tools.encoder.joining import JoinedModel, clipped_logit
from tools.evidence.passages import hold_to_codes

HEAD = "answerability"
# The answer stands in one of the nearest passages or, as a rule, nowhere; an excerpt takes some 10 ms of a core.
MOST_PAIRS = 3
# Further than so many logits from even (beyond 0.12 and 0.88) the features decide alone. On the calibration parts that
# is nearly every second case, with a Brier score that is better on SQuAD and on manuals and worse on MT-RAG.
OPEN_WITHIN = 2.0


class EncodedAnswerabilityJudge:
    """Joins what the features of ``embedded`` say with the best that the encoder says of the nearest excerpts.

    What the features say clearly stays as it is, and costs no more than without an encoder. A question that names a
    code which no passage mentions is declined, whatever the encoder says.
    """

    def __init__(
        self,
        embedded: EmbeddedAnswerabilityJudge,
        encoder: PairEncoder,
        joined: JoinedModel,
        *,
        most_pairs: int = MOST_PAIRS,
    ) -> None:
        self._embedded = embedded
        self._encoder = encoder
        self._joined = joined
        self._most_pairs = most_pairs

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> AnswerabilityVerdict:
        """Say how probable it is that ``passages`` hold the answer to ``question``; 0 where there are none."""
        started = time.perf_counter()
        weighed = await self._embedded.weigh(question, passages)
        probability = weighed.probability if weighed.nearest else 0.0
        if is_open(weighed):
            probability = self._joined.probability(weighed.probability, await self.logit(question, weighed))
        return AnswerabilityVerdict(
            probability=hold_to_codes(probability, weighed.absent),
            missing=tuple(term.text for term in weighed.absent),
            provenance=Provenance(
                implementation="encoded",
                model=self._encoder.name,
                milliseconds=(time.perf_counter() - started) * 1000,
            ),
        )

    async def logit(self, question: AugmentedQuestion, weighed: WeighedPassages) -> float:
        """Return the best that the encoder says of the nearest excerpts (at least one)."""
        scores = await self._encoder.score(pairs_of(question.question, weighed, self._most_pairs))
        return float(scores[:, self._encoder.heads.index(HEAD)].max())


def is_open(weighed: WeighedPassages) -> bool:
    """Say whether the features leave open if the passages answer, so that the encoder is asked."""
    return bool(weighed.nearest) and abs(clipped_logit(weighed.probability)) <= OPEN_WITHIN


def pairs_of(question: str, weighed: WeighedPassages, most_pairs: int = MOST_PAIRS) -> tuple[TextPair, ...]:
    """Return what the encoder is asked about: the question with each of the nearest excerpts."""
    return tuple(TextPair(question, excerpt) for excerpt in weighed.nearest[:most_pairs])
