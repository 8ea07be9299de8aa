"""Faithfulness without a language model: does one to three passage sentences say what the answer's sentence says?"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from contracts.text import Passage
from contracts.verdicts import FaithfulnessLabel, FaithfulnessVerdict, SentenceFaithfulness
from intrinsics.faithfulness.claims import (
    CONTRADICTED_PROBABILITY,
    NOTHING_CLAIMED,
    NOTHING_READ,
    find_absent,
    makes_claim,
    overrule,
    plain_sentence,
)
from intrinsics.faithfulness.figures import figures, rival_figure, source_figures
from intrinsics.faithfulness.support import SUPPORT_FEATURES, Support, find_support
from tools.embedding.base import Embedder
from tools.encoder import TextPair
from tools.evidence.features import nearest_excerpts
from tools.evidence.model import load_model
from tools.evidence.reading import Evidence, EvidenceReader
from tools.judges import JoinedEncoder, provenance_since, shortened
from tools.language import content_stems

_CALIBRATION = Path(__file__).with_name("calibration.json")
_FAITHFUL = 0.5
_PARTIAL = 0.25
_VERBATIM = 0.97
# A sentence with fewer content words than this ("1.5 V.") says something only together with the question.
_SHORT = 3

HEAD = "faithfulness"
# A sentence rests on one passage or two; an excerpt takes some 10 ms of a core.
MOST_PAIRS = 3
_NOT_SAID = "No passage says this as a whole."


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSentence:
    """A sentence's verdict by its features, and excerpts of the passages, that which says most of it first.

    There is no excerpt in ``nearest`` where the verdict is settled: nothing is claimed, a passage says it word by
    word, or a number, name or negation goes against the passages.
    """

    verdict: SentenceFaithfulness
    nearest: tuple[str, ...] = ()


class EmbeddedFaithfulnessJudge:
    """Checks each sentence against the passage sentences nearest to it: numbers, names, negations, words, vectors.

    With a trained encoder, what the features do not settle is joined with the best that the encoder says of the nearest
    excerpts; numbers and codes that no passage holds are never faithful, whatever the encoder says.

    Source: coefficients fitted by ``golden-lab calibrate faithfulness``; see the calibration file.
    """

    def __init__(
        self, embedder: Embedder, calibration: Path = _CALIBRATION, *, joined: JoinedEncoder | None = None
    ) -> None:
        self._reader = EvidenceReader(embedder)
        self._model_name = embedder.name
        self._model = load_model(calibration, "faithfulness", SUPPORT_FEATURES)
        self._joined = joined

    async def judge(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> FaithfulnessVerdict:
        """Say of each answer sentence whether ``passages`` support it."""
        started = time.perf_counter()
        verdicts = [await self._verdict(question, sentence, passages) for sentence in sentences]
        provenance = provenance_since(started, self._model_name, joined=self._joined)
        return FaithfulnessVerdict(sentences=tuple(verdicts), provenance=provenance)

    async def _verdict(self, question: str, sentence: str, passages: Sequence[Passage]) -> SentenceFaithfulness:
        checked = await self.check(question, sentence, passages)
        if self._joined is None or not checked.nearest:
            return checked.verdict
        logits = await self._joined.logits(HEAD, pairs_of(sentence, checked))
        probability = self._joined.model.probability(checked.verdict.probability, max(logits))
        label = label_of(probability)
        reason = "" if label == "faithful" else checked.verdict.reason or _NOT_SAID
        verdict = SentenceFaithfulness(label=label, probability=probability, reason=reason)
        return overrule(verdict, find_absent(plain_sentence(sentence), question, passages))

    async def check(self, question: str, sentence: str, passages: Sequence[Passage]) -> CheckedSentence:
        """Check one sentence, and say what to read again."""
        claim = plain_sentence(sentence)
        if not makes_claim(claim):
            return CheckedSentence(verdict=NOTHING_CLAIMED)
        # A bare value says something only as the answer to its question.
        short = len(content_stems(claim)) < _SHORT and bool(content_stems(question))

        def check(evidence: Evidence) -> CheckedSentence:
            if not evidence.units:
                return CheckedSentence(verdict=NOTHING_READ)
            return self._judged(question, evidence, find_support(claim, evidence), short=short)

        return await self._reader.read_and(check, f"{question.strip()} {claim}" if short else claim, passages)

    def _judged(self, question: str, evidence: Evidence, support: Support, *, short: bool) -> CheckedSentence:
        # A bare number of the question ("Windows 10", "2008") is the asker's, not the answer's claim.
        asked = {figure.value for figure in figures(question)}
        missing = tuple(each for each in support.missing_figures if each.unit or each.value not in asked)
        support = replace(support, missing_figures=missing)
        probability = float(self._model.probabilities(support.row[None, :])[0])
        return _checked(evidence, support, probability, short=short)


def _checked(evidence: Evidence, support: Support, probability: float, *, short: bool) -> CheckedSentence:
    if support.verbatim and not short:
        return CheckedSentence(verdict=SentenceFaithfulness(label="faithful", probability=max(probability, _VERBATIM)))
    contradiction = _contradiction(evidence, support)
    if contradiction:
        against = SentenceFaithfulness(
            label="unfaithful", probability=min(probability, CONTRADICTED_PROBABILITY), reason=contradiction
        )
        return CheckedSentence(verdict=against)
    label = label_of(probability)
    reason = "" if label == "faithful" else _shortfall(evidence, support)
    verdict = SentenceFaithfulness(label=label, probability=probability, reason=reason)
    return CheckedSentence(verdict=verdict, nearest=nearest_excerpts(evidence, int(evidence.owner[support.best])))


def label_of(probability: float) -> FaithfulnessLabel:
    """Return the label of a sentence that is faithful with this probability."""
    if probability >= _FAITHFUL:
        return "faithful"
    return "partial" if probability >= _PARTIAL else "unfaithful"


def _contradiction(evidence: Evidence, support: Support) -> str:
    """Say in words what in the sentence goes against the passages, or nothing."""
    unit = evidence.units[support.best].reading
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
        said = f"The passages say {rival.text}, not {figure.text}, of {name}." if rival else ""
        return said or f"No passage says {figure.text} of {name}."
    if support.substituted:
        mine, theirs = support.substituted
        return f"The passages say “{theirs}” where the answer says “{mine}”."
    if support.negation_flip:
        return f"The passages say the opposite: “{shortened(unit, 120)}”"
    if support.opposed:
        mine, theirs = support.opposed[0]
        return f"The passages say “{theirs}” where the answer says “{mine}”."
    return ""


def _shortfall(evidence: Evidence, support: Support) -> str:
    if support.misplaced_figures:
        return f"No single passage says {support.misplaced_figures[0].text} of this."
    if support.misplaced_names:
        return f"The passages mention {_listed(support.misplaced_names)}, but not in this connection."
    said = evidence.literal.max(axis=1)
    unsaid = [
        term.text
        for term, value in sorted(
            zip(evidence.profile.terms, said.tolist(), strict=True), key=lambda pair: -pair[0].weight
        )
        if value <= 0
    ]
    if unsaid:
        return f"No passage mentions {_listed(tuple(unsaid[:3]))}."
    return "No passage sentence says this as a whole."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]


def pairs_of(sentence: str, checked: CheckedSentence) -> tuple[TextPair, ...]:
    """Return what the encoder is asked about: the claim with each of the nearest excerpts."""
    claim = plain_sentence(sentence)
    return tuple(TextPair(claim, excerpt) for excerpt in checked.nearest[:MOST_PAIRS])
