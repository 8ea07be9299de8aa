"""Mines abbreviations with their expansions."""

from intrinsics.term_mining.base import TermMiner

__all__ = ["TermMiner"]
