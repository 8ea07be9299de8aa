"""Questions: turns of a conversation, choices, the rewritten and the augmented question, who asks."""

from typing import Literal

from pydantic import BaseModel

from contracts.jargon import Reading
from contracts.provenance import Provenance

Role = Literal["user", "assistant"]
SuggestionKind = Literal["asked", "procedure", "term", "cell", "written"]
Decision = Literal["one", "each", "none", "unsure"]

MAX_QUESTION_CHARACTERS = 8_000
# The account of whoever asks where nobody is told apart: on a server without keys, and on the command line.
LOCAL_ACCOUNT = "local"


class Turn(BaseModel, frozen=True):
    """One message of a conversation."""

    role: Role
    text: str


class Asker(BaseModel, frozen=True):
    """Who asks: their department (a context's name, or "") and the document groups they may read (None: all).

    ``account`` is who they are from one question to the next: conversations are kept by it, and of whom it is "" none
    are kept. ``name`` is what they are called, ``channel`` the way they came: "chat", "api", "mcp", "cli" and so on.
    """

    department: str = ""
    groups: frozenset[str] | None = None
    account: str = ""
    name: str = ""
    channel: str = ""


class Choice(BaseModel, frozen=True):
    """One option of a multiple-choice question: its label ("a", "2") and its text."""

    label: str
    text: str


class SensePick(BaseModel, frozen=True):
    """A reading that the asker chose: this term means this extended name.

    ``context`` tells senses of one name apart: the context of the chosen sense ("" for one that holds everywhere), or
    None where the asker named none. ``kept`` says that it was chosen for an earlier question of the conversation: it
    holds, but proves nothing anew. ``decision`` is "one", or says that the asker wants ``each`` of the meanings, meant
    ``none`` of them, or is ``unsure`` and takes the most plausible; then ``extended_name`` is empty.
    """

    term: str
    extended_name: str = ""
    context: str | None = None
    kept: bool = False
    decision: Decision = "one"


class SuggestedQuestion(BaseModel, frozen=True):
    """A question that the bot was found to answer from a document.

    ``kind`` says what it was made from: a heading or FAQ entry that asks it, the steps of a procedure, a term that the
    document defines, a cell of a table, or a language model's reading. ``subject`` names the term, the row of the table
    or the task that it is about, and ``certainty`` is that of the answer, in [0, 1].
    """

    text: str
    kind: SuggestionKind
    subject: str
    certainty: float


class RewrittenQuestion(BaseModel, frozen=True):
    """A question that stands alone. ``changed`` is False where the words are the asker's own."""

    text: str
    changed: bool
    provenance: Provenance


class AugmentedQuestion(BaseModel, frozen=True):
    """The question with its context and the definitions of its jargon: what retrieval is asked.

    ``question`` is the standalone question in the asker's words; ``text`` the augmented question for the searcher;
    ``context`` the context's name ("" for none); ``readings`` those that were worked in.
    """

    question: str
    text: str
    provenance: Provenance
    context: str = ""
    readings: tuple[Reading, ...] = ()

    @property
    def with_expansions(self) -> str:
        """The question with what its terms stand for behind it, in brackets."""
        names = dict.fromkeys(each.sense.extended_name for each in self.readings if each.sense is not None)
        return f"{self.question} ({'; '.join(names)})" if names else self.question
