"""The documents page: the list, one document, uploads, removals, and consistency."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import cast

from markupsafe import Markup
from pydantic import ValidationError

from contracts.documents import CatalogueState, RemovalProof
from contracts.errors import InvalidInput, NotFound
from contracts.jobs import IngestionJob
from serving.documents.service import address_of
from serving.problems import ProblemBody
from ui.pages import Action, Place, Shown, Visit

STATES = ("", "ready", "poor", "reading", "failed", "duplicate", "removed")
# The states that "all" counts: poor documents are also ready, and removed ones are shown only on request.
_ALL = ("ready", "reading", "failed", "duplicate")
SHOWN_PAGES = 24
_POOR_SHOWN = 20
_ASKED_AGAIN_S = 0.5
_LOOKS = 20
_A_PAGE = 50
_SEEN_AT_MOST = 500
_PATH_AT_MOST = 8_000


class DocumentsPage:
    """The page for people who manage documents. Its parameters are ``q``, ``state`` and ``after``, or ``doc``."""

    name = "documents"
    scope = "manage"

    async def show(self, visit: Visit, place: Place) -> Shown:
        return await _shown(visit, _kept(place))

    async def act(self, visit: Visit, place: Place, action: Action) -> AsyncIterator[Shown]:
        at = _kept(place)
        if action.name == "follow":
            yield await _follow(visit, at, frozenset(action.values.get("jobs", "").split()))
        elif action.name == "upload_refused":
            raise _refusal_in(action.values.get("answer", ""))
        elif action.name == "reread":
            job = await visit.services.documents.reread(await visit.actor("manage"), action.values.get("id", ""))
            # The job may have ended before the page is rendered.
            yield await _shown(visit, at, watched=frozenset({job.id}))
        elif action.name == "stop_job":
            await visit.services.documents.cancel_job(await visit.actor("manage"), action.values.get("id", ""))
            yield await _shown(visit, at)
        elif action.name == "watch":
            yield await _watch(visit, at, action)
        elif action.name == "remove":
            yield await _remove(visit, at, action)
        elif action.name == "go":
            yield await _shown(visit, _kept({**at, **action.values}), focus=action.values.get("focus", ""))
        elif action.name == "search":
            yield await _shown(visit, _kept({"q": action.fields.get("q", ""), "state": at.get("state", "")}))


def _kept(place: Place) -> dict[str, str]:
    """Return the known parameters of an address."""
    most = {"q": _SEEN_AT_MOST, "doc": _SEEN_AT_MOST, "after": _PATH_AT_MOST}
    # An address may contain lone surrogates, but a request cannot.
    texts = {name: place.get(name, "")[:length].encode("utf-8", "replace").decode() for name, length in most.items()}
    state = place.get("state", "")
    return {name: text for name, text in {**texts, "state": state if state in STATES else ""}.items() if text}


async def _shown(
    visit: Visit,
    at: Mapping[str, str],
    *,
    watched: frozenset[str] = frozenset(),
    proof: RemovalProof | None = None,
    notice: str = "",
    focus: str = "",
) -> Shown:
    """Show ``at``. Each ingestion in ``watched`` is shown as in progress, or its result is announced once."""
    jobs = await _under_way(visit)
    if ended := watched - jobs.keys():
        notice = await _told(visit, ended)
    if document_id := at.get("doc"):
        body, title = await _document(visit, document_id, tuple(jobs.values()))
    else:
        body, title = await _list(visit, at, proof, tuple(jobs.values())), visit.words("documents.title")
    return Shown(html=body, place=dict(at), notice=notice, focus=focus, title=title)


async def _document(visit: Visit, document_id: str, jobs: tuple[IngestionJob, ...]) -> tuple[Markup, str]:
    """Render a document with pictures of its first pages, if there are any."""
    document = await visit.call("manage", visit.services.documents.details, document_id)
    body = visit.render(
        "documents/document.html",
        document=document,
        jobs=jobs,
        pictured=document.answers and await _is_pictured(visit, document_id),
        own=visit.path(address_of(document.document_id)),
        pages=range(1, min(document.pages, SHOWN_PAGES) + 1),
        poor_shown=_POOR_SHOWN,
    )
    return body, document.title or document.name


async def _is_pictured(visit: Visit, document_id: str) -> bool:
    try:
        return bool((await visit.services.documents.sheet(await visit.actor("ask"), document_id, 1)).picture)
    except NotFound:
        return False


async def _list(
    visit: Visit, at: Mapping[str, str], proof: RemovalProof | None, jobs: tuple[IngestionJob, ...]
) -> Markup:
    """Render a page of the list with links to other pages, the field for dropping files, and recent results.

    People who may read every group also see the watched folders.
    """
    service, actor, chosen = visit.services.documents, await visit.actor("manage"), at.get("state", "")
    state = cast("CatalogueState | None", chosen or None)
    asked = {"text": at.get("q", ""), "after": at.get("after", "")}
    page = await asyncio.to_thread(service.search, actor, state=state, limit=_A_PAGE, **asked)
    watched = None
    if actor.groups is None:
        watched = [each for each in await asyncio.to_thread(service.jobs, actor) if each.watch and not each.is_over]
    counts = [(each, _total(page.totals, each)) for each in STATES]
    return visit.render(
        "documents/list.html",
        at=at,
        page=page,
        intake=await asyncio.to_thread(service.intake, actor),
        jobs=jobs,
        watched=watched,
        proof=proof,
        chosen=chosen,
        total=_total(page.totals, chosen),
        states=[(each, count) for each, count in counts if count or each in ("", chosen)],
    )


def _total(totals: Mapping[CatalogueState, int], state: str) -> int:
    """Return how many documents there are in ``state``, "" for all except removed ones."""
    return sum(count for each, count in totals.items() if each == state or (not state and each in _ALL))


async def _follow(visit: Visit, at: Mapping[str, str], watched: frozenset[str]) -> Shown:
    """Show the ``watched`` ingestions and others as soon as they make progress, or after a few seconds."""
    before = now = await _under_way(visit)
    for _ in range(_LOOKS):
        if now != before or not watched <= now.keys() or not now:
            break
        await asyncio.sleep(_ASKED_AGAIN_S)
        now = await _under_way(visit)
    return await _shown(visit, at, watched=watched.union(before))


async def _told(visit: Visit, ended: Iterable[str]) -> str:
    """Return the results for the files of ingestions that have ended."""
    counts: Counter[str] = Counter()
    for each in ended:
        counts.update((await visit.call("manage", visit.services.documents.job, each)).counts)
    notice = visit.words("documents.jobs.ended", count=visit.words.number(counts.total())) if counts else ""
    if counts["failed"]:
        notice += " " + visit.words("documents.jobs.not_read", count=visit.words.number(counts["failed"]))
    return notice


async def _under_way(visit: Visit) -> dict[str, IngestionJob]:
    jobs = await visit.call("manage", visit.services.documents.jobs)
    # A check of a watched folder that finds nothing is not reported.
    return {each.id: each for each in jobs if not each.is_over and (not each.watch or _reads(each))}


def _reads(job: IngestionJob) -> bool:
    return job.finished_at is None or (job.progress or {}).get("total") is not None


def _refusal_in(answer: str) -> InvalidInput:
    """Return why the API refused an upload, as reported by the browser."""
    try:
        return InvalidInput(ProblemBody.model_validate_json(answer).error.message)
    except ValidationError:
        return InvalidInput(answer[:_SEEN_AT_MOST])


async def _remove(visit: Visit, at: Mapping[str, str], action: Action) -> Shown:
    proof = await visit.services.documents.remove(await visit.actor("manage"), action.values.get("id", ""))
    name = proof.path.rpartition("/")[2]
    listed = {each: value for each, value in at.items() if each != "doc"}
    notice = visit.words("documents.removed", name=name)
    return await _shown(visit, listed, proof=proof, notice=notice, focus="proof-title")


async def _watch(visit: Visit, at: Mapping[str, str], action: Action) -> Shown:
    path, group, prune = (action.fields.get(each, "") for each in ("folder", "group", "prune"))
    actor = await visit.actor("manage")
    job = await visit.services.documents.watch(actor, path.strip(), group, prune=bool(prune))
    return await _shown(visit, at, notice=visit.words("documents.watched.added", path=job.paths[0]))
