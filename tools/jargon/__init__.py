"""The jargon dictionary behind one contract."""

from tools.jargon.base import JargonDictionary, Vocabulary

__all__ = ["JargonDictionary", "Vocabulary"]
