"""Says which source triples support a claim."""

from intrinsics.triple_attribution.base import TripleAttributor

__all__ = ["TripleAttributor"]
