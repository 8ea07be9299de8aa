"""Is the rewritten question close to the human rewrite? Scored by word overlap."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.question import Turn
from golden_lab.benchmarks.base import Benchmark, about, one_by_one, sample_of
from golden_lab.benchmarks.scores import of_subset, system_scores
from golden_lab.datasets.corpora import read_history
from golden_lab.datasets.files import read_jsonl
from golden_lab.engine import Engine
from golden_lab.metrics.text import exact_match, rouge_l, rouge_n
from golden_lab.results import Outcome, Score
from golden_lab.splits import conversation_of, half

_METRICS = ("ROUGE-1 recall", "ROUGE-1 F1", "ROUGE-L F1", "exact match")
_AS_ASKED, _OURS = "as asked", "our rewrite"
_ALONE, _CHANGED = "people left it as it was", "people changed it"


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """A question as it was asked after ``history``, and the same question rewritten by people to stand alone."""

    id: str
    group: str
    question: str
    history: tuple[Turn, ...]
    rewrite: str


async def measure(case: FollowUp, engine: Engine) -> Outcome:
    """Rewrite a question with its conversation, and compare the result with the human rewrite."""
    said = await engine.judges.question_rewriter.rewrite(case.question, case.history)
    ours = overlap_values(said.text, case.rewrite)
    return Outcome(
        id=case.id,
        values={
            "group": case.group,
            "kind": _ALONE if case.question == case.rewrite else _CHANGED,
            _AS_ASKED: overlap_values(case.question, case.rewrite),
            _OURS: ours,
        },
        loss=1.0 - ours["ROUGE-1 F1"],
        trace={
            "before": "\n".join(f"{turn.role}: {turn.text}" for turn in case.history[-4:]),
            "asked": case.question,
            "ours": said.text,
            "people's": case.rewrite,
        },
    )


def overlap_values(said: str, gold: str) -> dict[str, float]:
    """Return ROUGE-1 recall and F1, ROUGE-L F1 and exact match of one rewrite, each in [0, 1]."""
    words = rouge_n(said, gold, 1)
    return {
        "ROUGE-1 recall": words.recall,
        "ROUGE-1 F1": words.f1,
        "ROUGE-L F1": rouge_l(said, gold).f1,
        "exact match": exact_match(said, (gold,)),
    }


def canard_questions(data: Path) -> tuple[FollowUp, ...]:
    """Read the development split of CANARD; as in the original, each history starts with the article title and section.

    Source: Elgohary et al. 2019, "Can You Unpack That? Learning to Rewrite Questions-in-Context", EMNLP.
    """
    path = data / "query_rewrite" / "canard_dev.jsonl.gz"
    return tuple(
        FollowUp(
            id=f"{row['QuAC_dialog_id']}-{row['Question_no']}",
            group=row["QuAC_dialog_id"],
            question=row["Question"].strip(),
            history=tuple(
                Turn(role="assistant" if at % 2 else "user", text=text) for at, text in enumerate(row["History"])
            ),
            rewrite=row["Rewrite"].strip(),
        )
        for row in read_jsonl(path)
    )


def mtrag_questions(data: Path) -> tuple[FollowUp, ...]:
    """Read the scored half of the MT-RAG tasks that people rewrote.

    First turns are left out because they have no history.

    Source: Katsis et al. 2025, "MTRAG: A multi-turn conversational benchmark", IBM/mt-rag-benchmark, Apache-2.0.
    """
    path = data / "mtrag" / "tasks.jsonl.gz"
    return tuple(
        FollowUp(
            id=row["task_id"],
            group=conversation_of(row["task_id"]),
            question=row["input"][-1]["text"].strip(),
            history=read_history(row),
            rewrite=row["rewrite_query"].removeprefix("|user|:").strip(),
        )
        for row in read_jsonl(path)
        if row["rewrite_query"] and len(row["input"]) > 1 and half("mtrag", conversation_of(row["task_id"])) == "score"
    )


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score the question as asked and our rewrite, over all questions and by whether people changed the question."""
    return [
        row
        for kind in ("", _CHANGED, _ALONE)
        for row in system_scores(of_subset(outcomes, kind, "kind"), _METRICS, seed, subset=kind)
    ]


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of question rewriting."""
    sets = (("rewriting-canard", canard_questions, 1_000), ("rewriting-mtrag", mtrag_questions, 400))
    return tuple(
        Benchmark(about=about(name), load=sample_of(read, size, "questions"), prepare=one_by_one(measure), score=score)
        for name, read, size in sets
    )
