"""An in-memory jargon dictionary with a fixed list of terms."""

from collections.abc import Mapping, Sequence

from contracts.jargon import Context, Correction, Sense, Vocabulary
from jargon_db.normalization import closest_first, fold
from tools.jargon.base import MAX_CORRECTIONS
from tools.jargon.spelling import nearest_spellings


class InMemoryJargonDictionary:
    """A jargon dictionary whose terms do not change. ``unknown`` counts questions about undefined terms.

    Corrections are kept only in memory.
    """

    def __init__(self, senses: Sequence[Sense], contexts: Sequence[Context] = ()) -> None:
        self._contexts = tuple(sorted(contexts, key=lambda context: fold(context.name)))
        self._by_key: dict[str, list[Sense]] = {}
        self._drafts: dict[str, list[Sense]] = {}
        spellings: dict[str, set[str]] = {}
        names: dict[str, set[str]] = {}
        for sense in senses:
            if sense.state == "draft":
                self._drafts.setdefault(fold(sense.term), []).append(sense)
            if sense.state != "published":
                continue
            for spelling in (sense.term, *sense.aliases):
                spellings.setdefault(spelling, set()).add(sense.term)
            names.setdefault(sense.extended_name, set()).add(sense.term)
            for key in {fold(spelling) for spelling in (sense.term, *sense.aliases)}:
                self._by_key.setdefault(key, []).append(sense)
        terms = {spelling: tuple(sorted(spellings[spelling])) for spelling in sorted(spellings)}
        named = {name: tuple(sorted(names[name])) for name in sorted(names)}
        self._vocabulary = Vocabulary(version="fixed", terms=terms, names=named)
        self.unknown: dict[str, int] = {}
        self._corrections: dict[tuple[int, str], Correction] = {}

    async def version(self) -> str:
        return self._vocabulary.version

    async def vocabulary(self) -> Vocabulary:
        return self._vocabulary

    async def senses(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        return {term: tuple(closest_first(term, self._by_key.get(fold(term), ()))) for term in terms}

    async def drafts(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        return {term: tuple(closest_first(term, self._drafts.get(fold(term), ()))) for term in terms}

    async def contexts(self) -> tuple[Context, ...]:
        return self._contexts

    async def near_spellings(self, term: str, limit: int = 5) -> tuple[str, ...]:
        return nearest_spellings(term, self._vocabulary.terms, limit)

    async def record_unknown(self, term: str, question: str, context: str) -> None:
        self.unknown[fold(term)] = self.unknown.get(fold(term), 0) + 1

    async def record_correction(self, correction: Correction) -> None:
        for sense in self._by_key.get(fold(correction.term), ()):
            wanted = (fold(correction.extended_name), fold(correction.context))
            if (fold(sense.extended_name), fold(sense.context)) == wanted:
                shared = {"term": sense.term, "extended_name": sense.extended_name, "context": sense.context}
                named = correction.model_copy(update=shared)
                key = (sense.id, fold(correction.question))
                self._corrections.pop(key, None)
                self._corrections[key] = named
                return

    async def corrections(self) -> tuple[Correction, ...]:
        return tuple(reversed(self._corrections.values()))[:MAX_CORRECTIONS]
