"""Golden Retriever: the Python API, the command line, the settings and the wiring.

The names of the API are imported when first used, so that ``import golden_retriever`` and the command line are fast.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contracts.answer import Answer, AnswerEvent, Citation
    from contracts.errors import ConfigurationError, Conflict, GoldenError, InvalidInput, NotFound, Unavailable
    from contracts.jargon import Context, Sense
    from contracts.question import SensePick, Turn
    from contracts.text import Passage
    from golden_retriever.api.async_bot import AsyncGoldenRetriever
    from golden_retriever.api.bot import GoldenRetriever
    from ingestion.reports import FileReport, IngestionReport, Progress

__version__ = "0.1.0"
__all__ = [
    "Answer", "AnswerEvent", "AsyncGoldenRetriever", "Citation", "ConfigurationError", "Conflict", "Context",
    "FileReport", "GoldenError", "GoldenRetriever", "IngestionReport", "InvalidInput", "NotFound", "Passage",
    "Progress", "Sense", "SensePick", "Turn", "Unavailable",
]  # fmt: skip

_MODULES = {
    "golden_retriever.api.bot": ("GoldenRetriever",),
    "golden_retriever.api.async_bot": ("AsyncGoldenRetriever",),
    "contracts.answer": ("Answer", "AnswerEvent", "Citation"),
    "contracts.errors": (
        "ConfigurationError", "Conflict", "GoldenError", "InvalidInput", "NotFound", "Unavailable",
    ),
    "contracts.jargon": ("Context", "Sense"),
    "contracts.question": ("SensePick", "Turn"),
    "contracts.text": ("Passage",),
    "ingestion.reports": ("FileReport", "IngestionReport", "Progress"),
}  # fmt: skip

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import a name of the API. Raises ``ImportError`` as ``make_parts_importable`` does."""
        module = next((module for module, names in _MODULES.items() if name in names), None)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        from golden_retriever.parts import make_parts_importable

        make_parts_importable()
        return getattr(import_module(module), name)
