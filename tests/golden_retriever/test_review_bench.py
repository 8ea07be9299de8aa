"""Kept questions asked again, and test cases run, over the whole bot: within what both reviewer and asker may read."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from contracts.answer import Answer, AnswerReady, StepFinished
from contracts.case_runs import RunDetails
from contracts.errors import NotFound, PreconditionFailed
from contracts.question import Asker
from golden_retriever.settings import Settings
from golden_retriever.wiring import Application, open_application
from golden_retriever.wiring.records import build_records_service
from serving.access import Actor
from serving.records.service import RecordsService
from tests.golden_retriever.keyed import CANARIES, ingest_groups

REVIEWER = Actor(name="reviewer", groups=frozenset({"everyone"}))
STRANGER = Actor(name="stranger", groups=frozenset({"other"}))
CHIEF = Actor(name="chief")
# These tests build a whole application.
pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


@pytest.fixture(scope="module")
async def application(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Application]:
    folder = tmp_path_factory.mktemp("bench")
    async with open_application(Settings(data_dir=folder / "data", workers=1), one_shot=True) as opened:
        await ingest_groups(opened, folder)
        yield opened


@pytest.fixture
def service(application: Application) -> RecordsService:
    return build_records_service(application)


async def ask(
    application: Application, question: str, groups: frozenset[str] | None, conversation: str = "", **chosen: Any
) -> Answer:
    asker = Asker(account=f"key:{groups}", name="bob", groups=groups, **chosen)
    return await application.chatbot.ask(question, asker=asker, conversation_id=conversation)


async def replayed(service: RecordsService, actor: Actor, turn: str) -> Answer:
    heard = [each async for each in await service.replay(actor, turn)]
    assert any(isinstance(each, StepFinished) for each in heard)
    assert isinstance(heard[-1], AnswerReady)
    return heard[-1].answer


async def ended(service: RecordsService, actor: Actor) -> RunDetails:
    run = await service.start_run(actor)
    async with asyncio.timeout(60):
        while not (found := service.run(actor, run.id)).is_over:  # noqa: ASYNC110 - a run is told of in the database only
            await asyncio.sleep(0.1)
    return found


async def test_replayed_question_is_not_stored(application: Application, service: RecordsService) -> None:
    asked = await ask(application, "What does the XQZT of the pump hold?", REVIEWER.groups, "again")
    before, queue = service.overview(REVIEWER).days[-1].asked, application.jargon.unknown_terms()
    new = await replayed(service, REVIEWER, asked.turn_id)
    assert (new.outcome, new.turn_id, new.conversation_id) == (asked.outcome, "", "")
    assert service.overview(REVIEWER).days[-1].asked == before
    assert application.jargon.unknown_terms() == queue
    assert "XQZT" in [each.term for each in queue]


async def test_replay_reads_only_what_both_users_may_read(application: Application, service: RecordsService) -> None:
    question = "What is the Quorvex Lattice made of?"
    open_, secret = await ask(application, question, REVIEWER.groups), await ask(application, question, None)
    # The chief may read the secret group. If the user who asked could not, the replayed question cannot either.
    assert CANARIES[0] not in (await replayed(service, CHIEF, open_.turn_id)).text.lower()
    assert CANARIES[0] in (await replayed(service, CHIEF, secret.turn_id)).text.lower()
    for actor, turn in ((REVIEWER, secret), (STRANGER, secret), (STRANGER, open_)):
        with pytest.raises(NotFound) as refused:
            await service.replay(actor, turn.turn_id)
        assert not [each for each in CANARIES if each in str(refused.value).lower()]
    # A question about chosen documents is replayed for these documents only.
    (pumps,) = application.store.documents(groups=REVIEWER.groups)
    asked = await ask(application, question, None, documents=frozenset({pumps.id}))
    again = await replayed(service, CHIEF, asked.turn_id)
    assert {each.document_id for each in again.quoted} <= {pumps.id}
    assert CANARIES[0] not in again.text.lower()


async def test_cases_are_scored_and_results_respect_groups(application: Application, service: RecordsService) -> None:
    level = await ask(application, "What does the PLR hold?", REVIEWER.groups)
    secret = await ask(application, "What does the VDM weigh?", None)
    right = {"answer": "water level", "document": "pumps.txt", "page": 1}
    made = service.make_case(REVIEWER, level.turn_id, right)
    nowhere: dict[str, Any] = dict.fromkeys(("document", "page", "term", "sense"))
    failing = service.make_case(REVIEWER, level.turn_id, {"answer": "vinegar", "history": [], **nowhere})
    service.make_case(CHIEF, secret.turn_id, {"answer": "zorblaxite"})

    last = await ended(service, REVIEWER)
    assert (last.state, last.cases, last.done, last.passed, last.score) == ("done", 2, 2, 1, 0.5)
    assert last.measure.engine == "embedded"
    first, second = last.results
    assert (first.case_id, first.differs, first.gold) == (failing.id, ("wording",), "vinegar")
    assert (second.case_id, second.differs) == (made.id, ())
    assert "pumps.txt, page 1" in second.citations

    changed = {**failing.case, "answer": "water"}
    assert service.change_case(REVIEWER, failing.id, changed, version=failing.version).case["answer"] == "water"
    with pytest.raises(PreconditionFailed):
        service.change_case(REVIEWER, failing.id, changed, version=failing.version)

    whole = await ended(service, CHIEF)
    assert whole.passed == 3
    assert "zorblaxite" in whole.model_dump_json()
    assert [each.id for each in service.runs(REVIEWER)] == [last.id]
    with pytest.raises(NotFound):
        service.run(REVIEWER, whole.id)
