"""Faithfulness that judges a sentence as soon as it is written, while the writer goes on."""

import time
from collections.abc import Sequence
from dataclasses import replace

from contracts.text import Passage
from contracts.verdicts import FaithfulnessVerdict
from intrinsics.faithfulness.base import FaithfulnessJudge
from tools.foreseeing import BegunWork


class ForeseeingFaithfulnessJudge:
    """Gives the verdicts of ``judge``, which must judge each sentence by itself, those foreseen without delay."""

    def __init__(self, judge: FaithfulnessJudge) -> None:
        self._judge = judge
        self._begun: BegunWork[FaithfulnessVerdict] = BegunWork()

    def foresee(self, question: str, sentence: str, passages: Sequence[Passage]) -> None:
        """Begin to judge ``sentence``, for a later call of ``judge`` with it and these very passages."""
        self._begun.begin(question, sentence, passages, lambda: self._judge.judge(question, [sentence], passages))

    async def judge(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> FaithfulnessVerdict:
        """Say of each answer sentence whether ``passages`` support it."""
        started = time.perf_counter()
        foreseen = [await self._begun.take(question, sentence, passages) for sentence in sentences]
        rest = [text for text, verdict in zip(sentences, foreseen, strict=True) if verdict is None]
        known = [verdict for verdict in foreseen if verdict is not None]
        judged = known[-1] if known and not rest else await self._judge.judge(question, rest, passages)
        others = iter(judged.sentences)
        return FaithfulnessVerdict(
            sentences=tuple(next(others) if each is None else each.sentences[0] for each in foreseen),
            provenance=replace(judged.provenance, milliseconds=(time.perf_counter() - started) * 1_000),
        )
