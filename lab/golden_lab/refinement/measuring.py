"""One answer of a study in numbers: what it holds, what it cites, and whether the cited passages bear it out."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.claims import claims_of
from agent.composing import sentences_of
from agent.refining import CheckedDraft
from agent.services import Services
from contracts.verdicts import Draft
from evaluation.results import Outcome
from golden_lab.judge.base import AnswerComparer, AnswerPair
from golden_lab.metrics.text import contained_share
from golden_lab.refinement.cases import StudyCase
from intrinsics.faithfulness.base import FaithfulnessJudge
from intrinsics.refinement.overlap import passage_overlap
from tools.language.abstention import says_unknown

# First against second; "always" against the first draft is what the quartiles are of.
COMPARISONS = (
    ("D", "A"), ("D", "E"), ("E", "A"), ("C1", "A"), ("C2", "A"), ("D kept", "A"), ("always", "A"),
    ("v2c", "A"), ("v2c", "D"), ("v2c", "E"), ("v2a", "D"), ("v2b", "D"),
)  # fmt: skip


def pairs_to_judge(values: Mapping[str, Any], threshold: float) -> Iterator[tuple[str, str]]:
    """Yield each pair of different texts of a case that a comparison asks about, once, in the order of their names."""
    seen = set()
    for first, second in COMPARISONS:
        one, other = sorted((text_of(first, values, threshold), text_of(second, values, threshold)))
        texts = values["answers"]
        if one != other and texts[one]["text"] != texts[other]["text"] and (one, other) not in seen:
            seen.add((one, other))
            yield one, other


async def judge_pair(
    comparer: AnswerComparer, case: StudyCase, values: Mapping[str, Any], pair: tuple[str, str]
) -> Outcome:
    """Have one pair of texts of a case compared; which of them is shown first is drawn by the case's name.

    Raises:
        Unavailable: the judge needs a language model that did not give what was asked for.
    """
    one, other = pair
    id_ = judgement_id(values, pair)
    swapped = hashlib.sha256(id_.encode()).digest()[0] & 1 == 1
    texts = [values["answers"][name]["text"] for name in ((other, one) if swapped else (one, other))]
    preference = await comparer.compare(
        AnswerPair(
            id=hashlib.sha256(id_.encode()).hexdigest()[:12],
            question=case.question,
            passages=tuple(each.text for each in case.passages),
            first=texts[0],
            second=texts[1],
        )
    )
    score = {"first": 1, "second": -1, "tie": 0}[preference.winner]
    return Outcome(
        id=id_,
        values={"score": -score if swapped else score, "consistent": preference.consistent},
        trace={"explanation": preference.explanation},
    )


def judgement_id(values: Mapping[str, Any], pair: tuple[str, str]) -> str:
    """Return the id of a judged pair of texts of one case by one seed; texts of another run have another one."""
    texts = "\0".join(values["answers"][name]["text"] for name in pair)
    digest = hashlib.sha256(texts.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{values['shape']}/{values['case']}/{values['seed']}/{pair[0]} {pair[1]}/{digest}"


def score_of(
    first: str, second: str, values: Mapping[str, Any], threshold: float, judged: Mapping[str, Outcome]
) -> int | None:
    """Return 1 where condition ``first`` won on a case, -1 where ``second`` did, 0 for a tie; None: not judged.

    Where both give the same text it is a tie.
    """
    one, other = text_of(first, values, threshold), text_of(second, values, threshold)
    answers = values["answers"]
    if one == other or answers[one]["text"] == answers[other]["text"]:
        return 0
    low, high = sorted((one, other))
    outcome = judged.get(judgement_id(values, (low, high)))
    if outcome is None:
        return None
    score = int(outcome.values["score"])
    return score if one == low else -score


def inconsistent_share(judged: Sequence[Outcome]) -> float | None:
    """Return the share of judged pairs whose winner changed with the position; None where none was judged."""
    return sum(not each.values["consistent"] for each in judged) / len(judged) if judged else None


STR_EM = "string exact match"
PRECISION = "citation precision"
DISTRACTORS = "distractor citation rate"
LENGTH = "length, characters"
CITATIONS = "citations"
REFUSALS = "refusals"
OVERLAP = "S3"
METRICS = (STR_EM, PRECISION, DISTRACTORS, LENGTH, CITATIONS, REFUSALS, OVERLAP)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPair:
    """A sentence of an answer and a passage that its writer named behind it; ``borne_out``: the passage entails it."""

    sentence: int
    passage: int
    borne_out: bool


async def cited_pairs(judge: FaithfulnessJudge, case: StudyCase, draft: Draft) -> tuple[CitedPair, ...]:
    """Hold each sentence of ``draft`` against each passage that its writer named behind it, one at a time."""
    pairs: list[CitedPair] = []
    for at, (sentence, claims) in enumerate(zip(sentences_of(draft.text), claims_of(draft), strict=True)):
        for passage in sorted({each.passage for each in claims if each.passage < len(case.passages)}):
            verdict = await judge.judge(case.question, (sentence.text,), (case.passages[passage],))
            held = verdict.sentences[0].label == "faithful"
            pairs.append(CitedPair(sentence=at, passage=passage, borne_out=held))
    return tuple(pairs)


def flag_passages(case: StudyCase, pairs: tuple[CitedPair, ...]) -> tuple[int, ...]:
    """Return the cited passages that should not have been cited, by index.

    Those labelled irrelevant; where nobody labelled them, those that bear out none of the sentences that cite them.
    """
    cited = sorted({each.passage for each in pairs})
    if case.relevant:
        return tuple(each for each in cited if not case.relevant[each])
    sound = {each.passage for each in pairs if each.borne_out}
    return tuple(each for each in cited if each not in sound)


def numbers_of(case: StudyCase, draft: Draft, pairs: tuple[CitedPair, ...], *, grounded: bool) -> dict[str, Any]:
    """Return the metrics of one answer; None for those that do not apply to it.

    An answer that cites nothing has a citation precision of 0, and cites no distractor. What was written without
    passages (``grounded`` is False) has neither.
    Source: one sentence against one cited passage at a time, and the share of marks on irrelevant passages: the report
    on refinement policies for retrieval-augmented answers, section 3.5.
    """
    precision = sum(each.borne_out for each in pairs) / len(pairs) if pairs else 0.0
    astray = sum(not case.relevant[each.passage] for each in pairs) if case.relevant else 0
    return {
        STR_EM: contained_share(draft.text, case.short_answers) if case.short_answers else None,
        PRECISION: precision if grounded else None,
        DISTRACTORS: (astray / len(pairs) if pairs else 0.0) if grounded and case.relevant else None,
        LENGTH: len(draft.text),
        CITATIONS: len(pairs),
        REFUSALS: float(says_unknown(draft.text)),
        OVERLAP: passage_overlap(draft.text, case.passages),
    }


async def check_draft(services: Services, case: StudyCase, draft: Draft) -> CheckedDraft:
    """Cite and check a draft as the bot does, to choose between it and another one."""
    sentences = [each.text for each in sentences_of(draft.text)]
    return CheckedDraft(
        draft=draft,
        citations=await services.citation_finder.find(sentences, case.passages, question=case.question),
        faithfulness=await services.faithfulness_judge.judge(case.question, sentences, case.passages),
    )


def text_of(condition: str, values: Mapping[str, Any], threshold: float) -> str:
    """Return the name of the text that ``condition`` gives: "A" where it leaves the first draft alone.

    ``values`` are those of a case's outcome; ``threshold`` is the overlap below which D fires.
    """
    below = values["answers"]["A"]["numbers"][OVERLAP] < threshold
    flagged = bool(values["flagged"])
    fired = {
        "D": below,
        "D kept": below and values["keeps_rewrite"],
        "auto": below and values["noisy"],
        "v2c": flagged,
    }
    if condition in fired:
        return "always" if fired[condition] else "A"
    return condition if condition not in ("v2a", "v2b") or flagged else "A"
