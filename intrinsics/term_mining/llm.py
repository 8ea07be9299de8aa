"""Term mining with a chat model; its evidence is verified in the text."""

import asyncio
import re

from pydantic import BaseModel, Field

from contracts.jargon import MinedTerm
from contracts.verdicts import MinedTerms
from intrinsics.term_mining.alignment import dictionary_form, fit_letters, is_short_form, letters_of
from tools.judges import PromptedJudge
from tools.language import cut_at_sentences, find_piece, find_words, fold
from tools.prompt_delimiters import delimit_texts, make_code
from tools.prompted_model import Inquiry

# A piece of this size defines up to about fifty terms, which fit into a reply of the size below.
_MAX_CHARACTERS = 6_000
_MAX_EVIDENCE = 400
# The score of a definition whose letters do not fit the term (such as a code name); fitting letters increase it.
_SAID = 0.5
_PIECE = re.compile(r"[^\s|,;:()\"'“”]+")


class DefinedTerm(BaseModel):
    """One term of the reply."""

    term: str = Field(min_length=1)
    expansion: str = Field(min_length=1)
    evidence: str = Field(min_length=1)


class DefinedTerms(BaseModel):
    """The reply that the prompt asks for."""

    terms: list[DefinedTerm]


class PromptedTermMiner(PromptedJudge):
    """Asks a chat model for the terms that a text defines, in pieces of complete sentences.

    A term is dropped unless its evidence is in the text letter for letter (except for white space), and the evidence
    contains the term and its expansion. The model is not asked about a piece that contains nothing that looks like an
    abbreviation.
    """

    max_tokens = 4_000

    async def mine(self, text: str, *, page: int = 1) -> MinedTerms:
        inquiry = self._prompted.begin()
        pieces = [piece for piece in cut_at_sentences(text, _MAX_CHARACTERS) if _may_define(piece)]
        found = await asyncio.gather(*(_ask(piece, inquiry) for piece in pieces))
        best: dict[tuple[str, str], MinedTerm] = {}
        for piece, reply in zip(pieces, found, strict=True):
            for each in reply.terms:
                mined = _checked(each, piece, page)
                if mined is not None:
                    key = (fold(mined.term), fold(mined.extended_name))
                    best.setdefault(key, mined)
        ordered = sorted(best.values(), key=lambda mined: (-mined.score, mined.term, mined.extended_name))
        return MinedTerms(terms=tuple(ordered), provenance=inquiry.provenance())


async def _ask(piece: str, inquiry: Inquiry) -> DefinedTerms:
    code = make_code(piece)
    return await inquiry.ask(inquiry.request({"section": delimit_texts([piece], code), "code": code}), DefinedTerms)


def _may_define(piece: str) -> bool:
    return any(is_short_form(match.group().strip(".!?")) for match in _PIECE.finditer(piece))


def _checked(said: DefinedTerm, text: str, page: int) -> MinedTerm | None:
    """Return the term in its dictionary form, or None if the text does not contain the definition."""
    span = find_piece(said.evidence, text)
    form = dictionary_form(said.term.strip(), said.expansion)
    if span is None or form is None:
        return None
    evidence = " ".join(text[span.start : span.end].split())
    there = re.search(rf"(?<!\w){re.escape(said.term.strip())}(?:e?s)?(?!\w)", evidence)
    if there is None or fold(" ".join(said.expansion.split())) not in fold(evidence):
        return None
    term, name = form
    fit = fit_letters(letters_of(term), [fold(word.text) for word in find_words(name)])
    return MinedTerm(
        term=term,
        extended_name=name,
        evidence=evidence[:_MAX_EVIDENCE],
        page=page,
        score=round(min(1.0, _SAID + (1.0 - _SAID) * fit), 3),
    )
