"""Which mined senses an asker is told who may not read every document."""

from pathlib import Path

import pytest

from agent.mined_senses import readable_drafts
from contracts.jargon import Sense
from tests.models import replace
from tests.tools.search.libraries import Library

GROUPS = frozenset({"everyone"})
DRAFT = Sense(id=1, term="BLT", extended_name="Bilge Level Table", notes="By hand.", source="secret.txt, page 9",
              state="draft")  # fmt: skip


@pytest.fixture
async def library(tmp_path: Path) -> Library:
    opened = Library(tmp_path)
    await opened.put("secret", "The Bilge Level Table (BLT) hides the gold.", group="crew")
    return opened


async def readable_senses(
    library: Library, text: str, draft: Sense = DRAFT, groups: frozenset[str] | None = GROUPS
) -> tuple[Sense, ...]:
    await library.put("open", text)
    return readable_drafts([draft], library.lexical, groups)


async def test_mined_sense_needs_a_readable_passage_with_term_and_name(library: Library) -> None:
    (sense,) = await readable_senses(library, "The Bilge Level Table (BLT) is kept below.")
    assert (sense.extended_name, sense.source, sense.notes) == ("Bilge Level Table", "open.txt", "")
    assert await readable_senses(library, "The Bilge Level Table is kept below. Eat a BLTX.") == ()
    assert await readable_senses(library, "Eat a BLT.") == ()
    assert await readable_senses(library, "Eat a BLT.", groups=None) == (DRAFT,), "who may read all sees every sense"


async def test_description_is_shown_only_if_a_readable_passage_contains_it(library: Library) -> None:
    text = "The Bilge Level Table (BLT): it lists\nevery level."
    (sense,) = await readable_senses(library, text, replace(DRAFT, description="it lists every level."))
    assert sense.description == "it lists every level."
    (sense,) = await readable_senses(library, text, replace(DRAFT, description="It hides the gold."))
    assert sense.description == ""
