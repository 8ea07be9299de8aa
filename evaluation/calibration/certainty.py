"""Fit and measure the embedded certainty estimator: ``python -m evaluation.calibration.certainty --data PATH``."""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np

from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from evaluation.calibration.command import Arguments, arguments, by_group, open_embedder, report
from evaluation.calibration.fitting import binary_figures, fit_logistic, write_calibration
from evaluation.calibration.observed import SQUAD, Observation, observe_squad
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from intrinsics.certainty import embedded as estimator_module
from intrinsics.certainty.base import AnswerEvidence
from intrinsics.certainty.embedded import CERTAINTY_FEATURES, certainty_features
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from tools.embedding.base import Embedder
from tools.evidence.matching import Scores
from tools.language import fold

_CASES = 900
_UNMADE = Provenance(implementation="calibration")


async def _row(seen: Observation, judges: tuple[Any, Any, Any], spoiled: bool) -> Scores:
    """Judge the answer "the nearest sentence" as the bot would; ``spoiled`` answers with the last passage's end."""
    answerability, relevance, faithfulness = judges
    case = seen.case
    answer = seen.nearest_unit if not spoiled else case.passages[-1].text.rsplit(". ", 2)[-1]
    asked = AugmentedQuestion(question=case.question, text=case.question, provenance=_UNMADE)
    return certainty_features(
        AnswerEvidence(
            question=case.question,
            answer=answer,
            passages=case.passages,
            answerability=(await answerability.judge(asked, case.passages)).probability,
            faithfulness=await faithfulness.judge(case.question, [answer], case.passages),
            relevance=await relevance.judge(case.question, case.passages),
        )
    )


async def _table(run: Arguments, embedder: Embedder) -> tuple[Scores, Scores, list[str]]:
    seen = await observe_squad(run, embedder)
    order = np.random.default_rng(run.seed).permutation(len(seen))[:_CASES].tolist()
    judges = (
        EmbeddedAnswerabilityJudge(embedder),
        EmbeddedRelevanceJudge(embedder),
        EmbeddedFaithfulnessJudge(embedder),
    )
    rows, truth = [], []
    for at in order:
        case = seen[at].case
        rows.append(await _row(seen[at], judges, spoiled=False))
        truth.append(case.answerable and any(fold(answer) in fold(seen[at].nearest_unit) for answer in case.answers))
    return np.array(rows), np.array(truth, dtype=np.float64), [seen[at].case.group for at in order]


async def calibrate(run: Arguments) -> dict[str, Any]:
    """Fit on half of the articles: an answer is right where the sentence nearest to the question holds the gold one."""
    rows, truth, groups = await _table(run, open_embedder(run))
    held_out = by_group(groups, run.seed)
    signs = dict.fromkeys(CERTAINTY_FEATURES, 1)
    model = fit_logistic(rows[~held_out], truth[~held_out], CERTAINTY_FEATURES, penalty=3.0, signs=signs)
    probabilities = model.probabilities(rows[held_out])
    figures: dict[str, Any] = {
        "squad_held_out_articles": binary_figures(probabilities, truth[held_out]),
        "share_right_by_step": {
            f"{step / 10:.1f} (n={int(here.sum())})": round(float(truth[held_out][here].mean()), 3)
            for step in range(11)
            if (here := np.round(probabilities, 1) == step / 10).any()
        },
    }
    about = {
        "command": "python -m evaluation.calibration.certainty",
        "fitted_on": f"{SQUAD}; the answer is the sentence nearest to the question",
        "n": int((~held_out).sum()),
        "seed": run.seed,
        "embedder": run.embedder_name,
        "figures": figures,
    }
    write_calibration(run.output(estimator_module), {"certainty": model}, about)
    return figures


if __name__ == "__main__":
    report(asyncio.run(calibrate(arguments(Path(__file__).stem))))
