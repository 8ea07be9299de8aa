"""What the routes of people's records work with."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from golden_retriever.wiring.application import Application
    from serving.records.base import RecordsDesk


def build_records_desk(application: "Application") -> "RecordsDesk":
    """Return what the records' routes serve."""
    from library.records.cases import CaseStore
    from library.records.conversations import ConversationStore
    from library.records.feedback import FeedbackStore
    from library.records.overview import OverviewCounter
    from library.records.reviewing import ReviewStore
    from serving.records.base import RecordsDesk

    engine, settings = application.store.engine, application.settings
    return RecordsDesk(
        conversations=ConversationStore(engine),
        feedback=FeedbackStore(engine),
        reviewer=ReviewStore(engine),
        cases=CaseStore(engine),
        counter=OverviewCounter(engine),
        memory=application.chatbot,
        keeps=settings.keep_questions,
        days=settings.keep_conversations_days,
    )
