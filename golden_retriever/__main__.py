"""Start the command line, from a checkout or from an installed wheel."""

import os

from golden_retriever.parts import make_parts_importable


def main() -> None:
    """Run the command line."""
    # Read by numpy when it is loaded. Its products here are small, and their threads wait for those of the embedding
    # model: one question takes half of the processor's time with one thread.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    make_parts_importable()
    from golden_retriever.cli import app

    app()


if __name__ == "__main__":
    main()
