"""The candidates tab: terms mined from the documents, with their evidence, to publish or reject."""

import asyncio

from markupsafe import Markup
from pydantic import BaseModel, Field

from contracts.dictionary import ChosenDrafts
from contracts.jargon import SenseState
from serving.dictionary.bodies import SenseIn
from ui.dictionary.tabs import Outcome, TabRequest, fields_in, given

_PAGE = 20
_LISTED = 100
_EDITED = "edit"
_USUAL_SCORE = "0.9"


class _ScoreIn(BaseModel):
    min_score: float = Field(ge=0, le=1)


def _least_score(text: str) -> float:
    return given(_ScoreIn, {"min_score": text.replace(",", ".")}).min_score


async def render_candidates(request: TabRequest, told: object) -> Markup:
    """Render the list, and the open candidate with its evidence; if none is named, the first one is open."""
    where, dictionary = request.where, request.dictionary
    found, contexts = await asyncio.gather(
        request.call(dictionary.candidates, text=where.text, limit=_PAGE, offset=where.start),
        request.call(dictionary.contexts),
    )
    number = where.opened.removeprefix(_EDITED)
    opened = next((each for each in found.items if str(each.sense.id) == number), None)
    opened = opened or next(iter(found.items), None)
    is_edited = opened is not None and where.opened == f"{_EDITED}{opened.sense.id}"
    return request.render(
        "candidates",
        found=found,
        contexts=contexts,
        opened=opened,
        is_edited=is_edited,
        chosen=told if isinstance(told, ChosenDrafts) else None,
        score=where.score or _USUAL_SCORE,
        listed=_LISTED,
        page=_PAGE,
    )


async def change(request: TabRequest) -> Outcome:
    """Open the form of a candidate."""
    meaning = await request.call(request.dictionary.sense, request.number)
    where = request.where.to(opened=f"{_EDITED}{meaning.id}")
    return Outcome(where=where, focus=f"first-{meaning.id}-{meaning.etag}")


async def set_state(request: TabRequest, state: SenseState) -> Outcome:
    """Publish a candidate as it is, or reject it."""
    kept = await request.call(request.dictionary.set_state, request.number, state, request.value("etag"))
    notice = request.words(f"dictionary.candidates.{state}", term=kept.term)
    return request.changed(notice, kept.last_change, "filter")


async def save_candidate(request: TabRequest) -> Outcome:
    """Save the form of a candidate, and publish it."""
    wanted = given(SenseIn, {**fields_in(request.action.fields), "state": "published"})
    kept = await request.call(request.dictionary.edit_sense, request.number, wanted, request.value("etag"))
    return request.changed(request.words("dictionary.candidates.published", term=kept.term), kept.last_change, "filter")


async def above(request: TabRequest) -> Outcome:
    """Show which candidates would be published with the chosen minimum score."""
    score = request.field("score")
    choice = await request.call(request.dictionary.choose_drafts, _least_score(score))
    return Outcome(where=request.where.to(score=score, opened=""), told=choice)


async def publish_above(request: TabRequest) -> Outcome:
    """Publish the candidates with at least the chosen score."""
    done = await request.call(request.dictionary.publish_drafts, _least_score(request.value("score")))
    notice = request.words.count("dictionary.candidates.published_count", len(done.published))
    return request.changed(notice, done.change, "filter")
