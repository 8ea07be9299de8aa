"""Fit and measure the scorer of statements: ``python -m golden_lab.calibration.reading SQUAD --cache FOLDER``.

The weights are those that rank the answering sentence first, on questions with known answers.
"""

import argparse
import asyncio
import gzip
import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contracts.text import Chunk, Passage
from evaluation.results import SplitUse
from tools.embedding.base import Embedder
from tools.language import split_sentences
from tools.reading import scoring
from tools.reading.features import FEATURE_NAMES, statement_features, view_question
from tools.reading.questions import analyse_question
from tools.reading.statements import Statement, read_statements

_PASSAGES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class FittingCase:
    """One question: features of its candidate sentences, and which of them hold the answer.

    ``features`` has shape ``(candidates, len(FEATURE_NAMES))``; ``in_gold`` marks the sentences of the
    paragraph that the question was written for.
    """

    features: NDArray[np.float64]
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


def fit_weights(cases: Sequence[FittingCase], *, penalty: float = 1.0, rounds: int = 400) -> NDArray[np.float64]:
    """Fit a conditional logit: the likelihood that an answering sentence is drawn from all, by softmax of the scores.

    Gradient ascent with an L2 ``penalty`` on the weights (per case set, not per case).
    Source: McFadden (1974), conditional logit analysis of qualitative choice behaviour.
    """
    weights = np.zeros(len(FEATURE_NAMES))
    velocity = np.zeros_like(weights)
    for _ in range(rounds):
        gradient = -penalty * weights / len(cases)
        for case in cases:
            scores = case.features @ weights
            share = np.exp(scores - scores.max())
            inside = share * case.answers
            gradient += (inside / inside.sum() - share / share.sum()) @ case.features / len(cases)
        velocity = 0.9 * velocity + gradient
        weights = weights + 0.3 * velocity
    return weights


def accuracy(cases: Sequence[FittingCase], weights: NDArray[np.float64], *, gold_only: bool, top: int = 1) -> float:
    """Return how often one of the ``top`` best sentences holds the answer; ``gold_only``: of the right paragraph."""
    hits = 0
    for case in cases:
        keep = case.in_gold if gold_only else np.ones(len(case.answers), dtype=np.bool_)
        best = np.argsort(-(case.features[keep] @ weights), kind="stable")[:top]
        hits += bool(case.answers[keep][best].any())
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
    chunk = Chunk(
        id="", document_id="", kind="passage", ordinal=0, text=context, page=1, last_page=1, document_title=title
    )
    return Passage(chunk=chunk, document_name="", document_title=title, score=0.0, sentences=split_sentences(context))


def read_articles(path: Path, *, count: int, paragraphs: int, seed: int) -> dict[str, list[dict[str, Any]]]:
    """Read ``count`` articles of SQuAD 1.1 (JSON lines, gzip; one paragraph a line), up to ``paragraphs`` of each."""
    articles: dict[str, list[dict[str, Any]]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            articles.setdefault(row["title"], []).append(row)
    titles = random.Random(seed).sample(sorted(articles), count)
    return {title: articles[title][:paragraphs] for title in titles}


async def _main(arguments: argparse.Namespace) -> None:
    from tools.embedding.cached import CachedEmbedder
    from tools.embedding.onnx import OnnxEmbedder
    from tools.embedding.weights import find_default_model

    embedder = CachedEmbedder(OnnxEmbedder(find_default_model(), arguments.cache))
    articles = read_articles(arguments.squad, count=arguments.articles, paragraphs=15, seed=arguments.seed)
    titles = sorted(articles)
    cut = len(titles) * 2 // 3
    parts = []
    for chosen in (titles[:cut], titles[cut:]):
        part = {title: articles[title] for title in chosen}
        parts.append(await build_cases(part, embedder, per_article=arguments.per_article, seed=arguments.seed))
    fitted, held = parts
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
    stored = {
        "command": "python -m golden_lab.calibration.reading",
        "fits": [asdict(SplitUse(file="squad2/train_v1.1_paragraphs.jsonl.gz"))],
        "data": "SQuAD 1.1 train (Rajpurkar et al. 2016), CC BY-SA 4.0, articles split 2 to 1",
        "seed": arguments.seed,
        "embedder": embedder.name,
        "cases": {"fitted": len(fitted), "held out": len(held)},
        "held_out_accuracy": figures,
        "weights": {name: round(float(weight), 4) for name, weight in zip(FEATURE_NAMES, weights, strict=True)},
    }
    arguments.out.write_text(json.dumps(stored, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m golden_lab.calibration.reading", description="Fit tools/reading/coefficients.json again."
    )
    parser.add_argument("squad", type=Path, help="SQuAD 1.1 train: JSON lines in gzip, one paragraph a line")
    parser.add_argument("--cache", type=Path, required=True, help="folder for the embedding model's graph")
    parser.add_argument("--articles", type=int, default=120)
    parser.add_argument("--per-article", type=int, default=12)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path(scoring.__file__).with_name("coefficients.json"))
    asyncio.run(_main(parser.parse_args()))
