"""RAGChecker's meta-evaluation: people's preferences between two systems' answers to the same question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput
from golden_lab.datasets.files import read_jsonl

PREFERENCES_FILE = "ragchecker_meta/human_labeled.jsonl.gz"
PREFERENCE_LABELS = ("correctness", "completeness", "overall")


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferencePair:
    """Two answers to a question, and two people's preferences, -2 (the first is far better) to 2 (the second)."""

    id: str
    domain: str
    question: str
    reference: str
    first: str
    second: str
    labels: tuple[Mapping[str, int], ...]


def load_preferences(data: Path) -> tuple[PreferencePair, ...]:
    """Return the pairs of answers, each with the labels of the two people who compared them.

    Source: Ru et al. 2024, RAGChecker (arXiv:2408.08067), section 4.2; Apache-2.0.

    Raises:
        InvalidInput: the file is not there or not of its form; the text names it.
    """
    path = data / PREFERENCES_FILE
    found: dict[str, list[dict[str, Any]]] = {}
    for row in read_jsonl(path):
        found.setdefault(str(row.get("instance_id")), []).append(row)
    try:
        return tuple(_pair(id_, rows) for id_, rows in found.items())
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"{path} is not the file of preferences: {error!r}", field="data") from error


def _pair(id_: str, rows: Sequence[dict[str, Any]]) -> PreferencePair:
    first = rows[0]
    return PreferencePair(
        id=id_,
        domain=first["dataset"],
        question=first["query"],
        reference=first["gt_answer"],
        first=first["model1"]["response"],
        second=first["model2"]["response"],
        labels=tuple({name: int(row[f"{name}_label"]) for name in PREFERENCE_LABELS} for row in rows),
    )
