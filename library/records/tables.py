"""The tables of records of use."""

from sqlalchemy import Boolean, CheckConstraint, Column, Float, ForeignKey, ForeignKeyConstraint, Index, Integer, Table

from database.columns import Key, StoredJson, StoredText, UtcTime
from library.tables import metadata as metadata

# `account` is the owner and part of the key, so knowing or guessing an id gives nobody else access. `folded` is the
# title in the form for searches; `version` increases with each change.
conversations = Table(
    "conversations",
    metadata,
    Column("account", Key, primary_key=True),
    Column("id", Key, primary_key=True),
    Column("title", StoredText, nullable=False),
    Column("folded", StoredText, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    Column("version", Integer, nullable=False),
    Index("ix_conversations_account", "account", "changed_at", "id"),
    Index("ix_conversations_changed_at", "changed_at"),
)

# `day` is the day of `asked_at`, in UTC. `asker_groups` are the groups that the asker could read, as sorted JSON, or ""
# for all. `asked_documents` are the ids of the documents to answer from, NULL for all. `withdrawn` means that the
# answer was removed because a document that it cited was deleted.
turns = Table(
    "turns",
    metadata,
    Column("id", Key, primary_key=True),
    Column("account", Key, nullable=False),
    Column("conversation_id", Key, nullable=False),
    Column("asked_at", UtcTime, nullable=False),
    Column("day", Key, nullable=False),
    Column("question", StoredText, nullable=False),
    Column("folded", StoredText, nullable=False),
    Column("outcome", Key, nullable=False),
    Column("certainty", Float),
    Column("degraded", Boolean, nullable=False),
    Column("withdrawn", Boolean, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("who", StoredText, nullable=False),
    Column("channel", Key, nullable=False),
    Column("department", StoredText, nullable=False),
    Column("engine", StoredText, nullable=False),
    Column("asker_groups", Key, nullable=False),
    Column("asked_documents", StoredJson(none_as_null=True)),
    Column("answer", StoredJson, nullable=False),
    ForeignKeyConstraint(
        ["account", "conversation_id"], ["conversations.account", "conversations.id"], ondelete="CASCADE"
    ),
    Index("ix_turns_conversation", "account", "conversation_id", "asked_at"),
    Index("ix_turns_asked_at", "asked_at", "id"),
    Index("ix_turns_day", "day"),
    Index("ix_turns_asker_groups", "asker_groups"),
)

# The documents that an answer quotes. `access_group` is the group at that time, which still determines who may see the
# answer after the document is deleted.
turn_documents = Table(
    "turn_documents",
    metadata,
    Column("turn_id", Key, ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("document_id", Key, primary_key=True),
    Column("name", StoredText, nullable=False),
    Column("access_group", Key),
    Index("ix_turn_documents_document_id", "document_id"),
)

feedback = Table(
    "feedback",
    metadata,
    Column("turn_id", Key, ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("verdict", Key, nullable=False),
    Column("reason", Key, nullable=False),
    Column("text", StoredText, nullable=False),
    Column("version", Integer, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    CheckConstraint("verdict IN ('up', 'down')", name="ck_feedback_verdict"),
    Index("ix_feedback_changed_at", "changed_at"),
)

reviews = Table(
    "reviews",
    metadata,
    Column("turn_id", Key, ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("state", Key, nullable=False),
    Column("note", StoredText, nullable=False),
    Column("who", StoredText, nullable=False),
    Column("version", Integer, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    CheckConstraint("state IN ('open', 'resolved', 'ignored')", name="ck_reviews_state"),
)

# A case belongs to the organisation, so it is kept when its conversation is deleted. `documents` are the ids and groups
# of the documents that the answer named; together with `asker_groups`, they determine who may read the case.
review_cases = Table(
    "review_cases",
    metadata,
    Column("id", Key, primary_key=True),
    Column("turn_id", Key),
    Column("fields", StoredJson, nullable=False),
    Column("asker_groups", Key, nullable=False),
    Column("documents", StoredJson, nullable=False),
    Column("made_by", StoredText, nullable=False),
    Column("made_at", UtcTime, nullable=False),
    Column("version", Integer, nullable=False, server_default="1"),
    Index("ix_review_cases_made_at", "made_at", "id"),
)

# A run of test cases scores the bot's answers. `slot` is 1 for the active run and null for all others, because only one
# run at a time is active across all processes. `seen_at` is when its process last reported that it is alive. `groups`
# are the groups of its starter; `made_of` describes what was measured.
case_runs = Table(
    "case_runs",
    metadata,
    Column("id", Key, primary_key=True),
    Column("slot", Integer, unique=True),
    Column("state", Key, nullable=False),
    Column("reason", StoredText, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    Column("finished_at", UtcTime),
    Column("who", StoredText, nullable=False),
    Column("groups", Key, nullable=False),
    Column("made_of", StoredJson, nullable=False),
    Column("cases", Integer, nullable=False),
    Column("done", Integer, nullable=False),
    Column("passed", Integer, nullable=False),
    CheckConstraint("state IN ('running', 'done', 'cancelled', 'failed')", name="ck_case_runs_state"),
    Index("ix_case_runs_started_at", "started_at", "id"),
)

# `documents` maps the ids of the documents that the answer quotes to their groups, as in `turn_documents`.
case_results = Table(
    "case_results",
    metadata,
    Column("run_id", Key, ForeignKey("case_runs.id", ondelete="CASCADE"), primary_key=True),
    Column("case_id", Key, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("passed", Boolean, nullable=False),
    Column("withdrawn", Boolean, nullable=False),
    Column("result", StoredJson, nullable=False),
    Column("documents", StoredJson, nullable=False, server_default="{}"),
)
