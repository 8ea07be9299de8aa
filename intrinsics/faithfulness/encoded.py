"""Faithfulness with the trained encoder: it reads the excerpts that say most of a sentence which is not settled."""

import time
from collections.abc import Sequence

from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import FaithfulnessVerdict, SentenceFaithfulness
from intrinsics.faithfulness.absence import find_absent, overrule
from intrinsics.faithfulness.claims import plain_sentence
from intrinsics.faithfulness.embedded import CheckedSentence, EmbeddedFaithfulnessJudge, label_of
from tools.encoder import PairEncoder, TextPair
from tools.encoder.joining import JoinedModel

HEAD = "faithfulness"
# A sentence rests on one passage or two; an excerpt takes some 10 ms of a core.
MOST_PAIRS = 3
_NOT_SAID = "No passage says this as a whole."


class EncodedFaithfulnessJudge:
    """Joins what the features of ``embedded`` say with the best that the encoder says of the nearest excerpts.

    What the features settle stays: a sentence copied word by word, numbers, names and negations that go against the
    passages. Numbers and codes that no passage holds are never faithful, whatever the encoder says.
    """

    def __init__(
        self,
        embedded: EmbeddedFaithfulnessJudge,
        encoder: PairEncoder,
        joined: JoinedModel,
        *,
        most_pairs: int = MOST_PAIRS,
    ) -> None:
        self._embedded = embedded
        self._encoder = encoder
        self._joined = joined
        self._most_pairs = most_pairs

    async def judge(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> FaithfulnessVerdict:
        """Say of each answer sentence whether ``passages`` support it."""
        started = time.perf_counter()
        verdicts = [await self._verdict(question, sentence, passages) for sentence in sentences]
        return FaithfulnessVerdict(
            sentences=tuple(verdicts),
            provenance=Provenance(
                implementation="encoded",
                model=self._encoder.name,
                milliseconds=(time.perf_counter() - started) * 1000,
            ),
        )

    async def _verdict(self, question: str, sentence: str, passages: Sequence[Passage]) -> SentenceFaithfulness:
        checked = await self._embedded.check(question, sentence, passages)
        if not checked.nearest:
            return checked.verdict
        logit = await self.logit(sentence, checked)
        probability = self._joined.probability(checked.verdict.probability, logit)
        label = label_of(probability)
        reason = "" if label == "faithful" else checked.verdict.reason or _NOT_SAID
        verdict = checked.verdict.model_copy(update={"label": label, "probability": probability, "reason": reason})
        return overrule(verdict, find_absent(plain_sentence(sentence), question, passages))

    async def logit(self, sentence: str, checked: CheckedSentence) -> float:
        """Return the best that the encoder says of the nearest excerpts (at least one)."""
        scores = await self._encoder.score(pairs_of(sentence, checked, self._most_pairs))
        return float(scores[:, self._encoder.heads.index(HEAD)].max())


def pairs_of(sentence: str, checked: CheckedSentence, most_pairs: int = MOST_PAIRS) -> tuple[TextPair, ...]:
    """Return what the encoder is asked about: the claim with each of the nearest excerpts."""
    claim = plain_sentence(sentence)
    return tuple(TextPair(claim, excerpt) for excerpt in checked.nearest[:most_pairs])
