"""The inspection of the dictionary beside the documents."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jargon_db.reading import JargonReader
    from jargon_db.values import Finding
    from library.store import LibraryStore


def inspect_stored(store: "JargonReader", library: "LibraryStore") -> "tuple[Finding, ...]":
    """Return what in the dictionary is to be looked at; terms that no document uses, where there are documents.

    Raises:
        Unavailable: the database cannot be used just now.
    """
    from jargon_db.inspecting import inspect_dictionary
    from library.usage import terms_in_use

    senses, contexts = store.senses(), store.contexts()
    if not library.counts()[0]:
        return inspect_dictionary(senses, contexts)
    published = (sense for sense in senses if sense.state == "published")
    used = terms_in_use(library.engine, {spelling for sense in published for spelling in (sense.term, *sense.aliases)})
    return inspect_dictionary(senses, contexts, used.__contains__)
