"""Publishing: which drafts can be published many at a time."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from contracts.jargon import Sense
from jargon_db.folding import loose_term
from jargon_db.values import Candidate, DraftChoice


def choose_drafts(candidates: Sequence[Candidate], least_score: float) -> DraftChoice:
    """Divide the drafts that score at least ``least_score`` into those that contradict nothing and the others.

    A draft contradicts the published senses of its term, and other such drafts of it: its ``conflicts`` name both.
    """
    likely = [candidate for candidate in candidates if candidate.evidence and candidate.score >= least_score]
    of_term: dict[str, list[Sense]] = defaultdict(list)
    for candidate in likely:
        of_term[loose_term(candidate.sense.term)].append(candidate.sense)
    judged = [
        replace(
            candidate,
            conflicts=(
                *candidate.conflicts,
                *(each for each in of_term[loose_term(candidate.sense.term)] if each is not candidate.sense),
            ),
        )
        for candidate in likely
    ]
    return DraftChoice(
        clear=tuple(candidate for candidate in judged if not candidate.conflicts),
        conflicting=tuple(candidate for candidate in judged if candidate.conflicts),
    )
