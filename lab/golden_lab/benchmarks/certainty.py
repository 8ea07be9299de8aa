"""Is the certainty shown with an answer well calibrated? Tested on questions with known answers."""

import re
from collections.abc import Sequence
from typing import Any

from agent.answer_assembly import sentences_of
from agent.wording import percent
from golden_lab.benchmarks.answer_generation import write_answer
from golden_lab.benchmarks.base import Benchmark, about, one_by_one, sample_by_kind
from golden_lab.benchmarks.scores import Values, groups_of, probability_scores, verdicts_of
from golden_lab.datasets.annotated import first_passage, squad2_questions
from golden_lab.datasets.cases import Case
from golden_lab.engine import Engine
from golden_lab.metrics.text import normalised
from golden_lab.results import Outcome, Score
from golden_lab.scores import mean_score, rate_score
from intrinsics.certainty.base import AnswerEvidence
from tools.citation_marks import remove_marks

ALL_QUESTIONS = "answers to all questions, no gate"


async def answer_with_certainty(case: Case, engine: Engine) -> Outcome:
    """Write an answer even if the answerability gate rejects the question, check it, and estimate its certainty.

    "said" is whether the gate let the question pass; "truth" is whether the answer is correct. Only answers that pass
    count towards the loss, because the bot never shows the others.
    """
    services = engine.judges
    question = await services.question_augmenter.augment(case.question, "", ())
    answerability = await services.answerability_judge.judge(question, case.passages)
    text = remove_marks(await write_answer(case.question, case.passages, engine)).strip()
    sentences = [each.text for each in sentences_of(text)]
    faithfulness = await services.faithfulness_judge.judge(case.question, sentences, case.passages)
    certainty = await services.certainty_estimator.estimate(
        AnswerEvidence(
            question=case.question,
            answer=text,
            passages=case.passages,
            answerability=answerability.probability,
            faithfulness=faithfulness,
        )
    )
    passed = services.policy.is_answerable(answerability.probability)
    right = case.answerable and holds_answer(text, case.answers)
    return Outcome(
        id=case.id,
        values={"truth": right, "said": passed, "probability": certainty.probability, "group": case.group},
        loss=abs(certainty.probability - float(right)) if passed else 0.0,
        trace={
            "question": case.question,
            "passage": first_passage(case.passages),
            "answer": text,
            "gold answers": "; ".join(dict.fromkeys(case.answers)) or "none: unanswerable",
            "said": f"{percent(certainty.probability)} certain",
            "truth": "right" if right else "wrong",
            "reason": f"answerable {percent(answerability.probability)}; faithful: "
            + ", ".join(percent(each.probability) for each in faithfulness.sentences),
        },
    )


def holds_answer(text: str, answers: Sequence[str]) -> bool:
    """Return whether ``text`` contains one of the gold ``answers`` as whole words, after SQuAD's normalisation."""
    said = f" {normalised(text)} "
    wordings = [normalised(answer) for answer in answers]
    return any(re.search(rf"(?<!\w){re.escape(wording)}(?!\w)", said) for wording in wordings if wording)


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score the certainty (ECE, Brier, AUROC) and the accuracy, for the questions that pass the gate and for all."""
    passed = [each for each in outcomes if each.values["said"]]
    found = _scores(passed, seed, "") if passed else []
    found.append(rate_score("answered", [bool(each.values["said"]) for each in outcomes]))
    return found + _scores(outcomes, seed, ALL_QUESTIONS)


def _scores(outcomes: Sequence[Outcome], seed: int, subset: str) -> list[Score]:
    right = [float(each.values["truth"]) for each in outcomes]
    return [
        *probability_scores(verdicts_of(outcomes), seed, subset=subset),
        mean_score("right answers", right, seed=seed, subset=subset, groups=groups_of(outcomes)),
    ]


def _shown(outcomes: Sequence[Outcome]) -> list[Values]:
    return verdicts_of([each for each in outcomes if each.values["said"]] or outcomes)


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the certainty benchmark."""
    return (
        Benchmark(
            about=about("certainty-squad2"),
            load=sample_by_kind(squad2_questions, {"present": 110, "adversarial": 110}),
            prepare=one_by_one(answer_with_certainty),
            score=score,
            verdicts=_shown,
        ),
    )
