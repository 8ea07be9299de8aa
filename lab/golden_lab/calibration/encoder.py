"""Fit how the embedded engine and a trained encoder are joined.

It reads only what neither trains the encoder nor is scored: the calibration part of each set (``golden_lab.splits``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from evaluation.intervals import Floats
from evaluation.results import SplitUse
from golden_lab.calibration.answerability import ANSWERABLE_SHARE, KIND_WEIGHTS, best_gate
from golden_lab.calibration.fitting import (
    CalibrationRun,
    binary_figures,
    fit_logistic,
    held_out_rows,
    shifted,
    stored_models,
)
from golden_lab.datasets.annotated import AnnotatedClaim, begin_claims, expertqa_claims
from golden_lab.datasets.cases import Case, mtrag_cases, squad_cases
from golden_lab.datasets.claims import Claim, squad_claims, wice_claims
from golden_lab.datasets.forms import sdu21_texts
from golden_lab.datasets.manuals import manual_cases
from golden_lab.splits import part_of
from intrinsics.answerability import embedded as answering
from intrinsics.answerability.embedded import HEAD as ANSWERABILITY
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from intrinsics.context_relevance import embedded as relating
from intrinsics.context_relevance.embedded import HEAD as RELEVANCE
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from intrinsics.faithfulness import embedded as checking
from intrinsics.faithfulness.embedded import HEAD as FAITHFULNESS
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from intrinsics.jargon_identification.embedded import UNMARKED, open_tokens, tag_logit
from intrinsics.jargon_identification.tokens import read_tokens
from intrinsics.jargon_identification.unknown import UnknownTerms
from tools.embedding.base import Embedder
from tools.embedding.weights import find_default_model
from tools.encoder import PairEncoder, TextPair
from tools.encoder.joining import CALIBRATION_FILE, FEATURES, clipped_logit, held
from tools.encoder.onnx import OnnxPairEncoder
from tools.evidence.model import FittedModel

_ARTICLES, _QUESTIONS_EACH, _CLAIM_ARTICLES, _PARAGRAPHS_EACH = 12, 20, 40, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A verdict to join: the features' probability, the pairs of which the best counts, the truth, its weight."""

    embedded: float
    pairs: tuple[TextPair, ...]
    truth: bool
    weight: float = 1.0


Parts = Mapping[str, Sequence[Observed]]


async def observe_cases(run: CalibrationRun) -> dict[str, Parts]:
    """Observe each judgement's calibration cases by where they come from."""
    embedder = run.embedder

    def of_article(title: str) -> bool:
        return part_of("squad2", title, whole=True) == "calibration"

    squad = await squad_cases(
        run.data, embedder, articles=_ARTICLES, questions_each=_QUESTIONS_EACH, seed=run.seed, of_article=of_article
    )
    mtrag = [each for each in mtrag_cases(run.data) if part_of("mtrag", each.group) == "calibration"]
    manuals = await manual_cases(run.data, embedder)
    scored = held_out_rows("awsdocs", [each.group for each in manuals])
    manuals = [each for each, out in zip(manuals, scored, strict=True) if not out]
    people: list[Claim | AnnotatedClaim] = []
    for name, claims in (("wice", wice_claims), ("begin", begin_claims), ("expertqa", expertqa_claims)):
        people += [each for each in claims(run.data) if part_of(name, each.group) == "calibration"]
    made = squad_claims(
        run.data, articles=_CLAIM_ARTICLES, paragraphs_each=_PARAGRAPHS_EACH, seed=run.seed, of_article=of_article
    )
    shown = [each for each in squad if each.kind != "name_swapped"]
    return {
        "context_relevance": {
            "squad": await relevance_cases(shown, embedder),
            "mtrag": await relevance_cases(mtrag, embedder),
        },
        "answerability": {
            "squad": await answerability_cases(squad, embedder),
            "mtrag": await answerability_cases(mtrag, embedder),
            "manuals": await answerability_cases(manuals, embedder),
        },
        "faithfulness": {
            "people": await faithfulness_cases(people, embedder),
            "made": await faithfulness_cases(made, embedder),
        },
    }


async def relevance_cases(cases: Sequence[Case], embedder: Embedder) -> list[Observed]:
    """Observe the passages that the encoder would be asked about."""
    judge, found = EmbeddedRelevanceJudge(embedder), []
    for case in cases:
        weighed = await judge.weigh(case.question, case.passages)
        found += [
            Observed(
                embedded=weighed[at].verdict.probability,
                pairs=(TextPair(case.question, weighed[at].excerpt),),
                truth=case.relevant[at],
            )
            for at in relating.doubtful(weighed)
        ]
    return found


async def answerability_cases(cases: Sequence[Case], embedder: Embedder) -> list[Observed]:
    """Observe the questions with their passages that the features leave open."""
    judge, found = EmbeddedAnswerabilityJudge(embedder), []
    for case in cases:
        asked = AugmentedQuestion(
            question=case.question, text=case.question, readings=(), provenance=Provenance(implementation="calibration")
        )
        weighed = await judge.weigh(asked, case.passages)
        if answering.is_open(weighed):
            pairs, weight = answering.pairs_of(case.question, weighed), KIND_WEIGHTS.get(case.kind, 1.0)
            found.append(Observed(embedded=weighed.probability, pairs=pairs, truth=case.answerable, weight=weight))
    return found


async def faithfulness_cases(claims: Sequence[Claim | AnnotatedClaim], embedder: Embedder) -> list[Observed]:
    """Observe the claims that the features do not settle."""
    judge, found = EmbeddedFaithfulnessJudge(embedder), []
    for claim in claims:
        checked = await judge.check(claim.question, claim.text, claim.passages)
        if checked.nearest:
            pairs = checking.pairs_of(claim.text, checked)
            found.append(Observed(embedded=checked.verdict.probability, pairs=pairs, truth=claim.supported))
    return found


_HEADS = {"context_relevance": RELEVANCE, "answerability": ANSWERABILITY, "faithfulness": FAITHFULNESS}
# Both sides mean "more"; neither may speak against.
_SIGNS = dict.fromkeys(FEATURES, 1)
# What the weights themselves have seen lies in the same halves.
FITS = (
    SplitUse(file="squad2/train_v1.1_paragraphs.jsonl.gz"),
    SplitUse(file="squad2/dev_v2.0_half.jsonl.gz", part="fit"),
    SplitUse(file="mtrag/tasks.jsonl.gz", part="fit"),
    SplitUse(file="awsdocs/qa.jsonl", part="fit"),
    SplitUse(file="awsdocs/glossary.jsonl", part="fit"),
    SplitUse(file="cncf_glossary/glossary.jsonl", part="fit"),
    SplitUse(file="wice/oracle_chunks_claim_dev.jsonl.gz", part="fit"),
    *(SplitUse(file=f"begin/begin_dev_{source}.jsonl.gz", part="fit") for source in ("wow", "cmu", "tc")),
    SplitUse(file="expertqa/claims.jsonl.gz", part="fit"),
    SplitUse(file="sdu21_ai/dev.jsonl.gz", part="fit"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows as in ``FEATURES``, their truths, and how much each counts."""

    rows: Floats
    truth: Floats
    weights: Floats


async def tables_of(parts: Parts, head: str, encoder: PairEncoder) -> dict[str, Table]:
    """Hold what was observed against the encoder, source by source."""
    return {name: await _table(observed, head, encoder) for name, observed in parts.items() if observed}


async def _table(observed: Sequence[Observed], head: str, encoder: PairEncoder) -> Table:
    scores = (await encoder.score([pair for each in observed for pair in each.pairs]))[:, encoder.heads.index(head)]
    starts = np.cumsum([0, *(len(each.pairs) for each in observed[:-1])])
    best = np.maximum.reduceat(scores, starts).tolist()
    return Table(
        rows=np.array([[clipped_logit(one.embedded), held(logit)] for one, logit in zip(observed, best, strict=True)]),
        truth=np.array([each.truth for each in observed], dtype=np.float64),
        weights=np.array([each.weight for each in observed], dtype=np.float64),
    )


async def jargon_table(data: Path, encoder: PairEncoder) -> Table:
    """Observe the words that no dictionary knows: whether an annotated short form lies there."""
    rows, truth = [], []
    for case in sdu21_texts(data, "calibration"):
        tokens = read_tokens(case.text)
        unknown = UnknownTerms(case.text, tokens, {}).judge()
        (tags,) = await encoder.tag([case.text])
        for at in open_tokens(tokens, ()):
            span = tokens[at].span
            logit = tag_logit(tags, span)
            if logit is not None:
                rows.append([clipped_logit(unknown.get(at, UNMARKED)), held(logit)])
                truth.append(float(any(short.start < span.end and span.start < short.end for short in case.shorts)))
    return Table(rows=np.array(rows), truth=np.array(truth), weights=np.ones(len(rows)))


def together(tables: Sequence[Table], *, even_truths: bool = False) -> Table:
    """Put tables together, so that each counts alike in sum, and with ``even_truths`` each truth in it too."""
    weights = []
    for each in tables:
        weight = each.weights.copy()
        for truth in (0.0, 1.0) if even_truths else ():
            here = each.truth == truth
            weight[here] /= max(float(weight[here].sum()), 1e-9)
        weights.append(weight / weight.sum())
    return Table(
        rows=np.concatenate([each.rows for each in tables]),
        truth=np.concatenate([each.truth for each in tables]),
        weights=np.concatenate(weights),
    )


def fit(observed: Table) -> FittedModel:
    """Fit both coefficients."""
    weights = observed.weights
    return fit_logistic(observed.rows, observed.truth, FEATURES, weights=weights, penalty=1.0, signs=_SIGNS)


async def calibrate(run: CalibrationRun, weights: Path) -> dict[str, Any]:
    """Fit all four judgements and write the calibration beside the weights.

    No judgement is "better" with the encoder until it was measured, and a person writes it there.
    """
    encoder = OnnxPairEncoder(weights, find_default_model() / "tokenizer.json")
    observed = await observe_cases(run)
    tables = {name: await tables_of(observed[name], head, encoder) for name, head in _HEADS.items()}
    joined = {
        "context_relevance": together(list(tables["context_relevance"].values()), even_truths=True),
        "answerability": together([tables["answerability"][name] for name in ("squad", "mtrag")]),
        "faithfulness": together(list(tables["faithfulness"].values())),
        "jargon_identification": await jargon_table(run.data, encoder),
    }
    models = {name: fit(each) for name, each in joined.items()}
    gates = [tables["answerability"][name] for name in ("squad", "manuals")]
    on_gates = [(models["answerability"].logits(each.rows), each.truth) for each in gates]
    models["answerability"] = shifted(models["answerability"], -best_gate(on_gates, ANSWERABLE_SHARE))
    figures: dict[str, Any] = {
        name: {part: _figures(each, models[name]) for part, each in of_name.items()} for name, of_name in tables.items()
    }
    name = "jargon_identification"
    figures[name] = _figures(joined[name], models[name])
    replace(run, out=weights / CALIBRATION_FILE).write(
        "tools.encoder",
        CALIBRATION_FILE,
        stored_models(models),
        fits=FITS,
        fitted_on="the calibration part of each set; the operating point of answerability on AWS documentation too",
        n=sum(len(each.truth) for each in joined.values()),
        figures=figures,
        encoder=encoder.name,
        better=[],
    )
    return figures


def _figures(observed: Table, model: FittedModel) -> dict[str, Any]:
    alone = (1 / (1 + np.exp(-observed.rows[:, column])) for column in (0, 1))
    return {
        **{name: binary_figures(each, observed.truth) for name, each in zip(FEATURES, alone, strict=True)},
        "joined_fitted_here": binary_figures(model.probabilities(observed.rows), observed.truth),
    }
