"""A triple extractor without a language model."""

import re
import time

from contracts.provenance import Provenance
from contracts.triples import ExtractedTriples, Triple
from intrinsics.triple_extraction.normalisation import normalise_all
from tools.language import split_sentences

_CLAUSE = re.compile(
    r"^(?P<s>.+?)\s+(?P<p>(?:shall|must|will|should|may|can)(?: not)? \w+|is|are|was|were|has|have)\s+(?P<o>.+)$"
)


class EmbeddedTripleExtractor:
    """Reads claims by rules."""

    async def extract(self, text: str) -> ExtractedTriples:
        """Return the claims that ``text`` states, normalised; nothing that it does not say. Empty text has none."""
        started = time.perf_counter()
        found = []
        for number, span in enumerate(split_sentences(text)):
            match = _CLAUSE.match(text[span.start : span.end])
            if match:
                found.append(Triple(subject=match["s"], predicate=match["p"], object=match["o"], sentence=number))
        return ExtractedTriples(
            triples=normalise_all(found),
            provenance=Provenance(implementation="embedded", milliseconds=(time.perf_counter() - started) * 1_000),
        )
