"""What an encoder learns from: pairs of texts with a verdict a head, and texts whose terms are marked."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from contracts.errors import InvalidInput
from contracts.text import Span

Head = Literal["relevance", "answerability", "faithfulness"]
HEADS: tuple[Head, ...] = get_args(Head)
Use = Literal["train", "dev"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairExample:
    """A question or claim ``first`` with a passage ``second``. ``verdicts`` has a value for each judged head.

    ``source`` names the data set and the way the pair was made, ``group`` what must not be torn apart.
    """

    first: str
    second: str
    verdicts: tuple[tuple[Head, bool], ...]
    source: str
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TagExample:
    """A text and the spans of the terms of jargon in it."""

    text: str
    terms: tuple[Span, ...]
    source: str
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSource:
    """A file that was read: path below the data folder, SHA-256, licence, and which of its groups were used."""

    file: str
    sha256: str
    licence: str
    part: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderData:
    """All that one training sees: to learn from and, of other groups, to stop by."""

    train_pairs: tuple[PairExample, ...]
    dev_pairs: tuple[PairExample, ...]
    train_tags: tuple[TagExample, ...]
    dev_tags: tuple[TagExample, ...]
    sources: tuple[DataSource, ...] = ()

    def __post_init__(self) -> None:
        """Hold the two parts apart. Raises InvalidInput where a group of a source is in both, or nothing is there."""
        if not self.train_pairs or not self.dev_pairs:
            raise InvalidInput("There are no pairs to learn from, or none to stop by: is --data the right folder?")
        learnt: set[tuple[str, str]] = {(_set(each.source), each.group) for each in self.train_pairs}
        learnt |= {(_set(each.source), each.group) for each in self.train_tags}
        held = [(each.source, each.group) for each in self.dev_pairs]
        held += [(each.source, each.group) for each in self.dev_tags]
        for source, group in held:
            if (_set(source), group) in learnt:
                raise InvalidInput(f"The group {group!r} of {source} is in the training and in the dev part.")


def count_verdicts(pairs: Sequence[PairExample]) -> dict[str, dict[str, dict[str, int]]]:
    """Count the verdicts of ``pairs`` by head, source, and "yes" or "no"."""
    counted = Counter(
        (head, each.source, "yes" if verdict else "no") for each in pairs for head, verdict in each.verdicts
    )
    found: dict[str, dict[str, dict[str, int]]] = {head: {} for head in HEADS}
    for (head, source, verdict), number in sorted(counted.items()):
        found[head].setdefault(source, {"yes": 0, "no": 0})[verdict] = number
    return found


def _set(source: str) -> str:
    return source.split("/", maxsplit=1)[0]
