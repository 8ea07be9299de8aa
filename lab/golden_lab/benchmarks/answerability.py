"""Do the passages contain the answer? The answerability judge, tested on questions labelled by people."""

from collections.abc import Sequence
from typing import Any

from agent.wording import percent
from golden_lab.benchmarks.base import Benchmark, about, one_by_one, sample_by_kind
from golden_lab.benchmarks.scores import groups_of, of_subset, verdict_scores, verdicts_of
from golden_lab.datasets.annotated import first_passage, mtrag_questions, squad2_questions
from golden_lab.datasets.cases import Case
from golden_lab.engine import Engine
from golden_lab.results import Outcome, Score
from golden_lab.scores import mean_score

SIDES = ("answerable", "unanswerable")


async def judge_answerability(case: Case, engine: Engine) -> Outcome:
    """Judge one case with ``engine``; a probability at or above the policy's threshold counts as answerable."""
    services = engine.judges
    question = await services.question_augmenter.augment(case.question, "", ())
    found = await services.answerability_judge.judge(question, case.passages)
    return Outcome(
        id=case.id,
        values={
            "truth": case.answerable,
            "said": services.policy.is_answerable(found.probability),
            "probability": found.probability,
            "group": case.group,
            "kind": case.kind,
        },
        loss=abs(found.probability - float(case.answerable)),
        trace={
            "question": case.question,
            "passage": first_passage(case.passages, case.relevant),
            "passages": str(len(case.passages)),
            "said": f"answerable: {percent(found.probability)}",
            "truth": f"{SIDES[0] if case.answerable else SIDES[1]} ({case.kind})",
            "gold answers": "; ".join(dict.fromkeys(case.answers)),
            "reason": f"not mentioned: {', '.join(found.missing)}" if found.missing else "every term is mentioned",
        },
    )


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score both classes and the probabilities and, if there are more kinds than classes, each kind separately."""
    found = verdict_scores(verdicts_of(outcomes), SIDES, seed)
    kinds = list(dict.fromkeys(str(each.values["kind"]) for each in outcomes))
    for kind in kinds if len(kinds) > len({bool(each.values["truth"]) for each in outcomes}) else ():
        chosen = of_subset(outcomes, kind, "kind")
        found.append(
            mean_score(
                "called answerable",
                [float(each.values["said"]) for each in chosen],
                seed=seed,
                subset=kind,
                groups=groups_of(chosen),
                higher_is_better=bool(chosen[0].values["truth"]),
            )
        )
    return found


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of answerability."""
    sets = (
        ("answerability-squad2", squad2_questions, {"present": 215, "adversarial": 235}),
        ("answerability-mtrag", mtrag_questions, {"answerable": 60, "partial": 20}),
    )
    return tuple(
        Benchmark(
            about=about(name),
            load=sample_by_kind(read, sizes),
            prepare=one_by_one(judge_answerability),
            score=score,
            verdicts=verdicts_of,
        )
        for name, read, sizes in sets
    )
