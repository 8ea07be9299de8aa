"""The dictionary's routes as typed calls. Each raises ``ApiProblem`` where the server refuses it."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from ui.client import ApiSession
from ui.dictionary import wire

_ROOT = "/api/dictionary"


class DictionaryApi:
    """Asks for the dictionary over one session."""

    def __init__(self, session: ApiSession) -> None:
        self._session = session

    async def overview(self) -> wire.Overview:
        """Return the dictionary at a glance."""
        return wire.Overview.model_validate(await self._session.get(_ROOT))

    async def meanings(self, **filters: Any) -> wire.Meanings:
        """Return a page of meanings; the filters are the route's."""
        return wire.Meanings.model_validate(await self._session.get(f"{_ROOT}/senses", filters))

    async def meaning(self, number: int) -> wire.Meaning:
        """Return one meaning."""
        return wire.Meaning.model_validate(await self._session.get(f"{_ROOT}/senses/{number}"))

    async def add_meaning(self, fields: Mapping[str, Any]) -> wire.Meaning:
        """Add a meaning."""
        return await self._meaning("POST", "/senses", json=dict(fields))

    async def put_meaning(self, number: int, fields: Mapping[str, Any], etag: str) -> wire.Meaning:
        """Let a meaning be as given, if it still is at ``etag``."""
        return await self._meaning("PUT", f"/senses/{number}", json=dict(fields), if_match=etag)

    async def patch_meaning(self, number: int, fields: Mapping[str, Any], etag: str) -> wire.Meaning:
        """Change some fields of a meaning, if it still is at ``etag``."""
        return await self._meaning("PATCH", f"/senses/{number}", json=dict(fields), if_match=etag)

    async def delete_meaning(self, number: int, etag: str) -> wire.Changed:
        """Delete a meaning, if it still is at ``etag``."""
        answer = await self._session.send("DELETE", f"{_ROOT}/senses/{number}", if_match=etag)
        return wire.Changed.model_validate(answer.json())

    async def merge(self, old: str, into: str) -> wire.Changed:
        """Make two terms one."""
        return wire.Changed.model_validate(await self._post("/merge", {"old": old, "into": into}))

    async def look_up(self, spellings: Sequence[str]) -> wire.Lookups:
        """Return the published meanings of spellings."""
        if not spellings:
            return wire.Lookups()
        return wire.Lookups.model_validate(await self._session.get(f"{_ROOT}/lookup", {"term": list(spellings)}))

    async def candidates(self, *, text: str, limit: int, offset: int) -> wire.Candidates:
        """Return a page of candidates."""
        told = await self._session.get(f"{_ROOT}/candidates", {"text": text, "limit": limit, "offset": offset})
        return wire.Candidates.model_validate(told)

    async def evidence(self, number: int) -> wire.EvidenceList:
        """Return what speaks for a candidate, each with its place on the page."""
        return wire.EvidenceList.model_validate(await self._session.get(f"{_ROOT}/candidates/{number}/evidence"))

    async def publish_above(self, score: float, *, with_conflicts: bool, preview: bool) -> wire.Choice:
        """Publish the candidates that score so much, or say which they are."""
        body = {"min_score": score, "with_conflicts": with_conflicts, "preview": preview}
        return wire.Choice.model_validate(await self._post("/candidates/publish", body))

    async def queue(self, *, limit: int, offset: int) -> wire.Queue:
        """Return a page of the queue of unknown terms, with known spellings near to each."""
        told = await self._session.get(f"{_ROOT}/queue", {"limit": limit, "offset": offset, "near": "true"})
        return wire.Queue.model_validate(told)

    async def define(self, term: str, fields: Mapping[str, Any]) -> wire.Meaning:
        """Publish a meaning of a term of the queue."""
        return await self._meaning("POST", f"/queue/{_part(term)}/define", json=dict(fields))

    async def dismiss(self, term: str) -> None:
        """Take a term off the queue."""
        await self._session.send("DELETE", f"{_ROOT}/queue/{_part(term)}")

    async def redact(self) -> int:
        """Forget every question that is kept; return how many there were."""
        return int((await self._post("/queue/redact"))["questions"])

    async def contexts(self) -> wire.Contexts:
        """Return every context."""
        return wire.Contexts.model_validate(await self._session.get(f"{_ROOT}/contexts"))

    async def put_context(self, name: str, fields: Mapping[str, Any], etag: str) -> wire.ContextEntry:
        """Describe a context; without an ``etag`` it must be new."""
        path = f"{_ROOT}/contexts/{_part(name)}"
        answer = await self._session.send("PUT", path, json=dict(fields), if_match=etag)
        return wire.ContextEntry.model_validate(answer.json())

    async def delete_context(self, name: str, etag: str) -> wire.Changed:
        """Delete a context that no meaning is bound to."""
        answer = await self._session.send("DELETE", f"{_ROOT}/contexts/{_part(name)}", if_match=etag)
        return wire.Changed.model_validate(answer.json())

    async def history(self, *, term: str, before: int | None, limit: int) -> wire.Changes:
        """Return changes, newest first."""
        asked = {"term": term or None, "before": before, "limit": limit}
        return wire.Changes.model_validate(await self._session.get(f"{_ROOT}/history", asked))

    async def batches(self, *, limit: int) -> wire.Batches:
        """Return what was changed at once, newest first."""
        return wire.Batches.model_validate(await self._session.get(f"{_ROOT}/batches", {"limit": limit}))

    async def batch(self, number: int, *, limit: int) -> wire.Changes:
        """Return the changes of a batch, in their order."""
        told = await self._session.get(f"{_ROOT}/batches/{number}", {"limit": limit})
        return wire.Changes.model_validate(told)

    async def undo(self, number: int, *, batch: bool) -> None:
        """Take a change back, or all that was changed with it."""
        await self._post(f"/{'batches' if batch else 'history'}/{number}/undo")

    async def findings(self) -> wire.Findings:
        """Return what deserves a look."""
        return wire.Findings.model_validate(await self._session.get(f"{_ROOT}/check"))

    async def corrections(self, *, limit: int) -> wire.Corrections:
        """Return the meanings that askers chose."""
        return wire.Corrections.model_validate(await self._session.get(f"{_ROOT}/corrections", {"limit": limit}))

    async def read(self, question: str, department: str) -> wire.QuestionRead:
        """Say how a question would be read."""
        return wire.QuestionRead.model_validate(
            await self._post("/readings", {"question": question, "department": department})
        )

    async def _meaning(self, method: str, path: str, **options: Any) -> wire.Meaning:
        return wire.Meaning.model_validate((await self._session.send(method, f"{_ROOT}{path}", **options)).json())

    async def _post(self, path: str, body: Any = None) -> Any:
        return (await self._session.send("POST", f"{_ROOT}{path}", json=body)).json()


def _part(text: str) -> str:
    return quote(text, safe="")
