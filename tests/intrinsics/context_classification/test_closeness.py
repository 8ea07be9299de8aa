"""When a verdict on the context lies close, and something hangs on it."""

import pytest

from contracts.jargon import Context, Sense
from contracts.provenance import Provenance
from contracts.verdicts import ContextProbability, ContextVerdict
from intrinsics.context_classification.terms import CLOSE_LEAD, ContestedContexts, lead_of
from tools.jargon.memory import InMemoryJargonDictionary

CONTEXTS = (Context(name="Quality"), Context(name="Process"))
DICTIONARY = InMemoryJargonDictionary(
    (
        Sense(id=1, term="EBR", extended_name="Electronic Batch Record", context="Quality", aliases=("batch record",)),
        Sense(id=2, term="EBR", extended_name="Evaporation Bed Reactor", context="Process"),
        Sense(id=3, term="QP", extended_name="Qualified Person", context="Quality"),
        Sense(id=4, term="AS", extended_name="Aseptic Suite", context="Quality"),
        Sense(id=5, term="AS", extended_name="Air Supply", context="Process"),
        Sense(id=6, term="batch record", extended_name="Charge card", context="Process"),
    ),
    CONTEXTS,
)


def verdict(quality: float, process: float) -> ContextVerdict:
    found = [
        ContextProbability(name="Quality", probability=quality),
        ContextProbability(name="Process", probability=process),
    ]
    return ContextVerdict(
        contexts=tuple(sorted(found, key=lambda each: -each.probability)),
        none_of_these=1 - quality - process,
        provenance=Provenance(implementation="embedded"),
    )


def test_the_lead_is_over_whatever_comes_next_none_of_these_included() -> None:
    assert lead_of(verdict(0.6, 0.3)) == pytest.approx(0.3)
    assert lead_of(verdict(0.1, 0.1)) == pytest.approx(0.7)
    assert lead_of(verdict(0.5, 0.0)) == pytest.approx(0.0)
    nobody = ContextVerdict(contexts=(), none_of_these=1.0, provenance=Provenance(implementation="embedded"))
    assert lead_of(nobody) == 1.0


@pytest.mark.parametrize(
    ("question", "close"),
    [
        ("How long is an EBR kept?", True),
        ("how long are ebrs kept?", True),
        ("Where is the batch record kept?", True),
        ("Is it in the AS?", True),
        ("Who is the QP?", False),
        ("As of when is it kept?", False),
        ("When does the canteen open?", False),
    ],
)
async def test_a_close_lead_counts_where_a_word_has_meanings_in_several_contexts(question: str, close: bool) -> None:
    contested = ContestedContexts(DICTIONARY)
    lead = CLOSE_LEAD - 0.02
    assert await contested.is_close(verdict(0.5 + lead / 2, 0.5 - lead / 2), question, CONTEXTS) is close
    lead = CLOSE_LEAD + 0.02
    assert not await contested.is_close(verdict(0.5 + lead / 2, 0.5 - lead / 2), question, CONTEXTS)


async def test_without_contexts_nothing_is_close() -> None:
    assert not await ContestedContexts(DICTIONARY).is_close(verdict(0.0, 0.0), "How long is an EBR kept?", ())
