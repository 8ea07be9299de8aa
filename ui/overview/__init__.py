"""The overview: what was asked by day, how it went, how long it took."""

from ui.overview.desk import OverviewPage

__all__ = ["OverviewPage"]
