"""Questions on manuals: AWS documentation with the guide of the answer present, or taken away."""

import re
from pathlib import Path

import numpy as np

from contracts.text import Passage
from golden_lab.datasets.cases import Case, Paragraph, SmallSearch
from golden_lab.datasets.files import read_jsonl
from tools.embedding.base import Embedder, Matrix

_PASSAGE_CHARACTERS = 1_000
_HEADING = re.compile(r"^#{1,6}\s+(.*)$")
_TOP_K = 8
# The lexical search chooses so many passages a question, the vectors order these: embedding them all takes an hour.
_CANDIDATES = 30
_ANCHOR = re.compile(r"<a name=[^>]*></a>|\[([^\]]*)\]\([^)]*\)")


def cut_markdown(title: str, text: str) -> list[Paragraph]:
    """Cut Markdown to passages of about 1 000 characters under their headings, tables and lists by line."""
    found: list[Paragraph] = []
    headings: list[str] = []
    lines: list[str] = []

    def flush() -> None:
        if any(line.strip() for line in lines):
            found.append(Paragraph(title=title, text="\n".join(lines).strip(), headings=tuple(headings)))
        lines.clear()

    for line in _ANCHOR.sub(r"\1", text).split("\n"):
        heading = _HEADING.match(line)
        if heading:
            flush()
            depth = len(line) - len(line.lstrip("#"))
            headings[depth - 1 :] = [heading.group(1).strip()]
            continue
        if sum(map(len, lines)) + len(line) > _PASSAGE_CHARACTERS and lines:
            flush()
        if line.strip():
            lines.append(line.replace("**", "").replace("`", "").strip())
    flush()
    return found


async def manual_cases(data: Path, embedder: Embedder) -> list[Case]:
    """Make two cases a question: over all guides, and over all guides but the one that holds the answer.

    In the first the document of the answer is among the passages (its nearest passage takes the last place where the
    search did not bring it).

    Source: Gholami & Noori 2021, siagholami/aws-documentation; questions CC BY 4.0, documents CC BY-SA 4.0.
    """
    paragraphs: list[Paragraph] = []
    origin: list[tuple[str, str]] = []
    for row in read_jsonl(data / "awsdocs" / "corpus_core.jsonl.gz"):
        pieces = cut_markdown(row["title"], row["text"])
        paragraphs += pieces
        origin += [(row["id"], row["guide"])] * len(pieces)
    lexical = SmallSearch(paragraphs, np.zeros((len(paragraphs), 1), dtype=np.float32))
    cases: list[Case] = []
    for row in read_jsonl(data / "awsdocs" / "qa.jsonl"):
        question = row["question"].strip()
        guide = row["doc_id"].split("/")[1]
        gold = frozenset(at for at, (document, _) in enumerate(origin) if document == row["doc_id"])
        away = frozenset(at for at, (_, each) in enumerate(origin) if each == guide)
        for banned, kind in ((frozenset[int](), "present"), (away, "guide_absent")):
            found = await _nearest(lexical, embedder, question, banned)
            passages = found[:_TOP_K]
            if kind == "present" and not any(passage.chunk.ordinal in gold for passage in passages):
                others = frozenset(range(len(paragraphs))) - gold
                passages = passages[:-1] + (await _nearest(lexical, embedder, question, others))[:1]
            relevant = tuple(passage.chunk.ordinal in gold for passage in passages)
            cases.append(
                Case(
                    question=question,
                    passages=tuple(passages),
                    answerable=kind == "present",
                    relevant=relevant,
                    kind=kind,
                    group=row["id"],
                    answers=(row["answer"],),
                )
            )
    return cases


async def _nearest(lexical: SmallSearch, embedder: Embedder, question: str, banned: frozenset[int]) -> list[Passage]:
    candidates = lexical.search(question, np.zeros(1, dtype=np.float32), _CANDIDATES, banned=banned)
    query: Matrix = await embedder.embed_queries([question])
    vectors = await embedder.embed_documents([each.chunk.searchable_text for each in candidates])
    dense = vectors @ query[0]
    words = np.array([each.lexical for each in candidates])
    score = (dense - dense.mean()) / (dense.std() + 1e-9) + (words - words.mean()) / (words.std() + 1e-9)
    return [candidates[at] for at in np.argsort(-score).tolist()]
