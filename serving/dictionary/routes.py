"""The routes of the dictionary under ``/api/dictionary``: each calls the function of the service that does it."""

from collections.abc import Sequence
from typing import Annotated, TypeVar

from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel

from contracts.dictionary import (
    Candidate,
    ChangedSenses,
    ChosenDrafts,
    ContextEntry,
    DeletedContext,
    DeletedSense,
    Finding,
    LookedUp,
    Overview,
    PlacedEvidence,
    SenseEntry,
    SenseFilter,
    SenseOrder,
    SensePage,
    UnknownTerm,
)
from contracts.errors import NotFound
from contracts.items import ItemPage, Items
from contracts.jargon import SenseState
from serving.access import RequestGuard
from serving.areas import Area
from serving.dictionary.problems import problems, refuse_method
from serving.dictionary.reading import QuestionReading
from serving.dictionary.requests import (
    ContextIn,
    DraftsIn,
    MeaningIn,
    MergeIn,
    QuestionIn,
    SenseIn,
    SensePatch,
    StatesIn,
    WantedIn,
)
from serving.dictionary.routing import PREFIX, Acting, dictionary_router
from serving.dictionary.service import DictionaryService
from serving.dictionary.trail_routes import MAX_LIMIT, MAX_NUMBER, MAX_UPLOAD_BYTES, Sought, sheet_routes, trail_routes
from serving.requests import MAX_BODY_BYTES

MAX_OFFSET = 100_000_000
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_STATES: dict[str, tuple[SenseState, str]] = {
    "publish": ("published", "It holds from the next question on."),
    "reject": ("rejected", "It holds no more, and is not offered again."),
    "draft": ("draft", "It waits among the candidates again."),
}

_Entry = TypeVar("_Entry", SenseEntry, ContextEntry)

SenseId = Annotated[int, Path(ge=1, le=MAX_NUMBER, description="The meaning's number.", examples=[12])]
ContextName = Annotated[
    str, Path(max_length=400, description="The context's name, in any letter case.", examples=["Protocols"])
]
QueuedName = Annotated[str, Path(max_length=400, description="The term as it stands on the queue.", examples=["PLR"])]
IfMatch = Annotated[
    str | None, Header(description='The ETag of the version that you saw, such as "12.3"; * overrides knowingly.')
]
Limit = Annotated[int, Query(ge=0, le=MAX_LIMIT, description="How many items to list.")]
Offset = Annotated[int, Query(ge=0, le=MAX_OFFSET, description="How many items to pass over.")]


class Redacted(BaseModel):
    """How many questions were forgotten."""

    questions: int


class Wanted(BaseModel):
    """The term as it stands on the manager's queue."""

    term: str


def dictionary_area(service: DictionaryService, guard: RequestGuard) -> Area:
    """Return everything under ``/api/dictionary``; ``guard`` lets requests in."""
    router, asking = dictionary_router(guard, "manage"), dictionary_router(guard, "ask")
    _reading_routes(router, service)
    _sense_routes(router, service)
    _context_routes(router, service)
    _waiting_routes(router, service)
    _asking_routes(asking, service)
    routers = (router, asking, *sheet_routes(service, guard), trail_routes(service, guard))
    return Area(
        routers=(*routers, _nowhere(routers, guard)),
        bounds={PREFIX: MAX_BODY_BYTES, f"{PREFIX}/import": MAX_UPLOAD_BYTES},
        scoped=(PREFIX,),
    )


def _reading_routes(router: APIRouter, service: DictionaryService) -> None:
    @router.get("", summary="See the dictionary at a glance", responses=problems())
    def overview(actor: Acting) -> Overview:
        """Return the dictionary's version, which changes with each change of it, and how much it holds."""
        return service.overview(actor)

    @router.get("/lookup", summary="Look spellings up", responses=problems())
    def lookup(
        actor: Acting,
        term: Annotated[
            list[Annotated[str, Query(max_length=400)]],
            Query(min_length=1, max_length=100, description="A term or an alias, in any letter case (repeatable)."),
        ],
    ) -> Items[LookedUp]:
        """Look terms up as the bot does: their published meanings, the closest spelling first."""
        return Items[LookedUp](items=service.look_up(actor, term))

    @router.get("/check", summary="Check the dictionary", responses=problems())
    async def check(actor: Acting) -> Items[Finding]:
        """Say what deserves a look, such as a meaning that is there twice, or a term that no document uses."""
        return Items[Finding](items=await service.check(actor))


def _asking_routes(router: APIRouter, service: DictionaryService) -> None:
    @router.post("/readings", summary="Try how a question is read", responses=problems(400, 413, 415))
    async def read(given: QuestionIn, actor: Acting) -> QuestionReading:
        """Say which terms of a question are found, how each would be read and why. Nothing is answered or kept."""
        return await service.read(actor, given.question, given.department)

    @router.post("/wanted", summary="Ask for an unknown term", responses=problems(400, 404, 413, 415))
    def want(given: WantedIn, actor: Acting) -> Wanted:
        """Ask the manager to explain a term that an answer called unknown.

        It counts once more on the queue, and your note stands there instead of the last question.
        """
        return Wanted(term=service.want(actor, given.term, given.note))


def _sense_routes(router: APIRouter, service: DictionaryService) -> None:
    edits = problems(400, 404, 409, 412, 413, 415, 428)

    @router.get("/senses", summary="List meanings", responses=problems())
    def list_senses(
        actor: Acting,
        state: Annotated[SenseState | None, Query(description="Only this state.")] = None,
        context: Annotated[Sought | None, Query(description="Only this context; empty: those of everywhere.")] = None,
        term: Annotated[Sought | None, Query(description="Only this term, in any letter case.")] = None,
        text: Annotated[Sought, Query(description="Only those that hold this text anywhere.")] = "",
        order: Annotated[SenseOrder, Query(description="By term, or the newest change first.")] = "term",
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> SensePage:
        """List a page of the meanings that a filter names, with their number in each state."""
        wanted = SenseFilter(state=state, context=context, term=term, text=text)
        return service.senses(actor, wanted, order=order, limit=limit, offset=offset)

    @router.get("/senses/{sense_id}", summary="Get a meaning", responses=problems(404))
    def get(sense_id: SenseId, actor: Acting, response: Response) -> SenseEntry:
        """Return a meaning with its version."""
        return _tagged(response, service.sense(actor, sense_id))

    @router.post("/senses", status_code=201, summary="Add a meaning", responses=problems(400, 409, 413, 415))
    def add(given: SenseIn, actor: Acting, response: Response) -> SenseEntry:
        """Add a meaning of a term; it holds from the next question on. One that is there already is left as it is."""
        return _tagged(response, service.add_sense(actor, given), new=True)

    @router.put("/senses/{sense_id}", summary="Replace a meaning", responses=edits)
    def put(
        sense_id: SenseId, given: SenseIn, actor: Acting, response: Response, if_match: IfMatch = None
    ) -> SenseEntry:
        """Let a meaning be as given, whatever its fields were before."""
        return _tagged(response, service.edit_sense(actor, sense_id, given, if_match))

    @router.patch("/senses/{sense_id}", summary="Edit a meaning", responses=edits)
    def patch(
        sense_id: SenseId, given: SensePatch, actor: Acting, response: Response, if_match: IfMatch = None
    ) -> SenseEntry:
        """Change the fields that are named; the rest stays."""
        return _tagged(response, service.edit_sense(actor, sense_id, given, if_match))

    @router.delete("/senses/{sense_id}", summary="Delete a meaning", responses=problems(404, 412, 428))
    def delete(sense_id: SenseId, actor: Acting, if_match: IfMatch = None) -> DeletedSense:
        """Delete a meaning; undoing the change that comes back brings it back. A mined one may be offered again."""
        return service.delete_sense(actor, sense_id, if_match)

    @router.post(
        "/senses/states", summary="Publish or reject several", responses=problems(400, 404, 412, 413, 415, 428)
    )
    def set_states(given: StatesIn, actor: Acting) -> ChangedSenses:
        """Publish, reject or draft meanings, all that are named or none."""
        return service.set_states(actor, given)

    @router.post("/merge", summary="Merge two terms", responses=problems(400, 404, 412, 413, 415))
    def merge(given: MergeIn, actor: Acting) -> ChangedSenses:
        """Make two terms one: meanings and aliases move, and the old spelling becomes an alias."""
        return service.merge(actor, given)

    for verb, (state, what) in _STATES.items():
        _state_route(router, service, verb, state, what)


def _state_route(router: APIRouter, service: DictionaryService, verb: str, state: SenseState, what: str) -> None:
    def change(sense_id: SenseId, actor: Acting, response: Response, if_match: IfMatch = None) -> SenseEntry:
        return _tagged(response, service.set_state(actor, sense_id, state, if_match))

    router.add_api_route(
        f"/senses/{{sense_id}}/{verb}",
        change,
        methods=["POST"],
        name=verb,
        summary=f"{verb.capitalize()} a meaning",
        description=what,
        responses=problems(404, 412, 428),
    )


def _context_routes(router: APIRouter, service: DictionaryService) -> None:
    """Add the routes under ``/contexts``. A name may hold slashes."""

    @router.get("/contexts", summary="List contexts", responses=problems())
    def list_contexts(actor: Acting) -> Items[ContextEntry]:
        """List every context, by name."""
        return Items[ContextEntry](items=service.contexts(actor))

    @router.get("/contexts/{name:path}", summary="Get a context", responses=problems(404))
    def get_context(name: ContextName, actor: Acting, response: Response) -> ContextEntry:
        """Return a context with its version."""
        return _tagged(response, service.context(actor, name))

    @router.put(
        "/contexts/{name:path}",
        summary="Describe a context",
        responses={201: {"model": ContextEntry, "description": "It is new."}, **problems(400, 412, 413, 415, 428)},
    )
    def put_context(
        name: ContextName, given: ContextIn, actor: Acting, response: Response, if_match: IfMatch = None
    ) -> ContextEntry:
        """Describe a context. Without If-Match it must be a new one."""
        entry, is_new = service.put_context(actor, name, given, if_match)
        response.status_code = 201 if is_new else 200
        return _tagged(response, entry)

    @router.delete("/contexts/{name:path}", summary="Delete a context", responses=problems(404, 409, 412, 428))
    def delete_context(name: ContextName, actor: Acting, if_match: IfMatch = None) -> DeletedContext:
        """Delete a context that no meaning is bound to."""
        return service.delete_context(actor, name, if_match)


def _waiting_routes(router: APIRouter, service: DictionaryService) -> None:
    """Add the routes of candidates and of the queue of unknown terms. A term may hold slashes."""

    @router.get("/candidates", summary="List candidates", responses=problems())
    def list_candidates(actor: Acting, text: Sought = "", limit: Limit = 50, offset: Offset = 0) -> ItemPage[Candidate]:
        """List the drafts that were mined from the documents, with their evidence and what they contradict.

        ``text`` stands in the term or the extended name. Publish or reject one by its number.
        """
        return service.candidates(actor, text=text, limit=limit, offset=offset)

    @router.get("/candidates/{sense_id}/evidence", summary="See where evidence stands", responses=problems(404))
    def show_evidence(sense_id: SenseId, actor: Acting) -> Items[PlacedEvidence]:
        """Return all that speaks for a candidate, each with its document and its place on the page.

        Pictures of pages are under `/api/documents/{id}/pages/{page}`.
        """
        return Items[PlacedEvidence](items=service.evidence(actor, sense_id))

    @router.post("/candidates/publish", summary="Publish candidates by score", responses=problems(400, 413, 415))
    def publish_candidates(given: DraftsIn, actor: Acting) -> ChosenDrafts:
        """Publish the candidates whose evidence is good enough, all of them or none."""
        return service.publish_drafts(actor, given)

    @router.get("/queue", summary="List unknown terms", responses=problems())
    def list_queue(
        actor: Acting,
        limit: Limit = 50,
        offset: Offset = 0,
        near: Annotated[bool, Query(description="With the known spellings that are near to each.")] = False,
    ) -> ItemPage[UnknownTerm]:
        """List the unknown terms that people asked about, most asked first."""
        return service.queue(actor, limit=limit, offset=offset, near=near)

    @router.post("/queue/redact", summary="Forget kept questions", responses=problems())
    def redact(actor: Acting) -> Redacted:
        """Forget every question that is kept on the queue or with a correction; terms and counts stay.

        Send the header X-Golden-Request: 1.
        """
        return Redacted(questions=service.redact(actor))

    @router.delete("/queue/{term:path}", status_code=204, summary="Dismiss an unknown term", responses=problems(404))
    def dismiss(term: QueuedName, actor: Acting) -> None:
        """Take a term off the queue; it comes back when somebody asks for it again."""
        service.dismiss(actor, term)

    @router.post(
        "/queue/{term:path}/define",
        status_code=201,
        summary="Add an unknown term",
        responses=problems(400, 404, 409, 413, 415),
    )
    def define(term: QueuedName, given: MeaningIn, actor: Acting, response: Response) -> SenseEntry:
        """Publish a meaning of a term of the queue, which then is off it; it holds from the next question on."""
        return _tagged(response, service.define(actor, term, given), new=True)


def _nowhere(routers: Sequence[APIRouter], guard: RequestGuard) -> APIRouter:
    """Return what answers under the prefix where no other route does: nothing else may, such as a page at ``/``."""
    router = dictionary_router(guard, "manage")
    known = [route for each in routers for route in each.routes if isinstance(route, APIRoute)]

    @router.api_route("", methods=list(_METHODS), include_in_schema=False)
    @router.api_route("/{rest:path}", methods=list(_METHODS), include_in_schema=False)
    async def refuse(request: Request) -> Response:
        rest = request.path_params.get("rest")
        address = PREFIX if rest is None else f"{PREFIX}/{rest}"
        allowed = {method for route in known if route.path_regex.match(address) for method in route.methods or ()}
        if allowed:
            return refuse_method(request.method, allowed)
        raise NotFound(f"There is nothing at {address}: /openapi.json lists every address.")

    return router


def _tagged(response: Response, entry: _Entry, *, new: bool = False) -> _Entry:
    response.headers["etag"] = entry.etag
    if new:
        response.headers["location"] = f"{PREFIX}/senses/{entry.id}"
    return entry
