"""Texts with the short and long forms of abbreviations marked.

Each reader raises InvalidInput with the file name if the file is missing or a line is not a JSON object.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.text import Span
from golden_lab.datasets.files import join_tokens, read_jsonl
from golden_lab.splits import half

DOMAINS = ("legal", "scientific")
# The threshold of intrinsics.term_mining was chosen on the first 1,200 texts of each domain.
_SEEN = 1_200


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedText:
    """A text with the spans of its short and long forms.

    ``tokens`` are its token spans (empty if none are marked); ``subset`` is the part of the data set that it is from.
    """

    id: str
    text: str
    shorts: tuple[Span, ...]
    longs: tuple[Span, ...]
    tokens: tuple[Span, ...] = ()
    subset: str = ""

    def widened(self, span: Span) -> Span:
        """Return ``span`` extended to whole tokens, if the data set marks tokens."""
        touched = [token for token in self.tokens if token.start < span.end and span.start < token.end]
        return Span(min(span.start, touched[0].start), max(span.end, touched[-1].end)) if touched else span


def sdu21_texts(data: Path) -> tuple[MarkedText, ...]:
    """Read the scored half of the development split for acronym identification in scientific text.

    The errors on the other half were used to develop the rules for jargon identification.

    Source: SDU@AAAI-21 shared task 1 (Veyseh et al. 2020, "What Does This Acronym Mean?", arXiv:2010.14678).
    """
    texts = []
    for row in read_jsonl(data / "sdu21_ai" / "dev.jsonl.gz"):
        if half("sdu21_ai", row["id"]) != "score":
            continue
        text, tokens = join_tokens(row["tokens"])
        texts.append(
            MarkedText(
                id=row["id"],
                text=text,
                shorts=tuple(marked(tokens, row["labels"], "short")),
                longs=tuple(marked(tokens, row["labels"], "long")),
                tokens=tokens,
            )
        )
    return tuple(texts)


def sdu22_texts(data: Path) -> tuple[MarkedText, ...]:
    """Read the scored half of the legal and scientific training splits for acronym extraction.

    The first 1,200 texts of each are left out, because the threshold of term mining was chosen on them.

    Source: SDU@AAAI-22 shared task 1 (Veyseh et al. 2022, "MACRONYM", arXiv:2202.09694).
    """
    return tuple(
        MarkedText(
            id=f"{domain}-{row['ID']}",
            text=row["text"],
            shorts=tuple(Span(start, end) for start, end in row["acronyms"]),
            longs=tuple(Span(start, end) for start, end in row["long-forms"]),
            subset=domain,
        )
        for domain in DOMAINS
        for at, row in enumerate(read_jsonl(data / "sdu22_ae" / domain / "train.jsonl.gz"))
        if at >= _SEEN and half("sdu22_ae", f"{domain}-{row['ID']}") == "score"
    )


def marked(tokens: Sequence[Span], labels: Sequence[str], form: str) -> Iterator[Span]:
    """Yield one span for each run of ``tokens`` labelled "B-``form``", "I-``form``", "I-``form``" and so on."""
    start = end = -1
    for token, label in zip(tokens, labels, strict=True):
        if label == f"I-{form}" and start >= 0:
            end = token.end
            continue
        if start >= 0:
            yield Span(start, end)
        start, end = (token.start, token.end) if label.endswith(form) else (-1, -1)
    if start >= 0:
        yield Span(start, end)
