"""Term mining without a model, from definitions of abbreviations in prose, glossary tables and lists."""

import asyncio
import time
from bisect import bisect_right

from contracts.jargon import MinedTerm
from contracts.text import Span
from contracts.verdicts import MinedTerms
from intrinsics.term_mining.alignment import dictionary_form
from intrinsics.term_mining.glossaries import list_entries, table_entries
from intrinsics.term_mining.prose import bracketed, stated
from tools.judges import provenance_since
from tools.language import fold, split_sentences

# Source: a sweep from 0.4 to 0.65 on the acronym extraction data of SDU@AAAI-22 (English train, scientific and legal,
# the first 1,200 texts of each): F1 of long forms is constant (0.82 legal, 0.80 scientific); 0.6 favours precision.
_MIN_FIT = 0.6
_MAX_EVIDENCE = 400


class EmbeddedTermMiner:
    """Finds abbreviations whose expansions contain their letters, and rows of glossary tables.

    The time is linear in the length of the text, because every pattern looks only a limited distance ahead and back.
    """

    async def mine(self, text: str, *, page: int = 1) -> MinedTerms:
        started = time.perf_counter()
        terms = await asyncio.to_thread(_mine, text, page)
        return MinedTerms(terms=terms, provenance=provenance_since(started))


def _mine(text: str, page: int) -> tuple[MinedTerm, ...]:
    sentences = split_sentences(text)
    starts = [span.start for span in sentences]
    best: dict[tuple[str, str], MinedTerm] = {}

    for found in (*bracketed(text), *stated(text), *table_entries(text), *list_entries(text)):
        form = dictionary_form(found.short, found.name) if found.score >= _MIN_FIT else None
        if form is None:
            continue
        term, name = form
        score = round(min(1.0, found.score), 3)
        key = (fold(term), fold(name))
        if key not in best or best[key].score < score:
            best[key] = MinedTerm(
                term=term,
                extended_name=name,
                evidence=_evidence(text, sentences, starts, found.place),
                page=page,
                score=score,
                description=found.description,
            )
    return tuple(sorted(best.values(), key=lambda mined: (-mined.score, mined.term, mined.extended_name)))


def _evidence(text: str, sentences: tuple[Span, ...], starts: list[int], place: int) -> str:
    index = bisect_right(starts, place) - 1
    if index < 0:
        return " ".join(text[place : place + _MAX_EVIDENCE].split())
    span = sentences[index]
    return " ".join(text[span.start : span.end].split())[:_MAX_EVIDENCE]
