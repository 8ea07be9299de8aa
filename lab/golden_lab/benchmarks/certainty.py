"""Does the certainty that stands beside an answer mean what it says? Answers to questions with known answers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agent.composing import sentences_of
from agent.questions import remove_markers
from agent.services import Services
from agent.wording import percent
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import Draft
from evaluation.results import Outcome, Score, Scores
from evaluation.scores import mean_score, rate_score
from golden_lab.benchmarks.base import Benchmark, CaseBenchmark, CaseSet
from golden_lab.benchmarks.verdict_scores import (
    Verdict,
    probability_scores,
    reliability,
    stored_verdict,
    verdict_values,
)
from golden_lab.datasets.annotated import AskedCase, first_passage, sample_by_kind, squad2_questions
from golden_lab.engine import Engine
from golden_lab.metrics.text import normalised
from golden_lab.run import Run
from intrinsics.answer_generation.base import WritingBrief
from intrinsics.certainty.base import AnswerEvidence

ALL_QUESTIONS = "answers to all questions, no gate"
_SIZES = {"present": 110, "adversarial": 110}


@dataclass(frozen=True, kw_only=True)
class Certainty(CaseBenchmark[AskedCase]):
    """Scores the certainty of the writer's answers: of those that pass the gate, and of all."""

    def load(self, run: Run) -> CaseSet[AskedCase]:
        """Read the questions, answerable and not, equally many unless the run is full."""
        cases, note = sample_by_kind(squad2_questions(run.data), _SIZES, run)
        return CaseSet(cases=cases, note=note)

    async def measure(self, asked: AskedCase, engine: Engine) -> Outcome:
        return await answer_with_certainty(asked, engine)

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score ECE, Brier and AUROC of the certainty, and the share of right answers it is about."""
        everything = [stored_verdict(each.values) for each in outcomes]
        passed = [each for each in everything if each.said]
        scores = probability_scores(passed, run.seed) if passed else ()
        if passed:
            scores += (_right(passed, run.seed, ""),)
        scores += (rate_score("answered", [each.said for each in everything]),)
        scores += probability_scores(everything, run.seed, subset=ALL_QUESTIONS)
        scores += (_right(everything, run.seed, ALL_QUESTIONS),)
        drawn = passed or everything
        return Scores(scores=scores, figures=(reliability(drawn, f"Reliability: {self.about.title}"),))


async def answer_with_certainty(asked: AskedCase, engine: Engine) -> Outcome:
    """Write the answer whatever the gate says, check it, and estimate its certainty.

    The verdict says whether the gate let the question pass; its truth is whether the answer is right. Only answers
    that pass count in the loss: others are never shown.
    """
    case, services = asked.case, engine.judges
    question = await services.question_augmenter.augment(case.question, "", ())
    answerability = await services.answerability_judge.judge(question, case.passages)
    text = await write(services, question, case.passages)
    sentences = [each.text for each in sentences_of(text)]
    faithfulness = await services.faithfulness_judge.judge(case.question, sentences, case.passages)
    relevance = await services.relevance_judge.judge(case.question, case.passages)
    certainty = await services.certainty_estimator.estimate(
        AnswerEvidence(
            question=case.question,
            answer=text,
            passages=case.passages,
            answerability=answerability.probability,
            faithfulness=faithfulness,
            relevance=relevance,
        )
    )
    passed = services.policy.is_answerable(answerability.probability)
    right = case.answerable and holds_answer(text, case.answers)
    verdict = Verdict(truth=right, said=passed, probability=certainty.probability, group=case.group)
    return Outcome(
        id=asked.id,
        values=verdict_values(verdict),
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


async def write(services: Services, question: AugmentedQuestion, passages: Sequence[Passage]) -> str:
    """Return the answer of the writer of ``services``, without markers of its own.

    Raises:
        RuntimeError: the writer ended without a draft.
    """
    async for piece in services.answer_writer.write(WritingBrief(question=question, passages=tuple(passages))):
        if isinstance(piece, Draft):
            return remove_markers(piece.text).strip()
    raise RuntimeError(f"{type(services.answer_writer).__name__} ended its stream without a Draft")


def holds_answer(text: str, answers: Sequence[str]) -> bool:
    """Say whether ``text`` holds one of the gold ``answers`` as whole words, after the normalisation of SQuAD."""
    said = f" {normalised(text)} "
    wordings = [normalised(answer) for answer in answers]
    return any(re.search(rf"(?<!\w){re.escape(wording)}(?!\w)", said) for wording in wordings if wording)


def _right(verdicts: Sequence[Verdict], seed: int, subset: str) -> Score:
    values = [float(each.truth) for each in verdicts]
    return mean_score("right answers", values, seed=seed, subset=subset, groups=[each.group for each in verdicts])


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of certainty."""
    return (Certainty(name="certainty-squad2"),)
