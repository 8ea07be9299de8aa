"""Findings in a dictionary that its manager should check, although each entry by itself is valid."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from contracts.dictionary import Finding
from contracts.jargon import Context, Sense
from jargon_db.normalization import fold, loose_name


def inspect_dictionary(senses: Sequence[Sense], contexts: Sequence[Context]) -> tuple[Finding, ...]:
    """Return what should be checked in a dictionary; rejected senses are ignored.

    Drafts count for duplicate meanings, and as uses of contexts.
    """
    alive = [sense for sense in senses if sense.state != "rejected"]
    used = {fold(sense.context) for sense in alive}
    bare = [each.name for each in contexts if not each.description]
    idle = [each.name for each in contexts if fold(each.name) not in used]
    return (
        *_pairs(alive),
        *(Finding(kind="context-undescribed", text=f"The context {name!r} has no description.") for name in bare),
        *(Finding(kind="context-unused", text=f"No meaning uses the context {name!r}.") for name in idle),
    )


def _pairs(alive: Sequence[Sense]) -> list[Finding]:
    """Return duplicate meanings, and meanings that share term and context with another."""
    of_term: dict[str, list[Sense]] = defaultdict(list)
    for sense in alive:
        of_term[fold(sense.term)].append(sense)
    found = []
    for first, second in (pair for senses in of_term.values() for pair in combinations(senses, 2)):
        same_context = fold(first.context) == fold(second.context)
        # A meaning in two contexts is no duplicate; in the same context, or in one context and in all, it is.
        overlapping = same_context or not (first.context and second.context)
        if overlapping and loose_name(first.extended_name) == loose_name(second.extended_name):
            where = " and ".join(each.context or "every context" for each in (first, second))
            text = f"{second.term} means {second.extended_name} twice: in {where}."
            found.append(Finding(kind="meaning-twice", text=text, senses=(first.id, second.id)))
        elif same_context and first.state == second.state == "published":
            where = first.context or "every context"
            text = f"{first.term} means {first.extended_name} and {second.extended_name}, both in {where}."
            found.append(Finding(kind="meanings-together", text=text, senses=(first.id, second.id)))
    return found
