"""Candidates: terms mined from the documents, which wait as drafts for the knowledge base manager."""

import hashlib
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, exists, insert, select

from contracts.jargon import MinedTerm, Sense
from database.text import storable
from jargon_db.checks import problems_of, tidied
from jargon_db.folding import loose_name, loose_term
from jargon_db.models import evidence, senses, terms
from jargon_db.queries import in_pieces, select_senses
from jargon_db.trail import Trail
from jargon_db.values import Candidate, Evidence
from jargon_db.writing import delete_senses, insert_senses

_Loose = tuple[str, str]


def add_candidates(trail: Trail, mined: Sequence[MinedTerm]) -> tuple[int, bool]:
    """Store ``mined`` as drafts with evidence; return how many are new and whether anything changed.

    Those that could not be senses (no name, too long) are passed over.
    """
    groups: dict[_Loose, list[MinedTerm]] = {}
    for found in sorted(mined, key=lambda each: -each.score):
        if not problems_of(_draft_of(found)):
            groups.setdefault((loose_term(found.term), loose_name(found.extended_name)), []).append(found)
    known = _known(trail.connection, [term for term, _ in groups])
    new = 0
    touched = False
    for loose, members in groups.items():
        same = known.get(loose, [])
        if any(sense.state != "draft" for sense in same):
            continue
        new += not same
        sense_id = (same or insert_senses(trail, [_draft_of(members[0])]))[0].id
        touched = _add_evidence(trail.connection, sense_id, members) or touched
    return new, bool(new) or touched


def select_candidates(connection: Connection) -> tuple[Candidate, ...]:
    """Return every draft with its evidence and the published senses of its term, best evidence first."""
    drafts = select_senses(connection, senses.c.state == "draft")
    published: dict[str, list[Sense]] = {}
    rivals = select(terms.c.loose_key).join(senses, senses.c.term_id == terms.c.id).where(senses.c.state == "draft")
    rivals_of_drafts = rivals.correlate(None).scalar_subquery()
    for sense in select_senses(
        connection, senses.c.state == "published", terms.c.loose_key.in_(rivals_of_drafts)
    ).values():
        published.setdefault(loose_term(sense.term), []).append(sense)
    found: dict[int, list[Evidence]] = {}
    query = select(evidence).order_by(evidence.c.score.desc(), evidence.c.document, evidence.c.page, evidence.c.id)
    for row in connection.execute(query):
        item = Evidence(document=row.document, page=row.page, sentence=row.sentence, score=row.score)
        found.setdefault(row.sense_id, []).append(item)
    candidates = [
        Candidate(
            sense=sense,
            evidence=tuple(found.get(sense.id, ())),
            conflicts=tuple(published.get(loose_term(sense.term), ())),
        )
        for sense in drafts.values()
    ]
    return tuple(sorted(candidates, key=lambda each: -max((item.score for item in each.evidence), default=0.0)))


def forget_evidence(trail: Trail, document: str) -> int:
    """Delete the evidence from ``document`` and the drafts that rested on it alone; return how many drafts."""
    connection = trail.connection
    rested = select(evidence.c.sense_id).where(evidence.c.document == document).distinct()
    touched = [int(sense_id) for sense_id in connection.execute(rested).scalars()]
    connection.execute(delete(evidence).where(evidence.c.document == document))
    gone = 0
    for sense_id in touched:
        bare = ~exists().where(evidence.c.sense_id == sense_id)
        for draft in select_senses(connection, senses.c.id == sense_id, senses.c.state == "draft", bare).values():
            delete_senses(trail, [draft])
            gone += 1
    return gone


def _draft_of(found: MinedTerm) -> Sense:
    place = f"{found.document}, page {found.page}" if found.document else ""
    return tidied(
        Sense(
            id=0,
            term=found.term,
            extended_name=found.extended_name,
            description=found.description,
            source=place,
            state="draft",
        )
    )


def _known(connection: Connection, loose_terms: Sequence[str]) -> dict[_Loose, list[Sense]]:
    known: dict[_Loose, list[Sense]] = {}
    for some in in_pieces(loose_terms):
        for sense in select_senses(connection, terms.c.loose_key.in_(some)).values():
            known.setdefault((loose_term(sense.term), loose_name(sense.extended_name)), []).append(sense)
    return known


def _add_evidence(connection: Connection, sense_id: int, members: Sequence[MinedTerm]) -> bool:
    there = set(connection.execute(select(evidence.c.digest).where(evidence.c.sense_id == sense_id)).scalars())
    rows: dict[str, dict[str, Any]] = {}
    for found in members:
        sentence = storable(found.evidence).strip()
        document = storable(found.document)
        digest = hashlib.sha256(f"{document}\n{found.page}\n{sentence}".encode()).hexdigest()
        if digest not in there:
            rows.setdefault(
                digest,
                {
                    "sense_id": sense_id,
                    "document": document,
                    "page": found.page,
                    "sentence": sentence,
                    "score": found.score,
                    "digest": digest,
                },
            )
    if rows:
        connection.execute(insert(evidence), list(rows.values()))
    return bool(rows)
