"""Summarises a section as a domain expert."""

from intrinsics.summarisation.base import Summariser

__all__ = ["Summariser"]
