"""Start the command line, from a checkout or from an installed wheel."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Put the folder that holds the parts first on the path, then run the command line.

    In a checkout that is the repository's root; in a wheel it is the bundle ``golden_retriever/_app``, so that only one
    name is installed.
    """
    here = Path(__file__).resolve().parent
    bundle = here / "_app"
    root = str(bundle if bundle.is_dir() else here.parent)
    if sys.path[:1] != [root]:
        sys.path.insert(0, root)
    # Read by numpy when it is loaded. Its products here are small, and their threads wait for those of the embedding
    # model: one question takes half of the processor's time with one thread.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from tools.telemetry import refuse_telemetry

    refuse_telemetry()
    from golden_retriever.cli import app

    app()


if __name__ == "__main__":
    main()
