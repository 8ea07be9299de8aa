"""Libraries for tests: the example documents with their dictionary, or files of a test's own."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from golden_retriever.settings import load_settings
from golden_retriever.wiring import Application, open_application
from jargon_db.import_export import import_files

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


async def read_examples(data: Path, *documents: str) -> None:
    """Read the dictionary and ``documents``, by the names of their files, into the data folder ``data``."""
    settings = load_settings(data_dir=data, workers=1, summaries=False)
    async with open_application(settings, one_shot=True) as application:
        import_files(application.jargon.acting_as("test"), EXAMPLES / "dictionary.csv", EXAMPLES / "contexts.csv")
        await application.pipeline.ingest([EXAMPLES / "documents" / name for name in documents])


@asynccontextmanager
async def bot_over(folder: Path, files: Mapping[str, str], **settings: Any) -> AsyncIterator[Application]:
    """Open an application over a new library of ``files`` (texts by name); everything lies below ``folder``."""
    documents = folder / "documents"
    documents.mkdir()
    for name, text in files.items():
        (documents / name).write_text(text, encoding="utf-8")
    chosen = load_settings(data_dir=folder / "data", workers=1, **settings)
    async with open_application(chosen, one_shot=True) as application:
        assert (await application.pipeline.ingest([documents])).counts == {"ingested": len(files)}
        yield application
