"""Start the command line, from a checkout or from an installed wheel."""

import os

from golden_retriever.parts import make_parts_importable


def main() -> None:
    """Run the command line."""
    # NumPy reads this when it is loaded. Its matrix products here are small, and its threads wait for those of the
    # embedding model: with one thread, a question takes half the CPU time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    make_parts_importable()
    from golden_retriever.cli import app

    app()


if __name__ == "__main__":
    main()
