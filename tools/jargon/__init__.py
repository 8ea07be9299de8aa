"""The jargon dictionary behind one contract."""

from tools.jargon.base import JargonDictionary

__all__ = ["JargonDictionary"]
