"""Questions: conversation turns, choices, the rewritten and the augmented question, and the asker."""

from typing import Literal

from pydantic import BaseModel

from contracts.jargon import Reading
from contracts.provenance import Provenance

Role = Literal["user", "assistant"]
SuggestionKind = Literal["asked", "procedure", "term", "cell", "written"]
Decision = Literal["one", "each", "none", "unsure"]

MAX_QUESTION_CHARACTERS = 8_000
# The account of every user when users are anonymous: on a server without keys, and on the command line.
LOCAL_ACCOUNT = "local"


class Turn(BaseModel, frozen=True):
    """One message of a conversation."""

    role: Role
    text: str


class Asker(BaseModel, frozen=True):
    """The person who asks: their department (a context name or "") and the document groups they may read (None: all).

    ``documents`` are the ids of the documents to answer from (None: all that they may read). ``account`` identifies
    them across questions: conversations are stored under it, and none are stored if it is "". ``name`` is their display
    name; ``channel`` is how they asked: "chat", "api", "mcp", "cli" and so on.
    """

    department: str = ""
    groups: frozenset[str] | None = None
    documents: frozenset[str] | None = None
    account: str = ""
    name: str = ""
    channel: str = ""


class Choice(BaseModel, frozen=True):
    """One option of a multiple-choice question: its label ("a", "2") and its text."""

    label: str
    text: str


class SensePick(BaseModel, frozen=True):
    """The meaning, as an extended name, that the asker chose for a term.

    ``context`` distinguishes senses with the same name: it is the context of the chosen sense ("" for all contexts), or
    None if the asker did not name one. ``kept`` means that the choice was made for an earlier question of the
    conversation: it applies, but is not new evidence. ``decision`` is normally "one". If it is ``each`` (all meanings),
    ``none`` (none of them) or ``unsure`` (the most plausible one), ``extended_name`` is empty.
    """

    term: str
    extended_name: str = ""
    context: str | None = None
    kept: bool = False
    decision: Decision = "one"


class SuggestedQuestion(BaseModel, frozen=True):
    """A question that the bot has been verified to answer from a document.

    ``kind`` is its source: a heading or FAQ entry that asks it, the steps of a procedure, a term that the document
    defines, a table cell, or a language model. ``subject`` is the term, table row or task that the question is about;
    ``certainty`` is the certainty of the answer, in [0, 1].
    """

    text: str
    kind: SuggestionKind
    subject: str
    certainty: float


class RewrittenQuestion(BaseModel, frozen=True):
    """A question that stands alone. ``changed`` is False if it is in the asker's own words."""

    text: str
    changed: bool
    provenance: Provenance


class AugmentedQuestion(BaseModel, frozen=True):
    """The question with its context and the definitions of its jargon: the query for retrieval.

    ``question`` is the standalone question with misspelt terms corrected, ``text`` is the augmented question for the
    searcher, ``context`` is the context's name ("" for none), and ``readings`` are the readings used in ``text``.
    """

    question: str
    text: str
    provenance: Provenance
    context: str = ""
    readings: tuple[Reading, ...] = ()

    @property
    def with_expansions(self) -> str:
        """The question, followed by the extended names of its terms in brackets."""
        names = dict.fromkeys(each.sense.extended_name for each in self.readings if each.sense is not None)
        return f"{self.question} ({'; '.join(names)})" if names else self.question
