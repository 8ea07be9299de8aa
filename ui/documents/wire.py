"""What the page reads of the API's documents."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class PoorPage(_Read):
    """A page that a person should look at."""

    page: int
    reason: str = ""
    confidence: float | None = None


class Report(_Read):
    """What one reading of a document gave."""

    pages: int = 0
    ocr_pages: int = 0
    tables: int = 0
    chunks: int = 0
    mined_terms: int = 0
    warnings: tuple[str, ...] = ()
    poor_pages: tuple[PoorPage, ...] = ()
    seconds: float = 0.0
    phases: dict[str, float] = Field(default_factory=dict)


class Entry(_Read):
    """One ingestion of a document."""

    outcome: str
    reason: str = ""
    finished_at: datetime
    report: Report = Report()


class Summary(_Read):
    """The summary of a section."""

    heading: str = ""
    page: int = 1
    text: str = ""


class Term(_Read):
    """An abbreviation that was found in a document."""

    term: str
    extended_name: str = ""
    evidence: str = ""
    page: int = 1


class Document(_Read):
    """A file that ingestion has seen."""

    id: str
    path: str
    state: str
    reason: str = ""
    answers: bool = False
    group: str = ""
    title: str = ""
    pages: int = 0
    poor_pages: int = 0
    size_bytes: int = 0
    content_hash: str = ""
    changed_at: datetime

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path.rpartition("/")[2] or self.path

    @property
    def standing(self) -> str:
        """Its state as it is told: ``documents.is`` of the words."""
        if self.state == "failed" and self.answers:
            return "stale"
        return "poor" if self.state == "ready" and self.poor_pages else self.state


class Details(Document):
    """A document with its history, oldest first, its summaries and terms."""

    media_type: str = ""
    history: tuple[Entry, ...] = ()
    summaries: tuple[Summary, ...] = ()
    terms: tuple[Term, ...] = ()

    @property
    def report(self) -> Report | None:
        """The report of the reading that gave the stored version, else of the last one."""
        read = [each for each in self.history if each.outcome == "ready"] or list(self.history)
        return read[-1].report if read else None


class Listing(_Read):
    """A page of documents; ``next`` is what the following one begins behind."""

    documents: tuple[Document, ...] = ()
    next: str | None = None
    totals: dict[str, int] = Field(default_factory=dict)


class Intake(_Read):
    """What may be uploaded."""

    suffixes: tuple[str, ...] = ()
    max_bytes: int = 0
    max_files: int = 0
    groups: tuple[str, ...] = ("everyone",)
    any_group: bool = False


class Copy(_Read):
    """Another file of a content that was removed."""

    id: str
    path: str
    answers: bool = False


class Proof(_Read):
    """What was removed, and how much of it was found afterwards."""

    id: str
    path: str
    chunks: int = 0
    vectors: int = 0
    searched_again: int = 0
    left_in_sql: int = 0
    left_in_vectors: int = 0
    left_in_words: int = 0
    gone: bool = False
    problems: tuple[str, ...] = ()
    copies: tuple[Copy, ...] = ()


class Verification(_Read):
    """A comparison of all that is stored."""

    state: str
    started_at: datetime
    finished_at: datetime | None = None
    faults: tuple[str, ...] = ()
    reason: str = ""
