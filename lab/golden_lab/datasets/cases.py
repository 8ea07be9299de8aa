"""Cases: questions with passages, and the labels of both."""

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from contracts.text import Chunk, Passage
from golden_lab.datasets.files import read_jsonl
from golden_lab.splits import conversation_of
from tools.embedding.base import Embedder, Matrix
from tools.language import content_stems, find_quantities, fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question with passages; ``id`` is its id in the data set, or "" for a generated case.

    ``answerable`` and ``relevant`` (one value per passage) are the truth; ``kind`` is how the case was made; ``group``
    keeps cases about the same text on one side of a split; ``answers`` are the gold answers, if known.
    """

    question: str
    passages: tuple[Passage, ...]
    answerable: bool
    relevant: tuple[bool, ...]
    kind: str
    group: str
    answers: tuple[str, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph of an article."""

    title: str
    text: str
    headings: tuple[str, ...] = ()


def as_passage(paragraph: Paragraph, ordinal: int, score: float = 0.0, dense: float = 0.0) -> Passage:
    """Return a paragraph as a passage, like those that the searcher returns."""
    chunk = Chunk(
        id=f"{fold(paragraph.title)}-{ordinal}",
        document_id=fold(paragraph.title),
        kind="passage",
        ordinal=ordinal,
        text=paragraph.text,
        page=1,
        last_page=1,
        heading_path=paragraph.headings,
        document_title=paragraph.title,
    )
    return Passage(
        chunk=chunk,
        document_name=paragraph.title,
        document_title=paragraph.title,
        score=score,
        dense=dense,
    )


class SmallSearch:
    """In-memory hybrid search over a few thousand paragraphs: standardised cosine and BM25, with equal weights."""

    def __init__(self, paragraphs: Sequence[Paragraph], vectors: Matrix) -> None:
        self.paragraphs = paragraphs
        self._vectors = vectors
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        counts = [Counter(content_stems(" ".join((each.title, *each.headings, each.text)))) for each in paragraphs]
        mean = sum(sum(count.values()) for count in counts) / max(1, len(counts))
        frequency = Counter(stem for count in counts for stem in count)
        for row, count in enumerate(counts):
            length = sum(count.values())
            for stem, times in count.items():
                idf = math.log(1 + (len(counts) - frequency[stem] + 0.5) / (frequency[stem] + 0.5))
                self._postings[stem].append((row, idf * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / mean))))

    def search(
        self, question: str, vector: Matrix, top_k: int, *, banned: frozenset[int] = frozenset()
    ) -> list[Passage]:
        """Return the ``top_k`` best paragraphs whose rows are not ``banned``."""
        dense = self._vectors @ vector
        lexical = np.zeros(len(self.paragraphs))
        for stem in set(content_stems(question)):
            for row, weight in self._postings.get(stem, ()):
                lexical[row] += weight
        score = _standard(dense) + _standard(lexical)
        score[list(banned)] = -np.inf
        best = np.argsort(-score)[:top_k]
        return [
            as_passage(self.paragraphs[row], row, float(score[row]), float(dense[row]))
            for row in best.tolist()
            if np.isfinite(score[row])
        ]


def _standard(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.asarray((values - values.mean()) / (values.std() + 1e-9))


def squad_articles(data: Path, count: int, random_: random.Random) -> dict[str, list[dict[str, Any]]]:
    """Read the paragraphs of ``count`` random articles of SQuAD 1.1 train, by title."""
    by_title: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read_jsonl(data / "squad2" / "train_v1.1_paragraphs.jsonl.gz"):
        by_title[row["title"]].append(row)
    return {title: by_title[title] for title in random_.sample(sorted(by_title), min(count, len(by_title)))}


async def squad_cases(
    data: Path,
    embedder: Embedder,
    *,
    articles: int,
    questions_each: int,
    seed: int,
) -> list[Case]:
    """Make cases from SQuAD 1.1 train: with the answer, without its paragraph or article, or with a name swapped.

    Source: SQuAD 1.1 train (Rajpurkar et al. 2016), CC BY-SA 4.0.
    """
    random_ = random.Random(seed)
    by_title = squad_articles(data, articles, random_)
    rows = [row for some in by_title.values() for row in some]
    paragraphs = [Paragraph(title=row["title"].replace("_", " "), text=row["context"]) for row in rows]
    vectors = await embedder.embed_documents([each.text for each in paragraphs])
    search = SmallSearch(paragraphs, vectors)
    of_title = {title: frozenset(at for at, row in enumerate(rows) if row["title"] == title) for title in by_title}
    cases: list[Case] = []
    for title in by_title:
        pool = [(at, qa) for at in sorted(of_title[title]) for qa in rows[at]["qas"]]
        picked = random_.sample(pool, min(questions_each, len(pool)))
        queries = await embedder.embed_queries([qa["q"].strip() for _, qa in picked])
        for (gold, qa), vector in zip(picked, queries, strict=True):
            cases.extend(_squad_variants(search, gold, qa, vector, of_title[title], random_))
    return cases


def _squad_variants(
    search: SmallSearch, gold: int, qa: dict[str, Any], vector: Matrix, article: frozenset[int], random_: random.Random
) -> Iterator[Case]:
    question, answers = qa["q"].strip(), tuple(qa["a"])
    top_k = random_.choice((1, 3, 5, 8, 8, 8, 10))
    group = search.paragraphs[gold].title
    gold_passage = as_passage(search.paragraphs[gold], gold)

    def case(asked: str, passages: list[Passage], kind: str) -> Case:
        relevant = tuple(kind == "present" and p.text == gold_passage.text for p in passages)
        return Case(
            question=asked,
            passages=tuple(passages),
            answerable=kind == "present",
            relevant=relevant,
            kind=kind,
            group=group,
            answers=answers,
        )

    found = search.search(question, vector, top_k)
    if all(passage.text != gold_passage.text for passage in found):
        found = [*found[:-1], gold_passage]
    yield case(question, found, "present")
    kind = random_.random()
    if kind < 0.55:
        absent = search.search(question, vector, top_k, banned=frozenset({gold}))
        if not any(fold(answer) in fold(passage.text) for answer in answers for passage in absent):
            yield case(question, absent, "paragraph_absent")
    elif kind < 0.7:
        yield case(question, search.search(question, vector, top_k, banned=article), "article_absent")
    else:
        swapped = swap_name(question, " ".join(search.paragraphs[at].text for at in sorted(article)), random_)
        if swapped and not any(fold(swapped[1]) in fold(passage.text) for passage in found):
            yield case(swapped[0], found, "name_swapped")


def swap_name(question: str, text: str, random_: random.Random) -> tuple[str, str] | None:
    """Replace a name or number in ``question`` with a different one from ``text``; None if there is none.

    Returns the new question and the inserted name.
    """
    numbers = [q for q in find_quantities(question) if not q.unit]
    names = list(re.finditer(r"(?<=\s)[A-Z][\w-]+(?: [A-Z][\w-]+)*", question))
    choices: list[tuple[int, int, list[str]]] = []
    for number in numbers:
        others = sorted({q.number for q in find_quantities(text) if not q.unit and len(q.number) == len(number.number)})
        choices.append((number.span.start, number.span.end, others))
    if names:
        others = sorted({m.group() for m in re.finditer(r"(?<=[a-z] )[A-Z][a-z]+(?: [A-Z][a-z]+)*", text)})
        choices.extend((m.start(), m.end(), others) for m in names)
    random_.shuffle(choices)
    for start, end, others in choices:
        fresh = [other for other in others if fold(other) not in fold(question)]
        if fresh:
            new = random_.choice(fresh)
            return question[:start] + new + question[end:], new
    return None


def squad2_cases(data: Path) -> list[Case]:
    """Read our half of SQuAD 2.0 dev: one paragraph per question; some questions were written to be unanswerable.

    Source: Rajpurkar et al. 2018, "Know What You Don't Know", CC BY-SA 4.0.
    """
    cases = []
    for row in read_jsonl(data / "squad2" / "dev_v2.0_half.jsonl.gz"):
        passage = as_passage(Paragraph(title=row["title"].replace("_", " "), text=row["context"]), row["para"])
        answerable = not row["is_impossible"]
        cases.append(
            Case(
                id=row["id"],
                question=row["question"].strip(),
                passages=(passage,),
                answerable=answerable,
                relevant=(answerable,),
                kind="present" if answerable else "adversarial",
                group=row["title"],
                answers=tuple(row["answers"]),
            )
        )
    return cases


def mtrag_cases(data: Path) -> list[Case]:
    """Read the MT-RAG tasks that are questions, as rewritten by people, with the passages that annotators saw.

    Source: Katsis et al. 2025, "MTRAG: A multi-turn conversational benchmark", Apache-2.0.
    """
    cases = []
    for row in read_jsonl(data / "mtrag" / "tasks.jsonl.gz"):
        if row.get("answerability") not in ("ANSWERABLE", "PARTIAL", "UNANSWERABLE") or not row.get("contexts"):
            continue
        question = (row.get("rewrite_query") or row.get("lastturn_query") or row["input"][-1]["text"]).strip()
        cases.append(
            Case(
                id=row["task_id"],
                question=question.removeprefix("|user|:").strip(),
                passages=tuple(
                    as_passage(Paragraph(title=each.get("title") or "", text=each["text"]), at)
                    for at, each in enumerate(row["contexts"])
                ),
                answerable=row["answerability"] != "UNANSWERABLE",
                relevant=tuple(each.get("relevant") == "yes" for each in row["contexts"]),
                kind=row["answerability"].lower(),
                group=conversation_of(row["task_id"]),
            )
        )
    return cases
