"""The values of training data."""

from dataclasses import dataclass
from typing import Literal, get_args

Condition = Literal["none", "relevant", "irrelevant", "noisy"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)


@dataclass(frozen=True, slots=True, kw_only=True)
class Triplet:
    """What training data is built from: a ``query``, the ``reference`` answer to it, and the true ``context``.

    ``source`` names where the context is from, such as a document and its page: what has one source stays together when
    data is held out. Empty: it stands alone.
    """

    id: str
    query: str
    reference: str
    context: str
    source: str = ""

    @property
    def group(self) -> str:
        """What it is held out with."""
        return self.source or self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextChunk:
    """A piece of a context: of which triplet, and its text."""

    triplet: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionedExample:
    """A query as a model sees it under one condition of retrieval, and what it should answer.

    ``relevant`` says of each of ``chunks`` whether it is of the query's own context.
    """

    id: str
    condition: Condition
    query: str
    chunks: tuple[str, ...]
    relevant: tuple[bool, ...]
    reference: str
