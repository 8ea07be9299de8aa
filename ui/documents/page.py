"""The documents' page: the list, one document, what is dropped, what is removed, and whether all agrees."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import cast

from contracts.documents import CatalogueState, RemovalProof, Verification
from contracts.errors import NotFound
from ui.documents.details import render_details
from ui.documents.intake import render_intake, render_work
from ui.documents.listing import STATES, render_listing
from ui.documents.proofs import render_proof, render_verification
from ui.html import Safe, element
from ui.pages import Action, Place, Shown, Visit

_ASKED_AGAIN_S = 0.5
_A_PAGE = 50
_SEEN_AT_MOST = 500
_PATH_AT_MOST = 8_000


class DocumentsPage:
    """The page of whoever manages documents. Its place: ``q``, ``state``, ``after``; or ``doc`` and ``first``."""

    @property
    def name(self) -> str:
        """Its name, and its path."""
        return "documents"

    @property
    def scope(self) -> str:
        """Managing documents."""
        return "manage"

    async def show(self, visit: Visit, place: Place) -> Shown:
        """Show the list, or the document that the address names."""
        return await _shown(visit, _kept(place))

    async def act(self, visit: Visit, place: Place, action: Action) -> AsyncIterator[Shown]:
        """Do what is asked, and show what is there then."""
        at = _kept(place)
        if action.name == "verify":
            async for shown in _verify(visit, at):
                yield shown
        elif action.name == "remove":
            yield await _remove(visit, at, action)
        elif action.name == "regroup":
            yield await _regroup(visit, at, action)
        elif (following := _following(at, action)) is not None:
            yield await _shown(visit, following, focus=_focus(at, action))


def _kept(place: Place) -> dict[str, str]:
    """Return what of an address means something here."""
    most = {"q": _SEEN_AT_MOST, "doc": _SEEN_AT_MOST, "first": _SEEN_AT_MOST, "after": _PATH_AT_MOST}
    # An address may hold halves of characters, which no request can.
    texts = {name: place.get(name, "")[:length].encode("utf-8", "replace").decode() for name, length in most.items()}
    state = place.get("state", "")
    return {name: text for name, text in {**texts, "state": state if state in STATES else ""}.items() if text}


def _following(at: Mapping[str, str], action: Action) -> dict[str, str] | None:
    """Return the place that an action leads to, None for no action of this page."""
    listed = {name: at[name] for name in ("q", "state", "after") if name in at}
    match action.name:
        case "seek":
            return _kept({"q": action.fields.get("q", ""), "state": at.get("state", "")})
        case "state":
            return _kept({"q": at.get("q", ""), "state": action.values.get("state", "")})
        case "next":
            return _kept({**listed, "after": action.values.get("after", "")})
        case "first":
            return {name: value for name, value in listed.items() if name != "after"}
        case "open_document":
            return _kept({**listed, "doc": action.values.get("id", "")})
        case "pages":
            return _kept({**at, "first": str(max(1, action.number("first")))})
        case "close":
            return listed
    return None


def _focus(at: Mapping[str, str], action: Action) -> str:
    match action.name:
        case "state":
            return f"state-{action.values.get('state') or 'all'}"
        case "open_document":
            return "document"
        case "close":
            return f"open-{at.get('doc', '')}"
    return ""


async def _shown(
    visit: Visit, at: Mapping[str, str], *, proof: RemovalProof | None = None, notice: str = "", focus: str = ""
) -> Shown:
    if document_id := at.get("doc"):
        body, title = await _document(visit, document_id, at)
    else:
        body, title = await _list(visit, at, proof), visit.words("documents.title")
    return Shown(html=body, place=dict(at), notice=notice, focus=focus, title=title)


async def _document(visit: Visit, document_id: str, at: Mapping[str, str]) -> tuple[Safe, str]:
    service = visit.services.documents
    document = await visit.call("manage", service.details, document_id)
    intake = await visit.call("manage", service.intake)
    pictured = document.answers and await _is_pictured(visit, document_id)
    first = int(at["first"]) if at.get("first", "").isdecimal() and len(at["first"]) < 10 else 1
    return render_details(document, intake, visit, pictured=pictured, first=first), document.title or document.name


async def _is_pictured(visit: Visit, document_id: str) -> bool:
    try:
        return bool((await visit.services.documents.sheet(await visit.actor("ask"), document_id, 1)).picture)
    except NotFound:
        return False


async def _list(visit: Visit, at: Mapping[str, str], proof: RemovalProof | None) -> Safe:
    words, service = visit.words, visit.services.documents
    actor = await visit.actor("manage")
    state = cast("CatalogueState | None", at.get("state") or None)
    asked = {"text": at.get("q", ""), "after": at.get("after", "")}
    page = await asyncio.to_thread(service.search, actor, state=state, limit=_A_PAGE, **asked)
    intake = await asyncio.to_thread(service.intake, actor)
    return element(
        "div",
        element("h1", words("documents.title"), data_key="head"),
        element("p", words("documents.lead"), class_="lead", data_key="lead"),
        render_work(intake, visit),
        render_proof(proof, words) if proof else None,
        render_intake(intake, visit),
        render_listing(page, at, visit),
        # It tells of all documents.
        render_verification(service.verification(actor), words) if actor.groups is None else None,
        class_="documents",
        data_key="documents",
    )


async def _verify(visit: Visit, at: Mapping[str, str]) -> AsyncIterator[Shown]:
    service, actor = visit.services.documents, await visit.actor("manage")
    last: Verification | None = await service.verify(actor)
    yield await _shown(visit, at)
    while last is not None and last.state == "running":
        await asyncio.sleep(_ASKED_AGAIN_S)
        last = service.verification(actor)
    yield await _shown(visit, at, focus="verify")


async def _remove(visit: Visit, at: Mapping[str, str], action: Action) -> Shown:
    proof = await visit.services.documents.remove(await visit.actor("manage"), action.values.get("id", ""))
    name = proof.path.rpartition("/")[2]
    listed = {each: value for each, value in at.items() if each not in ("doc", "first")}
    notice = visit.words("documents.removed", name=name)
    return await _shown(visit, listed, proof=proof, notice=notice, focus="proof-title")


async def _regroup(visit: Visit, at: Mapping[str, str], action: Action) -> Shown:
    group = action.fields.get("new_group", "").strip() or action.fields.get("group", "")
    actor = await visit.actor("manage")
    changed = await visit.services.documents.regroup(actor, action.values.get("id", ""), group)
    notice = visit.words("documents.regrouped", name=changed.name, group=changed.group)
    try:
        return await _shown(visit, at, notice=notice, focus="regroup")
    except NotFound:
        # Its new readers are not among them.
        return await _shown(visit, {}, notice=notice)
