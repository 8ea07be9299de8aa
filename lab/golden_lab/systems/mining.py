"""The dictionary that ingestion would leave behind: unpublished terms mined from the documents."""

from collections.abc import Sequence

from contracts.jargon import Sense
from golden_lab.datasets.corpora import CollectionPassage
from intrinsics.term_mining import TermMiner
from tools.jargon.memory import InMemoryJargonDictionary


async def mine_dictionary(passages: Sequence[CollectionPassage], miner: TermMiner) -> InMemoryJargonDictionary:
    """Mine ``passages`` as ingestion does: each abbreviation with its meanings, drafts that nobody has published."""
    meanings: dict[tuple[str, str], Sense] = {}
    for passage in passages:
        for mined in (await miner.mine(passage.text)).terms:
            key = (mined.term, mined.extended_name.casefold())
            sense = Sense(
                id=len(meanings) + 1,
                term=mined.term,
                extended_name=mined.extended_name,
                description=mined.description,
                source=passage.document,
                state="draft",
            )
            meanings.setdefault(key, sense)
    return InMemoryJargonDictionary(tuple(meanings.values()))
