"""A language model in this process, with adapters by name."""

from golden_lab.local_chat.chat import LocalChat
from golden_lab.local_chat.weights import LocalWeights

__all__ = ["LocalChat", "LocalWeights"]
