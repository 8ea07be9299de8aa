"""Citation that looks for a sentence's sources as soon as it is written, while the writer goes on."""

import time
from collections.abc import Sequence
from dataclasses import replace

from contracts.text import Passage
from contracts.verdicts import CitationVerdict
from intrinsics.citation.base import CitationFinder
from tools.foreseeing import BegunWork


class ForeseeingCitationFinder:
    """Gives the links of ``finder``, which must link each sentence by itself, those foreseen without delay."""

    def __init__(self, finder: CitationFinder) -> None:
        self._finder = finder
        self._begun: BegunWork[CitationVerdict] = BegunWork()

    def foresee(self, question: str, sentence: str, passages: Sequence[Passage]) -> None:
        """Begin to link ``sentence``, for a later call of ``find`` with it and these very passages."""
        self._begun.begin(
            question, sentence, passages, lambda: self._finder.find([sentence], passages, question=question)
        )

    async def find(
        self, sentences: Sequence[str], passages: Sequence[Passage], *, question: str = ""
    ) -> CitationVerdict:
        """Link each answer sentence to the passage sentences it rests on; a sentence without evidence gets no link."""
        started = time.perf_counter()
        foreseen = [await self._begun.take(question, sentence, passages) for sentence in sentences]
        known = {number: verdict for number, verdict in enumerate(foreseen) if verdict is not None}
        rest = [number for number in range(len(sentences)) if number not in known]
        links = [replace(link, sentence=number) for number, verdict in known.items() for link in verdict.links]
        provenance = next((verdict.provenance for verdict in known.values()), None)
        if rest or provenance is None:
            found = await self._finder.find([sentences[number] for number in rest], passages, question=question)
            links += [replace(link, sentence=rest[link.sentence]) for link in found.links]
            provenance = found.provenance
        return CitationVerdict(
            # As where nothing was foreseen: by sentence, the links of one in their order.
            links=tuple(sorted(links, key=lambda link: link.sentence)),
            provenance=replace(provenance, milliseconds=(time.perf_counter() - started) * 1_000),
        )
