"""A language model in this process, with adapters by name."""

from tools.chat.local.chat import LocalChat
from tools.chat.local.weights import LocalWeights

__all__ = ["LocalChat", "LocalWeights"]
