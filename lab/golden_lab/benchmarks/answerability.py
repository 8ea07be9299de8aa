"""Do the passages hold the answer? The answerability judge on questions that people called answerable or not."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.wording import percent
from evaluation.results import Outcome, Score, Scores
from evaluation.scores import mean_score
from golden_lab.benchmarks.base import Benchmark, CaseBenchmark, CaseSet
from golden_lab.benchmarks.verdict_scores import (
    Sides,
    Verdict,
    class_scores,
    constant_scores,
    probability_scores,
    reliability,
    stored_verdict,
    verdict_values,
)
from golden_lab.datasets.annotated import (
    AskedCase,
    first_passage,
    mtrag_questions,
    sample_by_kind,
    squad2_questions,
)
from golden_lab.engine import Engine
from golden_lab.run import Run

SIDES = Sides(true="answerable", false="unanswerable")


@dataclass(frozen=True, kw_only=True)
class Answerability(CaseBenchmark[AskedCase]):
    """Scores the judge on the questions that ``read`` brings of the half that is scored.

    ``sizes`` says how many of each kind, unless the run is full.
    """

    read: Callable[[Path], Sequence[AskedCase]]
    sizes: Mapping[str, int]

    def load(self, run: Run) -> CaseSet[AskedCase]:
        """Read the questions."""
        cases, note = sample_by_kind(self.read(run.data), self.sizes, run)
        return CaseSet(cases=cases, note=note)

    async def measure(self, asked: AskedCase, engine: Engine) -> Outcome:
        return await judge_answerability(asked, engine)

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score both classes, the probabilities, and the share of each kind that is called answerable."""
        verdicts = [stored_verdict(each.values) for each in outcomes]
        scores = class_scores(verdicts, SIDES, run.seed) + constant_scores(verdicts, SIDES, run.seed)
        scores += probability_scores(verdicts, run.seed)
        return Scores(
            scores=scores + _by_kind(outcomes, verdicts, run.seed),
            figures=(reliability(verdicts, f"Reliability: {self.about.title}"),),
        )


async def judge_answerability(asked: AskedCase, engine: Engine) -> Outcome:
    """Ask the judge of ``engine``; at the policy's threshold or above it is said to be answerable."""
    case, services = asked.case, engine.judges
    question = await services.question_augmenter.augment(case.question, "", ())
    found = await services.answerability_judge.judge(question, case.passages)
    verdict = Verdict(
        truth=case.answerable,
        said=services.policy.is_answerable(found.probability),
        probability=found.probability,
        group=case.group,
    )
    return Outcome(
        id=asked.id,
        values={**verdict_values(verdict), "kind": case.kind},
        loss=abs(found.probability - float(case.answerable)),
        trace={
            "question": case.question,
            "passage": first_passage(case.passages, case.relevant),
            "passages": str(len(case.passages)),
            "said": f"answerable: {percent(found.probability)}",
            "truth": f"{SIDES.true if case.answerable else SIDES.false} ({case.kind})",
            "gold answers": "; ".join(dict.fromkeys(case.answers)),
            "reason": f"not mentioned: {', '.join(found.missing)}" if found.missing else "every term is mentioned",
        },
    )


def _by_kind(outcomes: Sequence[Outcome], verdicts: Sequence[Verdict], seed: int) -> tuple[Score, ...]:
    kinds = list(dict.fromkeys(str(each.values["kind"]) for each in outcomes))
    if len(kinds) <= len({each.truth for each in verdicts}):
        return ()
    found = []
    for kind in kinds:
        of_kind = [one for each, one in zip(outcomes, verdicts, strict=True) if each.values["kind"] == kind]
        called = [float(each.said) for each in of_kind]
        groups = [each.group for each in of_kind]
        higher = of_kind[0].truth
        found.append(
            mean_score("called answerable", called, seed=seed, subset=kind, groups=groups, higher_is_better=higher)
        )
    return tuple(found)


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of answerability."""
    return (
        Answerability(name="answerability-squad2", read=squad2_questions, sizes={"present": 215, "adversarial": 235}),
        Answerability(name="answerability-mtrag", read=mtrag_questions, sizes={"answerable": 60, "partial": 20}),
    )
