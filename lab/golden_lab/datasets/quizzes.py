"""Public quizzes as multiple-choice questions, and the documents that some of them are answered from."""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from contracts.errors import InvalidInput
from golden_lab.datasets.corpora import Collection, CollectionPassage
from golden_lab.datasets.files import read_jsonl
from golden_lab.datasets.manuals import cut_markdown
from golden_lab.run import Run
from golden_lab.splits import half

TELEQNA = "teleqna/teleqna.jsonl.gz"
GLOSSARY = "hwspecs/glossary.jsonl"
SPECIFICATIONS = "hwspecs/docs.jsonl.gz"
# The specifications that the glossary was taken from; the others are 3 MB on other subjects.
_GLOSSED = frozenset({"caliptra-spec", "ocp-lock", "riscv_iommu/iommu_intro"})
_GLOSSED_CONTEXTS = frozenset({"riscv_sbi"})
_DISTRACTORS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceCase:
    """A question with its ``options``, of which ``options[right]`` is right; ``subset`` is its part of the set."""

    id: str
    text: str
    options: tuple[str, ...]
    right: int
    subset: str


def read_teleqna(run: Run) -> tuple[ChoiceCase, ...]:
    """Read the half of TeleQnA on which no judgement was fitted.

    Raises:
        InvalidInput: as ``read_jsonl``, and where a question's answer is none of its options.
    """
    return tuple(
        _checked(
            ChoiceCase(
                id=row["id"],
                text=row["question"].strip(),
                options=tuple(row["options"]),
                right=row["answer_idx"],
                subset=row["category"],
            ),
            TELEQNA,
        )
        for row in read_jsonl(run.data / TELEQNA)
        if half("teleqna", row["question"]) == "score"
    )


def read_explanations(run: Run) -> Collection:
    """Read the explanations of all questions of TeleQnA as passages, equal ones once."""
    texts = dict.fromkeys(row["explanation"].strip() for row in read_jsonl(run.data / TELEQNA))
    passages = tuple(_passage(f"explanation {number}", text) for number, text in enumerate(texts) if text)
    return Collection(
        name="teleqna-explanations", passages=passages, questions=(), note="explanations", set_name="teleqna"
    )


def read_glossary(run: Run) -> tuple[ChoiceCase, ...]:
    """Make a question of each abbreviation of the specifications: what it stands for, among other meanings.

    Three meanings of other terms of the same glossary are drawn by the run's seed; a term that several specifications
    read alike is asked once, and one that they read differently is left out.
    """
    meanings: dict[str, dict[str, str]] = {}
    for row in read_jsonl(run.data / GLOSSARY):
        if row["term"].isupper() and len(row["meaning"].split()) > 1:
            meanings.setdefault(row["term"], {}).setdefault(row["meaning"].casefold(), row["meaning"])
    single = {term: next(iter(of_term.values())) for term, of_term in meanings.items() if len(of_term) == 1}
    return tuple(_glossary_case(term, single, run.seed) for term in sorted(single))


def read_specifications(run: Run) -> Collection:
    """Read the specifications that the glossary was taken from, cut at their headings; all of them in a full run."""
    passages = []
    for row in read_jsonl(run.data / SPECIFICATIONS):
        if run.full or row["id"] in _GLOSSED or row["context"] in _GLOSSED_CONTEXTS:
            pieces = cut_markdown(row["title"], row["text"])
            passages += [
                CollectionPassage(
                    id=f"{row['id']}#{number}",
                    unit=row["id"],
                    document=row["id"],
                    title=" > ".join((row["title"], *piece.headings)),
                    text=piece.text,
                )
                for number, piece in enumerate(pieces)
            ]
    return Collection(name="hwspecs", passages=tuple(passages), questions=(), note="specifications", set_name="hwspecs")


def _glossary_case(term: str, meanings: Mapping[str, str], seed: int) -> ChoiceCase:
    chance = random.Random(f"{seed} {term}")
    others = sorted({meaning for other, meaning in meanings.items() if other != term} - {meanings[term]})
    options = [meanings[term], *chance.sample(others, min(_DISTRACTORS, len(others)))]
    chance.shuffle(options)
    return ChoiceCase(
        id=term,
        text=f"What does {term} stand for?",
        options=tuple(options),
        right=options.index(meanings[term]),
        subset="glossary",
    )


def _passage(name: str, text: str) -> CollectionPassage:
    return CollectionPassage(id=name, unit=name, document=name, title="", text=text)


def _checked(case: ChoiceCase, file: str) -> ChoiceCase:
    if not 0 <= case.right < len(case.options):
        raise InvalidInput(f"{file}, question {case.id}: its answer is none of its {len(case.options)} options")
    return case
