"""The command line. Nothing heavy is imported before a command runs."""

from golden_retriever.cli.app import app

__all__ = ["app"]
