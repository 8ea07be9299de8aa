"""Which passages support a sentence? The citation finder, scored against human annotations and by entailment."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from agent.answer_assembly import sentences_of
from contracts.text import Passage
from contracts.verdicts import CitationVerdict
from golden_lab.benchmarks.base import Benchmark, CaseSet, about, one_by_one, sampled
from golden_lab.benchmarks.scores import Rows
from golden_lab.datasets.annotated import AnnotatedAnswer, AttributedClaim, excerpt, ragtruth_answers, wice_attributions
from golden_lab.engine import Engine
from golden_lab.intervals import f1_of, share
from golden_lab.metrics.answers import CitedSentence, citation_precision, citation_recall, judge_citations
from golden_lab.results import Outcome, Score
from golden_lab.run import Run
from golden_lab.scores import mean_score, rate_score, statistic_score

Place = tuple[int, int]

_NOT_SUPPORTED = "not_supported"


def claims_with_evidence(run: Run) -> CaseSet[AttributedClaim]:
    """Read the claims, except fully or partly supported ones without annotated evidence sentences."""
    claims = wice_attributions(run.data)
    return CaseSet(cases=tuple(each for each in claims if each.annotations or each.label == _NOT_SUPPORTED))


async def find_evidence(claim: AttributedClaim, engine: Engine) -> Outcome:
    """Find the evidence for a claim with the finder of ``engine``, and compare it with the nearest annotation.

    An unsupported claim has no annotation: its loss is 1 if it is linked to anything.
    """
    verdict = await engine.judges.citation_finder.find([claim.text], claim.passages)
    said = frozenset((link.passage, sentence) for link in verdict.links for sentence in link.passage_sentences)
    values: dict[str, object] = {"label": claim.label, "linked": bool(said)}
    loss = float(bool(said))
    gold: frozenset[Place] = frozenset()
    if claim.label != _NOT_SUPPORTED:
        gold, (precision, recall, f1) = nearest_annotation(said, claim.annotations)
        values |= {"sentence precision": precision, "sentence recall": recall, "sentence F1": f1}
        loss = 1.0 - f1
    return Outcome(
        id=claim.id,
        values=values,
        loss=loss,
        trace={
            "claim": excerpt(claim.text),
            "cited": _quoted(said, claim.passages),
            "nearest annotation": _quoted(gold, claim.passages),
            "truth": claim.label,
        },
    )


def nearest_annotation(
    said: frozenset[Place], annotations: Sequence[frozenset[Place]]
) -> tuple[frozenset[Place], tuple[float, float, float]]:
    """Return the annotation that gives ``said`` the best F1, with precision, recall and F1."""

    def scores(gold: frozenset[Place]) -> tuple[float, float, float]:
        precision, recall = (share(len(said & gold), len(said)), share(len(said & gold), len(gold)))
        return precision, recall, f1_of(precision, recall)

    best = max(annotations, key=lambda gold: scores(gold)[2])
    return best, scores(best)


def evidence_scores(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score precision, recall and F1 as means over claims with evidence, and the share of claims that are linked."""
    scored = [each.values for each in outcomes if each.values["label"] != _NOT_SUPPORTED]
    metrics = ("sentence F1", "sentence precision", "sentence recall")
    found = [mean_score(name, [each[name] for each in scored], seed=seed) for name in metrics]
    for label in dict.fromkeys(str(each.values["label"]) for each in outcomes):
        linked = [bool(each.values["linked"]) for each in outcomes if each.values["label"] == label]
        found.append(rate_score("linked", linked, subset=label, higher_is_better=label != _NOT_SUPPORTED))
    return found


def faithful_answers(run: Run) -> CaseSet[AnnotatedAnswer]:
    """Read the answers without hallucinations."""
    answers = [each for each in ragtruth_answers(run.data) if not each.hallucinated]
    return sampled(answers, 35, run, "answers without hallucination")


async def cite_answer(answer: AnnotatedAnswer, engine: Engine) -> Outcome:
    """Cite an answer and judge each citation; sentences without claims need no citation and are left out.

    A sentence cites at most as many passages as the policy of ``engine`` allows.
    """
    services = engine.judges
    texts = [each.text for each in sentences_of(answer.answer)]
    verdicts = (await services.faithfulness_judge.judge(answer.question, texts, answer.passages)).sentences
    links = await services.citation_finder.find(texts, answer.passages, question=answer.question)
    claims = [at for at, verdict in enumerate(verdicts) if verdict.label != "no_claim"]
    cited = [_cited(links, at, answer.passages, services.policy.citations_per_sentence) for at in claims]
    judged: tuple[CitedSentence, ...] = ()
    if claims:
        sentences = [texts[at] for at in claims]
        judged = await judge_citations(services.faithfulness_judge, answer.question, sentences, cited)
    failed = next((at for at, each in zip(claims, judged, strict=True) if not each.supported), None)
    return Outcome(
        id=answer.id,
        values={"sentences": [asdict(each) for each in judged]},
        loss=1.0 - citation_recall(judged) if judged else 0.0,
        trace={
            "question": answer.question,
            "answer": excerpt(answer.answer),
            "sentence not supported": "" if failed is None else texts[failed],
            "its citations": "" if failed is None else _texts(cited[claims.index(failed)]),
            "reason": "" if failed is None else verdicts[failed].reason,
        },
    )


def _cited(links: CitationVerdict, sentence: int, passages: Sequence[Passage], most: int) -> tuple[Passage, ...]:
    numbers = [link.passage for link in links.links if link.sentence == sentence]
    return tuple(passages[number] for number in dict.fromkeys(numbers[:most]))


def _texts(passages: Sequence[Passage]) -> str:
    return " / ".join(excerpt(passage.text) for passage in passages) or "none"


def _quoted(places: frozenset[Place], passages: Sequence[Passage]) -> str:
    return excerpt(" / ".join(passages[passage].sentence(sentence) for passage, sentence in sorted(places))) or "none"


def entailment_scores(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score recall over all sentences with claims and precision over all citations; intervals resample answers."""
    answers = [[CitedSentence(**each) for each in outcome.values["sentences"]] for outcome in outcomes]

    def over(name: str) -> Score:
        def statistic(rows: Rows) -> float:
            sentences = [sentence for at in rows.tolist() for sentence in answers[at]]
            recall, precision = (citation_recall(sentences), citation_precision(sentences))
            return {"recall": recall, "precision": precision, "F1": f1_of(precision, recall)}[name]

        return statistic_score(f"citation {name}", statistic, len(outcomes), seed=seed)

    return [over(name) for name in ("F1", "recall", "precision")]


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of citation."""
    return (
        Benchmark(
            about=about("citation-wice"),
            load=claims_with_evidence,
            prepare=one_by_one(find_evidence),
            score=evidence_scores,
        ),
        Benchmark(
            about=about("citation-entailment"),
            load=faithful_answers,
            prepare=one_by_one(cite_answer),
            score=entailment_scores,
        ),
    )
