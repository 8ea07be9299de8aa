"""Faithfulness without a language model: compares each answer sentence with one to three passage sentences."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from contracts.text import Passage
from contracts.verdicts import FaithfulnessLabel, FaithfulnessVerdict, SentenceFaithfulness
from intrinsics.faithfulness.claims import (
    CONTRADICTED_PROBABILITY,
    NOTHING_CLAIMED,
    NOTHING_READ,
    makes_claim,
    plain_sentence,
)
from intrinsics.faithfulness.figures import figures, rival_figure, source_figures
from intrinsics.faithfulness.support import SUPPORT_FEATURES, Support, find_support
from tools.embedding.base import Embedder
from tools.evidence.model import load_model
from tools.evidence.reading import Evidence, read_evidence
from tools.judges import provenance_since, shortened
from tools.language import content_stems
from tools.verbatim import find_verbatim

_CALIBRATION = Path(__file__).with_name("calibration.json")
_FAITHFUL = 0.5
_PARTIAL = 0.25
_VERBATIM = 0.97
# A sentence with fewer content words than this ("1.5 V.") is meaningful only together with the question.
_SHORT = 3


class EmbeddedFaithfulnessJudge:
    """Compares each sentence with the nearest passage sentences: numbers, names, negations, words and vectors.

    Text that a passage contains word for word is faithful without further checks.

    Source: coefficients fitted by ``golden-lab calibrate faithfulness``; see the calibration file.
    """

    def __init__(self, embedder: Embedder, calibration: Path = _CALIBRATION) -> None:
        self._embedder = embedder
        self._model = load_model(calibration, "faithfulness", SUPPORT_FEATURES)

    async def judge(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> FaithfulnessVerdict:
        started = time.perf_counter()
        alone = len(sentences) == 1
        verdicts = [await self._verdict(question, sentence, passages, alone=alone) for sentence in sentences]
        return FaithfulnessVerdict(sentences=tuple(verdicts), provenance=provenance_since(started, self._embedder.name))

    async def _verdict(
        self, question: str, sentence: str, passages: Sequence[Passage], *, alone: bool
    ) -> SentenceFaithfulness:
        claim = plain_sentence(sentence)
        if not makes_claim(claim):
            return NOTHING_CLAIMED
        # A value alone is meaningful only as an answer to the question, unless it continues the text before it.
        short = len(content_stems(claim)) < _SHORT and bool(content_stems(question))
        if not (short and alone) and find_verbatim(sentence, passages) is not None:
            return SentenceFaithfulness(label="faithful", probability=_VERBATIM)
        read = await read_evidence(f"{question.strip()} {claim}" if short else claim, passages, self._embedder)
        if not read.units:
            return NOTHING_READ
        return await asyncio.to_thread(self._judged, question, read, claim, short=short)

    def _judged(self, question: str, evidence: Evidence, claim: str, *, short: bool) -> SentenceFaithfulness:
        support = find_support(claim, evidence)
        # A number without a unit in the question ("Windows 10", "2008") comes from the user, so it is not a claim.
        asked = {figure.value for figure in figures(question)}
        missing = tuple(each for each in support.missing_figures if each.unit or each.value not in asked)
        support = replace(support, missing_figures=missing)
        probability = float(self._model.probabilities(support.row[None, :])[0])
        return _checked(evidence, support, probability, short=short)


def _checked(evidence: Evidence, support: Support, probability: float, *, short: bool) -> SentenceFaithfulness:
    if support.verbatim and not short:
        return SentenceFaithfulness(label="faithful", probability=max(probability, _VERBATIM))
    contradiction = _contradiction(evidence, support)
    if contradiction:
        return SentenceFaithfulness(
            label="unfaithful", probability=min(probability, CONTRADICTED_PROBABILITY), reason=contradiction
        )
    label = label_of(probability)
    reason = "" if label == "faithful" else _shortfall(evidence)
    return SentenceFaithfulness(label=label, probability=probability, reason=reason)


def label_of(probability: float) -> FaithfulnessLabel:
    """Return the label for a sentence that is faithful with this probability."""
    if probability >= _FAITHFUL:
        return "faithful"
    return "partial" if probability >= _PARTIAL else "unfaithful"


def _contradiction(evidence: Evidence, support: Support) -> str:
    """Describe what in the sentence contradicts the passages; return "" if nothing does."""
    unit = evidence.units[support.best].text
    if support.missing_figures:
        figure = support.missing_figures[0]
        rival = rival_figure(figure, source_figures(unit), support.missing_figures)
        if rival is not None:
            return f"The passages say {rival.text}, not {figure.text}."
        return f"No passage mentions {figure.text}."
    if support.missing_names:
        return f"No passage mentions {_listed(support.missing_names)}."
    if support.unbound:
        figure, name = support.unbound[0]
        rival = rival_figure(figure, source_figures(unit), [figure]) if name in unit else None
        said = f"The passages say {rival.text}, not {figure.text}, for {name}." if rival else ""
        return said or f"No passage gives {figure.text} for {name}."
    if support.negation_flip:
        return f"The passages say the opposite: “{shortened(unit, 120)}”"
    if support.opposed:
        mine, theirs = support.opposed[0]
        return f"The passages say “{theirs}” where the answer says “{mine}”."
    return ""


def _shortfall(evidence: Evidence) -> str:
    said = evidence.literal.max(axis=1)
    unsaid = [
        term.text
        for term, value in sorted(zip(evidence.terms, said.tolist(), strict=True), key=lambda pair: -pair[0].weight)
        if value <= 0
    ]
    if unsaid:
        return f"No passage mentions {_listed(tuple(unsaid[:3]))}."
    return "No sentence in the passages says all of this."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]
