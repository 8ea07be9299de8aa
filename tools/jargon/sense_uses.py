"""Finds the uses of a term in the documents, their meanings, and their similarity to the question."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.jargon import Correction, Sense
from contracts.search import Groups, PhraseUse
from tools.embedding.base import Embedder
from tools.language import content_stems, fold
from tools.search.base import LexicalIndex, PassageSearcher

# The maximum number of passages read for a term and for each of its extended names; more would hardly change the vote.
MAX_USES = 200
_MAX_NAMES = 32
# How many corrections of a term, newest first, are compared with the question.
_MAX_CORRECTIONS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseUse:
    """One use of a term in the sense ``sense_id``: in a document, or in a question whose asker chose this sense.

    ``likeness`` is the cosine, in [-1, 1], of the surrounding text and the question; None if they cannot be compared.
    ``document`` is the name of the document ("" for an asker's choice).
    """

    sense_id: int
    likeness: float | None
    document: str = ""


async def find_uses(
    term: str,
    senses: Sequence[Sense],
    question: str,
    lexical: LexicalIndex,
    searcher: PassageSearcher,
    *,
    groups: Groups = None,
) -> tuple[SenseUse, ...]:
    """Find uses of ``term`` in documents of ``groups`` (None: all) whose sense can be identified from the documents.

    A use has the sense whose name its passage contains or, if the passage contains none, the only one that its document
    contains. At most ``MAX_USES`` passages are read: first one from each document, then the second ones, and so on. A
    use counts for all senses with the same name, because they cannot be distinguished in this way.
    """
    found = await asyncio.to_thread(_uses_with_senses, term, senses, lexical, groups)
    likeness = await searcher.likeness(question, [use.chunk_id for use, _ in found])
    return tuple(
        SenseUse(sense_id=sense.id, likeness=likeness.get(use.chunk_id), document=use.document_name)
        for use, meant in found
        for sense in meant
    )


async def told_senses(
    term: str, senses: Sequence[Sense], lexical: LexicalIndex, *, groups: Groups = None
) -> Mapping[str, frozenset[str]]:
    """Return, for each chunk that uses ``term`` in an identifiable sense, the extended names that it may have there.

    The uses are the same as in ``find_uses``; the names are spelt as in ``senses``.
    """
    found = await asyncio.to_thread(_uses_with_senses, term, senses, lexical, groups)
    return {use.chunk_id: frozenset(sense.extended_name for sense in meant) for use, meant in found}


def _uses_with_senses(
    term: str, senses: Sequence[Sense], lexical: LexicalIndex, groups: Groups
) -> list[tuple[PhraseUse, list[Sense]]]:
    of_name: dict[tuple[str, ...], list[Sense]] = defaultdict(list)
    for sense in senses:
        of_name[stems_of(sense.extended_name)].append(sense)
    named = [name for name in of_name if name != stems_of(term)][:_MAX_NAMES]
    uses = lexical.find_phrase(term, MAX_USES, as_written=True, groups=groups) if named else ()
    if not uses:
        return []
    spelt = {name: lexical.find_phrase(of_name[name][0].extended_name, MAX_USES, groups=groups) for name in named}
    name_of = _attributed(uses, spelt)
    return [(use, of_name[name_of[use.chunk_id]]) for use in uses if use.chunk_id in name_of]


async def find_corrections(
    senses: Sequence[Sense], corrections: Sequence[Correction], question: str, embedder: Embedder
) -> tuple[SenseUse, ...]:
    """Return the choices of earlier askers among ``senses``, with the similarity of their questions to this one."""
    sense_of = {(fold(sense.term), stems_of(sense.extended_name), fold(sense.context)): sense.id for sense in senses}
    chosen: list[tuple[int, str]] = []
    for each in corrections:
        key = (fold(each.term), stems_of(each.extended_name), fold(each.context))
        if key in sense_of:
            chosen.append((sense_of[key], each.question))
    chosen = chosen[:_MAX_CORRECTIONS]
    texts = list(dict.fromkeys(text for _, text in chosen if text))
    if not texts:
        return tuple(SenseUse(sense_id=sense_id, likeness=None) for sense_id, _ in chosen)
    (query,) = await embedder.embed_queries([question])
    cosines = (await embedder.embed_documents(texts) @ query).tolist()
    likeness: Mapping[str, float] = dict(zip(texts, cosines, strict=True))
    return tuple(SenseUse(sense_id=sense_id, likeness=likeness.get(text)) for sense_id, text in chosen)


def _attributed(
    uses: Sequence[PhraseUse], spelt: Mapping[tuple[str, ...], Sequence[PhraseUse]]
) -> dict[str, tuple[str, ...]]:
    """Return, by chunk id, the name of the sense of each use whose sense can be identified."""
    in_chunk: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    in_document: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for name, passages in spelt.items():
        for passage in passages:
            in_chunk[passage.chunk_id].add(name)
    for passages in spelt.values():
        for passage in passages:
            in_document[passage.document_id] |= _longest(in_chunk[passage.chunk_id])
    found = {}
    for use in uses:
        names = _longest(in_chunk.get(use.chunk_id, set())) or in_document.get(use.document_id, set())
        if len(names) == 1:
            (found[use.chunk_id],) = names
    return found


def _longest(names: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """Drop names that are part of another name: "conditional random field" contains "random field"."""
    return {
        name
        for name in names
        if not any(name != other and f" {' '.join(name)} " in f" {' '.join(other)} " for other in names)
    }


def stems_of(name: str) -> tuple[str, ...]:
    """Return ``name`` in the form for comparisons, which ignores hyphens, letter case and endings."""
    return content_stems(name) or (fold(name),)


def sense_text(sense: Sense) -> str:
    """Return the text of ``sense`` that is compared with a question."""
    return f"{sense.extended_name}: {sense.description}" if sense.description else sense.extended_name


async def sense_likeness(senses: Sequence[Sense], question: str, embedder: Embedder) -> dict[int, float]:
    """Return, by sense id, the similarity of ``question`` and ``sense_text``, in [-1, 1].

    It is the mean of two values: the cosine of the two texts, and the mean cosine of each token of the sense with the
    nearest token of the question. The first captures the subject as a whole, the second a single decisive word.

    Source: late interaction as in Khattab and Zaharia 2020 (ColBERT, arXiv:2004.12832), but with the sense as the short
    text. The equal weights were fitted; see ``senses.json``.
    """
    if not senses:
        return {}
    texts = [sense_text(sense) for sense in senses]
    (query,) = await embedder.embed_queries([question])
    cosines = (await embedder.embed_documents(texts) @ query).tolist()
    (asked,) = await embedder.embed_tokens([question])
    of_senses = await embedder.embed_tokens(texts)
    nearest = [
        float((each.vectors @ asked.vectors.T).max(axis=1).mean()) if each.spans and asked.spans else cosine
        for each, cosine in zip(of_senses, cosines, strict=True)
    ]
    return {sense.id: (one + other) / 2 for sense, one, other in zip(senses, cosines, nearest, strict=True)}
