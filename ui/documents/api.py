"""The documents' routes as typed calls. Each raises ``ApiProblem`` where the server refuses it."""

from urllib.parse import quote

from ui.client import ApiProblem, ApiSession
from ui.documents import wire
from ui.page_picture import PageSheet, read_page

ROOT = "/api/documents"
_A_PAGE = 50


class DocumentsApi:
    """Asks for documents over one session."""

    def __init__(self, session: ApiSession) -> None:
        self._session = session

    async def listing(self, *, q: str, state: str, after: str) -> wire.Listing:
        """Return a page of documents."""
        asked = {"q": q or None, "state": state or None, "after": after or None, "limit": _A_PAGE}
        return wire.Listing.model_validate(await self._session.get(ROOT, asked))

    async def details(self, document_id: str) -> wire.Details:
        """Return a document with all that is known of it."""
        return wire.Details.model_validate(await self._session.get(address_of(document_id)))

    async def intake(self) -> wire.Intake:
        """Return what may be uploaded."""
        return wire.Intake.model_validate(await self._session.get(f"{ROOT}/intake"))

    async def regroup(self, document_id: str, group: str) -> wire.Document:
        """Give a document to the readers of another group."""
        answer = await self._session.send("PATCH", address_of(document_id), json={"group": group})
        return wire.Document.model_validate(answer.json())

    async def remove(self, document_id: str) -> wire.Proof:
        """Remove a document, and return the proof that it is gone."""
        return wire.Proof.model_validate((await self._session.send("DELETE", address_of(document_id))).json())

    async def sheet(self, document_id: str) -> PageSheet | None:
        """Return the first page as the API describes it; None where there are no pictures of pages."""
        try:
            return await read_page(self._session, quote(document_id, safe="", errors="replace"), 1)
        except ApiProblem as problem:
            if problem.status == 404:
                return None
            raise

    async def verification(self) -> wire.Verification | None:
        """Return the last verification of all; None where there was none, or they may not see it."""
        try:
            return wire.Verification.model_validate(await self._session.get(f"{ROOT}/verification"))
        except ApiProblem as problem:
            if problem.status in (403, 404):
                return None
            raise

    async def verify(self) -> wire.Verification:
        """Begin a verification of all."""
        return wire.Verification.model_validate((await self._session.send("POST", f"{ROOT}/verification")).json())


def address_of(document_id: str) -> str:
    """Return the path of a document; its pages and its file are below."""
    return f"{ROOT}/{quote(document_id, safe='', errors='replace')}"
