"""The trained encoder: what it makes of two texts held against one another, and of the words of one."""

from tools.encoder.base import PairEncoder, TextPair, TokenTags

__all__ = ["PairEncoder", "TextPair", "TokenTags"]
