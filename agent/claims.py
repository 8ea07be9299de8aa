"""The writer's own marks as evidence: if several passages say the same, the one that the writer named is cited."""

import bisect
from collections.abc import Sequence

from agent.composing import sentences_of
from contracts.text import Passage
from contracts.verdicts import AnswerSentence, CitationLink, ClaimedSource, Draft
from tools.language import find_quantities
from tools.reading.concepts import coverage, question_concepts, read_words
from tools.reading.statements import Statement, read_statements


def claims_of(draft: Draft) -> tuple[tuple[ClaimedSource, ...], ...]:
    """Return the writer's claims on each sentence of its draft.

    A mark belongs to the sentence that it is in or follows; one at the beginning of a line belongs to the sentence
    there.
    """
    sentences = sentences_of(draft.text)
    found: list[list[ClaimedSource]] = [[] for _ in sentences]
    for claim in draft.claims:
        index = _sentence_at(claim.position, sentences, draft.text)
        if index >= 0 and claim not in found[index]:
            found[index].append(claim)
    return tuple(tuple(each) for each in found)


def weigh_claims(draft: Draft, links: Sequence[CitationLink], passages: Sequence[Passage]) -> tuple[CitationLink, ...]:
    """Return ``links``, replacing a passage by one that the writer named if that says as much.

    Claims are not trusted: a claim never creates a link. It only decides which of two passages is cited, if the named
    one has a statement with as many of the sentence's numbers, and as many of its words, as the linked one.
    """
    claims = claims_of(draft)
    sentences = sentences_of(draft.text)
    weighed: list[CitationLink] = []
    for link in links:
        named = claims[link.sentence] if 0 <= link.sentence < len(claims) else ()
        used = {each.passage for each in (*links, *weighed) if each.sentence == link.sentence}
        free = [each for each in named if each.passage not in used and 0 <= each.passage < len(passages)]
        if not free or any(each.passage == link.passage for each in named) or link.passage >= len(passages):
            weighed.append(link)
            continue
        weighed.append(_better(sentences[link.sentence].text, link, free, passages))
    return tuple(weighed)


def _sentence_at(position: int, sentences: Sequence[AnswerSentence], text: str) -> int:
    """Return the index of the sentence that a mark at ``position`` belongs to, or -1."""
    starts = [sentence.span.start for sentence in sentences]
    at = bisect.bisect_left(starts, position)
    if at < len(starts) and starts[at] == position and (not position or text[position - 1] == "\n"):
        return at
    return at - 1


def _better(
    sentence: str, link: CitationLink, claims: Sequence[ClaimedSource], passages: Sequence[Passage]
) -> CitationLink:
    wanted = set(link.passage_sentences)
    cited = [each for each in read_statements(passages[link.passage], link.passage) if wanted & set(each.sentences)]
    least = _carried(sentence, " ".join(each.text for each in cited) if wanted else passages[link.passage].text)
    for claim in claims:
        best = _best_statement(sentence, claim, passages[claim.passage])
        if best is None:
            continue
        numbers, share = _carried(sentence, best.text)
        if numbers >= least[0] and share >= least[1]:
            held = tuple(sorted({*best.header, *best.sentences}))
            return link.model_copy(update={"passage": claim.passage, "passage_sentences": held})
    return link


def _best_statement(sentence: str, claim: ClaimedSource, passage: Passage) -> Statement | None:
    """Return the passage's statement with most of the sentence; among equals, the one that the writer named."""
    return max(
        read_statements(passage, claim.passage),
        key=lambda each: (*_carried(sentence, each.text), claim.sentence in each.sentences),
        default=None,
    )


def _carried(sentence: str, text: str) -> tuple[int, float]:
    """Return how many of the sentence's numbers ``text`` has, and which share of the weight of its words."""
    there = {quantity.number for quantity in find_quantities(text)}
    numbers = {quantity.number for quantity in find_quantities(sentence)}
    return len(numbers & there), coverage(question_concepts(sentence), read_words(text))
