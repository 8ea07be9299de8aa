"""Claims that passages support or not, labelled by people or made by changing one thing in a true sentence."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.text import Passage
from golden_lab.datasets.cases import Paragraph, as_passage, squad_articles
from golden_lab.datasets.files import read_jsonl
from tools.language import find_quantities, fold, split_sentences

_AUXILIARY = re.compile(r"\b(?:is|are|was|were|can|will|would|could|should|must|may|does|did|has been|have been)\b")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?: [A-Z][a-z]+)*")
_ANTONYMS = (
    ("first", "last"), ("before", "after"), ("increased", "decreased"), ("larger", "smaller"), ("highest", "lowest"),
    ("most", "least"), ("more", "less"), ("north", "south"), ("east", "west"), ("high", "low"), ("early", "late"),
    ("long", "short"), ("won", "lost"), ("old", "new"), ("begin", "end"), ("above", "below"), ("major", "minor"),
)  # fmt: skip
# Sentences of 50 to 260 characters usually state one thing completely.
_SHORTEST, _LONGEST = 50, 260


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence with passages; ``supported`` is the truth; ``kind`` is its origin or what was changed."""

    text: str
    passages: tuple[Passage, ...]
    supported: bool
    kind: str
    group: str
    question: str = ""


def wice_claims(data: Path) -> list[Claim]:
    """Read the WiCE dev claims with short evidence and people's labels. Source: Kamoi et al. 2023."""
    claims = []
    for row in read_jsonl(data / "wice" / "oracle_chunks_claim_dev.jsonl.gz"):
        passages = [
            as_passage(
                Paragraph(title=row["meta"]["claim_title"], text="\n".join(row["evidence"][start : start + 10])), start
            )
            for start in range(0, len(row["evidence"]), 10)
        ]
        claims.append(
            Claim(
                text=row["claim"], passages=tuple(passages), supported=row["label"] == "supported",
                kind=row["label"], group=row["meta"]["id"],
            )
        )  # fmt: skip
    return claims


def squad_claims(data: Path, *, articles: int, paragraphs_each: int, seed: int) -> list[Claim]:
    """Make true claims from SQuAD 1.1 train, and false ones by changing a number, a name, a negation or a word."""
    random_ = random.Random(seed)
    claims: list[Claim] = []
    for rows in squad_articles(data, articles, random_).values():
        for row in random_.sample(rows, min(paragraphs_each, len(rows))):
            claims.extend(_paragraph_claims(row, rows, random_))
    return claims


def _paragraph_claims(row: dict[str, Any], rows: Sequence[dict[str, Any]], random_: random.Random) -> Iterator[Claim]:
    others = [each for each in rows if each["para"] != row["para"]]
    chosen = random_.sample(others, min(3, len(others)))
    held = [row, *chosen[:2]]
    passages = tuple(
        as_passage(Paragraph(title=each["title"].replace("_", " "), text=each["context"]), each["para"])
        for each in held
    )
    sentences = _sentences(row["context"])
    if not sentences:
        return
    text = " ".join(each["context"] for each in held)

    def claim(words: str, kind: str, *, supported: bool) -> Claim:
        return Claim(text=words, passages=passages, supported=supported, kind=kind, group=row["title"])

    sentence = random_.choice(sentences)
    yield claim(sentence, "verbatim", supported=True)
    yield claim(_loosened(random_.choice(sentences), random_), "loosened", supported=True)
    if len(sentences) > 1:
        first, second = random_.sample(sentences, 2)
        yield claim(f"{first.rstrip('.')}, and {second}", "merged", supported=True)
    for change in (_other_number, _other_name, _negated, _antonym):
        for candidate in random_.sample(sentences, len(sentences)):
            changed = change(candidate, text, random_)
            if changed and fold(changed) not in fold(text):
                yield claim(changed, change.__name__.strip("_"), supported=False)
                break
    strange = _sentences(chosen[2]["context"]) if len(chosen) > 2 else []
    if strange:
        yield claim(random_.choice(strange), "elsewhere", supported=False)


def _sentences(text: str) -> list[str]:
    pieces = [text[span.start : span.end] for span in split_sentences(text)]
    return [piece for piece in pieces if _SHORTEST <= len(piece) <= _LONGEST and piece.endswith(".")]


Change = Callable[[str, str, random.Random], str | None]


def _loosened(sentence: str, random_: random.Random) -> str:
    """Leave out a clause, a parenthesis or an opening word, as a summary would."""
    shorter = re.sub(r"\s*\([^)]*\)", "", sentence)
    shorter = re.sub(r"^(?:However|Moreover|In addition|Furthermore|Also|Thus|Therefore|Although),? ", "", shorter)
    parts = shorter.split(", ")
    if len(parts) > 2 and random_.random() < 0.6:
        shorter = ", ".join(parts[:-1]).rstrip(".") + "."
    return random_.choice(("", "", "According to the document, ")) + shorter


def _other_number(sentence: str, text: str, random_: random.Random) -> str | None:
    numbers = [each for each in find_quantities(sentence) if each.number.isdigit()]
    if not numbers:
        return None
    picked = random_.choice(numbers)
    value = int(picked.number)
    new = str(random_.choice([value + random_.randint(1, 9), max(0, value - random_.randint(1, 9)), value * 2 + 1]))
    written = sentence[picked.span.start : picked.span.end]
    digits = re.search(r"\d[\d,]*", written)
    if new == picked.number or digits is None:
        return None
    start = picked.span.start + digits.start()
    return sentence[:start] + new + sentence[picked.span.start + digits.end() :]


def _other_name(sentence: str, text: str, random_: random.Random) -> str | None:
    names = list(_NAME.finditer(sentence))
    others = sorted({match.group() for match in _NAME.finditer(text)} - {match.group() for match in names})
    others = [other for other in others if other not in sentence]
    if not names or not others:
        return None
    picked = random_.choice(names)
    return sentence[: picked.start()] + random_.choice(others) + sentence[picked.end() :]


def _negated(sentence: str, text: str, random_: random.Random) -> str | None:
    if " not " in sentence:
        return sentence.replace(" not ", " ", 1)
    auxiliary = _AUXILIARY.search(sentence)
    return sentence[: auxiliary.end()] + " not" + sentence[auxiliary.end() :] if auxiliary else None


def _antonym(sentence: str, text: str, random_: random.Random) -> str | None:
    for left, right in random_.sample(_ANTONYMS, len(_ANTONYMS)):
        for old, new in ((left, right), (right, left)):
            if re.search(rf"\b{old}\b", sentence):
                return re.sub(rf"\b{old}\b", new, sentence, count=1)
    return None
