"""Start the laboratory's command line."""

import os

from golden_retriever.parts import make_parts_importable


def main() -> None:
    """Run the command line."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    make_parts_importable()
    from golden_lab.cli import app

    app()


if __name__ == "__main__":
    main()
