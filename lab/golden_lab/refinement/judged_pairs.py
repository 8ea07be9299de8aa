"""Blind pairwise comparison of the texts of a study."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from golden_lab.judge.grades import AnswerComparer, AnswerPair
from golden_lab.refinement.cases import StudyCase
from golden_lab.refinement.conditions import COMPARISONS, text_of
from golden_lab.results import Outcome


def pairs_to_judge(values: Mapping[str, Any], threshold: float) -> Iterator[tuple[str, str]]:
    """Yield each pair of different texts of a case that a comparison needs, without repetition, ordered by name."""
    texts, seen = values["answers"], set()
    for first, second in COMPARISONS:
        one, other = sorted((text_of(first, values, threshold), text_of(second, values, threshold)))
        if one != other and texts[one]["text"] != texts[other]["text"] and (one, other) not in seen:
            seen.add((one, other))
            yield one, other


async def judge_pair(
    comparer: AnswerComparer, case: StudyCase, values: Mapping[str, Any], pair: tuple[str, str]
) -> Outcome:
    """Compare one pair of texts of a case; a hash of the judgement's id decides which text is shown first.

    Raises:
        Unavailable: a required language model gave no usable reply.
    """
    id_ = judgement_id(values, pair)
    digest = hashlib.sha256(id_.encode())
    swapped = digest.digest()[0] & 1 == 1
    first, second = (values["answers"][name]["text"] for name in (reversed(pair) if swapped else pair))
    preference = await comparer.compare(
        AnswerPair(
            id=digest.hexdigest()[:12],
            question=case.question,
            passages=tuple(each.text for each in case.passages),
            first=first,
            second=second,
        )
    )
    score = {"first": 1, "second": -1, "tie": 0}[preference.winner]
    return Outcome(
        id=id_,
        values={"score": -score if swapped else score, "consistent": preference.consistent},
        trace={"explanation": preference.explanation},
    )


def judgement_id(values: Mapping[str, Any], pair: tuple[str, str]) -> str:
    """Return the id of a judged pair of texts of one case with one seed."""
    return f"{values['shape']}/{values['case']}/{values['seed']}/{pair[0]} {pair[1]}"


def score_of(
    first: str, second: str, values: Mapping[str, Any], threshold: float, judged: Mapping[str, Outcome]
) -> int | None:
    """Return 1 if condition ``first`` won on a case, -1 if ``second`` won, 0 for a tie, None if not judged.

    If both conditions have the same text, it is a tie.
    """
    one, other = text_of(first, values, threshold), text_of(second, values, threshold)
    answers = values["answers"]
    if one == other or answers[one]["text"] == answers[other]["text"]:
        return 0
    outcome = judged.get(judgement_id(values, (min(one, other), max(one, other))))
    if outcome is None:
        return None
    score = int(outcome.values["score"])
    return score if one < other else -score
