"""Every implementation of TermMiner keeps the contract."""

import pytest

from intrinsics.term_mining import TermMiner
from intrinsics.term_mining.embedded import EmbeddedTermMiner


@pytest.fixture(params=["embedded"])
def miner(request: pytest.FixtureRequest) -> TermMiner:
    return {"embedded": EmbeddedTermMiner}[request.param]()


async def test_finds_a_term_with_its_evidence_and_page(miner: TermMiner) -> None:
    (mined,) = await miner.mine("Each logical unit number (LUN) has a status.", page=3)
    assert (mined.term, mined.extended_name, mined.page) == ("LUN", "logical unit number", 3)
    assert "logical unit number (LUN)" in mined.evidence
    assert 0.5 <= mined.score <= 1.0


async def test_finds_nothing_in_nothing(miner: TermMiner) -> None:
    assert await miner.mine("") == ()
