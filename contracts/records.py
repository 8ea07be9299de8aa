"""Records: what is kept of an answered question."""

from datetime import datetime

from pydantic import BaseModel

from contracts.answer import Answer
from contracts.question import Asker


class TurnRecord(BaseModel, frozen=True):
    """One question with its answer, as it is kept: whose it is, in which conversation, when, how long it took.

    ``id`` nobody can guess; ``conversation_id`` is only told apart from others of the same ``asker.account``.
    """

    id: str
    conversation_id: str
    asker: Asker
    asked_at: datetime
    seconds: float
    answer: Answer
