"""The parts of an ingestion: the library, the judges, the limits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from contracts.jargon import MinedTerm
from contracts.text import Document
from ingestion.chunks.split import PASSAGE_TOKENS, SECTION_TOKENS
from ingestion.limits import IngestionLimits
from ingestion.workers.pool import ReaderPool
from ingestion.workers.processes import ProcessReaderPool
from intrinsics.summarisation.base import Summariser
from intrinsics.term_mining.base import TermMiner
from library.store import LibraryStore, Removal
from tools.embedding.base import Embedder
from tools.ocr import OcrEngine

# Models add a token or two to every text.
_SPECIAL_TOKENS = 4
# Increased when documents should be read again, because readers, chunks or summaries changed.
_RECIPE = 12

Candidates = Callable[[Sequence[MinedTerm]], int]
Forget = Callable[[str], int]


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The parts of a pipeline.

    Files are read in ``workers`` processes, or by the pool that ``open_readers`` opens. ``candidates`` takes the mined
    terms, ``forget`` is called with the name of a document whose terms are no longer valid (None: terms are not kept).
    Without ``ocr``, pictures are not read; without a ``summariser`` sections have no summaries and are found by their
    passages alone.
    """

    store: LibraryStore
    embedder: Embedder
    summariser: Summariser | None
    miner: TermMiner
    ocr: OcrEngine | None
    candidates: Candidates | None
    limits: IngestionLimits
    workers: int
    forget: Forget | None = None
    open_readers: Callable[[], ReaderPool] | None = None

    @property
    def passage_tokens(self) -> int:
        """The size of a passage; no passage is longer than the embedder's input."""
        return min(PASSAGE_TOKENS, self.embedder.max_tokens - _SPECIAL_TOKENS)

    @property
    def recipe(self) -> str:
        """The version of the steps that make a document: a document made by a different version is read again."""
        made = f"{_RECIPE} {self.embedder.name} {self.passage_tokens}/{SECTION_TOKENS}"
        return made if self.summariser is not None else f"{made} without summaries"

    def offer(self, mined: Sequence[MinedTerm]) -> None:
        """Pass mined terms on to the dictionary. Blocking."""
        if self.candidates is not None and mined:
            self.candidates(mined)

    def forget_terms(self, document: Document) -> None:
        """Remove the terms mined from ``document`` from the dictionary. Blocking.

        The dictionary knows documents by file name, so terms from others with the same name are offered again.
        """
        if self.forget is None:
            return
        self.forget(document.name)
        ledger = self.store.ledger
        for other in ledger.namesakes(document):
            self.offer(ledger.mined_from(other))

    def open_pool(self) -> ReaderPool:
        """Open the workers that read. Blocking."""
        if self.open_readers is not None:
            return self.open_readers()
        return ProcessReaderPool(self.workers, self.limits, self.ocr)

    def drop_document(self, document: Document, reason: str) -> Removal:
        """Remove a document and the terms mined from it; return a record of the removal. Blocking."""
        # Terms first: if the process were killed in between, they would otherwise stay in the dictionary forever.
        self.forget_terms(document)
        return self.store.delete_document(document.id, reason=reason)
