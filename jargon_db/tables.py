"""The tables of the dictionary."""

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    UniqueConstraint,
)

from database.columns import Key, StoredText, UtcTime

metadata = MetaData()

# The row with the empty key means "all contexts" and is for senses without a context.
contexts = Table(
    "jargon_contexts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", Key, nullable=False),
    Column("name", StoredText, nullable=False),
    Column("description", StoredText, nullable=False),
    Column("examples", JSON, nullable=False),
    Column("version", Integer, nullable=False, server_default="1"),
    UniqueConstraint("key", name="uq_jargon_contexts_key"),
)

# One row per spelling of a term: "MB" and "Mb" are two terms with the same key, and a look-up finds both.
terms = Table(
    "jargon_terms",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("spelling", Key, nullable=False),
    Column("key", Key, nullable=False),
    Column("loose_key", Key, nullable=False),
    UniqueConstraint("spelling", name="uq_jargon_terms_spelling"),
    Index("ix_jargon_terms_key", "key"),
    Index("ix_jargon_terms_loose_key", "loose_key"),
)

# `term_key` repeats the key of the term, for the constraint that each meaning is unique.
senses = Table(
    "jargon_senses",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("term_id", Integer, ForeignKey("jargon_terms.id"), nullable=False),
    Column("term_key", Key, nullable=False),
    Column("context_id", Integer, ForeignKey("jargon_contexts.id"), nullable=False),
    Column("extended_name", StoredText, nullable=False),
    Column("extended_key", Key, nullable=False),
    Column("loose_name", Key, nullable=False),
    Column("description", StoredText, nullable=False),
    Column("notes", StoredText, nullable=False),
    Column("source", StoredText, nullable=False),
    Column("state", StoredText, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    Column("version", Integer, nullable=False, server_default="1"),
    UniqueConstraint("term_key", "context_id", "extended_key", name="uq_jargon_senses_meaning"),
    CheckConstraint("state IN ('draft', 'published', 'rejected')", name="ck_jargon_senses_state"),
    Index("ix_jargon_senses_term_id", "term_id"),
    Index("ix_jargon_senses_state", "state"),
)

aliases = Table(
    "jargon_aliases",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("sense_id", Integer, ForeignKey("jargon_senses.id", ondelete="CASCADE"), nullable=False),
    Column("spelling", StoredText, nullable=False),
    Column("key", Key, nullable=False),
    UniqueConstraint("sense_id", "key", name="uq_jargon_aliases_key"),
    Index("ix_jargon_aliases_key", "key"),
)

# The places in documents where a sense was found. `digest` is the digest of document, page and sentence.
evidence = Table(
    "jargon_evidence",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("sense_id", Integer, ForeignKey("jargon_senses.id", ondelete="CASCADE"), nullable=False),
    Column("document", StoredText, nullable=False),
    Column("page", Integer, nullable=False),
    Column("sentence", StoredText, nullable=False),
    Column("score", Float, nullable=False),
    Column("digest", Key, nullable=False),
    UniqueConstraint("sense_id", "digest", name="uq_jargon_evidence_digest"),
)

unknown_terms = Table(
    "jargon_unknown_terms",
    metadata,
    Column("key", Key, primary_key=True),
    Column("term", StoredText, nullable=False),
    Column("count", Integer, nullable=False),
    Column("last_question", StoredText, nullable=False),
    Column("context", StoredText, nullable=False),
    Column("first_asked_at", UtcTime, nullable=False),
    Column("last_asked_at", UtcTime, nullable=False),
)

# The senses that askers chose, with one row per question; a row is deleted with its sense. `question_key` is the digest
# of the folded question, or empty if questions are not stored.
corrections = Table(
    "jargon_corrections",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("sense_id", Integer, ForeignKey("jargon_senses.id", ondelete="CASCADE"), nullable=False),
    Column("question", StoredText, nullable=False),
    Column("question_key", Key, nullable=False),
    Column("count", Integer, nullable=False),
    Column("who", StoredText, nullable=False),
    Column("first_at", UtcTime, nullable=False),
    Column("last_at", UtcTime, nullable=False),
    UniqueConstraint("sense_id", "question_key", name="uq_jargon_corrections_question"),
    Index("ix_jargon_corrections_last_at", "last_at"),
)

# A table with one row, whose version increases with each transaction that changes the dictionary.
state = Table(
    "jargon_state",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("version", BigInteger, nullable=False),
    CheckConstraint("id = 1", name="ck_jargon_state_id"),
)

# The change log. `entry` is the id of a sense or context; the row is kept if the entry is deleted. `before` and `after`
# contain the fields of the entry, or null if it did not exist. `version` is the version of the entry after the change;
# `batch` is the number of the first change in the transaction.
changes = Table(
    "jargon_changes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", UtcTime, nullable=False),
    Column("who", StoredText, nullable=False),
    Column("action", StoredText, nullable=False),
    Column("kind", StoredText, nullable=False),
    Column("entry", Integer, nullable=False),
    Column("key", Key, nullable=False),
    Column("version", Integer, nullable=False),
    Column("before", JSON(none_as_null=True), nullable=True),
    Column("after", JSON(none_as_null=True), nullable=True),
    Column("undoes", Integer, nullable=True),
    Column("batch", Integer, nullable=False, server_default="0"),
    Column("origin", StoredText, nullable=False, server_default=""),
    CheckConstraint("kind IN ('sense', 'context')", name="ck_jargon_changes_kind"),
    Index("ix_jargon_changes_entry", "kind", "entry"),
    Index("ix_jargon_changes_key", "key"),
    Index("ix_jargon_changes_batch", "batch"),
)
