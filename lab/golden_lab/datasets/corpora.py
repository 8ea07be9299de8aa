"""Public retrieval collections: passages, the questions that they answer, and the half that each question belongs to.

Each reader raises InvalidInput with the file name if the file is missing or a line is not a JSON object.
"""

import csv
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from contracts.errors import InvalidInput
from contracts.question import Turn
from golden_lab.datasets.files import read_jsonl
from golden_lab.run import SEED
from golden_lab.splits import Half, conversation_of, half

# About 250 tokens: the size of passages that ingestion produces.
_PASSAGE_CHARACTERS = 1_100

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionPassage:
    """A passage to find. ``unit`` is the id in the relevance judgements: that of the passage or its ``document``."""

    id: str
    unit: str
    document: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """A standalone question with the units that answer it.

    A split keeps all questions of a ``group`` together. In a conversation, ``last_turn`` is the question as asked after
    ``history``, and ``text`` the same question rewritten by people to stand alone.
    """

    id: str
    text: str
    relevant: frozenset[str]
    group: str
    last_turn: str = ""
    history: tuple[Turn, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Passages with judged questions. ``note`` describes the sample and belongs in every table of results.

    ``set_name`` is the name of the data set, which determines how its groups of questions are halved.
    """

    name: str
    passages: tuple[CollectionPassage, ...]
    questions: tuple[JudgedQuestion, ...]
    note: str
    set_name: str = ""

    def part(self, part: Half) -> "Collection":
        """Return the collection with all passages and the questions of one half; "fit" is for fitting only."""
        kept = tuple(each for each in self.questions if half(self.set_name, each.group) == part)
        return replace(self, questions=kept)


def load_mtrag(data: Path, domain: str, *, others: int | None = None, seed: int = SEED) -> Collection:
    """Load a domain of MT-RAG's pooled corpus with its questions, grouped by conversation.

    ``others`` limits the passages that answer no question to a random sample of that size.

    Source: Katsis et al. 2025, "MTRAG: A multi-turn conversational benchmark", IBM/mt-rag-benchmark, Apache-2.0.
    """
    folder = data / "mtrag" / "retrieval" / domain
    relevant = read_qrels(folder / "qrels.tsv")
    named = frozenset[str]().union(*relevant.values())
    rows = list(read_jsonl(folder / "corpus_pooled.jsonl.gz"))
    passages = [row for row in rows if row["_id"] in named]
    passages += _sample([row for row in rows if row["_id"] not in named], others, seed)
    return Collection(
        name=f"mtrag-{domain}",
        passages=tuple(
            CollectionPassage(
                id=row["_id"], unit=row["_id"], document=row["_id"].rsplit("-", 2)[0], title="", text=row["text"]
            )
            for row in passages
        ),
        questions=_mtrag_questions(data, domain, relevant),
        note=f"pooled corpus, {_count(len(passages), len(rows), 'passages', seed)}",
        set_name="mtrag",
    )


def read_qrels(path: Path) -> Mapping[str, frozenset[str]]:
    """Read the units that answer each question, by question id, from a file of MT-RAG relevance judgements.

    Raises:
        InvalidInput: the file does not exist.
    """
    if not path.is_file():
        raise InvalidInput(f"{path} does not exist: is --data the folder with one folder per data set?", field="data")
    relevant: dict[str, set[str]] = {}
    for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t"):
        if int(row["score"]) > 0:
            relevant.setdefault(row["query-id"], set()).add(row["corpus-id"])
    return {question: frozenset(units) for question, units in relevant.items()}


def _mtrag_questions(data: Path, domain: str, relevant: Mapping[str, frozenset[str]]) -> tuple[JudgedQuestion, ...]:
    folder = data / "mtrag" / "retrieval" / domain
    turns = {row["task_id"]: read_history(row) for row in read_jsonl(data / "mtrag" / "tasks.jsonl.gz")}
    asked = {row["_id"]: _last_words(row["text"]) for row in read_jsonl(folder / "lastturn.jsonl")}
    return tuple(
        JudgedQuestion(
            id=row["_id"],
            text=_last_words(row["text"]),
            relevant=relevant[row["_id"]],
            group=conversation_of(row["_id"]),
            last_turn=asked[row["_id"]],
            history=turns[row["_id"]],
        )
        for row in read_jsonl(folder / "rewrite.jsonl")
        if row["_id"] in relevant
    )


def read_history(task: Mapping[str, Any]) -> tuple[Turn, ...]:
    """Return the turns before the last turn of an MT-RAG task."""
    return tuple(
        Turn(role="user" if turn["speaker"] == "user" else "assistant", text=turn["text"].strip())
        for turn in task["input"][:-1]
    )


def load_awsdocs(data: Path, *, others: int | None = None, seed: int = SEED) -> Collection:
    """Load the core guides of the AWS documentation with customers' questions; the judged unit is the document.

    ``others`` limits the documents that answer no question to a random sample of that size. Each question is a group.

    Source: Gholami and Noori 2021, "Zero-Shot Open-Book Question Answering", siagholami/aws-documentation, CC BY 4.0.
    """
    questions = tuple(
        JudgedQuestion(id=row["id"], text=row["question"], relevant=frozenset([row["doc_id"]]), group=row["id"])
        for row in read_jsonl(data / "awsdocs" / "qa.jsonl")
    )
    named = frozenset[str]().union(*(question.relevant for question in questions))
    rows = list(read_jsonl(data / "awsdocs" / "corpus_core.jsonl.gz"))
    kept = [row for row in rows if row["id"] in named]
    kept += _sample([row for row in rows if row["id"] not in named], others, seed)
    return Collection(
        name="awsdocs-core",
        passages=tuple(
            CollectionPassage(
                id=f"{row['id']}#{number}", unit=row["id"], document=row["id"], title=row["title"], text=piece
            )
            for row in kept
            for number, piece in enumerate(_pieces(row["text"]))
        ),
        questions=questions,
        note=f"core guides, {_count(len(kept), len(rows), 'documents', seed)}",
        set_name="awsdocs",
    )


def load_eda(data: Path) -> Collection:
    """Load questions about OpenROAD; their answers, short texts full of commands, are the passages to find.

    A question paired with several answers is a single question, answered by each of them. Questions and answers linked
    through pairs, mostly paraphrases of one original, are one group.

    Source: Wu et al. 2024, "EDA Corpus", OpenROAD-Assistant/EDA-Corpus, CC BY 4.0.
    """
    pairs = [(row["question"].strip(), row["answer"].strip()) for row in read_jsonl(data / "eda_corpus" / "qa.jsonl")]
    ids = {answer: f"a{number}" for number, answer in enumerate(dict.fromkeys(answer for _, answer in pairs))}
    group_of = _linked(pairs)
    answers: dict[str, set[str]] = {}
    for question, answer in pairs:
        answers.setdefault(question, set()).add(ids[answer])
    return Collection(
        name="eda-answers",
        passages=tuple(
            CollectionPassage(id=id_, unit=id_, document=id_, title="", text=text) for text, id_ in ids.items()
        ),
        questions=tuple(
            JudgedQuestion(id=f"q{number}", text=question, relevant=frozenset(units), group=group_of[question])
            for number, (question, units) in enumerate(answers.items())
        ),
        note=f"{len(ids)} answers as passages",
        set_name="eda_corpus",
    )


def _linked(pairs: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Return, for each question, the alphabetically first of all questions linked to it through shared answers."""
    parent: dict[tuple[str, str], tuple[str, str]] = {}

    def root(node: tuple[str, str]) -> tuple[str, str]:
        while parent.setdefault(node, node) != node:
            node = parent[node]
        return node

    for question, answer in pairs:
        parent[root(("answer", answer))] = root(("question", question))
    questions = sorted({question for question, _ in pairs})
    first: dict[tuple[str, str], str] = {}
    for question in questions:
        first.setdefault(root(("question", question)), question)
    return {question: first[root(("question", question))] for question in questions}


def _count(kept: int, total: int, what: str, seed: int) -> str:
    return f"all {total:,} {what}" if kept == total else f"{kept:,} of {total:,} {what}, seed {seed}"


def _sample(rows: list[Row], size: int | None, seed: int) -> list[Row]:
    return rows if size is None or size >= len(rows) else random.Random(seed).sample(rows, size)


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
