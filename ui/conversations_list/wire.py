"""What the list of conversations reads of the API's answers."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict


class Kept(BaseModel):
    """A conversation: its title, when it began and last went on, how many questions it has."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    title: str = ""
    started_at: datetime
    changed_at: datetime
    questions: int = 0
    etag: str = ""


class KeptPage(BaseModel):
    """Some conversations, the last changed first; ``next`` is where they go on, None behind the last.

    ``kept``: new questions are kept, for ``days`` after the last of a conversation (0: for good).
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    conversations: tuple[Kept, ...] = ()
    next: str | None = None
    kept: bool = True
    days: int = 0
