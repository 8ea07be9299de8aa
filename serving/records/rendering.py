"""Rendering: people's records as wire values."""

from collections.abc import Sequence
from typing import Any

from library.records.values import Concern, Conversation, Feedback, KeptTurn, Overview, ReviewCase
from serving.records.paging import etag_of, word_of
from serving.records.wire import (
    AskedTermOut,
    CaseOut,
    CitedDocumentOut,
    ConversationOut,
    DayOut,
    DocumentNamed,
    FeedbackOut,
    OverviewOut,
    ReviewOut,
    ReviewTurn,
    StepOut,
    TurnOut,
)


def conversation_out(conversation: Conversation) -> ConversationOut:
    """Return a conversation for the wire."""
    return ConversationOut(**conversation_values(conversation))


def conversation_values(conversation: Conversation) -> dict[str, Any]:
    """Return the fields of a conversation on the wire."""
    return {
        "id": conversation.id,
        "title": conversation.title,
        "started_at": conversation.started_at,
        "changed_at": conversation.changed_at,
        "questions": conversation.turns,
        "etag": etag_of(conversation.version),
    }


def feedback_out(feedback: Feedback) -> FeedbackOut:
    """Return feedback for the wire."""
    return FeedbackOut(
        turn=feedback.turn_id,
        verdict=feedback.verdict,
        reason=feedback.reason,
        text=feedback.text,
        changed_at=feedback.changed_at,
        etag=etag_of(feedback.version),
    )


def turn_out(turn: KeptTurn) -> TurnOut:
    """Return a turn for the wire."""
    return TurnOut(**_turn_values(turn))


def review_values(turn: KeptTurn, *, certainty_below: float) -> dict[str, Any]:
    """Return the fields of a turn on the review desk; ``certainty_below`` says what low certainty is."""
    review = turn.review
    return {
        **_turn_values(turn),
        "who": turn.who,
        "department": turn.department,
        "concerns": concerns_of(turn, certainty_below),
        "review": ReviewOut(state=review.state, note=review.note, who=review.who, changed_at=review.changed_at),
        "etag": etag_of(review.version),
    }


def review_turns(turns: Sequence[KeptTurn], *, certainty_below: float) -> list[ReviewTurn]:
    """Return turns on the review desk for the wire."""
    return [ReviewTurn(**review_values(each, certainty_below=certainty_below)) for each in turns]


def concerns_of(turn: KeptTurn, certainty_below: float) -> list[Concern]:
    """Return why somebody should look at a turn."""
    found: list[Concern] = []
    if turn.feedback is not None and turn.feedback.verdict == "down":
        found.append("thumbs_down")
    if turn.outcome == "declined":
        found.append("declined")
    if turn.outcome == "unknown_term":
        found.append("unknown_term")
    if turn.certainty is not None and turn.certainty < certainty_below:
        found.append("low_certainty")
    if turn.degraded:
        found.append("degraded")
    return found


def next_turn(turns: Sequence[KeptTurn], more: bool) -> str | None:
    """Return where a list of turns goes on; None behind the last."""
    return word_of(turns[-1].asked_at, turns[-1].id) if more else None


def case_out(case: ReviewCase) -> CaseOut:
    """Return a test case for the wire."""
    return CaseOut(
        id=case.id,
        turn=case.turn_id or None,
        case=case.fields,
        made_by=case.made_by,
        made_at=case.made_at,
        etag=etag_of(case.version),
    )


def overview_out(overview: Overview, first_day: str, last_day: str) -> OverviewOut:
    """Return an overview for the wire."""
    return OverviewOut(
        first_day=first_day,
        last_day=last_day,
        days=[
            DayOut(
                day=each.day,
                asked=each.asked,
                answered=each.answered,
                declined=each.declined,
                unknown_term=each.unknown_term,
                clarify=each.clarify,
                degraded=each.degraded,
                thumbs_up=each.thumbs_up,
                thumbs_down=each.thumbs_down,
                median_s=round(each.median_s, 4),
                p95_s=round(each.p95_s, 4),
                certainty=None if each.certainty is None else round(each.certainty, 4),
            )
            for each in overview.days
        ],
        steps=[
            StepOut(step=each.node, count=each.count, median_s=round(each.median_s, 6), p95_s=round(each.p95_s, 6))
            for each in overview.steps
        ],
        faces=overview.faces,
        certainty=list(overview.certainty),
        terms=[AskedTermOut(term=each.term, count=each.count) for each in overview.terms],
        documents=[
            CitedDocumentOut(id=each.id, name=each.name, there=each.there, count=each.count)
            for each in overview.documents
        ],
    )


def _turn_values(turn: KeptTurn) -> dict[str, Any]:
    return {
        "id": turn.id,
        "conversation": turn.conversation_id,
        "asked_at": turn.asked_at,
        "seconds": turn.seconds,
        "face": turn.face,
        "engine": turn.engine,
        "question": turn.answer.question,
        "answer": turn.answer.text,
        "outcome": turn.outcome,
        "certainty": turn.certainty,
        "withheld": turn.withheld,
        "documents": [
            DocumentNamed(id=each.id, name=each.name, cited=each.cited, there=each.there) for each in turn.documents
        ],
        "golden": turn.answer,
        "feedback": feedback_out(turn.feedback) if turn.feedback is not None else None,
    }
