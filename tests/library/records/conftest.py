import pytest
from sqlalchemy import Engine

from library.records.conversations import ConversationStore
from library.records.feedback import FeedbackStore
from library.records.reviews import ReviewStore
from library.records.turns import TurnStore


@pytest.fixture
def conversations(engine: Engine) -> ConversationStore:
    return ConversationStore(engine)


@pytest.fixture
def turns(engine: Engine) -> TurnStore:
    return TurnStore(engine, engine_name="balanced")


@pytest.fixture
def reviews(engine: Engine) -> ReviewStore:
    return ReviewStore(engine)


@pytest.fixture
def feedback(engine: Engine) -> FeedbackStore:
    return FeedbackStore(engine)
