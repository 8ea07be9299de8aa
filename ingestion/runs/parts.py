"""What the steps of ingestion share: the library, the judges, the limits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from contracts.jargon import MinedTerm
from contracts.text import Document
from ingestion.chunks.split import ChunkSizes
from ingestion.workers.pool import ReaderPool
from intrinsics.summarisation.base import Summariser
from intrinsics.term_mining.base import TermMiner
from library.store import LibraryStore
from library.values import Removal
from tools.embedding import Embedder

# Grows when documents that were read before should be read again, because readers or chunks changed.
_RECIPE = 2

Candidates = Callable[[Sequence[MinedTerm]], int]
Forget = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of a pipeline.

    Without a ``summariser`` sections have no summaries and are found by their passages alone. Scanned pages read less
    surely than ``least_confidence`` (in [0, 1]) are poor pages.
    """

    store: LibraryStore
    embedder: Embedder
    summariser: Summariser | None
    miner: TermMiner
    candidates: Candidates | None
    forget: Forget | None
    sizes: ChunkSizes
    least_confidence: float
    open_readers: Callable[[], ReaderPool]

    @property
    def recipe(self) -> str:
        """What documents are made with: one that was made otherwise is read again."""
        made = f"{_RECIPE} {self.embedder.name} {self.sizes.passage_tokens}/{self.sizes.section_tokens}"
        return made if self.summariser is not None else f"{made} without summaries"

    def offer(self, mined: Sequence[MinedTerm]) -> None:
        """Hand mined terms on to the dictionary. Blocking."""
        if self.candidates is not None and mined:
            self.candidates(mined)

    def forget_terms(self, document: Document) -> None:
        """Let the dictionary forget what was mined from ``document``. Blocking.

        It knows documents by the names of their files: what others of the same name say is offered again.
        """
        if self.forget is None:
            return
        self.forget(document.name)
        ledger = self.store.ledger
        for other in ledger.namesakes(document):
            self.offer(ledger.mined_from(other))

    def remove(self, document: Document, reason: str) -> Removal:
        """Remove a document and what was mined from it; return what went. Blocking."""
        # The terms first: were they last, a kill between the two would leave them for good.
        self.forget_terms(document)
        return self.store.delete_document(document.id, reason=reason)
