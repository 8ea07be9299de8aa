"""The parts of the program (agent, tools, ...): top-level packages of a checkout, bundled as ``_app`` in a wheel."""

import sys
from pathlib import Path

PARTS = (
    "contracts", "database", "jargon_db", "library", "tools", "intrinsics", "agent", "ingestion", "serving", "ui",
    "evaluation",
)  # fmt: skip


def make_parts_importable() -> None:
    """Put the folder that contains the parts first on ``sys.path``, and switch off the telemetry of libraries.

    In a checkout that folder is the repository's root; in a wheel it is ``golden_retriever/_app``, so that the wheel
    installs only one name.

    Raises:
        ImportError: a package from elsewhere has been imported under the name of one of the parts.
    """
    here = Path(__file__).resolve().parent
    bundle = here / "_app"
    root = bundle if bundle.is_dir() else here.parent
    for name in PARTS:
        place = getattr(sys.modules.get(name), "__file__", None)
        if place is not None and not Path(place).resolve().is_relative_to(root):
            raise ImportError(
                f"Golden Retriever has a package called {name!r}, but this process has already imported another one "
                f"from {place}. Rename that package, or run Golden Retriever in a separate process: start `golden "
                "serve` and ask it over HTTP."
            )
    if sys.path[:1] != [str(root)]:
        sys.path.insert(0, str(root))
    from tools.telemetry import refuse_telemetry

    refuse_telemetry()
