"""TeleQnA: multiple-choice questions on telecommunications, with the explanations that they are answered from."""

from dataclasses import dataclass

from golden_lab.datasets.corpora import Collection, CollectionPassage
from golden_lab.datasets.files import read_jsonl
from golden_lab.run import Run
from golden_lab.splits import half

TELEQNA = "teleqna/teleqna.jsonl.gz"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceCase:
    """A question with its ``options``, of which ``options[right]`` is right; ``subset`` is its part of the set."""

    id: str
    text: str
    options: tuple[str, ...]
    right: int
    subset: str


def read_teleqna(run: Run) -> tuple[ChoiceCase, ...]:
    """Read the half of TeleQnA on which no judgement was fitted."""
    return tuple(
        ChoiceCase(
            id=row["id"],
            text=row["question"].strip(),
            options=tuple(row["options"]),
            right=row["answer_idx"],
            subset=row["category"],
        )
        for row in read_jsonl(run.data / TELEQNA)
        if half("teleqna", row["question"]) == "score"
    )


def read_explanations(run: Run) -> Collection:
    """Read the explanations of all questions of TeleQnA as passages, equal ones once."""
    texts = dict.fromkeys(row["explanation"].strip() for row in read_jsonl(run.data / TELEQNA))
    named = ((f"explanation {number}", text) for number, text in enumerate(texts) if text)
    return Collection(
        name="teleqna-explanations",
        passages=tuple(
            CollectionPassage(id=name, unit=name, document=name, title="", text=text) for name, text in named
        ),
        questions=(),
        note="explanations",
        set_name="teleqna",
    )
