"""Which passages a draft leans on: the contract of what finds out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from contracts.text import Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageUse:
    """Which passages a draft leans on, and which of these it should not have leaned on: indexes from 0, in order.

    ``reason`` says in words what made them flagged; "" where nothing is.

    Raises:
        ValueError: a flagged passage is not among the used ones.
    """

    used: tuple[int, ...]
    flagged: tuple[int, ...]
    reason: str = ""

    def __post_init__(self) -> None:
        if not set(self.flagged) <= set(self.used):
            raise ValueError(f"the flagged passages {self.flagged} are not all among the used ones {self.used}")


class PassageUseSignal(Protocol):
    """Finds the passages that a draft leans on although they do not bear on the question."""

    @property
    def name(self) -> str:
        """What it measures, in a word or two, for traces: "attribution"."""
        ...

    async def flag(self, question: str, draft: str, passages: Sequence[Passage]) -> PassageUse:
        """Say which of ``passages`` the draft leans on, and which of them are flagged: indexes into ``passages``.

        Raises:
            Unavailable: a model that it needs is not there.
        """
        ...
