"""Verification of citations: whatever named the sources, only those that can be sources become links."""

from collections.abc import Mapping, Sequence

from contracts.text import Passage
from contracts.verdicts import CitationLink
from intrinsics.citation.claims import Claim, as_links, match_words, share_anything
from tools.reading import Statement, read_statements

_MOST_SOURCES = 3

# (passage, sentence), both from 0.
Place = tuple[int, int]


def verify_links(
    claims: Sequence[Claim], named: Mapping[int, Sequence[Place]], passages: Sequence[Passage]
) -> tuple[CitationLink, ...]:
    """Return the links of ``claims`` that hold of those ``named`` for each answer sentence (from 0).

    A place that is none is dropped, one named twice counts once, a source with no content word, name or number of the
    claim is refused, and the three best of a sentence are kept. A sentence broken over lines is linked whole, a table's
    row with its header. The score of a link is the share of the claim's words that its best source has, 1 where that
    says the claim word for word; each number of the claim that it lacks lowers it, to the half where it lacks all.
    """
    there = _read_places(passages)
    links: list[CitationLink] = []
    for claim in claims:
        statements = dict.fromkeys(there[place] for place in named.get(claim.number, ()) if place in there)
        scored = [
            (each, match_words(claim, each).score(0.0, 0.0)) for each in statements if share_anything(claim, each)
        ]
        scored.sort(key=lambda pair: -pair[1])
        links.extend(as_links(claim, scored[:_MOST_SOURCES]))
    return tuple(links)


def _read_places(passages: Sequence[Passage]) -> dict[Place, Statement]:
    """Return what each sentence says: the statement that it is part of, or itself where it is part of none."""
    found: dict[Place, Statement] = {}
    for number, passage in enumerate(passages):
        for index in range(len(passage.sentences)):
            text = " ".join(passage.sentence(index).split())
            found[number, index] = Statement(text=text, passage=number, sentences=(index,), kind="heading")
        for statement in read_statements(passage, number) if passage.sentences else ():
            found.update({(number, index): statement for index in statement.sentences})
    return found
