"""Faithfulness of answers: by claims, by a judge's grades, and jointly with knowing when not to answer."""

from collections.abc import Mapping, Sequence

import numpy as np

from contracts.errors import InvalidInput

RAD_ASPECTS = ("faithfulness", "appropriateness", "completeness")
_LOWEST_GRADE, _HIGHEST_GRADE = 1, 10


def claim_faithfulness(supported: Sequence[bool]) -> float:
    """Return the share of an answer's claims that the context supports, in [0, 1].

    Source: RAGAS (Es et al. 2024), section 3, "Faithfulness".

    Raises:
        InvalidInput: there is no claim; an answer that claims nothing is neither faithful nor not.
    """
    if not len(supported):
        raise InvalidInput("an answer without claims has no faithfulness: leave it out", field="supported")
    return sum(bool(each) for each in supported) / len(supported)


def rad_score(grades: Mapping[str, float] | Sequence[float]) -> float:
    """Return the mean of the grades for faithfulness, appropriateness and completeness, from [1, 10] brought to [0, 1].

    Source: RAD-Bench (Kuo et al. 2024), whose judge grades answers against a reference from 1 to 10; the three aspects
    as MT-RAG (Katsis et al. 2025) asks for them.

    Raises:
        InvalidInput: a grade is missing, is not in [1, 10], or there is one too many.
    """
    if isinstance(grades, Mapping):
        if set(grades) != set(RAD_ASPECTS):
            raise InvalidInput(
                f"grades are needed for {', '.join(RAD_ASPECTS)}, not for {', '.join(sorted(grades)) or 'nothing'}",
                field="grades",
            )
        values = [float(grades[aspect]) for aspect in RAD_ASPECTS]
    else:
        values = [float(grade) for grade in grades]
    if len(values) != len(RAD_ASPECTS):
        raise InvalidInput(f"three grades are needed ({', '.join(RAD_ASPECTS)}), not {len(values)}", field="grades")
    for aspect, value in zip(RAD_ASPECTS, values, strict=True):
        if not _LOWEST_GRADE <= value <= _HIGHEST_GRADE:
            raise InvalidInput(f"the grade for {aspect} is {value:g}: it must lie in [1, 10]", field=aspect)
    return float((np.mean(values) - _LOWEST_GRADE) / (_HIGHEST_GRADE - _LOWEST_GRADE))


def joint_answerability_faithfulness(
    predicted_answerable: bool, truth_answerable: bool, faithfulness: float = 0.0
) -> float:
    """Return JAFS of one question, in [0, 1].

    1 where an unanswerable question was not answered, the answer's ``faithfulness`` where an answerable one was, else
    0. ``faithfulness`` counts, and is checked, in the second case only: without an answer there is none.
    Source: A Library of LLM Intrinsics for Retrieval-Augmented Generation, section 5.2.2.

    Raises:
        InvalidInput: ``faithfulness`` counts and is not in [0, 1].
    """
    if predicted_answerable != truth_answerable:
        return 0.0
    if not truth_answerable:
        return 1.0
    if not 0 <= faithfulness <= 1:
        raise InvalidInput(f"a faithfulness of {faithfulness} cannot be: it must lie in [0, 1]", field="faithfulness")
    return float(faithfulness)
