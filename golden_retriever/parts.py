"""The parts of the program (agent, tools, ...): top-level packages of a checkout, bundled as ``_app`` in a wheel."""

import sys
from pathlib import Path

PARTS = (
    "contracts", "database", "jargon_db", "library", "tools", "intrinsics", "agent", "ingestion", "serving", "ui",
    "evaluation",
)  # fmt: skip


def make_parts_importable() -> None:
    """Put the folder that holds the parts first on ``sys.path``, and switch off the telemetry of libraries.

    In a checkout that folder is the repository's root; in a wheel it is ``golden_retriever/_app``, so that the wheel
    installs only one name.

    Raises:
        ImportError: a package from elsewhere has been imported under the name of one of the parts.
    """
    here = Path(__file__).resolve().parent
    bundle = here / "_app"
    root = bundle if bundle.is_dir() else here.parent
    for name in PARTS:
        place = _place_of(name)
        if place is not None and not place.is_relative_to(root):
            raise ImportError(
                f"Golden Retriever has a package called {name!r}, but this process has already imported another one "
                f"from {place}. Rename that package, or run Golden Retriever in a separate process: start `golden "
                "serve` and ask it over HTTP."
            )
    if sys.path[:1] != [str(root)]:
        sys.path.insert(0, str(root))
    from tools.telemetry import refuse_telemetry

    refuse_telemetry()


def _place_of(name: str) -> Path | None:
    """Return where the module ``name`` was imported from; None if it was not imported."""
    module = sys.modules.get(name)
    if module is None:
        return None
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
    return next((Path(place).resolve() for place in places if place), Path("an unknown place"))
