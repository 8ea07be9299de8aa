"""A library with some of the example documents and the example dictionary, read without a language model."""

from pathlib import Path

from golden_retriever.settings import load_settings
from golden_retriever.wiring import open_application
from jargon_db.import_export import import_files

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


async def read_examples(data: Path, *documents: str) -> None:
    """Read the dictionary and ``documents``, by the names of their files, into the data folder ``data``."""
    settings = load_settings(data_dir=data, workers=1, summaries=False)
    async with open_application(settings, one_shot=True) as application:
        import_files(application.jargon.acting_as("test"), EXAMPLES / "dictionary.csv", EXAMPLES / "contexts.csv")
        await application.pipeline.ingest([EXAMPLES / "documents" / name for name in documents])
