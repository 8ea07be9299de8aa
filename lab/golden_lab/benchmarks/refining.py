"""Does the signal of refinement find the answers that need a rewrite? On answers whose hallucinations people marked.

What a rewrite is worth needs a model that writes; here only the decision is scored: which drafts are sent back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evaluation.intervals import share
from evaluation.results import Outcome, Score, Scores
from golden_lab.benchmarks.base import Benchmark, CaseBenchmark, CaseSet, sampled
from golden_lab.benchmarks.verdict_scores import Rows, Verdict, grouped_score, stored_verdict, verdict_values
from golden_lab.datasets.annotated import AnnotatedAnswer, excerpt, ragtruth_answers
from golden_lab.engine import Engine
from golden_lab.metrics.classification import auroc
from golden_lab.run import Run
from intrinsics.refinement.difficulty import gauge_difficulty
from intrinsics.refinement.overlap import passage_overlap
from tools.language import find_words

# What the engine does under its policy (without a language model nothing is written again), and three plain rules.
POLICY, SHIPPED, LOWEST, ALWAYS = "policy of this engine", "shipped threshold", "lowest 40 %", "rewrite all"
# The shipped threshold where retrieval looks noisy by what is known of these passages: they have no similarities.
NOISY = "shipped threshold, noisy only"
LENGTH = "length of the answer"
# Source: the report on refinement policies, section 3.2: the share of a sample that is written again.
_LOWEST_SHARE = 0.4
_ANSWERS = 1_000


@dataclass(frozen=True, kw_only=True)
class Refinement(CaseBenchmark[AnnotatedAnswer]):
    """Scores which of ``size`` answers (all where the run is full) the refiner would have written again."""

    size: int

    def load(self, run: Run) -> CaseSet[AnnotatedAnswer]:
        """Read the answers."""
        answers = ragtruth_answers(run.data)
        return sampled(answers, self.size, run, "answers")

    async def measure(self, answer: AnnotatedAnswer, engine: Engine) -> Outcome:
        return await review_answer(answer, engine)

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score the signal by its AUROC beside that of length, and each rule by share fired, precision and recall.

        A rule that sends nothing back has no precision, and its recall tells nothing: only its share is scored.
        """
        verdicts = [stored_verdict(each.values) for each in outcomes]
        lengths = [replace(one, probability=each.values["words"]) for each, one in zip(outcomes, verdicts, strict=True)]
        scores = _auroc(verdicts, run.seed, "") + _auroc(lengths, run.seed, LENGTH)
        below = [bool(each.values["below"]) for each in outcomes]
        noisy = [bool(each.values["noisy"]) for each in outcomes]
        for system, fired in _rules(verdicts, below, noisy).items():
            scores += _rule_scores(verdicts, fired, system, run.seed)
        return Scores(scores=scores)


async def review_answer(answer: AnnotatedAnswer, engine: Engine) -> Outcome:
    """Have the refiner of ``engine`` review an answer as if it were a draft; its "probability" is 1 less its signal."""
    found = await engine.judges.refiner.review(answer.question, answer.answer, answer.passages)
    overlap = passage_overlap(answer.answer, answer.passages)
    difficulty = gauge_difficulty(answer.question, answer.passages, overlap=overlap)
    truth = bool(answer.hallucinated)
    verdict = Verdict(truth=truth, said=found.rewrite, probability=1.0 - found.signal, group=answer.group)
    marked = " / ".join(answer.answer[span.start : span.end] for span in answer.hallucinated)
    return Outcome(
        id=answer.id,
        values={
            **verdict_values(verdict),
            "below": found.signal < found.threshold,
            "noisy": difficulty.noisy,
            "words": len(find_words(answer.answer)),
        },
        loss=abs(1.0 - found.signal - float(truth)),
        trace={
            "question": answer.question,
            "answer": excerpt(answer.answer),
            "passages": excerpt(" / ".join(passage.text for passage in answer.passages)),
            "said": f"{'write again' if found.rewrite else 'keep'}: signal {found.signal:.2f}, "
            f"threshold {found.threshold:.2f}, policy {found.policy}",
            "truth": f"hallucinated: {excerpt(marked)}" if truth else "faithful",
        },
    )


def _rules(verdicts: Sequence[Verdict], below: Sequence[bool], noisy: Sequence[bool]) -> Mapping[str, Sequence[bool]]:
    """Return for each rule which answers it sends back; the lowest 40 % are those of the answers at hand.

    ``below`` says whose signal is below the shipped threshold, whether or not the engine's policy rewrites; ``noisy``
    whose retrieval looks noisy.
    """
    values = [each.probability for each in verdicts]
    border = float(np.quantile(values, 1.0 - _LOWEST_SHARE))
    return {
        POLICY: [each.said for each in verdicts],
        SHIPPED: below,
        NOISY: [low and loud for low, loud in zip(below, noisy, strict=True)],
        LOWEST: [value > border for value in values],
        ALWAYS: [True] * len(values),
    }


def _rule_scores(verdicts: Sequence[Verdict], fired: Sequence[bool], system: str, seed: int) -> tuple[Score, ...]:
    truth, said = np.array([each.truth for each in verdicts]), np.array(fired)

    def fired_share(rows: Rows) -> float:
        return float(said[rows].mean())

    def precision(rows: Rows) -> float:
        return share(int((truth[rows] & said[rows]).sum()), int(said[rows].sum()))

    def recall(rows: Rows) -> float:
        return share(int((truth[rows] & said[rows]).sum()), int(truth[rows].sum()))

    statistics = (("precision", precision), ("recall", recall)) if said.any() else ()
    return (
        grouped_score("share fired", fired_share, verdicts, seed, system=system, higher_is_better=False),
        *(grouped_score(metric, statistic, verdicts, seed, system=system) for metric, statistic in statistics),
    )


def _auroc(verdicts: Sequence[Verdict], seed: int, system: str) -> tuple[Score, ...]:
    """Score the AUROC; nothing where all answers are of one kind, since it cannot be told then."""
    truth = np.array([float(each.truth) for each in verdicts])
    said = np.array([each.probability for each in verdicts])
    if truth.min() == truth.max():
        return ()

    def statistic(rows: Rows) -> float:
        return auroc(said[rows], truth[rows])

    return (grouped_score("AUROC", statistic, verdicts, seed, system=system),)


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of refinement."""
    return (Refinement(name="refinement-ragtruth", size=_ANSWERS),)
