"""What the small encoder learns from: the public sets' training and fit parts, as pairs and tagged texts.

Nothing of a half that is scored, nothing of a set whose licence does not allow weights to be passed on.
"""

import hashlib
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from contracts.errors import InvalidInput
from contracts.text import Passage
from evaluation.datasets.annotated import begin_claims, expertqa_claims
from evaluation.datasets.cases import mtrag_cases, swap_name
from evaluation.datasets.claims import squad_claims, wice_claims
from evaluation.datasets.files import read_jsonl
from evaluation.splits import part_of
from golden_retriever.wiring.encoder_terms import term_examples
from tools.language import fold
from training.encoder.examples import DataSource, EncoderData, PairExample, TagExample, Use

SQUAD_TRAIN = "squad2/train_v1.1_paragraphs.jsonl.gz"
SQUAD_DEV = "squad2/dev_v2.0_half.jsonl.gz"
# File, licence of what is learnt from it, part used. Sets under a licence for non-commercial use are not here.
_FILES = (
    (SQUAD_TRAIN, "CC BY-SA 4.0", "training split: 75 % of the articles to learn, 10 % to stop by"),
    (SQUAD_DEV, "CC BY-SA 4.0", "a tenth of the fit half, to stop by; nothing is learnt from it"),
    ("mtrag/tasks.jsonl.gz", "Apache-2.0", "fit half: 75 % to learn, 10 % to stop by"),
    ("wice/oracle_chunks_claim_dev.jsonl.gz", "ODC-BY", "fit half: 75 % to learn, 10 % to stop by"),
    ("begin/begin_dev_wow.jsonl.gz", "CC BY 4.0", "fit half: 75 % to learn, 10 % to stop by"),
    ("begin/begin_dev_cmu.jsonl.gz", "CC BY 4.0", "fit half: 75 % to learn, 10 % to stop by"),
    ("begin/begin_dev_tc.jsonl.gz", "CDLA-Sharing-1.0", "fit half: 75 % to learn, 10 % to stop by"),
    ("expertqa/claims.jsonl.gz", "MIT", "fit half: 75 % to learn, 10 % to stop by"),
    ("awsdocs/glossary.jsonl", "CC BY-SA 4.0", "fit half: 75 % to learn, 10 % to stop by"),
    ("cncf_glossary/glossary.jsonl", "CC BY 4.0", "fit half: 75 % to learn, 10 % to stop by"),
)
# One question of so large a share of the paragraphs, and claims from so many paragraphs of so many articles.
_ASKED_SHARE = 0.6
_CLAIMED_ARTICLES, _CLAIMED_PARAGRAPHS = 240, 4
# In 90 of 100 pairs the passage is an excerpt of so many words, in the others up to the last number.
_FEWEST_WORDS, _MANY_WORDS, _MOST_WORDS = 20, 55, 130
_LONG_SHARE = 0.1
# The excerpts only want plausible ends of sentences, tens of thousands of times.
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\d\"'(\[])|\n+")
_WORD = re.compile(r"\w+")
# Of what dev parts hold, so many pairs of a source: enough to stop by, and measured often.
_DEV_PAIRS_A_SOURCE = 80

Example = TypeVar("Example", PairExample, TagExample)


def read_encoder_data(data: Path, *, seed: int) -> EncoderData:
    """Read the data sets below the folder ``data`` and make examples of them.

    Raises:
        InvalidInput: a file is not there or not of its form, or a group that is scored got in; the text names it.
    """
    makers: tuple[Callable[[Path, random.Random], Iterator[tuple[str, PairExample]]], ...] = (
        _squad_questions, _squad_claims, _squad_dev, _mtrag, _wice, _begin, _expertqa,
    )  # fmt: skip
    pairs: dict[str, list[PairExample]] = {"train": [], "dev": []}
    for maker in makers:
        for part, example in maker(data, random.Random(f"{seed} {maker.__name__}")):
            if part in pairs:
                pairs[part].append(example)
    terms = term_examples(data, random.Random(f"{seed} terms"))
    for part, asked in terms.pairs:
        if part in pairs:
            pairs[part].append(asked)
    tags: dict[str, list[TagExample]] = {"train": [], "dev": []}
    for part, tagged in terms.tags:
        if part in tags:
            tags[part].append(tagged)
    found = EncoderData(
        train_pairs=tuple(pairs["train"]),
        dev_pairs=_some_of_each(pairs["dev"], random.Random(seed)),
        train_tags=tuple(tags["train"]),
        dev_tags=_some_of_each(tags["dev"], random.Random(seed)),
        sources=tuple(_source(data, file, licence, part) for file, licence, part in _FILES),
    )
    refuse_scored(found)
    return found


def refuse_scored(data: EncoderData) -> None:
    """Hold every group of ``data`` against the parts once more.

    Raises:
        InvalidInput: a group is of a half that is scored, or of another part than it is used in; the text names it.
    """
    uses: tuple[tuple[Use, tuple[PairExample | TagExample, ...]], ...] = (
        ("train", (*data.train_pairs, *data.train_tags)),
        ("dev", (*data.dev_pairs, *data.dev_tags)),
    )
    for use, examples in uses:
        for each in examples:
            set_name = each.source.split("/", maxsplit=1)[0]
            whole = each.source.startswith(_WHOLE)
            if (part := part_of(set_name, each.group, whole=whole)) != use:
                raise InvalidInput(f"The group {each.group!r} of {each.source} is of the part {part}, not {use}.")


# Of SQuAD 1.1 train nothing is scored; its articles are others than those of dev.
_WHOLE = "squad2/train"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Paragraph:
    text: str
    folded: str
    words: frozenset[str]


def _squad_questions(data: Path, rng: random.Random) -> Iterator[tuple[str, PairExample]]:
    by_title: dict[str, list[dict[str, object]]] = {}
    for row in read_jsonl(data / SQUAD_TRAIN):
        by_title.setdefault(row["title"], []).append(row)
    for title, rows in by_title.items():
        part = part_of("squad2", title, whole=True)
        paragraphs = [
            _Paragraph(text=each, folded=fold(each), words=_words(each))
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
    yield pair(question, _excerpt(gold, f"{question} {answers[0]}", rng), "present", relevance=True, answerability=True)
    without = _without(gold, answers)
    if without and rng.random() < 0.5:
        # The same topic, but the sentence that answers is gone: whether that is relevant, nobody said.
        yield pair(question, _excerpt(without, question, rng), "sentence_absent", answerability=False)
    stems, said = _words(question), [fold(answer) for answer in answers]
    near = sorted(
        (n for n in range(len(paragraphs)) if n != at and not any(each in paragraphs[n].folded for each in said)),
        key=lambda n: -len(stems & paragraphs[n].words),
    )[:4]
    if near:
        other = paragraphs[rng.choice(near)].text
        yield pair(question, _excerpt(other, question, rng), "near", relevance=False, answerability=False)
    swapped = swap_name(question, article, rng) if rng.random() < 0.6 else None
    if swapped and fold(swapped[1]) not in fold(gold):
        yield pair(swapped[0], _excerpt(gold, f"{question} {answers[0]}", rng), "name_swapped", answerability=False)


def _squad_claims(data: Path, rng: random.Random) -> Iterator[tuple[str, PairExample]]:
    articles = min(_CLAIMED_ARTICLES, len({row["title"] for row in read_jsonl(data / SQUAD_TRAIN)}))
    seed = rng.randrange(2**31)
    for claim in squad_claims(data, articles=articles, paragraphs_each=_CLAIMED_PARAGRAPHS, seed=seed):
        passage = _excerpt(claim.passages[0].text, claim.text, rng)
        source = f"squad2/train/claim_{claim.kind}"
        example = _pair(claim.text, passage, source, claim.group, faithfulness=claim.supported)
        yield part_of("squad2", claim.group, whole=True), example


def _squad_dev(data: Path, rng: random.Random) -> Iterator[tuple[str, PairExample]]:
    # Published figures are on this file, and its publishers ask not to learn from it: it only says when to stop.
    for row in read_jsonl(data / SQUAD_DEV):
        if part_of("squad2", row["title"]) == "dev":
            question = row["question"].strip()
            source = "squad2/dev/asked"
            yield "dev", _pair(question, row["context"], source, row["title"], answerability=not row["is_impossible"])


def _mtrag(data: Path, rng: random.Random) -> Iterator[tuple[str, PairExample]]:
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
                    _pair(case.question, _excerpt(passage.text, near, rng), "mtrag/judged", case.group, **verdicts),
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
        (case.group, passage.text, _words(passage.text))
        for case in cases
        for passage, relevant in zip(case.passages, case.relevant, strict=True)
        if relevant
    ]
    for case in cases:
        part = part_of("mtrag", case.group)
        stems = _words(case.question)
        others = [each for each in pool if each[0] != case.group and part_of("mtrag", each[0]) == part]
        nearest = sorted(others, key=lambda each: -len(stems & each[2]))[:6]
        for _, text, _ in rng.sample(nearest, min(3, len(nearest))):
            passage = _excerpt(text, case.question, rng)
            verdicts = {"relevance": False, "answerability": False}
            yield part, _pair(case.question, passage, "mtrag/elsewhere", case.group, **verdicts)


def _wice(data: Path, rng: random.Random) -> Iterator[tuple[str, PairExample]]:
    for claim in wice_claims(data):
        evidence = " ".join(_text(claim.passages).split())
        example = _pair(claim.text, evidence, "wice/claims", claim.group, faithfulness=claim.supported)
        yield part_of("wice", claim.group), example


def _begin(data: Path, rng: random.Random) -> Iterator[tuple[str, PairExample]]:
    for claim in begin_claims(data):
        # "Generic" replies claim nothing; a judgement never asks about them.
        if claim.label != "Generic":
            example = _pair(
                claim.text, _text(claim.passages), "begin/replies", claim.group, faithfulness=claim.supported
            )
            yield part_of("begin", claim.group), example


def _expertqa(data: Path, rng: random.Random) -> Iterator[tuple[str, PairExample]]:
    for claim in expertqa_claims(data):
        passage = _excerpt(_text(claim.passages), claim.text, rng, fewest=60)
        example = _pair(claim.text, passage, "expertqa/claims", claim.group, faithfulness=claim.supported)
        yield part_of("expertqa", claim.group), example


def _pair(first: str, second: str, source: str, group: str, **verdicts: bool) -> PairExample:
    judged = {name: verdicts[name] for name in ("relevance", "answerability", "faithfulness") if name in verdicts}
    return PairExample(first=first, second=second, verdicts=tuple(judged.items()), source=source, group=group)


def _words(text: str) -> frozenset[str]:
    return frozenset(each for each in _WORD.findall(text.lower()) if len(each) > 3)


def _text(passages: tuple[Passage, ...]) -> str:
    return "\n".join(each.text for each in passages)


def _without(text: str, answers: tuple[str, ...]) -> str:
    """Leave out of ``text`` the sentences that hold an answer; nothing where an answer stays or too little does."""
    kept = [piece for piece in _sentences(text) if not _says(piece, answers)]
    return " ".join(kept) if len(kept) > 1 else ""


def _says(text: str, answers: tuple[str, ...]) -> bool:
    folded = fold(text)
    return any(fold(answer) in folded for answer in answers)


def _sentences(text: str) -> list[str]:
    return _SENTENCE_END.split(text)


def _excerpt(text: str, near: str, rng: random.Random, *, fewest: int = _FEWEST_WORDS) -> str:
    """Cut ``text`` to sentences in a row around the one that shares most words with ``near``, of a drawn length."""
    most = rng.randint(fewest, max(fewest, _MOST_WORDS if rng.random() < _LONG_SHARE else _MANY_WORDS))
    if len(text.split()) <= most:
        return text
    sentences = _sentences(text)
    wanted = _words(near)
    best = max(range(len(sentences)), key=lambda at: len(wanted & _words(sentences[at])))
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


def _some_of_each(examples: list[Example], rng: random.Random) -> tuple[Example, ...]:
    by_source: dict[str, list[Example]] = {}
    for each in examples:
        by_source.setdefault(each.source, []).append(each)
    return tuple(each for rows in by_source.values() for each in rng.sample(rows, min(_DEV_PAIRS_A_SOURCE, len(rows))))


def _source(data: Path, file: str, licence: str, part: str) -> DataSource:
    with (data / file).open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return DataSource(file=file, sha256=digest, licence=licence, part=part)
