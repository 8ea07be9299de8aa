"""Does an answer claim more than its passages support? The faithfulness judge, tested on texts labelled by people."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from agent.answer_assembly import sentences_of
from agent.wording import percent
from contracts.text import Passage, Span
from contracts.verdicts import SentenceFaithfulness
from golden_lab.benchmarks.base import Benchmark, about, one_by_one, sample_of
from golden_lab.benchmarks.scores import (
    Rows,
    count_scores,
    groups_of,
    of_subset,
    probability_scores,
    verdict_score,
    verdict_scores,
    verdicts_of,
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
from golden_lab.results import Outcome, Score

ANSWER_SIDES = ("hallucinated", "faithful")
CLAIM_SIDES = ("supported", "unsupported")
# The probability if no sentence contains a claim: neither supported nor unsupported.
_NOTHING_CLAIMED = 0.5
_WORST_FIRST = ("unfaithful", "partial", "faithful")
# The labels of data sets that use three labels, like the judge.
_WICE = {"supported": "faithful", "partially_supported": "partial", "not_supported": "unfaithful"}
_EXPERTQA = {"Complete": "faithful", "Partial": "partial", "Incomplete": "unfaithful"}


async def check_answer(answer: AnnotatedAnswer, engine: Engine) -> Outcome:
    """Check an answer sentence by sentence with the judge of ``engine``.

    Sentences labelled "unfaithful", which the bot marks, count as hallucinated, and so does an answer that contains
    one. The probability of an answer is that of its worst sentence.
    """
    sentences = sentences_of(answer.answer)
    checked = await _check(answer.question, [each.text for each in sentences], answer.passages, engine)
    said = [each.span for each, one in zip(sentences, checked, strict=True) if one.label == "unfaithful"]
    claims = [at for at, one in enumerate(checked) if one.label != "no_claim"]
    worst = min(claims, key=lambda at: checked[at].probability, default=None)
    truth = bool(answer.hallucinated)
    probability = 0.0 if worst is None else 1.0 - checked[worst].probability
    marked, right = _characters(said), _characters(answer.hallucinated)
    return Outcome(
        id=answer.id,
        values={
            "truth": truth,
            "said": bool(said),
            "probability": probability,
            "group": answer.group,
            "characters": [len(marked & right), len(marked), len(right)],
        },
        loss=abs(probability - float(truth)),
        trace={
            "question": answer.question,
            "answer": excerpt(answer.answer),
            "worst sentence": "" if worst is None else sentences[worst].text,
            "passages": excerpt(" / ".join(passage.text for passage in answer.passages)),
            "said": f"{ANSWER_SIDES[0] if said else ANSWER_SIDES[1]}: {percent(probability)}",
            "truth": _truth_text(answer),
            "reason": "" if worst is None else checked[worst].reason,
        },
    )


def _characters(spans: Iterable[Span]) -> set[int]:
    return {at for span in spans for at in range(span.start, span.end)}


def answer_scores(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score answers by class and by probability, and marked characters by precision, recall and F1.

    Source: RAGTruth (Niu et al. 2024), which scores span detection by overlapping characters.
    """
    counts = np.array([each.values["characters"] for each in outcomes], dtype=np.float64)
    spans = count_scores(
        counts, seed, metrics=("precision", "recall", "F1"), prefix="span ", groups=groups_of(outcomes)
    )
    return [*verdict_scores(verdicts_of(outcomes), ANSWER_SIDES, seed), *spans]


async def check_claim(claim: AnnotatedClaim, engine: Engine) -> Outcome:
    """Check a claim with the judge of ``engine``; it is supported if every sentence that makes a claim is faithful."""
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
    return Outcome(
        id=claim.id,
        values={
            "truth": claim.supported,
            "said": label == "faithful",
            "probability": probability,
            "group": claim.group,
            "label": claim.label,
            "said label": label,
            "subset": claim.subset,
        },
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


def claim_scores(outcomes: Sequence[Outcome], seed: int, labels: Mapping[str, str]) -> list[Score]:
    """Score supported against unsupported claims, the probabilities, three labels if given, and each subset's AUROC."""
    found = verdict_scores(verdicts_of(outcomes), CLAIM_SIDES, seed)
    if labels:
        truth = [labels[str(each.values["label"])] for each in outcomes]
        said = [str(each.values["said label"]) for each in outcomes]
        names = sorted(set(labels.values()))

        def three_way(rows: Rows, metric: str) -> float:
            scores = classification_scores([truth[at] for at in rows], [said[at] for at in rows], names)
            return scores.macro_f1 if metric == "macro F1" else scores.accuracy

        for metric in ("macro F1", "accuracy"):
            statistic = partial(three_way, metric=metric)
            found.append(verdict_score(f"three-way {metric}", statistic, verdicts_of(outcomes), seed))
    for subset in sorted({str(each.values["subset"]) for each in outcomes} - {""}):
        part = probability_scores(verdicts_of(of_subset(outcomes, subset)), seed, subset=subset)
        found += [each for each in part if each.metric == "AUROC"]
    return found


def _truth_text(answer: AnnotatedAnswer) -> str:
    marked = [answer.answer[span.start : span.end] for span in answer.hallucinated]
    return f"{ANSWER_SIDES[0]}: {excerpt(' / '.join(marked))}" if marked else ANSWER_SIDES[1]


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of faithfulness."""
    answers: Benchmark[Any] = Benchmark(
        about=about("hallucination-ragtruth"),
        load=sample_of(ragtruth_answers, 100, "answers"),
        prepare=one_by_one(check_answer),
        score=answer_scores,
        verdicts=verdicts_of,
    )
    sets = (
        ("hallucination-wice", wice_claims, 160, _WICE),
        ("hallucination-expertqa", expertqa_claims, 140, _EXPERTQA),
        ("hallucination-begin", begin_claims, 160, dict[str, str]()),
    )
    claims = (
        Benchmark(
            about=about(name),
            load=sample_of(read, size, "claims"),
            prepare=one_by_one(check_claim),
            score=partial(claim_scores, labels=labels),
            verdicts=verdicts_of,
        )
        for name, read, size, labels in sets
    )
    return (answers, *claims)
