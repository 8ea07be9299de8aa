"""People's judgements of answers: ratings of single answers (MT-RAG) and preferences between two (RAGChecker)."""

import gzip
import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput
from contracts.question import Turn
from golden_lab.datasets.files import read_jsonl
from golden_lab.judge.grades import AnswerToGrade, Criterion
from golden_lab.splits import conversation_of, half

PREFERENCES_FILE = "ragchecker_meta/human_labeled.jsonl.gz"
PREFERENCE_LABELS = ("correctness", "completeness", "overall")


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferencePair:
    """Two answers to a question, and two people's preferences, from -2 (first is far better) to 2 (second is)."""

    id: str
    question: str
    reference: str
    first: str
    second: str
    labels: tuple[Mapping[str, int], ...]


def load_preferences(data: Path) -> tuple[PreferencePair, ...]:
    """Return the pairs of answers, each with the labels of the two people who compared them.

    Source: Ru et al. 2024, RAGChecker (arXiv:2408.08067), section 4.2; Apache-2.0.

    Raises:
        InvalidInput: the file does not exist or has the wrong format; the message names it.
    """
    path = data / PREFERENCES_FILE
    found: dict[str, list[dict[str, Any]]] = {}
    for row in read_jsonl(path):
        found.setdefault(str(row.get("instance_id")), []).append(row)
    try:
        return tuple(_pair(id_, rows) for id_, rows in found.items())
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"{path} is not a valid file of preferences: {error!r}", field="data") from error


def _pair(id_: str, rows: Sequence[dict[str, Any]]) -> PreferencePair:
    first = rows[0]
    return PreferencePair(
        id=id_,
        question=first["query"],
        reference=first["gt_answer"],
        first=first["model1"]["response"],
        second=first["model2"]["response"],
        labels=tuple({name: int(row[f"{name}_label"]) for name in PREFERENCE_LABELS} for row in rows),
    )


RATINGS_FILE = "mtrag/human_eval_subset.json.gz"
# The data set's rating for each criterion. Appropriateness is "an appropriate amount of useful information".
RATED_AS: Mapping[Criterion, str] = {
    "relevance": "appropriateness",
    "faithfulness": "faithfulness",
    "completeness": "completeness",
}
_RATINGS = ("faithfulness", "appropriateness", "completeness", "naturalness", "win-rate")
_METRICS = {"RougeL": "Rouge-L", "Bert-KPrec": "BERT-K-Prec", "rb_llm": "RB-LLM", "rl_f": "RL-F"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedAnswer:
    """An answer with people's mean ratings (1 to 4; "win-rate" 0 to 100) and the data set's own metrics.

    ``turns`` is the conversation up to and including the question, its last turn (``item.question``).
    """

    id: str
    task: str
    system: str
    turns: tuple[Turn, ...]
    item: AnswerToGrade
    ratings: Mapping[str, float]
    metrics: Mapping[str, float]


def load_ratings(data: Path, part: str) -> tuple[RatedAnswer, ...]:
    """Return the rated answers of one half of the conversations: "fit" or "score".

    Source: Katsis et al. 2025, "MTRAG" (arXiv:2501.03468), the subset rated by people; Apache-2.0.

    Raises:
        InvalidInput: the file does not exist or has the wrong format; the message names it.
    """
    path = data / RATINGS_FILE
    if not path.is_file():
        raise InvalidInput(f"{path} does not exist: is --data the folder with one folder per data set?", field="data")
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            content = json.load(file)
        texts = {each["document_id"]: each["text"] for each in content["documents"]}
        tasks = {each["task_id"]: each for each in content["tasks"]}
        return tuple(
            _rated(tasks[each["task_id"]], each, texts)
            for each in content["evaluations"]
            if half(RATINGS_FILE, conversation_of(each["task_id"])) == part
        )
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path} is not a valid file of human ratings: {error!r}", field="data") from error


def _rated(task: dict[str, Any], evaluation: dict[str, Any], texts: dict[str, str]) -> RatedAnswer:
    task_id, system = task["task_id"], evaluation["model_id"]
    turns = tuple(
        Turn(role="user" if each["speaker"] == "user" else "assistant", text=each["text"]) for each in task["input"]
    )
    annotations = evaluation["annotations"]
    return RatedAnswer(
        id=f"{task_id}/{system}",
        task=task_id,
        system=system,
        turns=turns,
        item=AnswerToGrade(
            id=f"{task_id}/{system}",
            question=turns[-1].text,
            passages=tuple(texts[each["document_id"]] for each in task["contexts"]),
            answer=evaluation["model_response"],
        ),
        ratings={
            name: statistics.fmean(float(each["value"]) for each in annotations[name].values()) for name in _RATINGS
        },
        metrics={
            label: float(value)
            for name, label in _METRICS.items()
            if (value := _value(annotations.get(name))) is not None
        },
    )


def _value(annotation: dict[str, Any] | None) -> Any:
    """Return the value of a metric such as {"composite": {"value": 0.7}}; its only key may have any name."""
    return next(iter(annotation.values())).get("value") if annotation else None
