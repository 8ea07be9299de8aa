"""Metrics of one answer in a study: its content, its citations, and whether the cited passages support it."""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agent.answer_assembly import sentences_of
from contracts.verdicts import AnswerSentence, ClaimedSource, Draft
from golden_lab.metrics.text import contained_share
from golden_lab.refinement.cases import StudyCase
from intrinsics.faithfulness.base import FaithfulnessJudge
from intrinsics.refinement.overlap import passage_overlap
from tools.language.abstention import says_unknown

STR_EM = "string exact match"
PRECISION = "citation precision"
DISTRACTORS = "distractor citation rate"
LENGTH = "length, characters"
CITATIONS = "citations"
REFUSALS = "refusals"
OVERLAP = "S3"
REPEATING = "repeat themselves"
CUT = "cut"
METRICS = (STR_EM, PRECISION, DISTRACTORS, LENGTH, CITATIONS, REFUSALS, OVERLAP, REPEATING, CUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPair:
    """A sentence of an answer and a passage that it cites; ``borne_out`` is whether the passage entails it."""

    sentence: int
    passage: int
    borne_out: bool


def claims_of(draft: Draft) -> tuple[tuple[ClaimedSource, ...], ...]:
    """Return the sources that the writer claimed for each sentence of its draft.

    A mark belongs to the sentence that contains it or precedes it; a mark at the start of a line belongs to the
    sentence there.
    """
    sentences = sentences_of(draft.text)
    found: list[list[ClaimedSource]] = [[] for _ in sentences]
    for claim in draft.claims:
        index = _sentence_at(claim.position, sentences, draft.text)
        if index >= 0 and claim not in found[index]:
            found[index].append(claim)
    return tuple(tuple(each) for each in found)


def _sentence_at(position: int, sentences: Sequence[AnswerSentence], text: str) -> int:
    """Return the index of the sentence that a mark at ``position`` belongs to, or -1."""
    starts = [sentence.span.start for sentence in sentences]
    at = bisect.bisect_left(starts, position)
    if at < len(starts) and starts[at] == position and (not position or text[position - 1] == "\n"):
        return at
    return at - 1


async def cited_pairs(judge: FaithfulnessJudge, case: StudyCase, draft: Draft) -> tuple[CitedPair, ...]:
    """Check each sentence of ``draft`` against each passage that it cites, one at a time."""
    pairs: list[CitedPair] = []
    for at, (sentence, claims) in enumerate(zip(sentences_of(draft.text), claims_of(draft), strict=True)):
        for passage in sorted({each.passage for each in claims if each.passage < len(case.passages)}):
            verdict = await judge.judge(case.question, (sentence.text,), (case.passages[passage],))
            held = verdict.sentences[0].label == "faithful"
            pairs.append(CitedPair(sentence=at, passage=passage, borne_out=held))
    return tuple(pairs)


def flag_passages(case: StudyCase, pairs: Sequence[CitedPair]) -> tuple[int, ...]:
    """Return the indexes of the passages that should not have been cited.

    These are passages labelled irrelevant or, without labels, passages that support none of the sentences citing them.
    """
    cited = sorted({each.passage for each in pairs})
    sound = {each.passage for each in pairs if each.borne_out}
    return tuple(each for each in cited if not (case.relevant[each] if case.relevant else each in sound))


def numbers_of(case: StudyCase, draft: Draft, pairs: Sequence[CitedPair], *, grounded: bool) -> dict[str, Any]:
    """Return the metrics of one answer; None for metrics that do not apply to it.

    An answer without citations has a citation precision of 0 and a distractor citation rate of 0. An answer written
    without passages (``grounded`` is False) has neither metric.
    Source: the report on refinement policies for retrieval-augmented answers, section 3.5 (one sentence against one
    cited passage at a time, and the share of marks on irrelevant passages).
    """
    count = max(1, len(pairs))
    astray = sum(not case.relevant[each.passage] for each in pairs) if case.relevant else 0
    return {
        STR_EM: contained_share(draft.text, case.short_answers) if case.short_answers else None,
        PRECISION: sum(each.borne_out for each in pairs) / count if grounded else None,
        DISTRACTORS: astray / count if grounded and case.relevant else None,
        LENGTH: len(draft.text),
        CITATIONS: len(pairs),
        REFUSALS: float(says_unknown(draft.text)),
        OVERLAP: passage_overlap(draft.text, case.passages),
    }
