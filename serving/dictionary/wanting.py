"""The route of those who ask: they tell the manager that they want an unknown term explained."""

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from contracts.errors import NotFound
from serving.access import RequestGuard
from serving.dictionary.base import DictionaryDesk, DictionaryKeeper
from serving.dictionary.problems import problems
from serving.dictionary.routing import Acting, dictionary_router, in_thread

_MAX_TERM_CHARACTERS = 400
_MAX_NOTE_CHARACTERS = 500


class WantedIn(BaseModel):
    """An unknown term that somebody wants explained, and what they know of it."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"term": "PLR", "note": "It stands on every radio log."}]}
    )

    term: str = Field(min_length=1, max_length=_MAX_TERM_CHARACTERS)
    note: str = Field("", max_length=_MAX_NOTE_CHARACTERS)


class Wanted(BaseModel):
    """The term as it stands on the manager's queue."""

    term: str


def wanting_routes(desk: DictionaryDesk, guard: RequestGuard) -> APIRouter:
    """Return ``/wanted``, for everybody who may ask."""
    router = dictionary_router(guard, "ask")

    @router.post("/wanted", summary="Ask for an unknown term", responses=problems(400, 404, 413, 415))
    async def want(given: WantedIn, actor: Acting) -> Wanted:
        """Ask the manager to explain a term that an answer called unknown.

        It counts once more on the queue, and your note stands there instead of the last question.
        """
        return await in_thread(_want, desk.keeper, given, actor.department)

    return router


def _want(keeper: DictionaryKeeper, given: WantedIn, department: str) -> Wanted:
    wanted = " ".join(given.term.split()).casefold()
    queued = next((each for each in keeper.unknown_terms() if each.term.casefold() == wanted), None)
    if queued is None:
        raise NotFound(f"{given.term!r} is not on the queue of unknown terms: ask a question with it first.")
    said = given.note.strip() or queued.last_question
    keeper.record_unknown(queued.term, said, department or queued.context)
    return Wanted(term=queued.term)
