"""Questions, answers and claims with passages and people's labels, from public data sets.

Each reader raises InvalidInput with the file name if the file is missing or a line is not a JSON object.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from contracts.text import Passage, Span
from golden_lab.datasets.cases import Case, Paragraph, as_passage, mtrag_cases, squad2_cases
from golden_lab.datasets.files import read_jsonl
from golden_lab.splits import Half, half

_EXCERPT_CHARACTERS = 600
# WiCE's evidence is a list of sentences; this many make a passage of the size that ingestion produces.
_SENTENCES_A_PASSAGE = 10
# ExpertQA's evidence begins with "[2] https://example.org/page"; for two of its six systems it contains nothing else.
_SOURCE = re.compile(r"^\s*(?:\[\d+\]\s*)?(?:https?://\S+)?\s*")
_BEGIN_SOURCES = {"wow": "Wizard of Wikipedia", "cmu": "CMU-DoG", "tc": "TopicalChat"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedClaim:
    """A text with passages. ``label`` is people's verdict in the data set's own words; ``supported`` interprets it.

    Claims of one ``group`` are not independent; ``subset`` is the part of the data set that the claim comes from.
    """

    id: str
    text: str
    passages: tuple[Passage, ...]
    label: str
    supported: bool
    group: str
    question: str = ""
    subset: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedAnswer:
    """A model's answer with the passages it should be based on; ``hallucinated`` are the spans that go beyond them."""

    id: str
    question: str
    answer: str
    passages: tuple[Passage, ...]
    hallucinated: tuple[Span, ...]
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributedClaim:
    """A claim with a web page, split into passages. Each of ``annotations`` is a set of sentences that supports it.

    Sentences are (passage, sentence) indexes, counted from 0. Without annotations, the page does not support it.
    """

    id: str
    text: str
    passages: tuple[Passage, ...]
    label: str
    annotations: tuple[frozenset[tuple[int, int]], ...]


def squad2_questions(data: Path, part: Half = "score") -> list[Case]:
    """Read the SQuAD 2.0 dev questions about the articles in ``part``."""
    return [case for case in squad2_cases(data) if half("squad2", case.group) == part]


def mtrag_questions(data: Path, part: Half = "score") -> list[Case]:
    """Read the MT-RAG questions of the conversations in ``part``."""
    return [case for case in mtrag_cases(data) if half("mtrag", case.group) == part]


def wice_claims(data: Path) -> tuple[AnnotatedClaim, ...]:
    """Read the scored half of the WiCE dev claims with short evidence; only the label "supported" counts as supported.

    Source: Kamoi et al. 2023, "WiCE: Real-World Entailment for Claims in Wikipedia", annotations ODC-BY.
    """
    return tuple(
        AnnotatedClaim(
            id=f"{row['meta']['id']}-{number}",
            text=row["claim"],
            passages=sentence_passages(row["meta"]["claim_title"], row["evidence"]),
            label=row["label"],
            supported=row["label"] == "supported",
            group=row["meta"]["id"],
        )
        for number, row in enumerate(read_jsonl(data / "wice" / "oracle_chunks_claim_dev.jsonl.gz"))
        if half("wice", row["meta"]["id"]) == "score"
    )


def wice_attributions(data: Path, part: Half = "score") -> tuple[AttributedClaim, ...]:
    """Read ``part`` of the WiCE dev claims with the whole page and the sentences that support them.

    Source: the same as for ``wice_claims``.
    """
    return tuple(
        AttributedClaim(
            id=row["meta"]["id"],
            text=row["claim"],
            passages=sentence_passages(row["meta"]["claim_title"], row["evidence"]),
            label=row["label"],
            annotations=tuple(
                frozenset(divmod(at, _SENTENCES_A_PASSAGE) for at in chosen)
                for chosen in row["supporting_sentences"]
                if chosen
            ),
        )
        for row in read_jsonl(data / "wice" / "entailment_retrieval_claim_dev.jsonl.gz")
        if half("wice", row["meta"]["id"]) == part
    )


def expertqa_claims(data: Path) -> tuple[AnnotatedClaim, ...]:
    """Read the ExpertQA claims that have evidence texts and a verdict; only "Complete" counts as supported.

    Source: Malaviya et al. 2024, "ExpertQA: Expert-Curated Questions and Attributed Answers", MIT.
    """
    found = []
    for number, row in enumerate(read_jsonl(data / "expertqa" / "claims.jsonl.gz")):
        texts = [_SOURCE.sub("", each).strip() for each in row["evidence"]]
        if not any(texts) or row["support"] not in ("Complete", "Partial", "Incomplete"):
            continue
        found.append(
            AnnotatedClaim(
                id=str(number),
                text=row["claim"].strip(),
                passages=plain_passages(texts),
                label=row["support"],
                supported=row["support"] == "Complete",
                group=row["question"],
                question=row["question"].strip(),
            )
        )
    return tuple(found)


def begin_claims(data: Path) -> tuple[AnnotatedClaim, ...]:
    """Read BEGIN dev: replies of dialogue models to messages, with the knowledge that the models were given.

    Source: Dziri et al. 2022, "Evaluating Attribution in Dialogue Systems: The BEGIN Benchmark".
    """
    return tuple(
        AnnotatedClaim(
            id=f"{source}-{number}",
            text=row["response"].strip(),
            passages=plain_passages([row["knowledge"]]),
            label=row["begin_label"],
            supported=row["begin_label"] == "Fully attributable",
            group=row["knowledge"],
            question=row["message"].strip(),
            subset=name,
        )
        for source, name in _BEGIN_SOURCES.items()
        for number, row in enumerate(read_jsonl(data / "begin" / f"begin_dev_{source}.jsonl.gz"))
    )


def ragtruth_answers(data: Path) -> tuple[AnnotatedAnswer, ...]:
    """Read the RAGTruth QA train answers whose quality is "good" (not truncated, and not needless refusals).

    Source: Niu et al. 2024, "RAGTruth", MIT; passages from MS MARCO, for non-commercial research.
    """
    return tuple(
        AnnotatedAnswer(
            id=row["id"],
            question=row["question"].strip(),
            answer=row["response"],
            passages=plain_passages(re.split(r"passage \d+:", row["passages"])),
            hallucinated=tuple(Span(label["start"], label["end"]) for label in row["labels"]),
            group=row["source_id"],
        )
        for row in read_jsonl(data / "ragtruth_qa" / "train.jsonl.gz")
        if row["quality"] == "good"
    )


def plain_passages(texts: Sequence[str]) -> tuple[Passage, ...]:
    """Make passages without titles from ``texts``; empty texts are ignored."""
    filled = [text.strip() for text in texts if text.strip()]
    return tuple(as_passage(Paragraph(title="", text=text), at) for at, text in enumerate(filled))


def sentence_passages(title: str, sentences: Sequence[str]) -> tuple[Passage, ...]:
    """Make passages of ten ``sentences`` each; each sentence becomes a line and a sentence span of its passage."""
    passages = []
    for start in range(0, len(sentences), _SENTENCES_A_PASSAGE):
        lines = [" ".join(each.split()) for each in sentences[start : start + _SENTENCES_A_PASSAGE]]
        passage = as_passage(Paragraph(title=title, text="\n".join(lines)), start)
        spans, at = [], 0
        for line in lines:
            spans.append(Span(at, at + len(line)))
            at += len(line) + 1
        passages.append(replace(passage, sentences=tuple(spans)))
    return tuple(passages)


def excerpt(text: str, limit: int = _EXCERPT_CHARACTERS) -> str:
    """Return ``text`` on one line, cut at a word boundary after at most ``limit`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[:limit].rsplit(" ", 1)[0] + " …"


def first_passage(passages: Sequence[Passage], relevant: Sequence[bool] = ()) -> str:
    """Return an excerpt of the first passage that people labelled relevant, or else of the first passage."""
    chosen = [each for each, helps in zip(passages, relevant, strict=False) if helps] or list(passages)
    return excerpt(chosen[0].text) if chosen else ""
