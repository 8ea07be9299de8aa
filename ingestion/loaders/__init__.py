"""Document loaders of LangChain's ecosystem, by name: what they bring becomes documents of the library."""

from ingestion.loaders.calls import LoaderCall, parse_call
from ingestion.loaders.ingest import LoadedReport, ingest_loader

__all__ = ["LoadedReport", "LoaderCall", "ingest_loader", "parse_call"]
