"""One reader per file format: from a file to its pages."""

from ingestion.readers.registry import SUPPORTED_SUFFIXES, Reader, reader_for, reads_in_ranges

__all__ = ["SUPPORTED_SUFFIXES", "Reader", "reader_for", "reads_in_ranges"]
