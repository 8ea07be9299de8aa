"""Cases of faithfulness and citation from WiCE: claims of an encyclopedia, and the pages that they name as sources."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from contracts.text import Passage
from evaluation.splits import SplitUse, half
from tools.language import content_stems

if TYPE_CHECKING:
    from golden_lab.datasets.annotated import AttributedClaim
    from golden_lab.training.judgements.answers import CaseCitation, JudgedSentence
    from golden_lab.training.judgements.base import CasePassage, JudgementCase

WICE_CHUNKS = SplitUse(file="wice/oracle_chunks_claim_dev.jsonl.gz", part="fit")
WICE_PAGES = SplitUse(file="wice/entailment_retrieval_claim_dev.jsonl.gz", part="fit")

_PASSAGES_OF_A_PAGE = 4
_LONGEST_QUOTE = 180
_Label = Literal["faithful", "partial", "unfaithful"]
_LABELS: dict[str, tuple[_Label, str]] = {
    "supported": ("faithful", "The passages say it: “{quote}”"),
    "partially_supported": ("partial", "The passages say only a part of it: “{quote}”"),
    "not_supported": ("unfaithful", "The passages do not say it."),
}


def faithfulness_cases(data: Path) -> "Iterator[JudgementCase]":
    """Yield the claims of the half that may be learnt from, with people's label.

    People gave no reasons; each is made by a rule of the label and of the line that shares the most words with the
    claim, and says no more than that.
    """
    from golden_lab.datasets.claims import wice_claims
    from golden_lab.training.judgements.answers import FaithfulnessCase
    from golden_lab.training.judgements.making import case_passage

    for number, claim in enumerate(wice_claims(data)):
        if half("wice", claim.group) == "fit" and claim.kind in _LABELS:
            yield FaithfulnessCase(
                id=f"wice/{claim.group}/{number}",
                group=f"wice/{claim.group}",
                source=f"{WICE_CHUNKS.file} fit",
                answer=(_one_line(claim.text),),
                passages=tuple(map(case_passage, claim.passages)),
                judged=(_judged(claim.kind, claim.text, claim.passages),),
            )


def citation_cases(data: Path) -> "Iterator[JudgementCase]":
    """Yield the claims of the half that may be learnt from, with the smallest set of sentences that supports each.

    A page is cut to the passages with these sentences and the first others, four at most; a claim without support
    comes with the first passages, and cites nothing.
    """
    from golden_lab.datasets.annotated import wice_attributions
    from golden_lab.training.judgements.answers import CitationCase

    for claim in wice_attributions(data, "fit"):
        chosen = min(claim.annotations, key=lambda each: (len(each), sorted(each)), default=frozenset())
        kept = sorted({passage for passage, _ in chosen})
        if len(kept) > _PASSAGES_OF_A_PAGE or len(chosen) > 3:
            continue
        others = [n for n in range(len(claim.passages)) if n not in kept]
        kept = sorted([*kept, *others[: _PASSAGES_OF_A_PAGE - len(kept)]])
        shown, citations = _cited(claim, kept, chosen)
        yield CitationCase(
            id=f"wice/{claim.id}",
            group=f"wice/{claim.id}",
            source=f"{WICE_PAGES.file} fit",
            answer=(_one_line(claim.text),),
            passages=shown,
            citations=citations,
        )


def _cited(
    claim: "AttributedClaim", kept: list[int], chosen: frozenset[tuple[int, int]]
) -> "tuple[tuple[CasePassage, ...], tuple[CaseCitation, ...]]":
    """Return the passages ``kept``, and their sentences (as the bot splits them) that hold the chosen lines."""
    from golden_lab.training.judgements.answers import CaseCitation
    from golden_lab.training.judgements.base import passages_of
    from golden_lab.training.judgements.making import case_passage

    shown = tuple(case_passage(claim.passages[number]) for number in kept)
    found = []
    for place, (number, passage) in enumerate(zip(kept, passages_of(shown), strict=True)):
        lines = [claim.passages[number].sentences[line] for of, line in sorted(chosen) if of == number]
        held = tuple(
            index
            for index, span in enumerate(passage.sentences)
            if any(line.start < span.end and span.start < line.end for line in lines)
        )
        if held:
            found.append(CaseCitation(sentence=0, passage=place, passage_sentences=held))
    return shown, tuple(found)


def _judged(kind: str, claim: str, passages: tuple[Passage, ...]) -> "JudgedSentence":
    from golden_lab.training.judgements.answers import JudgedSentence

    label, reason = _LABELS[kind]
    stems = set(content_stems(claim))
    lines = [_one_line(line) for passage in passages for line in passage.text.splitlines() if line.strip()]
    nearest = max(lines, key=lambda line: len(stems & set(content_stems(line))), default="")
    quote = nearest if len(nearest) <= _LONGEST_QUOTE else nearest[:_LONGEST_QUOTE].rsplit(" ", 1)[0] + " …"
    return JudgedSentence(label=label, reason=reason.format(quote=quote))


def _one_line(text: str) -> str:
    return " ".join(text.split())
