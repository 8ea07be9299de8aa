"""Blinded comparisons of the study: which pairs of texts are judged, and what a comparison of conditions comes to."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluation.results import Outcome
from golden_lab.judge.base import AnswerComparer, AnswerPair
from golden_lab.refinement.cases import StudyCase
from golden_lab.refinement.conditions import text_of

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
