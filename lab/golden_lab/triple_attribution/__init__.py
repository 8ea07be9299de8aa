"""Says which source triples support a claim."""

from golden_lab.triple_attribution.base import TripleAttributor

__all__ = ["TripleAttributor"]
