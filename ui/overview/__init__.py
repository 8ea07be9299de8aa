"""The overview: what was asked by day, how it went, how long it took."""

from ui.overview.page import OverviewPage

__all__ = ["OverviewPage"]
