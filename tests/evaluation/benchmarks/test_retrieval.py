"""The retrieval benchmark on collections that the test writes, in the formats of the public ones."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.benchmarks.corpora import load_awsdocs, load_eda, load_mtrag
from evaluation.benchmarks.retrieval import measure, ndcg, recall
from tools.embedding.hashing import HashingEmbedder


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(json.dumps(row) for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "mtrag" / "retrieval" / "govt"
    topics = ["wildfire smoke", "ground water", "tax refund", "passport renewal", "flood shelter", "jury duty"]
    rows = [{"_id": f"doc{row}-0-9", "text": f"All about {topic}, item {row}."} for row, topic in enumerate(topics)]
    write_lines(folder / "corpus_pooled.jsonl.gz", rows)
    questions = [
        {"_id": f"q{row}", "text": f"|user|: Hello\n|user|: Tell me of {topic}"} for row, topic in enumerate(topics)
    ]
    write_lines(folder / "rewrite.jsonl", questions)
    judged = "".join(f"q{row}\tdoc{row}-0-9\t1\n" for row in range(3))
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}q4\tdoc4-0-9\t0\n")
    write_lines(tmp_path / "data" / "awsdocs" / "qa.jsonl", [{"question": "What is S3?", "doc_id": "s3.md"}])
    documents = [{"id": name, "title": name, "text": "word\n\n" * 900} for name in ("s3.md", "ec2.md", "sqs.md")]
    write_lines(tmp_path / "data" / "awsdocs" / "corpus_core.jsonl.gz", documents)
    pairs = [
        {"question": "Q1?", "answer": "One."},
        {"question": "Q2?", "answer": "One. "},
        {"question": "Q3?", "answer": "Two."},
    ]
    write_lines(tmp_path / "data" / "eda_corpus" / "qa.jsonl", pairs)
    return tmp_path / "data"


async def test_every_system_is_scored_and_what_is_kept_gives_the_same(data: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    collection = load_mtrag(data, "govt")
    first = await measure(collection, HashingEmbedder(), work)
    again = await measure(collection, HashingEmbedder(), work)
    assert first == again
    assert [score.system for score in first] == ["BM25", "dense", "hybrid"]
    for score in first:
        assert score.questions == 3
        assert score.recall_at_1 == score.recall_at_5 == score.ndcg_at_5 == 1.0


def test_collections_are_read_as_judged(data: Path) -> None:
    govt = load_mtrag(data, "govt", others=1)
    assert [question.text for question in govt.questions] == [
        f"Tell me of {t}" for t in ("wildfire smoke", "ground water", "tax refund")
    ]
    assert len(govt.passages) == 4
    assert govt.note == "pooled corpus, 4 of 6 passages"
    awsdocs = load_awsdocs(data, others=1)
    assert {passage.document for passage in awsdocs.passages} >= {"s3.md"}
    assert len({passage.document for passage in awsdocs.passages}) == 2
    assert len({passage.id for passage in awsdocs.passages}) == len(awsdocs.passages) > 2
    eda = load_eda(data)
    assert len(eda.passages) == 2
    assert eda.questions[0].relevant == eda.questions[1].relevant != eda.questions[2].relevant


def test_scores_follow_their_definitions() -> None:
    relevant = frozenset({"a", "b"})
    assert recall(["a", "x"], relevant) == 0.5
    assert ndcg(["a", "b"], relevant, 5) == pytest.approx(1.0)
    assert ndcg(["x", "a"], relevant, 5) == pytest.approx((1 / 1.5849625) / (1 + 1 / 1.5849625))
    assert ndcg([], relevant, 5) == 0.0
