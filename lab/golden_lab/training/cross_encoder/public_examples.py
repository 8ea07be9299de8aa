"""Examples and near misses from the SQuAD 1.1 training set and the "fit" halves of SQuAD 2.0 dev and MT-RAG.

Source: rajpurkar/SQuAD-explorer, train v1.1 and dev v2.0 (CC BY-SA 4.0); IBM MT-RAG (Apache-2.0).
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.text import Span
from golden_lab.datasets.cases import mtrag_cases, squad2_cases, swap_name
from golden_lab.datasets.files import read_jsonl
from golden_lab.splits import part_of
from golden_lab.training.cross_encoder.examples import CrossEncoderExample, long_words, typed_by_people, window_around
from tools.language import fold, split_sentences

SQUAD_TRAIN = "squad2/train_v1.1_paragraphs.jsonl.gz"
_FEWEST_WORDS, _MOST_WORDS = 18, 110
# Attributes that a text about a subject often does not mention.
_ATTRIBUTES = (
    "How much does {} cost?", "What is the price of {}?", "Who invented {}?", "Who wrote {}?", "Who maintains {}?",
    "When was {} released?", "In which year was {} introduced?", "What colour is {}?", "How heavy is {}?",
    "What is the phone number for {}?", "Which company makes {}?", "How many people use {}?", "Where was {} made?",
    "Who approved {}?", "What is the licence of {}?", "How long is the warranty of {}?", "What is the size of {}?",
)  # fmt: skip
# A text that contains one of these may mention such an attribute after all.
_HINTS = (
    "cost", "price", "$", "€", "£", "free", "fee", "wrote", "author", "invent", "maintain", "by ", "19", "20",
    "released", "introduced",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Paragraph:
    text: str
    folded: str
    words: frozenset[str]
    sentences: tuple[str, ...]


def squad_examples(data: Path, rng: random.Random, *, share: float = 0.5) -> Iterator[tuple[str, CrossEncoderExample]]:
    """Yield examples and near misses for about ``share`` of the questions, each with its part ("train", "dev", ...)."""
    articles: dict[str, list[dict[str, Any]]] = {}
    for row in read_jsonl(data / SQUAD_TRAIN):
        articles.setdefault(row["title"], []).append(row)
    for title, rows in articles.items():
        part = part_of("squad2", title, whole=True)
        paragraphs = [_paragraph(row["context"]) for row in rows]
        article = " ".join(each.text for each in paragraphs)
        for at, row in enumerate(rows):
            for asked in row["qas"]:
                if asked["a"] and rng.random() < share:
                    for example in _squad(asked["q"].strip(), asked["a"][0], at, paragraphs, article, title, rng):
                        yield part, example


def _paragraph(text: str) -> _Paragraph:
    sentences = tuple(text[span.start : span.end] for span in split_sentences(text))
    return _Paragraph(text=text, folded=fold(text), words=long_words(text), sentences=sentences)


def _squad(
    question: str, answer: str, at: int, paragraphs: Sequence[_Paragraph], article: str, title: str, rng: random.Random
) -> Iterator[CrossEncoderExample]:
    asked = long_words(question)
    place = title.replace("_", " ") if rng.random() < 0.6 else ""
    gold = paragraphs[at]
    holding = [n for n, sentence in enumerate(gold.sentences) if answer in sentence]
    if not holding:
        return
    best = max(holding, key=lambda n: len(asked & long_words(gold.sentences[n])))

    def make(question: str, text: str, kind: str, span: Span | None = None) -> CrossEncoderExample:
        return CrossEncoderExample(
            question=typed_by_people(question, rng),
            place=place,
            text=text,
            answered=span is not None,
            source=f"squad/{kind}",
            span=span,
        )

    text, span = _window_with_answer(gold.sentences, best, answer, rng)
    yield make(question, text, "answered", span)
    others = [sentence for sentence in gold.sentences if answer not in sentence]
    if len(others) > 1 and rng.random() < 0.35:
        near = max(range(len(others)), key=lambda n: len(asked & long_words(others[n])))
        yield make(question, _window(others, near, rng), "sentence_absent")
    if rng.random() < 0.6:
        said = fold(answer)
        ranked = sorted(
            (n for n in range(len(paragraphs)) if n != at and said not in paragraphs[n].folded),
            key=lambda n: -len(asked & paragraphs[n].words),
        )[:3]
        if ranked:
            other = paragraphs[rng.choice(ranked)].sentences
            near = max(range(len(other)), key=lambda n: len(asked & long_words(other[n])))
            yield make(question, _window(other, near, rng), "near_paragraph")
    swapped = swap_name(question, article, rng) if rng.random() < 0.3 else None
    if swapped and fold(swapped[1]) not in gold.folded:
        yield make(swapped[0], text, "name_swapped")
    if rng.random() < 0.08:
        missing = rng.choice(_ATTRIBUTES)
        folded = fold(text)
        if not any(hint in folded for hint in _HINTS):
            yield make(missing.format(title.replace("_", " ")), text, "attribute_absent")


def _window_with_answer(sentences: Sequence[str], at: int, answer: str, rng: random.Random) -> tuple[str, Span]:
    first, end = window_around(sentences, at, rng.randint(_FEWEST_WORDS, _MOST_WORDS), rng)
    before = " ".join(sentences[first:at])
    start = len(before) + bool(before) + sentences[at].index(answer)
    return " ".join(sentences[first:end]), Span(start, start + len(answer))


def _window(sentences: Sequence[str], at: int, rng: random.Random) -> str:
    first, end = window_around(sentences, at, rng.randint(_FEWEST_WORDS, _MOST_WORDS), rng)
    return " ".join(sentences[first:end])


def squad2_examples(data: Path, rng: random.Random) -> Iterator[tuple[str, CrossEncoderExample]]:
    """Yield the questions in the "fit" half of SQuAD 2.0, each with sentences that answer it or only seem to."""
    for case in squad2_cases(data):
        [passage] = case.passages
        sentences = _paragraph(passage.text).sentences
        asked = long_words(case.question)
        holding = [n for n in range(len(sentences)) if any(answer in sentences[n] for answer in case.answers)]
        if case.answerable and not holding:
            continue
        at = max(holding or range(len(sentences)), key=lambda n: len(asked & long_words(sentences[n])))
        text, span = _window(sentences, at, rng), None
        if case.answerable:
            answer = next(each for each in case.answers if each in sentences[at])
            text, span = _window_with_answer(sentences, at, answer, rng)
        yield (
            part_of("squad2", case.group),
            CrossEncoderExample(
                question=typed_by_people(case.question, rng),
                place=passage.document_title if rng.random() < 0.6 else "",
                text=text,
                answered=case.answerable,
                source=f"squad2/{case.kind}",
                span=span,
            ),
        )


def mtrag_examples(data: Path, rng: random.Random) -> Iterator[tuple[str, CrossEncoderExample]]:
    """Yield the judged passages in the "fit" half of MT-RAG, cut to sentences that share words with the question."""
    for case in mtrag_cases(data):
        if not case.answerable and any(case.relevant):
            # Unanswerable tasks with a passage marked as relevant are errors in the data set.
            continue
        for passage, relevant in zip(case.passages, case.relevant, strict=True):
            sentences = _paragraph(passage.text).sentences
            asked = long_words(case.question)
            if not sentences:
                continue
            for _ in range(2):
                near = max(range(len(sentences)), key=lambda n: len(asked & long_words(sentences[n])))
                first, end = window_around(sentences, near, rng.randint(60, 150), rng)
                yield (
                    part_of("mtrag", case.group),
                    CrossEncoderExample(
                        question=typed_by_people(case.question, rng),
                        place=passage.document_title,
                        text=" ".join(sentences[first:end]),
                        answered=relevant and case.answerable,
                        source="mtrag/judged",
                    ),
                )
