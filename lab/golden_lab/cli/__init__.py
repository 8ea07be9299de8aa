"""The command ``golden-lab``."""

from golden_lab.cli.app import app

__all__ = ["app"]
