"""Passages about another meaning of a term than the one that was read: they answer another question."""

from collections.abc import Sequence

from agent.services import Services
from contracts.jargon import Reading
from tools.jargon.usage import told_senses
from tools.language import fold


async def chunks_of_other_senses(
    readings: Sequence[Reading], services: Services, groups: frozenset[str] | None
) -> frozenset[str]:
    """Return the chunks that use a term of the question in another sense than the surely chosen one, by id.

    The documents themselves must tell the sense of the use; a chunk that uses another of the question's terms as it
    was read is not among them. A sense is surely chosen at the policy's ``sure_sense_threshold``.

    Raises:
        Unavailable: the library cannot be read just now.
    """
    strays: set[str] = set()
    fitting: set[str] = set()
    for term, chosen in _sure(readings, services.policy.sure_sense_threshold).items():
        senses = [sense for reading in chosen for sense in (reading.sense, *reading.alternatives) if sense is not None]
        meant = {fold(reading.sense.extended_name) for reading in chosen if reading.sense is not None}
        if len({fold(sense.extended_name) for sense in senses}) == len(meant):
            continue
        for chunk_id, names in (await told_senses(term, senses, services.lexical, groups=groups)).items():
            right = bool(meant & {fold(name) for name in names})
            (fitting if right else strays).add(chunk_id)
    return frozenset(strays - fitting)


def _sure(readings: Sequence[Reading], least: float) -> dict[str, list[Reading]]:
    """Return the chosen readings by term, of the terms that have other senses and whose every reading is sure."""
    by_term: dict[str, list[Reading]] = {}
    for reading in readings:
        by_term.setdefault(reading.mention.term, []).append(reading)
    return {
        term: several
        for term, several in by_term.items()
        if all(each.status == "chosen" and each.probability >= least for each in several)
        and any(each.alternatives for each in several)
    }
