"""Pairs of texts that the encoder learns from, cut to excerpts as it will be asked about."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from contracts.text import Passage
from golden_lab.datasets.annotated import begin_claims, expertqa_claims
from golden_lab.datasets.cases import mtrag_cases, swap_name
from golden_lab.datasets.claims import squad_claims, wice_claims
from golden_lab.datasets.files import read_jsonl
from golden_lab.splits import part_of
from golden_lab.training.encoder.examples import PairExample
from tools.language import fold

# In 90 of 100 pairs the passage is an excerpt of so many words, in the others up to the last number.
_FEWEST_WORDS, _MANY_WORDS, _MOST_WORDS = 20, 55, 130
_LONG_SHARE = 0.1
# The excerpts only want plausible ends of sentences, tens of thousands of times.
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\d\"'(\[])|\n+")
_WORD = re.compile(r"\w+")


def long_words(text: str) -> frozenset[str]:
    """Return the words of ``text`` with more than three letters, in lower case."""
    return frozenset(each for each in _WORD.findall(text.lower()) if len(each) > 3)


def joined(passages: tuple[Passage, ...]) -> str:
    """Return the texts of ``passages``, each from a line of its own on."""
    return "\n".join(each.text for each in passages)


def without_answers(text: str, answers: tuple[str, ...]) -> str:
    """Leave out of ``text`` the sentences that hold an answer; nothing where an answer stays or too little does."""
    kept = [piece for piece in _sentences(text) if not _says(piece, answers)]
    return " ".join(kept) if len(kept) > 1 else ""


def _says(text: str, answers: tuple[str, ...]) -> bool:
    folded = fold(text)
    return any(fold(answer) in folded for answer in answers)


def _sentences(text: str) -> list[str]:
    return _SENTENCE_END.split(text)


def excerpt_around(text: str, near: str, rng: random.Random, *, fewest: int = _FEWEST_WORDS) -> str:
    """Cut ``text`` to sentences in a row around the one that shares most words with ``near``, of a drawn length."""
    most = rng.randint(fewest, max(fewest, _MOST_WORDS if rng.random() < _LONG_SHARE else _MANY_WORDS))
    if len(text.split()) <= most:
        return text
    sentences = _sentences(text)
    wanted = long_words(near)
    best = max(range(len(sentences)), key=lambda at: len(wanted & long_words(sentences[at])))
    first = last = best
    words = len(sentences[best].split())
    while first > 0 or last < len(sentences) - 1:
        backwards = first > 0 and (last == len(sentences) - 1 or rng.random() < 0.5)
        added = sentences[first - 1 if backwards else last + 1]
        words += len(added.split())
        if words > most:
            break
        first, last = (first - 1, last) if backwards else (first, last + 1)
    return " ".join(sentences[first : last + 1])


SQUAD_TRAIN = "squad2/train_v1.1_paragraphs.jsonl.gz"
SQUAD_DEV = "squad2/dev_v2.0_half.jsonl.gz"
# One question of so large a share of the paragraphs, and claims from so many paragraphs of so many articles.
_ASKED_SHARE = 0.6
_CLAIMED_ARTICLES, _CLAIMED_PARAGRAPHS = 240, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Paragraph:
    text: str
    folded: str
    words: frozenset[str]


def squad_question_pairs(data: Path, rng: random.Random) -> Iterator[tuple[str, PairExample]]:
    """Read SQuAD 1.1 train: its questions with their paragraph, one without the answer, a near one; some renamed."""
    by_title: dict[str, list[dict[str, object]]] = {}
    for row in read_jsonl(data / SQUAD_TRAIN):
        by_title.setdefault(row["title"], []).append(row)
    for title, rows in by_title.items():
        part = part_of("squad2", title, whole=True)
        paragraphs = [
            _Paragraph(text=each, folded=fold(each), words=long_words(each))
            for each in (str(row["context"]) for row in rows)
        ]
        article = " ".join(each.text for each in paragraphs)
        for at, row in enumerate(rows):
            asked = [qa for qa in _asked(row) if qa[1]]
            for question, answers in rng.sample(asked, min(int(rng.random() < _ASKED_SHARE), len(asked))):
                for example in _squad_variants(question, answers, at, paragraphs, article, title, rng):
                    yield part, example


def _asked(row: dict[str, object]) -> list[tuple[str, tuple[str, ...]]]:
    questions = row["qas"]
    assert isinstance(questions, list)
    return [(qa["q"].strip(), tuple(qa["a"])) for qa in questions]


def _squad_variants(
    question: str, answers: tuple[str, ...], at: int, paragraphs: list[_Paragraph], article: str, title: str,
    rng: random.Random,
) -> Iterator[PairExample]:  # fmt: skip
    def pair(asked: str, passage: str, kind: str, **verdicts: bool) -> PairExample:
        return _pair(asked, passage, f"squad2/train/{kind}", title, **verdicts)

    gold = paragraphs[at].text
    yield pair(
        question, excerpt_around(gold, f"{question} {answers[0]}", rng), "present", relevance=True, answerability=True
    )
    without = without_answers(gold, answers)
    if without and rng.random() < 0.5:
        # The same topic, but the sentence that answers is gone: whether that is relevant, nobody said.
        yield pair(question, excerpt_around(without, question, rng), "sentence_absent", answerability=False)
    stems, said = long_words(question), [fold(answer) for answer in answers]
    near = sorted(
        (n for n in range(len(paragraphs)) if n != at and not any(each in paragraphs[n].folded for each in said)),
        key=lambda n: -len(stems & paragraphs[n].words),
    )[:4]
    if near:
        other = paragraphs[rng.choice(near)].text
        yield pair(question, excerpt_around(other, question, rng), "near", relevance=False, answerability=False)
    swapped = swap_name(question, article, rng) if rng.random() < 0.6 else None
    if swapped and fold(swapped[1]) not in fold(gold):
        yield pair(
            swapped[0], excerpt_around(gold, f"{question} {answers[0]}", rng), "name_swapped", answerability=False
        )


def squad_claim_pairs(data: Path, rng: random.Random) -> Iterator[tuple[str, PairExample]]:
    """Make claims of the answers of SQuAD 1.1 train, true ones and ones with another answer in them."""
    articles = min(_CLAIMED_ARTICLES, len({row["title"] for row in read_jsonl(data / SQUAD_TRAIN)}))
    seed = rng.randrange(2**31)
    for claim in squad_claims(data, articles=articles, paragraphs_each=_CLAIMED_PARAGRAPHS, seed=seed):
        passage = excerpt_around(claim.passages[0].text, claim.text, rng)
        source = f"squad2/train/claim_{claim.kind}"
        example = _pair(claim.text, passage, source, claim.group, faithfulness=claim.supported)
        yield part_of("squad2", claim.group, whole=True), example


def squad_dev_pairs(data: Path, rng: random.Random) -> Iterator[tuple[str, PairExample]]:
    """Read the questions of SQuAD 2.0 dev that training stops by."""
    # Published figures are on this file, and its publishers ask not to learn from it: it only says when to stop.
    for row in read_jsonl(data / SQUAD_DEV):
        if part_of("squad2", row["title"]) == "dev":
            question = row["question"].strip()
            source = "squad2/dev/asked"
            yield "dev", _pair(question, row["context"], source, row["title"], answerability=not row["is_impossible"])


def mtrag_pairs(data: Path, rng: random.Random) -> Iterator[tuple[str, PairExample]]:
    """Read MT-RAG's judged passages, and hold its questions against the passages of other conversations."""
    targets = _mtrag_targets(data)
    for case in mtrag_cases(data):
        part = part_of("mtrag", case.group)
        # Unanswerable tasks with a passage that is marked relevant are noise of the set: left out.
        noisy = not case.answerable and any(case.relevant)
        if noisy:
            continue
        for passage, relevant in zip(case.passages, case.relevant, strict=True):
            near = f"{case.question} {targets.get(case.question, '')}" if relevant else case.question
            verdicts = {"relevance": relevant}
            if not case.answerable or (case.kind == "answerable" and relevant):
                verdicts["answerability"] = case.answerable
            for _ in range(2 if part == "train" else 1):
                yield (
                    part,
                    _pair(
                        case.question, excerpt_around(passage.text, near, rng), "mtrag/judged", case.group, **verdicts
                    ),
                )
    yield from _mtrag_elsewhere(data, rng)


def _mtrag_targets(data: Path) -> dict[str, str]:
    found = {}
    for row in read_jsonl(data / "mtrag" / "tasks.jsonl.gz"):
        question = (row.get("rewrite_query") or row.get("lastturn_query") or "").strip().removeprefix("|user|:").strip()
        target = row.get("target")
        found[question] = target if isinstance(target, str) else ""
    return found


def _mtrag_elsewhere(data: Path, rng: random.Random) -> Iterator[tuple[str, PairExample]]:
    """Hold questions against passages that were relevant to other conversations' questions: the nearest by words."""
    cases = [case for case in mtrag_cases(data) if part_of("mtrag", case.group) in ("train", "dev")]
    pool = [
        (case.group, passage.text, long_words(passage.text))
        for case in cases
        for passage, relevant in zip(case.passages, case.relevant, strict=True)
        if relevant
    ]
    for case in cases:
        part = part_of("mtrag", case.group)
        stems = long_words(case.question)
        others = [each for each in pool if each[0] != case.group and part_of("mtrag", each[0]) == part]
        nearest = sorted(others, key=lambda each: -len(stems & each[2]))[:6]
        for _, text, _ in rng.sample(nearest, min(3, len(nearest))):
            passage = excerpt_around(text, case.question, rng)
            verdicts = {"relevance": False, "answerability": False}
            yield part, _pair(case.question, passage, "mtrag/elsewhere", case.group, **verdicts)


def wice_pairs(data: Path, rng: random.Random) -> Iterator[tuple[str, PairExample]]:
    """Read WiCE's claims with the sentences of their oracle evidence."""
    for claim in wice_claims(data):
        evidence = " ".join(joined(claim.passages).split())
        example = _pair(claim.text, evidence, "wice/claims", claim.group, faithfulness=claim.supported)
        yield part_of("wice", claim.group), example


def begin_pairs(data: Path, rng: random.Random) -> Iterator[tuple[str, PairExample]]:
    """Read BEGIN's replies with the knowledge that each was given."""
    for claim in begin_claims(data):
        # "Generic" replies claim nothing; a judgement never asks about them.
        if claim.label != "Generic":
            example = _pair(
                claim.text, joined(claim.passages), "begin/replies", claim.group, faithfulness=claim.supported
            )
            yield part_of("begin", claim.group), example


def expertqa_pairs(data: Path, rng: random.Random) -> Iterator[tuple[str, PairExample]]:
    """Read ExpertQA's claims with the evidence that its experts judged."""
    for claim in expertqa_claims(data):
        passage = excerpt_around(joined(claim.passages), claim.text, rng, fewest=60)
        example = _pair(claim.text, passage, "expertqa/claims", claim.group, faithfulness=claim.supported)
        yield part_of("expertqa", claim.group), example


def _pair(first: str, second: str, source: str, group: str, **verdicts: bool) -> PairExample:
    judged = {name: verdicts[name] for name in ("relevance", "answerability", "faithfulness") if name in verdicts}
    return PairExample(first=first, second=second, verdicts=tuple(judged.items()), source=source, group=group)
