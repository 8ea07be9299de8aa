"""A scripted bot beside a real library, which is filled and emptied over HTTP by a real server."""

import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from reportlab.pdfgen.canvas import Canvas

from golden_retriever.wiring.library_checks import remove_with_proof
from ingestion.jobs import IngestionJobs
from ingestion.limits import IngestionLimits
from ingestion.pipeline import IngestionPipeline
from intrinsics.summarisation.embedded import EmbeddedSummariser
from intrinsics.term_mining.embedded import EmbeddedTermMiner
from library.job_queue import JobQueue
from library.lexical_search import SqlLexicalSearch
from library.migrations import LIBRARY
from library.store import LibraryStore
from serving.documents.routes import documents_routers
from serving.documents.service import DocumentsService
from serving.identity.guards import Guard
from serving.me import me_router
from tests.databases import open_new_sqlite
from tests.hashing_embedder import HashingEmbedder
from tests.servers import app_of, client_of, me_service
from tools.search.exact import ExactVectorIndex

ROOT = "/api/documents"


@dataclass(frozen=True, kw_only=True)
class DocumentsServer:
    """A running server, the library behind it, and the folder whose files may be named."""

    http: httpx.AsyncClient
    service: DocumentsService
    store: LibraryStore
    index: ExactVectorIndex
    uploads: Path

    async def upload(self, files: dict[str, str], **fields: str) -> httpx.Response:
        """Upload text files by name."""
        parts = [("files", (name, text.encode())) for name, text in files.items()]
        return await self.http.post(ROOT, files=parts, data=fields)

    async def read(self, files: dict[str, str], **fields: str) -> dict[str, Any]:
        """Upload text files by name, and return their job once it is over."""
        return await self.watch((await self.upload(files, **fields)).json())

    async def watch(self, job: dict[str, Any]) -> dict[str, Any]:
        """Hear a job to its end; return it."""
        events: list[dict[str, Any]] = []
        async with self.http.stream("GET", f"{ROOT}/jobs/{job['id']}/events") as response:
            assert response.status_code == 200
            assert response.headers["content-type"].startswith("text/event-stream")
            async for line in response.aiter_lines():
                name, _, value = line.partition(": ")
                if name == "data":
                    events.append(json.loads(value))
        return events[-1]

    async def listed(self, **query: Any) -> list[dict[str, Any]]:
        """Return the first page of documents."""
        response = await self.http.get(ROOT, params=query)
        assert response.status_code == 200, response.text
        return list(response.json()["documents"])


@asynccontextmanager
async def open_documents_server(tmp_path: Path, guard: Guard | None = None) -> AsyncIterator[DocumentsServer]:
    """Serve an empty library; without a ``guard`` to ann, who may read everything."""
    engine = open_new_sqlite(tmp_path / "golden.db", LIBRARY)
    store, embedder = LibraryStore(engine), HashingEmbedder()
    pipeline = IngestionPipeline(
        store=store,
        embedder=embedder,
        summariser=EmbeddedSummariser(embedder),
        miner=EmbeddedTermMiner(),
        ocr=None,
        candidates=None,
        limits=IngestionLimits(),
        workers=1,
    )
    index, lexical = ExactVectorIndex(store, embedder.name), SqlLexicalSearch(engine)
    uploads = tmp_path / "uploads"
    watched = tmp_path / "watched"
    watched.mkdir()
    jobs = IngestionJobs(JobQueue(engine), lambda: pipeline, index.synchronise, watched_roots=[watched])
    service = DocumentsService(
        store,
        jobs,
        remove=lambda document: remove_with_proof(document, pipeline, store, index, lexical, embedder),
        uploads=uploads,
        max_upload_bytes=100_000,
        upload_quota_bytes=200_000,
    )
    routers = [*documents_routers(service), me_router(me_service())]
    app = app_of(routers=routers, guard=guard or Guard(user="ann"))
    try:
        async with client_of(app, headers={"X-Golden-Request": "1"}) as http:
            yield DocumentsServer(http=http, service=service, store=store, index=index, uploads=uploads)
    finally:
        await jobs.close()
        engine.dispose()


def assert_refused(response: httpx.Response, status: int = 404) -> tuple[str, str]:
    """Return code and message of a response that must have ``status``, and that nobody may keep."""
    assert response.status_code == status, response.text
    assert response.headers["cache-control"] == "no-store"
    error = response.json()["error"]
    return str(error["code"]), str(error["message"])


def pdf(*lines: str) -> bytes:
    """Print each line on a page of its own."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(600, 800))
    for line in lines:
        canvas.drawString(72, 700, line)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()
