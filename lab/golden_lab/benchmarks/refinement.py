"""Does the refinement signal find the answers that need a rewrite? Tested on answers with marked hallucinations.

Only the decision is scored: which drafts are sent back. Measuring the value of a rewrite requires a language model.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from golden_lab.benchmarks.base import Benchmark, about, one_by_one, sample_of
from golden_lab.benchmarks.scores import Rows, Values, verdict_score, verdicts_of
from golden_lab.datasets.annotated import AnnotatedAnswer, excerpt, ragtruth_answers
from golden_lab.engine import Engine
from golden_lab.intervals import share
from golden_lab.metrics.classification import auroc
from golden_lab.results import Outcome, Score
from intrinsics.refinement.difficulty import gauge_difficulty
from intrinsics.refinement.overlap import passage_overlap
from tools.language import find_words

# The engine's own policy (without a language model it never rewrites), and three simple rules.
POLICY, SHIPPED, LOWEST, ALWAYS = ("policy of this engine", "shipped threshold", "lowest 40 %", "rewrite all")
# The shipped threshold, applied only if the retrieved passages look noisy; their similarities are not known here.
NOISY = "shipped threshold, noisy only"
LENGTH = "length of the answer"
# The share of a sample that is rewritten. Source: the report on refinement policies, section 3.2.
_LOWEST_SHARE = 0.4


async def review_answer(answer: AnnotatedAnswer, engine: Engine) -> Outcome:
    """Review an answer as a draft with the refiner of ``engine``; its "probability" is 1 minus the signal."""
    found = await engine.judges.refiner.review(answer.question, answer.answer, answer.passages)
    overlap = passage_overlap(answer.answer, answer.passages)
    difficulty = gauge_difficulty(answer.question, answer.passages, overlap=overlap)
    truth = bool(answer.hallucinated)
    marked = " / ".join(answer.answer[span.start : span.end] for span in answer.hallucinated)
    return Outcome(
        id=answer.id,
        values={
            "truth": truth,
            "said": found.rewrite,
            "probability": 1.0 - found.signal,
            "group": answer.group,
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


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score the AUROC of the signal and of the length, and the firing rate, precision and recall of each rule.

    "below" marks answers whose signal is below the shipped threshold, even if the engine's policy keeps them; "noisy"
    marks answers whose retrieval looks noisy. A rule that sends nothing back gets no precision or recall.
    """
    rows = verdicts_of(outcomes)
    found = [*_auroc(rows, "probability", seed, ""), *_auroc(rows, "words", seed, LENGTH)]
    border = float(np.quantile([each["probability"] for each in rows], 1.0 - _LOWEST_SHARE))
    rules = {
        POLICY: [bool(each["said"]) for each in rows],
        SHIPPED: [bool(each["below"]) for each in rows],
        NOISY: [bool(each["below"] and each["noisy"]) for each in rows],
        LOWEST: [each["probability"] > border for each in rows],
        ALWAYS: [True] * len(rows),
    }
    for system, fired in rules.items():
        found += _rule_scores(rows, fired, system, seed)
    return found


def _rule_scores(rows: Sequence[Values], fired: Sequence[bool], system: str, seed: int) -> list[Score]:
    truth, said = np.array([bool(each["truth"]) for each in rows]), np.array(fired)

    def precision(chosen: Rows) -> float:
        return share(int((truth[chosen] & said[chosen]).sum()), int(said[chosen].sum()))

    def recall(chosen: Rows) -> float:
        return share(int((truth[chosen] & said[chosen]).sum()), int(truth[chosen].sum()))

    def fired_share(chosen: Rows) -> float:
        return float(said[chosen].mean())

    found = [verdict_score("share fired", fired_share, rows, seed, system=system, higher_is_better=False)]
    for metric, statistic in (("precision", precision), ("recall", recall)) if said.any() else ():
        found.append(verdict_score(metric, statistic, rows, seed, system=system))
    return found


def _auroc(rows: Sequence[Values], signal: str, seed: int, system: str) -> list[Score]:
    """Score the AUROC; return nothing if all answers have the same truth, because it is then undefined."""
    truth = np.array([float(each["truth"]) for each in rows])
    said = np.array([float(each[signal]) for each in rows])
    if truth.min() == truth.max():
        return []
    return [verdict_score("AUROC", lambda chosen: auroc(said[chosen], truth[chosen]), rows, seed, system=system)]


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the refinement benchmark."""
    load = sample_of(ragtruth_answers, 1_000, "answers")
    return (Benchmark(about=about("refinement-ragtruth"), load=load, prepare=one_by_one(review_answer), score=score),)
