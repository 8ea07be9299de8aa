"""Routes of what waits for the manager: mined candidates, and terms that people asked for in vain."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from contracts.errors import NotFound
from serving.access import RequestGuard
from serving.dictionary import editing
from serving.dictionary.base import DictionaryDesk, DictionaryKeeper, DictionaryReader, EvidencePlacer, SpellingFinder
from serving.dictionary.problems import problems
from serving.dictionary.rendering import chosen_draft, placed_evidence, queued_term, sense_item, sense_out
from serving.dictionary.routing import PREFIX, Acting, dictionary_router, in_thread
from serving.dictionary.senses import Limit, Offset, SenseId, Sought
from serving.dictionary.waiting_wire import (
    CandidateItem,
    CandidateList,
    ChosenDrafts,
    DraftsIn,
    EvidenceItem,
    PlacedEvidenceList,
    QueueList,
    Redacted,
)
from serving.dictionary.wire import MeaningIn, SenseItem

_NEAR_SHOWN = 3

QueuedName = Annotated[str, Path(max_length=400, description="The term as it stands on the queue.", examples=["PLR"])]


def candidate_routes(desk: DictionaryDesk, guard: RequestGuard) -> APIRouter:
    """Return the routes under ``/candidates``."""
    router = dictionary_router(guard, "manage")

    @router.get("/candidates", summary="List candidates", responses=problems())
    async def list_candidates(actor: Acting, text: Sought = "", limit: Limit = 50, offset: Offset = 0) -> CandidateList:
        """List the drafts that were mined from the documents, with their evidence and what they contradict.

        ``text`` stands in the term or the extended name. Publish or reject one by its number.
        """
        return await in_thread(_candidates, desk.keeper_for(actor), text, limit, offset)

    @router.get("/candidates/{sense_id}/evidence", summary="See where evidence stands", responses=problems(404))
    async def show_evidence(sense_id: SenseId, actor: Acting) -> PlacedEvidenceList:
        """Return all that speaks for a candidate, each with its document and its place on the page.

        Pictures of pages are under `/api/documents/{id}/pages/{page}`.
        """
        return await in_thread(_evidence, desk.keeper_for(actor), desk.places, sense_id, actor.groups)

    @router.post("/candidates/publish", summary="Publish candidates by score", responses=problems(400, 413, 415))
    async def publish_candidates(given: DraftsIn, actor: Acting) -> ChosenDrafts:
        """Publish the candidates whose evidence is good enough, all of them or none."""
        return await in_thread(_publish, desk.keeper_for(actor), given)

    return router


def queue_routes(desk: DictionaryDesk, guard: RequestGuard) -> APIRouter:
    """Return the routes under ``/queue``. A term may hold slashes."""
    router = dictionary_router(guard, "manage")

    @router.get("/queue", summary="List unknown terms", responses=problems())
    async def list_queue(
        actor: Acting,
        limit: Limit = 50,
        offset: Offset = 0,
        near: Annotated[bool, Query(description="With the known spellings that are near to each.")] = False,
    ) -> QueueList:
        """List the unknown terms that people asked about, most asked first."""
        return await in_thread(_queue, desk.keeper, limit, offset, desk.spellings if near else None, actor.groups)

    @router.post("/queue/redact", summary="Forget kept questions", responses=problems())
    async def redact() -> Redacted:
        """Forget every question that is kept on the queue or with a correction; terms and counts stay.

        Send the header X-Golden-Request: 1.
        """
        return Redacted(questions=await in_thread(desk.keeper.redact_questions))

    @router.delete("/queue/{term:path}", status_code=204, summary="Dismiss an unknown term", responses=problems(404))
    async def dismiss(term: QueuedName) -> None:
        """Take a term off the queue; it comes back when somebody asks for it again."""
        await in_thread(desk.keeper.dismiss_unknown, term)

    @router.post(
        "/queue/{term:path}/define",
        status_code=201,
        summary="Add an unknown term",
        responses=problems(400, 404, 409, 413, 415),
    )
    async def define(term: QueuedName, given: MeaningIn, actor: Acting, response: Response) -> SenseItem:
        """Publish a meaning of a term of the queue, which then is off it; it holds from the next question on."""
        item = await in_thread(_define, desk.keeper_for(actor), term, given)
        response.headers["etag"] = item.etag
        response.headers["location"] = f"{PREFIX}/senses/{item.id}"
        return item

    return router


def _candidates(reader: DictionaryReader, text: str, limit: int, offset: int) -> CandidateList:
    # Versions that are read first are those of what is shown, or older: an edit of what is shown is never let through
    # where somebody changed it in between.
    entries = {entry.sense.id: entry for entry in reader.entries(state="draft")}
    wanted = text.strip().casefold()
    found = [
        each
        for each in reader.candidates()
        if each.sense.id in entries and wanted in f"{each.sense.term}\n{each.sense.extended_name}".casefold()
    ]
    shown = found[offset : offset + limit]
    last = reader.latest_changes("sense", [each.sense.id for each in shown])
    items = [
        CandidateItem(
            sense=sense_item(entries[each.sense.id], last),
            score=each.score,
            evidence=[
                EvidenceItem(document=item.document, page=item.page, sentence=item.sentence, score=item.score)
                for item in each.evidence
            ],
            conflicts=[sense_out(sense) for sense in each.conflicts],
        )
        for each in shown
    ]
    return CandidateList(items=items, total=len(found), limit=limit, offset=offset)


def _evidence(
    reader: DictionaryReader, places: EvidencePlacer, sense_id: int, groups: frozenset[str] | None
) -> PlacedEvidenceList:
    candidate = next((each for each in reader.candidates() if each.sense.id == sense_id), None)
    if candidate is None:
        raise NotFound(f"The meaning {sense_id} is no candidate (any more).")
    return PlacedEvidenceList(items=[placed_evidence(each) for each in places.place(candidate.evidence, groups=groups)])


def _publish(keeper: DictionaryKeeper, given: DraftsIn) -> ChosenDrafts:
    before = editing.newest_change(keeper)
    if given.preview:
        choice = keeper.choose_drafts(given.min_score)
    else:
        choice = keeper.publish_drafts(given.min_score, with_conflicts=given.with_conflicts)
    published, kept = choice.clear, choice.conflicting
    if given.with_conflicts:
        published, kept = (*published, *kept), ()
    return ChosenDrafts(
        preview=given.preview,
        published=[chosen_draft(each) for each in published],
        kept=[chosen_draft(each) for each in kept],
        change=None if given.preview else editing.batch_of(keeper, [each.sense.id for each in published], before),
    )


def _queue(
    reader: DictionaryReader,
    limit: int,
    offset: int,
    spellings: SpellingFinder | None,
    groups: frozenset[str] | None,
) -> QueueList:
    found = reader.unknown_terms()
    shown = found[offset : offset + limit]
    near = spellings.near([each.term for each in shown], _NEAR_SHOWN, groups=groups) if spellings is not None else {}
    items = [queued_term(each, near.get(each.term, ())) for each in shown]
    return QueueList(items=items, total=len(found), limit=limit, offset=offset)


def _define(keeper: DictionaryKeeper, term: str, given: MeaningIn) -> SenseItem:
    wanted = " ".join(term.split()).casefold()
    queued = next((each for each in keeper.unknown_terms() if each.term.casefold() == wanted), None)
    if queued is None:
        raise NotFound(f"{term!r} is not on the queue of unknown terms: add it under /senses.")
    return editing.add_sense(keeper, queued.term, given, "published")
