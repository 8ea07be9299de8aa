"""Rows of records, and the decision as to which of them a reader may see now.

A record never reveals text from documents that the reader may not read. An answer is withheld as "forbidden" if it may
be based on such text: if the asker could read more groups than the reader, or if the answer names a document in a group
that the reader may not read. It is withheld from everybody as "gone" if a document that it quotes was deleted, because
its sentences come from that document.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, or_, select, true

from contracts.answer import DICTIONARY_DOCUMENT, Answer
from contracts.errors import ConfigurationError
from contracts.records import Feedback, Groups, NamedDocument, Review, StoredTurn, TurnRecord, Withheld
from database.statements import in_batches
from library.records.tables import feedback, reviews, turn_documents, turns
from library.tables import documents

# The time and id of the entry after which a page begins.
PageCursor = tuple[datetime, str]

# The fields of an answer that do not contain text from documents.
_NOT_FROM_DOCUMENTS = {"outcome", "question", "answerability", "certainty", "degraded", "conversation_id", "turn_id"}
_GROUP_NOW = func.coalesce(documents.c.access_group, turn_documents.c.access_group)
_PLACES = turn_documents.outerjoin(documents, documents.c.id == turn_documents.c.document_id)


def encode_groups(groups: Groups) -> str:
    """Return ``groups`` as text for the database: sorted JSON, or "" for all groups."""
    return "" if groups is None else json.dumps(sorted(groups), ensure_ascii=False)


def decode_groups(encoded: str) -> Groups:
    """Return the groups that were encoded with ``encode_groups``."""
    return frozenset(json.loads(encoded)) if encoded else None


def may_read_all(groups: Groups, encoded: str) -> bool:
    """Return whether a reader of ``groups`` may read all groups in ``encoded``."""
    if groups is None:
        return True
    wanted = decode_groups(encoded)
    return wanted is not None and wanted <= groups


def reason_withheld(
    asker_groups: str, documents: Sequence[NamedDocument], groups: Groups, *, withdrawn: bool
) -> Withheld:
    """Return why a reader of ``groups`` may not see an answer, or "" if they may; ``asker_groups`` is encoded."""
    foreign = groups is not None and any(each.group not in groups for each in documents)
    if foreign or not may_read_all(groups, asker_groups):
        return "forbidden"
    return "" if all(each.there for each in documents) and not withdrawn else "gone"


def without_content(answer: Answer) -> Answer:
    """Return ``answer`` without any text from documents."""
    steps = tuple(step.model_copy(update={"finding": ""}) for step in answer.steps)
    return Answer(text="", steps=steps, **answer.model_dump(include=_NOT_FROM_DOCUMENTS))


def after_cursor(moment: ColumnElement[Any], id_: ColumnElement[Any], after: PageCursor | None) -> ColumnElement[bool]:
    """Return the condition for entries after ``after`` (None: all) in a list that begins with the newest."""
    if after is None:
        return true()
    at, last_id = after
    return or_(moment < at, and_(moment == at, id_ < last_id))


def row_of_turn(turn: TurnRecord, engine: str) -> dict[str, Any]:
    """Return a turn as a row; ``engine`` is the profile and model of the server."""
    answer, asker = turn.answer, turn.asker
    return {
        "id": turn.id,
        "account": asker.account,
        "conversation_id": turn.conversation_id,
        "asked_at": turn.asked_at,
        "day": day_of(turn),
        "question": answer.question,
        "folded": f"{answer.question}\n{answer.text}".casefold(),
        "outcome": answer.outcome,
        "certainty": answer.certainty,
        "degraded": bool(answer.degraded),
        "withdrawn": False,
        "seconds": turn.seconds,
        "who": asker.name,
        "channel": asker.channel,
        "department": asker.department,
        "engine": engine,
        "asker_groups": encode_groups(asker.groups),
        "asked_documents": sorted(asker.documents) if asker.documents is not None else None,
        "answer": answer_to_json(answer),
    }


def day_of(turn: TurnRecord) -> str:
    """Return the day, in UTC, on which the question of a turn was asked."""
    return turn.asked_at.astimezone(UTC).strftime("%Y-%m-%d")


def named_documents(answer: Answer) -> dict[str, str]:
    """Return the names of the documents that an answer quotes, by id."""
    named = {each.document_id: each.document_name for each in answer.quoted}
    named.pop(DICTIONARY_DOCUMENT, None)
    return named


def visible_to(connection: Connection, groups: Groups) -> ColumnElement[bool]:
    """Return the condition for turns that a reader of ``groups`` may review, which are not "forbidden"."""
    if groups is None:
        return true()
    stored = connection.execute(select(turns.c.asker_groups).distinct()).scalars()
    allowed = [each for each in stored if may_read_all(groups, each)]
    foreign = (
        select(turn_documents.c.turn_id)
        .select_from(_PLACES)
        .where(turn_documents.c.turn_id == turns.c.id, or_(_GROUP_NOW.is_(None), _GROUP_NOW.not_in(sorted(groups))))
    )
    return and_(turns.c.asker_groups.in_(allowed), ~exists(foreign))


def select_turns() -> Select[Any]:
    """Return the query for turns with their feedback and review."""
    joined = turns.outerjoin(feedback, feedback.c.turn_id == turns.c.id).outerjoin(
        reviews, reviews.c.turn_id == turns.c.id
    )
    return select(
        turns,
        feedback.c.verdict,
        feedback.c.reason,
        feedback.c.text.label("said"),
        feedback.c.version.label("feedback_version"),
        feedback.c.changed_at.label("said_at"),
        reviews.c.state,
        reviews.c.note,
        reviews.c.who.label("reviewer"),
        reviews.c.version.label("review_version"),
        reviews.c.changed_at.label("reviewed_at"),
    ).select_from(joined)


def kept_turns(connection: Connection, rows: Sequence[Any], groups: Groups) -> tuple[StoredTurn, ...]:
    """Return the turns in ``rows``, as far as a reader of ``groups`` may see them."""
    named = documents_of(connection, [row.id for row in rows])
    return tuple(_kept_turn(row, named[row.id], groups) for row in rows)


def documents_of(connection: Connection, turn_ids: Sequence[str]) -> dict[str, tuple[NamedDocument, ...]]:
    """Return the documents that each turn names, sorted by name."""
    found: dict[str, list[NamedDocument]] = defaultdict(list)
    query = select(turn_documents, documents.c.id.label("there"), _GROUP_NOW.label("group_now")).select_from(_PLACES)
    for some in in_batches(turn_ids):
        chosen = query.where(turn_documents.c.turn_id.in_(some)).order_by(turn_documents.c.name)
        for row in connection.execute(chosen):
            place = {"there": row.there is not None, "group": row.group_now}
            found[row.turn_id].append(NamedDocument(id=row.document_id, name=row.name, **place))
    return {turn_id: tuple(found[turn_id]) for turn_id in turn_ids}


def groups_now(connection: Connection, document_ids: Iterable[str]) -> dict[str, str]:
    """Return the groups of these documents; deleted documents are left out."""
    found: dict[str, str] = {}
    query = select(documents.c.id, documents.c.access_group)
    for some in in_batches(document_ids):
        found.update((row[0], row[1]) for row in connection.execute(query.where(documents.c.id.in_(some))))
    return found


def feedback_of(row: Any) -> Feedback:
    """Return the feedback in a row of ``select_turns``."""
    said = {"verdict": row.verdict, "reason": row.reason, "text": row.said}
    return Feedback(turn=row.id, version=row.feedback_version, changed_at=row.said_at, **said)


def _kept_turn(row: Any, named: Sequence[NamedDocument], groups: Groups) -> StoredTurn:
    withheld = reason_withheld(row.asker_groups, named, groups, withdrawn=row.withdrawn)
    # A reader who may not see the answer must not see the names of the documents either.
    shown = () if withheld == "forbidden" else tuple(named)
    review = Review()
    if row.state is not None:
        decided = {"state": row.state, "note": row.note, "who": row.reviewer}
        review = Review(version=row.review_version, changed_at=row.reviewed_at, **decided)
    fields = {
        "withheld": withheld,
        "documents": shown,
        "asker_groups": decode_groups(row.asker_groups),
        "review": review,
    }
    answer = answer_from_json(row.answer)
    answer = without_content(answer) if withheld else answer
    said = feedback_of(row) if row.verdict is not None else None
    return StoredTurn.model_validate({**row._mapping, **fields, "answer": answer, "feedback": said})


def answer_to_json(answer: Answer) -> dict[str, Any]:
    """Return ``answer`` as JSON values, in the stored form."""
    return answer.model_dump(exclude_computed_fields=True)


def answer_from_json(values: Mapping[str, Any]) -> Answer:
    """Return an answer that this version or an older one stored.

    Raises:
        ConfigurationError: the values do not form an answer.
    """
    try:
        return Answer.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(
            f"A stored answer cannot be read ({place}: {first['msg']}). Was the database edited by hand, or written by "
            "a later version?"
        ) from error
