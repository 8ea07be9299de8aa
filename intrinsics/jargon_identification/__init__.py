"""Finds the jargon in a question."""

from intrinsics.jargon_identification.base import JargonIdentifier

__all__ = ["JargonIdentifier"]
