"""Does an answer say more than its passages? The faithfulness judge on answers and claims that people checked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.composing import sentences_of
from agent.wording import percent
from contracts.text import Passage, Span
from contracts.verdicts import SentenceFaithfulness
from evaluation.results import Outcome, Score, Scores
from golden_lab.benchmarks.base import Benchmark, CaseBenchmark, CaseSet, sampled
from golden_lab.benchmarks.verdict_scores import (
    Rows,
    Sides,
    Verdict,
    class_scores,
    constant_scores,
    grouped_score,
    probability_scores,
    reliability,
    stored_verdict,
    verdict_values,
)
from golden_lab.datasets.annotated import (
    AnnotatedAnswer,
    AnnotatedClaim,
    begin_claims,
    excerpt,
    expertqa_claims,
    ragtruth_answers,
    wice_claims,
)
from golden_lab.engine import Engine
from golden_lab.metrics.classification import classification_scores
from golden_lab.metrics.spans import SpanCounts, character_span_counts, span_scores
from golden_lab.run import Run

ANSWER_SIDES = Sides(true="hallucinated", false="faithful")
CLAIM_SIDES = Sides(true="supported", false="unsupported")
_ANSWERS = 100
# Where no sentence claims anything the judge says nothing: neither supported nor not.
_NOTHING_CLAIMED = 0.5
_WORST_FIRST = ("unfaithful", "partial", "faithful")


@dataclass(frozen=True, kw_only=True)
class HallucinatedAnswers(CaseBenchmark[AnnotatedAnswer]):
    """Scores whether answers are called hallucinated, and which of their characters: ``size`` of those ``read``."""

    read: Callable[[Path], Sequence[AnnotatedAnswer]]
    size: int

    def load(self, run: Run) -> CaseSet[AnnotatedAnswer]:
        """Read the answers."""
        answers = self.read(run.data)
        return sampled(answers, self.size, run, "answers")

    async def measure(self, answer: AnnotatedAnswer, engine: Engine) -> Outcome:
        return await check_answer(answer, engine)

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score answers by class and by probability, and characters by precision, recall and F1."""
        verdicts = [stored_verdict(each.values) for each in outcomes]
        return Scores(
            scores=class_scores(verdicts, ANSWER_SIDES, run.seed)
            + constant_scores(verdicts, ANSWER_SIDES, run.seed)
            + probability_scores(verdicts, run.seed)
            + _span_scores(outcomes, verdicts, run.seed),
            figures=(reliability(verdicts, f"Reliability: {self.about.title}"),),
        )


async def check_answer(answer: AnnotatedAnswer, engine: Engine) -> Outcome:
    """Have the judge of ``engine`` check an answer sentence by sentence.

    Sentences labelled "unfaithful", those that the bot marks, are taken to be hallucinated, and so is an answer with
    one of them; its probability is that of its worst sentence.
    """
    sentences = sentences_of(answer.answer)
    checked = await _check(answer.question, [each.text for each in sentences], answer.passages, engine)
    said = [each.span for each, one in zip(sentences, checked, strict=True) if one.label == "unfaithful"]
    claims = [at for at, one in enumerate(checked) if one.label != "no_claim"]
    worst = min(claims, key=lambda at: checked[at].probability, default=None)
    truth = bool(answer.hallucinated)
    probability = 0.0 if worst is None else 1.0 - checked[worst].probability
    verdict = Verdict(truth=truth, said=bool(said), probability=probability, group=answer.group)
    characters = character_span_counts(_bounds(said), _bounds(answer.hallucinated))
    return Outcome(
        id=answer.id,
        values={
            **verdict_values(verdict),
            "characters said": characters.predicted,
            "characters hallucinated": characters.gold,
            "characters hit": characters.hits,
        },
        loss=abs(probability - float(truth)),
        trace={
            "question": answer.question,
            "answer": excerpt(answer.answer),
            "worst sentence": "" if worst is None else sentences[worst].text,
            "passages": excerpt(" / ".join(passage.text for passage in answer.passages)),
            "said": f"{ANSWER_SIDES.true if said else ANSWER_SIDES.false}: {percent(probability)}",
            "truth": _told(answer),
            "reason": "" if worst is None else checked[worst].reason,
        },
    )


@dataclass(frozen=True, kw_only=True)
class CheckedClaims(CaseBenchmark[AnnotatedClaim]):
    """Scores whether claims are called supported, on ``size`` of those that ``read`` brings unless the run is full.

    ``labels`` turns the set's labels into those of a faithfulness judge where it has three like them, else it is empty.
    """

    read: Callable[[Path], Sequence[AnnotatedClaim]]
    size: int
    labels: Mapping[str, str] = field(default_factory=dict)

    def load(self, run: Run) -> CaseSet[AnnotatedClaim]:
        """Read the claims."""
        return sampled(self.read(run.data), self.size, run, "claims")

    async def measure(self, claim: AnnotatedClaim, engine: Engine) -> Outcome:
        return await check_claim(claim, engine)

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score supported against not, the probabilities, three labels where there are three, each part's AUROC."""
        verdicts = [stored_verdict(each.values) for each in outcomes]
        scores = class_scores(verdicts, CLAIM_SIDES, run.seed) + constant_scores(verdicts, CLAIM_SIDES, run.seed)
        scores += probability_scores(verdicts, run.seed)
        if self.labels:
            scores += self._three_way(outcomes, verdicts, run.seed)
        for subset in sorted({str(each.values["subset"]) for each in outcomes} - {""}):
            part = [one for each, one in zip(outcomes, verdicts, strict=True) if each.values["subset"] == subset]
            scores += tuple(
                each for each in probability_scores(part, run.seed, subset=subset) if each.metric == "AUROC"
            )
        return Scores(scores=scores, figures=(reliability(verdicts, f"Reliability: {self.about.title}"),))

    def _three_way(self, outcomes: Sequence[Outcome], verdicts: Sequence[Verdict], seed: int) -> tuple[Score, ...]:
        truth = [self.labels[str(each.values["label"])] for each in outcomes]
        said = [str(each.values["said label"]) for each in outcomes]

        names = sorted(set(self.labels.values()))

        def over(name: str) -> Score:
            def statistic(rows: Rows) -> float:
                found = classification_scores([truth[at] for at in rows], [said[at] for at in rows], names)
                return found.macro_f1 if name == "macro F1" else found.accuracy

            return grouped_score(f"three-way {name}", statistic, verdicts, seed)

        return over("macro F1"), over("accuracy")


async def check_claim(claim: AnnotatedClaim, engine: Engine) -> Outcome:
    """Have the judge of ``engine`` check a claim: supported where it claims something, all of it faithful."""
    sentences = [each.text for each in sentences_of(claim.text)]
    checked = [
        (text, one)
        for text, one in zip(sentences, await _check(claim.question, sentences, claim.passages, engine), strict=True)
        if one.label != "no_claim"
    ]
    text, worst = min(checked, key=lambda each: each[1].probability, default=("", None))
    probability = _NOTHING_CLAIMED if worst is None else worst.probability
    labels = [one.label for _, one in checked]
    label = next((each for each in _WORST_FIRST if each in labels), "no_claim")
    verdict = Verdict(truth=claim.supported, said=label == "faithful", probability=probability, group=claim.group)
    return Outcome(
        id=claim.id,
        values={**verdict_values(verdict), "label": claim.label, "said label": label, "subset": claim.subset},
        loss=abs(probability - float(claim.supported)),
        trace={
            "question": claim.question,
            "claim": excerpt(claim.text),
            "worst sentence": text if len(sentences) > 1 else "",
            "passages": excerpt(" / ".join(passage.text for passage in claim.passages)),
            "said": f"{label}: {percent(probability)}",
            "truth": claim.label,
            "reason": "It claims nothing." if worst is None else worst.reason,
        },
    )


async def _check(
    question: str, sentences: Sequence[str], passages: Sequence[Passage], engine: Engine
) -> Sequence[SentenceFaithfulness]:
    return (await engine.judges.faithfulness_judge.judge(question, sentences, passages)).sentences


def _span_scores(outcomes: Sequence[Outcome], verdicts: Sequence[Verdict], seed: int) -> tuple[Score, ...]:
    counts = [
        SpanCounts(
            hits=each.values["characters hit"],
            predicted=each.values["characters said"],
            gold=each.values["characters hallucinated"],
        )
        for each in outcomes
    ]

    def over(name: str) -> Score:
        def statistic(rows: Rows) -> float:
            return float(getattr(span_scores(counts[at] for at in rows.tolist()), name.lower()))

        return grouped_score(f"span {name}", statistic, verdicts, seed)

    return tuple(over(name) for name in ("precision", "recall", "F1"))


def _bounds(spans: Sequence[Span]) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in spans]


def _told(answer: AnnotatedAnswer) -> str:
    marked = [answer.answer[span.start : span.end] for span in answer.hallucinated]
    return f"{ANSWER_SIDES.true}: {excerpt(' / '.join(marked))}" if marked else ANSWER_SIDES.false


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of faithfulness."""
    wice = {"supported": "faithful", "partially_supported": "partial", "not_supported": "unfaithful"}
    expertqa = {"Complete": "faithful", "Partial": "partial", "Incomplete": "unfaithful"}
    return (
        HallucinatedAnswers(name="hallucination-ragtruth", read=ragtruth_answers, size=_ANSWERS),
        CheckedClaims(name="hallucination-wice", read=wice_claims, size=160, labels=wice),
        CheckedClaims(name="hallucination-expertqa", read=expertqa_claims, size=140, labels=expertqa),
        CheckedClaims(name="hallucination-begin", read=begin_claims, size=160),
    )
