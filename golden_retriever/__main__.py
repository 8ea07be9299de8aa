"""Start the command line, from a checkout or from an installed wheel."""

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
    from golden_retriever.cli import app

    app()


if __name__ == "__main__":
    main()
