"""A change of the dictionary works from the next question on in a process that has been running since before it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from contracts.jargon import Correction
from database.connection import open_database
from database.migrating import MigrationScope
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from tests.models import replace

# What a server does with each question, a line in and a line out.
_ASKED = """
import asyncio, json, sys
from database.connection import open_database
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from jargon_db.store import JargonStore
from tools.jargon.sql import SqlJargonDictionary

async def answer(dictionary, identifier, question):
    jargon = await identifier.identify(question)
    known = [mention.term for mention in jargon.mentions if mention.known]
    senses = await dictionary.senses(known)
    return {
        "meanings": {term: [sense.extended_name for sense in found] for term, found in senses.items()},
        "contexts": [context.name for context in await dictionary.contexts()],
        "corrections": [correction.question for correction in await dictionary.corrections()],
    }

async def main():
    dictionary = SqlJargonDictionary(JargonStore(open_database(sys.argv[1])))
    identifier = EmbeddedJargonIdentifier(dictionary)
    for question in sys.stdin:
        print(json.dumps(await answer(dictionary, identifier, question.strip())), flush=True)

asyncio.run(main())
"""


@pytest.fixture
def tables() -> tuple[MigrationScope, ...]:
    return (DICTIONARY,)


@pytest.fixture
def store(database_url: str) -> Iterator[JargonStore]:
    engine = open_database(database_url)
    yield JargonStore(engine)
    engine.dispose()


@pytest.fixture
def running(store: JargonStore, database_url: str) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-c", _ASKED, database_url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    yield process
    process.communicate(timeout=30)
    assert process.returncode == 0


def ask(running: "subprocess.Popen[str]", question: str) -> dict[str, Any]:
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write(f"{question}\n")
    running.stdin.flush()
    return dict(json.loads(running.stdout.readline()))


def test_each_change_is_there_with_the_next_question(store: JargonStore, running: "subprocess.Popen[str]") -> None:
    def meanings() -> dict[str, list[str]]:
        return dict(ask(running, "Who counts the XQZP of the line?")["meanings"])

    assert meanings() == {}
    sense = store.add_sense("XQZP", "Cross-Quality Zone Plan", context="Quality")
    assert meanings() == {"XQZP": ["Cross-Quality Zone Plan"]}
    assert ask(running, "XQZP?")["contexts"] == ["Quality"]
    store.change_sense(replace(sense, extended_name="Cross-Quality Zone Plate"))
    assert meanings() == {"XQZP": ["Cross-Quality Zone Plate"]}
    store.change_sense(replace(sense, term="ZPX", aliases=("XQZP",)))
    assert meanings() == {"ZPX": ["Cross-Quality Zone Plan"]}
    store.set_state(sense.id, "rejected")
    assert meanings() == {}
    store.undo(store.history()[0].number)
    assert meanings() == {"ZPX": ["Cross-Quality Zone Plan"]}
    store.put_senses([sense, replace(sense, extended_name="Second", context="")])
    store.undo_batch(store.batches()[0].number)
    assert meanings() == {"ZPX": ["Cross-Quality Zone Plan"]}
    store.remove_sense(sense.id)
    assert meanings() == {}


@pytest.mark.slow
def test_corrections_are_there_with_the_next_question(store: JargonStore, running: "subprocess.Popen[str]") -> None:
    sense = store.add_sense("XQZP", "Cross-Quality Zone Plan", context="Quality")
    assert ask(running, "XQZP?")["corrections"] == []
    chosen = Correction(term="XQZP", extended_name=sense.extended_name, context="Quality", question="Which XQZP?")
    store.record_correction(chosen)
    assert ask(running, "XQZP?")["corrections"] == ["Which XQZP?"]
    store.redact_questions()
    assert ask(running, "XQZP?")["corrections"] == [""]
    store.remove_sense(sense.id)
    assert ask(running, "XQZP?")["corrections"] == []
