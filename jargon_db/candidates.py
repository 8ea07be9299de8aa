"""Candidates: terms that were mined from documents and are stored as drafts for a person to review."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, exists, insert, select

from contracts.dictionary import Candidate, ChosenDrafts, Evidence
from contracts.jargon import MinedTerm, Sense
from database.statements import in_batches
from database.text import storable
from jargon_db.change_log import ChangeLog
from jargon_db.normalization import loose_name, loose_term
from jargon_db.sense_queries import select_entries, select_senses
from jargon_db.sense_writes import delete_senses, existing_senses, insert_senses, meaning_of, overwrite_senses
from jargon_db.tables import changes, evidence, senses, terms
from jargon_db.validation import normalized, problems_of

_Loose = tuple[str, str]

_WORKED_ON = exists().where(
    changes.c.kind == "sense", changes.c.entry == senses.c.id, changes.c.action.not_in(["mine", "forget"])
)


def add_candidates(log: ChangeLog, mined: Sequence[MinedTerm]) -> tuple[int, bool]:
    """Store ``mined`` as drafts with evidence; return the number of new drafts and whether anything changed.

    Invalid terms (without a name, or too long) are skipped.
    """
    groups: dict[_Loose, list[MinedTerm]] = {}
    for found in sorted(mined, key=lambda each: -each.score):
        if not problems_of(_draft_of(found)):
            groups.setdefault((loose_term(found.term), loose_name(found.extended_name)), []).append(found)
    known = _known(log.connection, [term for term, _ in groups])
    new = 0
    touched = False
    for loose, members in groups.items():
        draft = _draft_of(members[0])
        # The normalised form of a lowercase term may lack an s that belongs to the term: "ecs" and "ECS".
        same = known.get(loose, [])
        if not same and (twin := existing_senses(log.connection, [draft]).get(meaning_of(draft))):
            same = [twin]
        if any(sense.state != "draft" for sense in same):
            continue
        new += not same
        sense_id = (same or insert_senses(log, [draft]))[0].id
        touched = _add_evidence(log.connection, sense_id, members) or touched
    return new, bool(new) or touched


def select_candidates(connection: Connection) -> tuple[Candidate, ...]:
    """Return all drafts, best evidence first, with their evidence and the published senses of the same term."""
    drafts = select_entries(connection, senses.c.state == "draft")
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
        found.setdefault(row.sense_id, []).append(Evidence.model_validate(dict(row._mapping)))
    candidates = [
        Candidate(
            sense=draft,
            evidence=tuple(found.get(draft.id, ())),
            conflicts=tuple(published.get(loose_term(draft.term), ())),
        )
        for draft in drafts.values()
    ]
    return tuple(sorted(candidates, key=lambda each: -each.score))


def choose_drafts(candidates: Sequence[Candidate], least_score: float) -> ChosenDrafts:
    """Divide the drafts with a score of at least ``least_score`` into those to publish and those to keep as drafts.

    A draft that contradicts published senses of its term or other chosen drafts remains a draft; its ``conflicts``
    contain them.
    """
    likely = [candidate for candidate in candidates if candidate.evidence and candidate.score >= least_score]
    of_term: dict[str, list[Sense]] = defaultdict(list)
    for candidate in likely:
        of_term[loose_term(candidate.sense.term)].append(candidate.sense.sense)
    judged = [
        candidate.model_copy(
            update={
                "conflicts": (
                    *candidate.conflicts,
                    *(each for each in of_term[loose_term(candidate.sense.term)] if each.id != candidate.sense.id),
                )
            }
        )
        for candidate in likely
    ]
    return ChosenDrafts(
        published=tuple(candidate for candidate in judged if not candidate.conflicts),
        kept=tuple(candidate for candidate in judged if candidate.conflicts),
    )


def forget_evidence(log: ChangeLog, document: str) -> tuple[int, bool]:
    """Delete the evidence from ``document``, and drafts without other evidence.

    Drafts that a person has edited are kept. Return the number of deleted drafts, and whether anything changed.
    """
    connection = log.connection
    said = select(evidence.c.id, evidence.c.sense_id, evidence.c.page)
    places = connection.execute(said.where(evidence.c.document == storable(document))).all()
    touched = [int(place.sense_id) for place in places]
    for batch in in_batches(int(place.id) for place in places):
        connection.execute(delete(evidence).where(evidence.c.id.in_(batch)))
    gone = 0
    for batch in in_batches(touched):
        bare = ~exists().where(evidence.c.sense_id == senses.c.id)
        drafts = select_senses(connection, senses.c.id.in_(batch), senses.c.state == "draft", bare, ~_WORKED_ON)
        delete_senses(log, list(drafts.values()))
        gone += len(drafts)
        _name_other_source(log, batch, {_place(document, place.page) for place in places})
    return gone, bool(places)


def _name_other_source(log: ChangeLog, sense_ids: Sequence[int], gone: set[str]) -> None:
    """For drafts whose source is in ``gone``, set the source to their best remaining evidence."""
    connection = log.connection
    there = select_senses(connection, senses.c.id.in_(sense_ids), senses.c.state == "draft")
    drafts = {sense_id: draft for sense_id, draft in there.items() if draft.source in gone}
    best: dict[int, str] = {}
    left = select(evidence).where(evidence.c.sense_id.in_(drafts)).order_by(evidence.c.score, evidence.c.id.desc())
    for row in connection.execute(left):
        best[row.sense_id] = _place(row.document, row.page)
    overwrite_senses(
        log, [(draft, draft.model_copy(update={"source": best.get(draft.id, "")})) for draft in drafts.values()]
    )


def _place(document: str, page: int) -> str:
    return f"{document}, page {page}" if document else ""


def _draft_of(found: MinedTerm) -> Sense:
    place = _place(found.document, found.page)
    return normalized(
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
    for batch in in_batches(loose_terms):
        for sense in select_senses(connection, terms.c.loose_key.in_(batch)).values():
            known.setdefault((loose_term(sense.term), loose_name(sense.extended_name)), []).append(sense)
    return known


def _add_evidence(connection: Connection, sense_id: int, members: Sequence[MinedTerm]) -> bool:
    there = set(connection.execute(select(evidence.c.digest).where(evidence.c.sense_id == sense_id)).scalars())
    rows: dict[str, dict[str, Any]] = {}
    for found in members:
        place = {"document": storable(found.document), "page": found.page, "sentence": storable(found.evidence).strip()}
        digest = hashlib.sha256("\n".join(map(str, place.values())).encode()).hexdigest()
        if digest not in there:
            rows.setdefault(digest, {**place, "sense_id": sense_id, "score": found.score, "digest": digest})
    if rows:
        connection.execute(insert(evidence), list(rows.values()))
    return bool(rows)
