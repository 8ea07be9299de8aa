"""Fit and measure the scorer of statements; the shipped weights are those of seed 20.

The weights are those that rank the answering sentence first, on questions with known answers.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contracts.text import Passage
from evaluation.intervals import Floats
from evaluation.results import SplitUse
from golden_lab.calibration.fitting import CalibrationRun, fit_choices
from golden_lab.datasets.cases import Paragraph, as_passage
from golden_lab.datasets.files import read_jsonl
from tools.embedding.base import Embedder
from tools.embedding.cached import CachedEmbedder
from tools.language import split_sentences
from tools.reading.features import FEATURE_NAMES, statement_features, view_question
from tools.reading.questions import analyse_question
from tools.reading.statements import Statement, read_statements

_FILE = "squad2/train_v1.1_paragraphs.jsonl.gz"
_PASSAGES = 4
_ARTICLES, _PARAGRAPHS, _PER_ARTICLE = 120, 15, 12


@dataclass(frozen=True, slots=True, kw_only=True)
class FittingCase:
    """One question: features of its candidate sentences, and which of them hold the answer.

    ``features`` has shape ``(candidates, len(FEATURE_NAMES))``; ``in_gold`` marks the sentences of the
    paragraph that the question was written for.
    """

    features: Floats
    answers: NDArray[np.bool_]
    in_gold: NDArray[np.bool_]


async def build_cases(
    articles: dict[str, list[dict[str, Any]]], embedder: Embedder, *, per_article: int, seed: int
) -> tuple[FittingCase, ...]:
    """Build cases as retrieval would bring them: the four nearest paragraphs of the article, the right one among them.

    ``articles`` maps a title to its paragraphs (``context`` and ``qas`` with ``q`` and answers ``a``).
    """
    rng = random.Random(seed)
    cases = []
    for title, paragraphs in articles.items():
        contexts = [paragraph["context"] for paragraph in paragraphs]
        vectors = await embedder.embed_documents(contexts)
        pairs = [(number, qa) for number, paragraph in enumerate(paragraphs) for qa in paragraph["qas"]]
        for number, qa in rng.sample(pairs, min(per_article, len(pairs))):
            query = await embedder.embed_queries([qa["q"]])
            ranked = [int(n) for n in np.argsort(-(vectors @ query[0]))[:_PASSAGES]]
            ranked = ranked if number in ranked else [*ranked[:-1], number]
            case = await _case(qa, [contexts[n] for n in ranked], ranked.index(number), title, embedder, query[0])
            if case is not None:
                cases.append(case)
    return tuple(cases)


def fit_weights(cases: Sequence[FittingCase], *, penalty: float = 1.0) -> Floats:
    """Fit a conditional logit: the likelihood that an answering sentence is drawn from all, by softmax of the scores.

    The L2 ``penalty`` is for the set of cases, not for each.
    """
    count = len(FEATURE_NAMES)
    ridge = np.full(count, penalty / (2 * len(cases)))
    choices = [(case.features, case.answers) for case in cases]
    return fit_choices([choices], penalty=ridge, lowest=[None] * count, start=np.zeros(count))[0]


def accuracy(cases: Sequence[FittingCase], weights: Floats, *, gold_only: bool) -> float:
    """Return how often the best sentence holds the answer; ``gold_only``: of the right paragraph."""
    hits = 0
    for case in cases:
        keep = case.in_gold if gold_only else np.ones(len(case.answers), dtype=np.bool_)
        hits += bool(case.answers[keep][np.argmax(case.features[keep] @ weights)])
    return hits / len(cases)


async def _case(
    qa: dict[str, Any], contexts: list[str], gold: int, title: str, embedder: Embedder, query: NDArray[np.float32]
) -> FittingCase | None:
    statements: list[Statement] = []
    for index, context in enumerate(contexts):
        statements.extend(read_statements(_passage(context, title), index))
    holds = [any(answer in each.text for answer in qa["a"]) for each in statements]
    # The answer's words in another paragraph may answer too, or not: such a sentence counts as neither.
    kept = [n for n, each in enumerate(statements) if each.passage == gold or not holds[n]]
    if len(kept) < 2 or not any(holds[n] for n in kept):
        return None
    chosen = [statements[n] for n in kept]
    cosines = (await embedder.embed_documents([each.text for each in chosen])) @ query
    return FittingCase(
        features=statement_features(view_question(analyse_question(qa["q"])), chosen, cosines),
        answers=np.array([holds[n] for n in kept]),
        in_gold=np.array([each.passage == gold for each in chosen]),
    )


def _passage(context: str, title: str) -> Passage:
    passage = as_passage(Paragraph(title=title, text=context), 0)
    return replace(passage, sentences=split_sentences(context))


def read_articles(path: Path, *, count: int, paragraphs: int, seed: int) -> dict[str, list[dict[str, Any]]]:
    """Read ``count`` articles of SQuAD 1.1 (a paragraph a line), up to ``paragraphs`` of each."""
    articles: dict[str, list[dict[str, Any]]] = {}
    for row in read_jsonl(path):
        articles.setdefault(row["title"], []).append(row)
    titles = random.Random(seed).sample(sorted(articles), count)
    return {title: articles[title][:paragraphs] for title in titles}


async def calibrate(run: CalibrationRun) -> dict[str, Any]:
    """Fit on two thirds of the articles, measure on the others."""
    embedder = CachedEmbedder(run.embedder)
    articles = read_articles(run.data / _FILE, count=_ARTICLES, paragraphs=_PARAGRAPHS, seed=run.seed)
    titles = sorted(articles)
    cut = len(titles) * 2 // 3
    fitted, held = [
        await build_cases({title: articles[title] for title in part}, embedder, per_article=_PER_ARTICLE, seed=run.seed)
        for part in (titles[:cut], titles[cut:])
    ]
    weights = fit_weights(fitted)
    systems = {
        "fitted": weights,
        "cosine": np.array([name == "cosine" for name in FEATURE_NAMES], dtype=np.float64),
        "lexical overlap": np.array([name == "coverage" for name in FEATURE_NAMES], dtype=np.float64),
    }
    figures = {
        f"{name}, {'right paragraph' if gold else 'four paragraphs'}": round(accuracy(held, each, gold_only=gold), 3)
        for name, each in systems.items()
        for gold in (True, False)
    }
    run.write(
        "tools.reading",
        "coefficients.json",
        {"weights": {name: round(float(weight), 4) for name, weight in zip(FEATURE_NAMES, weights, strict=True)}},
        fits=(SplitUse(file=_FILE),),
        fitted_on="SQuAD 1.1 train (Rajpurkar et al. 2016), CC BY-SA 4.0, articles split 2 to 1",
        n=len(fitted),
        figures=figures,
    )
    return figures
