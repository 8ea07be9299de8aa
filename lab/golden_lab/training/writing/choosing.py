"""Which documents are asked about, and in which order their passages."""

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from contracts.errors import InvalidInput
from contracts.text import Document
from golden_lab.training.writing.cutting import SourcePassage

PassagesOf = Callable[[Document, str], Sequence[SourcePassage]]
# What everybody may read. A model tells what it was trained on to everybody who asks it.
EVERYONE = "everyone"


def choose_documents(
    documents: Sequence[Document], patterns: Sequence[str] = (), groups: Collection[str] = (EVERYONE,)
) -> Mapping[str, Document]:
    """Return those of ``documents`` that are for ``groups`` and that one of ``patterns`` fits, by a name of their own.

    A pattern such as ``*.pdf`` is held against file name, path and number, in any case of letters; none fits all. The
    name is the file's, or its path where several have one name.

    Raises:
        InvalidInput: there is no document, or none that fits; the text says which pattern.
    """
    if not documents:
        raise InvalidInput("the library is empty: put documents in with golden ingest PATH", field="library")
    for pattern in patterns:
        if not any(_fits(each, pattern) for each in documents):
            raise InvalidInput(
                f'no document of the library fits "{pattern}": golden documents list shows them', field="documents"
            )
    fitting = [each for each in documents if not patterns or any(_fits(each, pattern) for pattern in patterns)]
    chosen = [each for each in fitting if each.group in groups]
    if not chosen:
        restricted = ", ".join(sorted({each.group for each in fitting}))
        raise InvalidInput(
            f"these documents are for the readers of {restricted} alone, and what a model is trained on it tells "
            "everybody who may ask it: name the groups whose documents may be used with --group",
            field="group",
        )
    names = Counter(each.name for each in documents)
    named = {(each.name if names[each.name] == 1 else each.path): each for each in chosen}
    return dict(sorted(named.items()))


def draw_passages(documents: Mapping[str, Document], passages_of: PassagesOf, *, seed: int) -> Iterator[SourcePassage]:
    """Yield every passage of ``documents`` once, in an order drawn by ``seed``; the documents take turns.

    Equal documents and seed make an equal order. A document is read when its first turn comes.
    """
    turns = list(documents)
    random.Random(seed).shuffle(turns)
    waiting: dict[str, list[SourcePassage]] = {}
    while turns:
        for name in tuple(turns):
            if name not in waiting:
                waiting[name] = _shuffled(passages_of(documents[name], name), f"{seed}\0{name}")
            if waiting[name]:
                yield waiting[name].pop()
            else:
                turns.remove(name)


def _fits(document: Document, pattern: str) -> bool:
    names = (document.name, document.path, document.id)
    return any(fnmatchcase(name.casefold(), pattern.casefold()) for name in names)


def _shuffled(passages: Sequence[SourcePassage], seed: str) -> list[SourcePassage]:
    shuffled = list(passages)
    random.Random(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")).shuffle(shuffled)
    return shuffled
