"""Jargon: terms and their senses, contexts, and how the terms in a question are interpreted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, computed_field

from contracts.text import Span

SenseState = Literal["draft", "published", "rejected"]
MentionKind = Literal["abbreviation", "phrase", "code", "name"]
ReadingStatus = Literal["chosen", "documents", "ambiguous", "unknown"]


class Context(BaseModel, frozen=True):
    """A department or subject in which terms have their own meanings, described by the knowledge base manager."""

    name: str
    description: str = ""
    examples: tuple[str, ...] = ()


class Sense(BaseModel, frozen=True):
    """One meaning of a term. ``context`` is a context's name, or "" for all contexts."""

    id: int
    term: str
    extended_name: str
    context: str = ""
    description: str = ""
    notes: str = ""
    source: str = ""
    aliases: tuple[str, ...] = ()
    state: SenseState = "published"

    @property
    def name_in_context(self) -> str:
        """The extended name, with the context in brackets: ``Delay-Locked Loop (Interfaces)``."""
        return f"{self.extended_name} ({self.context})" if self.context else self.extended_name


class Mention(BaseModel, frozen=True):
    """A term in a question.

    ``text`` is the text at ``span``. ``term`` is the dictionary's spelling if the identifier recognised the term (in a
    different letter case, as a plural or an alias, or misspelt), otherwise it is ``text``. ``corrected`` is true if a
    misspelling was corrected. The ``kind`` "name" means that ``text`` is an extended name of ``term``. ``probability``
    is the probability that the text is jargon that the asker expects the bot to know.
    """

    text: str
    span: Span
    term: str
    kind: MentionKind = "abbreviation"
    probability: float = 1.0
    known: bool = False
    corrected: bool = False


class Lookup(BaseModel, frozen=True):
    """What the dictionary and the documents contain for one mention.

    ``senses`` are published; ``mined`` are unpublished senses found in the documents, most used first.
    ``document_frequency`` counts the chunks that contain the term. ``suggestions`` are similar spellings from the
    dictionary and the documents, most similar first.
    """

    mention: Mention
    senses: tuple[Sense, ...] = ()
    mined: tuple[Sense, ...] = ()
    document_frequency: int = 0
    suggestions: tuple[str, ...] = ()


class Reading(BaseModel, frozen=True):
    """The interpretation of a mention, and the reason. It is shown with every answer and can be corrected.

    ``chosen``: ``sense`` applies. ``documents``: the term is not in the dictionary, but the documents use it (``sense``
    is the meaning mined from them, or None). ``ambiguous``: several senses are plausible (``sense`` is None).
    ``unknown``: neither the dictionary nor the documents contain the term.
    """

    mention: Mention
    status: ReadingStatus
    sense: Sense | None = None
    probability: float = 1.0
    reason: str = ""
    alternatives: tuple[Sense, ...] = ()
    suggestions: tuple[str, ...] = ()

    @computed_field  # type: ignore[prop-decorator]
    @property
    def text(self) -> str:
        """The text in the question."""
        return self.mention.text

    @computed_field  # type: ignore[prop-decorator]
    @property
    def term(self) -> str:
        """The dictionary's spelling of the term."""
        return self.mention.term

    @computed_field  # type: ignore[prop-decorator]
    @property
    def corrected(self) -> bool:
        """Whether a misspelling was corrected."""
        return self.mention.corrected


@dataclass(frozen=True, slots=True, kw_only=True)
class MinedTerm:
    """An abbreviation and its expansion found in a document, with the evidence; ``score`` is in [0, 1]."""

    term: str
    extended_name: str
    evidence: str
    page: int
    score: float
    description: str = ""
    document: str = ""


class Correction(BaseModel, frozen=True):
    """A meaning that an asker chose for a term in a question; it is used to interpret later questions.

    ``context`` is the context of the chosen sense ("" for all contexts). ``question`` is empty if the settings forbid
    storing questions.
    """

    term: str
    extended_name: str
    context: str
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Every spelling of every published term. ``version`` changes whenever the dictionary does.

    ``terms`` maps each spelling (term or alias), exactly as written, to the terms that it stands for; ``names`` maps
    each extended name to its short terms.
    """

    version: str
    terms: Mapping[str, tuple[str, ...]]
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
