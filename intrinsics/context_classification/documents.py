"""The documents as evidence: passages that a question finds speak for the contexts whose meanings they use."""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from contracts.jargon import Sense
from contracts.text import Passage
from tools.language import content_stems, find_words, fold, rarity

_LONGEST_NAME = 6
# A name of one ordinary word stands in passages of every context.
_TELLING_RARITY = 0.5
# Below this cosine a passage has only been found because something had to be.
_LEAST_LIKENESS = 0.3
# So much likeness may be nobody's: one passage that is a little like the question says little.
_NOBODYS_LIKENESS = 0.3
# A meaning that names the document as its source says less than one that stands in the very passage.
_SOURCE_SHARE = 0.5
# Of one question after the other many passages are the same; what they speak for is kept, some 2 KB each.
_MOST_KEPT = 1_000


class DocumentContexts:
    """Says for which contexts passages speak: those of the meanings that they spell out or abbreviate.

    A term counts where it has meanings in one context only; where a passage holds no meaning at all, the contexts of
    the meanings count whose source its document is.
    """

    def __init__(self, contexts: Sequence[str], senses: Sequence[Sense]) -> None:
        self._contexts = tuple(contexts)
        self._names: dict[tuple[str, ...], set[str]] = defaultdict(set)
        of_spelling: dict[str, set[str]] = defaultdict(set)
        self._sources: list[tuple[str, str]] = []
        for sense in senses:
            stems = content_stems(sense.extended_name)
            if len(stems) > 1 or (stems and rarity(sense.extended_name) >= _TELLING_RARITY):
                self._names[stems].add(sense.context)
            for spelling in (sense.term, *sense.aliases):
                of_spelling[spelling].add(sense.context)
            if sense.source and sense.context:
                self._sources.append((fold(sense.source), sense.context))
        self._terms = {
            spelling: next(iter(contexts))
            for spelling, contexts in of_spelling.items()
            if len(contexts) == 1 and any(letter.isupper() for letter in spelling[1:])
        }
        self._of_document: dict[str, dict[str, float]] = {}
        self._of_passage: OrderedDict[tuple[str, str], Mapping[str, float]] = OrderedDict()

    def shares(self, passages: Sequence[Passage]) -> dict[str, float]:
        """Return for each context its share of what ``passages`` speak for, in [0, 1), the likest passages before all.

        Passages that are not like the question count for nothing, and what speaks for no context dilutes the rest.
        """
        votes, total = dict.fromkeys(self._contexts, 0.0), _NOBODYS_LIKENESS
        for passage in passages:
            weight = max(0.0, passage.dense - _LEAST_LIKENESS)
            total += weight
            for name, share in self._spoken_for(passage).items() if weight else ():
                votes[name] += weight * share
        return {name: vote / total for name, vote in votes.items()}

    def _spoken_for(self, passage: Passage) -> Mapping[str, float]:
        """Return the shares of the contexts in what one passage says: they hang on it and the meanings alone."""
        key = (passage.document_name, passage.text)
        shares = self._of_passage.pop(key, None)
        self._of_passage[key] = shares = self._read(passage) if shares is None else shares
        if len(self._of_passage) > _MOST_KEPT:
            self._of_passage.popitem(last=False)
        return shares

    def _read(self, passage: Passage) -> Mapping[str, float]:
        stems = content_stems(passage.text)
        found: set[tuple[tuple[str, ...], str]] = set()
        for start in range(len(stems)):
            for size in range(1, min(_LONGEST_NAME, len(stems) - start) + 1):
                name = stems[start : start + size]
                if name in self._names:
                    found.update((name, context) for context in self._names[name])
        for word in find_words(passage.text):
            if word.text in self._terms:
                found.add(((word.text,), self._terms[word.text]))
        if found:
            return self._shared(context for _, context in sorted(found))
        return {name: _SOURCE_SHARE * share for name, share in self._of_source(passage.document_name).items()}

    def _of_source(self, document: str) -> Mapping[str, float]:
        if document not in self._of_document:
            named = fold(document)
            contexts = (context for source, context in self._sources if named and source.startswith(named))
            self._of_document[document] = self._shared(contexts)
        return self._of_document[document]

    def _shared(self, contexts: Iterable[str]) -> dict[str, float]:
        """Return the share of each context; meanings that hold everywhere, and of contexts not asked for, dilute it."""
        counts: dict[str, int] = defaultdict(int)
        for context in contexts:
            counts[context] += 1
        total = sum(counts.values())
        return {name: counts[name] / total for name in self._contexts if counts[name]}
