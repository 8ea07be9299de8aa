"""Public retrieval collections, read from a folder that the reader of the benchmark provides."""

import csv
import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SEED = 20_260
# About 250 tokens: the size of the passages that ingestion cuts.
_PASSAGE_CHARACTERS = 1_100


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionPassage:
    """A passage to be found. ``unit`` is what the judgements name: the passage itself or its ``document``."""

    id: str
    unit: str
    document: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """A question with the units that answer it."""

    text: str
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Passages with judged questions. ``note`` says what was sampled: it belongs in every table of results."""

    name: str
    passages: tuple[CollectionPassage, ...]
    questions: tuple[JudgedQuestion, ...]
    note: str


def load_mtrag(data: Path, domain: str, *, others: int | None = None, queries: str = "rewrite") -> Collection:
    """Load a domain of MT-RAG's pooled corpus with its standalone questions.

    ``others`` limits the passages that answer no question to a random sample of that size. ``queries``: ``rewrite``
    (made standalone by people) or ``lastturn``.

    Source: Katsis et al. 2025, "MTRAG: A multi-turn conversational benchmark", IBM/mt-rag-benchmark, Apache-2.0.
    """
    folder = data / "mtrag" / "retrieval" / domain
    relevant: dict[str, set[str]] = {}
    with (folder / "qrels.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if int(row["score"]) > 0:
                relevant.setdefault(row["query-id"], set()).add(row["corpus-id"])
    named = set().union(*relevant.values())
    rows = list(_read_lines(folder / "corpus_pooled.jsonl.gz"))
    kept = _sample([row for row in rows if row["_id"] not in named], others)
    passages = [row for row in rows if row["_id"] in named] + kept
    questions = [
        JudgedQuestion(text=_last_words(row["text"]), relevant=frozenset(relevant[row["_id"]]))
        for row in _read_lines(folder / f"{queries}.jsonl")
        if row["_id"] in relevant
    ]
    return Collection(
        name=f"mtrag-{domain}-{queries}",
        passages=tuple(
            CollectionPassage(
                id=row["_id"], unit=row["_id"], document=row["_id"].rsplit("-", 2)[0], title="", text=row["text"]
            )
            for row in passages
        ),
        questions=tuple(questions),
        note=f"pooled corpus, {len(passages)} of {len(rows)} passages",
    )


def load_awsdocs(data: Path, *, others: int | None = None) -> Collection:
    """Load the core guides of the AWS documentation with customers' questions; the judged unit is the document.

    ``others`` limits the documents that answer no question to a random sample of that size.

    Source: Gholami and Noori 2021, "Zero-Shot Open-Book Question Answering", siagholami/aws-documentation, CC BY 4.0.
    """
    questions = [
        JudgedQuestion(text=row["question"], relevant=frozenset([row["doc_id"]]))
        for row in _read_lines(data / "awsdocs" / "qa.jsonl")
    ]
    named = set().union(*(question.relevant for question in questions))
    rows = list(_read_lines(data / "awsdocs" / "corpus_core.jsonl.gz"))
    kept = [row for row in rows if row["id"] in named] + _sample(
        [row for row in rows if row["id"] not in named], others
    )
    return Collection(
        name="awsdocs-core",
        passages=tuple(
            CollectionPassage(
                id=f"{row['id']}#{number}", unit=row["id"], document=row["id"], title=row["title"], text=piece
            )
            for row in kept
            for number, piece in enumerate(_pieces(row["text"]))
        ),
        questions=tuple(questions),
        note=f"{len(kept)} of {len(rows)} documents, judged by document",
    )


def load_eda(data: Path) -> Collection:
    """Load questions on OpenROAD with their answers as the passages to be found: short texts full of commands.

    Source: Wu et al. 2024, "EDA Corpus", OpenROAD-Assistant/EDA-Corpus, CC BY 4.0.
    """
    rows = list(_read_lines(data / "eda_corpus" / "qa.jsonl"))
    answers = {row["answer"].strip(): f"a{number}" for number, row in enumerate(rows)}
    return Collection(
        name="eda-answers",
        passages=tuple(
            CollectionPassage(id=id, unit=id, document=id, title="", text=text) for text, id in answers.items()
        ),
        questions=tuple(
            JudgedQuestion(text=row["question"].strip(), relevant=frozenset([answers[row["answer"].strip()]]))
            for row in rows
        ),
        note="answers as passages",
    )


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    opening = gzip.open if path.suffix == ".gz" else open
    with opening(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _sample(rows: list[dict[str, Any]], size: int | None) -> list[dict[str, Any]]:
    return rows if size is None or size >= len(rows) else random.Random(_SEED).sample(rows, size)


def _last_words(text: str) -> str:
    return text.rsplit("|user|:", 1)[-1].strip()


def _pieces(text: str) -> Iterator[str]:
    piece = ""
    for paragraph in text.split("\n\n"):
        for start in range(0, len(paragraph) or 1, _PASSAGE_CHARACTERS):
            part = paragraph[start : start + _PASSAGE_CHARACTERS]
            if piece and len(piece) + len(part) > _PASSAGE_CHARACTERS:
                yield piece
                piece = ""
            piece = f"{piece}\n\n{part}" if piece else part
    if piece.strip():
        yield piece
