"""Questions from the AWS documentation and two other data sets; some of the AWS guides serve as contexts.

Source: siagholami/aws-documentation (questions CC BY 4.0, documentation CC BY-SA 4.0); EDA-Corpus (CC BY 4.0); TeleQnA
(MIT). The descriptions of the guides in ``guides.toml`` are ours.
"""

import random
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from contracts.errors import InvalidInput
from contracts.jargon import Context
from golden_lab.datasets.files import read_jsonl
from golden_lab.splits import Half, half
from tools.language import fold

_LEAST_WORDS, _MOST_WORDS = 4, 20
_EXAMPLES = 3
_FEWEST, _MOST = 3, 9
_ASKED, _OTHERS = 12, 2
# How many earlier users corrected a question on each guide, and the share of them who chose the wrong guide.
_MOST_CORRECTED, _WRONG = 4, 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextCase:
    """A question to assign to one of ``contexts``; ``truth`` is the name of the correct one, "" for none of them.

    ``kind`` is the origin of the question: "question", "title", "title elsewhere", "EDA-Corpus" or "TeleQnA".
    ``corrected`` are other questions, each with the context that its asker chose; a fifth of the askers chose wrongly.
    """

    id: str
    drawing: int
    question: str
    truth: str
    kind: str
    contexts: tuple[Context, ...]
    corrected: tuple[tuple[str, str], ...] = ()

    @property
    def without_examples(self) -> tuple[Context, ...]:
        """The contexts without their examples."""
        return tuple(context.model_copy(update={"examples": ()}) for context in self.contexts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sources:
    contexts: Mapping[str, Context]
    questions: Mapping[str, Sequence[str]]
    titles: Mapping[str, Sequence[str]]
    others: Mapping[str, Sequence[str]]


def draw_cases(data: Path, part: Half, *, drawings: int, seed: int) -> tuple[ContextCase, ...]:
    """Draw ``drawings`` sets of 3 to 9 guides from ``part``, and 18 questions per set: 12 of them on its guides.

    A guide's questions are real user questions and page titles that do not name it; its three examples are other
    titles. Questions that belong to none of the contexts are titles of guides outside the set, and questions on chip
    design and telecommunications. Everything comes from ``part``, as determined by ``half``.

    Raises:
        InvalidInput: a file is missing or invalid, or fewer than 3 described guides are present.
    """
    sources = _read(data, part, seed)
    if len(sources.contexts) < _FEWEST:
        raise InvalidInput(
            f"{data / 'awsdocs' / 'corpus_full.jsonl.gz'} contains {len(sources.contexts)} described guides with more "
            f"than {_EXAMPLES} suitable titles each, but at least {_FEWEST} are needed",
            field="data",
        )
    chance, clicks = random.Random(seed), random.Random(f"clicks {seed}")
    cases: list[ContextCase] = []
    for drawing in range(drawings):
        size = chance.randint(_FEWEST, min(_MOST, len(sources.contexts)))
        guides = chance.sample(sorted(sources.contexts), size)
        contexts = tuple(sources.contexts[guide] for guide in guides)
        asked = _of_guides(sources, guides, chance) + _of_none(sources, guides, chance)
        corrected = _corrected(sources, guides, {text for text, *_ in asked}, clicks)
        cases += (
            ContextCase(
                id=f"{drawing}-{number}",
                drawing=drawing,
                question=text,
                truth=truth,
                kind=kind,
                contexts=contexts,
                corrected=corrected,
            )
            for number, (text, truth, kind) in enumerate(dict.fromkeys(asked))
        )
    return tuple(cases)


def described_guides() -> dict[str, Context]:
    """Return all described guides, by folder name."""
    text = resources.files("golden_lab.datasets").joinpath("guides.toml").read_text(encoding="utf-8")
    return {
        guide: Context(name=row["name"], description=row["description"]) for guide, row in tomllib.loads(text).items()
    }


def _read(data: Path, part: Half, seed: int) -> _Sources:
    described = {guide: each for guide, each in described_guides().items() if half("awsdocs-guides", guide) == part}
    pages = _titles(data, part)
    chance = random.Random(seed)
    contexts, titles = {}, {}
    for guide in sorted(set(described) & set(pages)):
        context = described[guide]
        silent = [title for title in pages[guide] if not _names(title, context)]
        chance.shuffle(silent)
        if len(silent) > _EXAMPLES:
            contexts[guide] = context.model_copy(update={"examples": tuple(silent[:_EXAMPLES])})
            titles[guide] = silent[_EXAMPLES:]
    questions: dict[str, list[str]] = defaultdict(list)
    for row in read_jsonl(data / "awsdocs" / "qa.jsonl"):
        questions[_guide_of(row["doc_id"])].append(row["question"])
    elsewhere = [title for guide in sorted(set(pages) - set(contexts)) for title in pages[guide]]
    eda = dict.fromkeys(row["question"] for row in read_jsonl(data / "eda_corpus" / "qa.jsonl"))
    telecom = (row["question"] for row in read_jsonl(data / "teleqna" / "teleqna.jsonl.gz"))
    return _Sources(
        contexts=contexts,
        questions=questions,
        titles=titles,
        others={
            "title elsewhere": elsewhere,
            "EDA-Corpus": [text for text in eda if half("eda_corpus", text) == part],
            "TeleQnA": [text for text in telecom if half("teleqna", text) == part],
        },
    )


def _titles(data: Path, part: Half) -> dict[str, list[str]]:
    """Return the informative titles that occur in only one guide, for each guide in ``part``."""
    guides_of: dict[str, set[str]] = defaultdict(set)
    written: dict[str, str] = {}
    for row in read_jsonl(data / "awsdocs" / "corpus_full.jsonl.gz"):
        title = " ".join(row["title"].split())
        guides_of[fold(title)].add(row["guide"])
        written.setdefault(fold(title), title)
    found: dict[str, list[str]] = defaultdict(list)
    for key, guides in guides_of.items():
        (guide, *more) = guides
        enough = _LEAST_WORDS <= len(written[key].split()) <= _MOST_WORDS
        if enough and not more and half("awsdocs-guides", guide) == part:
            found[guide].append(written[key])
    return found


def _of_guides(sources: _Sources, guides: Sequence[str], chance: random.Random) -> list[tuple[str, str, str]]:
    asked: list[tuple[str, str, str]] = []
    for number in range(_ASKED):
        guide = guides[number % len(guides)]
        questions = sources.questions.get(guide, ())
        by_people = bool(questions) and chance.random() < 0.5
        text = chance.choice(questions if by_people else sources.titles[guide])
        asked.append((text, sources.contexts[guide].name, "question" if by_people else "title"))
    return asked


def _of_none(sources: _Sources, guides: Sequence[str], chance: random.Random) -> list[tuple[str, str, str]]:
    """Draw equally from each kind; titles of described guides outside ``guides`` also count as "title elsewhere"."""
    asked = []
    outside = [title for guide in sorted(set(sources.titles) - set(guides)) for title in sources.titles[guide]]
    for kind, texts in sources.others.items():
        pool = [*texts, *outside] if kind == "title elsewhere" else texts
        asked += [(text, "", kind) for text in chance.sample(pool, min(_OTHERS, len(pool)))]
    return asked


def _corrected(
    sources: _Sources, guides: Sequence[str], asked: Set[str], clicks: random.Random
) -> tuple[tuple[str, str], ...]:
    """Draw titles that are not ``asked``, each with the context of its guide or, for a wrong click, a different one."""
    found = []
    for guide in guides:
        pool = [title for title in sources.titles[guide] if title not in asked]
        for title in clicks.sample(pool, min(len(pool), clicks.randint(0, _MOST_CORRECTED))):
            others = [each for each in guides if each != guide]
            chosen = clicks.choice(others) if clicks.random() < _WRONG else guide
            found.append((title, sources.contexts[chosen].name))
    return tuple(found)


def _names(title: str, context: Context) -> bool:
    """Return whether ``title`` names the guide's product, which would make the question too easy."""
    words = fold(context.name).split()
    return " ".join(words[1:]) in fold(title) if len(words) > 1 else words[0] in fold(title)


def _guide_of(document_id: str) -> str:
    return document_id.removeprefix("documents/").split("/", 1)[0]
