"""Inspecting: what in a dictionary deserves the manager's look, though each entry by itself can be stored."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from contracts.dictionary import Finding
from contracts.jargon import Context, Sense
from jargon_db.circles import circle_text, find_circles, steps_of
from jargon_db.folding import fold, loose_name


def inspect_dictionary(
    senses: Sequence[Sense], contexts: Sequence[Context], is_used: Callable[[str], bool] | None = None
) -> tuple[Finding, ...]:
    """Return what is to be looked at in a dictionary; rejected senses never count.

    Drafts count for circles and for meanings that are there twice. ``is_used`` says whether the documents use a
    spelling; None: there are no documents.
    """
    alive = [sense for sense in senses if sense.state != "rejected"]
    published = [sense for sense in alive if sense.state == "published"]
    return (
        *_circles(alive),
        *_aliases_that_are_terms(published),
        *_without_context(published),
        *_twice(alive),
        *(
            Finding(kind="context-undescribed", text=f"The context {context.name!r} has no description.")
            for context in contexts
            if not context.description
        ),
        *(_never_used(published, is_used) if is_used is not None else ()),
    )


def _circles(alive: Sequence[Sense]) -> list[Finding]:
    of_step: dict[str, dict[str, int]] = {}
    for sense in alive:
        for alias, term in steps_of(sense):
            of_step.setdefault(alias, {})[term] = sense.id
    return [
        Finding(
            kind="circle",
            text=circle_text(circle),
            senses=tuple(of_step[here][there] for here, there in pairwise(circle)),
        )
        for circle in find_circles(of_step)
    ]


def _aliases_that_are_terms(published: Sequence[Sense]) -> list[Finding]:
    spelt = {fold(sense.term): sense for sense in reversed(published)}
    return [
        Finding(
            kind="alias-is-term",
            text=f"{alias!r} is an alias of {sense.term} and a term of its own: {other.extended_name}.",
            senses=(sense.id, other.id),
        )
        for sense in published
        for alias in sense.aliases
        if fold(alias) != fold(sense.term) and (other := spelt.get(fold(alias))) is not None
    ]


def _without_context(published: Sequence[Sense]) -> list[Finding]:
    found = []
    for senses in _by_term(published).values():
        bare = [sense for sense in senses if not sense.context]
        bound = sorted({sense.context for sense in senses if sense.context})
        found += [
            Finding(
                kind="context-missing",
                text=f"{sense.term} means {sense.extended_name} in every context, beside meanings in "
                f"{', '.join(bound)}: bind it to a context.",
                senses=(sense.id,),
            )
            for sense in bare
            if bound
        ]
    return found


def _twice(alive: Sequence[Sense]) -> list[Finding]:
    found = []
    for senses in _by_term(alive).values():
        for index, sense in enumerate(senses):
            for other in senses[:index]:
                # One meaning may hold in two contexts; in one context, or in one and everywhere, it is there twice.
                apart = sense.context and other.context and fold(sense.context) != fold(other.context)
                if not apart and loose_name(sense.extended_name) == loose_name(other.extended_name):
                    where = " and ".join(each.context or "every context" for each in (other, sense))
                    text = f"{sense.term} means {sense.extended_name} twice: in {where}."
                    found.append(Finding(kind="meaning-twice", text=text, senses=(other.id, sense.id)))
    return found


def _never_used(published: Sequence[Sense], is_used: Callable[[str], bool]) -> list[Finding]:
    found = []
    for senses in _by_term(published).values():
        spellings = dict.fromkeys(spelling for sense in senses for spelling in (sense.term, *sense.aliases))
        if not any(is_used(spelling) for spelling in spellings):
            text = f"The documents never use {senses[0].term}, nor an alias of it."
            found.append(Finding(kind="never-used", text=text, senses=tuple(sense.id for sense in senses)))
    return found


def _by_term(senses: Sequence[Sense]) -> dict[str, list[Sense]]:
    grouped: dict[str, list[Sense]] = {}
    for sense in senses:
        grouped.setdefault(fold(sense.term), []).append(sense)
    return grouped
