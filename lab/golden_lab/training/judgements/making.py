"""Cases made of passages that search brought: the form in which a file holds them."""

from contracts.jargon import Reading
from contracts.text import Passage
from golden_lab.training.judgements.base import CasePassage, Definition


def case_passage(passage: Passage) -> CasePassage:
    """Return what of a passage the prompts depend on."""
    chunk = passage.chunk
    return CasePassage(
        text=chunk.text,
        title=chunk.document_title,
        name=passage.document_name,
        headings=chunk.heading_path,
        page=max(1, chunk.page),
        kind=chunk.block_kind,
    )


def definitions_of(readings: tuple[Reading, ...], question: str) -> tuple[Definition, ...]:
    """Return what the terms of ``question`` were read as; those that do not stand in it are passed over."""
    return tuple(
        Definition(
            term=each.mention.text,
            meaning=each.sense.extended_name,
            description=each.sense.description,
            notes=each.sense.notes,
        )
        for each in readings
        if each.sense is not None and each.mention.text.casefold() in question.casefold()
    )
